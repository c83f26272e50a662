"""The examples of the pages about bulk play and bots run as they stand (with fewer rounds)."""

from __future__ import annotations

import re
from typing import Any

import pytest
from tests.conftest import ROOT

from skyjo.sim import play

EXAMPLES = [
    (page, code)
    for page in ("simulation", "bots")
    for code in re.findall(
        r"(?ms)^```python\n(.*?)^```$", (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    )
]


@pytest.mark.parametrize(("page", "code"), EXAMPLES)
def test_examples_run(page: str, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play.importlib.util, "find_spec", lambda _name: None)  # type: ignore[attr-defined]
    names: dict[str, Any] = {}
    exec(compile(re.sub(r"([0-9])_000(_000)?", r"\1", code), page, "exec"), names)


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 3
