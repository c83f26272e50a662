"""The two ways to show a game in a terminal, behind one form: Rich, and plain lines.

Plain lines have neither colour nor box drawing; they are for screen readers, pipes and terminals
that can do no more. The plain one needs no Rich.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from skyjo.cli.records import printable
from skyjo.i18n import _, pgettext
from skyjo.rules.layout import (
    COLUMNS,
    NO_CARD,
    NOBODY,
    REMOVED,
    ROWS,
    SLOTS,
    UNKNOWN,
    View,
)
from skyjo.words import MINUS, number, place_label

if TYPE_CHECKING:
    from skyjo.game import Game, ScoreSheet

Section = tuple[str, list[str]]


class Screen(Protocol):
    """Shows a game to the people in front of one terminal."""

    def say(self, text: str) -> None:
        """A line or paragraph of its own."""
        ...

    def board(self, view: View, players: Sequence[str]) -> None:
        """All grids and the piles."""
        ...

    def sheet(self, sheet: ScoreSheet, mark: str) -> None:
        """The score sheet; ``mark`` stands beside punished points."""
        ...

    def text(self, title: str, sections: Sequence[Section]) -> None:
        """A longer text: a title, then titled sections of paragraphs."""
        ...

    def ask(self, prompt: str) -> str:
        """A line that somebody types. Raises EOFError when nothing more can come."""
        ...


def screen(plain: bool) -> Screen:
    """The screen for standard output: Rich on a terminal that can show it, else plain."""
    prepare_streams()
    if plain or not can_draw():
        return PlainScreen()
    from skyjo.cli.board import RichScreen

    return RichScreen()


def can_draw() -> bool:
    """Whether standard output is a terminal with cursor, colours (or NO_COLOR) and Unicode."""
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    return (
        sys.stdout.isatty()
        and os.environ.get("TERM", "dumb") not in ("dumb", "unknown")
        and encoding.startswith("utf")
    )


def prepare_streams() -> None:
    """Whatever is typed or shown, an odd character must never end a game."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")


def ask(prompt: str) -> str:
    """A line from standard input; one that comes from a pipe ends the prompt's line, too."""
    sys.stdout.write(prompt)
    sys.stdout.flush()
    if sys.stdin.isatty():
        return input()
    try:
        return input()
    finally:
        sys.stdout.write("\n")


def card_word(card: int) -> str:
    """A card of a view as a word to read out.

    >>> card_word(-2) == MINUS + "2", card_word(UNKNOWN), card_word(REMOVED)
    (True, 'hidden', 'gone')
    """
    if card == UNKNOWN:
        return pgettext("card", "hidden")
    if card == REMOVED:
        return pgettext("card", "gone")
    if card == NO_CARD:
        return pgettext("card", "none")
    return number(card)


def open_sum(view: View, seat: int) -> int:
    """The sum of the cards that lie face up in a seat's grid."""
    cells = view.cells[seat * SLOTS : seat * SLOTS + SLOTS]
    return sum(card for card in cells if card not in (UNKNOWN, REMOVED))


def board_view(game: Game, seat: int | None = None) -> View:
    """A view as boards show it: totals are those before the round whose cards lie there."""
    view = game.view(seat)
    if game.rounds and game.rounds[-1].number == view.round:
        before = game.rounds[-2].totals if len(game.rounds) > 1 else (0,) * view.seats
        view.totals[: view.seats] = before
    return view


