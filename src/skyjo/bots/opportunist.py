"""``opportunist``: collects low cards, and closes when that looks good.

The restated rule of a public bot; H is the highest face-up card of the own grid, as for ``greedy``.
It estimates every opponent at the sum of the face-up cards and 2 for each hidden one, and itself at
the sum of its face-up cards and the card in question. That card is good for closing if the estimate
and the card once more are together not above the lowest opponent.

With more than one hidden card:

* Source: take the discard if it is below 5, else draw. A drawn card is kept if it is below 5.
* It goes into the first column that holds an equal face-up card and a different one, on the highest
  different card; else on H if that is at least 4 higher; else on any hidden card.

With one hidden card:

* Source: take the discard if it is below 5 and good, else draw.
* A drawn card is laid off, and the last card turned up, if even a 6 would be good; else it is kept.
* It goes on the last hidden card if it is good, else on H.

Opening and flip: any hidden card.
"""

from __future__ import annotations

from skyjo.bots.features import (
    discard_value,
    equal_cards,
    face_up_sum,
    first_hidden,
    hidden_slot,
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


def opportunist_action(v: View, chance: int) -> int:
    """The action of the view's seat."""
    if v.phase == CHOOSE:
        return source(v, takes(v))
    if v.phase == MUST_SWAP:
        return SWAP_FROM + place(v, chance)
    if v.phase == PLACE_OR_DISCARD:
        return swap_or_discard(place(v, chance) if keeps(v) else NO_SLOT)
    if v.phase == FLIP:
        return FLIP_FROM + hidden_slot(v, chance)
    if v.phase == MAY_REMOVE:
        return remove_or_pass(v)
    return REVEAL_FROM + hidden_slot(v, chance)


def takes(v: View) -> bool:
    """Whether the discard is wanted."""
    card = discard_value(v)
    return card < 5 and (v.hidden[v.seat] > 1 or is_good(v, card))


def keeps(v: View) -> bool:
    """Whether a drawn card is kept."""
    return v.hand < 5 if v.hidden[v.seat] > 1 else not is_good(v, 6)


def is_good(v: View, card: int) -> bool:
    """Whether closing with this card in the place of the last hidden one looks good."""
    for seat in range(v.seats):
        if seat != v.seat and not v.left[seat]:
            other = face_up_sum(v, seat) + 2 * v.hidden[seat]
            if face_up_sum(v, v.seat) + 2 * card > other:
                return False
    return True


def place(v: View, chance: int) -> int:
    """The slot for the card in hand."""
    if v.hidden[v.seat] <= 1:
        return first_hidden(v) if is_good(v, v.hand) else worst(v)
    for column in range(COLUMNS):
        slot = highest_different(v, column)
        if equal_cards(v, v.seat, column, v.hand) > 0 and slot != NO_SLOT:
            return slot
    if value_of_worst(v) - v.hand >= 4:
        return worst(v)
    return hidden_slot(v, chance)


def highest_different(v: View, column: int) -> int:
    """The slot of a column's highest face-up card that differs from the one in hand."""
    best = NO_SLOT
    for row in range(ROWS):
        slot = row * COLUMNS + column
        card = own_card(v, slot)
        if card <= HIGHEST and card != v.hand and (best == NO_SLOT or card > own_card(v, best)):
            best = slot
    return best
