"""``skyjo backup``, ``restore`` and ``delete``: looking after the data of a server."""

from __future__ import annotations

import errno
import json
import os
import signal
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Final, NoReturn

import click

import skyjo
from skyjo.errors import MalformedError, SkyjoError
from skyjo.i18n import N_, _, ngettext

#: What is in a backup: a ZIP file with these members.
DATABASE: Final = "skyjo.sqlite3"
KEY: Final = "secret.key"
ABOUT: Final = "backup.json"
FORMAT: Final = 1
#: No part of a backup is larger than this; a file that says so is none.
_LARGEST: Final = {DATABASE: 2**40, KEY: 1000, ABOUT: 10_000}

_DATA = click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False),
    default=None,
    metavar=N_("FOLDER"),
    help=N_("The folder of the server's data, if it is not the usual one."),
)


# --- backup -----------------------------------------------------------------------------------


@click.command(help=N_("Copy games and key of a server into one file, also while it runs."))
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False), metavar=N_("FILE"))
@_DATA
@click.option("--replace", is_flag=True, help=N_("Write over a file that is there already."))
def backup(*, file: Path, data: Path | None, replace: bool) -> None:
    """Write a backup; the file takes its name when all of it is there and has been checked."""
    from skyjo.cli.serve import data_folder, noted_database
    from skyjo.store.backup import copy_database, count_tables

    folder = data_folder(data, make=False)
    if elsewhere := noted_database(folder):
        raise SkyjoError(
            N_(
                "These games are not in a file but in PostgreSQL. Copy them with its own program,"
                " also while the server runs: pg_dump --format=custom --file={file}.dump"
                " {database}; and keep {key} with it, without which nobody gets their seats back."
            ),
            file=file.with_suffix(""),
            database=elsewhere,
            key=folder / KEY,
        )
    if file.exists() and not replace:
        raise SkyjoError(
            N_("{path} is there already. Name another file, or add --replace."), path=file
        )
    place = file.absolute().parent
    if not place.is_dir():
        raise SkyjoError(
            N_("There is no folder {folder}. Make it first, or name another file."), folder=place
        )
    with _workplace("skyjo-", place) as work:
        copied = work / DATABASE
        with _progress(_("Copying")) as told:
            copy_database(folder / DATABASE, copied, told)
        count = count_tables(copied)
        packed = work / "backup.zip"
        with open(packed, "xb", opener=_for_owner) as stream:
            _pack(stream, copied, folder / KEY, count)
            stream.flush()
            os.fsync(stream.fileno())
        packed.replace(file)
    click.echo(
        ngettext(
            "{path} holds {n} table, and the key: keep it where nobody else reads it.",
            "{path} holds {n} tables, and the key: keep it where nobody else reads it.",
            count,
            path=file,
        )
    )


@contextmanager
def _workplace(prefix: str, folder: Path) -> Iterator[Path]:
    """A temporary folder that is deleted also when the command is ended by a signal."""

    def end(number: int, _frame: object) -> NoReturn:
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, end)
    try:
        with tempfile.TemporaryDirectory(prefix=prefix, dir=folder) as work:
            yield Path(work)
    finally:
        signal.signal(signal.SIGTERM, before)


