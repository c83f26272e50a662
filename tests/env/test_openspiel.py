"""The OpenSpiel game: the library's own simulation test, and chance that is the deck's."""

from __future__ import annotations

import pickle
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from skyjo.errors import IllegalActionError
from skyjo.rules.deal import DECK
from skyjo.rules.layout import HIDDEN

pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed")
openspiel = pytest.importorskip("skyjo.env.openspiel")

GAMES = [
    "python_skyjo",
    "python_skyjo(players=3,ruleset=family-facedown turn_limit:4)",
    "python_skyjo(players=8,ruleset=plain empty_draw:reshuffle_all_flip_top turn_limit:8)",
    "python_skyjo(players=2,ruleset=official column_removal:player_choice turn_limit:9)",
]


def playout(game: Any, rng: random.Random, draws: bool = False) -> list[Any]:
    """All positions of a random round; with ``draws`` the draw pile is used up."""
    state = game.new_initial_state()
    found = [state]
    while not state.is_terminal():
        state = state.clone()
        if state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(rng.choices(outcomes, chances)[0])
        else:
            legal = state.legal_actions()
            state.apply_action(1 if draws and 1 in legal else rng.choice(legal))
        found.append(state)
    return found


@pytest.mark.parametrize(
    "name", [*GAMES[:2], "python_skyjo(players=8,ruleset=lenient turn_limit:1)"]
)
def test_the_random_simulation_test_of_openspiel_passes(name: str) -> None:
    pyspiel.random_sim_test(pyspiel.load_game(name), num_sims=1, serialize=False, verbose=False)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("draws", [False, True])
def test_the_deck_is_conserved_and_chance_adds_up(name: str, draws: bool) -> None:
    game = pyspiel.load_game(name)
    reshuffles = 0
    for state in playout(game, random.Random(7), draws):
        s = state.table.state
        cards = [c - HIDDEN if c > 12 else c for c in s.cells[: s.seats * 12] if c < 98]
        cards += s.draw_pile[: s.draw_size] + s.discard_pile[: s.discard_size]
        cards += [s.hand] if s.hand < 98 else []
        assert sorted(cards) == sorted(DECK)
        reshuffles = max(reshuffles, s.reshuffles)
        if state.is_chance_node():
            outcomes = state.chance_outcomes()
            assert sum(chance for _, chance in outcomes) == pytest.approx(1)
            assert all(chance > 0 for _, chance in outcomes)
    assert abs(sum(state.returns())) < 1e-9
    if draws and state.num_players() == 8:
        assert reshuffles > 0


def test_the_first_card_has_the_chances_of_the_deck() -> None:
    state = pyspiel.load_game("python_skyjo").new_initial_state()
    counts = Counter(DECK)
    assert state.chance_outcomes() == [
        (value + 2, count / 150) for value, count in sorted(counts.items())
    ]


def test_a_card_that_was_seen_cannot_come_again() -> None:
    """Five times -2 is all there is; and what everybody sees is what chance decided."""
    state = pyspiel.load_game("python_skyjo").new_initial_state()
    for _ in range(5):
        while not state.is_chance_node():
            state.apply_action(state.legal_actions()[0])
        state.apply_action(0)
    assert state.table.view(0).discard_top == -2
    while not state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    assert 0 not in dict(state.chance_outcomes())


def test_the_last_cards_are_turned_one_by_one() -> None:
    """The final reveal is made of chance nodes, too, and the points follow from them."""
    game = pyspiel.load_game("python_skyjo(ruleset=official final_turns:none turn_limit:1)")
    last = playout(game, random.Random(3))[-1]
    assert len(last.history()) >= 24 + 1
    assert last.returns()[0] == -last.returns()[1]


def test_information_states_tell_what_a_seat_knows_and_nothing_else() -> None:
    game = pyspiel.load_game("python_skyjo(players=3,ruleset=official turn_limit:2)")
    rng = random.Random(1)
    for state in playout(game, rng):
        if state.is_chance_node() or state.is_terminal():
            continue
        s = state.table.state
        other = state.clone()
        pile = other.table.state.draw_pile
        top = pile[: s.draw_size]
        rng.shuffle(top)
        pile[: s.draw_size] = top
        for player in range(3):
            assert state.information_state_string(player) == other.information_state_string(player)
            assert np.array_equal(
                state.information_state_tensor(player), other.information_state_tensor(player)
            )
        seat = state.current_player()
        if s.phase == 3:
            # Only who has drawn knows the card.
            assert f"{seat} draw {s.hand}" in state.information_state_string(seat)
            assert f"{seat} draw \n" in f"{state.information_state_string((seat + 1) % 3)}\n"


@pytest.mark.parametrize("players", [-3, 0, 1, 9])
def test_players_are_2_to_8(players: int) -> None:
    with pytest.raises(IllegalActionError, match=f"not by {players}"):
        pyspiel.load_game(f"python_skyjo(players={players})")


def test_a_card_that_cannot_lie_there_is_refused() -> None:
    state = pyspiel.load_game("python_skyjo").new_initial_state()
    with pytest.raises(ValueError, match="no card 13 may lie here"):
        state.apply_action(15)
    assert state.is_chance_node()


@pytest.mark.parametrize("rules", ["official", "official penalty_scope:total penalty_flat:7"])
def test_returns_are_the_difference_with_the_penalty(rules: str) -> None:
    """With penalty_scope=total the penalty is in the totals and not in the points of the round."""
    game = pyspiel.load_game(f"python_skyjo(ruleset={rules} turn_limit:20)")
    penalties = 0
    for seed in range(12):
        last = playout(game, random.Random(seed))[-1]
        s = last.table.state
        totals = s.totals[:2]
        assert last.returns() == [totals[1] - totals[0], totals[0] - totals[1]]
        penalties += totals != s.raw[:2]
    assert penalties


def test_serialised_and_pickled_positions_are_the_same() -> None:
    game = pyspiel.load_game("python_skyjo(ruleset=official turn_limit:2)")
    for state in playout(game, random.Random(4))[::9]:
        assert str(game.deserialize_state(state.serialize())) == str(state)
        assert str(pickle.loads(pickle.dumps(state))) == str(state)
