"""The inputs of the network: which rows of the first layer a position makes active, and how much.

Kernels. ``f`` is a table of two rows: the numbers of the active inputs and their amounts; every
function writes from ``at`` on and returns where it ended. ``n`` are the notes (``layout``).
What is unseen is counted before one's last decision of a turn, so that all its outcomes share it.
"""

from __future__ import annotations

import numpy as np

from skyjo.bots.features import apart, hidden_cards
from skyjo.bots.value.layout import (
    APART_ROWS,
    BIAS_ROW,
    CARD_ROWS,
    CLOSED_IT,
    COLUMN_KINDS,
    COLUMN_ROWS,
    COUNTS,
    DRAWN_AT,
    DRAWN_ROWS,
    FINISHED,
    GONE_KIND,
    HIDDEN_AT,
    HIDDEN_SYMBOL,
    KNOB_ROWS,
    LEAST_HIDDEN_ROWS,
    NEXT,
    NEXT_AT,
    NEXT_HIDDEN_ROWS,
    OPEN,
    OWN,
    OWN_HIDDEN_ROWS,
    PAIR_ROWS,
    PENDING_ROWS,
    QUANTITY_ROWS,
    REST,
    SEAT_ROWS,
    STAGE_ROWS,
    SYMBOLS,
    TOP_GAIN_ROWS,
    TOP_PAIR_ROWS,
    TOP_ROWS,
    TOP_SINGLE_ROWS,
    UNSEEN_AT,
    Array,
    Float,
)
from skyjo.rules.layout import (
    COLUMNS,
    HIGHEST,
    LOWEST,
    NOBODY,
    REMOVED,
    ROWS,
    SLOTS,
    UNKNOWN,
    VALUES,
    View,
)
from skyjo.rules.ruleset import NO_FINAL_TURNS, OFF, PLAYER_CHOICE

#: A column that has gone; others are three symbols of four bits.
GONE = 4096
ZERO: Float = np.float32(0)
ONE: Float = np.float32(1)


# --- Columns --------------------------------------------------------------------------------------


def symbol(card: int) -> int:
    """0 to 14 for a card, 15 for a hidden one; a slot that a row took with it counts nothing."""
    if card <= HIGHEST:
        return card - LOWEST
    return HIDDEN_SYMBOL if card == UNKNOWN else -LOWEST


def column_at(v: View, seat: int, column: int) -> int:
    """A column of a grid: three symbols of four bits, or ``GONE``."""
    cell = seat * SLOTS + column
    a, b, c = v.cells[cell], v.cells[cell + COLUMNS], v.cells[cell + 2 * COLUMNS]
    if a == REMOVED and b == REMOVED and c == REMOVED:
        return GONE
    return symbol(a) | symbol(b) << 4 | symbol(c) << 8


def with_symbol(column: int, row: int, card: int) -> int:
    """The column with another card (as symbol) in one of its rows."""
    return column & ~(15 << 4 * row) | card << 4 * row


def kind(column: int) -> int:
    """The number of its multiset: 0 to 815 and ``GONE_KIND``."""
    if column == GONE:
        return GONE_KIND
    a, b, c = column & 15, column >> 4 & 15, column >> 8 & 15
    low = min(a, b)
    high = max(a, b)
    middle = max(low, min(high, c))
    low = min(low, c)
    high = max(high, c)
    return high * (high + 1) * (high + 2) // 6 + middle * (middle + 1) // 2 + low


def pair_symbol(column: int) -> int:
    """The symbol of two equal open cards beside another or a hidden one, -1 without."""
    a, b, c = column & 15, column >> 4 & 15, column >> 8 & 15
    if (a == b) + (a == c) + (b == c) != 1:
        return -1
    pair = b if b == c else a
    return pair if pair != HIDDEN_SYMBOL else -1


def goes(v: View, column: int) -> bool:
    """Whether a column of this kind goes: its owner is taken to let go what costs points."""
    a = column & 15
    if v.rules.column_removal == OFF or column == GONE or a == HIDDEN_SYMBOL:
        return False
    if a != column >> 4 & 15 or a != column >> 8 & 15:
        return False
    return v.rules.column_removal != PLAYER_CHOICE or a + LOWEST > 0


