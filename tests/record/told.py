"""Random and small games for the tests of records, and how records are read in them."""

from __future__ import annotations

import re
from collections.abc import Callable
from io import BytesIO
from random import Random

from hypothesis import strategies as st
from tests.kit import games
from tests.kit.games import Setup

from skyjo.chance import SeededChance
from skyjo.errors import RecordError
from skyjo.game import Game
from skyjo.record import Record, read_records
from skyjo.rules.ruleset import Ruleset

TAGS = {"Date": "2026-11-29", "Seed": "7", "Note": 'the "cup"\\\n\u2028 🂡'}


def played(setup: Setup, stop: float = 1.0, rounds: int = 2) -> Game:
    """A random game, stopped after a part of its entries (1: at its end)."""
    pairs = games.plies(setup, rounds=rounds, checked=False)
    last = [pair.game for pair in pairs][-1]
    if stop < 1:
        return replayed(last, int(stop * len(last.log)))
    return last


def replayed(game: Game, entries: int) -> Game:
    """The game again, up to so many entries of its log."""
    from skyjo.rules.plies import Deal, Reshuffle

    again = Game(game.players, game.ruleset)
    for entry in game.log[:entries]:
        if isinstance(entry, Deal):
            again.deal(entry.deck)
        elif isinstance(entry, Reshuffle):
            again.reshuffle(entry.order)
        else:
            again.play(entry.action, entry.seat)
    return again


#: A finished game or a running one, whatever the ruleset, with leavers.
random_games: st.SearchStrategy[Game] = st.builds(
    played, games.setups(), st.one_of(st.just(1.0), st.floats(0, 1))
)


def small_game(rules: str = "official turn_limit=1 max_rounds=1") -> Game:
    """Two seats, always the same, over after a turn each."""
    game, chance, rng = Game(["Ana", "Ben"], Ruleset.parse(rules)), SeededChance(3), Random(5)
    while not game.is_over:
        if game.needs_deal:
            game.deal(chance.deck(game.state.round + 1))
        seat = next(seat for seat in (0, 1) if game.legal_actions(seat))
        game.play(rng.choice(game.legal_actions(seat)), seat)
    return game


def game_with(accept: Callable[[Game], bool], setups: Callable[[int], Setup]) -> Game:
    """The first random game that is as wanted."""
    return next(game for seed in range(2000) if accept(game := played(setups(seed))))


def read(text: str | bytes, name: str = "a.skyjo") -> list[Record]:
    """All records of a text."""
    data = text.encode() if isinstance(text, str) else text
    return list(read_records(BytesIO(data), name))


def read_one(text: str | bytes) -> Record:
    """The only record of a text."""
    (record,) = read(text)
    return record


def fault(text: str | bytes) -> str:
    """The sentence of the fault of a text, with its place."""
    try:
        read(text)
    except RecordError as error:
        return str(error)
    return ""


def without_decks(text: str) -> str:
    """A text record without the lines that tell decks and orders."""
    return re.sub(r"(?m)^deck.*\n", "", text)
