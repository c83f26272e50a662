"""What is left at other tables when a table is deleted."""

from __future__ import annotations

import pytest
from tests.kit.memory_store import MemoryStore
from tests.kit.tables import SHORT, Room, asynchronous, is_over

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
