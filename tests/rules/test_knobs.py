"""One test per value of every knob of rules 1, named after it (`test_<knob>_<value>`).

Every position is answered by the project and by the oracle.
"""

from __future__ import annotations

from typing import Any

import pytest
from tests import oracle
from tests.kit.answers import HIDDEN_A, HIDDEN_B, A, B, C, check, last_turn

from skyjo.errors import RulesetError
from skyjo.rules.layout import HIGHEST, LOWEST, SLOTS, State
from skyjo.rules.ruleset import (
    FARTHEST_TOTAL,
    KNOBS,
    LARGEST,
    LARGEST_OF_TOTAL,
    PRESETS,
    Ruleset,
)
from skyjo.rules.scoring import add_points

#: One 9 short of a column; the take completes it.
NINES = "?5 9 0 4 / 12 9 ?3 ?6 / ?1 -1 ?8 2"
COMPLETE = ["A take", "A swap r2c1"]
#: One 5 short of a row; drawing it completes the row.
FIVES = "5 5 5 ?8 / ?2 ?1 ?6 ?0 / ?11 ?9 ?7 ?12"
#: The finisher's grid, and one in which the last turn lets a column and a row match.
CLOSED = "3 1 0 2 / 0 2 1 -1 / 1 0 3 0"
LATE_COLUMN = "9 1 2 ?1 / 9 3 0 1 / ?9 2 1 0"
LATE_ROW = "4 ?4 4 4 / 7 3 0 1 / 9 2 1 ?0"


def official(**knobs: Any) -> dict[str, Any]:
    return {"base": "official", **knobs}


def test_every_value_has_a_test() -> None:
    wanted = set()
    for knob in KNOBS:
        names = [value.name for value in knob.values] or ["number", *["none"] * knob.none]
        wanted |= {f"test_{knob.name}_{name}" for name in names}
    assert wanted <= {name for name in globals() if name.startswith("test_")}


def test_every_knob_and_default_is_the_specified_one() -> None:
    specified = {**oracle.CHOICES, **oracle.NUMBERS}
    assert sorted(specified) == sorted(knob.name for knob in KNOBS)
    for knob in KNOBS:
        if knob.values:
            names = {str(value).lower() for value in oracle.CHOICES[knob.name]}
            assert {value.name for value in knob.values} == names, knob.name
        else:
            assert (knob.least, knob.none) == (
                oracle.NUMBERS[knob.name][0],
                oracle.NUMBERS[knob.name][1] is None,
            )


@pytest.mark.parametrize("name", oracle.PRESETS)
def test_every_preset_has_the_specified_values(name: str) -> None:
    assert list(PRESETS) == list(oracle.PRESETS)
    wanted = {
        knob: "none" if value is None else str(value).lower()
        for knob, value in oracle.make_rules(name).items()
    }
    assert {knob: Ruleset.preset(name).value(knob) for knob in wanted} == wanted


@pytest.mark.parametrize(
    "text",
    [
        "no-such-preset",
        "official no_such_knob=1",
        "official penalty_when=sometimes",
        "official column_removal=",
        "official columns_at_final_reveal=2",
        "official penalty_multiplier=0",
        "official penalty_multiplier=1.5",
        "official penalty_multiplier=none",
        "official penalty_flat=-1",
        "official target=0",
        "official target=-100",
        "official target=none",
        "official max_rounds=0",
        "official turn_limit=0",
        "official turn_limit=-1",
        "official column_removal=player_choice row_removal=on",
        "official penalty_scope=total penalty_multiplier=11",
        "family penalty_scope=total penalty_multiplier=1000000",
        "official rows=3",
        "official target=50 target=60",
        "official target",
    ],
)
def test_refused_rulesets(text: str) -> None:
    with pytest.raises(RulesetError):
        Ruleset.parse(text)


@pytest.mark.parametrize("knob", ["max_rounds", "turn_limit", "target", "penalty_multiplier"])
def test_zero_is_refused_also_as_a_number(knob: str) -> None:
    with pytest.raises(RulesetError):
        Ruleset.preset("official", {knob: 0})


def test_fields_and_numbers_out_of_range_are_refused() -> None:
    for knobs in ({"penalty_when": 9}, {"target": 0}, {"penalty_flat": -1}, {"max_rounds": -1}):
        with pytest.raises(RulesetError):
            Ruleset(**knobs)
    with pytest.raises(RulesetError):
        Ruleset.preset("official", {"target": 10**9})


