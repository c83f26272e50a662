"""``greedy``: takes what is lower than its highest card, and opens by chance.

The restated rule of a public bot. H is the highest face-up card of the own grid, of several the
first; without any (all open columns have gone) the first hidden card stands in for it, valued
like every card that is not known at the mean of all unseen cards, rounded.

* Opening and flip: any hidden card.
* Source: take the discard if it is 0 or less, or lower than H; else draw.
* A drawn card replaces H if it is lower; else it is laid off, and a hidden card turned up.
* A taken card replaces H if it is lower; else the first hidden card; else H.
* Where flipping is optional it flips; where a column may go, it goes if that saves points.
"""

from __future__ import annotations

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


def greedy_action(v: View, chance: int) -> int:
    """The action of the view's seat; ``chance`` (0 to ``DICE`` - 1) picks hidden cards."""
    if v.phase == CHOOSE:
        return source(v, takes(v))
    if v.phase == MUST_SWAP:
        return SWAP_FROM + slot_for_taken(v)
    if v.phase == PLACE_OR_DISCARD:
        return swap_or_discard(slot_for_drawn(v))
    if v.phase == FLIP:
        return FLIP_FROM + hidden_slot(v, chance)
    if v.phase == MAY_REMOVE:
        return remove_or_pass(v)
    return REVEAL_FROM + hidden_slot(v, chance)


def takes(v: View) -> bool:
    """Whether the discard is wanted."""
    card = discard_value(v)
    return card <= 0 or card < value_of_worst(v)


def slot_for_drawn(v: View) -> int:
    """A drawn card replaces H, or is laid off."""
    return worst(v) if v.hand < value_of_worst(v) else NO_SLOT


def slot_for_taken(v: View) -> int:
    """The slot for a card taken from the discard pile."""
    hidden = first_hidden(v)
    if value_of_worst(v) > v.hand or hidden == NO_SLOT:
        return worst(v)
    return hidden
