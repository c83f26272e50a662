"""The board, the score sheet and longer texts drawn with Rich.

Five families of cards differ in hue, in lightness and, where there is room, by a glyph; the number
is always there, so that nothing depends on colour. Eight grids fit in 80 columns; in
fewer they stand below each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from skyjo.cli.screen import (
    Section,
    open_sum,
    sheet_lines,
    standing,
    with_printable_names,
)
from skyjo.i18n import _, pgettext
from skyjo.rules.layout import (
    COLUMNS,
    NO_CARD,
    REMOVED,
    ROWS,
    SLOTS,
    UNKNOWN,
    View,
)
from skyjo.words import COLUMN_LABELS, number

if TYPE_CHECKING:
    from skyjo.game import ScoreSheet

#: Highest card of a family, its style and its glyph; number on ground at least 7 to 1.
FAMILIES: Final = (
    (-1, "bold #ffffff on #2a2370", "▾"),
    (0, "bold #000000 on #8fd3f5", "○"),
    (4, "bold #ffffff on #1b5e20", "·"),
    (8, "bold #000000 on #ffc233", "▪"),
    (12, "bold #ffffff on #9b1c1c", "▴"),
)
BACK: Final = "#9a9a9a on #3a3a3a"
GONE: Final = "dim"
BACK_PATTERN: Final = "░"
GONE_MARK: Final = "·"
#: Up to this many seats have large cards, and up to twice as many one row of grids.
LARGE_SEATS: Final = 3
GRIDS_IN_A_ROW: Final = 4
#: Widths of a card.
LARGE: Final = 5
SMALL: Final = 3
#: Wider than any table, to measure one.
WIDEST: Final = 1000
#: What stands between grids.
BETWEEN: Final = "  "


def family(card: int) -> tuple[str, str]:
    """Style and glyph of a face-up card.

    >>> family(-2)[1], family(0)[1], family(12)[1]
    ('▾', '○', '▴')
    """
    return next((style, glyph) for highest, style, glyph in FAMILIES if card <= highest)


def card_text(card: int, width: int = 3) -> Text:
    """One line of a card: its number in its colour, a back, a faint mark where it is gone."""
    if card == UNKNOWN:
        return Text(BACK_PATTERN * width, BACK)
    if card in (REMOVED, NO_CARD):
        return Text(GONE_MARK.center(width), GONE)
    return Text(_centred(number(card), width), family(card)[0])


def lower_half(card: int, width: int) -> Text:
    """The second line of a large card, with the glyph of its family in the corner."""
    if card == UNKNOWN:
        return Text(BACK_PATTERN * width, BACK)
    if card == REMOVED:
        return Text(" " * width)
    style, glyph = family(card)
    return Text(f"{glyph} ".rjust(width), style)


def _centred(text: str, width: int) -> str:
    """Centred, a two-digit number flush with the digit below it where it cannot be."""
    return (
        text.rjust((width + len(text) + 1) // 2).ljust(width) if width > 3 else text.center(width)
    )


class RichScreen:
    """Draws on standard output."""

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or Console(highlight=False, markup=False, emoji=False)

    def say(self, text: str) -> None:
        """A line or paragraph of its own."""
        self.console.print(Text(text))

    def board(self, view: View, players: Sequence[str]) -> None:
        """All grids, up to four beside each other, then the piles."""
        self.console.print(Text(_("Round {round}.", round=view.round), "bold"))
        large = view.seats <= min(LARGE_SEATS, self._grids_in_a_row(LARGE))
        in_a_row = self._grids_in_a_row(LARGE if large else SMALL)
        for first in range(0, view.seats, in_a_row):
            seats = range(first, min(first + in_a_row, view.seats))
            if first:
                self.console.print()
            grids = [list(grid_lines(view, players, seat, large)) for seat in seats]
            for parts in zip(*grids, strict=True):
                self.console.print(Text(BETWEEN).join(parts), no_wrap=True, overflow="crop")
        for line in in_lines(piles(view), self.console.width):
            self.console.print(line, no_wrap=True)

    def _grids_in_a_row(self, width: int) -> int:
        """How many grids with cards of this width stand beside each other."""
        room = (self.console.width + len(BETWEEN)) // (grid_width(width) + len(BETWEEN))
        return max(1, min(room, GRIDS_IN_A_ROW))

    def sheet(self, sheet: ScoreSheet, mark: str) -> None:
        """Rounds down, players across, the leader's total underlined."""
        sheet = with_printable_names(sheet)
        table = score_table(sheet, mark)
        room = self.console.options.update(width=WIDEST)
        if self.console.measure(table, options=room).minimum > self.console.width:
            for line in sheet_lines(sheet, mark):
                self.say(line)
        else:
            self.console.print(table)
        for line in standing(sheet):
            self.say(line)

    def text(self, title: str, sections: Sequence[Section]) -> None:
        """Bold titles, paragraphs folded and set in."""
        width = min(self.console.width, 88)
        self.console.print(Text(title, "bold underline"))
        for heading, paragraphs in sections:
            self.console.print()
            self.console.print(Text(heading, "bold"))
            for paragraph in paragraphs:
                self.console.print(Padding(Text(paragraph), (0, 0, 0, 2)), width=width)

    def ask(self, prompt: str) -> str:
        """A line that somebody types."""
        return self.console.input(Text(f"{prompt} ", "bold"))