# --- columns and rows -----------------------------------------------------------------------


def test_column_removal_mandatory() -> None:
    gone = {"A": "?5 x 0 4 / 12 x ?3 ?6 / ?1 x ?8 2"}
    expect = {"removed": ["A c1"], "discard": [7, -1, 9, 9, 9], "grids": gone, "turn": "B"}
    check("official", {"A": NINES, "B": B}, COMPLETE, expect, discard=[7, 9])


def test_column_removal_off() -> None:
    expect = {"removed": [], "discard": [7, -1], "turn": "B"}
    rules = official(column_removal="off")
    stays = {"A": NINES.replace("-1", "9")}
    check(rules, {"A": NINES, "B": B}, COMPLETE, expect | {"grids": stays}, discard=[7, 9])


def test_column_removal_player_choice() -> None:
    rules = official(column_removal="player_choice")
    moves = [
        *COMPLETE,
        "B draw => ILLEGAL not_your_turn",
        "A draw => ILLEGAL already_holding",
        "A take => ILLEGAL already_holding",
        "A swap r0c0 => ILLEGAL not_holding",
        "A discard => ILLEGAL not_holding",
        "A flip r0c0 => ILLEGAL not_allowed_now",
        "A remove c4 => ILLEGAL bad_position",
        "A remove c0 => ILLEGAL no_triplet",
        "A remove c1",
    ]
    expect = {"removed": ["A c1"], "discard": [7, -1, 9, 9, 9], "turn": "B"}
    check(rules, {"A": NINES, "B": B}, moves, expect, discard=[7, 9])


def test_column_removal_player_choice_is_offered_again_after_every_own_turn() -> None:
    rules = official(column_removal="player_choice")
    moves = [*COMPLETE, "A pass", "B take", "B swap r0c0", "A draw", "A discard", "A flip r0c0"]
    kept = {"A": "5 9 0 4 / 12 9 ?3 ?6 / ?1 9 ?8 2", "B": "-1 ?4 ?7 ?2 / ?6 3 ?0 ?5 / ?8 ?1 ?9 ?3"}
    at_the_choice = {"turn": "A", "discard": [7, 1, 12], "grids": kept}
    start = {"discard": [7, 9], "draw": [12, 1]}
    check(rules, {"A": NINES, "B": B}, moves, at_the_choice, **start)
    check(rules, {"A": NINES, "B": B}, [*moves, "A pass"], at_the_choice | {"turn": "B"}, **start)
    gone = {"turn": "B", "discard": [7, 1, 12, 9, 9, 9], "removed": ["A c1"]}
    check(rules, {"A": NINES, "B": B}, [*moves, "A remove c1"], gone, **start)


def test_column_removal_player_choice_is_offered_again_after_a_turn_without_flip() -> None:
    rules = official(column_removal="player_choice", flip_after_discard="optional")
    moves = [*COMPLETE, "A pass", "B take", "B swap r0c0", "A draw", "A discard", "A pass"]
    start = {"discard": [7, 9], "draw": [12, 1]}
    check(rules, {"A": NINES, "B": B}, moves, {"turn": "A", "discard": [7, 1, 12]}, **start)
    check(rules, {"A": NINES, "B": B}, [*moves, "A pass"], {"turn": "B"}, **start)
    gone = {"turn": "B", "discard": [7, 1, 12, 9, 9, 9], "removed": ["A c1"]}
    check(rules, {"A": NINES, "B": B}, [*moves, "A remove c1"], gone, **start)


def test_column_removal_player_choice_may_take_two_columns_one_by_one() -> None:
    rules = official(column_removal="player_choice")
    two = "9 9 0 ?4 / 9 9 ?3 ?6 / 9 -1 ?8 2"
    moves = [*COMPLETE, "A remove c1", "A remove c1 => ILLEGAL no_triplet"]
    expect = {"turn": "A", "removed": ["A c1"]}
    check(rules, {"A": two, "B": B}, moves, expect, discard=[7, 9])
    expect = {"turn": "B", "removed": ["A c1", "A c0"]}
    check(rules, {"A": two, "B": B}, [*moves, "A remove c0"], expect, discard=[7, 9])
    expect = {"turn": "B", "removed": ["A c1"]}
    check(rules, {"A": two, "B": B}, [*moves, "A pass"], expect, discard=[7, 9])


