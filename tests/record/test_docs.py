"""The page on records tells the truth: its examples are read, its words are those of the format."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest
from tests.conftest import ROOT
from tests.record.told import fault, read_one

from skyjo.record import record_json, record_text
from skyjo.record.json_text import MAX_BYTES, MAX_VALUES
from skyjo.record.notation import MAX_ENTRIES, MAX_LINE, MAX_TAGS, ply_line
from skyjo.record.parsing import Spot, read_ply
from skyjo.rules.actions import VERBS

PAGE = (ROOT / "docs" / "record.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```skyjo\n(.*?)```", PAGE, re.DOTALL)


def test_the_examples_are_records() -> None:
    assert len(EXAMPLES) == 2
    for example in EXAMPLES:
        record = read_one(example)
        assert record_text(record.game, record.tags) == example
    assert read_one(EXAMPLES[0]).game.is_over
    assert EXAMPLES[1].endswith("draw: ?\n")


def test_the_json_example_is_the_running_game() -> None:
    (example,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    record, text = read_one(example), read_one(EXAMPLES[1])
    tags = {"Date": "2026-11-29"}
    assert record_json(record.game, record.tags) == record_json(text.game, tags)


def test_the_fault_on_the_page_is_the_fault() -> None:
    (message,) = re.findall(r"kitchen\.skyjo(:\d+:\d+: .*)", PAGE)
    line = int(message.split(":")[1])
    lines = EXAMPLES[0].splitlines()
    lines[line - 1] = re.sub(r": .*", ": 3", lines[line - 1])
    assert fault("\n".join(lines) + "\n") == f"a.skyjo{message}"


def test_the_python_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "kitchen.skyjo").write_text(EXAMPLES[0], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    test = doctest.DocTestParser().get_doctest(example, {}, "record.md", "record.md", 0)
    assert doctest.DocTestRunner().run(test) == (0, 2)


def test_every_word_of_the_format_is_on_the_page() -> None:
    words = set(re.findall(r"\w+", PAGE))
    assert words >= set(VERBS)
    assert words >= {"closes", "reveals", "gone", "ends", "score", "total", "winner", "deck"}
    for limit in (
        f"{MAX_LINE:,} bytes",
        f"{MAX_ENTRIES:,} deals",
        f"{MAX_TAGS} of them",
        f"{MAX_BYTES >> 20} MiB",
    ):
        assert limit in PAGE
    assert MAX_VALUES == 1_000_000
    (grammar,) = re.findall(r"```\n(file .*?)```", PAGE, re.DOTALL)
    assert set(VERBS) <= set(re.findall(r'"([a-z]+)"', grammar))


def test_every_kind_of_action_on_the_page_is_read_as_it_stands() -> None:
    table = PAGE.split("## Actions")[1].split("## Results")[0]
    lines = re.findall(r"`(1 [a-z]+.*?)`", table)
    assert {line.split()[1].rstrip(":") for line in lines} == set(VERBS)
    for line in lines:
        assert ply_line(read_ply(line, 2, Spot("", 1)).ply) == line
