"""The numbers that stand for cards, slots, seats and phases, and the flat state made of them.

There is no logic here. Everything a rule reads or writes is a small integer or a flat row of
small integers with a name, so that the same functions run over the plain Python object below
(in the interpreter) and over a NumPy record with the same field names (compiled, for bulk play).

A grid is 12 *cells*, row by row: slot = row * 4 + column. All grids lie one behind the other in
``State.cells``: cell = seat * 12 + slot. A cell holds

* a card that lies face up: its value, -2 to 12;
* a card that lies face down: its value + ``HIDDEN``;
* nothing any more, because its column or row went: ``REMOVED``.

A pile is a row of values of which the first ``*_size`` are there; the last of them is the top.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from skyjo.rules.ruleset import Ruleset

ROWS: Final = 3
COLUMNS: Final = 4
SLOTS: Final = 12
MIN_SEATS: Final = 2
MAX_SEATS: Final = 8
OPENING_CARDS: Final = 2

LOWEST: Final = -2
HIGHEST: Final = 12
VALUES: Final = 15
DECK_SIZE: Final = 150
#: How many cards of each value there are, from -2 to 12 (rules 2.1).
CARD_COUNTS: Final = (5, 10, 15, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10)

#: Added to the value of a card that lies face down.
HIDDEN: Final = 32
#: In views only: a card that is there, but not known.
UNKNOWN: Final = 97
#: A slot whose column or row has gone.
REMOVED: Final = 98
#: No card in the hand, or an empty pile.
NO_CARD: Final = 99
#: No seat.
NOBODY: Final = -1

# Phases. The middle five are the state machine of a turn (rules 2.7).
REVEAL: Final = 0
CHOOSE: Final = 1
MUST_SWAP: Final = 2
PLACE_OR_DISCARD: Final = 3
FLIP: Final = 4
MAY_REMOVE: Final = 5
ROUND_OVER: Final = 6
GAME_OVER: Final = 7

PHASE_NAMES: Final = (
    "reveal",
    "choose",
    "must_swap",
    "place_or_discard",
    "flip",
    "may_remove",
    "round_over",
    "game_over",
)

#: Lines of a grid: 0 to 3 are its columns, 4 to 6 its rows.
LINES: Final = 7
MAX_LINES_GONE: Final = 56

#: (name, length, whole numbers it holds); length 0 is a single number. ``small`` fits in a
#: signed byte, ``count`` in two signed bytes, ``many`` in four, ``points`` needs eight. The
#: compiled record is built from this table.
STATE_FIELDS: Final[tuple[tuple[str, int, str], ...]] = (
    ("seats", 0, "small"),
    ("round", 0, "count"),
    ("phase", 0, "small"),
    ("turn", 0, "small"),
    ("hand", 0, "small"),
    ("starter", 0, "small"),
    ("next_starter", 0, "small"),
    ("finisher", 0, "small"),
    ("draw_size", 0, "count"),
    ("discard_size", 0, "count"),
    ("discard_down", 0, "small"),
    ("reshuffles", 0, "count"),
    ("lines_gone", 0, "count"),
    ("left", MAX_SEATS, "small"),
    ("pending", MAX_SEATS, "small"),
    ("hidden", MAX_SEATS, "small"),
    ("cells", MAX_SEATS * SLOTS, "small"),
    ("draw_pile", DECK_SIZE, "small"),
    ("discard_pile", DECK_SIZE, "small"),
    ("pool", VALUES, "small"),
    ("gone", MAX_LINES_GONE, "small"),
    ("turns", MAX_SEATS, "many"),
    ("raw", MAX_SEATS, "points"),
    ("final", MAX_SEATS, "points"),
    ("totals", MAX_SEATS, "points"),
)

#: Same, for what one seat may know (``skyjo.rules.view``).
VIEW_FIELDS: Final[tuple[tuple[str, int, str], ...]] = (
    ("seat", 0, "small"),
    ("seats", 0, "small"),
    ("round", 0, "count"),
    ("phase", 0, "small"),
    ("turn", 0, "small"),
    ("hand", 0, "small"),
    ("starter", 0, "small"),
    ("next_starter", 0, "small"),
    ("finisher", 0, "small"),
    ("draw_size", 0, "count"),
    ("discard_size", 0, "count"),
    ("discard_top", 0, "small"),
    ("reshuffles", 0, "count"),
    ("left", MAX_SEATS, "small"),
    ("pending", MAX_SEATS, "small"),
    ("hidden", MAX_SEATS, "small"),
    ("cells", MAX_SEATS * SLOTS, "small"),
    ("may_be_hidden", VALUES, "count"),
    ("may_be_drawn", VALUES, "count"),
    ("turns", MAX_SEATS, "many"),
    ("raw", MAX_SEATS, "points"),
    ("final", MAX_SEATS, "points"),
    ("totals", MAX_SEATS, "points"),
)

FieldValues: TypeAlias = tuple[int | tuple[int, ...], ...]


class Fields:
    """A flat object whose fields are whole numbers and rows of whole numbers."""

    __slots__ = ()
    FIELDS: tuple[tuple[str, int, str], ...] = ()

    def values(self) -> FieldValues:
        """Every field in the order of ``FIELDS``, rows as tuples; equal values, equal position."""
        return tuple(
            tuple(getattr(self, name)) if length else getattr(self, name)
            for name, length, _ in self.FIELDS
        )


class State(Fields):
    """The full truth of one game between two actions. It never leaves the server.

    Fields (seats, piles and cells as in the module's text):

    * ``seats`` 2 to 8; ``round`` from 1 (0 before the first deal); ``phase``;
      ``turn`` the seat on turn or ``NOBODY``; ``hand`` the card in that seat's hand;
    * ``starter`` who plays first in this round, ``next_starter`` who is to begin the coming one
      (``NOBODY`` while the opening cards decide), ``finisher`` who closed the round;
    * ``discard_down`` 1 while the first discard still lies face down at the bottom of its pile;
    * ``reshuffles`` in this round, ``pool`` how many cards of each value everybody knows to be
      in the draw pile since then;
    * by seat: ``left`` the game, ``pending`` last turn, ``hidden`` cards in the grid, ``turns``
      taken in this round, ``raw`` and ``final`` points of the last scored round, ``totals``;
    * ``gone`` the lines laid down in this round in their order, seat * 7 + line, ``lines_gone``
      of them.

    >>> State(2, Ruleset()).phase == REVEAL
    True
    """

    __slots__ = (*(name for name, _, _ in STATE_FIELDS), "rules")
    FIELDS = STATE_FIELDS

    rules: Ruleset
    seats: int
    round: int
    phase: int
    turn: int
    hand: int
    starter: int
    next_starter: int
    finisher: int
    draw_size: int
    discard_size: int
    discard_down: int
    reshuffles: int
    lines_gone: int
    left: list[int]
    pending: list[int]
    hidden: list[int]
    cells: list[int]
    draw_pile: list[int]
    discard_pile: list[int]
    pool: list[int]
    gone: list[int]
    turns: list[int]
    raw: list[int]
    final: list[int]
    totals: list[int]

    def __init__(self, seats: int, rules: Ruleset) -> None:
        for name, length, _ in STATE_FIELDS:
            setattr(self, name, [0] * length if length else 0)
        self.rules = rules
        self.seats = seats
        self.turn = self.starter = self.next_starter = self.finisher = NOBODY
        self.hand = NO_CARD

    def copy(self) -> State:
        """An independent copy of this state, with the same (frozen) ruleset."""
        other = State.__new__(State)
        for name, length, _ in STATE_FIELDS:
            value = getattr(self, name)
            setattr(other, name, value[:] if length else value)
        other.rules = self.rules
        return other


class View(Fields):
    """What one seat (or an onlooker) may know; filled by ``skyjo.rules.view`` only.

    Like ``State``, but cards that lie face down are ``UNKNOWN``, piles are a size and
    ``discard_top``, and ``hand`` is ``UNKNOWN`` while somebody else looks at a drawn card.
    ``seat`` is ``NOBODY`` for an onlooker. ``may_be_hidden`` and ``may_be_drawn`` count, by value
    from -2, the cards unseen by this seat that may lie face down, and that may be drawn.
    """

    __slots__ = (*(name for name, _, _ in VIEW_FIELDS), "rules")
    FIELDS = VIEW_FIELDS

    rules: Ruleset
    seat: int
    seats: int
    round: int
    phase: int
    turn: int
    hand: int
    starter: int
    next_starter: int
    finisher: int
    draw_size: int
    discard_size: int
    discard_top: int
    reshuffles: int
    left: list[int]
    pending: list[int]
    hidden: list[int]
    cells: list[int]
    may_be_hidden: list[int]
    may_be_drawn: list[int]
    turns: list[int]
    raw: list[int]
    final: list[int]
    totals: list[int]

    def __init__(self, rules: Ruleset) -> None:
        for name, length, _ in VIEW_FIELDS:
            setattr(self, name, [0] * length if length else 0)
        self.rules = rules
        self.seat = NOBODY


#: What the checks of ``skyjo.rules.legality`` need is in both: a bot asks them about its view.
Position: TypeAlias = State | View
