"""What happened: one entry of a game's log for every deal, reshuffle and action.

A log is enough to play the game again anywhere. A ``Ply`` also holds what became visible by it,
so that it can be told in words and drawn without replaying.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from skyjo.rules.layout import COLUMNS, LINES


@dataclass(frozen=True, slots=True)
class Deal:
    """The deck of a round, top card first."""

    round: int
    deck: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Reshuffle:
    """The discards that make a new draw pile, top card first; it belongs to the next draw."""

    order: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A column or row of a seat's grid that was laid off.

    >>> Line.from_number(7 + 2).name, Line(0, 4).name
    ('c2', 'r0')
    """

    seat: int
    line: int

    @classmethod
    def from_number(cls, number: int) -> Line:
        """The line as the state notes it, seat * 7 + line."""
        return cls(number // LINES, number % LINES)

    @property
    def is_column(self) -> bool:
        """Whether it is a column (else a row)."""
        return self.line < COLUMNS

    @property
    def index(self) -> int:
        """The column's or the row's index from 0."""
        return self.line if self.is_column else self.line - COLUMNS

    @property
    def name(self) -> str:
        """``c2`` for column 2, ``r0`` for row 0."""
        return f"{'c' if self.is_column else 'r'}{self.index}"


@dataclass(frozen=True, slots=True)
class TurnedUp:
    """A hidden card that the final reveal turned over."""

    seat: int
    slot: int
    card: int


@dataclass(frozen=True, slots=True)
class Ply:
    """One action and what it showed.

    ``card`` is the card taken, drawn, placed, laid off or turned up (None for a pass, for a
    leaver without a card in hand, and where the viewer may not know a drawn card); ``replaced``
    the card that a swap put on the discard pile and ``was_hidden`` whether it had lain face
    down; ``lines`` what was laid off, in order; ``closed`` that the seat is now the finisher;
    ``turned_up`` the cards of the final reveal; ``ends`` "", "round" or "game".
    """

    seat: int
    action: int
    card: int | None = None
    replaced: int | None = None
    was_hidden: bool = False
    lines: tuple[Line, ...] = ()
    closed: bool = False
    turned_up: tuple[TurnedUp, ...] = ()
    ends: str = ""


Entry: TypeAlias = Deal | Reshuffle | Ply
