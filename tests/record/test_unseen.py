"""Which cards can be told without a deck: exactly those that an onlooker must reckon with."""

from __future__ import annotations

from copy import copy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.kit.games import Setup
from tests.record.told import game_with, played

from skyjo.game import Game
from skyjo.record.replay import Misfit, Replay, public_entry
from skyjo.rules.actions import DISCARD, DRAW, FLIP_FROM, REVEAL_FROM, TAKE
from skyjo.rules.layout import CHOOSE, FLIP, LOWEST, REVEAL, UNKNOWN, VALUES
from skyjo.rules.plies import Ply, Reshuffle

PILOTS = ("uniform", "drawer", "leaver", "staller")


def possible(replay: Replay, ply: Ply, draw_is_hidden: bool) -> list[bool]:
    """By value from -2, whether the action can be told with this card."""
    return [can_be(replay, ply, card, draw_is_hidden) for card in range(LOWEST, LOWEST + VALUES)]


def can_be(replay: Replay, ply: Ply, card: int, draw_is_hidden: bool) -> bool:
    replay = copied(replay)
    try:
        if draw_is_hidden:
            replay.play(Ply(ply.seat, DRAW))
            replay.play(Ply(ply.seat, DISCARD, card=card))
        else:
            replay.play(Ply(ply.seat, ply.action, card=card))
    except Misfit:
        return False
    return True


def copied(replay: Replay) -> Replay:
    other = copy(replay)
    other.game = replay.game.copy()
    return other


def check_point(replay: Replay, game: Game) -> None:
    """Compare what can be told next with what the view counts as unseen."""
    view, s = game.view(), game.state
    lying = [count > 0 for count in view.may_be_hidden]
    drawable = [count > 0 for count in view.may_be_drawn]
    seat = next(seat for seat in range(s.seats) if game.legal_actions(seat))
    legal = game.legal_actions(seat)
    if s.phase == CHOOSE and s.draw_size:
        assert possible(replay, Ply(seat, DRAW), False) == drawable
        assert possible(replay, Ply(seat, DRAW), True) == drawable
    if s.phase == CHOOSE and view.discard_top == UNKNOWN:
        assert possible(replay, Ply(seat, TAKE), False) == lying
    if s.phase in (REVEAL, FLIP):
        first = FLIP_FROM if s.phase == FLIP else REVEAL_FROM
        action = next(action for action in legal if action >= first)
        assert possible(replay, Ply(seat, action), False) == lying


def check_game(game: Game, share: int) -> None:
    """Check every so many entries of a game that is told without decks."""
    replay, truth = Replay(game.players, game.ruleset), Replay(game.players, game.ruleset)
    for number, entry in enumerate(game.log):
        truth.enter(entry)
        replay.enter(public_entry(entry, truth.game))
        running = any(truth.game.legal_actions(seat) for seat in range(len(game.players)))
        if running and number % share == 0:
            check_point(replay, truth.game)


@settings(max_examples=20)
@given(
    st.sampled_from(("official", "family-facedown", "family-columns")),
    st.sampled_from(("reshuffle_keep_top", "reshuffle_all_flip_top")),
    st.sampled_from((2, 5, 8)),
    st.sampled_from(PILOTS),
    st.integers(0, 2**20),
)
def test_a_card_can_be_told_when_it_may_be_there(
    preset: str, empty_draw: str, seats: int, pilot: str, seed: int
) -> None:
    setup = Setup((preset, {"empty_draw": empty_draw}), seats, pilot, seed)
    check_game(played(setup, rounds=1), share=23)


@pytest.mark.parametrize("preset", ["official", "family-facedown"])
@pytest.mark.parametrize("empty_draw", ["reshuffle_keep_top", "reshuffle_all_flip_top"])
def test_also_after_reshuffles(preset: str, empty_draw: str) -> None:
    def setups(seed: int) -> Setup:
        return Setup((preset, {"empty_draw": empty_draw, "max_rounds": 1}), 8, "drawer", seed)

    check_game(
        game_with(lambda game: any(isinstance(each, Reshuffle) for each in game.log), setups),
        share=5,
    )
