"""What nobody has touched for as long as the hoster has said is deleted; nothing else is."""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest
from tests.kit.memory_store import MemoryStore
from tests.kit.tables import Room, asynchronous
from tests.web.conftest import quick_app

from skyjo.scorepad.authority import PadAuthority
from skyjo.store import open_store
from skyjo.table import commands as co
from skyjo.table.errors import UnknownTableError
from skyjo.table.keys import new_secret
from skyjo.table.ports import Stored
from skyjo.table.upkeep import Upkeep
from skyjo.web import keeping as keeper
from skyjo.web.keeping import delete_old, keeping
from skyjo.web.routes import replay
from skyjo.web.tablepage import REPLAY

DAY = 86_400.0


@asynchronous
async def test_only_what_is_old_goes(tmp_path: Path) -> None:
    store = await open_store(f"sqlite:///{tmp_path / 'x.db'}")
    room = Room(store)
    upkeep = Upkeep(room.authority, store)
    await room.create("Ana", bots=["any"])
    old = room.table_id
    pads = PadAuthority(store, clock=room.clock)
    pad = await pads.create(new_secret(), ["Ana", "Ben"])
    room.clock.now += 20 * DAY
    await room.create("Ben", bots=["any"], start=True)
    watched, room.table_id = room.table_id, ""
    await room.create("Cleo")
    room.clock.now += 11 * DAY
    new = (await room.create("Dan")).table_id
    async with room.authority.connected(watched, Room.secret("Ben")):
        assert await delete_old(upkeep, 30, room.clock) == 2
        left = {head.id for head in await store.heads([old, pad.id, watched, new])}
        assert left == {watched, new}
        # After more time only what somebody looks at is left.
        room.clock.now += 31 * DAY
        assert await delete_old(upkeep, 30, room.clock) == 2
        assert {head.id for head in await store.heads([watched, new])} == {watched}
    # Whoever has just gone may come back.
    assert await delete_old(upkeep, 30, room.clock) == 0
    room.clock.now += room.settings.forget_after
    assert await delete_old(upkeep, 30, room.clock) == 1
    await store.close()


@asynchronous
async def test_many_are_deleted_in_parts_and_the_end_is_found(tmp_path: Path) -> None:
    store = await open_store(f"sqlite:///{tmp_path / 'x.db'}")
    room = Room(store)
    for _ in range(30):
        await room.create("Ana")
    room.clock.now += 2 * DAY
    upkeep = Upkeep(room.authority, store)
    deleted = 0
    while found := await upkeep.delete_untouched(room.clock() - DAY, limit=7):
        deleted += found
    assert deleted == 30
    assert await store.untouched(room.clock(), 10) == []
    await store.close()


@asynchronous
async def test_without_the_option_nothing_is_ever_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeper, "FIRST_AFTER", 0.05)
    store = await open_store(f"sqlite:///{tmp_path / 'x.db'}")
    room = Room(store)
    await room.create("Ana")
    room.clock.now += room.settings.forget_after
    upkeep = Upkeep(room.authority, store)
    async with keeping(upkeep, None):
        await asyncio.sleep(0)
    assert await store.heads([room.table_id])
    # The clock of the room is long ago, so that with the option it goes at the first look.
    async with keeping(upkeep, 1.0):
        for _ in range(500):
            if not await store.heads([room.table_id]):
                break
            await asyncio.sleep(0.01)
    assert not await store.heads([room.table_id])
    await store.close()


