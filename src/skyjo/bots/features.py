"""What bots look at: plain functions over a view, whole numbers in and out.

Slots are 0 to 11 of the view's own seat; a slot that is not found is ``NO_SLOT``.
"""

from __future__ import annotations

from skyjo.rules.actions import DISCARD, DRAW, NO_SLOT, PASS, REMOVE_FROM, SWAP_FROM, TAKE
from skyjo.rules.layout import (
    COLUMNS,
    HIGHEST,
    LOWEST,
    NO_CARD,
    NOBODY,
    ROWS,
    SLOTS,
    UNKNOWN,
    VALUES,
    View,
)
from skyjo.rules.turns import column_matches


def own_card(v: View, slot: int) -> int:
    """What the view's seat sees in a slot of its own: a value, ``UNKNOWN`` or ``REMOVED``."""
    return v.cells[v.seat * SLOTS + slot]


def highest_face_up(v: View) -> int:
    """The slot of the highest face-up card, of several the first; ``NO_SLOT`` without any."""
    best = NO_SLOT
    for slot in range(SLOTS):
        card = own_card(v, slot)
        if card <= HIGHEST and (best == NO_SLOT or card > own_card(v, best)):
            best = slot
    return best


def first_hidden(v: View) -> int:
    """The first slot whose card lies face down; ``NO_SLOT`` without any."""
    for slot in range(SLOTS):
        if own_card(v, slot) == UNKNOWN:
            return slot
    return NO_SLOT


def hidden_slot(v: View, chance: int) -> int:
    """One of the slots whose card lies face down, each with the same chance."""
    left = chance % v.hidden[v.seat]
    for slot in range(SLOTS):
        if own_card(v, slot) == UNKNOWN:
            if left == 0:
                return slot
            left -= 1
    return NO_SLOT


def may_draw(v: View) -> bool:
    """Whether there is a card to draw, if need be after a reshuffle (rules 2.14)."""
    return v.draw_size > 0 or v.discard_size >= 2


def unseen(v: View, value: int) -> int:
    """How many cards of a value (0 is -2) are neither face up nor discards that all have seen.

    Before the first reshuffle of a round every unseen card may lie anywhere, and both vectors of
    the view count the same cards. Afterwards they count different ones, as long as it is known
    which cards lie in the draw pile.
    """
    if apart(v):
        return v.may_be_hidden[value] + v.may_be_drawn[value]
    return v.may_be_drawn[value]


def apart(v: View) -> bool:
    """Whether the view knows exactly which cards are in the draw pile."""
    if v.reshuffles == 0:
        return False
    in_draw_pile = v.draw_size + (1 if v.hand == UNKNOWN else 0)
    for value in range(VALUES):
        in_draw_pile -= v.may_be_drawn[value]
    return in_draw_pile == 0


def unseen_mean(v: View) -> float:
    """The mean of all unseen cards, 0 when there are none."""
    count = 0
    total = 0
    for value in range(VALUES):
        cards = unseen(v, value)
        count += cards
        total += cards * (value + LOWEST)
    if count == 0:
        return 0.0
    return total / count


def hidden_value(v: View) -> int:
    """What an unknown card counts: the mean of all unseen cards, rounded."""
    return round(unseen_mean(v))


def discard_value(v: View) -> int:
    """The top discard; ``hidden_value`` while the first one lies face down, else ``NO_CARD``."""
    if v.discard_top == UNKNOWN:
        return hidden_value(v)
    return v.discard_top if v.discard_size > 0 else NO_CARD


# --- H, the highest face-up card ------------------------------------------------------------------


def worst(v: View) -> int:
    """The slot of H; without any face-up card the first hidden one stands in for it."""
    slot = highest_face_up(v)
    return first_hidden(v) if slot == NO_SLOT else slot


def value_of_worst(v: View) -> int:
    """What H counts."""
    card = own_card(v, worst(v))
    return card if card <= HIGHEST else hidden_value(v)


# --- Any seat, any column -------------------------------------------------------------------------


def equal_cards(v: View, seat: int, column: int, value: int) -> int:
    """How many face-up cards of a column have this value."""
    count = 0
    for row in range(ROWS):
        if v.cells[seat * SLOTS + row * COLUMNS + column] == value:
            count += 1
    return count


def face_up_cards(v: View, seat: int, column: int) -> int:
    """How many cards of a column lie face up."""
    count = 0
    for row in range(ROWS):
        if v.cells[seat * SLOTS + row * COLUMNS + column] <= HIGHEST:
            count += 1
    return count


def hidden_cards(v: View, seat: int, column: int) -> int:
    """How many cards of a column lie face down."""
    return equal_cards(v, seat, column, UNKNOWN)


def face_up_sum(v: View, seat: int) -> int:
    """The sum of a seat's face-up cards."""
    total = 0
    for cell in range(seat * SLOTS, seat * SLOTS + SLOTS):
        if v.cells[cell] <= HIGHEST:
            total += v.cells[cell]
    return total


def next_seat(v: View) -> int:
    """The next seat clockwise that has not left."""
    seat = (v.seat + 1) % v.seats
    while v.left[seat]:
        seat = (seat + 1) % v.seats
    return seat


def is_last_turn(v: View) -> bool:
    """Whether somebody has closed the round."""
    return v.finisher != NOBODY


# --- What every baseline bot does alike -----------------------------------------------------------


def source(v: View, wants_discard: bool) -> int:
    """Take or draw as wanted, as far as there are cards."""
    if v.discard_size == 0:
        return DRAW
    if wants_discard or not may_draw(v):
        return TAKE
    return DRAW


def swap_or_discard(slot: int) -> int:
    """The drawn card into a slot; ``NO_SLOT`` lays it off."""
    return DISCARD if slot == NO_SLOT else SWAP_FROM + slot


def remove_or_pass(v: View) -> int:
    """The first equal column whose cards cost points; none: keep the others."""
    for column in range(COLUMNS):
        if column_matches(v, v.seat, column) and own_card(v, column) > 0:
            return REMOVE_FROM + column
    return PASS
