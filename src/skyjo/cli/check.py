"""``skyjo check``: reads records and tells every fault."""

from __future__ import annotations

from collections.abc import Sequence

import click

from skyjo.errors import RecordError
from skyjo.i18n import N_, _, ngettext


@click.command(
    help=N_(
        "Check records: every FILE is read as text or JSON and played again, '-' stands for"
        " standard input. Every fault is told in one line with file, line and column; the status"
        " is then 1."
    )
)
@click.argument("files", nargs=-1, required=True, metavar=N_("FILE..."))
def check(*, files: Sequence[str]) -> int:
    """Check every file."""
    return max([_checked(file) for file in files])


def _checked(file: str) -> int:
    """0 when everything in a file is right."""
    from skyjo.cli.faults import why
    from skyjo.cli.records import name_of, records_of

    faults: list[RecordError] = []

    def tell(fault: RecordError) -> None:
        faults.append(fault)
        click.echo(str(fault))

    games = plies = 0
    try:
        for record in records_of(file, tell):
            games += 1
            plies += record.game.plies
            if record.torn is not None:
                tell(record.torn)
    except OSError as error:
        if error.filename is None:
            raise
        click.echo(f"{file}: {why(error)}", err=True)
        return 1
    if not games and not faults:
        tell(RecordError(N_("this file holds no game"), path=name_of(file)))
    if faults:
        return 1
    click.echo(
        _(
            "{file}: {games}, {plies}, all right",
            file=name_of(file),
            games=ngettext("{n} game", "{n} games", games),
            plies=ngettext("{n} action", "{n} actions", plies),
        )
    )
    return 0
