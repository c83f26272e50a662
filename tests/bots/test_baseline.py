"""The baseline bots rule by rule: each case is a position and all actions that its rule allows."""

from __future__ import annotations

from typing import Any

import pytest
from tests.kit.positions import CLOSED, after, answers, position

from skyjo import bots
from skyjo.bots import KERNELS, Kernel
from skyjo.bots.expected import expected_action as expected
from skyjo.bots.opportunist import opportunist_action as opportunist
from skyjo.bots.prudent import prudent_action as prudent
from skyjo.bots.statistician import statistician_action as statistician
from skyjo.bots.threshold import threshold_action as threshold
from skyjo.errors import MalformedError
from skyjo.rules.layout import MAY_REMOVE, REVEAL, State

FIVES = "?5 ?5 ?5 ?5 / ?5 ?5 ?5 ?5 / ?5 ?5 ?5 ?5"


def take(grid: str, card: int, **more: Any) -> State:
    return after(position(grid, discard=[1, card], draw=[5] * 9, **more), "take")


def draw(grid: str, card: int, **more: Any) -> State:
    return after(position(grid, draw=[card] + [5] * 9, **more), "draw")


def top(grid: str, card: int, **more: Any) -> State:
    return position(grid, discard=[1, card], draw=[5] * 9, **more)


def flips(*slots: str) -> set[str]:
    return {f"flip {slot}" for slot in slots}


def swaps(*slots: str) -> set[str]:
    return {f"swap {slot}" for slot in slots}


# --- threshold ------------------------------------------------------------------------------------

GRID = "?5 9 ?5 ?5 / ?5 ?5 4 ?5 / ?5 ?5 9 ?5"


@pytest.mark.parametrize(
    ("k", "card", "action"), [(3, 3, "take"), (3, 4, "draw"), (5, 5, "take"), (-1, 0, "draw")]
)
def test_threshold_takes_up_to_k(k: int, card: int, action: str) -> None:
    assert answers(threshold, top(GRID, card), (k,)) == {action}


@pytest.mark.parametrize(
    ("grid", "card", "action"),
    [
        (GRID, 8, "swap r0c1"),  # lower than H
        (GRID, 9, "discard"),  # not lower, above k
        ("?5 2 ?5 ?5 / ?5 ?5 1 ?5 / ?5 ?5 ?5 ?5", 3, "swap r0c0"),  # not lower, not above k
        ("?5 2 ?5 ?5 / ?5 ?5 1 ?5 / ?5 ?5 ?5 ?5", 4, "discard"),
    ],
)
def test_threshold_keeps(grid: str, card: int, action: str) -> None:
    assert answers(threshold, draw(grid, card), (3,)) == {action}


@pytest.mark.parametrize(
    ("grid", "card", "action"),
    [(GRID, 3, "swap r0c1"), ("?5 2 ?5 ?5 / ?5 ?5 1 ?5 / ?5 ?5 ?5 ?5", 3, "swap r0c0")],
)
def test_threshold_places(grid: str, card: int, action: str) -> None:
    assert answers(threshold, take(grid, card), (3,)) == {action}


# --- statistician ---------------------------------------------------------------------------------

# All unseen cards are fives, and so is the average.
LOW = "1 1 1 1 / 1 2 1 2 / 2 1 ?5 ?5"


@pytest.mark.parametrize(
    ("grid", "card", "action"),
    [
        ("?5 5 ?5 ?5 / ?5 ?5 5 ?5 / ?5 ?5 ?5 ?5", 4, "take"),  # gain 1 > 0 + 0.5
        ("?5 5 ?5 ?5 / ?5 ?5 5 ?5 / ?5 ?5 ?5 ?5", 5, "draw"),
        ("?5 9 ?5 ?5 / ?5 ?5 5 ?5 / ?5 ?5 ?5 ?5", 5, "draw"),  # gain 4, as an average card
        ("?5 9 ?5 ?5 / ?5 ?5 5 ?5 / ?5 ?5 ?5 ?5", 4, "take"),
        ("8 5 ?5 ?5 / 8 ?5 5 ?5 / ?5 ?5 ?5 ?5", 8, "take"),  # completes: 5 - 8 + 24
        (LOW, 5, "draw"),
    ],
)
def test_statistician_takes_what_gains_more_than_an_average_card(
    grid: str, card: int, action: str
) -> None:
    assert answers(statistician, top(grid, card, other=FIVES)) == {action}


