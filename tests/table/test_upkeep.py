"""What is left at other tables when a table is deleted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import pytest
from tests.kit.memory_store import MemoryStore
from tests.kit.tables import SHORT, Room, asynchronous, is_over

from skyjo.table import commands as co
from skyjo.table.errors import UnknownTableError
from skyjo.table.upkeep import Upkeep


@asynchronous
@pytest.mark.parametrize("told", [True, False], ids=["told", "crashed"])
async def test_another_rematch_after_the_first_one_was_deleted(told: bool) -> None:
    store = MemoryStore()
    room = Room(store)
    upkeep = Upkeep(room.authority, store)
    await room.create("Ana", bots=["any"], ruleset=SHORT, start=True)
    await room.play_on("Ana", until=is_over)
    before = room.table_id
    ana = room.secret("Ana")
    following = await room.authority.rematch(before, ana)
    code = (await room.see("Ana", following)).code
    assert (await room.see("Ana")).next_table == following
    if told:
        await upkeep.delete(following, ana)
        assert (await room.see("Ana")).next_table == ""
    else:
        await store.delete([following])
        room.restart()
    with pytest.raises(UnknownTableError):
        await room.see("Ana", following)
    again = await room.authority.rematch(before, ana)
    seen = await room.see("Ana", again)
    assert seen.phase == "playing"
    assert seen.code != code, "the code of what was deleted leads nowhere"
    assert (await room.see("Ana")).next_table == again
    room.restart()
    assert (await room.see("Ana")).next_table == again


class Slow(MemoryStore):
    """Deletes when it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.go = asyncio.Event(), asyncio.Event()

    async def delete(self, table_ids: Sequence[str]) -> int:
        self.begun.set()
        await self.go.wait()
        return await super().delete(table_ids)


@asynchronous
@pytest.mark.parametrize("what", ["forget", "rematch", "delete", "claim", "leave"])
async def test_who_is_late_for_a_table_that_is_just_deleted_changes_nothing(what: str) -> None:
    store = Slow()
    room = Room(store)
    upkeep = Upkeep(room.authority, store)
    await room.create("Ana", bots=["any"], ruleset=SHORT, start=True)
    await room.play_on("Ana", until=is_over)
    ana = room.secret("Ana")
    link = await room.authority.personal_link(room.table_id, ana, 0)
    deleting = asyncio.create_task(upkeep.delete(room.table_id, ana))
    await store.begun.wait()
    wishes: dict[str, Callable[[], Coroutine[Any, Any, Any]]] = {
        "forget": lambda: upkeep.forget_person(room.table_id, 0, ana),
        "rematch": lambda: room.authority.rematch(room.table_id, ana),
        "delete": lambda: upkeep.delete(room.table_id, ana),
        "claim": lambda: room.authority.claim(room.table_id, room.secret("Ben"), link),
        "leave": lambda: room.do("Ana", co.Leave(0)),
    }
    late = asyncio.create_task(wishes[what]())
    for _ in range(20):
        await asyncio.sleep(0)
    store.go.set()
    await deleting
    with pytest.raises(UnknownTableError):
        await late
    assert not await room.authority.mine(ana)
    assert room.authority.in_memory == 0