def test_column_removal_player_choice_at_the_final_reveal_positive_columns_go() -> None:
    rules = official(column_removal="player_choice")
    closed = "-1 5 0 2 / -1 5 0 -1 / -1 5 0 1"
    hidden = "9 1 -2 ?1 / 9 3 -2 1 / ?9 2 ?-2 5"
    expect = {
        "removed": ["A c1", "B c0"],
        "grids": {
            "A": "-1 x 0 2 / -1 x 0 -1 / -1 x 0 1",
            "B": "x 1 -2 1 / x 3 -2 1 / x 2 -2 5",
        },
        "raw": {"A": -1, "B": 7},
        "discard": [6, 12, 5, 5, 5, 9, 9, 9],
    }
    start = {"turn": "B", "finisher": "A", "pending": ["B"], "draw": [12]}
    moves = ["B draw", "B discard", "B flip r0c3"]
    check(rules, {"A": closed, "B": hidden}, moves, expect, **start)
    points = {"A": 14, "B": 34}
    stays = {"removed": [], "raw": points, "final": points}
    rules["columns_at_final_reveal"] = False
    check(rules, {"A": closed, "B": hidden}, moves, stays, **start)


def test_column_removal_player_choice_comes_before_the_end_of_the_round() -> None:
    rules = official(column_removal="player_choice", final_turns="none")
    nearly = "3 1 4 8 / 5 2 6 8 / 9 0 7 ?2"
    moves = ["A draw", "A swap r2c3"]
    start = {"draw": [8, 10]}
    expect: dict[str, Any] = {"phase": "turn", "turn": "A", "finisher": None}
    check(rules, {"A": nearly, "B": B}, moves, expect, **start)
    expect = {"phase": "round_over", "turn": None, "finisher": "A", "raw": {"A": 37, "B": 49}}
    check(rules, {"A": nearly, "B": B}, [*moves, "A remove c3"], expect, **start)
    # Kept, the column goes by itself at the final reveal.
    check(rules, {"A": nearly, "B": B}, [*moves, "A pass"], expect, **start)


LATE = {"turn": "B", "finisher": "A", "pending": ["B"], "draw": [11]}
LATE_MOVES = ["B draw", "B discard", "B flip r0c3"]


def test_columns_at_final_reveal_true() -> None:
    expect = {"removed": ["B c0"], "raw": {"A": 12, "B": 11}, "final": {"A": 24, "B": 11}}
    check("official", {"A": CLOSED, "B": LATE_COLUMN}, LATE_MOVES, expect, **LATE)


def test_columns_at_final_reveal_false() -> None:
    expect = {"removed": [], "raw": {"A": 12, "B": 38}, "final": {"A": 12, "B": 38}}
    rules = official(columns_at_final_reveal=False)
    check(rules, {"A": CLOSED, "B": LATE_COLUMN}, LATE_MOVES, expect, **LATE)


def test_columns_at_final_reveal_does_nothing_when_columns_are_off() -> None:
    expect = {"removed": [], "raw": {"A": 12, "B": 38}}
    rules = official(column_removal="off", columns_at_final_reveal=True)
    check(rules, {"A": CLOSED, "B": LATE_COLUMN}, LATE_MOVES, expect, **LATE)


def test_row_removal_off() -> None:
    expect = {"removed": [], "discard": [6, 8], "turn": "B"}
    moves = ["A draw", "A swap r0c3"]
    check("official", {"A": FIVES, "B": B}, moves, expect, draw=[5, 10])


def test_row_removal_on() -> None:
    gone = {"A": "x x x x / ?2 ?1 ?6 ?0 / ?11 ?9 ?7 ?12"}
    expect = {"removed": ["A r0"], "discard": [6, 8, 5, 5, 5, 5], "grids": gone, "turn": "B"}
    moves = ["A draw", "A swap r0c3"]
    check(official(row_removal="on"), {"A": FIVES, "B": B}, moves, expect, draw=[5, 10])


def test_row_removal_on_and_a_column_share_a_card() -> None:
    both = "5 5 5 ?8 / ?2 ?1 ?6 5 / ?11 ?9 ?7 5"
    gone = {"A": "x x x x / ?2 ?1 ?6 x / ?11 ?9 ?7 x"}
    expect = {"removed": ["A c3", "A r0"], "discard": [6, 8, 5, 5, 5, 5, 5, 5], "grids": gone}
    moves = ["A draw", "A swap r0c3"]
    check(official(row_removal="on"), {"A": both, "B": B}, moves, expect, draw=[5, 10])