@pytest.mark.parametrize(
    ("grid", "other", "card", "action"),
    [
        ("?5 9 ?5 ?5 / ?5 ?5 7 ?5 / ?5 ?5 ?5 ?5", FIVES, 3, "swap r0c1"),
        ("8 9 ?5 ?5 / 8 ?5 7 ?5 / ?5 ?5 ?5 ?5", FIVES, 8, "swap r2c0"),
        # Equal gains: the first slot, or the displaced card that is of less use to the next player.
        ("?5 9 ?5 ?5 / ?5 ?5 9 ?5 / ?5 ?5 ?5 ?5", FIVES, 3, "swap r0c1"),
        ("?5 5 ?5 ?5 / ?5 ?5 5 ?5 / ?5 ?5 ?5 ?5", FIVES, 4, "swap r0c0"),
    ],
)
def test_statistician_places_where_the_gain_is_highest(
    grid: str, other: str, card: int, action: str
) -> None:
    assert answers(statistician, take(grid, card, other=other)) == {action}


@pytest.mark.parametrize(("pair", "slot"), [("5", "r2c1"), ("2", "r0c0"), ("8", "r0c0")])
def test_statistician_breaks_ties_by_the_next_players_use(pair: str, slot: str) -> None:
    """A 1 gains 4 in two places: where it completes a column for a 2, and where a 5 lies."""
    grid = "5 1 ?4 ?4 / 4 1 ?4 ?4 / 4 2 ?4 ?4"
    other = f"{pair} ?4 ?4 ?4 / {pair} ?4 ?4 ?4 / ?4 ?4 ?4 ?4"
    state = position(grid, discard=[3, 1], draw=[4, 4], other=other)
    assert answers(statistician, after(state, "take")) == {f"swap {slot}"}


@pytest.mark.parametrize(
    ("grid", "other", "card", "action"),
    [
        ("?5 5 ?5 ?5 / ?5 ?5 5 ?5 / ?5 ?5 ?5 ?5", FIVES, 4, "swap r0c0"),  # gain 1 > 0.5
        ("?5 5 ?5 ?5 / ?5 ?5 5 ?5 / ?5 ?5 ?5 ?5", FIVES, 5, "discard"),  # gain 0, no danger
        ("?5 5 ?5 ?5 / ?5 ?5 5 ?5 / ?5 ?5 ?5 ?5", FIVES, 6, "discard"),  # gain -1
        # Gain 0, and the drawn 7 would complete the next player's column; the own 7 would, too.
        (
            "?5 7 ?5 ?5 / ?5 ?5 5 ?5 / ?5 ?5 ?5 ?5",
            "7 ?5 ?5 ?5 / 7 ?5 ?5 ?5 / ?5 ?5 ?5 ?5",
            7,
            "discard",
        ),
        # Gain 0 on a hidden 5; the drawn 5 completes the next player's pair, but so would that one.
        (
            "?5 4 ?5 ?5 / ?5 ?5 4 ?5 / ?5 ?5 ?5 ?5",
            "5 ?5 ?5 ?5 / 5 ?5 ?5 ?5 / ?5 ?5 ?5 ?5",
            5,
            "discard",
        ),
    ],
)
def test_statistician_keeps(grid: str, other: str, card: int, action: str) -> None:
    assert answers(statistician, draw(grid, card, other=other)) == {action}


@pytest.mark.parametrize(
    ("other", "action"),
    [
        ("5 1 1 1 / 5 2 1 2 / ?6 1 2 1", "swap r0c0"),  # a pair of fives
        ("5 1 1 1 / 4 2 1 2 / ?6 1 2 1", "discard"),
        ("5 1 1 1 / 5 2 1 2 / x 1 2 1", "discard"),  # mean 5.25: what is displaced counts 5, too
    ],
)
def test_statistician_keeps_a_card_from_the_next_player(other: str, action: str) -> None:
    """The mean is 5.5 and the gain half a point; a hidden card counts 6 and helps nobody."""
    grid = "?5 1 1 1 / 2 1 2 1 / 1 2 1 2"
    state = position(grid, draw=[5, 6, 5] if "?" in other else [5, 5, 5, 6], other=other)
    assert answers(statistician, after(state, "draw")) == {action}


