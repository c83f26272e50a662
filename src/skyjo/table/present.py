"""The present of the tables in this process, kept over a store that holds the truth.

A change is decided on the present, appended to the store under the version that it was decided on,
and only then folded into the present and published. When another process was faster, its events
are read and the change is decided again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from skyjo.errors import StaleError
from skyjo.i18n import N_
from skyjo.table import events as ev
from skyjo.table import keys
from skyjo.table.errors import RefusedError, StoreError, UnknownTableError, understanding
from skyjo.table.model import Table
from skyjo.table.ports import ExistsError, Head, Notice, Publisher, Settings, Store, Stored
from skyjo.table.presence import Presences
from skyjo.table.rights import Attendance

#: What the store calls tables, among other things that are kept as events.
KIND: Final = "table"
#: How often a change is decided anew because another process was faster.
ATTEMPTS: Final = 8
NEVER: Final = float("inf")

T = TypeVar("T")


@dataclass(slots=True)
class Live:
    """A table in the memory of this process.

    ``due`` is when the ticker has to look at it next and ``stepping`` that it is doing so;
    ``in_doubt`` that the store may hold more than the present does; ``gone`` that it has been
    deleted; ``shown`` who was here when the viewers were told last.
    """

    table: Table
    presences: Presences
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    due: float = NEVER
    stepping: bool = False
    in_doubt: bool = False
    gone: bool = False
    shown: Attendance | None = None

    @property
    def head(self) -> Head:
        """What the store would tell about the table."""
        table = self.table
        return Head(
            table.id,
            table.code,
            KIND,
            table.phase.value,
            table.version,
            table.created,
            table.changed_at,
        )

    def attendance(self, now: float) -> Attendance:
        """Who is here."""
        return self.presences.attendance(self.table, now)


def folded(table_id: str, stored: Sequence[Stored]) -> Table:
    """The table that all these events make; RefusedError (``unreadable``) if they make none."""
    with understanding(stored[0].data.get("code", table_id)):
        return Table.fold(table_id, ((each.at, ev.decode(each.data)) for each in stored))


class Presents:
    """All tables in memory. ``opened`` is called with each that comes into memory.

    Everything that changes a table runs under its ``lock``, which the caller holds.
    """

    def __init__(
        self,
        store: Store,
        publisher: Publisher,
        settings: Settings,
        clock: Callable[[], float],
        token: keys.TokenSource,
    ) -> None:
        self.store = store
        self.publisher = publisher
        self.settings = settings
        self.clock = clock
        self.lives: dict[str, Live] = {}
        self.by_code: dict[str, Live] = {}
        self.opened: Callable[[Live], None] = lambda _live: None
        self._token = token
        self._since = clock()
        self._deletions = 0
        self._tasks: set[asyncio.Task[Any]] = set()

    async def open(self, table_id: str) -> Live:
        """The table, from memory or from its events; UnknownTableError, or ``unreadable``."""
        while (live := self.lives.get(table_id)) is None:
            deletions = self._deletions
            stored = await self.store.events(table_id)
            if not stored:
                raise UnknownTableError
            # What was deleted while it was read is not kept.
            if deletions == self._deletions:
                return self.keep(folded(table_id, stored))
        return live

    def keep(self, table: Table) -> Live:
        """Have this table in memory from now on; the one that is there already stays."""
        live = self.lives.get(table.id)
        if live is None:
            since = max(self._since, min(table.changed_at, self.clock()))
            live = Live(table, Presences(self.settings, since))
            live.shown = live.attendance(self.clock())
            self.lives[table.id] = self.by_code[table.code] = live
            self.opened(live)
        return live

    def forget(self, live: Live) -> None:
        """Let a table go from memory."""
        self.lives.pop(live.table.id, None)
        self.by_code.pop(live.table.code, None)

    def deleted(self, table_id: str) -> None:
        """A table is not in the store any more: nobody sees or changes it, and viewers are told."""
        self._deletions += 1
        live = self.lives.get(table_id)
        if live is not None:
            live.gone = True
            self.forget(live)
        self.publisher.publish(Notice(table_id, live.table.version if live else 0))

    async def create(self, table_id: str, begin: Callable[[str, str], Sequence[ev.Event]]) -> Table:
        """Store a new table from what ``begin(code, secret)`` gives.

        Raises ExistsError when there is a table of this id.
        """
        while True:
            code = keys.new_code(self._token)
            events = begin(code, keys.new_secret(self._token))
            now = self.clock()
            table = Table.fold(table_id, ((now, event) for event in events))
            head = Head(table_id, code, KIND, table.phase.value, table.version, now, now)
            try:
                await self.store.create(head, [ev.encode(each) for each in events], table.holders)
            except ExistsError as error:
                if error.field != "code":
                    raise
            else:
                return table

    async def change(self, live: Live, decide: Callable[[], Sequence[ev.Event]]) -> None:
        """Append what ``decide`` makes of the table as it is; again if the table has moved on."""
        for _attempt in range(ATTEMPTS):
            if live.gone:
                raise UnknownTableError
            events = decide()
            if not events:
                return
            try:
                await self._append(live, events)
            except StaleError:
                await self._read_on(live)
            else:
                self.publish(live)
                return
        raise StaleError(N_("The table has moved on; look again and choose anew."))

    async def catch_up(self, live: Live, at_least: int = 0) -> None:
        """Read what other processes have appended, if there may be something.

        Raises UnknownTableError for whoever waited for the lock while the table was deleted.
        """
        if live.gone:
            raise UnknownTableError
        if live.in_doubt or live.table.version < at_least:
            await self._read_on(live)

    async def _read_on(self, live: Live) -> None:
        new = await self.store.events(live.table.id, live.table.version)
        if not new and not await self.store.heads([live.table.id]):
            live.gone = True
            self.deleted(live.table.id)
            raise UnknownTableError
        try:
            with understanding(live.table.code):
                for stored in new:
                    live.table.apply(ev.decode(stored.data), stored.at)
        except RefusedError:
            self.forget(live)
            raise
        live.in_doubt = False
        if new:
            self.publish(live)

    async def _append(self, live: Live, events: Sequence[ev.Event]) -> None:
        table = live.table
        at = self.clock()
        try:
            await self.store.append(
                table.id,
                table.version,
                at,
                [ev.encode(event) for event in events],
                phase=table.phase_after(events).value,
                holders=table.holders_after(events),
            )
        except StoreError:
            live.in_doubt = True  # it may have been written all the same
            raise
        for event in events:
            table.apply(event, at)

    def publish(self, live: Live) -> None:
        """Tell those who watch that there is something new."""
        self.publisher.publish(Notice(live.table.id, live.table.version))

    # --- work that must not be torn -----------------------------------------------------------

    async def shielded(self, work: Coroutine[Any, Any, T]) -> T:
        """Carry this out to its end, also when the caller goes away in the middle."""
        return await asyncio.shield(self.spawn(work))

    def spawn(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Carry this out beside everything else."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def finish(self) -> None:
        """Wait until everything that was begun is done."""
        while self._tasks:
            await asyncio.wait(self._tasks)