def test_row_removal_on_needs_all_four_original_cards() -> None:
    short = "5 5 x ?8 / ?2 ?1 x ?0 / ?11 ?9 x ?12"
    expect = {"removed": [], "discard": [6, 8], "turn": "B"}
    moves = ["A draw", "A swap r0c3"]
    check(official(row_removal="on"), {"A": short, "B": B}, moves, expect, draw=[5, 10])


def test_row_removal_on_a_column_needs_all_three_original_cards() -> None:
    short = "x x x x / 5 ?1 ?6 ?0 / ?11 ?9 ?7 ?12"
    expect = {"removed": [], "turn": "B"}
    moves = ["A draw", "A swap r2c0"]
    check(official(row_removal="on"), {"A": short, "B": B}, moves, expect, draw=[5, 10])


@pytest.mark.parametrize("columns", ["mandatory", "off"])
def test_row_removal_on_at_the_final_reveal(columns: str) -> None:
    rules = official(row_removal="on", column_removal=columns)
    moves = ["B draw", "B discard", "B flip r2c3"]
    expect: dict[str, Any] = {"removed": ["B r0"], "raw": {"A": 12, "B": 23}}
    check(rules, {"A": CLOSED, "B": LATE_ROW}, moves, expect, **LATE)
    rules["columns_at_final_reveal"] = False
    expect = {"removed": [], "raw": {"A": 12, "B": 39}}
    check(rules, {"A": CLOSED, "B": LATE_ROW}, moves, expect, **LATE)


# --- opening and next starter ---------------------------------------------------------------


def round_two(rules: Any, turn: str, **start: Any) -> None:
    """A turns 17, B 5; B is to begin by the rule for later rounds."""
    moves = ["A reveal r0c0", "A reveal r0c1", "B reveal r0c0", "B reveal r0c1"]
    full = {"phase": "reveal", "turn": None, "round": 2, "fixed_starter": "B"} | start
    grids = {"A": HIDDEN_A, "B": HIDDEN_B}
    check(rules, grids, moves, {"turn": turn, "first_player": turn}, **full)


def test_next_starter_finisher() -> None:
    last_turn("official", {"A": 12, "B": 5, "C": 9}, {"next_starter": "A"})
    last_turn("official", {"A": 12, "B": 5, "C": 9}, {"next_starter": "C"}, finisher="C")
    round_two("official", "B")


def test_next_starter_round_winner() -> None:
    rules = official(next_starter="round_winner")
    last_turn(rules, {"A": 12, "B": 5, "C": 9}, {"next_starter": "B"})
    last_turn(rules, {"A": 12, "B": 9, "C": 9}, {"next_starter": "B"})
    # The first one clockwise from the finisher, not the lowest seat.
    last_turn(rules, {"A": 9, "B": 12, "C": 9}, {"next_starter": "C"}, finisher="B")
    # After the penalty: A is doubled from 5 to 10, so that only B has 5.
    last_turn(rules, {"A": 5, "B": 5}, {"next_starter": "B", "final": {"A": 10, "B": 5}})
    # Tied with the finisher, who is not punished: the finisher.
    lenient = official(next_starter="round_winner", penalty_when="not_lowest")
    last_turn(lenient, {"A": 5, "B": 5}, {"next_starter": "A"})
    last_turn(lenient, {"A": 5, "B": 5}, {"next_starter": "B"}, finisher="B")
    round_two(rules, "B")


def test_next_starter_highest_sum() -> None:
    rules = official(next_starter="highest_sum")
    last_turn(rules, {"A": 12, "B": 5}, {"next_starter": "by_reveal"})
    round_two(rules, "A")


def tie(rules: Any, turn: str) -> None:
    """A turns 5 and 5, B 12 and -2."""
    moves = ["A reveal r0c0", "A reveal r1c1", "B reveal r0c0", "B reveal r1c1"]
    grids = {
        "A": "?5 ?1 ?3 ?1 / ?0 ?5 ?0 ?4 / ?6 ?2 ?9 ?8",
        "B": "?12 ?1 ?6 ?0 / ?3 ?-2 ?8 ?5 / ?11 ?7 ?10 ?-1",
    }
    check(rules, grids, moves, {"turn": turn}, phase="reveal", turn=None)


def test_starter_tiebreak_highest_card_then_seat() -> None:
    tie("official", "B")
    moves = ["B reveal r0c0", "B reveal r0c1", "A reveal r0c0", "A reveal r0c1"]
    grids = {"A": HIDDEN_A, "B": HIDDEN_A}
    check("official", grids, moves, {"turn": "A"}, phase="reveal", turn=None)


