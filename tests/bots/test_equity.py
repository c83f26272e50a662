"""The probability to win the game, and the master who plays for it."""

from __future__ import annotations

import subprocess
import sys
from importlib import resources
from typing import Any

import numpy as np
import pytest
from tests.conftest import ROOT
from tests.kit.positions import position, seen

from skyjo import bots
from skyjo.bots import master
from skyjo.bots.equity import win_probability
from skyjo.bots.value.layout import HEADS, NOTES, OTHERS_POINTS, OWN_POINTS, UTILITY_AT
from skyjo.errors import MalformedError
from skyjo.rules.ruleset import PRESETS, Ruleset

# --- equity ---------------------------------------------------------------------------------------

TOTALS = [[0, 0], [99, 98], [-10, 60, 30], [12, 12, 50, 90], [5, 10, 15, 20, 25, 30, 35, 40]]


@pytest.mark.parametrize("totals", TOTALS, ids=str)
@pytest.mark.parametrize("preset", ["official", "plain"])
def test_somebody_wins(totals: list[int], preset: str) -> None:
    ruleset = Ruleset.preset(preset)
    found = [win_probability(totals, seat, ruleset) for seat in range(len(totals))]
    assert sum(found) == pytest.approx(1)
    assert sorted(found, reverse=True) == [found[i] for i in np.argsort(totals, kind="stable")]


def test_the_same_lead_is_worth_more_later() -> None:
    found = [win_probability([low, low + 10], 0) for low in (0, 40, 80)]
    assert 0.5 < found[0] < found[1] < found[2] < 1


def test_only_the_distance_from_the_target_counts() -> None:
    longer = Ruleset(target=150)
    assert win_probability([20, 50], 0) == win_probability([70, 100], 0, longer)


@pytest.mark.parametrize(
    ("totals", "rules", "rounds", "share"),
    [
        ([100, 99], "official", 9, 0.0),
        ([99, 100], "official", 9, 1.0),
        ([50, 130, 50], "official", 9, 0.5),
        ([50, 60], "official max_rounds=3", 3, 1.0),
        ([50, 60], "official target=60", 3, 1.0),
    ],
)
def test_a_game_that_is_over_is_won_or_lost(
    totals: list[int], rules: str, rounds: int, share: float
) -> None:
    assert win_probability(totals, 0, Ruleset.parse(rules), rounds) == share


def test_before_the_last_round_a_lead_is_worth_more() -> None:
    rules = Ruleset.parse("official max_rounds=5")
    assert win_probability([10, 20], 0, rules, 4) > win_probability([10, 20], 0, rules, 1)


def test_totals_of_one_are_refused() -> None:
    with pytest.raises(MalformedError, match="2 to 8 players are needed, not 1"):
        win_probability([5], 0)


def test_the_table_is_small() -> None:
    text = resources.files("skyjo.bots").joinpath("equity.json").read_bytes()
    assert len(text) < 10_000


# --- master ---------------------------------------------------------------------------------------


def weights(totals: tuple[int, ...], **more: Any) -> list[float]:
    """What the heads of the network are worth with these totals."""
    state = position("4 4 3 3 / 2 2 1 1 / 2 ?2 ?1 ?5", **more)
    state.totals[: len(totals)] = totals
    notes = np.zeros(NOTES, np.float32)
    master.game_utility(seen(state), notes)
    found: list[float] = notes[UTILITY_AT : UTILITY_AT + HEADS].tolist()
    return found


def test_in_the_middle_of_a_game_points_are_what_counts() -> None:
    found = weights((0, 0))
    assert found[OWN_POINTS] == pytest.approx(-1, abs=0.2)
    assert found[OTHERS_POINTS] == pytest.approx(1, abs=0.2)


def test_when_the_round_may_end_the_game_both_points_count_differently() -> None:
    found = weights((70, 80))
    assert abs(found[OWN_POINTS] + found[OTHERS_POINTS]) > 0.1


def test_when_the_game_is_decided_it_plays_for_points() -> None:
    for totals in ((99, 20), (20, 99)):
        found = weights(totals)
        assert (found[OWN_POINTS], found[OTHERS_POINTS]) == (-1, 1)


@pytest.mark.parametrize("preset", PRESETS)
def test_master_plays_every_preset(preset: str) -> None:
    view = seen(position("4 4 3 3 / 2 2 1 1 / 2 ?2 ?1 ?5", preset))
    for name in ("master", "master:points"):
        assert bots.make(name).decide(view, 1, 1) >= 0


def test_what_comes_after_master_is_points() -> None:
    with pytest.raises(MalformedError, match="after 'master:' comes 'points', not 'x'"):
        bots.make("master:x")
    assert bots.label("master:points") == "Master"


WITHOUT = """
import sys
from skyjo import bots
assert "numpy" not in sys.modules
sys.modules["numpy"] = None
bots.make("expert")
bots.make("master")
"""


def test_only_master_needs_numpy_and_says_so() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert "the bot 'master' needs the package numpy; in a checkout" in done.stderr