@pytest.mark.parametrize(
    ("grid", "other", "flip"),
    [
        # Ahead: the hidden card in the column with most face-up cards.
        ("0 0 ?5 ?5 / ?5 1 ?5 ?5 / ?5 ?5 ?5 ?5", FIVES, {"r2c1"}),
        # Not ahead: beside a pair.
        ("9 8 ?5 ?5 / ?5 9 ?5 8 / ?5 ?5 ?5 8", "0 0 0 ?5 / 0 0 1 1 / 1 1 1 1", {"r0c3"}),
        # Neither: any hidden card.
        ("9 8 9 9 / 8 9 8 8 / 9 8 ?5 ?5", "0 0 0 ?5 / 0 0 1 1 / 1 1 1 1", {"r2c2", "r2c3"}),
    ],
)
def test_statistician_flips(grid: str, other: str, flip: set[str]) -> None:
    state = after(draw(grid, 12, other=other), "discard")
    assert answers(statistician, state) == flips(*flip)


def test_statistician_does_not_hurry_on_the_last_turn() -> None:
    grid = "0 0 ?5 ?5 / ?5 1 ?5 ?5 / ?5 ?5 ?5 ?5"
    other = "9 9 9 8 / 8 8 8 9 / 9 9 9 8"
    last = {"finisher": "Ben", "pending": ["Ana"]}
    state = after(draw(grid, 12, other=other, **last), "discard")
    assert len(answers(statistician, state)) == 9


# --- opportunist ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("card", "action"), [(4, "take"), (5, "draw")])
def test_opportunist_takes_below_five(card: int, action: str) -> None:
    assert answers(opportunist, top(GRID, card)) == {action}


@pytest.mark.parametrize(
    ("card", "expected_actions"), [(5, {"discard"}), (3, swaps("r0c1")), (12, {"discard"})]
)
def test_opportunist_keeps_below_five(card: int, expected_actions: set[str]) -> None:
    assert answers(opportunist, draw(GRID, card)) == expected_actions


@pytest.mark.parametrize(
    ("grid", "slots"),
    [
        # A column with an equal and a different face-up card: the highest different one goes.
        ("?5 9 ?5 ?5 / ?5 3 4 ?5 / ?5 11 9 ?5", {"r2c1"}),
        ("6 ?5 ?5 3 / ?5 ?5 3 7 / 3 ?5 9 ?5", {"r0c0"}),
        # An equal card alone does not count; then H, if it is 4 higher.
        ("?5 3 ?5 ?5 / ?5 ?5 7 ?5 / ?5 ?5 ?5 ?5", {"r1c2"}),
        # Else any hidden card.
        ("?5 1 6 4 / 2 ?5 6 1 / 1 0 ?5 2", {"r0c0", "r1c1", "r2c2"}),
    ],
)
def test_opportunist_places(grid: str, slots: set[str]) -> None:
    assert answers(opportunist, take(grid, 3)) == swaps(*slots)


# One hidden card; 17 points lie open.
ONE = "1 2 3 2 / 2 1 1 1 / 1 2 1 ?5"
RICH = "9 9 ?5 ?5 / ?5 ?5 ?5 ?5 / ?5 ?5 ?5 ?5"  # 18 + 2 for each of 10 = 38
EVEN = "9 2 ?5 ?5 / ?5 ?5 ?5 1 / 1 2 ?5 2"  # 17 + 2 for each of 6 = 29 = 17 + 6 + 6
LESS = "9 2 ?5 ?5 / ?5 ?5 ?5 1 / 0 2 ?5 2"  # 28
POOR = "9 2 1 1 / 1 2 ?5 1 / 0 1 0 0"  # 18 + 2 = 20
EXACT = "9 2 1 1 / 1 2 ?5 1 / 0 1 1 0"  # 19 + 2 = 21


