"""A position as plain text: what a view shows, for logs, doctests and ``repr``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from skyjo.rules.layout import (
    COLUMNS,
    NO_CARD,
    NOBODY,
    PHASE_NAMES,
    REMOVED,
    ROWS,
    SLOTS,
    UNKNOWN,
    View,
)

_MARKS: Final = {UNKNOWN: "?", REMOVED: "x", NO_CARD: "-"}


def card_text(card: int) -> str:
    """A card of a view as text: its value, ``?`` if unknown, ``x`` if gone, ``-`` if none.

    >>> card_text(-2), card_text(UNKNOWN)
    ('-2', '?')
    """
    return _MARKS.get(card, str(card))


def grid_rows(view: View, seat: int) -> list[list[str]]:
    """The grid of a seat as three rows of four texts."""
    cells = view.cells[seat * SLOTS : seat * SLOTS + SLOTS]
    return [
        [card_text(card) for card in cells[row * COLUMNS : row * COLUMNS + COLUMNS]]
        for row in range(ROWS)
    ]


def board_text(view: View, players: Sequence[str]) -> str:
    """All grids, piles and totals of a view in a few lines of text."""
    turn = "" if view.turn == NOBODY else f", {players[view.turn]} on turn"
    lines = [
        f"round {view.round}, {PHASE_NAMES[view.phase]}{turn}",
        (
            f"draw pile {view.draw_size}, discard pile {view.discard_size},"
            f" top {card_text(view.discard_top)}, hand {card_text(view.hand)}"
        ),
    ]
    for seat in range(view.seats):
        rows = " / ".join(" ".join(row) for row in grid_rows(view, seat))
        marks = ", left" if view.left[seat] else ", closed" if view.finisher == seat else ""
        lines.append(f"{players[seat]} ({view.totals[seat]}{marks}): {rows}")
    return "\n".join(lines)