def grid_width(card: int) -> int:
    """The width of a grid with cards of this width.

    >>> grid_width(SMALL), grid_width(LARGE)
    (17, 25)
    """
    return 1 + COLUMNS * (card + 1)


def in_lines(parts: Sequence[Text], width: int) -> list[Text]:
    """The parts beside each other, in as few lines as this width allows.

    >>> [line.plain for line in in_lines([Text("one"), Text("two"), Text("three")], 9)]
    ['one   two', 'three']
    """
    found = [Text()]
    for part in parts:
        if found[-1] and found[-1].cell_len + 3 + part.cell_len > width:
            found.append(Text())
        found[-1].append("   " if found[-1] else "").append_text(part)
    return found


def grid_lines(view: View, players: Sequence[str], seat: int, large: bool) -> Iterator[Text]:
    """The lines of one grid, all of the same width: name, column letters, three rows."""
    width = LARGE if large else SMALL
    whole = grid_width(width)
    yield _name_line(view, players[seat], seat, whole)
    dim = "dim" if view.left[seat] else ""
    letters = "".join(f" {letter.center(width)}" for letter in COLUMN_LABELS)
    yield Text(f" {letters}", "dim")
    for row in range(ROWS):
        start = seat * SLOTS + row * COLUMNS
        cards = view.cells[start : start + COLUMNS]
        line = Text().append(f"{row + 1}", "dim")
        for card in cards:
            line.append(" ").append_text(card_text(card, width))
        line.stylize(dim)
        yield line
        if large:
            lower = Text(" ")
            for card in cards:
                lower.append(" ").append_text(lower_half(card, width))
            lower.stylize(dim)
            yield lower
            if row < ROWS - 1:
                yield Text(" " * whole)


def _name_line(view: View, name: str, seat: int, width: int) -> Text:
    """Mark, name, total before this round and sum of the open cards: ``▶ Ana 34+12``."""
    if view.left[seat]:
        points = pgettext("seat", "left")
    else:
        shown = number(open_sum(view, seat))
        added = shown if shown.isdecimal() else f"({shown})"
        points = f"{number(view.totals[seat])}+{added}"
    mark = "▶" if view.turn == seat else "■" if view.finisher == seat else " "
    room = width - cell_len(mark) - cell_len(points) - 1
    line = Text(mark + _fitted(name, room) + " ", "bold" if view.turn == seat else "")
    return line.append(points, "default")


def _fitted(name: str, width: int) -> str:
    """The name in exactly this many cells, cut with an ellipsis when it is longer."""
    if cell_len(name) <= width:
        return set_cell_size(name, width)
    return set_cell_size(set_cell_size(name, width - 1).rstrip() + "…", width)


def piles(view: View) -> list[Text]:
    """Draw pile, discard pile and the card in hand."""
    discard = Text(_("Discard pile:")).append(" ").append_text(card_text(view.discard_top))
    parts = [Text(_("Draw pile: {count}", count=view.draw_size)), discard]
    if view.hand != NO_CARD:
        parts.append(Text(_("In hand:")).append(" ").append_text(card_text(view.hand)))
    return parts


def score_table(sheet: ScoreSheet, mark: str) -> Table:
    """The paper pad."""
    tight = len(sheet.players) > GRIDS_IN_A_ROW
    table = Table(
        title=_("Score sheet"),
        title_style="bold",
        title_justify="left",
        padding=(0, 0 if tight else 1),
    )
    table.add_column(_("Round"), justify="right")
    for name in sheet.players:
        table.add_column(
            Text(name),
            justify="right",
            no_wrap=True,
            overflow="ellipsis",
            min_width=5,
            max_width=8 if tight else 14,
        )
    for result in sheet.rounds:
        cells = ["-" if each is None else number(each) for each in result.points]
        if result.penalised and result.finisher is not None and mark:
            cells[result.finisher] += f" {mark}"
        table.add_row(str(result.number), *map(Text, cells))
    table.add_section()
    totals = [
        Text(number(total), "bold underline" if seat in sheet.leaders else "bold")
        for seat, total in enumerate(sheet.totals)
    ]
    table.add_row(Text(_("Total"), "bold"), *totals)
    return table