def test_starter_tiebreak_seat() -> None:
    tie(official(starter_tiebreak="seat"), "A")


OPENING: dict[str, Any] = {"phase": "reveal", "turn": None}


def test_reveal_order_free() -> None:
    moves = ["B reveal r0c0", "A reveal r0c1", "B reveal r2c2", "A reveal r0c0"]
    expect = {"phase": "turn", "turn": "A"}
    check("official", {"A": HIDDEN_A, "B": HIDDEN_B}, moves, expect, **OPENING)


def test_reveal_order_seat_order() -> None:
    moves = [
        "B reveal r0c0 => ILLEGAL not_your_turn",
        "A reveal r0c1",
        "B reveal r0c0 => ILLEGAL not_your_turn",
        "A reveal r0c0",
        "A reveal r0c0 => ILLEGAL too_many_reveals",
        "B reveal r2c2",
        "B reveal r0c0",
    ]
    expect = {"phase": "turn", "turn": "A"}
    rules = official(reveal_order="seat_order")
    check(rules, {"A": HIDDEN_A, "B": HIDDEN_B}, moves, expect, **OPENING)


def test_reveal_order_seat_order_skips_who_has_left() -> None:
    moves = [
        "B leave",
        "A reveal r0c1",
        "C reveal r0c1 => ILLEGAL not_your_turn",
        "A reveal r0c0",
        "B reveal r0c1 => ILLEGAL not_in_game",
        "C reveal r0c0",
        "C reveal r0c1",
    ]
    rules = official(reveal_order="seat_order")
    grids = {"A": HIDDEN_A, "B": HIDDEN_B, "C": HIDDEN_B}
    check(rules, grids, moves, {"phase": "turn", "turn": "A", "left": ["B"]}, **OPENING)
    moves = ["A reveal r0c1", "A leave", "B reveal r0c1", "B reveal r0c0"]
    expect = {"phase": "reveal", "turn": "C"}
    check(rules, grids, moves, expect, **OPENING)


def test_first_discard_face_up() -> None:
    expect = {"discard": [0], "discard_top_visible": True, "draw_left": 125}
    check_deal("official", expect)


def test_first_discard_face_down() -> None:
    rules = official(first_discard="face_down")
    check_deal(rules, {"discard": [0], "discard_top_visible": False, "draw_left": 125})
    moves = ["A draw", "A discard", "A flip r0c1"]
    start = {"discard": [11], "discard_face_down": True, "draw": [4, 10]}
    covered = {"discard": [11, 4], "discard_top_visible": True}
    check(rules, {"A": A, "B": B}, moves, covered, **start)
    on_top_again = {"discard": [11], "discard_top_visible": False}
    check(rules, {"A": A, "B": B}, [*moves, "B take"], on_top_again, **start)
    swapped = {"discard": [11, 1], "discard_top_visible": True}
    check(rules, {"A": A, "B": B}, [*moves, "B take", "B swap r0c0"], swapped, **start)
    taken = {"discard": [5], "discard_top_visible": True}
    moves = ["A take", "A discard => ILLEGAL must_swap", "A swap r0c0"]
    check(rules, {"A": A, "B": B}, moves, taken, **start)


def check_deal(rules: Any, expect: dict[str, Any]) -> None:
    check(rules, {"A": A, "B": B}, [], expect, deal="ascending")


# --- the turn -------------------------------------------------------------------------------


def test_flip_after_discard_mandatory() -> None:
    moves = ["A draw", "A discard", "A pass => ILLEGAL must_flip", "A flip r0c1"]
    check("official", {"A": A, "B": B}, moves, {"turn": "B", "discard": [6, 9]})


def test_flip_after_discard_optional() -> None:
    rules = official(flip_after_discard="optional")
    expect = {"turn": "B", "discard": [6, 9]}
    check(rules, {"A": A, "B": B}, ["A draw", "A discard", "A pass"], expect | {"grids": {}})
    flipped = {"grids": {"A": A.replace("?3", "3")}}
    check(rules, {"A": A, "B": B}, ["A draw", "A discard", "A flip r0c1"], expect | flipped)


def test_empty_draw_reshuffle_keep_top() -> None:
    start = {"discard": [4, 7, 9, 2], "draw": [], "reshuffle_to": [9, 7, 4]}
    expect = {"discard": [2, 3], "draw_left": 2}
    check("official", {"A": A, "B": B}, ["A draw", "A swap r0c1"], expect, **start)


