"""The examples run as they are, against a real server."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conftest import ROOT
from tests.web.conftest import quick_app
from tests.web.harness import in_thread

from skyjo.client import Client

EXAMPLES = ROOT / "examples"
PAGE = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with in_thread(quick_app(tmp_path_factory.mktemp("examples"))) as address:
        yield address


def run(name: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(EXAMPLES / name), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONWARNINGS": "error"},
    )


def ended(process: subprocess.Popen[str]) -> str:
    output, _nothing = process.communicate(timeout=240)
    assert process.returncode == 0, output
    return output


@pytest.mark.parametrize("arguments", [("ten_lines.py",), ("house_bot.py", "--bot", "greedy")])
def test_a_bot_joins_a_table(url: str, arguments: tuple[str, ...]) -> None:
    name, *more = arguments
    with Client(url) as client:
        host = client.create("Ana", ruleset="official max_rounds=1", pace="none")
        robo = run(name, url, host.table, *more)
        for table in host.watch():
            if len(table.seats) == 2:
                break
        host.start()
        end = host.play(lambda table: table.legal[0])
        assert end.phase == "over"
        assert end.seats[1].name == "Robo"
        assert not end.seats[1].stand_in
        ended(robo)


def test_four_programs_on_one_loop(url: str) -> None:
    assert "'Dan'" in ended(run("async_bots.py", url))


def test_a_bot_in_ten_lines_has_ten_lines() -> None:
    text = (EXAMPLES / "ten_lines.py").read_text(encoding="utf-8")
    code = [line for line in text.splitlines()[1:] if line and not line.startswith("#")]
    assert len(code) <= 10


def test_every_example_with_a_server_is_tried_here() -> None:
    tried = set(re.findall(r"\w+\.py", Path(__file__).read_text(encoding="utf-8")))
    for path in EXAMPLES.glob("*.py"):
        if "skyjo.client" in path.read_text(encoding="utf-8"):
            assert path.name in tried


def test_the_python_on_the_page_runs(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) >= 3
    with Client(url) as client:
        host = client.create("Ana", ruleset="official max_rounds=1", pace="none", bots=["greedy"])
        for block in blocks:
            code = block.replace("http://192.168.1.5:8000", url).replace("ABCD1234", host.table)
            assert "192.168" not in code
            exec(compile(code, "docs/api.md", "exec"), {})
