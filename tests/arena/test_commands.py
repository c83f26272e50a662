"""``skyjo arena``, ``stats``, ``bot check`` and ``bench`` as people call them."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from tests.conftest import ROOT

EXAMPLE = f"cmd:{sys.executable} {ROOT / 'examples' / 'line_bot.py'}"


class Shell:
    """Calls commands with a folder for their state."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {
            **os.environ,
            "SKYJO_STATE": str(folder / "state"),
            "LANG": "C.UTF-8",
            "COLUMNS": "160",
        }

    def start(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "skyjo", *words],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(self, *words: str, status: int = 0) -> tuple[str, str]:
        process = self.start(*words)
        out, err = process.communicate(timeout=280)
        assert process.returncode == status, err
        return out, err

    def json(self, name: str) -> Any:
        return json.loads((self.folder / name).read_text())


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def test_an_arena_with_everything(shell: Shell) -> None:
    out, _err = shell.run(
        *("arena", "greedy", "random", "threshold:3", "--games", "40", "--jobs", "1"),
        *("--seed", "x", "--set", "target=50", "--json", "a.json", "--report", "a.html"),
    )
    found = shell.json("a.json")
    assert list(found["bots"]) == ["greedy", "random", "threshold:3"]
    wanted = {"games", "wins", "wins_low", "wins_high", "points_per_round", "rating"}
    for figures in found["bots"].values():
        assert wanted <= figures.keys()
    assert found["bots"]["greedy"]["games"] == 80
    assert "threshold:3" in out
    assert "Games won" in out
    shell.run("arena", "greedy", "random", "--games", "40", "--jobs", "2", "--seed", "x")


def test_the_report_opens_offline(shell: Shell) -> None:
    shell.run(
        *("arena", "greedy", "random", "threshold:3", "--games", "20", "--jobs", "1"),
        *("--lang", "uk", "--report", "a.html"),
    )
    page = (shell.folder / "a.html").read_text(encoding="utf-8")
    assert '<html lang="uk">' in page
    for source in re.findall(r'(?:src|href)="([^"]*)"', page):
        assert source.startswith("#"), source
    assert "@import" not in page
    assert "<script" not in page
    figures = re.findall(r"<svg .*?</svg>", page, flags=re.DOTALL)
    assert len(figures) == 4
    for figure in figures:
        ET.fromstring(figure)
    names = re.findall(r'\bid="([^"]+)"', page)
    assert len(names) == len(set(names))
    assert page.count("threshold:3") >= 4


def test_line_ups_of_more_seats(shell: Shell) -> None:
    shell.run(
        *("arena", "greedy", "random", "--lineup", "greedy,random,random,random"),
        *("--games", "8", "--jobs", "1", "--json", "a.json"),
    )
    found = shell.json("a.json")
    assert found["line_ups"] == [["greedy", "random", "random", "random"]]
    assert found["bots"]["greedy"]["wins"] > 0.7
    shell.run("arena", "greedy", "random", "--seats", "3", "--games", "6", "--json", "b.json")
    assert len(shell.json("b.json")["line_ups"]) == 2


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["greedy"], "at least two"),
        (["greedy", "genius"], "no bot 'genius'"),
        (["greedy", "greedy"], "named twice"),
        (["greedy", "random", "--lineup", "greedy,nobody"], "nobody"),
        (["greedy", "random", "--seats", "3", "--lineup", "greedy,random"], "not both"),
        (["greedy", "random", "--set", "target=0"], "target is at least 1"),
    ],
)
def test_what_is_wrong_is_told(shell: Shell, words: list[str], says: str) -> None:
    process = shell.start("arena", *words)
    _out, err = process.communicate(timeout=280)
    assert process.returncode in {1, 2}
    assert says in err
    assert "Traceback" not in err


