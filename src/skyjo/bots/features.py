"""What bots look at: plain functions over a view, whole numbers in and out.

Slots are 0 to 11 of the view's own seat; a slot that is not found is ``NO_SLOT``.
"""

from __future__ import annotations

from skyjo.rules.actions import NO_SLOT
from skyjo.rules.layout import HIGHEST, LOWEST, NO_CARD, SLOTS, UNKNOWN, VALUES, View


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


def hidden_value(v: View) -> int:
    """What an unknown card counts: the mean of all unseen cards, rounded."""
    count = 0
    total = 0
    for value in range(VALUES):
        cards = unseen(v, value)
        count += cards
        total += cards * (value + LOWEST)
    if count == 0:
        return 0
    return round(total / count)


def discard_value(v: View) -> int:
    """The top discard; ``hidden_value`` while the first one lies face down, else ``NO_CARD``."""
    if v.discard_top == UNKNOWN:
        return hidden_value(v)
    return v.discard_top if v.discard_size > 0 else NO_CARD