def column_rows(v: View, whose: int, column: int, share: Float, n: Array, f: Array, at: int) -> int:
    """A column: its kind, and its pair with what is left to complete it."""
    if column == GONE or v.rules.column_removal != OFF:
        f[0, at] = COLUMN_ROWS + whose * COLUMN_KINDS + kind(column)
        f[1, at] = share
        at += 1
    else:
        for row in range(ROWS):
            f[0, at] = CARD_ROWS + whose * SYMBOLS + (column >> 4 * row & 15)
            f[1, at] = share
            at += 1
        return at
    if whose != REST and column != GONE:
        pair = pair_symbol(column)
        if pair >= 0:
            left = min(COUNTS - 1, int(n[UNSEEN_AT + pair]))
            f[0, at] = PAIR_ROWS + (whose * VALUES + pair) * COUNTS + left
            f[1, at] = share
            at += 1
    return at


# --- What no action of this turn changes ----------------------------------------------------------


def look_around(v: View, n: Array) -> None:
    """Note what is unseen, and who moves next."""
    hidden = 0
    drawn = 0
    for value in range(VALUES):
        hidden += v.may_be_hidden[value]
        drawn += v.may_be_drawn[value]
    both = apart(v)
    for value in range(VALUES):
        lies, comes = v.may_be_hidden[value], v.may_be_drawn[value]
        n[HIDDEN_AT + value] = lies / max(1, hidden)
        n[DRAWN_AT + value] = comes / drawn if drawn > 0 else lies / max(1, hidden)
        n[UNSEEN_AT + value] = lies + comes if both else comes
    n[NEXT_AT] = next_to_move(v)


def next_to_move(v: View) -> int:
    """The seat that moves after this one, ``NOBODY`` when the round is over then."""
    for step in range(1, v.seats):
        seat = (v.seat + step) % v.seats
        if not v.left[seat] and (v.finisher == NOBODY or v.pending[seat]):
            return seat
    return NOBODY


def hidden_mean(n: Array) -> Float:
    """The mean of the cards that may lie face down."""
    total = ZERO
    for value in range(VALUES):
        total += n[HIDDEN_AT + value] * np.float32(value + LOWEST)
    return total


def expected_sum(v: View, seat: int, mean: Float) -> Float:
    """What a grid should count: hidden cards as the mean."""
    total = 0
    for cell in range(seat * SLOTS, seat * SLOTS + SLOTS):
        if v.cells[cell] <= HIGHEST:
            total += v.cells[cell]
    return np.float32(total) + np.float32(v.hidden[seat]) * mean


def constant_rows(v: View, n: Array, f: Array) -> int:
    """All inputs but one's own grid, the top discard and the stage."""
    at = other_rows(v, n, f, 0)
    at = unseen_rows(n, f, at)
    at = knob_rows(v, f, at)
    at = put(f, at, BIAS_ROW, ONE)
    at = put(f, at, QUANTITY_ROWS, np.float32(min(v.turns[v.seat], 40)) / np.float32(20))
    return put(f, at, QUANTITY_ROWS + 1, np.float32(min(v.draw_size, 60)) / np.float32(60))


def put(f: Array, at: int, row: int, amount: Float) -> int:
    """One input."""
    f[0, at] = row
    f[1, at] = amount
    return at + 1


def other_rows(v: View, n: Array, f: Array, at: int) -> int:
    """The grids of all others, the next seat's apart."""
    mean = hidden_mean(n)
    following = int(n[NEXT_AT])
    seats = 0
    for seat in range(v.seats):
        if not v.left[seat]:
            seats += 1
    share = ONE / np.float32(max(1, seats - 1 - (following != NOBODY)))
    lowest = np.float32(999)
    total = ZERO
    least = 13
    for seat in range(v.seats):
        if v.left[seat] or seat == v.seat:
            continue
        points = expected_sum(v, seat, mean)
        lowest = min(lowest, points)
        total += points
        whose = NEXT if seat == following else REST
        if whose == REST:
            least = min(least, v.hidden[seat])
        for column in range(COLUMNS):
            part = ONE if whose == NEXT else share
            at = column_rows(v, whose, column_at(v, seat, column), part, n, f, at)
    at = put(f, at, SEAT_ROWS + seats, ONE)
    at = put(f, at, LEAST_HIDDEN_ROWS + least, ONE)
    at = put(f, at, NEXT_HIDDEN_ROWS + (13 if following == NOBODY else v.hidden[following]), ONE)
    at = put(f, at, QUANTITY_ROWS + 2, lowest / np.float32(30))
    at = put(f, at, QUANTITY_ROWS + 3, total / np.float32(30 * max(1, seats - 1)))
    if following != NOBODY:
        points = expected_sum(v, following, mean)
        at = put(f, at, QUANTITY_ROWS + 4, points / np.float32(30))
        at = put(f, at, QUANTITY_ROWS + 5, np.float32(v.hidden[following]) * mean / np.float32(30))
    return at


