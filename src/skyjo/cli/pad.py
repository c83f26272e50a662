"""``skyjo pad``: score pads from files and for the terminal."""

from __future__ import annotations

import asyncio
import json
import sys
import unicodedata
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from skyjo.i18n import N_, _, ngettext

if TYPE_CHECKING:
    from skyjo.rules.ruleset import Ruleset
    from skyjo.scorepad.authority import PadAuthority
    from skyjo.scorepad.scene import PadScene
    from skyjo.scorepad.sheet_text import Sheet

T = TypeVar("T")

_DATA = click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False),
    default=None,
    metavar=N_("FOLDER"),
    help=N_("The folder of the server's data instead of the usual one."),
)
_DATABASE = click.option(
    "--database",
    default="",
    envvar="SKYJO_DATABASE",
    metavar=N_("URL"),
    help=N_("The PostgreSQL database of the server, if its games are in one."),
)
_RULESET = click.option(
    "--ruleset", default="official", metavar=N_("PRESET"), help=N_("The rules to reckon by.")
)
_SET = click.option(
    "--set",
    "house",
    multiple=True,
    metavar=N_("KNOB=VALUE"),
    help=N_("Change a house rule; may be given several times."),
)


@click.group(help=N_("Keep the score of games with real cards: read a sheet, show a pad."))
def pad() -> None:
    """The group of the commands on pads."""


@pad.command(
    "import",
    help=N_(
        "Read a sheet that was kept elsewhere: players are columns, rounds are rows. Every fault"
        " is told in one line with file, line and column; then nothing is imported. '-' stands for"
        " standard input."
    ),
)
@click.argument("file", metavar=N_("FILE"))
@_RULESET
@_SET
@_DATA
@_DATABASE
@click.option("--check", is_flag=True, help=N_("Only look for faults, and show the sheet."))
def import_(
    *,
    file: str,
    ruleset: str,
    house: Sequence[str],
    data: Path | None,
    database: str,
    check: bool,
) -> int:
    """Make a pad of a file."""
    rules = _rules(ruleset, house)
    sheet = _read(file)
    if sheet.faults:
        for fault in sheet.faults:
            click.echo(str(fault))
        return 1
    if check:
        click.echo(_drawn(sheet.names, rules, sheet.rounds))
        return 0

    async def work(pads: PadAuthority) -> tuple[PadScene, str]:
        from skyjo.table.keys import new_secret

        secret = new_secret()
        made = await pads.create(secret, sheet.names, ruleset=rules.text(), rounds=sheet.rounds)
        return made, await pads.keeper_link(made.id, secret)

    scene, token = _with_pads(_database(data, database), work)
    click.echo(_show_scene(scene))
    click.echo()
    click.echo(
        ngettext(
            "{n} round is on pad {code} now.",
            "{n} rounds are on pad {code} now.",
            len(scene.rounds),
            code=scene.code,
        )
    )
    click.echo(_("To keep it in a browser, open /pad/{code}/keep/{token} of your server.",
                 code=scene.code, token=token))  # fmt: skip
    return 0


@pad.command(
    help=N_("Print a pad: by its code from the server's data, or a sheet in a file ('-': input).")
)
@click.argument("pad", metavar=N_("CODE|FILE"))
@_RULESET
@_SET
@_DATA
@_DATABASE
@click.option(
    "--to",
    "form",
    type=click.Choice(["text", "csv", "json"]),
    default="text",
    help=N_("The form in which the pad is printed."),
)
def show(
    *,
    pad: str,
    ruleset: str,
    house: Sequence[str],
    data: Path | None,
    database: str,
    form: str,
) -> int:
    """Print a pad."""
    if pad == "-" or Path(pad).is_file():
        sheet = _read(pad)
        for fault in sheet.faults:
            click.echo(str(fault), err=True)
        if sheet.faults:
            return 1
        rules = _rules(ruleset, house)
        click.echo(_formatted(form, sheet.names, rules, sheet.rounds), nl=False)
        return 0

    async def work(pads: PadAuthority) -> PadScene:
        return await pads.scene((await pads.find(pad)).id)

    scene = _with_pads(_database(data, database, must_be_there=True), work)
    if form == "text":
        click.echo(_show_scene(scene))
        return 0
    if form == "json":
        from skyjo.scorepad.scene import pad_json

        click.echo(json.dumps(pad_json(scene), ensure_ascii=False, indent=1))
        return 0
    entries = [line.entry for line in scene.rounds]
    click.echo(_formatted(form, scene.names, scene.ruleset, entries), nl=False)
    return 0


def _rules(preset: str, house: Sequence[str]) -> Ruleset:
    from skyjo.rules.ruleset import Ruleset

    return Ruleset.parse(" ".join([preset, *house]))


