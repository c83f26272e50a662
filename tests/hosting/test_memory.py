"""Nothing that was deleted stays in memory, and what nobody looks at leaves it."""

from __future__ import annotations

import asyncio
import gc
from pathlib import Path

import httpx
import pytest
from tests.hosting.test_backup import skyjo
from tests.hosting.test_faults import live as connected
from tests.hosting.test_faults import raw, served
from tests.kit.pads import Desk
from tests.kit.programs import API
from tests.kit.tables import Room, asynchronous
from tests.web.conftest import quick_app
from tests.web.harness import PATIENCE, Person, Process, wait_for
from tests.web.test_live import board, live
from websockets.exceptions import ConnectionClosed

from skyjo.client import Client
from skyjo.scorepad.errors import UnknownPadError
from skyjo.scorepad.ledger import IDLE_AFTER
from skyjo.scorepad.model import Pad
from skyjo.store import open_store
from skyjo.table.upkeep import Upkeep


@asynchronous
async def test_a_pad_that_nobody_looks_at_leaves_the_memory(tmp_path: Path) -> None:
    store = await open_store(f"sqlite:///{tmp_path / 'x.db'}")
    desk = Desk(store)
    first = (await desk.create()).id
    await desk.save(1, 2, 3)
    desk.clock.now += IDLE_AFTER / 2
    second = (await desk.create()).id
    assert desk.authority.in_memory == 2
    desk.clock.now += IDLE_AFTER / 2 + 1
    await desk.authority.scene(second)
    assert desk.authority.in_memory == 1
    # It is as it was when somebody comes back.
    again = await desk.authority.scene(first)
    assert again.reckoning.sheet.rounds[0].points == (1, 2, 3)
    assert desk.authority.in_memory == 2
    await desk.authority.close()
    await store.close()


@asynchronous
async def test_a_pad_that_was_deleted_is_nowhere(tmp_path: Path) -> None:
    store = await open_store(f"sqlite:///{tmp_path / 'x.db'}")
    desk = Desk(store)
    pad_id = (await desk.create(["Wilhelmina", "Ben"])).id
    circle = await desk.authority.circles.create(desk.secret("keeper"), "Konstantins Runde")
    upkeep = Upkeep(Room(store).authority, store, desk.authority.let_go)
    async with desk.authority.subscribe(pad_id) as notices:
        await upkeep.delete_anything(pad_id)
        async with asyncio.timeout(60):
            assert (await anext(notices)).table_id == pad_id, "whoever looks is told"
    with pytest.raises(UnknownPadError):
        await desk.authority.scene(pad_id)
    await upkeep.delete_anything(circle.code)
    assert not await store.heads([pad_id, circle.id])
    assert desk.authority.in_memory == 0
    del circle
    gc.collect()
    held = [each for each in gc.get_objects() if isinstance(each, Pad) and each.id == pad_id]
    assert not held
    await desk.authority.close()
    await store.close()


def test_an_open_page_of_a_deleted_pad_says_so_and_is_closed(tmp_path: Path) -> None:
    with (
        Process(tmp_path, "--host", "127.0.0.1", "--port", "0") as server,
        Person(server.ready()) as ana,
    ):
        made = ana.post("/pads", {"name0": "Ana", "name1": "Ben"})
        path = made.headers["location"].partition("?")[0]
        with live(ana, path) as seen:
            board(seen)
            code = path.split("/")[2]
            assert skyjo("delete", code, "--data", tmp_path, "--yes")[0] == 0
            assert "has been deleted" in board(seen)
            with pytest.raises(ConnectionClosed) as closed:
                board(seen)
            assert closed.value.rcvd
            assert closed.value.rcvd.code == 1000
        assert ana.get(path).status_code == 404


def test_connections_that_have_ended_leave_the_memory_at_once(tmp_path: Path) -> None:
    """Without a search for cycles, which a server with many tables makes once in hours."""

    def ended() -> int:
        transports = [e for e in gc.get_objects() if issubclass(type(e), asyncio.Transport)]
        return sum(each.is_closing() for each in transports)

    gc.collect()
    gc.disable()
    try:
        with served(quick_app(tmp_path)) as url, Client(url) as client:
            seat = client.create("Ana", bots=["greedy"], start=True)
            code = seat.look().code
            for _ in range(5):
                with connected(url, seat) as program:
                    assert program.recv(timeout=PATIENCE)
                for path in (f"{API}/tables/{seat.table}/events", f"/t/{code}/events"):
                    with httpx.stream("GET", f"{url}{path}", timeout=PATIENCE) as stream:
                        assert next(stream.iter_lines())
                assert httpx.get(f"{url}/robots.txt", timeout=PATIENCE).is_success
                with raw(url, "GET /nothing HTTP/1.1\r\nhost: x\r\n\r\n") as asking:
                    assert asking.recv(1)
            wait_for(lambda: ended() == 0, "memory without what has ended")
    finally:
        gc.enable()
