"""One server process a PostgreSQL database.

Moves are safe with any number of processes, since the store takes each version once. But who is at
a table, and that there is something new to see, is known to one process only; so a second server
is refused. The lock is a session's advisory lock: PostgreSQL lets go of it when the process ends,
however it ends.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection

from skyjo.i18n import N_
from skyjo.store.sql import as_store_errors, postgres_engine, read_url
from skyjo.table.errors import StoreError

_log = logging.getLogger("skyjo.store")

#: The number of the lock; any will do that is not the one of the migrations.
_LOCK: Final = 0x534B594A02
#: Seconds for which a server that is just ending may keep us waiting.
PATIENCE: Final = 5.0
#: Seconds between two looks whether we still hold the lock.
EVERY: Final = 5.0
_SECOND: Final = 1.0

_TAKE: Final = sa.text("SELECT pg_try_advisory_lock(:lock)").bindparams(lock=_LOCK)
_HOLDER: Final = sa.text(
    "SELECT pid, coalesce(application_name, '') FROM pg_locks JOIN pg_stat_activity USING (pid)"
    " WHERE locktype = 'advisory' AND granted AND objsubid = 1"
    " AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    " AND classid::bigint = :high AND objid::bigint = :low"
).bindparams(high=_LOCK >> 32, low=_LOCK & 0xFFFF_FFFF)
_END: Final = sa.text("SELECT pg_terminate_backend(:pid)")

OnLost = Callable[[], None]


class DatabaseInUseError(StoreError):
    """Another server holds the database."""


@asynccontextmanager
async def only_server(
    url: str, on_lost: OnLost = lambda: None, *, patience: float = PATIENCE
) -> AsyncIterator[None]:
    """Hold a PostgreSQL database while the context is open; DatabaseInUseError if another does.

    A server that is just ending has ``patience`` seconds. When the connection breaks the lock is
    taken again; ``on_lost`` is called if another server has got it meanwhile. Raises StoreError
    when the database cannot be used.
    """
    owner = _Owner(url)
    watch: asyncio.Task[None] | None = None
    try:
        await owner.take_within(patience)
        watch = asyncio.create_task(owner.watch(on_lost))
        yield
    finally:
        if watch is not None:
            watch.cancel()
            with suppress(asyncio.CancelledError):
                await watch
        await owner.close()


class _Owner:
    """The connection that holds the lock."""

    def __init__(self, url: str) -> None:
        #: By this name others, and we ourselves after a broken connection, know who holds it.
        self._name = f"skyjo {secrets.token_hex(4)} {os.getpid()} {socket.gethostname()}"[:63]
        settings = {
            "application_name": self._name,
            # A computer that has vanished must not hold the lock for hours.
            "tcp_keepalives_idle": "15",
            "tcp_keepalives_interval": "10",
            "tcp_keepalives_count": "3",
        }
        self._engine = postgres_engine(
            read_url(url),
            settings=settings,
            poolclass=sa.NullPool,
            isolation_level="AUTOCOMMIT",
        )
        self._connection: AsyncConnection | None = None

    async def take_within(self, seconds: float) -> None:
        """Take the lock; DatabaseInUseError if another server does not let go of it in time."""
        loop = asyncio.get_running_loop()
        latest = loop.time() + seconds
        while True:
            try:
                await self._take()
            except DatabaseInUseError:
                if loop.time() >= latest:
                    raise
                await asyncio.sleep(min(_SECOND, seconds))
            else:
                return

    async def _take(self) -> None:
        await self._hang_up()
        with as_store_errors():
            connection = await self._engine.connect()
            self._connection = connection
            if await connection.scalar(_TAKE):
                return
            holder = (await connection.execute(_HOLDER)).first()
            if holder is not None and holder[1] == self._name:
                # Our own connection, of which only we know that it is broken.
                await connection.execute(_END, {"pid": holder[0]})
        await self._hang_up()
        raise DatabaseInUseError(
            N_(
                "Another server uses this database already ({holder}). Stop that one first; a"
                " database is for one server."
            ),
            holder=_told(holder),
        )

    async def watch(self, on_lost: OnLost) -> None:
        """See to it that the lock stays ours."""
        while True:
            await asyncio.sleep(EVERY)
            if await self._is_held():
                continue
            _log.warning("the connection that holds the database is broken, making it again")
            try:
                await self.take_within(PATIENCE)
            except DatabaseInUseError:
                on_lost()
                return
            except StoreError as error:
                _log.warning("the database cannot be reached: %s", error)

    async def _is_held(self) -> bool:
        if self._connection is None:
            return False
        try:
            await self._connection.execute(sa.text("SELECT 1"))
        except (SQLAlchemyError, OSError):
            return False
        return True

    async def _hang_up(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(SQLAlchemyError, OSError):
                await connection.invalidate()
            with suppress(SQLAlchemyError, OSError):
                await connection.close()

    async def close(self) -> None:
        """Let go of the database."""
        await self._hang_up()
        await self._engine.dispose()


def _told(holder: Any) -> str:
    """Who holds the lock, for people: process and computer."""
    words = holder[1].split(" ", 3) if holder is not None else []
    return f"{words[3]}, {words[2]}" if len(words) == 4 else "?"
