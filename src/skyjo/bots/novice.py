"""``novice``: likes to turn cards up, and sees little more than its highest card.

A rule of our own, for somebody's first games; H is the highest face-up card of the own grid, as
for ``greedy``. It does not see columns, nobody else's grid, and not that closing may be dear.

* Opening and flip: any hidden card.
* Source: take the discard if it is 0 or less, else draw.
* A card replaces H if it is lower by 7 or more. Else a taken one goes on any hidden card; a drawn
  one is laid off, and a hidden card turned up.
"""

from __future__ import annotations

from typing import Final

from skyjo.bots.features import (
    discard_value,
    hidden_slot,
    remove_or_pass,
    source,
    swap_or_discard,
    value_of_worst,
    worst,
)
from skyjo.rules.actions import FLIP_FROM, NO_SLOT, REVEAL_FROM, SWAP_FROM
from skyjo.rules.layout import CHOOSE, FLIP, MAY_REMOVE, MUST_SWAP, PLACE_OR_DISCARD, View

#: A discard up to this one is taken.
TAKES: Final = 0
#: H is replaced by a card that is lower by this or more.
CLEARLY: Final = 7


def novice_action(v: View, chance: int) -> int:
    """The action of the view's seat; ``chance`` (0 to ``DICE`` - 1) picks hidden cards."""
    if v.phase == CHOOSE:
        return source(v, discard_value(v) <= TAKES)
    if v.phase == MUST_SWAP:
        return SWAP_FROM + (worst(v) if is_much_better(v) else hidden_slot(v, chance))
    if v.phase == PLACE_OR_DISCARD:
        return swap_or_discard(worst(v) if is_much_better(v) else NO_SLOT)
    if v.phase == FLIP:
        return FLIP_FROM + hidden_slot(v, chance)
    if v.phase == MAY_REMOVE:
        return remove_or_pass(v)
    return REVEAL_FROM + hidden_slot(v, chance)


def is_much_better(v: View) -> bool:
    """Whether the card in hand is far below H."""
    return value_of_worst(v) - v.hand >= CLEARLY
