"""Everybody at once: people, bots, deletions and a store that takes its time, in any interleaving.

What is in memory must stay what the stored events make, and nothing may go wrong but what is
refused.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any

import pytest
from tests.kit.memory_store import MemoryStore
from tests.kit.tables import Room, asynchronous

from skyjo.errors import SkyjoError
from skyjo.rules.layout import View
from skyjo.table import commands as co
from skyjo.table.errors import StoreError
from skyjo.table.ports import Head, Stored
from skyjo.table.scene import Scene
from skyjo.table.upkeep import Upkeep

NAMES = ("Ana", "Ben", "Cleo")


class Slow(MemoryStore):
    """A store during whose work others go on; with ``fails`` some writes fail, written or not."""

    def __init__(self, rng: random.Random, fails: bool) -> None:
        super().__init__()
        self.rng, self.fails = rng, fails

    async def pause(self) -> None:
        for _ in range(self.rng.choice((0, 0, 1, 3, 8))):
            await asyncio.sleep(0)

    async def append(
        self, table_id: str, expected: int, at: float, events: Sequence[Mapping[str, Any]],
        *, phase: str, holders: frozenset[str] | None = None,
    ) -> None:  # fmt: skip
        await self.pause()
        fails = self.fails and self.rng.random() < 0.03
        if not fails or self.rng.random() < 0.5:
            await super().append(table_id, expected, at, events, phase=phase, holders=holders)
        if fails:
            raise StoreError("no")
        await self.pause()

    async def events(self, table_id: str, after: int = 0) -> list[Stored]:
        await self.pause()
        found = await super().events(table_id, after)
        await self.pause()
        return found

    async def heads(self, table_ids: Sequence[str]) -> list[Head]:
        await self.pause()
        return await super().heads(table_ids)

    async def delete(self, table_ids: Sequence[str]) -> int:
        await self.pause()
        count = await super().delete(table_ids)
        await self.pause()
        return count

    async def rewrite(
        self, table_id: str, change: Callable[[Mapping[str, Any]], Mapping[str, Any]],
        holders: frozenset[str] | None = None,
    ) -> None:  # fmt: skip
        await self.pause()
        await super().rewrite(table_id, change, holders)
        await self.pause()


class Party:
    """A table, what people may wish of it, and chance to choose among that."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.store = Slow(self.rng, fails=self.rng.random() < 0.3)
        self.room = Room(self.store, seed=seed)
        self.upkeep = Upkeep(self.room.authority, self.store)
        self.tables: list[str] = []
        self._choose = self.room.driver.choose
        self.room.driver.choose = self.think  # type: ignore[method-assign]

    async def think(self, bot: str, view: View, generator: random.Random) -> int:
        for _ in range(self.rng.choice((0, 5, 60))):
            await asyncio.sleep(0)
        return await self._choose(bot, view, generator)

    async def person(self, name: str) -> None:
        for _ in range(self.rng.choice((20, 60, 120))):
            try:
                await self.wish(name, self.rng.choice(self.tables[-2:]))
            except SkyjoError:
                await asyncio.sleep(0)

    async def wish(self, name: str, table_id: str) -> None:
        rng, secret = self.rng, Room.secret(name)
        scene = await self.room.authority.scene(table_id, secret)
        if scene.acting is not None and rng.random() < 0.5:
            action = rng.choice(scene.legal)
            await self.do(table_id, secret, co.Act(scene.acting, action, scene.version))
        elif scene.may_ready and rng.random() < 0.8:
            await self.do(table_id, secret, co.Ready(scene.may_ready[0], scene.version))
        elif scene.seats:
            await rng.choice(self.wishes(scene, name, secret))()

    async def do(self, table_id: str, secret: str, command: co.Command) -> None:
        await self.room.authority.do(table_id, secret, command)

    def wishes(
        self, scene: Scene, name: str, secret: str
    ) -> list[Callable[[], Coroutine[Any, Any, Any]]]:
        rng, authority, table_id = self.rng, self.room.authority, scene.table_id
        mine = rng.choice(scene.mine) if scene.mine else 0
        seat = rng.randrange(len(scene.seats))
        version = scene.version - rng.choice((0, 0, 0, 1, 3))
        commands: list[co.Command] = [
            co.Join(f"{name} {rng.randrange(3)}"),
            co.Start(),
            co.Start(),
            co.Leave(mine, version),
            co.StandIn(seat, version),
            co.Back(mine, version),
            co.Rename(mine, f"{name} {rng.randrange(9)}", version),
            co.HandOver(seat, version),
            co.TakeHost(mine, version),
            co.RenewLink(mine, version),
            co.AddBot("any"),
        ]
        return [
            *(lambda each=each: self.do(table_id, secret, each) for each in commands),
            *(lambda: self.upkeep.forget_person(table_id, seat, None) for _ in range(5)),
            lambda: self.upkeep.forget_person(table_id, mine, secret),
            *(lambda: self.do(table_id, secret, co.StandIn(mine, version)) for _ in range(5)),
            lambda: self.upkeep.delete(table_id, secret),
            lambda: self.rematch(table_id, secret),
            lambda: self.rematch(table_id, secret),
            lambda: authority.record(table_id, secret),
            lambda: authority.touch(table_id, secret),
            lambda: self.look_on(table_id, secret),
            self.later,
        ]

    async def rematch(self, table_id: str, secret: str) -> None:
        self.tables.append(await self.room.authority.rematch(table_id, secret))

    async def look_on(self, table_id: str, secret: str) -> None:
        async with self.room.authority.connected(table_id, secret):
            for _ in range(self.rng.choice((1, 20))):
                await asyncio.sleep(0)

    async def later(self) -> None:
        self.room.clock.now += self.rng.choice((1, 5, 20, 70, 400, -30, -3600))


@pytest.mark.parametrize("seed", range(40))
@asynchronous
async def test_whatever_happens_at_once(seed: int) -> None:
    party = Party(seed)
    room = party.room
    bots = ["any"] * party.rng.choice((0, 1, 2))
    party.tables.append((await room.create(bots=bots, ruleset="official max_rounds=1")).table_id)
    ended = asyncio.Event()

    async def time_passes() -> None:
        while not ended.is_set():
            await room.authority.tick()
            await asyncio.sleep(0)

    ticking = asyncio.create_task(time_passes())
    try:
        await asyncio.gather(*map(party.person, NAMES))
    finally:
        ended.set()
        await ticking
        await room.authority.presents.finish()
    lives = room.authority.presents.lives
    for table_id in party.tables:
        if not await party.store.heads([table_id]):
            assert table_id not in lives
            continue
        stored = await room.table(table_id)
        live = lives.get(table_id)
        if live is not None and not live.in_doubt:
            assert (live.table.version, live.table.phase) == (stored.version, stored.phase)
            assert live.table.seats == stored.seats
            assert (live.table.host, live.table.next) == (stored.host, stored.next)
            assert repr(live.table.game) == repr(stored.game)