class PlainScreen:
    """Lines of plain text, each of which makes sense when it is read out."""

    def say(self, text: str) -> None:
        """A line of its own."""
        sys.stdout.write(text.replace(MINUS, "-") + "\n")

    def board(self, view: View, players: Sequence[str]) -> None:
        """The piles, then every grid in three rows; on top those of the others."""
        self.say(_("Round {round}.", round=view.round))
        own = view.seat if view.seat != NOBODY else view.turn
        seats = [seat for seat in range(view.seats) if seat != own]
        for seat in [*seats, *([own] if own != NOBODY else [])]:
            self._grid(view, players, seat, labelled=seat == own)
        self.say(
            _(
                "Discard pile: {card} on top. Draw pile: {count}.",
                card=card_word(view.discard_top),
                count=view.draw_size,
            )
        )
        if view.hand != NO_CARD:
            self.say(_("In hand: {card}.", card=card_word(view.hand)))

    def _grid(self, view: View, players: Sequence[str], seat: int, labelled: bool) -> None:
        values = {"player": players[seat], "total": number(view.totals[seat])}
        if view.left[seat]:
            self.say(_("{player} has left the game with a total of {total}.", **values))
            return
        shown = number(open_sum(view, seat))
        if view.finisher == seat:
            self.say(
                _(
                    "{player}: total {total}, open cards {sum}, closed the round",
                    sum=shown,
                    **values,
                )
            )
        else:
            self.say(_("{player}: total {total}, open cards {sum}", sum=shown, **values))
        for row in range(ROWS):
            slots = range(row * COLUMNS, row * COLUMNS + COLUMNS)
            cards = [card_word(view.cells[seat * SLOTS + slot]) for slot in slots]
            if labelled:
                cards = [
                    f"{place_label(slot)} {card}" for slot, card in zip(slots, cards, strict=True)
                ]
            self.say(f"  {row + 1}: " + ", ".join(cards))

    def sheet(self, sheet: ScoreSheet, mark: str) -> None:
        """One line for each round, then the totals and who leads."""
        sheet = with_printable_names(sheet)
        self.say(_("Score sheet"))
        for line in sheet_lines(sheet, mark):
            self.say(line)
        for line in standing(sheet):
            self.say(line)

    def text(self, title: str, sections: Sequence[Section]) -> None:
        """Titles underlined, paragraphs folded to 80 columns."""
        from textwrap import fill

        self.say(title)
        self.say("=" * len(title))
        for heading, paragraphs in sections:
            self.say("")
            self.say(heading)
            self.say("-" * len(heading))
            for paragraph in paragraphs:
                self.say(fill(paragraph, 80, break_on_hyphens=False))

    def ask(self, prompt: str) -> str:
        """A line from standard input."""
        return ask(f"{prompt} ")


def sheet_lines(sheet: ScoreSheet, mark: str) -> list[str]:
    """One line for each round, then the totals."""
    lines = []
    for result in sheet.rounds:
        points = list(map(_points, result.points))
        if result.penalised and result.finisher is not None:
            points[result.finisher] += f" {mark}" if mark else ""
        entries = [f"{name}: {each}" for name, each in zip(sheet.players, points, strict=True)]
        lines.append(_("Round {round}. {points}", round=result.number, points="; ".join(entries)))
    totals = [
        f"{name}: {number(total)}" for name, total in zip(sheet.players, sheet.totals, strict=True)
    ]
    return [*lines, _("Total. {points}", points="; ".join(totals))]


def _points(points: int | None) -> str:
    return "-" if points is None else number(points)


def with_printable_names(sheet: ScoreSheet) -> ScoreSheet:
    """The sheet with names that cannot steer the terminal, wherever they come from."""
    return replace(sheet, players=tuple(printable(name) for name in sheet.players))


def standing(sheet: ScoreSheet) -> list[str]:
    """Who leads, or the final ranking and who has won, a line each."""
    from skyjo.words import list_of, tell_end

    names = list_of([sheet.players[seat] for seat in sheet.leaders])
    if not sheet.winners:
        if not sheet.rounds:
            return []
        return [_("In the lead: {names}", names=names)]
    ranked = sorted(
        (rank, sheet.totals[seat], sheet.players[seat])
        for seat, rank in enumerate(sheet.ranks)
        if rank is not None
    )
    lines = [f"{rank}. {name} ({number(total)})" for rank, total, name in ranked]
    return [*lines, tell_end(sheet)]
