"""The example trains an agent, in a short form, and the page's Python runs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "research.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"(?ms)^```python\n(.*?)^```$", PAGE)


def test_an_agent_is_trained_and_meets_bots(tmp_path: Path) -> None:
    picture = tmp_path / "curve.png"
    short = ["--minutes", "0.02", "--tables", "16", "--games", "2", "--picture", str(picture)]
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "train_agent.py"), *short],
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
        env={**os.environ, "PYTHONWARNINGS": "error"},
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"[0-9]+ rounds, from [-+][0-9.]+ to [-+][0-9.]+ points", done.stdout)
    assert "of 2 games won against random" in done.stdout
    assert "pupil: " in done.stdout
    with Image.open(picture) as image:
        assert image.size == (840, 480)


@pytest.mark.parametrize("code", BLOCKS)
def test_the_python_on_the_page_runs(code: str) -> None:
    code = code.replace('["greedy", "prudent"]', '["greedy", "greedy"]').replace("1_000", "10")
    code = code.replace("2_000", "10").replace(', "master:points"', "").replace(', "master"]', "]")
    names: dict[str, Any] = {}
    exec(compile(code, "docs/research.md", "exec"), names)


def test_there_is_python_on_the_page() -> None:
    assert len(BLOCKS) >= 4
