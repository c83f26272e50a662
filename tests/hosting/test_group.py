"""Appends that share a transaction: each is as if it were alone."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.kit.tables import asynchronous

from skyjo.errors import StaleError
from skyjo.store import open_store
from skyjo.store.group import Append, Group
from skyjo.store.sql import SqlStore
from skyjo.table.errors import StoreError
from skyjo.table.ports import Head

EVENT = {"event": "acted", "seat": 0}


async def begun(folder: Path, tables: int) -> SqlStore:
    store = await open_store(f"sqlite:///{folder / 'x.db'}")
    for number in range(tables):
        head = Head(f"t{number}", f"CODE{number}", "table", "playing", 1, 0.0, 0.0)
        await store.create(head, [EVENT], frozenset())
    return store


async def append(store: SqlStore, number: int, expected: int, count: int = 1) -> str:
    try:
        await store.append(f"t{number}", expected, 5.0, [EVENT] * count, phase="playing")
    except StaleError:
        return "stale"
    except StoreError:
        return "failed"
    return "done"


@asynchronous
async def test_many_at_once_are_all_written(tmp_path: Path) -> None:
    store = await begun(tmp_path, 150)
    for version in (1, 4):
        done = await asyncio.gather(*(append(store, n, version, 3) for n in range(150)))
        assert set(done) == {"done"}
    for head in await store.heads([f"t{n}" for n in range(150)]):
        assert head.version == 7
        assert [event.version for event in await store.events(head.id)] == list(range(1, 8))
    await store.close()


@asynchronous
async def test_a_stale_one_harms_no_other(tmp_path: Path) -> None:
    store = await begun(tmp_path, 20)
    wishes = [(n, 1 if n % 4 else 9) for n in range(20)]
    done = await asyncio.gather(*(append(store, n, version) for n, version in wishes))
    assert done == ["done" if n % 4 else "stale" for n in range(20)]
    for head in await store.heads([f"t{n}" for n in range(20)]):
        number = int(head.id[1:])
        assert head.version == len(await store.events(head.id)) == (2 if number % 4 else 1)
    await store.close()


@asynchronous
async def test_two_for_the_same_table_are_one_and_a_stale_one(tmp_path: Path) -> None:
    store = await begun(tmp_path, 3)
    done = await asyncio.gather(*(append(store, n % 3, 1) for n in range(9)))
    assert sorted(done) == ["done"] * 3 + ["stale"] * 6
    assert [len(await store.events(f"t{n}")) for n in range(3)] == [2, 2, 2]
    await store.close()


@asynchronous
async def test_what_waits_is_written_before_the_end(tmp_path: Path) -> None:
    store = await begun(tmp_path, 30)
    tasks = [asyncio.create_task(append(store, n, 1)) for n in range(30)]
    await asyncio.sleep(0)
    await store.close()
    assert {await task for task in tasks} == {"done"}
    again = await open_store(f"sqlite:///{tmp_path / 'x.db'}")
    assert all(head.version == 2 for head in await again.heads([f"t{n}" for n in range(30)]))
    await again.close()


@asynchronous
async def test_a_failure_is_told_to_all_who_wait_and_the_next_try_goes_through() -> None:
    broken, sizes = True, []

    async def commit(batch: Sequence[Append]) -> bool:
        sizes.append(len(batch))
        await asyncio.sleep(0.01)
        if broken:
            raise StoreError("full")
        return True

    async def one(single: Append) -> None:
        await commit([single])

    group = Group(commit, one)

    async def add() -> Any:
        try:
            await group.add(Append({}, []))
        except StoreError:
            return "failed"
        return "done"

    assert await asyncio.gather(*(add() for _ in range(5))) == ["failed"] * 5
    broken = False
    assert await asyncio.gather(*(add() for _ in range(5))) == ["done"] * 5
    # While the first is written, the others gather.
    assert sizes == [5, 5]


@asynchronous
async def test_who_goes_away_does_not_stop_the_others() -> None:
    go_on = asyncio.Event()

    async def commit(batch: Sequence[Append]) -> bool:
        await go_on.wait()
        return True

    async def one(single: Append) -> None:
        await commit([single])

    group = Group(commit, one)
    first = asyncio.create_task(group.add(Append({}, [])))
    await asyncio.sleep(0)
    others = [asyncio.create_task(group.add(Append({}, []))) for _ in range(3)]
    await asyncio.sleep(0)
    others[1].cancel()
    go_on.set()
    await first
    await others[0]
    await others[2]
    with pytest.raises(asyncio.CancelledError):
        await others[1]
    await group.close()
