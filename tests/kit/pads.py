"""A score pad for tests: people by name, a clock that stands, a new process when asked for."""

from __future__ import annotations

import random
from collections.abc import Sequence

from tests.kit.memory_store import MemoryStore
from tests.kit.tables import Clock

from skyjo.scorepad import commands as co
from skyjo.scorepad import events as ev
from skyjo.scorepad.authority import Check, PadAuthority
from skyjo.scorepad.entry import Entry
from skyjo.scorepad.model import Pad
from skyjo.scorepad.scene import PadScene
from skyjo.table.ports import Store


def entry(*points: int | None, closer: int = 0, penalty: str = "rules") -> Entry:
    """A round as it is typed."""
    return Entry(points, closer, penalty)


class Desk:
    """One authority over pads and the people who talk to it."""

    def __init__(self, store: Store | None = None, seed: int = 0) -> None:
        self.store = store or MemoryStore()
        self.clock = Clock()
        self.token = random.Random(f"pads/{seed}").randbytes
        self.pad_id = ""
        self.restart()

    def restart(self) -> None:
        """A new process over the same store."""
        self.authority = PadAuthority(self.store, clock=self.clock, token=self.token)

    @staticmethod
    def secret(name: str) -> str:
        return f"secret of {name}".ljust(40, ".")

    async def create(
        self,
        names: Sequence[str] = ("Ana", "Ben", "Cleo"),
        ruleset: str = "official",
        entering: str = "keeper",
    ) -> PadScene:
        made = await self.authority.create(
            self.secret("keeper"), names, ruleset=ruleset, entering=entering
        )
        self.pad_id = made.id
        return made

    async def do(self, command: co.Command, who: str = "keeper") -> PadScene:
        return await self.authority.do(self.pad_id, self.secret(who), command)

    async def save(self, *points: int | None, closer: int = 0, penalty: str = "rules") -> PadScene:
        """The next round, whichever it is."""
        number = (await self.see()).number
        return await self.do(co.Save(number, entry(*points, closer=closer, penalty=penalty)))

    async def see(self, who: str = "keeper") -> PadScene:
        return await self.authority.scene(self.pad_id, self.secret(who))

    async def check(self, *points: int | None, closer: int = 0, penalty: str = "rules") -> Check:
        return await self.authority.check(
            self.pad_id, self.secret("keeper"), entry(*points, closer=closer, penalty=penalty)
        )

    async def stored(self) -> Pad:
        """The pad as the store alone has it."""
        rows = await self.store.events(self.pad_id)
        return Pad.fold(self.pad_id, ((row.at, ev.decode(row.data)) for row in rows))
