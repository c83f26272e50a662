"""Bulk play: reproducible in every way, equal in both modes, and the game of the rules."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.kit.rulesets import random_ruleset

from skyjo import jit, sim
from skyjo.bots import DICE, Bot, from_kernel
from skyjo.bots.greedy import greedy_action
from skyjo.errors import IllegalActionError, SkyjoError
from skyjo.rules.actions import DRAW, LEAVE, TAKE
from skyjo.rules.layout import CHOOSE, GAME_OVER, State, View
from skyjo.rules.legality import legal_actions
from skyjo.rules.ruleset import LARGEST, PRESETS, Ruleset
from skyjo.sim.loop import ROW_FIELDS, Plan, Row, note_round
from skyjo.sim.results import TYPES, Games, Rounds, rounds_from


def assert_same(one: Rounds, other: Rounds) -> None:
    for name in TYPES:
        found, wanted = getattr(one, name), getattr(other, name)
        assert found.dtype == wanted.dtype, name
        assert np.array_equal(found, wanted), name


def any_legal(view: View, rng: random.Random) -> int:
    """An ordinary Python policy."""
    out = [0] * 16
    return out[rng.randrange(legal_actions(view, view.seat, out))]


LINE_UPS: list[list[Any]] = [
    ["greedy", "random"],
    ["greedy", "greedy", "random"],
    ["random"] * 8,
]


@pytest.mark.parametrize("line_up", LINE_UPS, ids=len)
@pytest.mark.parametrize("duplicate", [False, True])
def test_the_same_games_compiled_and_interpreted(line_up: list[Any], duplicate: bool) -> None:
    kinds = [
        sim.play_many_games(line_up, 9, seed="a", duplicate=duplicate, compiled=compiled, jobs=1)
        for compiled in (True, False)
    ]
    assert_same(kinds[0].rounds, kinds[1].rounds)
    assert np.array_equal(kinds[0].players, kinds[1].players)


@pytest.mark.parametrize("seed", range(12))
def test_the_same_under_any_house_rules(seed: int) -> None:
    rng = random.Random(seed)
    ruleset = Ruleset.preset(*random_ruleset(rng))
    seats = rng.randint(2, 8)
    line_up = [rng.choice(["greedy", "random"]) for _ in range(seats)]
    rounds = [
        sim.play_many_rounds(line_up, 4, seed=seed, ruleset=ruleset, compiled=compiled, jobs=1)
        for compiled in (True, False)
    ]
    assert_same(*rounds)
    uniform = [
        sim.play_random_rounds(seats, 4, seed=seed, ruleset=ruleset, compiled=compiled, jobs=1)
        for compiled in (True, False)
    ]
    assert_same(*uniform)


def test_the_same_however_many_workers() -> None:
    line_up = ["greedy", "random", "greedy"]
    one = sim.play_many_games(line_up, 2500, seed=4, compiled=True, jobs=1)
    two = sim.play_many_games(line_up, 2500, seed=4, compiled=True, jobs=2)
    assert_same(one.rounds, two.rounds)
    slow = sim.play_many_games(line_up, 40, seed=4, compiled=False, jobs=2)
    assert np.array_equal(one.totals[:40], slow.totals)


def test_a_run_can_be_cut_anywhere() -> None:
    whole = sim.play_many_games(["greedy", "random"], 30, seed=2, compiled=True)
    parts = [
        sim.play_many_games(["greedy", "random"], count, seed=2, first=first, compiled=True)
        for first, count in ((0, 7), (7, 23))
    ]
    assert np.array_equal(whole.totals, np.concatenate([part.totals for part in parts]))


def test_another_seed_gives_other_games() -> None:
    found = [sim.play_random_rounds(2, 20, seed=seed, jobs=1).scores for seed in (1, "1", 2)]
    assert np.array_equal(found[0], found[1])
    assert not np.array_equal(found[0], found[2])


def test_a_python_policy_plays_too() -> None:
    games = sim.play_many_games([any_legal, "greedy"], 6, seed=3, jobs=1)
    assert games.won[:, 1].all()
    again = sim.play_many_games([any_legal, "greedy"], 6, seed=3, jobs=2)
    assert_same(games.rounds, again.rounds)


def test_what_is_no_action_at_all_is_told_of_its_bot() -> None:
    def silent(view: View, rng: random.Random) -> Any:
        return None if view.phase == CHOOSE else np.int64(any_legal(view, rng))

    with pytest.raises(SkyjoError, match="silent answered 'None', which is not the number"):
        sim.play_many_games([silent, "greedy"], 1, compiled=False, jobs=1)


def test_a_python_policy_cannot_be_compiled() -> None:
    with pytest.raises(SkyjoError, match="any_legal cannot be compiled"):
        sim.play_many_games([any_legal, "greedy"], 6, compiled=True)


def odd(v: View, chance: int, numbers: list[float]) -> int:
    """Takes with the probability of its first number, else as greedy; a second one makes it err."""
    if v.phase != CHOOSE:
        return int(numbers[1]) if numbers[1] != 0 and v.phase > CHOOSE else greedy_action(v, chance)
    return TAKE if chance < numbers[0] * DICE else DRAW


def odd_bot(taking: float, action: int = 0) -> Bot:
    return from_kernel(f"odd {taking}", odd, (taking, action))


def test_kernels_get_the_numbers_of_their_bot() -> None:
    bots = [odd_bot(share) for share in (0.0, 0.25, 1.0)]
    rounds = [
        sim.play_many_rounds(bots, 40, seed=1, compiled=compiled, jobs=1)
        for compiled in (True, False)
    ]
    assert_same(*rounds)
    taker = sim.play_many_rounds([bots[2]] * 2, 40, seed=1, compiled=True)
    assert (taker.plies == 4 + taker.decisions)[~taker.limited].all()


@pytest.mark.parametrize("action", [LEAVE, TAKE + 1, -5, 99])
@pytest.mark.parametrize("compiled", [False, True])
def test_an_illegal_action_is_a_fault_and_names_its_bot(action: int, compiled: bool) -> None:
    with pytest.raises(SkyjoError, match=r"odd 1.0 chose .* in game 0"):
        sim.play_many_games([odd_bot(0.5), odd_bot(1.0, action)], 2, compiled=compiled, jobs=1)


@pytest.mark.parametrize("seats", [1, 9])
def test_two_to_eight_seats(seats: int) -> None:
    with pytest.raises(IllegalActionError, match="2 to 8"):
        sim.play_random_rounds(seats, 1)


def test_nothing_asked_nothing_played() -> None:
    games = sim.play_many_games(["greedy", "random"], 0, compiled=False)
    assert (len(games), len(games.rounds), games.shares.shape) == (0, 0, (0, 2))


def test_progress_counts_all_games() -> None:
    told: list[int] = []
    sim.play_random_rounds(3, 5000, progress=told.append, jobs=2)
    assert sum(told) == 5000
    assert len(told) > 1


# --- What is played is the game -------------------------------------------------------------------


@pytest.fixture(scope="module")
def games() -> Games:
    return sim.play_many_games(
        ["greedy", "random", "greedy", "greedy"], 400, seed=8, duplicate=True, compiled=True
    )


def test_rounds_make_games(games: Games) -> None:
    rounds = games.rounds
    assert games.length.sum() == len(rounds)
    assert (np.bincount(rounds.game) == games.length).all()
    sums = np.zeros_like(games.totals)
    np.add.at(sums, rounds.game, rounds.scores)
    assert np.array_equal(sums, games.totals)
    assert (games.totals.max(axis=1) >= 100).all()
    assert (rounds.totals[~rounds.over].max(axis=1) < 100).all()
    assert np.array_equal(games.won, games.totals == games.totals.min(axis=1, keepdims=True))
    assert np.allclose(games.shares.sum(axis=1), 1)


def test_penalties_are_those_of_the_finisher(games: Games) -> None:
    rounds = games.rounds
    assert (rounds.penalised == rounds.penalties.any(axis=1)).all()
    seats = np.arange(4)[None, :]
    assert (rounds.penalties[seats != rounds.finisher[:, None]] == 0).all()
    where = rounds.penalised
    finisher = rounds.finisher[where]
    assert (rounds.scores[where, finisher] == 2 * rounds.raw[where, finisher]).all()


def test_the_finisher_starts_the_next_round(games: Games) -> None:
    rounds = games.rounds
    same = (rounds.game[1:] == rounds.game[:-1]) & ~rounds.limited[:-1]
    assert (rounds.starter[1:][same] == rounds.finisher[:-1][same]).all()


def test_turns_of_a_round_differ_by_one_at_most(games: Games) -> None:
    assert (np.ptp(games.rounds.turns, axis=1) <= 1).all()


def test_duplicate_games_have_the_same_decks_and_all_seats() -> None:
    """One policy in every seat plays a group of duplicates the same way, up to its own choices."""

    def first_card(view: View, rng: random.Random) -> int:
        out = [0] * 16
        legal_actions(view, view.seat, out)
        return out[0]

    found = sim.play_many_games([first_card] * 3, 6, seed=5, duplicate=True, jobs=1)
    for group in (slice(0, 3), slice(3, 6)):
        assert (found.totals[group] == found.totals[group][0]).all()
    assert not np.array_equal(found.totals[0], found.totals[3])
    assert found.players.tolist() == [[0, 1, 2], [1, 2, 0], [2, 0, 1]] * 2
    assert found.by_player(found.players).tolist() == [[0, 1, 2]] * 6
    assert (found.rounds_by_player(found.players[found.rounds.game]) == [0, 1, 2]).all()


def test_without_duplicates_everybody_keeps_the_seat() -> None:
    games = sim.play_many_games(["greedy", "random"], 5, seed=1, compiled=False, jobs=1)
    assert (games.players == [0, 1]).all()


@pytest.mark.parametrize(
    ("seats", "decisions", "mean"), [(2, 89.3, 77.6), (4, 154.0, 72.7), (8, 273.9, 67.4)]
)
def test_random_play_has_the_averages_of_the_rules(
    seats: int, decisions: float, mean: float
) -> None:
    rounds = sim.play_random_rounds(seats, 40_000, seed=1)
    assert rounds.decisions.mean() == pytest.approx(decisions, abs=0.6)
    assert rounds.scores.mean() == pytest.approx(mean, abs=0.6)


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_is_played(preset: str) -> None:
    ruleset = Ruleset.preset(preset)
    games = sim.play_many_games(["greedy"] * 3, 60, seed=1, ruleset=ruleset, compiled=True)
    assert (games.totals.max(axis=1) >= 100).all()
    assert (games.rounds.columns.sum() > 0) == (ruleset.column_removal != 0)


def swaps_open_cards(view: View, rng: random.Random) -> int:
    """Never opens a card, so that the round would never end."""
    out = [0] * 16
    actions = out[: legal_actions(view, view.seat, out)]
    if view.phase == CHOOSE:
        return TAKE
    own = view.cells[view.seat * 12 : view.seat * 12 + 12]
    return next((a for a in actions if 16 <= a < 28 and own[a - 16] <= 12), actions[0])


def test_rounds_without_an_end_are_cut_off_and_counted() -> None:
    rounds = sim.play_many_rounds([swaps_open_cards] * 2, 2, seed=1, jobs=1)
    assert rounds.limited.all()
    assert (rounds.turns == sim.TURN_LIMIT).all()
    shorter = replace(Ruleset(), turn_limit=7)
    rounds = sim.play_many_rounds([swaps_open_cards] * 2, 2, ruleset=shorter, jobs=1)
    assert (rounds.turns == 7).all()


def test_no_game_is_too_long_to_be_counted() -> None:
    """A far target takes tens of thousands of rounds; here one is noted as if it was so late."""
    row, state = Row(), State(2, Ruleset(max_rounds=LARGEST))
    state.round, state.phase, state.finisher = LARGEST, GAME_OVER, 0
    plan = Plan()
    plan.game = plan.plies = 0
    note_round(state, plan, row)
    rows = np.zeros(1, jit.record_dtype(ROW_FIELDS, small=True))
    for name, _length, _kind in ROW_FIELDS:
        rows[name][0] = getattr(row, name)
    assert rounds_from(rows, 2).round.tolist() == [LARGEST]
