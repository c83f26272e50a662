"""A live table for tests: people by name, a clock that stands until it is moved."""

from __future__ import annotations

import asyncio
import functools
import random
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, ParamSpec

from tests.kit.memory_store import MemoryStore

from skyjo.chance import SeededChance
from skyjo.rules.layout import View
from skyjo.rules.legality import legal_actions
from skyjo.table import commands as co
from skyjo.table import events as ev
from skyjo.table.authority import Joined, TableAuthority
from skyjo.table.driver import Policy, PolicyDriver
from skyjo.table.model import Table
from skyjo.table.ports import Settings, Store
from skyjo.table.scene import Scene

P = ParamSpec("P")

#: A game of exactly two rounds, however badly it is played.
SHORT = "official target=1000 max_rounds=2"


def asynchronous(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """A test that is a coroutine, each in a loop of its own."""

    @functools.wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        asyncio.run(test(*args, **kwargs))

    return run


def any_action(view: View, generator: random.Random) -> int:
    """A policy: any legal action."""
    out = [0] * 16
    return generator.choice(out[: legal_actions(view, view.seat, out)])


def first_action(view: View, generator: random.Random) -> int:
    """A policy: the first legal action."""
    out = [0] * 16
    legal_actions(view, view.seat, out)
    return out[0]


BOTS: Mapping[str, Policy] = {"first": first_action, "any": any_action}


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


class Room:
    """One authority and the people who talk to it; ``restart`` is a new process."""

    def __init__(
        self,
        store: Store | None = None,
        *,
        seed: int = 0,
        bots: Mapping[str, Policy] = BOTS,
        settings: Settings | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.store = store or MemoryStore()
        self.clock = clock or Clock()
        self.seed = seed
        self.driver = PolicyDriver(bots)
        self.settings = settings or Settings()
        self.token = random.Random(f"tokens/{seed}").randbytes
        self.table_id = ""
        self.restart()

    def restart(self) -> None:
        self.authority = TableAuthority(
            self.store,
            self.driver,
            chance=SeededChance(self.seed),
            settings=self.settings,
            clock=self.clock,
            token=self.token,
        )

    @staticmethod
    def secret(name: str) -> str:
        return f"secret of {name}".ljust(40, ".")

    async def create(self, name: str = "Ana", **options: Any) -> Joined:
        options.setdefault("pace", "none")
        options.setdefault("ruleset", SHORT)
        joined = await self.authority.create(self.secret(name), name, **options)
        self.table_id = joined.table_id
        return joined

    async def join(self, *names: str) -> None:
        for name in names:
            await self.do(name, co.Join(name))

    async def playing(self, *names: str, **options: Any) -> None:
        """A table at which these people have begun to play."""
        await self.create(names[0], **options)
        await self.join(*names[1:])
        await self.do(names[0], co.Start())

    async def do(self, name: str, command: co.Command) -> Joined:
        return await self.authority.do(self.table_id, self.secret(name), command)

    async def see(self, name: str = "", table_id: str = "") -> Scene:
        secret = self.secret(name) if name else None
        return await self.authority.scene(table_id or self.table_id, secret)

    async def touch(self, *names: str) -> None:
        for name in names:
            await self.authority.touch(self.table_id, self.secret(name))

    async def act(self, name: str, action: int | str | None = None) -> None:
        """An action of somebody's acting seat, by default the first legal one."""
        scene = await self.see(name)
        assert scene.acting is not None, f"{name} has nothing to do"
        chosen = scene.legal[0] if action is None else action
        await self.do(name, co.Act(scene.acting, chosen, scene.version))

    async def stored(self, table_id: str = "") -> list[tuple[float, ev.Event]]:
        rows = await self.store.events(table_id or self.table_id)
        return [(row.at, ev.decode(row.data)) for row in rows]

    async def table(self, table_id: str = "") -> Table:
        """The table as the store alone has it."""
        table_id = table_id or self.table_id
        return Table.fold(table_id, await self.stored(table_id))

    async def settle(self) -> None:
        """Let everything happen that is due by now."""
        for _ in range(100_000):
            if not await self.authority.tick():
                return
        raise AssertionError("the table never comes to rest")

    async def wait(self, seconds: float, *here: str) -> None:
        """Time passes, with signs of life of those who are here."""
        end = self.clock.now + seconds
        while self.clock.now < end:
            self.clock.now = min(end, self.clock.now + 5.0)
            await self.touch(*here)
            await self.settle()

    async def play_on(self, *names: str, until: Callable[[Scene], bool]) -> Scene:
        """These people play first actions, bots theirs, until an onlooker sees this."""
        for _ in range(20_000):
            await self.settle()
            seen = await self.see()
            if until(seen):
                return seen
            await self._one_step(names)
        raise AssertionError("nobody could go on")

    async def _one_step(self, names: tuple[str, ...]) -> None:
        for name in names:
            scene = await self.see(name)
            if scene.acting is not None:
                choice = random.Random(f"{self.seed}/{scene.version}").choice(scene.legal)
                await self.do(name, co.Act(scene.acting, choice, scene.version))
                return
            if scene.may_ready:
                await self.do(name, co.Ready(scene.may_ready[0], scene.version))
                return
        raise AssertionError("nobody of these may act")


def is_over(scene: Scene) -> bool:
    return scene.phase == "over"


def is_between_rounds(scene: Scene) -> bool:
    return scene.between_rounds