@pytest.mark.parametrize(
    ("other", "card", "action"),
    [
        (RICH, 4, "take"),
        (RICH, 5, "draw"),
        (POOR, 1, "take"),  # 17 + 1 + 1 <= 20
        (POOR, 2, "draw"),
        (EXACT, 2, "take"),
    ],
)
def test_opportunist_takes_its_last_card_if_it_is_good(other: str, card: int, action: str) -> None:
    assert answers(opportunist, top(ONE, card, other=other)) == {action}


@pytest.mark.parametrize(
    ("other", "card", "action"),
    [
        (RICH, 12, "discard"),  # even a 6 would be good: turn the last card up
        (RICH, -2, "discard"),
        (EVEN, 12, "discard"),
        (LESS, 12, "swap r0c2"),
        (POOR, 1, "swap r2c3"),  # good: closes with it
        (POOR, 2, "swap r0c2"),  # not good: H
        (POOR, 12, "swap r0c2"),
    ],
)
def test_opportunist_keeps_with_one_hidden_card(other: str, card: int, action: str) -> None:
    assert answers(opportunist, draw(ONE, card, other=other)) == {action}


def test_opportunist_places_a_taken_last_card() -> None:
    assert answers(opportunist, take(ONE, 1, other=POOR)) == {"swap r2c3"}
    assert answers(opportunist, take(ONE, 2, other=POOR)) == {"swap r0c2"}


# --- prudent --------------------------------------------------------------------------------------

WIDE = "?5 9 ?5 7 / ?5 ?5 4 7 / ?5 ?5 ?5 ?5"
HIDDEN_OF_WIDE = {"r0c0", "r0c2", "r1c0", "r1c1", "r2c0", "r2c1", "r2c2", "r2c3"}
LOW_H = "?5 4 ?5 0 / ?5 ?5 4 0 / ?5 ?5 ?5 ?5"
HIDDEN_OF_LOW = {"r0c0", "r0c2", "r1c0", "r1c1", "r2c0", "r2c1", "r2c2", "r2c3"}


@pytest.mark.parametrize(
    ("grid", "card", "action"),
    [
        (WIDE, 7, "take"),  # completes a column
        (WIDE, 8, "take"),  # lower than an H of 5 or more
        (WIDE, 9, "draw"),
        (LOW_H, 5, "take"),  # 5 or less: a hidden card
        (LOW_H, 6, "draw"),
        (LOW_H, 0, "take"),
    ],
)
def test_prudent_takes(grid: str, card: int, action: str) -> None:
    assert answers(prudent, top(grid, card)) == {action}


@pytest.mark.parametrize(
    ("grid", "card", "expected_actions"),
    [
        (WIDE, 7, swaps("r2c3")),
        (WIDE, 8, swaps("r0c1")),
        (WIDE, 9, {"discard"}),
        (LOW_H, 5, swaps(*HIDDEN_OF_LOW)),
        (LOW_H, 0, swaps(*HIDDEN_OF_LOW)),  # a column of zeros is no aim
        (LOW_H, 6, {"discard"}),
    ],
)
def test_prudent_keeps(grid: str, card: int, expected_actions: set[str]) -> None:
    assert answers(prudent, draw(grid, card)) == expected_actions


@pytest.mark.parametrize(
    ("grid", "card", "slots"),
    [(WIDE, 7, {"r2c3"}), (WIDE, 3, {"r0c1"}), (LOW_H, 3, HIDDEN_OF_LOW)],
)
def test_prudent_places(grid: str, card: int, slots: set[str]) -> None:
    assert answers(prudent, take(grid, card)) == swaps(*slots)


# One hidden card, 17 open points and 5: 22.
AHEAD = "9 9 1 1 / 1 2 ?5 1 / 0 1 -1 -2"  # 22 + 5 = 27
TIED = "9 2 1 1 / 1 2 ?5 1 / 0 1 0 -1"  # 17 + 5 = 22


