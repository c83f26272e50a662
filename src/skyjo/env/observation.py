"""The observation: what one seat may know, as a row of signed bytes.

It is made from a ``View`` (``skyjo.rules.view``) and from nothing else, by one kernel that runs in
the interpreter and compiled. A row has a part that is about the whole round, and then a part of
the same form for every seat: the observing one first, then clockwise. ``GENERAL`` and ``BY_SEAT``
name the planes with their lengths, ranges and meaning; ``docs/research.md`` has the same table.

``OBSERVATION_VERSION`` changes whenever the same view would give another row.
"""

from __future__ import annotations

from collections.abc import MutableSequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from skyjo.rules.layout import (
    HIGHEST,
    LOWEST,
    MAX_SEATS,
    MIN_SEATS,
    NO_CARD,
    NOBODY,
    REMOVED,
    ROUND_OVER,
    SLOTS,
    UNKNOWN,
    VALUES,
    View,
)

OBSERVATION_VERSION: Final = 1

#: A matrix of signed bytes with one observation in each row.
Rows: TypeAlias = Any

#: The largest number in an observation: whatever counts further stays there.
MOST: Final = 127
LEAST: Final = -128

#: As many cards of one value as the deck has; a game with a deck of its own may have more.
ALIKE: Final = 15


@dataclass(frozen=True, slots=True)
class Plane:
    """Some numbers in a row that mean the same: their name, how many, their range, in words."""

    name: str
    length: int
    low: int
    high: int
    says: str


GENERAL: Final = (
    Plane("phase", ROUND_OVER, 0, 1, "one-hot: reveal, choose, must_swap, ... as PHASE_NAMES"),
    Plane("hand", 1, LOWEST, HIGHEST, "the card in the hand of the seat on turn, 0 if not known"),
    Plane("hand_known", 1, 0, 1, "there is a card in the hand, and it is known"),
    Plane("hand_unknown", 1, 0, 1, "there is a card in the hand that only another seat sees"),
    Plane("discard", 1, LOWEST, HIGHEST, "the top discard, 0 if there is none or not known"),
    Plane("discard_known", 1, 0, 1, "there is a top discard, and it lies face up"),
    Plane("discard_unknown", 1, 0, 1, "the top discard lies face down"),
    Plane("draw_size", 1, 0, MOST, "cards in the draw pile"),
    Plane("discard_size", 1, 0, MOST, "cards in the discard pile"),
    Plane("reshuffles", 1, 0, MOST, "reshuffles in this round"),
    Plane("round", 1, 0, MOST, "number of the round, from 1"),
    Plane("rounds_left", 1, 0, MOST, "rounds after this one under max_rounds, 127 without it"),
    Plane(
        "may_be_hidden", VALUES, 0, ALIKE, "unseen cards by value from -2 that may lie face down"
    ),
    Plane("may_be_drawn", VALUES, 0, ALIKE, "unseen cards by value from -2 that may be drawn"),
)
BY_SEAT: Final = (
    Plane("cards", SLOTS, LOWEST, HIGHEST, "face-up cards row by row, 0 for all other slots"),
    Plane("face_down", SLOTS, 0, 1, "slots whose card lies face down"),
    Plane("gone", SLOTS, 0, 1, "slots whose column or row was laid down"),
    Plane("hidden", 1, 0, SLOTS, "how many cards lie face down"),
    Plane("total", 1, LEAST, MOST, "points of the rounds before, in percent of the target"),
    Plane("turns", 1, 0, MOST, "turns taken in this round"),
    Plane("on_turn", 1, 0, 1, "this seat is to act"),
    Plane("last_turn", 1, 0, 1, "this seat still has its last turn"),
    Plane("closed", 1, 0, 1, "this seat has closed the round"),
    Plane("starter", 1, 0, 1, "this seat has begun the round"),
    Plane("left", 1, 0, 1, "this seat has left the game"),
)

GENERAL_SIZE: Final = 47
SEAT_SIZE: Final = 44
# Where the longer planes begin, in the general part and in that of a seat.
_HIDDEN: Final = 17
_DRAWN: Final = 32
_FACE_DOWN: Final = 12
_GONE: Final = 24
_FACTS: Final = 36

# What is written for a card, from the lowest one: its value, 0 for whatever is no known card. A
# condition would compile to a jump that the processor guesses wrong for every few cards.
_SHOWN: Final[NDArray[np.int8]] = np.array(
    [card if card <= HIGHEST else 0 for card in range(LOWEST, NO_CARD + 1)], np.int8
)


def observation_size(seats: int) -> int:
    """How many numbers an observation has.

    >>> observation_size(2), observation_size(8)
    (135, 399)
    """
    return GENERAL_SIZE + SEAT_SIZE * seats


