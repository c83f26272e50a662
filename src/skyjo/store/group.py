"""Appends that wait for each other share one transaction.

SQLite has one writer at a time, and a transaction costs the same for one move and for ten. While
one is being committed the next appends gather, so that a busy server writes larger transactions
instead of a longer queue, and a quiet one loses no time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

#: The most appends in one transaction.
MOST: Final = 100


@dataclass(slots=True)
class Append:
    """One append: the values for the row of its table, its new rows, who waits for it."""

    values: Mapping[str, Any]
    rows: Sequence[Mapping[str, Any]]
    done: asyncio.Future[None] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )


class Group:
    """Gathers appends and hands them to ``commit``, some at a time, never two at once.

    ``commit`` writes all of them or none. It gives False, with nothing written, when not all could
    be: then each is written for itself, by ``one``, so that one that is stale harms no other.
    """

    def __init__(
        self,
        commit: Callable[[Sequence[Append]], Awaitable[bool]],
        one: Callable[[Append], Awaitable[None]],
    ) -> None:
        self._commit = commit
        self._one = one
        self._waiting: list[Append] = []
        self._writer: asyncio.Task[None] | None = None

    async def add(self, append: Append) -> None:
        """Write this append; it is on its way to the disk when this returns."""
        self._waiting.append(append)
        if self._writer is None:
            self._writer = asyncio.create_task(self._write())
        await append.done

    async def close(self) -> None:
        """Wait until everything that was begun is written."""
        if self._writer is not None:
            await self._writer

    async def _write(self) -> None:
        try:
            while self._waiting:
                batch, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
                await self._write_batch(batch)
        finally:
            self._writer = None

    async def _write_batch(self, batch: Sequence[Append]) -> None:
        try:
            together = len(batch) > 1 and await self._commit(batch)
        except Exception as error:  # noqa: BLE001 - it is handed to all who wait
            for append in batch:
                _fail(append, error)
            return
        for append in batch:
            if not together:
                try:
                    await self._one(append)
                except Exception as error:  # noqa: BLE001 - it is handed to who waits
                    _fail(append, error)
                    continue
            if not append.done.done():
                append.done.set_result(None)


def _fail(append: Append, error: Exception) -> None:
    if not append.done.done():
        append.done.set_exception(error)
