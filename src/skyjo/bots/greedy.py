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
    hidden_value,
    highest_face_up,
    may_draw,
    own_card,
)
from skyjo.rules.actions import (
    DISCARD,
    DRAW,
    FLIP_FROM,
    NO_SLOT,
    PASS,
    REMOVE_FROM,
    REVEAL_FROM,
    SWAP_FROM,
    TAKE,
)
from skyjo.rules.layout import (
    CHOOSE,
    COLUMNS,
    FLIP,
    HIGHEST,
    MAY_REMOVE,
    MUST_SWAP,
    PLACE_OR_DISCARD,
    View,
)
from skyjo.rules.turns import column_matches


def greedy_action(v: View, chance: int) -> int:
    """The action of the view's seat; ``chance`` (0 to ``DICE`` - 1) picks hidden cards."""
    if v.phase == CHOOSE:
        return source(v)
    if v.phase == MUST_SWAP:
        return SWAP_FROM + place_for_taken(v)
    if v.phase == PLACE_OR_DISCARD:
        return keep(v)
    if v.phase == FLIP:
        return FLIP_FROM + hidden_slot(v, chance)
    if v.phase == MAY_REMOVE:
        return remove_or_pass(v)
    return REVEAL_FROM + hidden_slot(v, chance)


def source(v: View) -> int:
    """Take or draw."""
    if v.discard_size == 0:
        return DRAW
    card = discard_value(v)
    if card <= 0 or card < value_of_worst(v) or not may_draw(v):
        return TAKE
    return DRAW


def keep(v: View) -> int:
    """A drawn card replaces H, or is laid off."""
    if v.hand < value_of_worst(v):
        return SWAP_FROM + worst(v)
    return DISCARD


def place_for_taken(v: View) -> int:
    """The slot for a card taken from the discard pile."""
    hidden = first_hidden(v)
    if value_of_worst(v) > v.hand or hidden == NO_SLOT:
        return worst(v)
    return hidden


def worst(v: View) -> int:
    """The slot of H."""
    slot = highest_face_up(v)
    return first_hidden(v) if slot == NO_SLOT else slot


def value_of_worst(v: View) -> int:
    """What H counts."""
    card = own_card(v, worst(v))
    return card if card <= HIGHEST else hidden_value(v)


def remove_or_pass(v: View) -> int:
    """The first equal column whose cards cost points; none: keep the others."""
    for column in range(COLUMNS):
        if column_matches(v, v.seat, column) and own_card(v, column) > 0:
            return REMOVE_FROM + column
    return PASS
