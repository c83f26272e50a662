"""A state that looks like a view: something to try actions on."""

from __future__ import annotations

from skyjo.bots.features import apart, unseen
from skyjo.rules.layout import (
    HIDDEN,
    LOWEST,
    PLACE_OR_DISCARD,
    SLOTS,
    UNKNOWN,
    VALUES,
    State,
    View,
)
from skyjo.rules.view import copy_public


def imagine(s: State, v: View, cell: int, card: int) -> None:
    """Make ``s`` a state whose view is ``v``, with this card face down in ``cell`` (-1: any).

    All other unseen cards lie anywhere, and of the discards only the top one is right. So only
    plies that turn up nothing but this card may follow, and what is seen after them is right:
    ``fill_view`` merely counts the cards that are left.

    >>> from skyjo.chance import SeededChance
    >>> from skyjo.game import Game
    >>> from skyjo.rules.view import fill_view
    >>> game = Game(["Ana", "Ben"])
    >>> _ = game.deal(SeededChance(7).deck(1))
    >>> seen, again = game.view(0), game.view(0)
    >>> state = State(2, seen.rules)
    >>> imagine(state, seen, 5, 12)
    >>> state.cells[5] == 12 + HIDDEN
    True
    >>> fill_view(state, 0, again)
    >>> again.values() == seen.values()
    True
    """
    copy_public(v, s)
    s.hand = v.hand
    s.lines_gone = 0
    for value in range(VALUES):
        s.pool[value] = known_to_be_drawn(v, value)
    if v.reshuffles > 0 and v.phase == PLACE_OR_DISCARD:
        s.pool[v.hand - LOWEST] += 1
    lay_cards(s, v, cell, card)


def known_to_be_drawn(v: View, value: int) -> int:
    """How many cards of a value (0 is -2) everybody knows to be in the draw pile."""
    if v.reshuffles == 0:
        return 0
    return v.may_be_drawn[value] - (0 if apart(v) else v.may_be_hidden[value])


def lay_cards(s: State, v: View, cell: int, card: int) -> None:
    """The unseen cards from the lowest to the highest: grids, draw pile, a first discard."""
    left = [0] * VALUES
    for value in range(VALUES):
        left[value] = unseen(v, value)
    if cell >= 0:
        left[card - LOWEST] -= 1
    value = 0
    for place in range(v.seats * SLOTS):
        s.cells[place] = v.cells[place]
        if place == cell:
            s.cells[place] = card + HIDDEN
        elif v.cells[place] == UNKNOWN:
            value = next_value(left, value)
            left[value] -= 1
            s.cells[place] = value + LOWEST + HIDDEN
    for place in range(v.draw_size):
        value = next_value(left, value)
        left[value] -= 1
        s.draw_pile[place] = value + LOWEST
    value = next_value(left, value)
    s.discard_down = 1 if left[value] > 0 else 0
    if s.discard_size > 0:
        s.discard_pile[0] = value + LOWEST
    if s.discard_size > 0 and v.discard_top != UNKNOWN:
        s.discard_pile[s.discard_size - 1] = v.discard_top


def next_value(left: list[int], value: int) -> int:
    """The next value of which a card is left; the highest if there is none."""
    while value < VALUES - 1 and left[value] <= 0:
        value += 1
    return value
