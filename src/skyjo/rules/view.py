"""What a seat may know (rules 2.16): the only place where the truth is cut down to a view.

Pages, programs, bots, observations and records of running games are made from a view. Nobody
knows a card that lies face down, not even its owner; the drawn card is known to the drawer only,
until it is placed or discarded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from skyjo.rules.actions import DRAW, LEAVE
from skyjo.rules.deal import first_remaining
from skyjo.rules.layout import (
    GAME_OVER,
    HIDDEN,
    HIGHEST,
    LOWEST,
    MAX_SEATS,
    NO_CARD,
    NOBODY,
    PLACE_OR_DISCARD,
    REMOVED,
    ROUND_OVER,
    SLOTS,
    UNKNOWN,
    VALUES,
    Position,
    State,
    View,
)
from skyjo.rules.plies import Entry, Ply

#: How many values are counted in the first number: as many bytes as fit.
LOW_VALUES: Final = 7


def fill_view(s: State, seat: int, v: View) -> None:
    """Write what a seat may know into ``v``; ``NOBODY`` stands for an onlooker."""
    v.seat = seat
    fill_public(s, v)
    v.hand = visible_hand(s, seat)
    v.discard_top = visible_discard(s)
    fill_cells(s, v)
    count_unseen(s, v)


def fill_public(s: State, v: View) -> None:
    """What everybody may know as it stands."""
    copy_public(s, v)
    if s.phase == ROUND_OVER and s.next_starter != NOBODY:
        v.next_starter = first_remaining(s, s.next_starter)


def copy_public(source: Position, target: Position) -> None:
    """Copy what a state and a view of it have in common, to either of them."""
    target.seats = source.seats
    target.round = source.round
    target.phase = source.phase
    target.turn = source.turn
    target.starter = source.starter
    target.next_starter = source.next_starter
    target.finisher = source.finisher
    target.draw_size = source.draw_size
    target.discard_size = source.discard_size
    target.reshuffles = source.reshuffles
    for seat in range(MAX_SEATS):
        target.left[seat] = source.left[seat]
        target.pending[seat] = source.pending[seat]
        target.hidden[seat] = source.hidden[seat]
        target.turns[seat] = source.turns[seat]
        target.raw[seat] = source.raw[seat]
        target.final[seat] = source.final[seat]
        target.totals[seat] = source.totals[seat]


def visible_hand(s: State, seat: int) -> int:
    """The card in hand: a drawn one is seen by its drawer only, a taken one by all.

    A card that is still in a hand when all others have left is never placed: nobody is shown it.
    """
    if s.phase == GAME_OVER and s.hand != NO_CARD:
        return UNKNOWN
    if s.phase == PLACE_OR_DISCARD and seat != s.turn:
        return UNKNOWN
    return s.hand


def visible_discard(s: State) -> int:
    """The top discard, unless the pile is empty or its first card lies face down."""
    if s.discard_size == 0:
        return NO_CARD
    if s.discard_size == 1 and s.discard_down:
        return UNKNOWN
    return s.discard_pile[s.discard_size - 1]


def fill_cells(s: State, v: View) -> None:
    """All grids; a hidden card is only known to be there."""
    for cell in range(s.seats * SLOTS):
        card = s.cells[cell]
        v.cells[cell] = card if card <= HIGHEST or card == REMOVED else UNKNOWN


def count_unseen(s: State, v: View) -> None:
    """Count the cards that the seat has not seen: which may lie face down, which may be drawn.

    Both are the same until a reshuffle in this round. From then on everybody knows the cards of
    ``pool`` to be in the draw pile, so that they cannot lie face down; and when these are all
    there are, nothing else can be drawn. Only a first discard that went into the reshuffle face
    down leaves the two apart but uncertain.

    The counters are kept in two numbers, a byte each, for low and for high values: compiled that
    is much faster than fifteen places of memory for which each card waits.
    """
    low, high = 0, 0
    in_draw_pile = s.draw_size
    for cell in range(s.seats * SLOTS):
        card = s.cells[cell] - HIDDEN
        if LOWEST <= card <= HIGHEST:
            low += one_if_low(card)
            high += one_if_high(card)
    for place in range(s.draw_size):
        low += one_if_low(s.draw_pile[place])
        high += one_if_high(s.draw_pile[place])
    if s.discard_down:
        low += one_if_low(s.discard_pile[0])
        high += one_if_high(s.discard_pile[0])
    if v.hand == UNKNOWN:
        low += one_if_low(s.hand)
        high += one_if_high(s.hand)
        in_draw_pile += 1
    for value in range(LOW_VALUES):
        v.may_be_hidden[value] = low >> 8 * value & 255
    for value in range(LOW_VALUES, VALUES):
        v.may_be_hidden[value] = high >> 8 * (value - LOW_VALUES) & 255
    if s.reshuffles > 0:
        split_unseen(s, v, in_draw_pile)
        return
    for value in range(VALUES):
        v.may_be_drawn[value] = v.may_be_hidden[value]


def one_if_low(card: int) -> int:
    """One card in the byte of its value, if that is a low one."""
    return 1 << 8 * (card - LOWEST) if card < LOWEST + LOW_VALUES else 0


def one_if_high(card: int) -> int:
    """One card in the byte of its value, if that is a high one."""
    return 1 << 8 * (card - LOWEST - LOW_VALUES) if card >= LOWEST + LOW_VALUES else 0


def split_unseen(s: State, v: View, in_draw_pile: int) -> None:
    """Tell apart, after a reshuffle, what may be drawn and what may lie face down."""
    known = 0
    for value in range(VALUES):
        v.may_be_drawn[value] = s.pool[value]
    if s.phase == PLACE_OR_DISCARD and v.hand != UNKNOWN and s.pool[v.hand - LOWEST] > 0:
        v.may_be_drawn[v.hand - LOWEST] -= 1
    for value in range(VALUES):
        known += v.may_be_drawn[value]
    exact = known == in_draw_pile
    for value in range(VALUES):
        unseen = v.may_be_hidden[value]
        v.may_be_hidden[value] = unseen - v.may_be_drawn[value]
        if not exact:
            v.may_be_drawn[value] = unseen


def visible_ply(s: State, seat: int, ply: Ply) -> Ply:
    """The game's last ply as a seat may know it: without the card that somebody else drew."""
    if ply.action == DRAW and visible_hand(s, seat) == UNKNOWN:
        return replace(ply, card=None)
    return ply


def chance_is_public(s: State) -> bool:
    """Whether decks and reshuffles may be shown: only when the game is over."""
    return s.phase == GAME_OVER


def visible_log(s: State, seat: int, log: Sequence[Entry]) -> Iterator[Entry]:
    """The log of a game as a seat (or ``NOBODY``, an onlooker) may know it.

    Decks and reshuffles are left out until the game is over, and the card just drawn is shown
    to its drawer only.
    """
    last = len(log) - 1
    while last > 0 and is_leave(log[last]):
        last -= 1
    for number, entry in enumerate(log):
        if isinstance(entry, Ply):
            yield visible_ply(s, seat, entry) if number == last else entry
        elif chance_is_public(s):
            yield entry


def is_leave(entry: Entry) -> bool:
    """Whether a player left; that may happen while somebody else looks at a drawn card."""
    return isinstance(entry, Ply) and entry.action == LEAVE
