"""A copy of a running server's SQLite database, and the way back.

SQLite copies a database while others write to it: what is copied is the database as it was at one
moment, the write-ahead log included. Those who write are not held up; what they write stays in the
log until the copy is done.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

from skyjo.i18n import N_
from skyjo.store.schema import HEAD
from skyjo.table.errors import StoreError

#: Pages that are copied at a time; in between the server writes undisturbed.
PAGES: Final = 256
#: What lies beside a SQLite file and belongs to it.
_BESIDE: Final = ("-wal", "-shm", "-journal")

#: Told from 0.0 to 1.0 how much is done.
OnProgress = Callable[[float], None]


def copy_database(source: Path, target: Path, on_progress: OnProgress = lambda _part: None) -> None:
    """Copy a database that may be in use; ``target`` is complete and checked when this returns.

    Raises StoreError when there is none, it cannot be read, or the copy is not sound.
    """
    if not source.is_file():
        raise StoreError(N_("There is no database at {path}."), path=source)

    def progress(_status: int, remaining: int, total: int) -> None:
        on_progress(1 - remaining / total if total else 1.0)

    try:
        with (
            closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as old,
            closing(sqlite3.connect(target)) as new,
        ):
            # Reading all the while: else SQLite begins anew whenever somebody writes in between,
            # and while many play it never comes to the end.
            old.execute("BEGIN")
            old.execute("SELECT count(*) FROM sqlite_master").fetchone()
            old.backup(new, pages=PAGES, progress=progress)
            new.execute("PRAGMA journal_mode=DELETE")
            check_database(new, source)
    except (sqlite3.Error, OSError) as error:
        raise StoreError(
            N_("{path} cannot be copied: {reason}"), path=source, reason=error
        ) from error


def check_database(connection: sqlite3.Connection, path: Path) -> None:
    """StoreError unless this is a sound database of ours that this program can read."""
    try:
        sound = connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        found = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        # Others have tables of revisions, too.
        connection.execute("SELECT tables.id, events.data FROM tables, events LIMIT 1")
    except sqlite3.DatabaseError as error:
        raise StoreError(
            N_("{path} holds no database of skyjo: {reason}"), path=path, reason=error
        ) from error
    if not sound:
        raise StoreError(N_("{path} is damaged: SQLite's own check has failed."), path=path)
    if found is None or str(found[0]) > HEAD:
        raise StoreError(
            N_("{path} was written by a newer version of skyjo; update skyjo to open it."),
            path=path,
        )


def count_tables(path: Path) -> int:
    """How many tables and pads a database holds."""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        (count,) = connection.execute("SELECT count(*) FROM tables").fetchone()
    return int(count)


def put_in_place(database: Path, target: Path, aside: str) -> Path | None:
    """Make ``database`` the one at ``target``; the one that was there gets the name ``aside``.

    Gives the path of the old one, None if there was none. No server may use ``target``.
    """
    old = target.with_name(aside) if target.exists() else None
    if old is not None:
        _settle(target)
        target.replace(old)
    for ending in _BESIDE:
        target.with_name(target.name + ending).unlink(missing_ok=True)
    database.replace(target)
    _flush_folder(target.parent)
    return old


def _settle(database: Path) -> None:
    """Bring what is only in the write-ahead log into the file itself."""
    with closing(sqlite3.connect(database)) as connection:
        try:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.DatabaseError:
            return  # it is being put aside, sound or not


def _flush_folder(folder: Path) -> None:
    """Have the new names survive a power failure, where the system can do that."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