def test_ctrl_c_keeps_what_is_done_and_resume_goes_on(shell: Shell) -> None:
    words = ("arena", "greedy", "random", "--interpreted", "--jobs", "1", "--json", "a.json")
    process = shell.start(*words, "--games", "100000")
    deadline = time.monotonic() + 200
    while len(list(shell.folder.rglob("*.npz"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "--resume" in err
    assert "Traceback" not in err
    assert "greedy" in out
    kept = shell.json("a.json")["games"]
    assert kept >= 80
    shell.run(*words, "--games", str(kept), "--resume")
    resumed = shell.json("a.json")
    assert resumed["games"] == kept
    shell.run(*words, "--games", str(kept))
    assert shell.json("a.json") == resumed


def test_a_broken_program_never_stops_a_tournament(shell: Shell) -> None:
    out, _err = shell.run(
        *("arena", "greedy", EXAMPLE, "cmd:false", "--games", "2", "--jobs", "1"),
        *("--set", "target=20", "--json", "a.json", "--report", "a.html"),
    )
    found = shell.json("a.json")["bots"]
    assert found["cmd:false"]["faults"]["dead"] > 0
    assert not found[EXAMPLE]["faults"]
    assert not found["greedy"]["faults"]
    assert "cmd:false lost decisions: ended:" in out
    assert "not asked any more" in (shell.folder / "a.html").read_text()


def test_checking_a_program(shell: Shell) -> None:
    out, _err = shell.run("bot", "check", EXAMPLE)
    assert "speaks the protocol" in out
    assert len(out.splitlines()) == 4
    out, _err = shell.run("bot", "check", "cmd:false", status=1)
    assert "wrong at decision 1: the program has ended" in out
    out, _err = shell.run("bot", "check", "cmd:sleep 60", "--seconds", "0.2", status=1)
    assert "no answer" in out
    _out, err = shell.run("bot", "check", "greedy", status=1)
    assert "cmd:COMMAND" in err


def test_facts_of_the_game(shell: Shell) -> None:
    out, _err = shell.run(
        *("stats", "greedy", "random", "--games", "60", "--seats", "2", "--seats", "8"),
        *("--jobs", "1", "--json", "s.json", "--chart", "s.svg"),
    )
    found = shell.json("s.json")["seats"]
    assert list(found) == ["2", "8"]
    assert found["2"]["games"] == 60
    assert found["8"]["games"] == 64
    assert sum(found["8"]["seat_wins"]) == pytest.approx(1)
    assert found["2"]["turns"][0] > found["8"]["turns"][0] * 0.5
    assert found["2"]["reshuffled"] <= found["8"]["reshuffled"]
    assert "Points in a round" in out
    ET.parse(shell.folder / "s.svg")


def test_bench_prints_one_object(shell: Shell) -> None:
    code = (
        "from skyjo.cli import bench\n"
        "bench.LEAST_ROUNDS, bench.BATCHES = 1000, {2: 1000, 4: 1000, 8: 1000}\n"
        "bench.GREEDY_BATCH = bench.INTERPRETED_BATCH = bench.ENV_TABLES = bench.ENV_STEPS = 20\n"
        "bench.bench(['--seconds', '0', '--no-compile-time'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=280
    )
    found = json.loads(done.stdout)
    assert next(iter(found)) == "random_compiled"
    assert list(found["random_compiled"]) == ["2", "4", "8"]
    averages = {"2": (89.3, 77.6), "4": (154.0, 72.7), "8": (273.9, 67.4)}
    for seats, (decisions, mean) in averages.items():
        figures = found["random_compiled"][seats]
        assert figures["decisions_per_s"] > 0
        assert figures["rounds_per_s"] > 0
        assert figures["decisions_per_round"] == pytest.approx(decisions, rel=0.03)
        assert figures["mean_score"] == pytest.approx(mean, rel=0.03)
    assert found["greedy_compiled"]["2"] | {"decisions_per_s": 0, "rounds_per_s": 0} == found[
        "greedy_interpreted"
    ]["2"] | {"decisions_per_s": 0, "rounds_per_s": 0}
    assert found["environments"]["vector_steps_per_s"] > 0
    assert found["environments"]["pettingzoo_steps_per_s"] > 0
    assert found["jobs"] == 1
    assert found["versions"]["numba"]


@pytest.mark.parametrize(
    ("words", "package", "extra"),
    [
        (["arena", "greedy", "random", "--games", "2", "--interpreted"], "openskill", "arena"),
        (["arena", "greedy", "random"], "numpy", "arena"),
        (["stats", "greedy"], "numpy", "arena"),
        (["bench"], "numba", "sim"),
    ],
)
def test_a_missing_package_is_told(
    shell: Shell, words: list[str], package: str, extra: str
) -> None:
    (shell.folder / "gone" / package).mkdir(parents=True)
    (shell.folder / "gone" / package / "__init__.py").write_text(
        f"raise ModuleNotFoundError(name={package!r})"
    )
    shell.environment["PYTHONPATH"] = str(shell.folder / "gone")
    _out, err = shell.run(*words, status=1)
    assert err.strip().splitlines()[-1].endswith(f"pip install '.[{extra}]'")
    assert package in err
    assert "Traceback" not in err