@asynchronous
async def test_a_clock_that_jumps_deletes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A clock that is years ahead for a moment makes all games look old."""
    monkeypatch.setattr(keeper, "FIRST_AFTER", 0.05)
    monkeypatch.setattr(keeper, "EVERY", 0.05)
    store = await open_store(f"sqlite:///{tmp_path / 'x.db'}")
    room = Room(store)
    await room.create("Ana")
    room.clock.now += room.settings.forget_after
    upkeep = Upkeep(room.authority, store)
    now = room.clock.now
    shown = (now + 400 * DAY * (number % 2) for number in itertools.count(1))
    with caplog.at_level(logging.WARNING, "skyjo.web"):
        async with keeping(upkeep, 365, lambda: next(shown)):
            for _ in range(1000):
                if caplog.text.count("the clock was set") > 2:
                    break
                await asyncio.sleep(0.01)
    assert caplog.text.count("the clock was set") > 2
    assert await store.heads([room.table_id])
    # Once it goes evenly, what is old goes.
    async with keeping(upkeep, 365, lambda: now + 400 * DAY):
        for _ in range(1000):
            if not await store.heads([room.table_id]):
                break
            await asyncio.sleep(0.01)
    assert not await store.heads([room.table_id])
    await store.close()


class Gate(MemoryStore):
    """A store that can be held up between reading and giving what was read."""

    def __init__(self) -> None:
        super().__init__()
        self.meanwhile: list[Coroutine[Any, Any, Any]] = []

    async def untouched(self, before: float, limit: int) -> list[str]:
        found = await super().untouched(before, limit)
        await self._happen()
        return found

    async def events(self, table_id: str, after: int = 0) -> list[Stored]:
        found = await super().events(table_id, after)
        await self._happen()
        return found

    async def _happen(self) -> None:
        while self.meanwhile:
            await self.meanwhile.pop()


@asynchronous
async def test_who_plays_on_at_that_moment_keeps_the_table() -> None:
    store = Gate()
    room = Room(store)
    upkeep = Upkeep(room.authority, store)
    await room.create("Ana", bots=["any"], start=True)
    room.clock.now += 31 * DAY
    before = (await room.see("Ana")).version
    store.meanwhile.append(room.do("Ana", co.Act(0, "reveal r0c0", before)))
    assert await delete_old(upkeep, 30, room.clock) == 0
    assert (await room.see("Ana")).version > before
    assert await store.heads([room.table_id])


@asynchronous
async def test_whoever_looks_is_not_disturbed(tmp_path: Path) -> None:
    store = await open_store(f"sqlite:///{tmp_path / 'x.db'}")
    room = Room(store)
    pads = PadAuthority(store, clock=room.clock)
    upkeep = Upkeep(room.authority, store, pads.let_go, pads.is_looked_at)
    await room.create("Ana", bots=["any"], start=True)
    secret = new_secret()
    pad = (await pads.create(secret, ["Ana", "Ben"])).id
    circle = (await pads.circles.create(secret, "Friday")).id
    ids = {room.table_id, pad, circle}
    # A page without scripts has no connection, and an onlooker no seat.
    room.clock.now += 31 * DAY
    await room.authority.touch(room.table_id, Room.secret("Ana"), reads=True)
    await pads.scene(pad)
    await pads.circles.look(circle)
    assert await delete_old(upkeep, 30, room.clock) == 0
    room.clock.now += 31 * DAY
    async with room.authority.subscribe(room.table_id), pads.subscribe(pad):
        assert await delete_old(upkeep, 30, room.clock) == 1
        assert {head.id for head in await store.heads(list(ids))} == ids - {circle}
    async with room.authority.subscribe(room.table_id) as notices:
        await upkeep.delete(room.table_id, None)
        async with asyncio.timeout(60):
            assert (await anext(notices)).table_id == room.table_id
    assert await delete_old(upkeep, 30, room.clock) == 1
    await pads.close()
    await store.close()


@asynchronous
async def test_what_is_deleted_while_it_is_read_is_not_kept() -> None:
    store = Gate()
    room = Room(store)
    upkeep = Upkeep(room.authority, store)
    await room.create("Ana", bots=["any"], start=True)
    room.clock.now += 31 * DAY
    room.restart()
    upkeep = Upkeep(room.authority, store)
    store.meanwhile.append(delete_old(upkeep, 30, room.clock))
    with pytest.raises(UnknownTableError):
        await room.see("Ana")
    assert room.authority.in_memory == 0


@asynchronous
async def test_a_replay_that_is_deleted_while_it_is_read_is_not_kept(tmp_path: Path) -> None:
    store = Gate()
    room = Room(store)
    app = quick_app(tmp_path)
    app.state.site.authority = room.authority
    await room.playing("Ana", "Ben")
    await room.do("Ana", co.Leave(0))
    token = app.state.site.sessions.token(REPLAY, room.table_id)
    upkeep = Upkeep(room.authority, store, replay.let_go)
    store.meanwhile.append(upkeep.forget_person(room.table_id, 0, Room.secret("Ana")))
    assert (await replay.finished(app.state.site, token)).players[0] == "Ana"
    assert (await replay.finished(app.state.site, token)).players[0] == "#1"
