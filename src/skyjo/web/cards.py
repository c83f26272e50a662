"""How cards are drawn: face, family and the words for them, for the templates.

The five families differ in hue, in lightness and in the glyph in their corner, so that they can be
told apart without colour (``static/skyjo.css`` draws them by their class).
"""

from __future__ import annotations

from collections.abc import Sequence

from skyjo import words
from skyjo.i18n import _
from skyjo.rules.layout import COLUMNS, HIGHEST, LOWEST, NO_CARD, REMOVED, ROWS


def number(points: int | None) -> str:
    """A card or points as people write them, with a wide minus sign; a dash for none.

    >>> number(12), number(None)
    ('12', '–')
    """
    return "\N{EN DASH}" if points is None else words.number(points)


def family(card: int) -> str:
    """The class of a card that lies face up.

    >>> [family(card) for card in (-1, 0, 4, 5, 12)]
    ['neg', 'zero', 'low', 'mid', 'high']
    """
    if card < 0:
        return "neg"
    if card == 0:
        return "zero"
    return "low" if card < 5 else "mid" if card < 9 else "high"


def is_open(card: int | None) -> bool:
    """Whether a card of a view is known.

    >>> is_open(0), is_open(REMOVED), is_open(None)
    (True, False, False)
    """
    return card is not None and LOWEST <= card <= HIGHEST


def is_gone(card: int) -> bool:
    """Whether nothing lies in this slot any more."""
    return card == REMOVED


def look(card: int | None) -> str:
    """The classes of a card or slot: its family, ``back``, or ``gone``.

    >>> look(7), look(REMOVED), look(97)
    ('mid', 'gone', 'back')
    """
    if card is None or card in (REMOVED, NO_CARD):
        return "gone"
    return family(card) if is_open(card) else "back"


def card_words(card: int | None) -> str:
    """A card in one word or number, as it is read out.

    >>> card_words(7), card_words(REMOVED)
    ('7', 'gone')
    """
    if card is None or card in (REMOVED, NO_CARD):
        return _("gone")
    return number(card) if is_open(card) else _("face down")


def slot_words(slot: int, card: int) -> str:
    """A slot of a grid with what lies there.

    >>> slot_words(3, 7)
    'Row 1, column 4: 7'
    """
    return _(
        "Row {row}, column {column}: {card}",
        row=slot // COLUMNS + 1,
        column=slot % COLUMNS + 1,
        card=card_words(card),
    )


def grid_words(cells: Sequence[int]) -> str:
    """A whole grid read out row by row.

    >>> grid_words([7, 97, 97, 97] * 3)[:40]
    'Row 1: 7, face down, face down, face dow'
    """
    rows = (
        _(
            "Row {row}: {cards}",
            row=row + 1,
            cards=", ".join(card_words(card) for card in cells[row * COLUMNS :][:COLUMNS]),
        )
        for row in range(ROWS)
    )
    return ". ".join(rows) + "."
