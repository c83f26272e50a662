"""The guided first round: fixed positions that one plays through by pressing what glows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from skyjo.i18n import N_
from skyjo.rules.layout import NO_CARD, REMOVED, SLOTS, UNKNOWN

#: Where a step waits for a press, beside the slots 0 to 11.
DRAW: Final = "draw"
DISCARD: Final = "discard"
GO_ON: Final = ""


@dataclass(frozen=True, slots=True)
class Lesson:
    """One step: what is said, what lies on the table, and what is to be pressed.

    ``press`` is a slot, ``DRAW``, ``DISCARD``, or ``GO_ON`` for a button; ``fresh`` the slot that
    has just changed; ``picked`` that the discard has been chosen, and lies there still.
    """

    title: str
    says: str
    cells: tuple[int, ...]
    discard: int
    press: int | str
    hand: int = NO_CARD
    fresh: int = -1
    picked: bool = False


def _grid(*known: tuple[int, int]) -> tuple[int, ...]:
    """Twelve slots, face down but for those given as (slot, card)."""
    cells = [UNKNOWN] * SLOTS
    for slot, card in known:
        cells[slot] = card
    return tuple(cells)


_TWO: Final = ((5, 9), (2, 3))
_SWAPPED: Final = ((5, 2), (2, 3))
_FLIPPED: Final = (*_SWAPPED, (9, 2))
_GONE: Final = ((1, REMOVED), (5, REMOVED), (9, REMOVED), (2, 3))
_LAST: Final = (*_GONE[:3], (2, -2))

LESSONS: Final[tuple[Lesson, ...]] = (
    Lesson(
        N_("Twelve cards"),
        N_(
            "These twelve cards are yours; nobody knows them yet. Every card counts its value at"
            " the end, and the fewest points win. Turn over the card that glows."
        ),
        _grid(),
        2,
        5,
    ),
    Lesson(
        N_("The second card"),
        N_("A 9 is nine points: rather many. Everybody begins with two open cards, so one more."),
        _grid((5, 9)),
        2,
        2,
        fresh=5,
    ),
    Lesson(
        N_("Your turn"),
        N_(
            "On your turn you take the top card of the discard pile, or you draw a hidden one. The"
            " 2 is low, and you know it: take it."
        ),
        _grid(*_TWO),
        2,
        DISCARD,
        fresh=2,
    ),
    Lesson(
        N_("Where does it go?"),
        N_(
            "A card from the discard pile must go into your grid, in place of any card, open or"
            " hidden. The 9 is your worst: put the 2 there."
        ),
        _grid(*_TWO),
        2,
        5,
        picked=True,
    ),
    Lesson(
        N_("Drawing"),
        N_(
            "The 9 is gone to the discard pile. Ben has played and discarded an 11. You do not want"
            " that, so draw a card."
        ),
        _grid(*_SWAPPED),
        11,
        DRAW,
        fresh=5,
    ),
    Lesson(
        N_("A bad card"),
        N_(
            "Only you see the drawn 12. You could put it in place of a card, but you need not:"
            " discard it."
        ),
        _grid(*_SWAPPED),
        11,
        DISCARD,
        hand=12,
    ),
    Lesson(
        N_("The price"),
        N_("Whoever discards the drawn card turns over one hidden card. Turn over the one below."),
        _grid(*_SWAPPED),
        12,
        9,
    ),
    Lesson(
        N_("Two of a kind"),
        N_(
            "Another 2, in the same column as the first! Three equal cards in a column go away and"
            " count nothing. And look: Ben has just discarded a 2. Take it."
        ),
        _grid(*_FLIPPED),
        2,
        DISCARD,
        fresh=9,
    ),
    Lesson(
        N_("Complete the column"),
        N_("Put it on the card above, so that all three of the column are equal."),
        _grid(*_FLIPPED),
        2,
        1,
        picked=True,
    ),
    Lesson(
        N_("Gone!"),
        N_(
            "The column has left, and with it its points. The card that lay hidden there went to"
            " the discard pile, and the three 2s on top of it."
        ),
        _grid(*_GONE),
        2,
        GO_ON,
    ),
    Lesson(
        N_("The last turn"),
        N_(
            "Some turns later Ben has turned over his last card and closes the round: everybody"
            " else has exactly one more turn. Draw."
        ),
        _grid(*_GONE),
        8,
        DRAW,
    ),
    Lesson(
        N_("Below zero"),
        N_("A −2, the best card of all! Put it in place of your 3."),
        _grid(*_GONE),
        8,
        2,
        hand=-2,
    ),
    Lesson(
        N_("Counting"),
        N_(
            "All cards are turned over. You have 17 points and Ben has 19. Whoever closes the round"
            " must have the fewest points, or they count double: Ben gets 38. The next rounds"
            " follow until somebody has 100 points; then the fewest win. That is all!"
        ),
        (6, REMOVED, -2, 0, 4, REMOVED, 5, 1, 2, REMOVED, 1, 0),
        3,
        GO_ON,
        fresh=2,
    ),
)
