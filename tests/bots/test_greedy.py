"""`greedy` rule by rule: each case is a position and the only action that its rule allows."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.kit.positions import after, position, seen

from skyjo.bots import DICE
from skyjo.bots.features import hidden_value
from skyjo.bots.greedy import greedy_action
from skyjo.rules.actions import action_name
from skyjo.rules.layout import FLIP, MAY_REMOVE, NO_CARD, NOBODY, State
from skyjo.rules.turns import apply


def answer(state: State, chance: int = 0) -> str:
    return action_name(greedy_action(seen(state), chance))


SOME = "?1 9 ?1 ?1 / ?1 ?1 4 ?1 / ?1 ?1 9 ?1"


@pytest.mark.parametrize(
    ("grid", "top", "action"),
    [
        (SOME, 0, "take"),
        (SOME, -2, "take"),
        (SOME, 8, "take"),
        (SOME, 9, "draw"),
        (SOME, 12, "draw"),
        ("?1 -1 ?1 ?1 / ?1 -2 ?1 ?1 / ?1 ?1 ?1 ?1", 0, "take"),
        ("?1 1 ?1 ?1 / ?1 -2 ?1 ?1 / ?1 ?1 ?1 ?1", 1, "draw"),
    ],
)
def test_source_takes_zero_and_below_and_what_is_lower_than_h(
    grid: str, top: int, action: str
) -> None:
    assert answer(position(grid, discard=[top])) == action


@pytest.mark.parametrize(
    ("drawn", "action"), [(8, "swap r0c1"), (-2, "swap r0c1"), (9, "discard"), (12, "discard")]
)
def test_a_drawn_card_replaces_h_or_is_laid_off(drawn: int, action: str) -> None:
    assert answer(after(position(SOME, draw=[drawn]), "draw")) == action


@pytest.mark.parametrize(
    ("grid", "top", "action"),
    [
        (SOME, 3, "swap r0c1"),
        ("?1 -1 ?1 ?1 / ?1 -2 ?1 ?1 / ?1 ?1 ?1 ?1", -1, "swap r0c0"),
        ("0 -1 ?1 ?1 / ?1 -2 ?1 ?1 / ?1 ?1 ?1 ?1", 0, "swap r0c2"),
        ("-1 -1 -2 -1 / -1 -2 -1 -2 / -1 -2 -2 -2", 0, "swap r0c0"),
    ],
)
def test_a_taken_card_replaces_h_or_the_first_hidden_card(grid: str, top: int, action: str) -> None:
    assert answer(after(position(grid, discard=[top]), "take")) == action


def test_any_hidden_card_is_turned_with_the_same_chance() -> None:
    state = after(position(SOME, draw=[12]), "draw", "discard")
    assert state.phase == FLIP
    found = Counter(answer(state, chance) for chance in range(9 * 20))
    assert set(found) == {
        *(f"flip r0c{column}" for column in (0, 2, 3)),
        *(f"flip r1c{column}" for column in (0, 1, 3)),
        *(f"flip r2c{column}" for column in (0, 1, 3)),
    }
    assert len(set(found.values())) == 1
    assert all(DICE % count == 0 for count in range(1, 14))


def test_any_two_cards_are_opened() -> None:
    hidden = " / ".join([" ".join(["?1"] * 4)] * 3)
    state = position(hidden, phase="reveal", other=hidden)
    found = Counter(answer(state, chance) for chance in range(132))
    assert len(found) == 12
    apply(state, 0, greedy_action(seen(state), 0))
    assert len({answer(state, chance) for chance in range(132)}) == 11
    assert state.turn == NOBODY


def test_an_optional_flip_is_flipped() -> None:
    state = after(position(SOME, "family", draw=[12]), "draw", "discard")
    assert answer(state).startswith("flip ")


@pytest.mark.parametrize(("value", "action"), [(3, "remove c0"), (0, "pass"), (-1, "pass")])
def test_a_column_goes_by_choice_if_it_costs_points(value: int, action: str) -> None:
    grid = f"{value} ?1 ?1 ?1 / {value} ?1 ?1 ?1 / ?{value} ?1 ?1 ?1"
    rules = "official column_removal=player_choice"
    state = after(position(grid, rules, draw=[12]), "draw", "discard", "flip r2c0")
    assert state.phase == MAY_REMOVE
    assert answer(state) == action


def test_a_worthless_column_is_kept_while_a_costly_one_goes() -> None:
    grid = "0 4 ?1 ?1 / 0 4 ?1 ?1 / 0 ?4 ?1 ?1"
    rules = "official column_removal=player_choice"
    state = after(position(grid, rules, draw=[12]), "draw", "discard", "flip r2c1")
    assert answer(state) == "remove c1"


def test_without_a_face_up_card_a_hidden_one_stands_in_at_the_mean() -> None:
    grid = "x ?3 ?3 ?3 / x ?3 ?3 ?3 / x ?3 ?3 ?3"
    other = "6 6 ?6 ?6 / ?6 ?6 ?6 ?6 / ?6 ?6 ?6 ?6"
    draw = [6] * 5
    assert hidden_value(seen(position(grid, other=other, draw=draw))) == 5
    assert answer(position(grid, other=other, draw=draw, discard=[4])) == "take"
    assert answer(position(grid, other=other, draw=draw, discard=[5])) == "draw"
    assert answer(after(position(grid, other=other, discard=[4]), "take")) == "swap r0c1"


def test_an_unknown_discard_counts_as_the_mean() -> None:
    down = {"discard": [12], "discard_face_down": True, "draw": [2] * 30}
    assert answer(position("3 3 ?2 ?2 / ?2 ?2 ?2 ?2 / ?2 ?2 ?2 ?2", "family-facedown", **down)) == (
        "take"
    )
    assert answer(position("2 2 ?2 ?2 / ?2 ?2 ?2 ?2 / ?2 ?2 ?2 ?2", "family-facedown", **down)) == (
        "draw"
    )


def test_where_nothing_can_be_drawn_it_takes() -> None:
    assert answer(position(SOME, draw=[], discard=[12])) == "take"
    assert answer(position(SOME, draw=[], discard=[3, 12])) == "draw"


def test_where_nothing_can_be_taken_it_draws() -> None:
    state = position(SOME, discard=[])
    assert seen(state).discard_top == NO_CARD
    assert answer(state) == "draw"


def test_the_mean_is_over_all_cards_that_nobody_sees() -> None:
    """Face-up cards and discards are seen, cards of a new draw pile are not any more."""
    state = position(
        "2 2 ?4 x / x x x x / x x x x", other="3 3 ?6 x / x x x x / x x x x", draw=[8, 2]
    )
    assert hidden_value(seen(state)) == 5
    for value in (8, 2, 12, 12):
        state.pool[value + 2] += 1
    state.reshuffles = 1
    state.draw_pile[:4] = [8, 2, 12, 12]
    state.draw_size = 4
    view = seen(state)
    assert sum(view.may_be_drawn) == 4
    assert sum(view.may_be_hidden) == 2
    assert hidden_value(view) == round((4 + 6 + 8 + 2 + 12 + 12) / 6)
