"""The store on SQLite (aiosqlite) and PostgreSQL (asyncpg).

SQLite runs in WAL mode with ``synchronous=NORMAL``: what is committed survives the end of the
process at any moment; a power failure may cost the last moments, and never leaves half of
something. ``docs/table.md`` says more.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, IntegrityError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from skyjo.errors import StaleError
from skyjo.i18n import N_
from skyjo.store.group import Append, Group
from skyjo.store.migrations import migrate
from skyjo.store.schema import events as events_table
from skyjo.store.schema import holders as holders_table
from skyjo.store.schema import tables
from skyjo.store.upkeep import SqlUpkeep
from skyjo.table.errors import StoreError
from skyjo.table.ports import ExistsError, Head, Stored

#: How long to wait for another process that writes to the same SQLite file, in seconds.
BUSY_TIMEOUT: Final = 10.0
#: Seconds that PostgreSQL has to answer a connection, and a command.
CONNECT_WITHIN: Final = 10
ANSWER_WITHIN: Final = 30

_DRIVERS: Final = {
    "sqlite": "sqlite+aiosqlite",
    "postgresql": "postgresql+asyncpg",
    "postgres": "postgresql+asyncpg",
}

_APPEND = (
    sa.update(tables)
    .where(tables.c.id == sa.bindparam("of"), tables.c.version == sa.bindparam("expected"))
    .values(
        version=sa.bindparam("new"), active=sa.bindparam("now"), phase=sa.bindparam("new_phase")
    )
)
_INSERT_EVENTS = sa.insert(events_table)
_EVENTS = (
    sa.select(events_table.c.version, events_table.c.at, events_table.c.data)
    .where(
        events_table.c.table_id == sa.bindparam("of"),
        events_table.c.version > sa.bindparam("after"),
    )
    .order_by(events_table.c.version)
)


async def open_store(url: str) -> SqlStore:
    """The store at a database URL, brought to the newest revision; made if it is not there.

    ``sqlite:///relative.db``, ``sqlite:////absolute.db``, ``postgresql://user@host/name`` and what
    else SQLAlchemy reads. Raises StoreError when it cannot be opened, or is of a newer program.
    """
    engine = _engine(read_url(url))
    try:
        with as_store_errors():
            async with engine.connect() as connection:
                await connection.run_sync(migrate)
                await connection.commit()
    except BaseException:
        await engine.dispose()
        raise
    return SqlStore(engine)


class SqlStore(SqlUpkeep):
    """Keeps the events of every table; see ``skyjo.table.ports.Store``. ``open_store`` makes it."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        # SQLite has one writer at a time, and waits for it more clumsily than we do.
        sqlite = engine.dialect.name == "sqlite"
        self._writer: AbstractAsyncContextManager[Any] = asyncio.Lock() if sqlite else nullcontext()
        self._group = Group(self._append_all, self._append_one) if sqlite else None

    async def create(
        self, head: Head, events: Sequence[Mapping[str, Any]], holders: frozenset[str]
    ) -> None:
        """Begin a table with its first events; ExistsError when its id or code is taken."""
        row = {name: getattr(head, name) for name in Head.__slots__}
        try:
            async with self._write() as connection:
                await connection.execute(sa.insert(tables), row)
                await connection.execute(_INSERT_EVENTS, _rows(head.id, 0, head.created, events))
                await self._insert_holders(connection, head.id, holders)
        except IntegrityError:
            async with self._read() as connection:
                query = sa.select(tables.c.id).where(tables.c.id == head.id)
                same_id = await connection.scalar(query)
            raise ExistsError("id" if same_id else "code") from None

    async def append(
        self,
        table_id: str,
        expected: int,
        at: float,
        events: Sequence[Mapping[str, Any]],
        *,
        phase: str,
        holders: frozenset[str] | None = None,
    ) -> None:
        """Add events at once, or none: StaleError unless the version is ``expected``."""
        values = {
            "of": table_id,
            "expected": expected,
            "new": expected + len(events),
            "now": at,
            "new_phase": phase,
        }
        rows = _rows(table_id, expected, at, events)
        if self._group is not None and holders is None:
            await self._group.add(Append(values, rows))
            return
        async with self._write() as connection:
            await self._append(connection, values, rows)
            if holders is not None:
                old = sa.delete(holders_table).where(holders_table.c.table_id == table_id)
                await connection.execute(old)
                await self._insert_holders(connection, table_id, holders)

    async def _append(
        self,
        connection: AsyncConnection,
        values: Mapping[str, Any],
        rows: Sequence[Mapping[str, Any]],
    ) -> None:
        done = await connection.execute(_APPEND, values)
        if done.rowcount != 1:
            raise StaleError(N_("The table has moved on; look again and choose anew."))
        await connection.execute(_INSERT_EVENTS, rows)

    async def _append_one(self, append: Append) -> None:
        async with self._write() as connection:
            await self._append(connection, append.values, append.rows)

    async def _append_all(self, appends: Sequence[Append]) -> bool:
        """All in one transaction; False, with nothing written, if one of them is stale."""
        async with self._read() as connection, self._writer:
            values = [append.values for append in appends]
            done = await connection.execute(_APPEND, values)
            if done.rowcount != len(values):
                await connection.rollback()
                return False
            rows = [row for append in appends for row in append.rows]
            await connection.execute(_INSERT_EVENTS, rows)
            await connection.commit()
        return True

    async def events(self, table_id: str, after: int = 0) -> list[Stored]:
        """The events of a table behind version ``after``, oldest first; empty if unknown."""
        async with self._read() as connection:
            rows = await connection.execute(_EVENTS, {"of": table_id, "after": after})
            return [Stored(version, at, json.loads(data)) for version, at, data in rows]

    async def find(self, code: str) -> Head | None:
        """The table of a code."""
        heads = await self._heads(sa.select(tables).where(tables.c.code == code))
        return heads[0] if heads else None

    async def heads(self, table_ids: Sequence[str]) -> list[Head]:
        """The tables of these ids that exist, last active first."""
        query = sa.select(tables).where(tables.c.id.in_(table_ids))
        return await self._heads(query.order_by(tables.c.active.desc(), tables.c.id))

    async def held_by(self, holder: str, limit: int = 100) -> list[Head]:
        """The tables at which a holder has a seat, last active first."""
        query = sa.select(tables).join(holders_table).where(holders_table.c.holder == holder)
        return await self._heads(query.order_by(tables.c.active.desc(), tables.c.id).limit(limit))

    async def close(self) -> None:
        """Let go of the database."""
        if self._group is not None:
            await self._group.close()
        await self._engine.dispose()

    async def _heads(self, query: sa.Select[Any]) -> list[Head]:
        async with self._read() as connection:
            rows = (await connection.execute(query)).mappings()
            return [Head(**row) for row in rows]

    async def _insert_holders(
        self, connection: AsyncConnection, table_id: str, holders: frozenset[str]
    ) -> None:
        if holders:
            rows = [{"holder": holder, "table_id": table_id} for holder in sorted(holders)]
            await connection.execute(sa.insert(holders_table), rows)

    @asynccontextmanager
    async def _write(self) -> AsyncIterator[AsyncConnection]:
        """A connection in a transaction that is committed at the end."""
        with as_store_errors():
            async with self._writer, self._engine.begin() as connection:
                yield connection

    @asynccontextmanager
    async def _alone(self) -> AsyncIterator[AsyncConnection]:
        """A connection while nobody here writes."""
        with as_store_errors():
            async with self._writer, self._engine.connect() as connection:
                yield connection

    @asynccontextmanager
    async def _read(self) -> AsyncIterator[AsyncConnection]:
        with as_store_errors():
            async with self._engine.connect() as connection:
                yield connection


