"""What plays the positions: every expectation can fail, and a slip is told with its position."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from tests.kit import scenarios
from tests.kit.scenario_format import DECK_EXPECT, EXPECT
from tests.kit.scenarios import Scenario, ScenarioError

GRID = "5 ?3 8 ?0 / ?11 ?2 ?6 ?4 / ?1 ?9 ?7 ?12"
START = {"players": ["A", "B"], "grids": {"A": GRID, "B": GRID}, "discard": [6], "draw": [9]}
GOOD = {"id": "M", "rules": "official", "start": START, "moves": ["A draw"], "expect": {}}


def other(value: Any) -> Any:
    """Another answer of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, list):
        return value[:-1] if value else ["A"]
    if isinstance(value, dict):
        first = next(iter(value))
        return {**value, first: other(value[first])}
    if value is not None and "/" in value:
        *cells, last = value.split(" ")
        return " ".join([*cells, "3" if last == "x" else "x"])
    return {"A": "B", "ok": "rejected", "rejected": "ok"}.get(str(value), "A")


def test_every_expectation_of_every_position_can_fail() -> None:
    tried = set()
    for scenario in scenarios.own():
        for key, value in scenario["expect"].items():
            wrong = {**scenario, "expect": {**scenario["expect"], key: other(value)}}
            with pytest.raises(AssertionError):
                scenarios.run(wrong)
            tried.add(key)
    assert tried >= EXPECT | DECK_EXPECT


def test_a_grid_that_is_not_listed_must_not_have_changed() -> None:
    moves = ["A take", "A swap r0c0"]
    with pytest.raises(AssertionError):
        scenarios.run({**GOOD, "moves": moves, "expect": {"grids": {}}})


def code_but(code: str) -> str:
    """Another code than this one."""
    return "round_over" if code == "game_over" else "game_over"


def wrong_moves(scenario: Scenario) -> Iterator[list[str]]:
    """The moves with one that is legal called refused, or the other way round."""
    for number, move in enumerate(scenario["moves"]):
        text, refused, code = move.partition(" => ILLEGAL ")
        claim = text if refused else f"{text} => ILLEGAL {code_but('')}"
        yield [*scenario["moves"][:number], claim, *scenario["moves"][number + 1 :]]
        if refused:
            yield [*scenario["moves"][:number], f"{text} => ILLEGAL {code_but(code)}"]


def test_every_refusal_and_every_move_can_fail() -> None:
    for scenario in scenarios.own():
        if scenario["moves"] != "policy":
            for moves in wrong_moves(scenario):
                with pytest.raises(AssertionError):
                    scenarios.run({**scenario, "moves": moves})


def test_the_order_of_seats_in_a_set_does_not_matter() -> None:
    start = {**START, "players": ["A", "B", "C"], "grids": dict.fromkeys("ABC", GRID)}
    last_turns = {**start, "turn": "B", "finisher": "A", "pending": ["B", "C"]}
    for pending in (["B", "C"], ["C", "B"]):
        scenarios.run({**GOOD, "start": last_turns, "moves": [], "expect": {"pending": pending}})


SLIPS = {
    "rules": (["official"], "rules is neither"),
    "rules.base": ("offical", "no preset 'offical'"),
    "rules.no_knob": (1, "no_knob"),
    "rules.penalty_when": ("sometimes", "penalty_when"),
    "start": ([], "start is not an object"),
    "start.grid": ({}, r"start\.grid is not known"),
    "start.check": ("cards", r"start\.check is 'cards'"),
    "start.players": ("AB", r"start\.players"),
    "start.grids.B": (GRID[:-4], r"start\.grids\.B is not 3 rows of 4"),
    "start.grids.A": (GRID.replace("11", "13"), r"start\.grids\.A has '\?13'"),
    "start.grids.C": (GRID, r"start\.grids names 'C'"),
    "start.grids.": (7, r"start\.grids\. is not a text"),
    "start.grids": ({"A": GRID}, r"start\.grids has none for 'B'"),
    "start.discard": ([13], r"start\.discard"),
    "start.draw": (["1"], r"start\.draw"),
    "start.deck": ([1, 2, 3], "150 cards"),
    "start.deal": ("descending", r"start\.deal"),
    "start.turn": ("C", r"start\.turn is 'C'"),
    "start.phase": ("trun", r"start\.phase is 'trun'"),
    "start.pending": (["C"], r"start\.pending names 'C'"),
    "start.totals": ({"C": 1}, r"start\.totals names 'C'"),
    "moves": ("polcy", "moves is neither"),
    "expect.turns": ("A", r"expect\.turns is not known"),
    "expect.final": ({"C": 1}, r"expect\.final names 'C'"),
    "expect.grids": ({"A": "1 2 3"}, r"expect\.grids\.A is not 3 rows"),
}


