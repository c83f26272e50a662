"""``skyjo show``: the board of a recorded game at any point."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from skyjo.cli import options
from skyjo.errors import MalformedError, RecordError
from skyjo.i18n import N_, _

if TYPE_CHECKING:
    from skyjo.game import Game
    from skyjo.record import Record
    from skyjo.rules.layout import View
    from skyjo.rules.plies import Ply

END = "end"


class PlyNumber(click.ParamType[int | None]):
    """A whole number, or ``end``."""

    name = "ply"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> int | None:
        """The number, None for the end."""
        if value is None or value == END:
            return None
        try:
            return int(str(value)[:20])
        except ValueError:
            self.fail(
                _("'{value}' is neither a whole number nor '{end}'", value=value, end=END),
                param,
                ctx,
            )


@click.command(
    help=N_(
        "Draw the board of a recorded game at any point: FILE is a record as text or JSON, '-'"
        " stands for standard input."
    )
)
@click.argument("file", metavar=N_("FILE"))
@click.option(
    "--ply",
    type=PlyNumber(),
    default=END,
    metavar=N_("NUMBER"),
    help=N_(
        "How many actions have been played: 0 is the first deal, -1 the last action, -2 the one"
        " before; 'end' is where the record ends."
    ),
)
@click.option(
    "--game",
    "number",
    type=int,
    default=1,
    metavar=N_("NUMBER"),
    help=N_("Which game of the file, from 1; -1 is the last one."),
)
@options.PLAIN
def show(*, file: str, ply: int | None, number: int, plain: bool) -> None:
    """Draw the board."""
    from skyjo.cli.records import name_of, printable, records_of, with_warnings

    record = chosen(with_warnings(records_of(file)), number, name_of(file))
    now, last = position(record.game, ply)
    _draw(now, last, [printable(name) for name in record.game.players], record.game.plies, plain)


def chosen(records: Iterator[Record], number: int, file: str) -> Record:
    """The game of this number; RecordError when there are not so many."""
    found: list[Record] = []
    if number > 0:
        found = list(islice(records, number - 1, number))
    elif number < 0:
        last = deque(records, maxlen=min(-number, 10_000))
        found = [last[0]] if len(last) == -number else []
    if not found:
        raise RecordError(N_("there is no game {number} in this file"), number=number, path=file)
    return found[0]


def position(game: Game, ply: int | None) -> tuple[Game, Ply | None]:
    """The game after so many actions (None: at its end), and the last of these actions."""
    from skyjo.record import positions
    from skyjo.rules.plies import Ply

    plies = game.plies
    wanted = plies if ply is None else ply if ply >= 0 else plies + 1 + ply
    if not 0 <= wanted <= plies:
        raise MalformedError(
            N_("there is no ply {number}; the game has {plies}"), number=ply, plies=plies
        )
    played = 0
    last = None
    for entry, now in positions(game):
        if isinstance(entry, Ply):
            played += 1
            last = entry
        if played == wanted and ply is not None:
            return now, last
    return game, last


def _draw(now: Game, last: Ply | None, players: list[str], plies: int, plain: bool) -> None:
    from skyjo import words
    from skyjo.cli.hotseat import penalty_mark
    from skyjo.cli.screen import screen

    drawn = screen(plain)
    drawn.say(_("Ply {number} of {plies}.", number=now.plies, plies=plies))
    if last is not None:
        drawn.say(words.tell(last, players))
    drawn.board(_view(now), players)
    drawn.say(words.status(now.view(), players))
    if now.rounds:
        drawn.sheet(now.score_sheet, penalty_mark(now.ruleset))


def _view(game: Game) -> View:
    """What everybody may see, and the card in hand if the record tells it."""
    from skyjo.cli.screen import board_view
    from skyjo.rules.actions import DRAW, LEAVE
    from skyjo.rules.plies import Ply

    before = (each for each in reversed(game.log) if isinstance(each, Ply) and each.action != LEAVE)
    last = next(before, None)
    is_secret = last is not None and last.action == DRAW and last.card is None
    return board_view(game, None if is_secret else game.turn)
