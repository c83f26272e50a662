"""Persist, then publish, for whatever is the fold of events: pads and circles.

A change is decided on the present, appended to the store under the version that it was decided on,
and only then folded and told. When another process was faster, its events are read and the change
is decided again.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Generic, Protocol, TypeVar

from skyjo.errors import StaleError
from skyjo.i18n import N_
from skyjo.scorepad.codec import Codec
from skyjo.table.errors import UnknownTableError, understanding
from skyjo.table.ports import Head, Notice, Publisher, Store

#: How often a change is decided anew because another process was faster.
ATTEMPTS: Final = 8
#: So many are kept in memory; the others are read again when somebody looks at them.
KEPT: Final = 128
#: Seconds after which one that nobody has looked at leaves the memory.
IDLE_AFTER: Final = 300.0

E = TypeVar("E")
R = TypeVar("R")


class Folded(Protocol):
    """Something that its events make."""

    id: str
    version: int

    @property
    def phase(self) -> str:
        """Where it stands, for the store."""
        ...

    @property
    def holders(self) -> frozenset[str]:
        """Every device that is to find it among its own."""
        ...

    def apply(self, event: Any, at: float) -> None:
        """Take one more event into account."""
        ...


P = TypeVar("P", bound=Folded)


@dataclass(slots=True)
class Live(Generic[P]):
    """One of them in memory. Whoever changes it holds the lock, and has read on before.

    ``used`` is when somebody looked at it last.
    """

    present: P
    used: float
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class Ledger(Generic[P, E]):
    """All pads, or all circles, of one process over a store."""

    def __init__(
        self,
        kind: str,
        *,
        new: Callable[[str], P],
        copy: Callable[[P], P],
        codec: Codec[E],
        store: Store,
        publisher: Publisher,
        clock: Callable[[], float],
        unknown: Callable[[], UnknownTableError],
    ) -> None:
        self.kind = kind
        self.store = store
        self.publisher = publisher
        self.clock = clock
        self._new = new
        self._copy = copy
        self._codec = codec
        self._unknown = unknown
        self._lives: OrderedDict[str, Live[P]] = OrderedDict()
        self._tasks: set[asyncio.Task[Any]] = set()

    async def find(self, code: str) -> Head:
        """What has this code; an error of the kind if nothing of this kind has."""
        head = await self.store.find(code) if code else None
        if head is None or head.kind != self.kind:
            raise self._unknown()
        return head

    async def open(self, thing_id: str) -> Live[P]:
        """From memory or from its events; RefusedError (``unreadable``) if they make nothing."""
        live = self._lives.get(thing_id)
        if live is None:
            stored = await self.store.events(thing_id)
            if not stored:
                raise self._unknown()
            present = self._new(thing_id)
            with understanding(stored[0].data.get("code", thing_id)):
                for each in stored:
                    present.apply(self._codec.decode(each.data), each.at)
            live = self._keep(present)
        live.used = self.clock()
        self._lives.move_to_end(thing_id)
        self._forget_idle()
        return live

    @property
    def in_memory(self) -> int:
        """How many are in the memory of this process."""
        return len(self._lives)

    def is_in_use(self, thing_id: str) -> bool:
        """Whether somebody has looked at it lately."""
        live = self._lives.get(thing_id)
        return live is not None and live.used > self.clock() - IDLE_AFTER

    def let_go(self, thing_id: str) -> None:
        """It has been deleted: nothing of it stays in memory, and those who look at it are told."""
        live = self._lives.pop(thing_id, None)
        self.publisher.publish(Notice(thing_id, live.present.version if live else 0))

    def _forget_idle(self) -> None:
        """Let go of those at which nobody has looked for long; the first is the oldest."""
        before = self.clock() - IDLE_AFTER
        while self._lives:
            oldest, live = next(iter(self._lives.items()))
            if live.used >= before or live.lock.locked():
                break
            del self._lives[oldest]

    async def create(self, thing_id: str, code: str, events: Sequence[E]) -> P:
        """Store a new one; ExistsError when id or code is taken."""
        now = self.clock()
        present = self._new(thing_id)
        for event in events:
            present.apply(event, now)
        head = Head(thing_id, code, self.kind, present.phase, present.version, now, now)
        rows = [self._codec.encode(event) for event in events]
        await self.store.create(head, rows, present.holders)
        return self._keep(present).present

    async def change(self, thing_id: str, decide: Callable[[P], Sequence[E]]) -> P:
        """Append what ``decide`` makes of the present; again if that has moved on."""
        live = await self.open(thing_id)
        async with live.lock:
            await self._read_on(live)
            for _attempt in range(ATTEMPTS):
                events = decide(live.present)
                if not events:
                    return live.present
                try:
                    await self._append(live, events)
                except StaleError:
                    await self._read_on(live)
                else:
                    self._publish(live)
                    return live.present
        raise StaleError(N_("The pad has moved on; look again and try once more."))

    async def look(self, thing_id: str) -> P:
        """The present, with what other processes have written."""
        live = await self.open(thing_id)
        async with live.lock:
            await self._read_on(live)
        return live.present

    async def shielded(self, work: Coroutine[Any, Any, R]) -> R:
        """Carry this out to its end, also when the caller goes away in the middle."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return await asyncio.shield(task)

    async def finish(self) -> None:
        """Wait until everything that was begun is done."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    def _keep(self, present: P) -> Live[P]:
        live = self._lives.setdefault(present.id, Live(present, self.clock()))
        while len(self._lives) > KEPT:
            oldest = next((key for key, each in self._lives.items() if not each.lock.locked()), "")
            if not oldest or oldest == present.id:
                break
            del self._lives[oldest]
        return live

    async def _append(self, live: Live[P], events: Sequence[E]) -> None:
        at = self.clock()
        following = self._copy(live.present)
        for event in events:
            following.apply(event, at)
        changed = following.holders != live.present.holders
        await self.store.append(
            live.present.id,
            live.present.version,
            at,
            [self._codec.encode(event) for event in events],
            phase=following.phase,
            holders=following.holders if changed else None,
        )
        live.present = following

    async def _read_on(self, live: Live[P]) -> None:
        """Take in what another process has written, or what a failed write has left."""
        # The last known one is asked for, too: without it everything has been deleted.
        known = await self.store.events(live.present.id, live.present.version - 1)
        if not known:
            self._lives.pop(live.present.id, None)
            raise self._unknown()
        news = known[1:]
        if not news:
            return
        following = self._copy(live.present)
        with understanding(getattr(following, "code", following.id)):
            for stored in news:
                following.apply(self._codec.decode(stored.data), stored.at)
        live.present = following
        self._publish(live)

    def _publish(self, live: Live[P]) -> None:
        self.publisher.publish(Notice(live.present.id, live.present.version))