def test_empty_draw_reshuffle_all_flip_top() -> None:
    rules = official(empty_draw="reshuffle_all_flip_top")
    start = {"discard": [4, 7, 9, 2], "draw": [], "reshuffle_to": [9, 2, 7, 4]}
    expect = {"discard": [9, 3], "draw_left": 2}
    check(rules, {"A": A, "B": B}, ["A draw", "A swap r0c1"], expect, **start)
    only_one = {"discard": [4], "draw": []}
    moves = ["A draw => ILLEGAL no_cards", "A take", "A swap r0c1"]
    check(rules, {"A": A, "B": B}, moves, {"discard": [3], "draw_left": 0}, **only_one)


# --- the end of the round -------------------------------------------------------------------

NEARLY = "3 1 4 0 / 5 2 6 1 / 8 0 7 ?2"
FINISH = ["draw", "discard", "flip r2c3"]


def closes(rules: Any, seat: str, expect: dict[str, Any], **start: Any) -> None:
    grids = {name: NEARLY if name == seat else B for name in "ABC"}
    moves = [f"{seat} {move}" for move in FINISH]
    check(rules, grids, moves, expect, **({"turn": seat} | start))


def test_final_turns_one_each() -> None:
    closes("official", "B", {"turn": "C", "finisher": "B", "pending": ["C", "A"]})


def test_final_turns_none() -> None:
    expect = {"phase": "round_over", "finisher": "B", "turns_played": 1}
    closes(official(final_turns="none"), "B", expect)


def test_final_turns_finish_circle() -> None:
    rules = official(final_turns="finish_circle")
    closes(rules, "B", {"pending": ["C"], "turn": "C"}, fixed_starter="A")
    closes(rules, "A", {"pending": ["B", "C"], "turn": "B"}, fixed_starter="A")
    closes(rules, "C", {"phase": "round_over", "finisher": "C"}, fixed_starter="A")
    closes(rules, "A", {"pending": ["B"], "turn": "B"}, fixed_starter="C")
    closes(rules, "B", {"phase": "round_over", "finisher": "B"}, fixed_starter="C")


def test_final_turns_finish_circle_a_first_player_who_left_still_marks_the_place() -> None:
    rules = official(final_turns="finish_circle")
    grids = {"A": B, "B": NEARLY, "C": B, "D": B}
    moves = ["A leave", *(f"B {move}" for move in FINISH)]
    expect = {"pending": ["C", "D"], "turn": "C", "left": ["A"]}
    check(rules, grids, moves, expect, turn="B", fixed_starter="A")
    moves = ["D leave", *(f"B {move}" for move in FINISH)]
    expect = {"pending": ["C"], "turn": "C", "left": ["D"]}
    check(rules, grids, moves, expect, turn="B", fixed_starter="D")


def test_turn_limit_none() -> None:
    swaps = [f"{seat} {move}" for seat in "ABAB" for move in ("take", "swap r0c0")]
    expect = {"phase": "turn", "turn": "A", "turns_played": 4}
    check("official", {"A": A, "B": B}, swaps, expect)


def test_turn_limit_number() -> None:
    swaps = [f"{seat} {move}" for seat in "CAB" for move in ("take", "swap r0c0")]
    points = {"A": 73, "B": 53, "C": 56}
    grids = {"A": A, "B": B, "C": C}
    expect: dict[str, Any] = {"phase": "turn", "turn": "B", "finisher": None}
    check(official(turn_limit=1), grids, swaps[:-2], expect, turn="C")
    expect = {"phase": "round_over", "turn": None, "finisher": None, "turns_played": 3}
    expect |= {"raw": points, "final": points}
    for rule, begins in (("finisher", "A"), ("round_winner", "B"), ("highest_sum", "by_reveal")):
        rules = official(turn_limit=1, next_starter=rule)
        check(rules, grids, swaps, expect | {"next_starter": begins}, turn="C")


def test_turn_limit_number_ties_go_to_the_rounds_first_player_first() -> None:
    rules = official(turn_limit=1, next_starter="round_winner")
    same = "1 ?4 ?7 ?2 / ?6 3 ?0 ?5 / ?8 ?1 ?9 ?3"
    grids = {"A": same, "B": same, "C": same}
    swaps = [f"{seat} {move}" for seat in "BCA" for move in ("take", "swap r0c0")]
    expect = {"phase": "round_over", "next_starter": "B", "final": {"A": 49, "B": 49, "C": 49}}
    check(rules, grids, swaps, expect, turn="B", discard=[1])


