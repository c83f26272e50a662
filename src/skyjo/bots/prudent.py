"""``prudent``: lowers its high cards, and closes only when it should be ahead.

The restated rule of a public bot; H is the highest face-up card of the own grid, as for ``greedy``.
It opens two cards in different columns.

With more than one hidden card, or when somebody has closed, a card goes

* where it completes a column of three positive cards;
* else on H if that is 5 or more, and higher;
* else, if it is 5 or less, on any hidden card.

The discard is taken if one of these applies; else a card is drawn, and laid off if none applies.

With one hidden card it counts 5 for every hidden card of everybody. If its own sum is strictly the
lowest it closes: the discard as above; a drawn card that is 5 or less goes on the last hidden card,
one that is higher completes a positive column or replaces a higher H, and else is laid off. If its
sum is not the lowest it does not open the last card: the discard replaces H if it is lower, else a
card is drawn and replaces H whatever it is.

Flip: any hidden card.
"""

from __future__ import annotations

from skyjo.bots.features import (
    discard_value,
    equal_cards,
    face_up_cards,
    face_up_sum,
    first_hidden,
    hidden_slot,
    is_last_turn,
    own_card,
    remove_or_pass,
    source,
    swap_or_discard,
    value_of_worst,
    worst,
)
from skyjo.rules.actions import FLIP_FROM, NO_SLOT, REVEAL_FROM, SWAP_FROM
from skyjo.rules.layout import (
    CHOOSE,
    COLUMNS,
    FLIP,
    MAY_REMOVE,
    MUST_SWAP,
    PLACE_OR_DISCARD,
    ROWS,
    SLOTS,
    View,
)


def prudent_action(v: View, chance: int) -> int:
    """The action of the view's seat."""
    if v.phase == CHOOSE:
        return source(v, takes(v, chance))
    if v.phase == MUST_SWAP:
        return SWAP_FROM + slot_for_taken(v, chance)
    if v.phase == PLACE_OR_DISCARD:
        return swap_or_discard(slot_for_drawn(v, chance))
    if v.phase == FLIP:
        return FLIP_FROM + hidden_slot(v, chance)
    if v.phase == MAY_REMOVE:
        return remove_or_pass(v)
    return REVEAL_FROM + slot_to_open(v, chance)


def slot_to_open(v: View, chance: int) -> int:
    """Any card, then one in another column."""
    left = chance % (SLOTS if v.hidden[v.seat] == SLOTS else SLOTS - ROWS)
    for slot in range(SLOTS):
        if face_up_cards(v, v.seat, slot % COLUMNS) == 0:
            if left == 0:
                return slot
            left -= 1
    return first_hidden(v)


def is_free(v: View) -> bool:
    """Whether it need not think of closing."""
    return v.hidden[v.seat] > 1 or is_last_turn(v)


def takes(v: View, chance: int) -> bool:
    """Whether the discard is wanted."""
    card = discard_value(v)
    if is_free(v) or leads(v):
        return good_slot(v, card, chance) != NO_SLOT
    return card < value_of_worst(v)


def slot_for_taken(v: View, chance: int) -> int:
    """Where the discard was wanted; H if there was no choice."""
    slot = good_slot(v, v.hand, chance) if is_free(v) or leads(v) else NO_SLOT
    return worst(v) if slot == NO_SLOT else slot


def slot_for_drawn(v: View, chance: int) -> int:
    """Where a drawn card goes, if anywhere."""
    if is_free(v):
        return good_slot(v, v.hand, chance)
    if not leads(v):
        return worst(v)
    if v.hand <= 5:
        return first_hidden(v)
    slot = completing_slot(v, v.hand)
    if slot == NO_SLOT and v.hand < value_of_worst(v):
        slot = worst(v)
    return slot


def good_slot(v: View, card: int, chance: int) -> int:
    """Completes a positive column, replaces a high H, or is low enough for a hidden card."""
    slot = completing_slot(v, card)
    if slot != NO_SLOT:
        return slot
    if card < value_of_worst(v) and value_of_worst(v) >= 5:
        return worst(v)
    return hidden_slot(v, chance) if card <= 5 else NO_SLOT


def completing_slot(v: View, card: int) -> int:
    """The third slot of the first column with two face-up cards equal to this positive one."""
    if card <= 0:
        return NO_SLOT
    for slot in range(SLOTS):
        if own_card(v, slot) != card and equal_cards(v, v.seat, slot % COLUMNS, card) == 2:
            return slot
    return NO_SLOT


def leads(v: View) -> bool:
    """Whether its sum is strictly the lowest, with 5 for every hidden card."""
    for seat in range(v.seats):
        if seat != v.seat and not v.left[seat] and estimate(v, seat) <= estimate(v, v.seat):
            return False
    return True


def estimate(v: View, seat: int) -> int:
    """A seat's sum with 5 for every hidden card."""
    return face_up_sum(v, seat) + 5 * v.hidden[seat]
