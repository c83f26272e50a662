"""Every bot: it answers every phase of every ruleset, and the same way again."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.kit.rulesets import Chosen, rulesets

from skyjo import Game, MalformedError, Ruleset, SeededChance, bots
from skyjo.rules.actions import DRAW, action_name
from skyjo.rules.ruleset import PRESETS


def play(names: list[str], ruleset: Ruleset, seed: int, plies: int = 20_000) -> Game:
    """A game of bots, or its first plies."""
    players = [bots.make(name) for name in names]
    game = Game([f"{seat}" for seat in range(len(names))], ruleset)
    chance = SeededChance(seed)
    for ply in range(plies):
        if game.is_over:
            break
        if game.needs_deal:
            game.deal(chance.deck(game.state.round + 1))
        seat = next(seat for seat in range(len(names)) if game.legal_actions(seat))
        action = players[seat].decide(game.view(seat), seed, ply)
        if action == DRAW and game.needs_reshuffle:
            number = game.state.reshuffles + 1
            game.reshuffle(chance.reshuffle(game.cards_to_reshuffle, game.state.round, number))
        game.play(action, seat)
    return game


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("seats", range(2, 9))
def test_a_whole_game_of_every_preset_and_size(preset: str, seats: int) -> None:
    names = [bots.names()[seat % 2] for seat in range(seats)]
    game = play(names, Ruleset.preset(preset, {"turn_limit": 60, "target": 60}), seed=seats)
    assert game.is_over
    assert game.winners


@given(rulesets(), st.integers(2, 8), st.sampled_from(["greedy", "random"]), st.integers(0, 9))
@settings(max_examples=60)
def test_any_house_rules(chosen: Chosen, seats: int, name: str, seed: int) -> None:
    ruleset = Ruleset.preset(chosen[0], chosen[1])
    assert play([name] * seats, ruleset, seed, plies=400).log


@pytest.mark.parametrize("preset", ["official column_removal=player_choice", "family"])
def test_greedy_beats_random(preset: str) -> None:
    won = Counter[int]()
    for seed in range(6):
        won.update(play(["random", "greedy"], Ruleset.parse(preset), seed).winners)
    assert won[1] == 6


def test_the_same_seed_gives_the_same_game_and_another_one_another() -> None:
    games = [play(["greedy", "random"], Ruleset(target=20), seed) for seed in (1, 1, 2)]
    assert games[0] == games[1] != games[2]


@pytest.mark.parametrize("name", bots.names())
def test_a_decision_does_not_depend_on_the_game_so_far(name: str) -> None:
    """What a resumed game relies on: view, seed and ply are enough."""
    game = play([name] * 2, Ruleset(), seed=3, plies=40)
    seat = game.turn
    assert seat is not None
    first = bots.make(name).decide(game.view(seat), 3, 40)
    assert first == bots.make(name).decide(game.copy().view(seat), 3, 40)


def test_random_does_every_legal_action_equally_often() -> None:
    game = play(["random"] * 2, Ruleset(), seed=1, plies=5)
    seat = game.turn
    assert seat is not None
    view = game.view(seat)
    found = Counter(bots.make("random").decide(view, seed, 5) for seed in range(1300))
    legal = game.legal_actions(seat)
    assert set(found) == set(legal)
    for action in legal:
        assert abs(found[action] - 1300 / len(legal)) < 100, action_name(action)


def test_an_unknown_bot_is_refused_with_the_names_of_all() -> None:
    with pytest.raises(MalformedError, match=r"no bot 'Greedy'.*novice, casual"):
        bots.make("Greedy")


@pytest.mark.parametrize("name", bots.names())
def test_every_bot_says_what_it_does(name: str) -> None:
    assert bots.make(f" {name} ").name == name
    assert bots.says(name).endswith(".")