@pytest.mark.parametrize("key", SLIPS)
def test_a_slip_is_told_with_its_position(key: str) -> None:
    value, told = SLIPS[key]
    broken: dict[str, Any] = deepcopy(GOOD)
    part: Any = broken
    *way, last = key.split(".")
    if key.startswith("rules."):
        broken["rules"] = {"base": "official"}
    for step in way:
        part = part[step]
    part[last] = value
    with pytest.raises(ScenarioError, match=rf"^M: .*{told}"):
        scenarios.run(broken, "M")


@pytest.mark.parametrize(
    ("move", "told"),
    [
        ("C draw", "seat's name"),
        ("draw", "seat's name"),
        ("A swop r0c0", "'swop r0c0' is not an action"),
        ("A swap", "'swap' needs"),
        ("A draw r0c0", "'draw' stands alone"),
        ("A remove 1", "'remove' needs a column"),
        ("A draw => ILLEGAL no_such_code", "no code 'no_such_code'"),
        ("A draw => ILLEGAL", "no code ''"),
    ],
)
def test_a_slip_in_a_move_is_told_with_its_place(move: str, told: str) -> None:
    with pytest.raises(ScenarioError, match=f"^M: move 2, .*{told}"):
        scenarios.run({**GOOD, "moves": ["A take", move]}, "M")


@pytest.mark.parametrize("key", ["rules", "start", "moves", "expect"])
def test_what_is_missing_is_told(key: str) -> None:
    with pytest.raises(ScenarioError, match=f"^M: has no {key}$"):
        scenarios.run({name: value for name, value in GOOD.items() if name != key}, "M")


@pytest.mark.parametrize("start", [{"check": "deck"}, {"check": "player_count"}])
def test_a_check_knows_only_its_own_answers(start: dict[str, str]) -> None:
    for expect in ({"sums": 760}, {"2": "yes"}):
        with pytest.raises(ScenarioError, match=r"^M: expect"):
            scenarios.run({**GOOD, "start": start, "moves": [], "expect": expect}, "M")


def test_a_reshuffle_that_is_none_of_the_cards_is_told() -> None:
    start = {**START, "draw": [], "discard": [4, 7, 2], "reshuffle_to": [4, 8]}
    with pytest.raises(ScenarioError, match=r"^M: these are not the cards"):
        scenarios.run({**GOOD, "start": start}, "M")


@pytest.mark.parametrize("text", [None, "", "[{]", "{}", "[]", '"x"'])
def test_a_file_that_holds_no_positions_is_named(tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "positions.json"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    with pytest.raises(ScenarioError, match=r"positions\.json"):
        scenarios.load(path)


def test_a_broken_position_leaves_the_others_of_its_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "positions.json"
    path.write_text(json.dumps([GOOD, 7, {**GOOD, "id": None}]), encoding="utf-8")
    found = scenarios.named(scenarios.load(path))
    assert [name for name, _ in found] == ["M", "position-2", "position-3"]
    scenarios.run(found[0][1], found[0][0])
    scenarios.run(found[2][1], found[2][0])
    with pytest.raises(ScenarioError, match=r"^position-2: is int"):
        scenarios.run(found[1][1], found[1][0])
