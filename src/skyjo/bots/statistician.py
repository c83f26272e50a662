"""``statistician``: weighs every slot, and what the next player makes of its discard.

The restated rule of a public bot. The gain of card x in a slot is what lies there (a hidden card
counts the mean of all unseen cards) less x, and 3x more if the two other cards of that column are
face up and equal x. The use of a card to the next player is 2(1 - x) for x <= 0, else -0.3x; 20
more if it completes a pair in one of that player's columns; 2 more for each column with exactly one
equal card and a hidden one.

* Opening: any hidden card.
* Source: take the discard if its best gain is more than 0.5 above that of an average card, and
  above 0.5.
* A taken card goes where its gain is highest; of equal ones where the displaced card (a hidden one
  counts the mean, rounded) is of least use to the next player.
* A drawn card goes there too if its gain is above 0.5. If it is not below -0.5, it goes there only
  if it would be of more use to the next player than the displaced card, by more than 3. Else it is
  laid off.
* Flip: when its expected points are strictly the lowest and nobody has closed, the hidden card in
  the column with most face-up cards; else one beside an equal pair; else any.
"""

from __future__ import annotations

from skyjo.bots.features import (
    discard_value,
    equal_cards,
    face_up_cards,
    face_up_sum,
    first_hidden,
    hidden_cards,
    hidden_slot,
    hidden_value,
    is_last_turn,
    next_seat,
    own_card,
    remove_or_pass,
    source,
    swap_or_discard,
    unseen_mean,
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


def statistician_action(v: View, chance: int) -> int:
    """The action of the view's seat."""
    if v.phase == CHOOSE:
        return source(v, takes(v))
    if v.phase == MUST_SWAP:
        return SWAP_FROM + best_slot(v, v.hand)
    if v.phase == PLACE_OR_DISCARD:
        return swap_or_discard(slot_for_drawn(v))
    if v.phase == FLIP:
        return FLIP_FROM + slot_to_flip(v, chance)
    if v.phase == MAY_REMOVE:
        return remove_or_pass(v)
    return REVEAL_FROM + hidden_slot(v, chance)


def takes(v: View) -> bool:
    """Whether the discard is clearly better than an average card, and than nothing."""
    card = discard_value(v)
    average = hidden_value(v)
    drawn = gain(v, best_slot(v, average), average)
    return gain(v, best_slot(v, card), card) > max(0.0, drawn) + 0.5


def gain(v: View, slot: int, card: int) -> float:
    """What a card is worth in a slot."""
    there = own_card(v, slot)
    value = float(there) if there <= HIGHEST else unseen_mean(v)
    others = equal_cards(v, v.seat, slot % COLUMNS, card) - (1 if there == card else 0)
    return value - card + (3.0 * card if others == 2 else 0.0)


def best_slot(v: View, card: int) -> int:
    """The slot with the highest gain, then with the displaced card of least use, then the first."""
    best = NO_SLOT
    best_gain = 0.0
    best_use = 0.0
    for slot in range(SLOTS):
        if own_card(v, slot) == REMOVED:
            continue
        found = gain(v, slot, card)
        use = use_to_next(v, displaced(v, slot))
        if best == NO_SLOT or found > best_gain or (found == best_gain and use < best_use):
            best = slot
            best_gain = found
            best_use = use
    return best


def displaced(v: View, slot: int) -> int:
    """The card that a swap would lay off, as far as one can tell."""
    card = own_card(v, slot)
    return hidden_value(v) if card == UNKNOWN else card


def use_to_next(v: View, card: int) -> float:
    """How much a discard helps the next player."""
    seat = next_seat(v)
    use = 2.0 * (1 - card) if card <= 0 else -0.3 * card
    pairs = 0
    for column in range(COLUMNS):
        equal = equal_cards(v, seat, column, card)
        if equal == 2:
            pairs += 1
        elif equal == 1 and hidden_cards(v, seat, column) > 0:
            use += 2.0
    return use + (20.0 if pairs > 0 else 0.0)


def slot_for_drawn(v: View) -> int:
    """The best slot if it is good enough, or lays the card out of the next player's reach."""
    slot = best_slot(v, v.hand)
    found = gain(v, slot, v.hand)
    if found > 0.5:
        return slot
    if found >= -0.5 and use_to_next(v, v.hand) > use_to_next(v, displaced(v, slot)) + 3:
        return slot
    return NO_SLOT


def slot_to_flip(v: View, chance: int) -> int:
    """Hurry when ahead, else hope for a column."""
    if leads(v) and not is_last_turn(v):
        return hidden_in_fullest_column(v)
    for slot in range(SLOTS):
        if own_card(v, slot) == UNKNOWN and beside_pair(v, slot % COLUMNS):
            return slot
    return hidden_slot(v, chance)


def leads(v: View) -> bool:
    """Whether its expected points are strictly the lowest."""
    average = unseen_mean(v)
    own = face_up_sum(v, v.seat) + average * v.hidden[v.seat]
    for seat in range(v.seats):
        other = face_up_sum(v, seat) + average * v.hidden[seat]
        if seat != v.seat and not v.left[seat] and other <= own:
            return False
    return True


def hidden_in_fullest_column(v: View) -> int:
    """The first hidden card in a column with most face-up cards."""
    best = first_hidden(v)
    for slot in range(SLOTS):
        fuller = face_up_cards(v, v.seat, slot % COLUMNS) > face_up_cards(v, v.seat, best % COLUMNS)
        if own_card(v, slot) == UNKNOWN and fuller:
            best = slot
    return best


def beside_pair(v: View, column: int) -> bool:
    """Whether two equal cards lie face up in a column of the own grid."""
    for value in range(LOWEST, HIGHEST + 1):
        if equal_cards(v, v.seat, column, value) == 2:
            return True
    return False
