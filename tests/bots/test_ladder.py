"""The levels that tables offer: what each one sees, that it never stalls, and who beats whom."""

from __future__ import annotations

from typing import Any

import pytest
from tests.kit.positions import CLOSED, after, answers, position, seen

from skyjo import bots, sim
from skyjo.bots import LADDER
from skyjo.bots.casual import casual_action as casual
from skyjo.bots.judge import judge_action as judge
from skyjo.bots.novice import novice_action as novice
from skyjo.rules.actions import action_name
from skyjo.rules.layout import MAY_REMOVE, State
from skyjo.rules.ruleset import PRESETS, Ruleset

SKILLED = bots.make("skilled").numbers
EXPERT = bots.make("expert").numbers


def take(grid: str, card: int, **more: Any) -> State:
    return after(position(grid, discard=[1, card], draw=[5] * 9, **more), "take")


def draw(grid: str, card: int, **more: Any) -> State:
    return after(position(grid, draw=[card] + [5] * 9, **more), "draw")


def top(grid: str, card: int, **more: Any) -> State:
    return position(grid, discard=[1, card], draw=[5] * 9, **more)


def swaps(*slots: str) -> set[str]:
    return {f"swap {slot}" for slot in slots}


# --- novice ---------------------------------------------------------------------------------------

GRID = "?5 9 ?5 4 / 2 3 4 1 / 2 3 9 1"


@pytest.mark.parametrize(("card", "action"), [(-2, "take"), (0, "take"), (1, "draw")])
def test_novice_takes_zero_and_below(card: int, action: str) -> None:
    assert answers(novice, top(GRID, card)) == {action}


@pytest.mark.parametrize(("card", "action"), [(2, "swap r0c1"), (3, "discard")])
def test_novice_replaces_only_what_is_far_higher(card: int, action: str) -> None:
    assert answers(novice, draw(GRID, card)) == {action}


def test_novice_puts_a_taken_card_on_h_or_any_hidden_card() -> None:
    assert answers(novice, take(GRID, 0)) == {"swap r0c1"}
    assert answers(novice, take("?5 6 ?5 4 / 2 3 4 1 / 2 3 6 1", 0)) == swaps("r0c0", "r0c2")


def test_novice_does_not_see_columns() -> None:
    assert answers(novice, top("4 ?5 ?5 ?5 / 4 ?5 ?5 ?5 / 9 ?5 ?5 ?5", 4)) == {"draw"}


def test_novice_turns_up_any_hidden_card() -> None:
    assert answers(novice, after(draw(GRID, 12), "discard")) == {"flip r0c0", "flip r0c2"}
    assert len(answers(novice, position(CLOSED, phase="reveal", turn=None))) == 12


# --- casual ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("card", "action"),
    [(4, "take"), (5, "draw"), (-2, "take")],
)
def test_casual_takes_what_is_low(card: int, action: str) -> None:
    assert answers(casual, top(GRID, card)) == {action}


@pytest.mark.parametrize(
    ("grid", "card", "action"),
    [
        (GRID, 4, "swap r0c1"),  # lower than H by 5
        (GRID, 5, "swap r0c1"),  # not low, yet lower than H
        (GRID, 6, "discard"),  # too high to be kept
        ("?5 8 ?5 4 / 2 3 4 1 / 2 3 8 1", 4, "swap r0c0"),  # low: on the first hidden card
    ],
)
def test_casual_keeps(grid: str, card: int, action: str) -> None:
    assert answers(casual, draw(grid, card)) == {action}


PAIR = "8 ?5 9 4 / 8 ?5 4 1 / ?5 3 9 1"


def test_casual_completes_a_column() -> None:
    assert answers(casual, top(PAIR, 8)) == {"take"}
    assert answers(casual, take(PAIR, 8)) == {"swap r2c0"}
    assert answers(casual, draw(PAIR, 8)) == {"swap r2c0"}
    assert answers(casual, draw(PAIR, 8, ruleset="plain")) == {"discard"}
    zeros = "0 ?5 9 4 / 0 ?5 4 1 / ?5 3 9 1"
    assert answers(casual, draw(zeros, 0)) == {"swap r0c2"}


LAST = "4 4 3 3 / 2 2 1 1 / 2 2 1 ?5"


def test_casual_does_not_cover_its_last_card_while_somebody_is_ahead() -> None:
    low, high = "0 0 0 0 / 0 0 0 0 / 1 1 1 ?5", "9 9 9 9 / 9 9 9 9 / 1 1 1 ?5"
    assert answers(casual, draw(LAST, 3, other=high)) == {"swap r2c3"}
    assert answers(casual, draw(LAST, 3, other=low)) == {"swap r0c0"}


# --- skilled and expert ---------------------------------------------------------------------------


def test_skilled_does_not_watch_the_others() -> None:
    """The others' grids may be anything, as long as the same cards are unseen."""
    many, few = "?1 ?2 ?3 ?4 / ?5 ?5 ?5 ?5 / 3 3 ?4 ?4", "3 ?4 3 ?4 / ?5 ?5 ?5 ?5 / ?1 ?2 ?3 ?4"
    for card in range(-2, 13):
        found = [answers(judge, draw(LAST, card, other=other), SKILLED) for other in (many, few)]
        assert found[0] == found[1]


