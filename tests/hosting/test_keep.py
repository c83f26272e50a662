"""What nobody has touched for as long as the hoster has said is deleted; nothing else is."""

from __future__ import annotations

import asyncio
import itertools
import logging
from pathlib import Path

import pytest
from tests.kit.tables import Room, asynchronous

from skyjo.scorepad.authority import PadAuthority
from skyjo.store import open_store
from skyjo.table.keys import new_secret
from skyjo.table.upkeep import Upkeep
from skyjo.web import keeping as keeper
from skyjo.web.keeping import delete_old, keeping

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