def _rows(
    table_id: str, version: int, at: float, events: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """The rows of events that come after a version."""
    return [
        {
            "table_id": table_id,
            "version": number,
            "at": at,
            "data": json.dumps(event, ensure_ascii=False, separators=(",", ":")),
        }
        for number, event in enumerate(events, version + 1)
    ]


class as_store_errors:  # noqa: N801 - used like a function
    """Errors of the database become StoreError; a row that is there already is told apart.

    Whoever is cancelled meanwhile stays cancelled, whatever goes wrong on the way out.
    """

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, IntegrityError):
            return
        if isinstance(error, SQLAlchemyError | OSError):
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise asyncio.CancelledError from error
            reason = getattr(error, "orig", None) or error
            raise StoreError(
                N_("The database could not be used: {reason}"), reason=str(reason)
            ) from error


def read_url(text: str) -> URL:
    """A database URL with the driver that is used for it; StoreError for any other text."""
    with suppress(ArgumentError):
        url = make_url(text)
        driver = _DRIVERS.get(url.drivername, url.drivername)
        if driver.startswith(("sqlite+", "postgresql+")):
            return url.set(drivername=driver)
    raise StoreError(
        N_("'{url}' is no database; use sqlite:///FILE or postgresql://USER@HOST/NAME"),
        url=text.rpartition("@")[2],
    )


def shown_url(text: str) -> str:
    """A database URL as people may see it, without its password.

    >>> shown_url("postgresql://skyjo:secret@db.example/games?password=secret")
    'postgresql://skyjo@db.example/games'
    """
    url = read_url(text)
    plain = URL.create(url.get_backend_name(), url.username, None, url.host, url.port, url.database)
    return plain.render_as_string(hide_password=True)


def postgres_engine(
    url: URL, *, settings: Mapping[str, str] | None = None, **how: Any
) -> AsyncEngine:
    """An engine for PostgreSQL that waits for nothing for ever; ``settings`` are its sessions'."""
    limits = {"timeout": CONNECT_WITHIN, "command_timeout": ANSWER_WITHIN}
    try:
        return create_async_engine(
            url,
            hide_parameters=True,
            connect_args={**limits, "server_settings": dict(settings or {})},
            **how,
        )
    except ModuleNotFoundError as error:
        raise StoreError(
            N_(
                "PostgreSQL needs one more package; in a checkout of skyjo:"
                " pip install '.[postgres]'"
            )
        ) from error


def _engine(url: URL) -> AsyncEngine:
    try:
        if url.get_backend_name() != "sqlite":
            return postgres_engine(url, pool_pre_ping=True)
        if not url.database or url.database == ":memory:":
            raise StoreError(N_("SQLite needs the name of a file: sqlite:///FILE"))
        _make_for_owner(Path(url.database))
        engine = create_async_engine(
            url, connect_args={"timeout": BUSY_TIMEOUT}, hide_parameters=True
        )
    except (NoSuchModuleError, OSError) as error:
        raise StoreError(
            N_("The database could not be used: {reason}"), reason=str(error)
        ) from error
    sa.event.listen(engine.sync_engine, "connect", _prepare_sqlite)
    return engine


def _make_for_owner(path: Path) -> None:
    """Make a database's file, if it is not there, so that nobody else reads names and decks.

    What SQLite puts beside it gets the same rights.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


def _prepare_sqlite(connection: Any, _record: object) -> None:
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()
