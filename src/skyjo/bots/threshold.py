"""``threshold:k``: takes and keeps what is not higher than k.

The restated rule of a public bot; H is the highest face-up card of the own grid, as for ``greedy``.

* Opening and flip: any hidden card.
* Source: take the discard if it is k or less, else draw.
* A drawn card replaces H if it is lower; else it is laid off if it is higher than k, and else goes
  on the first hidden card.
* A taken card replaces H if it is lower; else the first hidden card; else H.
"""

from __future__ import annotations

from collections.abc import Sequence

from skyjo.bots.features import (
    discard_value,
    first_hidden,
    hidden_slot,
    remove_or_pass,
    source,
    swap_or_discard,
    value_of_worst,
    worst,
)
from skyjo.rules.actions import FLIP_FROM, NO_SLOT, REVEAL_FROM, SWAP_FROM
from skyjo.rules.layout import CHOOSE, FLIP, MAY_REMOVE, MUST_SWAP, PLACE_OR_DISCARD, View


def threshold_action(v: View, chance: int, numbers: Sequence[float]) -> int:
    """The action of the view's seat; ``numbers`` holds k."""
    if v.phase == CHOOSE:
        return source(v, discard_value(v) <= numbers[0])
    if v.phase == MUST_SWAP:
        return SWAP_FROM + slot_for_taken(v)
    if v.phase == PLACE_OR_DISCARD:
        return swap_or_discard(slot_for_drawn(v, numbers[0]))
    if v.phase == FLIP:
        return FLIP_FROM + hidden_slot(v, chance)
    if v.phase == MAY_REMOVE:
        return remove_or_pass(v)
    return REVEAL_FROM + hidden_slot(v, chance)


def slot_for_drawn(v: View, k: float) -> int:
    """H, the first hidden card, or none."""
    if v.hand >= value_of_worst(v) and v.hand > k:
        return NO_SLOT
    return slot_for_taken(v)


def slot_for_taken(v: View) -> int:
    """H or the first hidden card."""
    hidden = first_hidden(v)
    if v.hand < value_of_worst(v) or hidden == NO_SLOT:
        return worst(v)
    return hidden