@pytest.mark.parametrize(
    ("grid", "other", "card", "action"),
    [
        (ONE, AHEAD, 5, "take"),
        (ONE, AHEAD, 6, "draw"),
        (ONE, TIED, 2, "take"),  # never opens the last card: only to replace a higher H
        (ONE, TIED, 3, "draw"),
        (ONE, TIED, 5, "draw"),
    ],
)
def test_prudent_takes_with_one_hidden_card(grid: str, other: str, card: int, action: str) -> None:
    assert answers(prudent, top(grid, card, other=other)) == {action}


HIGH = "1 7 3 2 / 2 1 1 1 / 1 -2 -1 ?5"  # 16 and 5


@pytest.mark.parametrize(
    ("grid", "other", "card", "action"),
    [
        (ONE, AHEAD, 5, "swap r2c3"),
        (ONE, AHEAD, 6, "discard"),
        (HIGH, AHEAD, 5, "swap r2c3"),  # the last hidden card first
        (HIGH, AHEAD, 6, "swap r0c1"),
        (HIGH, AHEAD, 7, "discard"),
        (ONE, TIED, 2, "swap r0c2"),
        (ONE, TIED, 12, "swap r0c2"),  # H whatever it is
    ],
)
def test_prudent_keeps_with_one_hidden_card(grid: str, other: str, card: int, action: str) -> None:
    assert answers(prudent, draw(grid, card, other=other)) == {action}


@pytest.mark.parametrize(
    ("grid", "other", "card", "action"),
    [(ONE, AHEAD, 5, "swap r2c3"), (HIGH, AHEAD, 5, "swap r0c1"), (ONE, TIED, 2, "swap r0c2")],
)
def test_prudent_places_with_one_hidden_card(grid: str, other: str, card: int, action: str) -> None:
    assert answers(prudent, take(grid, card, other=other)) == {action}


def test_prudent_plays_its_last_turn_as_if_it_had_more_cards() -> None:
    last = {"finisher": "Ben", "pending": ["Ana"], "other": "0 0 0 0 / 0 0 0 0 / 0 0 0 1"}
    assert answers(prudent, top(ONE, 5, **last)) == {"take"}
    assert answers(prudent, draw(ONE, 12, **last)) == {"discard"}


# --- expected -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("grid", "card", "action"),
    [
        ("?5 9 ?5 ?5 / ?5 ?5 4 ?5 / ?5 ?5 ?5 ?5", 4, "take"),  # min(-5, -1) < min(-4, -0.01)
        ("?5 9 ?5 ?5 / ?5 ?5 4 ?5 / ?5 ?5 ?5 ?5", 5, "draw"),  # min(-4, 0) = min(-4, -0.01)
        ("?5 3 ?5 ?5 / ?5 ?5 2 ?5 / ?5 ?5 ?5 ?5", 4, "take"),  # -1 < -0.01
        ("?5 3 ?5 ?5 / ?5 ?5 2 ?5 / ?5 ?5 ?5 ?5", 5, "draw"),
    ],
)
def test_expected_takes(grid: str, card: int, action: str) -> None:
    assert answers(expected, top(grid, card)) == {action}


@pytest.mark.parametrize(
    ("grid", "card", "expected_actions"),
    [
        ("?5 9 2 2 / 2 2 4 2 / 2 9 2 ?5", 8, swaps("r0c1", "r2c1")),  # ties at random
        ("?5 5 2 2 / 2 2 4 2 / 2 4 2 ?5", 4, swaps("r0c0", "r0c1", "r2c3")),
        ("?5 5 2 2 / 2 2 4 2 / 2 4 2 ?5", 5, {"discard"}),
        ("?5 9 2 2 / 2 2 4 2 / 2 9 2 ?5", 9, {"discard"}),
    ],
)
def test_expected_keeps(grid: str, card: int, expected_actions: set[str]) -> None:
    assert answers(expected, draw(grid, card)) == expected_actions


def test_expected_places_even_at_a_loss() -> None:
    assert answers(expected, take("?5 9 x 2 / 2 2 x 2 / 2 9 x ?5", 9)) == swaps("r0c1", "r2c1")


# --- Openings and what all have in common ---------------------------------------------------------


