"""``judge``: weighs every card that may come by what its grid will cost in the end.

A rule of our own. The end of a round is judged by three plain thoughts:

* A card above 3 will be replaced by about a 3, the highest first, as long as turns are left; and
  as many turns are left as the grid with the fewest hidden cards lets expect.
* Two equal cards in a column and a third one that is still missing will make the column go, the
  sooner the more of them are unseen.
* Who closes with a card that may not be the lowest pays the penalty, the more likely the less the
  others have.

What lies face down counts the mean of all unseen cards. Each choice is the one with the lowest
judgement of the own points less the mean of the others'; a draw and a card turned up are averaged
over every card that may come. After 40 turns it loses patience, draws and turns cards up.

How much of this it sees is set by its three numbers, 0 or 1: whether it counts the cards that are
gone (else every card may come from the whole deck), whether it plans columns (else it only takes
one that can be completed at once) and whether it looks at the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from typing import Final

from skyjo.bots.features import (
    discard_value,
    hidden_slot,
    may_draw,
    own_card,
    remove_or_pass,
    source,
    unseen_mean,
)
from skyjo.rules.actions import DISCARD, FLIP_FROM, NO_SLOT, PASS, REVEAL_FROM, SWAP_FROM
from skyjo.rules.layout import (
    CARD_COUNTS,
    CHOOSE,
    COLUMNS,
    FLIP,
    HIGHEST,
    LOWEST,
    MAY_REMOVE,
    MUST_SWAP,
    NOBODY,
    PLACE_OR_DISCARD,
    REMOVED,
    ROWS,
    SLOTS,
    UNKNOWN,
    VALUES,
    View,
)
from skyjo.rules.ruleset import EXEMPT, MANDATORY, NEVER, NO_FINAL_TURNS, OFF, OPTIONAL
from skyjo.rules.scoring import with_penalty

# The numbers of the bot.
COUNTS: Final = 0
PLANS: Final = 1
LOOKS: Final = 2

#: What a card is replaced by, as far as one can tell.
REPLACED_BY: Final = 3.0
#: Turns that are left: these, and for each hidden card of the grid with the fewest.
TURNS: Final = 1.5
TURNS_A_CARD: Final = 1.2
#: How likely one card that is missing in a column comes in a turn, for each that is unseen.
COMES: Final = 0.02
#: By how many points one errs about an opponent, and more for each of its hidden cards.
DOUBT: Final = 2.0
DOUBT_A_CARD: Final = 0.5
#: Turns in a round after which it only draws and turns cards up.
PATIENCE: Final = 40
#: The mean of the whole deck.
MEAN: Final = 76 / 15


def judge_action(v: View, chance: int, numbers: Sequence[float]) -> int:
    """The action of the view's seat; ``numbers`` are the three that set its sight."""
    if v.phase == MAY_REMOVE:
        return remove_or_pass(v)
    if v.phase == FLIP:
        return flip_or_pass(v, chance, numbers)
    mean = unseen_mean(v) if numbers[COUNTS] else MEAN
    if v.phase == CHOOSE:
        return source(v, takes(v, chance, mean, numbers))
    if v.phase == MUST_SWAP:
        return SWAP_FROM + best_slot(v, v.hand, mean, numbers)
    if v.phase == PLACE_OR_DISCARD:
        return place(v, chance, mean, numbers)
    return REVEAL_FROM + hidden_slot(v, chance)


# --- The four decisions ---------------------------------------------------------------------------


def takes(v: View, chance: int, mean: float, numbers: Sequence[float]) -> bool:
    """Whether the discard is better than the mean of all cards that may be drawn."""
    if v.turns[v.seat] >= PATIENCE or not may_draw(v):
        return False
    card = discard_value(v)
    taken = judged(v, best_slot(v, card, mean, numbers), card, mean, numbers)
    laid_off = flipped(v, column_to_flip(v, chance, mean, numbers), mean, numbers)
    total = 0.0
    many = 0
    for value in range(VALUES):
        count = v.may_be_drawn[value] if numbers[COUNTS] else CARD_COUNTS[value]
        if count > 0:
            card = value + LOWEST
            kept = judged(v, best_slot(v, card, mean, numbers), card, mean, numbers)
            total += count * min(kept, laid_off)
            many += count
    return many > 0 and taken < total / many