def _read(file: str) -> Sheet:
    from skyjo.cli.records import name_of
    from skyjo.errors import RecordError
    from skyjo.scorepad.sheet_text import Sheet, read_sheet

    raw = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    for encoding in ("utf-16",) if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else ("utf-8", "cp1252"):
        try:
            return read_sheet(raw.decode(encoding), name_of(file))
        except UnicodeDecodeError:
            continue
    fault = RecordError(N_("this is no text"), path=name_of(file), line=1, column=1)
    return Sheet(faults=[fault])


def _database(data: Path | None, database: str, *, must_be_there: bool = False) -> str:
    """The URL of the database in which the server of a folder keeps its games.

    SkyjoError when it is in PostgreSQL and has not been named, or, with ``must_be_there``, when
    there is none.
    """
    from skyjo.cli.serve import checked_database, data_folder, noted_database
    from skyjo.errors import SkyjoError
    from skyjo.web.settings import DATABASE_NAME, Settings

    checked_database(database)
    nothing = N_("There are no games in {folder}. Name the folder of the server with --data.")
    if must_be_there and not database and data is not None and not data.is_dir():
        raise SkyjoError(nothing, folder=data)
    folder = data_folder(data)
    if not database:
        if elsewhere := noted_database(folder):
            raise SkyjoError(
                N_("The games of {folder} are in {database}. Name it with --database."),
                folder=folder,
                database=elsewhere,
            )
        if must_be_there and not (folder / DATABASE_NAME).exists():
            raise SkyjoError(nothing, folder=folder)
    return Settings(data=folder, key="", database=database).database_url


def _with_pads(url: str, work: Callable[[PadAuthority], Awaitable[T]]) -> T:
    """Carry out something with the pads of a server's database; it may run at the same time."""
    from skyjo.scorepad.authority import PadAuthority
    from skyjo.store import open_store

    async def run() -> T:
        store = await open_store(url)
        try:
            return await work(PadAuthority(store))
        finally:
            await store.close()

    return asyncio.run(run())


# --- drawing ----------------------------------------------------------------------------------


def _show_scene(scene: PadScene) -> str:
    left = [each for each, gone in zip(scene.names, scene.left, strict=True) if gone]
    drawn = _drawn(
        scene.names, scene.ruleset, [line.entry for line in scene.rounds], ended=scene.ended,
        left=scene.left,
    )  # fmt: skip
    return f"{drawn}\n" + _("Went home: {players}", players=", ".join(left)) if left else drawn


def _formatted(form: str, names: Sequence[str], rules: Ruleset, rounds: Sequence[Any]) -> str:
    from skyjo.scorepad.sheet_text import write_sheet

    if form == "csv":
        return write_sheet(names, rounds)
    if form == "json":
        values = {
            "players": list(names),
            "ruleset": rules.text(),
            "rounds": [
                {"points": each.points, "closer": each.closer, "penalty": each.penalty}
                for each in rounds
            ],
        }
        return json.dumps(values, ensure_ascii=False, indent=1) + "\n"
    return _drawn(names, rules, rounds) + "\n"


def _drawn(
    names: Sequence[str],
    rules: Ruleset,
    rounds: Sequence[Any],
    *,
    ended: bool = False,
    left: Sequence[bool] = (),
) -> str:
    """The sheet in plain text: rounds down, players across, x2 for the penalty."""
    from skyjo import words
    from skyjo.scorepad.reckoning import reckon

    found = reckon(names, rules, rounds, left, ended=ended)
    rows: list[list[str]] = [["", *names]]
    for place, line in enumerate(found.sheet.rounds):
        cells = []
        for seat, points in enumerate(line.points):
            mark = ""
            if seat == line.finisher:
                mark = ("x2" if points != line.raw[seat] else "!") if line.penalised else "."
                mark += "*" if found.overruled[place] else ""
            cells.append(f"{'-' if points is None else points}{mark}")
        rows.append([str(line.number), *cells])
    rows.append([_("Sum"), *[str(total) for total in found.sheet.totals]])
    widths = [max(_width(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "  ".join(
            " " * (width - _width(cell)) + cell for cell, width in zip(row, widths, strict=True)
        )
        for row in rows
    ]
    rule = "-" * (sum(widths) + 2 * len(widths) - 2)
    lines[-1:] = [rule, lines[-1]]
    told = words.tell_end(found.sheet)
    if not told and found.starter is not None:
        told = _("{player} starts the next round.", player=names[found.starter])
    return "\n".join([*lines, *([told] if told else [])])


def _width(text: str) -> int:
    """How many places a text takes in a terminal."""
    return sum(
        0
        if unicodedata.combining(letter)
        else 2
        if unicodedata.east_asian_width(letter) in "WF"
        else 1
        for letter in text
    )