def _for_owner(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _pack(stream: IO[bytes], database: Path, key: Path, count: int) -> None:
    about = {
        "format": FORMAT,
        "skyjo": skyjo.__version__,
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "tables": count,
    }
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr(ABOUT, json.dumps(about, indent=1))
        archive.write(database, DATABASE)
        if key.exists():
            archive.write(key, KEY)


@contextmanager
def _progress(label: str) -> Iterator[Any]:
    """A bar on a terminal, nothing elsewhere."""
    hidden = not sys.stderr.isatty()
    with click.progressbar(length=1000, label=label, file=sys.stderr, hidden=hidden) as bar:
        done = 0

        def told(part: float) -> None:
            nonlocal done
            now = int(part * 1000)
            bar.update(max(now - done, 0))
            done = max(now, done)

        yield told


# --- restore ----------------------------------------------------------------------------------


@click.command(help=N_("Put the games and the key of a backup in place, while no server runs."))
@click.argument(
    "file", type=click.Path(path_type=Path, exists=True, dir_okay=False), metavar=N_("FILE")
)
@_DATA
@click.option(
    "--replace",
    is_flag=True,
    help=N_("Put aside the games that are there; they stay in the folder under another name."),
)
def restore(*, file: Path, data: Path | None, replace: bool) -> None:
    """Check a backup whole, then put it in place."""
    from skyjo.cli.serve import ServerRunsError, data_folder, owner_of

    folder = data_folder(data)
    try:
        with owner_of(folder):
            _restore(file, folder, replace=replace)
    except ServerRunsError as running:
        raise SkyjoError(
            N_("A server for {folder} is running: {address}. Stop it first, then restore."),
            folder=folder,
            address=running.address,
        ) from None


def _restore(file: Path, folder: Path, *, replace: bool) -> None:
    from skyjo.cli.serve import hand_over
    from skyjo.store.backup import count_tables, put_in_place

    with _workplace("restore-", folder) as work:
        key = _unpack(file, work)
        target = folder / DATABASE
        if target.exists() and not replace:
            raise SkyjoError(
                N_("There are games in {folder} already. Add --replace to put them aside."),
                folder=folder,
            )
        count = count_tables(work / DATABASE)
        hand_over(work / DATABASE, folder)
        stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
        old = put_in_place(work / DATABASE, target, f"skyjo.before-{stamp}.sqlite3")
        if key:
            _put_key(folder / KEY, key, f"secret.before-{stamp}.key")
            hand_over(folder / KEY, folder)
    if old is not None:
        click.echo(_("What was there before is now {path}.", path=old))
    click.echo(ngettext("{n} table is in place again.", "{n} tables are in place again.", count))


def _unpack(file: Path, work: Path) -> bytes:
    """Write a backup's database into a folder and check it; the key that came with it."""
    import sqlite3
    from contextlib import closing

    from skyjo.store.backup import check_database

    try:
        with zipfile.ZipFile(file) as archive:
            _check_format(archive, file)
            key = _member(archive, KEY) if KEY in archive.namelist() else b""
            with archive.open(DATABASE) as packed, (work / DATABASE).open("xb") as out:
                while part := packed.read(2**20):
                    out.write(part)
                out.flush()
                os.fsync(out.fileno())
    except SkyjoError:
        raise
    except Exception as error:
        # A damaged ZIP file makes its reader raise almost anything. Only what the system says of
        # disk and folder is told as it is; a place that no file has is none of that.
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
            raise
        raise MalformedError(N_("{path} is no backup of skyjo."), path=file) from error
    (work / DATABASE).chmod(0o600)
    with closing(sqlite3.connect(work / DATABASE)) as connection:
        check_database(connection, file)
    return key


def _check_format(archive: zipfile.ZipFile, file: Path) -> None:
    about = json.loads(_member(archive, ABOUT))
    if about.get("format", 0) > FORMAT:
        raise SkyjoError(
            N_("{path} was made by a newer version of skyjo; update skyjo."), path=file
        )
    if not {*archive.namelist()} <= {*_LARGEST}:
        raise ValueError(archive.namelist())


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    if archive.getinfo(name).file_size > _LARGEST[name]:
        raise ValueError(name)
    return archive.read(name)


def _put_key(path: Path, key: bytes, aside: str) -> None:
    if path.exists():
        if path.read_bytes() == key:
            return
        path.replace(path.with_name(aside))
    with open(path, "xb", opener=_for_owner) as file:
        file.write(key)


# --- delete -----------------------------------------------------------------------------------


@click.command(
    help=N_("Delete a table for ever, or only the name of one seat; also while the server runs.")
)
@click.argument("code", metavar=N_("CODE"))
@_DATA
@click.option(
    "--seat",
    type=click.IntRange(1, 8),
    default=None,
    metavar=N_("NUMBER"),
    help=N_("Only take the name and the devices of this seat (from 1) out of the table."),
)
@click.option(
    "--database",
    default="",
    envvar="SKYJO_DATABASE",
    metavar=N_("URL"),
    help=N_("The PostgreSQL database of a server that does not run now."),
)
@click.option("--yes", is_flag=True, help=N_("Do not ask."))
def delete(*, code: str, data: Path | None, seat: int | None, database: str, yes: bool) -> None:
    """Delete through the server if one runs, else in its database."""
    from skyjo.cli.serve import (
        ServerRunsError,
        checked_database,
        data_folder,
        noted_database,
        owner_of,
    )

    checked_database(database)
    folder = data_folder(data, make=bool(database))
    if not database and not noted_database(folder) and not (folder / DATABASE).is_file():
        raise SkyjoError(
            N_("There are no games in {folder}. Name the folder of the server with --data."),
            folder=folder,
        )
    if not yes:
        what = (
            _("Delete the table {code} for ever?", code=code)
            if seat is None
            else _(
                "Take the name of seat {seat} out of the table {code} for ever?",
                seat=seat,
                code=code,
            )
        )
        click.confirm(what, abort=True, err=True)
    try:
        with owner_of(folder):
            _delete_here(folder, database, code, seat)
    except ServerRunsError as running:
        _delete_there(folder, running.local, code, seat)
    click.echo(
        _("The table {code} is deleted.", code=code)
        if seat is None
        else _("Seat {seat} of the table {code} has no name any more.", seat=seat, code=code)
    )


def _delete_there(folder: Path, address: str, code: str, seat: int | None) -> None:
    """Ask the running server, with a token that only the owner of its key can make."""
    from urllib.parse import quote

    from skyjo.client import Client
    from skyjo.web.api.access import HOSTER_HEADER, hoster_token
    from skyjo.web.keys import load_or_make
    from skyjo.web.session import Sessions
    from skyjo.web.settings import Settings

    sessions = Sessions(Settings(data=folder, key=load_or_make(folder)))
    path = f"/api/v1/tables/{quote(code, safe='')}"
    with Client(address) as client:
        hoster = {HOSTER_HEADER: hoster_token(sessions, time.time())}
        if seat is None:
            client.request("DELETE", path, headers=hoster)
        else:
            client.request("POST", f"{path}/forget", {"seat": seat - 1}, headers=hoster)


def _delete_here(folder: Path, database: str, code: str, seat: int | None) -> None:
    import asyncio

    from skyjo.cli.serve import alone, noted_database
    from skyjo.store import open_store
    from skyjo.table.authority import TableAuthority
    from skyjo.table.driver import PolicyDriver
    from skyjo.table.upkeep import Upkeep
    from skyjo.web.settings import Settings

    if not database and (elsewhere := noted_database(folder)):
        raise SkyjoError(
            N_("The games of {folder} are in {database}. Name it with --database."),
            folder=folder,
            database=elsewhere,
        )

    async def run() -> None:
        async with alone(database, lambda: None):
            await delete_in(Settings(data=folder, key="", database=database).database_url)

    async def delete_in(url: str) -> None:
        store = await open_store(url)
        try:
            authority = TableAuthority(store, PolicyDriver({}))
            upkeep = Upkeep(authority, store)
            if seat is None:
                await upkeep.delete_anything(code)
            else:
                await upkeep.forget_person((await authority.find(code)).id, seat - 1, None)
        finally:
            await store.close()

    asyncio.run(run())
