"""Closed and full streams, files that cannot be written, wrong usage: one sentence each."""

from __future__ import annotations

import os
import shlex
import stat
import subprocess
import threading
from pathlib import Path

import pytest
from tests.kit.terminal import PATIENCE, SKYJO, environment, run

FULL = Path("/dev/full")


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "a.skyjo"
    run(tmp_path, "play", "--players", "Ana,Ben", "--seed", "1", "--record", str(path))
    return path


def shell(home: Path, arguments: str) -> subprocess.CompletedProcess[str]:
    """Run ``skyjo`` as a shell does, with its redirections."""
    return subprocess.run(
        ["/bin/sh", "-c", f"exec {shlex.quote(str(SKYJO))} {arguments}"],
        env=environment(home),
        cwd=home,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )


@pytest.mark.parametrize(
    "command",
    [
        "rules",
        "play --players Ana,Ben",
        "show a.skyjo",
        "check a.skyjo",
        "convert a.skyjo --to json",
    ],
)
@pytest.mark.parametrize(("where", "why"), [(">&-", "closed"), (">/dev/full", "no space left")])
def test_output_that_takes_nothing(
    tmp_path: Path, record: Path, command: str, where: str, why: str
) -> None:
    if "full" in where and not FULL.exists():
        pytest.skip("there is no full device")
    done = shell(tmp_path, f"{command} {where} </dev/null")
    told = [line for line in done.stderr.splitlines() if line and "To go on" not in line]
    assert done.returncode == 1
    assert len(told) == 1
    assert told[0].startswith("The output cannot be written: ")
    assert why in told[0]


@pytest.mark.parametrize(
    ("command", "said"),
    [("play", "The input has ended."), ("play --players Ana,Ben", "The game is kept.")],
)
def test_input_that_is_closed(tmp_path: Path, command: str, said: str) -> None:
    done = shell(tmp_path, f"{command} <&-")
    assert done.returncode == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_messages_that_nobody_hears(tmp_path: Path) -> None:
    done = shell(tmp_path, "rules nonsense 2>&-")
    assert (done.returncode, done.stdout) == (2, "")


def test_convert_keeps_mode_and_follows_links(tmp_path: Path, record: Path) -> None:
    target, link = tmp_path / "target.json", tmp_path / "link.json"
    target.write_text("old")
    target.chmod(0o600)
    link.symlink_to(target.name)
    run(tmp_path, "convert", str(record), "--to", "json", "-o", str(link))
    assert link.is_symlink()
    assert target.read_text().startswith('{"skyjo"')
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.skyjo", link.name, target.name]


def test_convert_leaves_a_pipe_a_pipe(tmp_path: Path, record: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    heard: list[str] = []
    reader = threading.Thread(target=lambda: heard.append(pipe.read_text()), daemon=True)
    reader.start()
    done = run(tmp_path, "convert", str(record), "--to", "json", "-o", str(pipe))
    reader.join(PATIENCE)
    assert done.returncode == 0
    assert heard[0].startswith('{"skyjo"')
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize(
    "arguments",
    [
        ["convert", "a.skyjo", "--to", "json", "-o", "no/b.json"],
        ["play", "--players", "Ana,Ben", "--record", "no/b.skyjo"],
        ["arena", "greedy", "random", "--json", "no/b.json"],
        ["arena", "greedy", "random", "--report", "no/b.html"],
        ["stats", "greedy", "--json", "no/b.json"],
        ["stats", "greedy", "--chart", "no/b.svg"],
    ],
)
def test_a_folder_that_is_missing_is_told_at_once(
    tmp_path: Path, record: Path, arguments: list[str]
) -> None:
    folder = tmp_path / "no"
    placed = [str(tmp_path / each) if "." in each else each for each in arguments]
    done = run(tmp_path, *placed)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"{folder}: there is no such file or folder\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["play", "--players", "Ana"],
        ["play", "--players", "Ana,bot:genius"],
        ["play", "--players", "Ana,Ben", "--seed", " "],
        ["arena", "greedy"],
        ["arena", "greedy", "genius"],
        ["stats", "genius"],
    ],
)
def test_wrong_usage_has_a_status_of_its_own(tmp_path: Path, arguments: list[str]) -> None:
    done = run(tmp_path, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("value", ["9" * 13, "9" * 20, "+" + "9" * 100])
def test_a_number_that_is_too_large_is_a_number(tmp_path: Path, value: str) -> None:
    done = run(tmp_path, "rules", "--set", f"target={value}")
    assert done.returncode == 2
    assert "target is at most 1000000" in done.stderr