def opened(policy: Kernel) -> tuple[set[str], set[str]]:
    """The first and, after slot r0c1, the second cards that a policy may turn."""
    state = position(CLOSED, phase="reveal", other=CLOSED)
    assert state.phase == REVEAL
    numbers = (3.0,) if policy is threshold else ()
    first = answers(policy, state, numbers)
    return first, answers(policy, after(state, "reveal r0c1"), numbers)


@pytest.mark.parametrize("policy", [threshold, statistician, opportunist])
def test_any_two_cards_are_opened(policy: Kernel) -> None:
    assert [len(found) for found in opened(policy)] == [12, 11]


def test_prudent_opens_in_two_columns() -> None:
    first, second = opened(prudent)
    assert len(first) == 12
    assert second == {f"reveal r{row}c{column}" for row in range(3) for column in (0, 2, 3)}


def test_expected_opens_in_one_column() -> None:
    first, second = opened(expected)
    assert len(first) == 12
    assert second == {"reveal r1c1", "reveal r2c1"}


BASELINE = [threshold, statistician, opportunist, prudent, expected]


@pytest.mark.parametrize("policy", BASELINE)
def test_a_flip_may_be_any_hidden_card(policy: Kernel) -> None:
    grid = "9 8 9 9 / 8 9 8 8 / ?5 8 ?5 ?5"
    state = after(draw(grid, 12, other="0 0 0 ?5 / 0 0 1 1 / 1 1 1 1"), "discard")
    found = answers(policy, state, (3.0,) if policy is threshold else ())
    assert found == flips("r2c0", "r2c2", "r2c3")


@pytest.mark.parametrize("policy", BASELINE)
@pytest.mark.parametrize(("value", "action"), [(3, "remove c0"), (-1, "pass")])
def test_a_column_goes_by_choice_if_it_costs_points(
    policy: Kernel, value: int, action: str
) -> None:
    grid = f"{value} ?1 ?1 ?1 / {value} ?1 ?1 ?1 / ?{value} ?1 ?1 ?1"
    state = after(
        position(grid, "official column_removal=player_choice", draw=[12, 5]),
        *("draw", "discard", "flip r2c0"),
    )
    assert state.phase == MAY_REMOVE
    assert answers(policy, state, (3.0,) if policy is threshold else ()) == {action}


@pytest.mark.parametrize("policy", BASELINE)
def test_an_empty_pile_decides_the_source(policy: Kernel) -> None:
    numbers = (3.0,) if policy is threshold else ()
    assert answers(policy, position(GRID, discard=[], draw=[5, 5]), numbers) == {"draw"}
    assert answers(policy, position(GRID, discard=[12], draw=[]), numbers) == {"take"}


@pytest.mark.parametrize("policy", BASELINE)
def test_a_face_down_discard_counts_as_a_hidden_card(policy: Kernel) -> None:
    """All unseen cards are fives, so that each of them answers as it does to a five."""
    numbers = (3.0,) if policy is threshold else ()
    fives: dict[str, Any] = {"discard": [5], "draw": [5] * 9, "other": FIVES}
    down = position(GRID, "family-facedown", discard_face_down=True, **fives)
    assert answers(policy, down, numbers) == answers(
        policy, position(GRID, "family", **fives), numbers
    )


# --- Names ----------------------------------------------------------------------------------------


def test_a_bot_with_a_number() -> None:
    assert bots.make("threshold").name == bots.make("threshold:3").name == "threshold:3"
    assert bots.make("threshold:-1").numbers == (-1.0,)


@pytest.mark.parametrize("spec", ["threshold:", "threshold:x", "threshold:1.5", "greedy:3", ":3"])
def test_a_number_out_of_place(spec: str) -> None:
    with pytest.raises(MalformedError):
        bots.make(spec)


def test_every_bot_can_be_compiled() -> None:
    """Those of a line-up without ``master`` without its kernels, which take long."""
    found = {name: bots.make(name).kernel for name in bots.names()}
    master = found.pop("master")
    assert master is not None
    assert set(found.values()) == set(KERNELS)
    assert {*KERNELS, master} < set(bots.kernels_with([KERNELS[0], master]))
