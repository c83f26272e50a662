"""A view as a picture, for people who watch an agent learn; drawn by Pillow."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from skyjo.rules.board import card_text
from skyjo.rules.layout import COLUMNS, HIGHEST, NO_CARD, REMOVED, ROWS, SLOTS, UNKNOWN, View

CARD: Final = (44, 60)
GAP: Final = 6
MARGIN: Final = 16
HEADER: Final = 24
#: Grids that stand in one line.
ACROSS: Final = 4

TABLE: Final = (38, 70, 83)
TEXT: Final = (240, 244, 244)
QUIET: Final = (150, 172, 178)
ON_TURN: Final = (255, 209, 102)
BACK: Final = (92, 107, 125)
#: From, up to and including, the colour of the cards; dark enough or light enough for their figure.
COLOURS: Final = (
    (-1, (74, 78, 160)),
    (0, (98, 182, 224)),
    (4, (104, 188, 108)),
    (8, (244, 208, 84)),
    (HIGHEST, (226, 98, 84)),
)


def board_picture(view: View, players: Sequence[str]) -> NDArray[np.uint8]:
    """All grids and the piles, as (height, width, 3) of whole numbers from 0 to 255.

    >>> from skyjo.rules.ruleset import Ruleset
    >>> view = View(Ruleset())
    >>> view.seats = 2
    >>> board_picture(view, ["Ana", "Ben"]).shape
    (338, 448, 3)
    """
    across = min(view.seats, ACROSS)
    down = -(-view.seats // ACROSS)
    grid = (COLUMNS * (CARD[0] + GAP), ROWS * (CARD[1] + GAP) + HEADER)
    piles = CARD[1] + HEADER + MARGIN
    size = (MARGIN + across * (grid[0] + MARGIN), piles + down * (grid[1] + MARGIN))
    image = Image.new("RGB", size, TABLE)
    draw = ImageDraw.Draw(image)
    _draw_piles(draw, view)
    for seat in range(view.seats):
        left = MARGIN + seat % ACROSS * (grid[0] + MARGIN)
        top = piles + seat // ACROSS * (grid[1] + MARGIN)
        _draw_grid(draw, view, seat, players[seat], (left, top))
    return np.asarray(image, np.uint8).copy()


def _draw_piles(draw: ImageDraw.ImageDraw, view: View) -> None:
    """Draw pile, discard pile and hand."""
    piles = (
        (UNKNOWN if view.draw_size > 0 else NO_CARD, view.draw_size),
        (view.discard_top, view.discard_size),
        (view.hand, None),
    )
    for place, (card, size) in enumerate(piles):
        left = MARGIN + place * (CARD[0] + 2 * MARGIN)
        _draw_card(draw, card, (left, MARGIN // 2))
        if size is not None:
            draw.text((left, MARGIN // 2 + CARD[1] + 2), str(size), QUIET, _font(14))


def _draw_grid(
    draw: ImageDraw.ImageDraw, view: View, seat: int, name: str, corner: tuple[int, int]
) -> None:
    """The name and the twelve slots of a seat."""
    left, top = corner
    colour = ON_TURN if view.turn == seat else TEXT
    draw.text((left, top), f"{name}  {view.totals[seat]}", colour, _font(15))
    for slot in range(SLOTS):
        x = left + slot % COLUMNS * (CARD[0] + GAP)
        y = top + HEADER + slot // COLUMNS * (CARD[1] + GAP)
        _draw_card(draw, view.cells[seat * SLOTS + slot], (x, y))


def _draw_card(draw: ImageDraw.ImageDraw, card: int, corner: tuple[int, int]) -> None:
    """A card with its figure, a back, or the place where one was."""
    box = (*corner, corner[0] + CARD[0], corner[1] + CARD[1])
    if card in (REMOVED, NO_CARD):
        draw.rounded_rectangle(box, 6, outline=BACK)
        return
    if card == UNKNOWN:
        draw.rounded_rectangle(box, 6, BACK)
        return
    fill = next(colour for most, colour in COLOURS if card <= most)
    draw.rounded_rectangle(box, 6, fill)
    ink = (20, 24, 28) if sum(fill) > 380 else (255, 255, 255)
    middle = (corner[0] + CARD[0] // 2, corner[1] + CARD[1] // 2)
    draw.text(middle, card_text(card), ink, _font(22), anchor="mm")


@cache
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """The font that comes with Pillow."""
    return ImageFont.load_default(size)