def test_turn_limit_number_does_not_stop_the_last_turns() -> None:
    rules = official(turn_limit=1)
    moves = [f"A {move}" for move in FINISH]
    expect = {"phase": "turn", "turn": "B", "finisher": "A", "pending": ["B"]}
    check(rules, {"A": NEARLY, "B": B}, moves, expect)
    moves += ["B take", "B swap r0c0"]
    expect = {"phase": "round_over", "finisher": "A", "next_starter": "A"}
    check(rules, {"A": NEARLY, "B": B}, moves, expect)


def test_turn_limit_number_counts_only_who_is_left() -> None:
    rules = official(turn_limit=1)
    moves = ["A take", "A swap r0c0", "B take", "B swap r0c0", "C draw", "C leave"]
    expect = {"phase": "round_over", "finisher": None, "next_starter": "B", "left": ["C"]}
    check(rules, {"A": A, "B": B, "C": C}, moves, expect)
    # Whoever started may leave: the next seat after that place starts.
    moves = ["A take", "A swap r0c0", "A leave", "B take", "B swap r0c0", "C take", "C swap r0c1"]
    expect = {"phase": "round_over", "finisher": None, "next_starter": "B", "left": ["A"]}
    check(rules, {"A": A, "B": B, "C": C}, moves, expect)


# --- penalty --------------------------------------------------------------------------------


def punished(rules: Any, points: dict[str, int], final: int, **start: Any) -> None:
    """The finisher is A; everybody else's points never change."""
    last_turn(rules, points, {"final": points | {"A": final}}, **start)


def test_penalty_when_not_strictly_lowest() -> None:
    punished("official", {"A": 10, "B": 24, "C": 10}, 20)
    punished("official", {"A": 10, "B": 24, "C": 9}, 20)
    punished("official", {"A": 10, "B": 24, "C": 11}, 10)


def test_penalty_when_not_lowest() -> None:
    rules = official(penalty_when="not_lowest")
    punished(rules, {"A": 10, "B": 24, "C": 10}, 10)
    punished(rules, {"A": 10, "B": 24, "C": 9}, 20)


def test_penalty_when_never() -> None:
    rules = official(penalty_when="never", penalty_flat=5)
    punished(rules, {"A": 30, "B": 10}, 30)


def test_penalty_nonpositive_exempt() -> None:
    punished("official", {"A": 0, "B": -3}, 0)
    punished("official", {"A": -2, "B": -4}, -2)
    punished(official(penalty_flat=10), {"A": 0, "B": -3}, 0)


def test_penalty_nonpositive_apply() -> None:
    rules = official(penalty_nonpositive="apply")
    punished(rules, {"A": -2, "B": -4}, -4)
    punished(rules, {"A": 0, "B": -3}, 0)
    punished(rules | {"penalty_flat": 7}, {"A": -2, "B": -4}, 3)


def test_penalty_multiplier_number() -> None:
    punished(official(penalty_multiplier=1), {"A": 15, "B": 10}, 15)
    punished(official(penalty_multiplier=3), {"A": 15, "B": 10}, 45)


def test_penalty_flat_number() -> None:
    punished(official(penalty_flat=10, penalty_multiplier=1), {"A": 15, "B": 10}, 25)
    punished(official(penalty_flat=0, penalty_multiplier=1), {"A": 15, "B": 10}, 15)


def test_penalty_order_multiply_then_add() -> None:
    punished(official(penalty_flat=10), {"A": 15, "B": 10}, 40)


def test_penalty_order_add_then_multiply() -> None:
    rules = official(penalty_flat=10, penalty_order="add_then_multiply")
    punished(rules, {"A": 15, "B": 10}, 50)


def test_penalty_scope_round() -> None:
    totals = {"totals": {"A": 50, "B": 20}}
    last_turn("official", {"A": 15, "B": 10}, totals, totals={"A": 20, "B": 10})