def planes(seats: int) -> tuple[tuple[str, int, Plane], ...]:
    """All planes of a row: name, where it begins, and what it is.

    The planes of a seat are called ``seat0.cards`` and so on; ``seat0`` is the observing seat,
    ``seat1`` the next one clockwise.

    >>> [(name, start) for name, start, _ in planes(2)][12:16]
    [('may_be_hidden', 17), ('may_be_drawn', 32), ('seat0.cards', 47), ('seat0.face_down', 59)]
    """
    if not MIN_SEATS <= seats <= MAX_SEATS:
        raise ValueError(f"seats is {MIN_SEATS} to {MAX_SEATS}, not {seats}")
    found = []
    start = 0
    for part in range(-1, seats):
        for plane in GENERAL if part < 0 else BY_SEAT:
            name = plane.name if part < 0 else f"seat{part}.{plane.name}"
            found.append((name, start, plane))
            start += plane.length
    return tuple(found)


def bounds(seats: int) -> tuple[list[int], list[int]]:
    """The least and the largest value of every number of a row.

    >>> low, high = bounds(2)
    >>> low[47], high[47]
    (-2, 12)
    """
    every = [plane for _, _, plane in planes(seats) for _ in range(plane.length)]
    return [plane.low for plane in every], [plane.high for plane in every]


def fill_observation(v: View, rows: Rows, row: int) -> None:
    """Write what a view shows into one row, of ``observation_size(v.seats)`` numbers.

    A view of nobody is written as seen from seat 0.
    """
    fill_general(v, rows, row)
    seat = v.seat if v.seat != NOBODY else 0
    at = GENERAL_SIZE
    for _ in range(v.seats):
        fill_grid(v, seat, rows, row, at)
        fill_facts(v, seat, rows, row, at + _FACTS)
        at += SEAT_SIZE
        seat = seat + 1 if seat + 1 < v.seats else 0


def fill_general(v: View, rows: Rows, row: int) -> None:
    """Phase, hand, piles and unseen cards."""
    for phase in range(ROUND_OVER):
        rows[row, phase] = v.phase == phase
    fill_card(v.hand, rows, row, 6)
    fill_card(v.discard_top, rows, row, 9)
    rows[row, 12] = min(v.draw_size, MOST)
    rows[row, 13] = min(v.discard_size, MOST)
    rows[row, 14] = min(v.reshuffles, MOST)
    rows[row, 15] = min(v.round, MOST)
    left = v.rules.max_rounds - v.round if v.rules.max_rounds > 0 else MOST
    rows[row, 16] = min(left, MOST)
    for value in range(VALUES):
        rows[row, _HIDDEN + value] = min(v.may_be_hidden[value], ALIKE)
    for value in range(VALUES):
        rows[row, _DRAWN + value] = min(v.may_be_drawn[value], ALIKE)


def fill_card(card: int, rows: Rows, row: int, at: int) -> None:
    """A single card: its value, whether it is known, whether it is there but not known."""
    rows[row, at] = _SHOWN[card - LOWEST]
    rows[row, at + 1] = card <= HIGHEST
    rows[row, at + 2] = card == UNKNOWN


def fill_grid(v: View, seat: int, rows: Rows, row: int, at: int) -> None:
    """The twelve slots of a seat; plane after plane, which compiles to fewer instructions."""
    cell = seat * SLOTS
    for slot in range(SLOTS):
        rows[row, at + slot] = _SHOWN[v.cells[cell + slot] - LOWEST]
    for slot in range(SLOTS):
        rows[row, at + _FACE_DOWN + slot] = v.cells[cell + slot] == UNKNOWN
    for slot in range(SLOTS):
        rows[row, at + _GONE + slot] = v.cells[cell + slot] == REMOVED


def fill_facts(v: View, seat: int, rows: Rows, row: int, at: int) -> None:
    """What there is to know about a seat beside its cards."""
    rows[row, at] = v.hidden[seat]
    rows[row, at + 1] = max(min(v.totals[seat] * 100 // v.rules.target, MOST), LEAST)
    rows[row, at + 2] = min(v.turns[seat], MOST)
    rows[row, at + 3] = v.turn == seat
    rows[row, at + 4] = v.pending[seat]
    rows[row, at + 5] = v.finisher == seat
    rows[row, at + 6] = v.starter == seat
    rows[row, at + 7] = v.left[seat]


def picture(row: MutableSequence[int], seats: int) -> str:
    """A row with the names of its planes, for people who look for a mistake.

    >>> print(picture([0] * 135, 2).splitlines()[0])
    phase 0 0 0 0 0 0
    """
    return "\n".join(
        " ".join([name, *(str(int(row[start + place])) for place in range(plane.length))])
        for name, start, plane in planes(seats)
    )
