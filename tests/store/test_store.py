"""What every store promises, on SQLite, on PostgreSQL and on the one in memory for other tests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.exc import OperationalError
from tests.kit.memory_store import MemoryStore
from tests.kit.tables import BOTS, Room, asynchronous, is_over

from skyjo.errors import StaleError
from skyjo.store import SqlStore, open_store
from skyjo.store.sql import as_store_errors
from skyjo.table import commands as co
from skyjo.table import events as ev
from skyjo.table.errors import RefusedError, StoreError
from skyjo.table.ports import ExistsError, Head
from skyjo.table.scene import plain

HEAD = Head("t1", "CODE0001", "table", "lobby", 2, 10.0, 10.0)
EVENTS: Sequence[dict[str, Any]] = [
    {"event": "a", "name": "Ана 👩‍🚀 \u2028"},
    {"event": "b", "n": -2},
]


@pytest.fixture(params=["sqlite", "postgresql", "memory"])
def any_url(request: pytest.FixtureRequest) -> str:
    if request.param == "memory":
        return "memory"
    fixture = {"sqlite": "sqlite_url", "postgresql": "postgres_url"}[request.param]
    value: str = request.getfixturevalue(fixture)
    return value


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[MemoryStore | SqlStore]:
    store: MemoryStore | SqlStore = MemoryStore() if url == "memory" else await open_store(url)
    try:
        yield store
    finally:
        await store.close()


# --- the contract -------------------------------------------------------------------------------


@asynchronous
async def test_events_come_back_in_order(any_url: str) -> None:
    async with opened(any_url) as store:
        await store.create(HEAD, EVENTS, frozenset({"h1"}))
        await store.append("t1", 2, 11.5, [{"event": "c"}], phase="playing")
        stored = await store.events("t1")
        assert [each.data for each in stored] == [*EVENTS, {"event": "c"}]
        assert [each.version for each in stored] == [1, 2, 3]
        assert [each.at for each in stored] == [10.0, 10.0, 11.5]
        assert [each.version for each in await store.events("t1", 2)] == [3]
        assert await store.events("t1", 3) == await store.events("t2") == []
        assert await store.find("CODE0001") == replace(
            HEAD, phase="playing", version=3, active=11.5
        )


@asynchronous
async def test_ids_and_codes_are_unique(any_url: str) -> None:
    async with opened(any_url) as store:
        await store.create(HEAD, EVENTS, frozenset())
        with pytest.raises(ExistsError) as taken:
            await store.create(replace(HEAD, code="CODE0002"), EVENTS, frozenset())
        assert taken.value.field == "id"
        with pytest.raises(ExistsError) as taken:
            await store.create(replace(HEAD, id="t2"), EVENTS, frozenset())
        assert taken.value.field == "code"
        assert await store.events("t2") == []
        assert len(await store.events("t1")) == 2
        assert await store.find("CODE0002") is None


@pytest.mark.parametrize("expected", [0, 1, 3, 100])
@asynchronous
async def test_a_stale_append_writes_nothing(any_url: str, expected: int) -> None:
    async with opened(any_url) as store:
        await store.create(HEAD, EVENTS, frozenset({"h1"}))
        holders = frozenset({"h2"})
        with pytest.raises(StaleError):
            await store.append("t1", expected, 11.0, EVENTS, phase="over", holders=holders)
        with pytest.raises(StaleError):
            await store.append("t2", 0, 11.0, EVENTS, phase="over", holders=holders)
        assert await store.find("CODE0001") == HEAD
        assert len(await store.events("t1")) == 2
        assert await store.held_by("h2") == []


@asynchronous
async def test_of_many_who_append_at_once_one_succeeds(any_url: str) -> None:
    async with opened(any_url) as store:
        await store.create(HEAD, EVENTS, frozenset())

        async def append(number: int) -> bool:
            try:
                await store.append("t1", 2, 11.0, [{"n": number}, {"n": number}], phase="lobby")
            except StaleError:
                return False
            return True

        done = await asyncio.gather(*(append(number) for number in range(20)))
        assert sum(done) == 1
        stored = await store.events("t1", 2)
        assert [each.data["n"] for each in stored] == [done.index(True)] * 2


@asynchronous
async def test_tables_are_found_by_id_and_by_holder(any_url: str) -> None:
    async with opened(any_url) as store:
        for number in range(5):
            head = Head(f"t{number}", f"CODE{number}", "table", "lobby", 1, 10.0, 10.0 + number)
            await store.create(head, [{}], frozenset({"everybody", f"h{number}"}))
        assert [head.id for head in await store.held_by("everybody")] == [
            "t4",
            "t3",
            "t2",
            "t1",
            "t0",
        ]
        assert [head.id for head in await store.held_by("everybody", 2)] == ["t4", "t3"]
        assert [head.id for head in await store.held_by("h2")] == ["t2"]
        assert [head.id for head in await store.heads(["t1", "nothing", "t3"])] == ["t3", "t1"]
        assert await store.heads([]) == []
        await store.append("t2", 1, 99.0, [{}], phase="lobby", holders=frozenset({"new"}))
        assert await store.held_by("h2") == []
        assert [head.id for head in await store.held_by("new")] == ["t2"]
        assert (await store.held_by("everybody"))[0].id == "t4"
        await store.append("t2", 2, 99.0, [{}], phase="lobby", holders=frozenset())
        assert await store.held_by("new") == []


@asynchronous
async def test_what_is_touched_meanwhile_is_not_old(any_url: str) -> None:
    async with opened(any_url) as store:
        for name in ("t1", "t2", "t3"):
            await store.create(
                replace(HEAD, id=name, code=f"CODE000{name[1]}"), EVENTS, frozenset({"h"})
            )
        before = HEAD.active + 1
        assert sorted(await store.untouched(before, 10)) == ["t1", "t2", "t3"]
        await store.append("t2", 2, before + 1, EVENTS, phase="playing")
        assert await store.delete_untouched([], before) == []
        assert sorted(await store.delete_untouched(["t1", "t2"], before)) == ["t1"]
        assert {head.id for head in await store.held_by("h")} == {"t2", "t3"}
        assert await store.events("t1") == []
        assert len(await store.events("t2")) == 4


@asynchronous
async def test_everything_is_there_after_opening_again(url: str) -> None:
    async with opened(url) as store:
        await store.create(HEAD, EVENTS, frozenset({"h1"}))
    async with opened(url) as store:
        assert [each.data for each in await store.events("t1")] == EVENTS
        assert await store.held_by("h1") == [HEAD]


# --- games over it --------------------------------------------------------------------------------


@asynchronous
async def test_a_whole_game_is_stored_and_folds_again(url: str) -> None:
    async with opened(url) as store:
        room = Room(store, bots=BOTS)
        await room.playing("Ana", "Ben", bots=["any"], ruleset="official max_rounds=1")
        seen = await room.play_on("Ana", "Ben", until=is_over)
    async with opened(url) as store:
        again = Room(store, bots=BOTS, clock=room.clock)
        again.table_id = room.table_id
        assert plain(await again.see()) == plain(seen)
        heads = await again.authority.mine(room.secret("Ana"))
        assert [(head.phase, head.version) for head in heads] == [("over", seen.version)]


@asynchronous
async def test_two_processes_over_one_database_stay_right(url: str) -> None:
    """Each has its own idea of the present; the store tells them when it is not the newest."""
    async with opened(url) as store, opened(url) as other_store:
        one = Room(store)
        await one.playing("Ana", "Ben")
        two = Room(other_store, clock=one.clock, seed=9)
        two.table_id = one.table_id
        await two.see("Ben")
        seen = await one.see()
        await one.do("Ana", co.Act(0, "reveal r0c0", seen.version))
        # Two has not heard of it: it appends behind, is refused, reads on, and tries again.
        await two.do("Ben", co.Act(1, "reveal r0c0", seen.version))
        assert (await two.see()).version == seen.version + 2
        assert (await one.see()).version == seen.version + 1
        # One sees it when it is asked for a version that it does not know yet.
        fresh = await one.authority.scene(one.table_id, None, at_least=seen.version + 2)
        assert fresh.version == seen.version + 2
        # The same move asked of both is made once.
        version = (await two.see()).version
        await two.do("Ana", co.Act(0, "reveal r1c1", version))
        with pytest.raises(StaleError):
            await one.do("Ana", co.Act(0, "reveal r1c1", version))
        assert (await one.see()).version == version + 1


@asynchronous
async def test_a_stale_process_checks_again_before_it_appends(url: str) -> None:
    """What was allowed by the old present and is not any more is refused."""
    async with opened(url) as store, opened(url) as other_store:
        one = Room(store)
        await one.create("Ana", bots=["any"] * 6)
        two = Room(other_store, clock=one.clock)
        two.table_id = one.table_id
        assert (await two.see()).open_seats == 1
        await one.join("Ben")
        with pytest.raises(RefusedError) as error:
            await two.join("Cleo")
        assert error.value.code == "table_full"
        await one.do("Ana", co.Start())
        with pytest.raises(RefusedError) as error:
            await two.do("Ana", co.Start())
        assert error.value.code == "already_started"
        dealt = [event for _at, event in await one.stored() if isinstance(event, ev.Dealt)]
        assert len(dealt) == 1


@asynchronous
async def test_two_processes_move_the_bots_once(url: str) -> None:
    async with opened(url) as store, opened(url) as other_store:
        one = Room(store)
        await one.create("Ana", bots=["any", "any"], start=True)
        two = Room(other_store, clock=one.clock)
        two.table_id = one.table_id
        await two.see("Ana")
        await two.touch("Ana")
        await asyncio.gather(one.settle(), two.settle())
        table = await one.table()
        assert table.game is not None
        assert table.game.plies == 4
        assert {seat.key for seat in table.seats if seat.bot} == {1, 2}


@asynchronous
async def test_two_people_who_ask_for_a_rematch_at_once_get_the_same_table(url: str) -> None:
    async with opened(url) as store, opened(url) as other_store:
        one = Room(store, bots=BOTS)
        await one.playing("Ana", "Ben", ruleset="official max_rounds=1")
        await one.play_on("Ana", "Ben", until=is_over)
        two = Room(other_store, clock=one.clock, seed=9)
        two.table_id = one.table_id
        following = await asyncio.gather(
            one.authority.rematch(one.table_id, one.secret("Ana")),
            two.authority.rematch(one.table_id, one.secret("Ben")),
        )
        assert following[0] == following[1]
        table = await one.table(following[0])
        assert [seat.name for seat in table.seats] == ["Ana", "Ben"]


@asynchronous
async def test_the_thousandth_move_writes_as_much_as_the_tenth(sqlite_url: str) -> None:
    """One row of events a move, one changed row of tables, nothing else."""
    import sqlalchemy as sa

    store = await open_store(sqlite_url)
    room = Room(store)
    await room.playing("Ana", "Ben", ruleset="official target=1000000")
    statements: list[tuple[str, int]] = []

    @sa.event.listens_for(store._engine.sync_engine, "before_cursor_execute")
    def note(_c: Any, _k: Any, text: str, values: Any, _x: Any, many: bool) -> None:
        statements.append((text.split(maxsplit=1)[0], len(values) if many else 1))

    costs = []
    for number in range(1000):
        seen = [await room.see(name) for name in ("Ana", "Ben")]
        statements.clear()
        if seen[0].may_ready:
            await room.do("Ana", co.Ready(0))
            await room.do("Ben", co.Ready(1))
            continue
        name, scene = next((n, s) for n, s in zip(("Ana", "Ben"), seen, strict=True) if s.legal)
        await room.act(name, scene.legal[number % len(scene.legal)])
        costs.append(list(statements))
    assert costs[10] == costs[-1] == [("UPDATE", 1), ("INSERT", 1)]
    room.restart()
    assert (await room.see()).version > 1000
    await store.close()


# --- what cannot be opened ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ("nonsense", "is no database"),
        ("mysql://root:password@host/db", "'host/db' is no database"),
        ("sqlite://", "needs the name of a file"),
        ("sqlite:////proc/nowhere/x.db", "could not be used"),
        ("postgresql://skyjo@127.0.0.1:1/skyjo", "could not be used"),
    ],
)
@asynchronous
async def test_what_cannot_be_opened_is_said_in_a_sentence(wrong: str, says: str) -> None:
    with pytest.raises(StoreError, match=says) as error:
        await open_store(wrong)
    assert "password" not in str(error.value)


@asynchronous
async def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear Ana, " * 100)
    with pytest.raises(StoreError, match="not a database"):
        await open_store(f"sqlite:///{path}")
    assert path.read_text() == "Dear Ana, " * 100


@asynchronous
async def test_a_database_that_breaks_down_is_a_store_error(sqlite_url: str) -> None:
    import sqlalchemy as sa

    async with opened(sqlite_url) as store:
        room = Room(store)
        await room.playing("Ana", "Ben")
        before = await room.see("Ana")
        engine = sa.create_engine(sqlite_url)
        with engine.begin() as connection:
            connection.execute(sa.text("ALTER TABLE events RENAME TO gone"))
        with pytest.raises(StoreError, match="could not be used"):
            await room.act("Ana")
        with engine.begin() as connection:
            connection.execute(sa.text("ALTER TABLE gone RENAME TO events"))
        engine.dispose()
        assert (await room.see()).version == before.version
        await room.act("Ana")


@asynchronous
async def test_whoever_is_cancelled_stays_cancelled_whatever_goes_wrong_on_the_way_out() -> None:
    """A server that is ended while it deletes would wait for ever for what went on instead."""

    async def work() -> None:
        with as_store_errors():
            try:
                await asyncio.Event().wait()
            finally:
                raise OperationalError("PRAGMA busy_timeout", None, Exception("it is closed"))

    task = asyncio.create_task(work())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    with pytest.raises(StoreError, match="it is closed"), as_store_errors():
        raise OperationalError("PRAGMA busy_timeout", None, Exception("it is closed"))


@asynchronous
async def test_a_deletion_that_is_cancelled_does_not_go_on(sqlite_url: str) -> None:
    store = await open_store(sqlite_url)
    loop = asyncio.get_running_loop()

    def cancel(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if "wal_checkpoint" in statement:
            loop.call_soon(task.cancel)

    event.listen(store._engine.sync_engine, "before_cursor_execute", cancel)
    task = asyncio.create_task(store.delete(["t1"]))
    with pytest.raises(asyncio.CancelledError):
        await task
    await store.close()
