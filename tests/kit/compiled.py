"""One kernel through which tests reach the compiled rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from skyjo import jit
from skyjo.rules.actions import ACTIONS, place_of, verb_of
from skyjo.rules.deal import deal, reshuffle
from skyjo.rules.layout import DECK_SIZE, NOBODY, State, View
from skyjo.rules.legality import legal_actions, refusal
from skyjo.rules.ruleset import Ruleset
from skyjo.rules.scoring import is_winner
from skyjo.rules.turns import apply
from skyjo.rules.view import fill_view

DEAL, RESHUFFLE, APPLY, LOOK = range(4)


def follow(  # noqa: PLR0917 - compiled functions take no keywords
    states: Sequence[State],
    views: Sequence[View],
    what: int,
    seat: int,
    action: int,
    cards: Sequence[int],
    out: list[int],
) -> int:
    """Do one thing, or look: ``out`` gets legal actions (16), refusals (45), winners (8)."""
    s = states[0]
    if what == DEAL:
        deal(s, cards)
    elif what == RESHUFFLE:
        reshuffle(s, cards)
    elif what == APPLY:
        apply(s, seat, action)
    else:
        fill_view(s, seat, views[0])
        if seat != NOBODY:
            for each in range(ACTIONS):
                out[16 + each] = refusal(s, seat, verb_of(each), place_of(each))
            for other in range(s.seats):
                out[61 + other] = is_winner(s, other)
            return legal_actions(s, seat, out)
    return 0


class Compiled:
    """A game that is played by the compiled rules."""

    def __init__(self, state: State) -> None:
        self.states = jit.to_record(state)
        self.views = jit.to_record(View(Ruleset()))
        self.cards = np.zeros(DECK_SIZE, np.int8)
        self.out = np.zeros(69, np.int64)
        self.kernel: Callable[..., int] = jit.compiled(
            follow, self.states, self.views, 0, 0, 0, self.cards, self.out
        )

    def act(self, what: int, seat: int = 0, action: int = 0, cards: Sequence[int] = ()) -> int:
        self.cards[: len(cards)] = cards
        return self.kernel(self.states, self.views, what, seat, action, self.cards, self.out)

    def values(self) -> Any:
        return jit.from_record(self.states).values()

    def look(self, seat: int) -> tuple[Any, ...]:
        """What ``interpreted_look`` gives."""
        self.out[:] = 0
        count = self.act(LOOK, seat)
        found = self.out.tolist()
        return jit.from_record(self.views).values(), found[:count], found[16:]


def interpreted_look(state: State, seat: int) -> tuple[Any, ...]:
    """View, legal actions, then refusals and winners of a seat."""
    view, out = View(state.rules), [0] * 69
    count = follow([state], [view], LOOK, seat, 0, (), out)
    return view.values(), out[:count], out[16:]
