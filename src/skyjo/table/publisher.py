"""A publisher inside one process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from skyjo.table.ports import Notice


class _Subscriber:
    """The notices for one reader: never more than one that waits."""

    def __init__(self) -> None:
        self._waiting: Notice | None = None
        self._changed = asyncio.Event()
        self._closed = False

    def put(self, notice: Notice) -> None:
        if self._waiting is None or notice.version >= self._waiting.version:
            self._waiting = notice
        self._changed.set()

    def close(self) -> None:
        self._closed = True
        self._changed.set()

    def __aiter__(self) -> AsyncIterator[Notice]:
        return self

    async def __anext__(self) -> Notice:
        await self._changed.wait()
        notice, self._waiting = self._waiting, None
        if not self._closed:
            self._changed.clear()
        if notice is None:
            raise StopAsyncIteration
        return notice


class LocalPublisher:
    """Tells the readers in this process; each has room for one notice, the newest."""

    def __init__(self) -> None:
        self._subscribers: dict[str, set[_Subscriber]] = {}

    def publish(self, notice: Notice) -> None:
        """Tell everybody who watches this table."""
        for subscriber in self._subscribers.get(notice.table_id, ()):
            subscriber.put(notice)

    @asynccontextmanager
    async def subscribe(self, table_id: str) -> AsyncIterator[AsyncIterator[Notice]]:
        """Notices about a table from now on; they end when the publisher is closed."""
        subscriber = _Subscriber()
        self._subscribers.setdefault(table_id, set()).add(subscriber)
        try:
            yield subscriber
        finally:
            readers = self._subscribers[table_id]
            readers.discard(subscriber)
            if not readers:
                del self._subscribers[table_id]

    def readers(self, table_id: str) -> int:
        """How many watch this table here."""
        return len(self._subscribers.get(table_id, ()))

    def close(self) -> None:
        """End all subscriptions, when the server stops."""
        for readers in self._subscribers.values():
            for subscriber in readers:
                subscriber.close()
