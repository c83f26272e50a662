"""``casual``: plays like somebody who knows the game and does not reckon.

A rule of our own; H is the highest face-up card of the own grid, as for ``greedy``. It completes a
column when the card comes, but plans none; it looks at the others only before it puts a card on
its last hidden one, and counts 5 for each of their hidden cards then.

* Opening and flip: any hidden card.
* A card has a slot if it completes a column (not of zeros and below); else if it is not too high
  (a discard: 4, a drawn card: 5): on H if it is lower by 5 or more, else if it is 4 or less on the
  first hidden card (the last one only when nobody is ahead or the round has been closed), else on H
  if it is lower at all.
* Source: take the discard if it has a slot, else draw. A drawn card without a slot is laid off.
"""

from __future__ import annotations

from typing import Final

from skyjo.bots.features import (
    discard_value,
    equal_cards,
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
    HIGHEST,
    MAY_REMOVE,
    MUST_SWAP,
    PLACE_OR_DISCARD,
    ROWS,
    View,
)
from skyjo.rules.ruleset import OFF

#: The highest discard that is taken, and the highest drawn card that is kept, but for columns.
TAKES: Final = 4
KEEPS: Final = 5
#: H goes first if a card is lower by this or more.
CLEARLY: Final = 5
#: Up to this one a card goes on a hidden one.
LOW: Final = 4
#: What a hidden card of somebody else counts.
UNKNOWN_COUNTS: Final = 5


def casual_action(v: View, chance: int) -> int:
    """The action of the view's seat; ``chance`` (0 to ``DICE`` - 1) picks hidden cards."""
    if v.phase == CHOOSE:
        return source(v, slot_for(v, discard_value(v), TAKES) != NO_SLOT)
    if v.phase == MUST_SWAP:
        slot = slot_for(v, v.hand, HIGHEST)
        return SWAP_FROM + (worst(v) if slot == NO_SLOT else slot)
    if v.phase == PLACE_OR_DISCARD:
        return swap_or_discard(slot_for(v, v.hand, KEEPS))
    if v.phase == FLIP:
        return FLIP_FROM + hidden_slot(v, chance)
    if v.phase == MAY_REMOVE:
        return remove_or_pass(v)
    return REVEAL_FROM + hidden_slot(v, chance)


def slot_for(v: View, card: int, most: int) -> int:
    """Where a card goes; ``NO_SLOT`` if nowhere, or if it is higher than ``most``."""
    slot = completing(v, card)
    if slot != NO_SLOT or card > most:
        return slot
    better = value_of_worst(v) - card
    if better >= CLEARLY:
        return worst(v)
    if card <= LOW and may_cover(v, card):
        return first_hidden(v)
    return worst(v) if better > 0 else NO_SLOT


def completing(v: View, card: int) -> int:
    """The slot in which a card completes a column that costs points."""
    if v.rules.column_removal == OFF or card <= 0:
        return NO_SLOT
    for column in range(COLUMNS):
        if equal_cards(v, v.seat, column, card) == ROWS - 1:
            for row in range(ROWS):
                if own_card(v, row * COLUMNS + column) != card:
                    return row * COLUMNS + column
    return NO_SLOT


def may_cover(v: View, card: int) -> bool:
    """Whether a card may go on a hidden one: on the last one not while somebody is ahead."""
    if v.hidden[v.seat] > 1 or is_last_turn(v):
        return True
    own = face_up_sum(v, v.seat) + card
    for seat in range(v.seats):
        theirs = face_up_sum(v, seat) + UNKNOWN_COUNTS * v.hidden[seat]
        if seat != v.seat and not v.left[seat] and theirs <= own:
            return False
    return True
