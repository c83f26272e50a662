"""The committed games are what the rules play today; `scripts/playthroughs` writes them anew."""

from __future__ import annotations

import pytest
from tests.playthroughs import write

from skyjo.rules.ruleset import PRESETS


def test_there_is_one_playthrough_per_preset() -> None:
    assert list(write.GAMES) == list(PRESETS)
    assert {path.stem for path in write.FOLDER.glob("*.txt")} == set(PRESETS)


@pytest.mark.parametrize("preset", write.GAMES)
def test_the_game_of_a_preset_is_unchanged(preset: str) -> None:
    committed = (write.FOLDER / f"{preset}.txt").read_text(encoding="utf-8")
    assert write.playthrough(preset).splitlines() == committed.splitlines()