def unseen_rows(n: Array, f: Array, at: int) -> int:
    """How the unseen cards are distributed."""
    for value in range(VALUES):
        drawn = n[DRAWN_AT + value]
        at = put(f, at, DRAWN_ROWS + value, drawn * np.float32(8))
        apart_by = n[HIDDEN_AT + value] - drawn
        if apart_by != 0:
            at = put(f, at, APART_ROWS + value, apart_by * np.float32(8))
    return at


def knob_rows(v: View, f: Array, at: int) -> int:
    """The knobs that change how a round is played, as far as they differ from the defaults."""
    rules = v.rules
    at = put(f, at, KNOB_ROWS + rules.column_removal, ONE)
    if not rules.columns_at_final_reveal:
        at = put(f, at, KNOB_ROWS + 3, ONE)
    if rules.row_removal:
        at = put(f, at, KNOB_ROWS + 4, ONE)
    if rules.final_turns:
        at = put(f, at, KNOB_ROWS + 4 + rules.final_turns, ONE)
    if rules.penalty_when:
        at = put(f, at, KNOB_ROWS + 6 + rules.penalty_when, ONE)
    if rules.penalty_nonpositive:
        at = put(f, at, KNOB_ROWS + 9, ONE)
    if not rules.flip_after_discard:
        at = put(f, at, KNOB_ROWS + 10, ONE)
    more = np.float32(min(4, rules.penalty_multiplier) - 2)
    at = put(f, at, KNOB_ROWS + 11, more)
    at = put(f, at, KNOB_ROWS + 12, np.float32(min(30, rules.penalty_flat)) / np.float32(10))
    if rules.penalty_scope:
        at = put(f, at, KNOB_ROWS + 13, ONE)
    return at


# --- What an action changes -----------------------------------------------------------------------


def stage_after(v: View, hidden: int) -> int:
    """The stage when one's turn has ended with so many hidden cards."""
    if v.finisher != NOBODY:
        return FINISHED
    return CLOSED_IT if hidden == 0 else OPEN


def stage_rows(v: View, hidden: int, stage: int, n: Array, f: Array, at: int) -> int:
    """One's hidden cards, the stage, and who still moves."""
    at = put(f, at, OWN_HIDDEN_ROWS + hidden, ONE)
    at = put(f, at, QUANTITY_ROWS + 6, np.float32(hidden) * hidden_mean(n) / np.float32(30))
    at = put(f, at, STAGE_ROWS + stage, ONE)
    return put(f, at, PENDING_ROWS + pending_after(v, stage), ONE)


def pending_after(v: View, stage: int) -> int:
    """How many others have a turn left in a closed round; 8 while it is open."""
    count = 0
    if stage == CLOSED_IT and v.rules.final_turns == NO_FINAL_TURNS:
        return 0
    for seat in range(v.seats):
        if seat != v.seat and not v.left[seat] and (stage == CLOSED_IT or v.pending[seat]):
            count += 1
    return 8 if v.finisher == NOBODY and stage != CLOSED_IT else count


def own_rows(v: View, n: Array, f: Array, at: int) -> int:
    """One's own columns."""
    for column in range(COLUMNS):
        at = column_rows(v, OWN, column_at(v, v.seat, column), ONE, n, f, at)
    return at


def top_rows(v: View, top: int, n: Array, f: Array, at: int) -> int:
    """The top discard (as symbol; 15: none or unknown), and what the next seat could do with it."""
    at = put(f, at, TOP_ROWS + top, ONE)
    seat = int(n[NEXT_AT])
    if top == HIDDEN_SYMBOL or seat == NOBODY:
        return at
    highest = LOWEST
    for cell in range(seat * SLOTS, seat * SLOTS + SLOTS):
        if highest < v.cells[cell] <= HIGHEST:
            highest = v.cells[cell]
    gain = max(0, highest - LOWEST - top)
    at = put(f, at, TOP_GAIN_ROWS + gain, ONE)
    if v.rules.column_removal == OFF:
        return at
    singles = 0
    for column in range(COLUMNS):
        cards = column_at(v, seat, column)
        if cards == GONE:
            continue
        if pair_symbol(cards) == top:
            at = put(f, at, TOP_PAIR_ROWS + top, ONE)
        elif cards & 15 == top or cards >> 4 & 15 == top or cards >> 8 & 15 == top:
            singles += 1
    return put(f, at, TOP_SINGLE_ROWS + singles, ONE)


def hidden_in(v: View, column: int) -> int:
    """How many cards of one's own column lie face down."""
    return hidden_cards(v, v.seat, column)
