"""``expected``: counts every unknown card 5, and goes for the largest gain.

The restated rule of a public bot; h is the highest face-up card of the own grid, as for ``greedy``.

* Opening: any card, and a second one in the same column.
* Source: taking the discard t is worth min(t - h, t - 5), drawing min(5 - h, -0.01), less is
  better: take if drawing is worth more, else draw.
* A card goes where it saves most, a hidden card counts 5; of equal slots into any. A drawn card
  that saves nothing is laid off.
* Flip: any hidden card.
"""

from __future__ import annotations

from skyjo.bots.features import (
    discard_value,
    face_up_cards,
    first_hidden,
    hidden_slot,
    own_card,
    remove_or_pass,
    source,
    swap_or_discard,
    value_of_worst,
)
from skyjo.rules.actions import FLIP_FROM, NO_SLOT, REVEAL_FROM, SWAP_FROM
from skyjo.rules.layout import (
    CHOOSE,
    COLUMNS,
    FLIP,
    HIGHEST,
    LOWEST,
    MAY_REMOVE,
    MUST_SWAP,
    PLACE_OR_DISCARD,
    REMOVED,
    SLOTS,
    UNKNOWN,
    View,
)


def expected_action(v: View, chance: int) -> int:
    """The action of the view's seat."""
    if v.phase == CHOOSE:
        return source(v, takes(v))
    if v.phase == MUST_SWAP:
        return SWAP_FROM + best_slot(v, chance)
    if v.phase == PLACE_OR_DISCARD:
        return swap_or_discard(slot_for_drawn(v, chance))
    if v.phase == FLIP:
        return FLIP_FROM + hidden_slot(v, chance)
    if v.phase == MAY_REMOVE:
        return remove_or_pass(v)
    return REVEAL_FROM + slot_to_open(v, chance)


def slot_to_open(v: View, chance: int) -> int:
    """Any card, then one below or above it."""
    if v.hidden[v.seat] == SLOTS:
        return chance % SLOTS
    left = chance % 2
    for slot in range(SLOTS):
        if own_card(v, slot) == UNKNOWN and face_up_cards(v, v.seat, slot % COLUMNS) > 0:
            if left == 0:
                return slot
            left -= 1
    return first_hidden(v)


def takes(v: View) -> bool:
    """Whether the discard is worth more than an unknown card."""
    card = discard_value(v)
    highest = value_of_worst(v)
    return min(5.0 - highest, -0.01) > min(card - highest, card - 5)


def worth(v: View, slot: int) -> int:
    """What lies in a slot, less than every card where nothing does."""
    card = own_card(v, slot)
    if card <= HIGHEST:
        return card
    return LOWEST - 1 if card == REMOVED else 5


def slot_for_drawn(v: View, chance: int) -> int:
    """The best slot if it saves anything."""
    slot = best_slot(v, chance)
    return slot if v.hand < worth(v, slot) else NO_SLOT


def best_slot(v: View, chance: int) -> int:
    """One of the slots with the highest worth."""
    best = LOWEST - 1
    count = 0
    for slot in range(SLOTS):
        if worth(v, slot) > best:
            best = worth(v, slot)
            count = 0
        if worth(v, slot) == best:
            count += 1
    left = chance % count
    for slot in range(SLOTS):
        if worth(v, slot) == best:
            if left == 0:
                return slot
            left -= 1
    return NO_SLOT
