"""What the numbers of a value network mean: rows of its first layer, heads, parts of its row.

The network is one layer of hidden units between a sparse input and a few outputs. Every active
input adds one row of the first layer to the hidden units; most inputs are one of many (which cards
a column has, the top discard, how many cards are hidden), some are quantities. Rows of a group lie
one behind the other. The outputs (*heads*) are linear, so that the mean over all outcomes of a draw
or a flip is the mean of the hidden units, taken once.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

#: A row or table of floats: a NumPy array.
Array: TypeAlias = Any
#: A number of single precision.
Float: TypeAlias = Any

# --- Inputs: rows of the first layer --------------------------------------------------------------

#: Cards of a column are symbols: 0 to 14 for -2 to 12, and one for a card that lies face down.
SYMBOLS: Final = 16
HIDDEN_SYMBOL: Final = 15
#: The multisets of three symbols, and behind them the column that has gone.
COLUMN_KINDS: Final = 817
GONE_KIND: Final = 816

# Whose column it is: one's own, that of the seat that moves next, one of all others.
OWN: Final = 0
NEXT: Final = 1
REST: Final = 2

#: Counts of unseen cards of a value, 10 for 10 and more.
COUNTS: Final = 11

COLUMN_ROWS: Final = 0
#: Where columns never go, a column is its three cards.
CARD_ROWS: Final = COLUMN_ROWS + 3 * COLUMN_KINDS
#: Two equal cards in a column, by value and by how many more of them are unseen.
PAIR_ROWS: Final = CARD_ROWS + 3 * SYMBOLS
#: The top discard (15: none or unknown), and what the next seat could do with it.
TOP_ROWS: Final = PAIR_ROWS + 2 * 15 * COUNTS
TOP_PAIR_ROWS: Final = TOP_ROWS + 16
TOP_SINGLE_ROWS: Final = TOP_PAIR_ROWS + 15
TOP_GAIN_ROWS: Final = TOP_SINGLE_ROWS + 5
#: Hidden cards: one's own, the next seat's (13: no seat), the fewest of the rest.
OWN_HIDDEN_ROWS: Final = TOP_GAIN_ROWS + 15
NEXT_HIDDEN_ROWS: Final = OWN_HIDDEN_ROWS + 13
LEAST_HIDDEN_ROWS: Final = NEXT_HIDDEN_ROWS + 14
STAGE_ROWS: Final = LEAST_HIDDEN_ROWS + 14
#: How many of the others still have a turn after the round was closed.
PENDING_ROWS: Final = STAGE_ROWS + 5
SEAT_ROWS: Final = PENDING_ROWS + 9
#: Quantities: shares of the unseen cards, by value; the same of the hidden ones less that.
DRAWN_ROWS: Final = SEAT_ROWS + 9
APART_ROWS: Final = DRAWN_ROWS + 15
QUANTITY_ROWS: Final = APART_ROWS + 15
KNOB_ROWS: Final = QUANTITY_ROWS + 10
BIAS_ROW: Final = KNOB_ROWS + 22
ROWS: Final = BIAS_ROW + 1

#: At most so many inputs are active at once.
ACTIVE: Final = 256

# --- Stages: each has output weights of its own ---------------------------------------------------

#: After one's turn: nobody has closed; one has closed oneself; one's last turn is over.
OPEN: Final = 0
CLOSED_IT: Final = 1
FINISHED: Final = 2
#: Having decided to draw: in an ordinary turn, in the last one.
DRAWING: Final = 3
DRAWING_LAST: Final = 4
STAGES: Final = 5

# --- Heads ----------------------------------------------------------------------------------------

#: Final points of the round: one's own, the mean and the lowest of the others'.
OWN_POINTS: Final = 0
OTHERS_POINTS: Final = 1
LOWEST_POINTS: Final = 2
#: The probability to be strictly the lowest.
ROUND_WON: Final = 3
#: One's turns until the round is over.
TURNS_LEFT: Final = 4
#: Own points squared, the others' mean squared, the product of both.
OWN_SQUARE: Final = 5
OTHERS_SQUARE: Final = 6
PRODUCT: Final = 7
HEADS: Final = 8
#: What 1.0 stands for in every head.
UNITS: Final = (20.0, 20.0, 20.0, 1.0, 10.0, 400.0, 400.0, 400.0)

# --- A bot's row of numbers -----------------------------------------------------------------------

# The header.
WIDTH_AT: Final = 0
#: 1: a draw is the mean over all cards; 0: the network says what a draw is worth.
EXACT_AT: Final = 1
#: 1: where two are left, what is close is looked at two turns ahead (``deep``).
DEEP_AT: Final = 2
HEADER: Final = 64

#: Working space: so many rows as wide as the hidden layer ...
BASE: Final = 0  # nothing is turned up; 1: one hidden card less
PATH: Final = 2
SUM: Final = 3
LESS: Final = 4  # base without a column: 4 as it is, 4 with one hidden card less
TOPS: Final = 12  # the top discard, by symbol
TURNED: Final = 28  # 4 x 15: a hidden card of the column becomes this one
MERIT: Final = 88  # the output weights of each stage, as the utility weighs them
NOTHING: Final = 93
BEST: Final = 94  # hidden units of the action that was found best
SPACE_ROWS: Final = 95
#: ... two rows for the active inputs, and these notes.
HIDDEN_AT: Final = 0  # probability of each card to lie face down
DRAWN_AT: Final = 16  # of each card to be drawn
UNSEEN_AT: Final = 32  # how many cards of each value are unseen
MERIT_AT: Final = 48  # what the biases of the stages are worth
UTILITY_AT: Final = 56  # the utility's weight of each head
FOUND_AT: Final = 64  # heads of the action that was found best
TRIED_AT: Final = 72  # heads of the one that is tried
NEXT_AT: Final = 80  # the seat that moves next
VALUE_AT: Final = 81  # value of the action that was found best
WANTED_AT: Final = 82  # 1: heads are wanted, too
STAGE_AT: Final = 83
DOUBLE_AT: Final = 84  # 4 columns: whether an equal one stands before it
FOUND_STAGE_AT: Final = 88
ACTION_AT: Final = 96  # value of every action
# 144 to 151 are ``master``'s. The look at two turns keeps here:
OURS_AT: Final = 160  # the utility's weights
SHARES_AT: Final = 168  # what lies face down
SHALLOW_AT: Final = 184  # value of every action one turn ahead
DEEPER_AT: Final = 232  # value of every action that was looked at again
REPLY_AT: Final = 280  # heads of the other's best answers
NOTES: Final = 288


def size(width: int) -> int:
    """How many numbers the row of a bot has.

    >>> size(16)
    51176
    """
    return (
        HEADER
        + ROWS * width
        + STAGES * HEADS * width
        + STAGES * HEADS
        + SPACE_ROWS * width
        + 2 * ACTIVE
        + NOTES
    )