def test_penalty_scope_total() -> None:
    rules = official(penalty_scope="total")
    points = {"A": 15, "B": 10}
    expect: dict[str, Any] = {"final": points, "totals": {"A": 70, "B": 20}}
    last_turn(rules, points, expect, totals={"A": 20, "B": 10})
    flat = official(penalty_scope="total", penalty_flat=4, penalty_order="add_then_multiply")
    expect = {"final": points, "totals": {"A": 78, "B": 20}}
    last_turn(flat, points, expect, totals={"A": 20, "B": 10})
    # Exempt is judged on the round, also under a positive total.
    points = {"A": 0, "B": -3}
    expect = {"final": points, "totals": {"A": 20, "B": 7}}
    last_turn(rules, points, expect, totals={"A": 20, "B": 10})
    # The winner of the round is the one with the fewest points before the penalty.
    winner = official(penalty_scope="total", next_starter="round_winner")
    expect = {"final": {"A": 9, "B": 9}, "totals": {"A": 18, "B": 9}, "next_starter": "A"}
    last_turn(winner, {"A": 9, "B": 9}, expect)


@pytest.mark.parametrize("order", ["multiply_then_add", "add_then_multiply"])
@pytest.mark.parametrize("points", [5 * -2 + 7 * -1, 12 * 12])
def test_penalty_scope_total_is_held_after_many_penalties(order: str, points: int) -> None:
    """Nothing else ends it: a total that is below zero is no total that ends the game."""
    factor = f"penalty_multiplier={LARGEST_OF_TOTAL}"
    rules = f"family penalty_scope=total penalty_order={order} {factor}"
    state = State(2, Ruleset.parse(rules))
    totals = []
    for _ in range(40):
        state.final[0] = points
        add_points(state, 0, penalised=True)
        totals.append(abs(state.totals[0]))
    assert totals == sorted(totals)
    assert totals[11] < totals[-1] == FARTHEST_TOTAL


def test_penalty_scope_total_fits_into_64_bits() -> None:
    """Compiled, a larger number would come out as another one; JSON is read exactly to 2**53."""
    least, most = LOWEST * SLOTS, HIGHEST * SLOTS
    for total in (-FARTHEST_TOTAL + 10**9 * least, FARTHEST_TOTAL + 10**9 * most):
        assert abs(total) < 2**53
        assert (abs(total) + most + LARGEST) * LARGEST_OF_TOTAL + LARGEST < 2**63


# --- the end of the game --------------------------------------------------------------------


def test_target_number() -> None:
    rules = official(target=50)
    expect: dict[str, Any] = {"phase": "game_over", "winners": ["A"], "next_starter": None}
    last_turn(rules, {"A": 5, "B": 10}, expect, totals={"A": 30, "B": 40})
    expect = {"phase": "round_over", "winners": []}
    last_turn(rules, {"A": 5, "B": 10}, expect, totals={"A": 30, "B": 39})


def test_max_rounds_none() -> None:
    last_turn("official", {"A": 5, "B": 10}, {"phase": "round_over"}, round=50)


def test_max_rounds_number() -> None:
    rules = official(max_rounds=3)
    last_turn(rules, {"A": 5, "B": 10}, {"phase": "round_over"}, round=2)
    expect: dict[str, Any] = {"phase": "game_over", "winners": ["A"]}
    last_turn(rules, {"A": 5, "B": 10}, expect, round=3)
    expect = {"phase": "game_over", "winners": ["B"]}
    last_turn(rules, {"A": 5, "B": 10}, expect, round=1, totals={"A": 95, "B": 0})


TIED: dict[str, Any] = {"totals": {"A": 60, "B": 50, "C": 90}}


def test_game_tie_shared() -> None:
    expect = {"phase": "game_over", "winners": ["A", "B"]}
    last_turn("official", {"A": 5, "B": 15, "C": 20}, expect, **TIED)


def test_game_tie_last_round_lowest() -> None:
    rules = official(game_tie="last_round_lowest")
    expect: dict[str, Any] = {"phase": "game_over", "winners": ["A"]}
    last_turn(rules, {"A": 5, "B": 15, "C": 20}, expect, **TIED)
    expect = {"phase": "game_over", "winners": ["A", "B"]}
    points = {"A": 10, "B": 10, "C": 50}
    rules["penalty_when"] = "never"
    last_turn(rules, points, expect, totals={"A": 60, "B": 60, "C": 90})
    # It compares what was scored, the penalty included: A was doubled to 12.
    rules["penalty_when"] = "not_strictly_lowest"
    points = {"A": 6, "B": 6, "C": 50}
    expect = {"phase": "game_over", "winners": ["B"], "final": {"A": 12, "B": 6, "C": 50}}
    last_turn(rules, points, expect, totals={"A": 54, "B": 60, "C": 90})
