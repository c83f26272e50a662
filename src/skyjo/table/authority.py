"""``TableAuthority``: the one place in a process where tables change.

Every command is checked against the table's present, becomes events, is appended to the store
under the version it was checked against, and only then folded into the present and published.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from skyjo.chance import Chance
from skyjo.table.commands import Command
from skyjo.table.ports import BotDriver, Head, Notice, Publisher, Settings, Store
from skyjo.table.scene import Scene


@dataclass(frozen=True, slots=True)
class Joined:
    """Where somebody sits now: the table and the place of their seat."""

    table_id: str
    seat: int
    version: int


class TableAuthority:
    """All tables of one server process; see ``docs/table.md``.

    A caller is known by a ``secret`` of at least 32 characters that only their device has (made by
    ``new_secret``); the store keeps its hash. None is an onlooker.
    """

    def __init__(
        self,
        store: Store,
        driver: BotDriver,
        *,
        publisher: Publisher | None = None,
        chance: Chance | None = None,
        settings: Settings | None = None,
        clock: Callable[[], float] | None = None,
        token: Callable[[int], str] | None = None,
    ) -> None: ...

    # async with TableAuthority(...): the ticker runs inside

    async def create(
        self,
        secret: str,
        name: str,
        *,
        ruleset: str = "official",
        bots: Sequence[str] = (),
        pace: str = "normal",
        start: bool = False,
    ) -> Joined:
        """Make a table with its host and these bots; ``start`` begins the game at once."""
        raise NotImplementedError

    async def join(self, code: str, secret: str, name: str) -> Joined:
        """Sit down at the table of a code (as people type it)."""
        raise NotImplementedError

    async def do(self, table_id: str, secret: str, command: Command) -> Joined:
        """Carry out a command; ``seat`` of the answer is the seat that it was about."""
        raise NotImplementedError

    async def rematch(self, table_id: str, secret: str, *, leave_out_absent: bool = False) -> str:
        """The id of the table for the same people; made and started by the first who asks."""
        raise NotImplementedError

    async def personal_link(self, table_id: str, secret: str, seat: int) -> str:
        """The token with which another device may take the caller's seat, until it is renewed."""
        raise NotImplementedError

    async def claim(self, table_id: str, secret: str, token: str) -> Joined:
        """Add this device to the seat of a personal link."""
        raise NotImplementedError

    async def scene(self, table_id: str, secret: str | None = None, *, at_least: int = 0) -> Scene:
        """What this caller may see now, not older than version ``at_least``."""
        raise NotImplementedError

    async def find(self, code: str) -> Head:
        """The table of a code, whatever its phase; UnknownTableError if there is none."""
        raise NotImplementedError

    async def mine(self, secret: str) -> list[Head]:
        """The tables at which the caller has a seat, last active first."""
        raise NotImplementedError

    def subscribe(self, table_id: str) -> AbstractAsyncContextManager[AsyncIterator[Notice]]:
        """Notices that the table has something new to see."""
        raise NotImplementedError

    def connected(self, table_id: str, secret: str | None) -> AbstractAsyncContextManager[None]:
        """While the context is open, the caller's seats are here (a WebSocket or SSE stream)."""
        raise NotImplementedError

    async def touch(self, table_id: str, secret: str | None) -> None:
        """The caller opened or reloaded a page: here for the next ``away_after`` seconds."""
        raise NotImplementedError

    async def tick(self) -> None:
        """Do everything that is due by the clock (bots, next rounds, who has gone away)."""
        raise NotImplementedError

    async def close(self) -> None:
        """Stop the ticker; the store stays open."""
        raise NotImplementedError
