"""The probability to win the game, from totals, target and seats: equity over the game.

>>> round(win_probability([0, 0], 0), 1), round(win_probability([40, 70], 0), 1)
(0.5, 0.8)

Players of equal strength are assumed. Who of them wins depends on how far their totals are apart,
measured by how much chance is still to come: the fewer points the highest total is away from the
target, the less. So the probability is the softmax of the totals, with a temperature whose square
is a polynomial of that distance. Its three coefficients, for each number of seats, with and without
columns that go, were fitted by ``scripts/equity`` to games of the strong bots among themselves
(``equity.json``, ``docs/players.md``). Other house rules change them little, and are not looked at.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib import resources
from math import exp, sqrt
from typing import Any, Final, TypeAlias

from skyjo.errors import MalformedError
from skyjo.i18n import N_
from skyjo.rules.layout import MAX_SEATS, MIN_SEATS, View
from skyjo.rules.ruleset import OFF, Ruleset

#: A row of floats that may be written: a list or an array.
Row: TypeAlias = Any

#: Coefficients of the squared temperature, for 1, distance and distance squared.
TERMS: Final = 3
#: Numbers of the table: with columns that go and without them, for 2 to 8 seats.
TABLE: Final = 2 * (MAX_SEATS - MIN_SEATS + 1) * TERMS
#: No temperature is below this: even the last points are never quite sure.
COLDEST: Final = 2.0
#: Where nobody comes near the target, the last round ends the game: points that one of them brings.
POINTS_A_ROUND: Final = 20.0


@cache
def table() -> tuple[float, ...]:
    """The coefficients, in one row.

    >>> len(table()) == TABLE
    True
    """
    found = json.loads(resources.files("skyjo.bots").joinpath("equity.json").read_text("utf-8"))
    return tuple(
        float(term)
        for family in ("columns", "plain")
        for seats in range(MIN_SEATS, MAX_SEATS + 1)
        for term in found["temperature"][family][str(seats)]
    )


def win_probability(
    totals: Sequence[float], seat: int, ruleset: Ruleset | None = None, rounds: int = 0
) -> float:
    """The share of the win that a seat may expect between two rounds, 0 to 1.

    ``totals`` by seat after so many ``rounds``, of two to eight players of equal strength. Once
    somebody has reached the target (or the last round is over) it is what the seat has won.
    Raises MalformedError for another number of totals.

    >>> win_probability([100, 64, 64], 1)
    0.5
    >>> win_probability([30, 30], 0, Ruleset(max_rounds=2), rounds=2)
    0.5
    """
    if not MIN_SEATS <= len(totals) <= MAX_SEATS:
        raise MalformedError(
            N_("totals of 2 to 8 players are needed, not {count}"), count=len(totals)
        )
    view = View(ruleset or Ruleset())
    view.seats = len(totals)
    view.seat = seat
    view.round = rounds
    return share_of_win(view, list(totals), 0.0, 0.0, table())


# --- Kernels --------------------------------------------------------------------------------------


def share_of_win(v: View, totals: Row, own: float, others: float, coefficients: Row) -> float:
    """The share of the win with these totals, to which own and others' points are added.

    ``totals`` by seat, after the view's round.
    """
    mine = totals[v.seat] + own
    lowest = mine
    highest = mine
    seats = 1
    for seat in range(v.seats):
        if seat != v.seat and not v.left[seat]:
            lowest = min(lowest, totals[seat] + others)
            highest = max(highest, totals[seat] + others)
            seats += 1
    over = v.rules.max_rounds > 0 and v.round >= v.rules.max_rounds
    if highest >= v.rules.target or over:
        return final_share(v, totals, mine, others, lowest)
    rest = temperature(v, v.rules.target - highest, seats, coefficients)
    total = 0.0
    for seat in range(v.seats):
        if seat != v.seat and not v.left[seat]:
            total += exp(-(totals[seat] + others - lowest) / rest)
    weight = exp(-(mine - lowest) / rest)
    return weight / (weight + total)


def final_share(v: View, totals: Row, mine: float, others: float, lowest: float) -> float:
    """What a seat has won when the game is over: those who tie share it."""
    if mine > lowest:
        return 0.0
    winners = 1
    for seat in range(v.seats):
        if seat != v.seat and not v.left[seat] and totals[seat] + others <= lowest:
            winners += 1
    return 1.0 / winners


def temperature(v: View, distance: float, seats: int, coefficients: Row) -> float:
    """By how many points totals have to differ, so that the odds are one to e."""
    if v.rules.max_rounds > 0:
        distance = min(distance, POINTS_A_ROUND * (v.rules.max_rounds - v.round))
    first = TERMS * (seats - MIN_SEATS)
    if v.rules.column_removal == OFF:
        first += TABLE // 2
    square = coefficients[first] + distance * (
        coefficients[first + 1] + distance * coefficients[first + 2]
    )
    return max(COLDEST, sqrt(max(0.0, square)))