def test_expert_does_not_close_behind_the_others_and_skilled_does() -> None:
    low, mine = "0 0 0 0 / 0 0 0 0 / 0 0 0 ?5", "1 1 1 1 / 0 0 0 0 / 2 0 2 ?5"
    assert answers(judge, draw(mine, 1, other=low), SKILLED) == {"swap r2c3"}
    assert answers(judge, draw(mine, 1, other=low), EXPERT) == {"swap r2c0"}


def test_expert_keeps_a_pair_and_skilled_does_not() -> None:
    """All unseen cards are fives."""
    pair = "5 ?5 ?5 4 / 5 ?5 ?5 ?5 / ?5 ?5 ?5 ?5"
    assert answers(judge, draw(pair, 1), SKILLED) == {"swap r0c0"}
    assert answers(judge, draw(pair, 1), EXPERT).isdisjoint(swaps("r0c0", "r1c0"))


@pytest.mark.parametrize("numbers", [SKILLED, EXPERT])
def test_both_complete_a_column(numbers: tuple[float, ...]) -> None:
    assert answers(judge, top(PAIR, 8), numbers) == {"take"}
    assert answers(judge, take(PAIR, 8), numbers) == {"swap r2c0"}
    assert "take" not in answers(judge, top(PAIR, 8, ruleset="plain"), numbers)


def test_expert_counts_the_cards_that_are_gone() -> None:
    """Nine twos are left to be drawn: a three is high for who knows, and low for who does not."""
    grid = "?2 ?2 2 1 / 1 0 2 1 / 4 0 1 0"
    state = position(grid, draw=[3] + [2] * 9, other="?2 ?2 ?2 ?2 / ?2 ?2 ?2 ?2 / 3 3 ?2 ?2")
    state = after(state, "draw")
    assert answers(judge, state, SKILLED) != answers(judge, state, EXPERT)


def test_nobody_breaks_up_a_column_of_low_cards() -> None:
    """Three times -2 would go, and cost six points."""
    grid = "-2 ?5 ?5 ?5 / -2 ?5 ?5 ?5 / ?5 ?5 ?5 ?5"
    for numbers in (SKILLED, EXPERT):
        assert "swap r2c0" not in answers(judge, draw(grid, -2), numbers)


@pytest.mark.parametrize("numbers", [SKILLED, EXPERT])
@pytest.mark.parametrize(
    ("turns", "source", "drawn"), [(39, "take", "swap"), (40, "draw", "discard")]
)
def test_after_forty_turns_patience_is_lost(
    numbers: tuple[float, ...], turns: int, source: str, drawn: str
) -> None:
    grid = "2 ?5 2 1 / 1 0 2 1 / 4 0 1 0"
    states = [top(grid, -2), draw(grid, -2)]
    for state in states:
        state.turns[0] = turns
    assert answers(judge, states[0], numbers) == {source}
    assert {name.split()[0] for name in answers(judge, states[1], numbers)} == {drawn}


@pytest.mark.parametrize("name", LADDER)
def test_a_column_may_be_kept_or_laid_down(name: str) -> None:
    rules = "official column_removal=player_choice"
    for card, action in ((4, "remove c0"), (-2, "pass")):
        state = position(f"{card} ?5 ?5 ?5 / {card} ?5 ?5 ?5 / {card} ?5 ?5 ?5", rules)
        state.phase = MAY_REMOVE
        assert action_name(bots.make(name).decide(seen(state), 1, 1)) == action


# --- In play --------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", PRESETS)
def test_no_level_stalls_or_breaks_a_rule(preset: str) -> None:
    """Many more were played once: docs/players.md. An illegal action would be an error."""
    ruleset = Ruleset.preset(preset)
    line_ups = [[name] * seats for name in LADDER for seats in (2, 5)]
    line_ups += [[LADDER[seat % len(LADDER)] for seat in range(seats)] for seats in (3, 8)]
    for line_up in line_ups:
        rounds = sim.play_many_rounds(line_up, 40, seed=3, ruleset=ruleset, jobs=1)
        assert rounds.limited.sum() == 0, line_up


@pytest.mark.parametrize("name", LADDER[:-1])
def test_the_same_games_compiled_and_interpreted(name: str) -> None:
    for seed, rules in enumerate(["official", "family", "official row_removal=on"]):
        ruleset = Ruleset.parse(rules)
        line_up = [name, "greedy", name]
        found = [
            sim.play_many_rounds(line_up, 3, seed=seed, ruleset=ruleset, compiled=compiled, jobs=1)
            for compiled in (True, False)
        ]
        assert found[0].scores.tolist() == found[1].scores.tolist()


@pytest.mark.parametrize(
    ("stronger", "weaker", "low", "high"),
    [
        ("greedy", "novice", 0.73, 0.89),
        *((LADDER[n + 1], LADDER[n], 0.66, 0.92) for n in range(len(LADDER) - 1)),
    ],
)
def test_each_level_beats_the_one_below(
    stronger: str, weaker: str, low: float, high: float
) -> None:
    games = sim.play_many_games([stronger, weaker], 400, seed=11, duplicate=True, jobs=1)
    assert low < games.by_player(games.shares)[:, 0].mean() < high
