"""Deleting from the database, and counting what is there."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from skyjo.store.schema import events, tables
from skyjo.store.schema import holders as holders_table
from skyjo.table.errors import StoreError
from skyjo.table.upkeep import Rewrite

_log = logging.getLogger("skyjo.store")

#: Milliseconds for which the emptying of SQLite's log waits for those who read.
_LOG_WITHIN: Final = 500


class SqlUpkeep:
    """The part of ``SqlStore`` that takes away. See ``skyjo.table.upkeep.UpkeepStore``."""

    def _write(self) -> AbstractAsyncContextManager[AsyncConnection]:
        raise NotImplementedError

    def _alone(self) -> AbstractAsyncContextManager[AsyncConnection]:
        raise NotImplementedError

    def _read(self) -> AbstractAsyncContextManager[AsyncConnection]:
        raise NotImplementedError

    async def delete(self, table_ids: Sequence[str]) -> int:
        """Delete tables with everything that belongs to them; how many there were."""
        if not table_ids:
            return 0
        async with self._write() as connection:
            count = await _delete(connection, table_ids)
        await self._empty_log()
        return count

    async def delete_untouched(self, table_ids: Sequence[str], before: float) -> list[str]:
        """Delete those of them that have not been active since a time; which these were."""
        if not table_ids:
            return []
        query = sa.select(tables.c.id).where(tables.c.id.in_(table_ids), tables.c.active < before)
        async with self._write() as connection:
            # Whoever plays at one of them now is waited for, and has touched it.
            old = list(await connection.scalars(query.with_for_update()))
            await _delete(connection, old)
        await self._empty_log()
        return old

    async def rewrite(
        self, table_id: str, change: Rewrite, holders: frozenset[str] | None = None
    ) -> None:
        """Replace events of a table by what ``change`` makes of them, all or none."""
        async with self._write() as connection:
            await _overwrite_what_is_deleted(connection)
            of_table = events.c.table_id == table_id
            query = sa.select(events.c.version, events.c.data).where(of_table)
            for version, text in (await connection.execute(query)).all():
                old = json.loads(text)
                new = change(old)
                if new != old:
                    data = json.dumps(new, ensure_ascii=False, separators=(",", ":"))
                    here = sa.update(events).where(of_table, events.c.version == version)
                    await connection.execute(here.values(data=data))
            if holders is not None:
                gone = sa.delete(holders_table).where(
                    holders_table.c.table_id == table_id, holders_table.c.holder.not_in(holders)
                )
                await connection.execute(gone)
        await self._empty_log()

    async def _empty_log(self) -> None:
        """Have nothing left of what was deleted in SQLite's log of writes.

        The log keeps what was written long ago until something is written over it. While another
        program reads an older state it cannot be emptied; then a later deletion does it, or the
        end of the server. Nobody waits for that, and what was deleted is deleted all the same.
        """
        try:
            async with self._alone() as connection:
                if connection.dialect.name == "sqlite":
                    await _empty_log(connection)
        except StoreError as error:
            _log.warning("the log of writes could not be emptied: %s", error)

    async def untouched(self, before: float, limit: int) -> list[str]:
        """Ids of what has not been active since a time, the oldest first."""
        query = sa.select(tables.c.id).where(tables.c.active < before)
        async with self._read() as connection:
            found = await connection.scalars(query.order_by(tables.c.active).limit(limit))
            return list(found)


async def _delete(connection: AsyncConnection, table_ids: Sequence[str]) -> int:
    await _overwrite_what_is_deleted(connection)
    for child in (events, holders_table):
        await connection.execute(sa.delete(child).where(child.c.table_id.in_(table_ids)))
    done = await connection.execute(sa.delete(tables).where(tables.c.id.in_(table_ids)))
    return done.rowcount


async def _overwrite_what_is_deleted(connection: AsyncConnection) -> None:
    """Have SQLite write zeros over deleted rows; PostgreSQL does it when it vacuums."""
    if connection.dialect.name == "sqlite":
        await connection.execute(sa.text("PRAGMA secure_delete=ON"))


async def _empty_log(connection: AsyncConnection) -> None:
    usual = await connection.scalar(sa.text("PRAGMA busy_timeout"))
    await connection.execute(sa.text(f"PRAGMA busy_timeout={_LOG_WITHIN}"))
    try:
        await connection.execute(sa.text("PRAGMA wal_checkpoint(TRUNCATE)"))
    finally:
        if not connection.invalidated:  # as it is when the wait for it was cancelled
            await connection.execute(sa.text(f"PRAGMA busy_timeout={usual}"))