def place(v: View, chance: int, mean: float, numbers: Sequence[float]) -> int:
    """The drawn card into its best slot, unless turning a card up is better."""
    if v.turns[v.seat] >= PATIENCE:
        return DISCARD
    slot = best_slot(v, v.hand, mean, numbers)
    laid_off = flipped(v, column_to_flip(v, chance, mean, numbers), mean, numbers)
    return SWAP_FROM + slot if judged(v, slot, v.hand, mean, numbers) < laid_off else DISCARD


def best_slot(v: View, card: int, mean: float, numbers: Sequence[float]) -> int:
    """The slot in which a card is worth most, of several the first."""
    best = NO_SLOT
    least = 0.0
    for slot in range(SLOTS):
        if own_card(v, slot) == REMOVED:
            continue
        found = judged(v, slot, card, mean, numbers)
        if best == NO_SLOT or found < least:
            best = slot
            least = found
    return best


def flip_or_pass(v: View, chance: int, numbers: Sequence[float]) -> int:
    """The best hidden card, or none where that is allowed and better."""
    mean = unseen_mean(v) if numbers[COUNTS] else MEAN
    slot = column_to_flip(v, chance, mean, numbers)
    may_pass = v.rules.flip_after_discard == OPTIONAL and v.turns[v.seat] < PATIENCE
    if may_pass and judged(v, NO_SLOT, 0, mean, numbers) < flipped(v, slot, mean, numbers):
        return PASS
    return FLIP_FROM + slot


def column_to_flip(v: View, chance: int, mean: float, numbers: Sequence[float]) -> int:
    """The first hidden slot of the column in which it is best to turn a card up."""
    best = NO_SLOT
    least = 0.0
    for number in range(COLUMNS):
        slot = hidden_in(v, (number + chance) % COLUMNS)
        if slot == NO_SLOT:
            continue
        found = flipped(v, slot, mean, numbers)
        if best == NO_SLOT or found < least:
            best = slot
            least = found
    return best


def hidden_in(v: View, column: int) -> int:
    """The first hidden slot of a column."""
    for row in range(ROWS):
        if own_card(v, row * COLUMNS + column) == UNKNOWN:
            return row * COLUMNS + column
    return NO_SLOT


# --- What a position will cost --------------------------------------------------------------------


def flipped(v: View, slot: int, mean: float, numbers: Sequence[float]) -> float:
    """The mean judgement after this card has been turned up."""
    total = 0.0
    many = 0
    for value in range(VALUES):
        count = v.may_be_hidden[value] if numbers[COUNTS] else CARD_COUNTS[value]
        if count > 0:
            total += count * judged(v, slot, value + LOWEST, mean, numbers)
            many += count
    return total / many


def judged(v: View, slot: int, card: int, mean: float, numbers: Sequence[float]) -> float:
    """Own points less the mean of the others', as they will be if this card lay in this slot."""
    hidden = v.hidden[v.seat]
    if slot != NO_SLOT and own_card(v, slot) == UNKNOWN:
        hidden -= 1
    if v.finisher != NOBODY:
        return points(v, v.seat, slot, card, 0.0, mean, numbers)
    if hidden == 0:
        own = points(v, v.seat, slot, card, 0.0, mean, numbers)
        if not numbers[LOOKS]:
            return own
        last = 0.0 if v.rules.final_turns == NO_FINAL_TURNS else 1.0
        return own + penalty(v, own, last, mean, numbers) - others(v, last, mean, numbers)
    turns = turns_left(v, hidden, numbers)
    own = points(v, v.seat, slot, card, turns, mean, numbers)
    return own - others(v, turns, mean, numbers) if numbers[LOOKS] else own


def turns_left(v: View, hidden: int, numbers: Sequence[float]) -> float:
    """How many turns one may hope for with so many hidden cards."""
    fewest = hidden
    if numbers[LOOKS]:
        for seat in range(v.seats):
            if seat != v.seat and not v.left[seat]:
                fewest = min(fewest, v.hidden[seat])
    return TURNS + TURNS_A_CARD * fewest


