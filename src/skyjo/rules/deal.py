"""Deck, deal and reshuffle (rules 2.1 to 2.3 and 2.14). Every order of cards comes from outside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from skyjo.rules.layout import (
    CARD_COUNTS,
    DECK_SIZE,
    GAME_OVER,
    HIDDEN,
    LOWEST,
    MAX_SEATS,
    NO_CARD,
    NOBODY,
    REMOVED,
    REVEAL,
    SLOTS,
    VALUES,
    Position,
    State,
)
from skyjo.rules.ruleset import FACE_DOWN, RESHUFFLE_ALL_FLIP_TOP, SEAT_ORDER

#: The 150 cards in ascending order.
DECK: Final = tuple(value + LOWEST for value in range(VALUES) for _ in range(CARD_COUNTS[value]))


def deal(s: State, deck: Sequence[int]) -> None:
    """Begin a round with this deck of 150 cards, its first card on top (rules 2.2, 2.3).

    Twelve cards go to seat 0, row by row, then to seat 1 and so on, but none to a seat that has
    left; the next card begins the discard pile.

    >>> from skyjo.rules.ruleset import Ruleset
    >>> state = State(2, Ruleset())
    >>> deal(state, DECK)
    >>> state.discard_pile[0], state.draw_size
    (0, 125)
    """
    dealt = 0
    for cell in range(s.seats * SLOTS):
        s.cells[cell] = REMOVED
        if not s.left[cell // SLOTS]:
            s.cells[cell] = deck[dealt] + HIDDEN
            dealt += 1
    s.discard_pile[0] = deck[dealt]
    s.discard_size = 1
    s.discard_down = 1 if s.rules.first_discard == FACE_DOWN else 0
    s.draw_size = DECK_SIZE - dealt - 1
    for place in range(s.draw_size):
        s.draw_pile[place] = deck[DECK_SIZE - 1 - place]
    clear_round(s)


def clear_round(s: State) -> None:
    """Set everything but the cards to the beginning of the next round."""
    for seat in range(MAX_SEATS):
        s.hidden[seat] = SLOTS if seat < s.seats and not s.left[seat] else 0
        s.pending[seat] = 0
        s.turns[seat] = 0
        s.raw[seat] = 0
        s.final[seat] = 0
    for value in range(VALUES):
        s.pool[value] = 0
    s.round += 1
    s.phase = REVEAL
    s.hand = NO_CARD
    s.starter = NOBODY
    s.finisher = NOBODY
    s.reshuffles = 0
    s.lines_gone = 0
    s.turn = NOBODY
    if s.rules.reveal_order == SEAT_ORDER:
        s.turn = first_remaining(s, 0)


def first_remaining(s: State, seat: int) -> int:
    """This seat, or the next one clockwise that has not left; itself when all have."""
    for _ in range(s.seats):
        if not s.left[seat]:
            break
        seat = clockwise(s, seat)
    return seat


def clockwise(s: State, seat: int) -> int:
    """The next seat clockwise, whoever sits there."""
    seat += 1
    return 0 if seat >= s.seats else seat


def may_be_dealt(s: State) -> bool:
    """Whether a round may begin now: at least two players, and the game is not over."""
    return s.phase != GAME_OVER and remaining_seats(s) >= 2


def remaining_seats(s: State) -> int:
    """How many seats have not left."""
    count = 0
    for seat in range(s.seats):
        if not s.left[seat]:
            count += 1
    return count


def needs_reshuffle(s: Position) -> bool:
    """Whether the next draw needs a reshuffle first: no card left, but something to shuffle."""
    return s.draw_size == 0 and s.discard_size >= 2


def reshuffled_cards(s: State) -> int:
    """How many discards, from the bottom of the pile, go into a reshuffle now (rules 2.14)."""
    if s.rules.empty_draw == RESHUFFLE_ALL_FLIP_TOP:
        return s.discard_size
    return s.discard_size - 1


def reshuffle(s: State, order: Sequence[int]) -> None:
    """Make a new draw pile of the discards, its first card on top (rules 2.14).

    ``order`` holds the ``reshuffled_cards(s)`` cards in their new order. It belongs to the
    draw that follows and is called just before it, when ``needs_reshuffle(s)``.
    """
    count = reshuffled_cards(s)
    note_pool(s, count)
    if s.rules.empty_draw == RESHUFFLE_ALL_FLIP_TOP:
        for place in range(1, count):
            s.draw_pile[count - 1 - place] = order[place]
        s.draw_size = count - 1
        s.discard_pile[0] = order[0]
        now_public(s, order[0])
    else:
        for place in range(count):
            s.draw_pile[count - 1 - place] = order[place]
        s.draw_size = count
        s.discard_pile[0] = s.discard_pile[count]
    s.discard_size = 1
    s.discard_down = 0
    s.reshuffles += 1


def note_pool(s: State, count: int) -> None:
    """Everybody has seen these discards and knows them to be in the draw pile now."""
    for place in range(s.discard_down, count):
        s.pool[s.discard_pile[place] - LOWEST] += 1


def now_public(s: State, card: int) -> None:
    """A card from the draw pile is seen by all: it counts as one known to be there, if any is."""
    if s.pool[card - LOWEST] > 0:
        s.pool[card - LOWEST] -= 1
