"""What a table needs from outside: a store, somebody who tells the others, bots, and settings.

``skyjo.store`` has a store on SQLite and PostgreSQL; a publisher inside one process and a driver
for bots are in this package. Everything is handed to ``TableAuthority`` by whoever wires the parts.
"""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Protocol

from skyjo.rules.layout import View


@dataclass(frozen=True, slots=True)
class Head:
    """What the store knows about a table without reading its events.

    ``version`` is the number of its events; ``kind`` tells tables from other things that are kept
    the same way; ``created`` and ``active`` are seconds since 1970.
    """

    id: str
    code: str
    kind: str
    phase: str
    version: int
    created: float
    active: float


@dataclass(frozen=True, slots=True)
class Stored:
    """One event as the store gives it back: its number from 1, its time, its JSON value."""

    version: int
    at: float
    data: Mapping[str, Any]


class Store(Protocol):
    """Keeps the events of every table. All methods raise StoreError when the database fails."""

    async def create(
        self, head: Head, events: Sequence[Mapping[str, Any]], holders: frozenset[str]
    ) -> None:
        """Begin a table with its first events (``head.version`` of them), at ``head.created``.

        Raises ExistsError when the id or the code is taken; nothing is written then.
        """
        ...

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
        """Add events at once, or none: StaleError unless the version is ``expected``.

        ``phase`` is the table's phase afterwards; ``holders`` all its holders if they have changed.
        When this returns, the events survive the end of the process.
        """
        ...

    async def events(self, table_id: str, after: int = 0) -> list[Stored]:
        """The events of a table behind version ``after``, oldest first; empty if unknown."""
        ...

    async def find(self, code: str) -> Head | None:
        """The table of a code."""
        ...

    async def heads(self, table_ids: Sequence[str]) -> list[Head]:
        """The tables of these ids that exist, last active first."""
        ...

    async def held_by(self, holder: str, limit: int = 100) -> list[Head]:
        """The tables at which a holder has a seat, last active first."""
        ...

    async def close(self) -> None:
        """Let go of the database."""
        ...


class ExistsError(Exception):
    """Store.create: the id or the code is taken. ``field`` is "id" or "code"."""

    def __init__(self, field: str) -> None:
        super().__init__(field)
        self.field = field


@dataclass(frozen=True, slots=True)
class Notice:
    """Something to see has changed at a table; several changes may come as one notice.

    ``version`` is the newest version known; it stays the same when only somebody came or went.
    """

    table_id: str
    version: int


class Publisher(Protocol):
    """Tells those who watch a table that there is something new, never what."""

    def publish(self, notice: Notice) -> None:
        """Tell all subscribers of the table. Never waits for one of them."""
        ...

    def subscribe(self, table_id: str) -> AbstractAsyncContextManager[AsyncIterator[Notice]]:
        """Notices from the moment on at which the context is entered.

        A slow reader misses nothing that counts: notices that wait are merged into the newest.
        """
        ...

    def readers(self, table_id: str) -> int:
        """How many have subscribed to the table here."""
        ...


class BotDriver(Protocol):
    """Lets bots choose."""

    @property
    def names(self) -> tuple[str, ...]:
        """The bots that there are."""
        ...

    async def choose(self, bot: str, view: View, generator: random.Random) -> int:
        """The action of a bot that sees this view; anything it raises is the table's to mend."""
        ...


#: Bots wait this many seconds before each action.
PACES: Mapping[str, float] = MappingProxyType({"slow": 2.5, "normal": 1.2, "none": 0.0})


@dataclass(frozen=True, slots=True)
class Settings:
    """How long things take at every table, in seconds.

    ``away_after`` a seat without connection or request counts as away; ``idle_after`` a person who
    is here and has to decide counts as idle; ``host_idle_after`` a host who does nothing in the
    lobby may be replaced; ``continue_after`` the next round begins by itself; ``bot_timeout`` a bot
    is given to think; ``forget_after`` a table at which nobody is leaves the memory (not the
    store). ``stand_in`` is the bot that plays for people who are away, where there is none of that
    name the last one known.
    """

    paces: Mapping[str, float] = field(default_factory=lambda: PACES)
    away_after: float = 15.0
    idle_after: float = 60.0
    host_idle_after: float = 180.0
    continue_after: float = 30.0
    bot_timeout: float = 10.0
    forget_after: float = 300.0
    stand_in: str = "skilled"