def others(v: View, turns: float, mean: float, numbers: Sequence[float]) -> float:
    """The mean of the points that the others will have after so many turns."""
    total = 0.0
    many = 0
    for seat in range(v.seats):
        if seat != v.seat and not v.left[seat]:
            total += points(v, seat, NO_SLOT, 0, turns, mean, numbers)
            many += 1
    return total / many


def penalty(v: View, own: float, turns: float, mean: float, numbers: Sequence[float]) -> float:
    """What closing with these points costs, times the chance that somebody has less."""
    if v.rules.penalty_when == NEVER or (v.rules.penalty_nonpositive == EXEMPT and own <= 0):
        return 0.0
    lowest = 1.0
    for seat in range(v.seats):
        if seat != v.seat and not v.left[seat]:
            ahead = points(v, seat, NO_SLOT, 0, turns, mean, numbers) - own
            doubt = DOUBT + DOUBT_A_CARD * v.hidden[seat]
            lowest *= 1.0 / (1.0 + exp(-max(-20.0, ahead / doubt)))
    whole = round(own)
    return (with_penalty(v.rules, whole) - whole) * (1.0 - lowest)


def points(
    v: View, seat: int, slot: int, card: int, turns: float, mean: float, numbers: Sequence[float]
) -> float:
    """What a grid will cost after so many turns, if this card lay in this own slot.

    A turn takes the higher cards first: it saves the mean of what can be saved, weighted by itself.
    """
    total = 0.0
    above = 0.0
    squares = 0.0
    for column in range(COLUMNS):
        a = seen(v, seat, column, slot, card)
        b = seen(v, seat, column + COLUMNS, slot, card)
        c = seen(v, seat, column + 2 * COLUMNS, slot, card)
        if goes(v, a, b, c):
            continue
        cost = worth(a, mean) + worth(b, mean) + worth(c, mean)
        pair = pair_of(a, b, c) if v.rules.column_removal != OFF and numbers[PLANS] else 0
        if pair > 0:
            cost *= 1.0 - completed(v, pair, turns, numbers)
            saved = max(0.0, cost - 3 * REPLACED_BY)
            above += saved
            squares += saved * saved / 3
        else:
            above += saving(a, mean) + saving(b, mean) + saving(c, mean)
            squares += saving(a, mean) ** 2 + saving(b, mean) ** 2 + saving(c, mean) ** 2
        total += cost
    if turns <= 0 or above <= 0:
        return total
    saved = turns * squares / above
    return total - above * saved / (above + saved)


def seen(v: View, seat: int, place: int, slot: int, card: int) -> int:
    """What lies in a slot of a seat, if this card lay in this own slot."""
    if place == slot and seat == v.seat:
        return card
    return v.cells[seat * SLOTS + place]


def goes(v: View, a: int, b: int, c: int) -> bool:
    """Whether these three make a column that will be laid down, or has been."""
    if a != b or b != c or a == UNKNOWN:
        return False
    if a == REMOVED or v.rules.column_removal == MANDATORY:
        return True
    return v.rules.column_removal != OFF and a > 0


def pair_of(a: int, b: int, c: int) -> int:
    """The value of two equal face-up cards that are worth completing, else 0."""
    pair = a if a in (b, c) else b
    if pair > HIGHEST or (b != c and a not in (b, c)):
        return 0
    return max(0, pair)


def completed(v: View, value: int, turns: float, numbers: Sequence[float]) -> float:
    """How likely a third card of this value comes in so many turns."""
    left = v.may_be_drawn[value - LOWEST] if numbers[COUNTS] else CARD_COUNTS[value - LOWEST]
    hope = turns * COMES * left
    return hope / (1.0 + hope)


def worth(card: int, mean: float) -> float:
    """The points of a card."""
    if card == UNKNOWN:
        return mean
    return 0.0 if card == REMOVED else float(card)


def saving(card: int, mean: float) -> float:
    """What replacing a card saves."""
    return max(0.0, worth(card, mean) - REPLACED_BY)
