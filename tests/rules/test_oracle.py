"""The rules against the oracle, after every ply of random games (`tests/oracle_run.py` plays more).

Compared are all cards, the course of the round, points, what is refused with which code, what every
seat and an onlooker may know, and the score sheet.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import oracle
from tests.kit import oracle_scenarios, scenarios
from tests.kit.games import Setup, plies, random_setup, setups
from tests.kit.lockstep import Disagreement
from tests.kit.pilots import PILOTS


@pytest.mark.parametrize("scenario", scenarios.own(), ids=lambda s: str(s["id"]))
def test_the_oracle_plays_every_scenario(scenario: scenarios.Scenario) -> None:
    oracle_scenarios.run(scenario)


@pytest.mark.parametrize("preset", oracle.PRESETS)
def test_a_share_of_the_games_of_every_preset(preset: str) -> None:
    for number in range(6):
        for _ in plies(random_setup(number, preset), rounds=100):
            pass


@pytest.mark.parametrize("pilot", PILOTS)
@pytest.mark.parametrize("seats", range(2, 9))
def test_every_pilot_at_every_number_of_seats(pilot: str, seats: int) -> None:
    for seed in range(2):
        chosen = random_setup(100 * seats + seed).chosen
        for _ in plies(Setup(chosen, seats, pilot, seed), rounds=2):
            pass


@pytest.mark.parametrize("pilot", PILOTS)
@given(data=st.data())
@settings(max_examples=8)
def test_random_games_under_random_rulesets(pilot: str, data: st.DataObject) -> None:
    for _ in plies(data.draw(setups(pilot)), rounds=2):
        pass


def test_a_disagreement_is_noticed() -> None:
    played = plies(random_setup(1, "official"))
    pair = next(played)
    for _ in range(30):
        next(played)
    pair.state.totals[0] += 1
    with pytest.raises(Disagreement, match="totals"):
        next(played)
