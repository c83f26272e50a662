"""The committed counts against the oracle and against the rules."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.perft import count

FILES = sorted(count.FOLDER.glob("*.txt"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_rules_count_what_is_committed(path: Path) -> None:
    position = count.read(path)
    assert tuple(count.by_rules(position)) == position.counts


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_oracle_counts_what_is_committed(path: Path) -> None:
    position = count.read(path)
    assert position.comments
    assert tuple(count.by_oracle(position)) == position.counts
