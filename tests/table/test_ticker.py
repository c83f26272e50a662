"""What happens by itself: bots, next rounds, presence; and that it goes on after a restart."""

from __future__ import annotations

import asyncio
import logging
import random
from typing import Any

import pytest
from tests.kit.memory_store import MemoryStore
from tests.kit.tables import (
    BOTS,
    SHORT,
    Room,
    any_action,
    asynchronous,
    is_between_rounds,
    is_over,
)

from skyjo.rules.layout import View
from skyjo.table import commands as co
from skyjo.table.errors import StoreError
from skyjo.table.ports import Settings
from skyjo.table.upkeep import Upkeep


async def plies(room: Room) -> int:
    table = await room.table()
    assert table.game is not None
    return table.game.plies


# --- bots -------------------------------------------------------------------------------------


@asynchronous
async def test_bots_take_a_human_pause() -> None:
    room = Room()
    await room.create("Ana", bots=["any"], start=True, pace="normal")
    await room.settle()
    assert await plies(room) == 0
    for expected in (1, 2, 2):
        room.clock.now += 1.2
        await room.settle()
        assert await plies(room) == expected, "two opening cards, then it is Ana's part"
    await room.do("Ana", co.ChoosePace("slow"))
    await room.act("Ana")
    await room.act("Ana")
    before = await plies(room)
    await room.settle()
    assert await plies(room) == before


@asynchronous
async def test_bots_decide_the_same_after_a_restart() -> None:
    """Their randomness follows from the table, not from the process."""
    choices = []
    for restart in (False, True):
        room = Room(seed=5)
        await room.create("Ana", bots=["any", "any"], start=True)
        if restart:
            room.restart()
            await room.see("Ana")
        await room.settle()
        choices.append([event for _at, event in await room.stored()])
    assert choices[0] == choices[1]


@asynchronous
async def test_bots_that_are_to_move_go_on_after_a_restart() -> None:
    room = Room()
    await room.create("Ana", bots=["any"], start=True, pace="slow")
    room.restart()
    await room.see("Ana")
    room.clock.now += 6
    await room.touch("Ana")
    await room.settle()
    room.clock.now += 3
    await room.settle()
    assert await plies(room) == 2


@pytest.mark.parametrize("fault", ["raises", "illegal", "no number", "hangs"])
@asynchronous
async def test_a_bot_that_fails_does_not_stop_the_table(
    fault: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = asyncio.Event()

    def broken(view: View, generator: random.Random) -> int:
        answers: dict[str, Any] = {"illegal": 44, "no number": "draw"}
        return answers[fault]

    room = Room(bots={"broken": broken, "any": any_action}, settings=Settings(bot_timeout=0.01))
    if fault == "hangs":

        async def choose(*_: Any) -> int:
            await release.wait()
            return 0

        monkeypatch.setattr(room.driver, "choose", choose)
    await room.create("Ana", bots=["broken"], start=True)
    with caplog.at_level(logging.ERROR):
        await room.settle()
    assert await plies(room) == 2, "the first legal actions"
    assert "broken" in caplog.text


@asynchronous
async def test_a_bot_s_choice_is_dropped_when_the_table_moves_on_meanwhile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A person comes back while the bot thinks: the person's decision counts."""
    thinking, go = asyncio.Event(), asyncio.Event()
    room = Room()
    await room.playing("Ana", "Ben")
    choose = room.driver.choose

    async def slowly(bot: str, view: View, generator: random.Random) -> int:
        thinking.set()
        await go.wait()
        return await choose(bot, view, generator)

    monkeypatch.setattr(room.driver, "choose", slowly)
    await room.do("Ben", co.StandIn(1))
    step = asyncio.create_task(room.authority.tick())
    await thinking.wait()
    await room.do("Ben", co.Act(1, "reveal r2c3", (await room.see()).version))
    go.set()
    await step
    assert await plies(room) == 1
    assert not (await room.see()).seats[1].stand_in


@asynchronous
async def test_a_bot_s_choice_is_dropped_when_a_name_was_forgotten_meanwhile_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Then the table in memory is another object than the one that the bot was asked for."""
    thinking, go = asyncio.Event(), asyncio.Event()
    store = MemoryStore()
    room = Room(store)
    upkeep = Upkeep(room.authority, store)
    await room.playing("Ana", "Ben", "Cleo")
    choose = room.driver.choose

    async def slowly(bot: str, view: View, generator: random.Random) -> int:
        thinking.set()
        await go.wait()
        return await choose(bot, view, generator)

    monkeypatch.setattr(room.driver, "choose", slowly)
    await room.do("Cleo", co.Leave(2))
    await room.do("Ben", co.StandIn(1))
    step = asyncio.create_task(room.authority.tick())
    await thinking.wait()
    await upkeep.forget_person(room.table_id, 2, Room.secret("Cleo"))
    await room.do("Ben", co.Act(1, "reveal r2c3", (await room.see()).version))
    # With the last other person the game ends, so that whatever the bot does is too late.
    await room.do("Ana", co.Leave(0))
    go.set()
    await step
    table = await room.table()
    assert table.game is not None
    assert table.game.is_over
    assert table.game.plies == 3, "one reveal, and two who left"
    room.restart()
    assert (await room.see()).seats[2].name == "#3"


@asynchronous
async def test_a_table_that_is_deleted_while_a_bot_thinks_is_no_fault(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    thinking, go = asyncio.Event(), asyncio.Event()
    store = MemoryStore()
    room = Room(store)
    upkeep = Upkeep(room.authority, store)
    await room.create("Ana", bots=["any"], start=True)

    async def slowly(_bot: str, view: View, generator: random.Random) -> int:
        thinking.set()
        await go.wait()
        return any_action(view, generator)

    monkeypatch.setattr(room.driver, "choose", slowly)
    with caplog.at_level(logging.INFO):
        step = asyncio.create_task(room.authority.tick())
        await thinking.wait()
        await upkeep.delete(room.table_id, Room.secret("Ana"))
        go.set()
        await step
    assert not caplog.records
    assert not await room.authority.tick()


@asynchronous
async def test_nothing_moves_at_a_table_that_everybody_has_left_alone() -> None:
    room = Room()
    await room.create("Ana", bots=["any", "any"], start=True, pace="slow")
    await room.wait(20)
    before = await plies(room)
    await room.wait(20)
    assert await plies(room) == before == 2, "bots went on as long as Ana could be back"
    room = Room()
    await room.playing("Ana", "Ben", "Cleo")
    for name in ("Ana", "Ben", "Cleo"):
        await room.do(name, co.StandIn(["Ana", "Ben", "Cleo"].index(name)))
    room.clock.now += 20
    await room.settle()
    assert await plies(room) == 0
    await room.touch("Cleo")
    await room.settle()
    assert await plies(room) > 0


# --- between rounds ------------------------------------------------------------------------------


@asynchronous
async def test_the_next_round_begins_by_itself_after_a_while() -> None:
    room = Room()
    await room.playing("Ana", "Ben")
    seen = await room.play_on("Ana", "Ben", until=is_between_rounds)
    assert seen.continue_at == seen.now + 30
    await room.wait(28, "Ana", "Ben")
    assert (await room.see()).between_rounds
    await room.wait(4, "Ana", "Ben")
    assert not (await room.see()).between_rounds


@asynchronous
async def test_the_pause_between_rounds_survives_a_restart() -> None:
    room = Room()
    await room.playing("Ana", "Ben")
    seen = await room.play_on("Ana", "Ben", until=is_between_rounds)
    room.clock.now += 20
    room.restart()
    assert (await room.see("Ana")).continue_at == seen.continue_at
    await room.wait(9, "Ana")
    assert (await room.see()).between_rounds
    await room.wait(2, "Ana")
    assert not (await room.see()).between_rounds


@asynchronous
async def test_who_is_away_is_not_waited_for_between_rounds() -> None:
    room = Room()
    await room.playing("Ana", "Ben", "Cleo")
    await room.play_on("Ana", "Ben", "Cleo", until=is_between_rounds)
    await room.wait(16, "Ana", "Ben")
    await room.do("Ana", co.Ready(0))
    assert (await room.see()).between_rounds
    await room.do("Ben", co.Ready(1))
    assert not (await room.see()).between_rounds


@asynchronous
async def test_the_round_goes_on_when_the_last_who_was_not_ready_leaves() -> None:
    room = Room()
    await room.playing("Ana", "Ben", "Cleo")
    await room.play_on("Ana", "Ben", "Cleo", until=is_between_rounds)
    await room.do("Ana", co.Ready(0))
    await room.do("Ben", co.Ready(1))
    await room.do("Cleo", co.Leave(2))
    await room.settle()
    seen = await room.see("Ana")
    assert (seen.between_rounds, seen.acting) == (False, 0)


@asynchronous
async def test_without_anybody_here_the_next_round_waits_for_the_first_who_comes() -> None:
    room = Room()
    await room.playing("Ana", "Ben")
    await room.play_on("Ana", "Ben", until=is_between_rounds)
    await room.wait(1000)
    assert (await room.table()).between_rounds
    await room.touch("Ben")
    await room.settle()
    assert not (await room.table()).between_rounds


# --- who is here --------------------------------------------------------------------------------


@asynchronous
async def test_a_connection_keeps_a_seat_here() -> None:
    room = Room()
    await room.playing("Ana", "Ben")
    async with room.authority.connected(room.table_id, room.secret("Ben")):
        await room.wait(100)
        seats = (await room.see()).seats
        assert seats[1].away_since is None
        assert seats[0].away_since == room.clock.now - 100
    await room.wait(10)
    assert (await room.see()).seats[1].away_since is None, "a short break is forgiven"
    await room.wait(6)
    assert (await room.see()).seats[1].away_since == room.clock.now - 16


@asynchronous
async def test_whoever_thinks_before_a_page_without_scripts_is_here() -> None:
    room = Room()
    await room.playing("Ana", "Ben")
    for name in ("Ana", "Ben"):
        await room.authority.touch(room.table_id, room.secret(name), reads=True)
    thinks = next(each.seat for each in (await room.see()).seats if each.decides)
    await room.wait(20)
    seats = (await room.see()).seats
    assert [seat.away_since is None for seat in seats] == [seat.decides for seat in seats]
    await room.wait(41)
    assert (await room.see()).seats[thinks].away_since == room.clock.now - 61
    # With scripts there is a connection, whose loss is told soon.
    name = ("Ana", "Ben")[thinks]
    await room.authority.touch(room.table_id, room.secret(name), reads=True)
    async with room.authority.connected(room.table_id, room.secret(name)):
        await room.wait(100)
    await room.wait(16)
    assert (await room.see()).seats[thinks].away_since == room.clock.now - 16


@asynchronous
async def test_a_seat_that_joins_on_a_connected_device_is_here_too() -> None:
    room = Room()
    await room.create("Ana")
    async with (
        room.authority.connected(room.table_id, room.secret("Ben")),
        room.authority.connected(room.table_id, None),
        room.authority.connected(room.table_id, room.secret("a stranger")),
    ):
        await room.join("Ben")
        await room.wait(60)
        assert [seat.away_since is None for seat in (await room.see()).seats] == [False, True]
        devices = room.authority._presents.lives[room.table_id].presences.devices
        assert len(devices) == 3
    assert len(devices) == 2, "an onlooker is forgotten"


@asynchronous
async def test_viewers_are_told_when_somebody_comes_goes_or_sleeps() -> None:
    room = Room()
    await room.playing("Ana", "Ben")
    version = (await room.see()).version
    await room.wait(10, "Ana")
    async with room.authority.subscribe(room.table_id) as notices:

        async def told() -> bool:
            try:
                notice = await asyncio.wait_for(anext(notices), 0.05)
            except TimeoutError:
                return False
            return notice.version == version

        assert not await told()
        await room.wait(5, "Ana")
        assert await told(), "Ben is away"
        await room.touch("Ben")
        assert await told(), "Ben is back"
        await room.wait(40, "Ana", "Ben")
        assert not await told()
        await room.wait(10, "Ana", "Ben")
        assert await told(), "Ana has let the others wait"
        assert (await room.see()).seats[0].idle_since is not None


@asynchronous
async def test_who_comes_to_a_lobby_and_goes_leaves_nothing_in_memory() -> None:
    room = Room()
    await room.create("Ana")
    presences = room.authority.presents.lives[room.table_id].presences
    for number in range(20):
        await room.wait(20.0, "Ana")
        await room.join(f"Ben {number}")
        await room.touch(f"Ben {number}")
        await room.do(f"Ben {number}", co.Leave(1))
    assert len(presences.devices) == 1
    assert not presences.returning
    assert len(presences.arrived) <= 1


@asynchronous
async def test_a_table_leaves_the_memory_and_comes_back() -> None:
    room = Room()
    await room.create("Ana", bots=["any"], start=True)
    await room.settle()
    before = await room.see("Ana")
    await room.wait(400)
    assert not room.authority._presents.lives
    after = await room.see("Ana")
    assert (after.version, after.acting, after.legal) == (
        before.version,
        before.acting,
        before.legal,
    )
    assert after.seats[0].away_since is not None
    await room.touch("Ana")
    assert (await room.see("Ana")).seats[0].away_since is None


@asynchronous
async def test_a_watched_table_stays_in_memory() -> None:
    room = Room()
    await room.create("Ana", bots=["any"], start=True)
    async with room.authority.connected(room.table_id, room.secret("Ana")):
        await room.wait(1000)
        assert room.authority._presents.lives


# --- the real ticker ------------------------------------------------------------------------------


@asynchronous
async def test_the_ticker_plays_a_whole_game_by_the_clock_of_the_world() -> None:
    import time

    room = Room(clock=time.time)  # type: ignore[arg-type]
    async with room.authority:
        await room.create("Ana", bots=["any", "any"], start=True)
        await room.do("Ana", co.StandIn(0))
        async with (
            room.authority.connected(room.table_id, room.secret("Ana")),
            room.authority.subscribe(room.table_id) as notices,
        ):
            async for _notice in notices:
                if (await room.see()).phase == "over":
                    break
    assert (await room.table()).phase == "over"


@asynchronous
async def test_the_ticker_stops_cleanly_in_the_middle() -> None:
    import time

    room = Room(clock=time.time)  # type: ignore[arg-type]
    async with room.authority:
        await room.create("Ana", bots=["any"], ruleset="official", start=True)
        await room.do("Ana", co.StandIn(0))
        async with room.authority.subscribe(room.table_id) as notices:
            async for notice in notices:
                if notice.version >= 40:
                    break
    live = room.authority._presents.lives[room.table_id]
    assert live.table == await room.table()


# --- a store that fails ---------------------------------------------------------------------------


class FailingStore(MemoryStore):
    """Fails on demand, before or after it has written."""

    fails = ""

    async def append(self, *args: Any, **kwargs: Any) -> None:
        if self.fails == "before":
            raise StoreError("the disk is full")
        await super().append(*args, **kwargs)
        if self.fails == "after":
            raise StoreError("the connection was lost")


@pytest.mark.parametrize("fails", ["before", "after"])
@asynchronous
async def test_what_could_not_be_stored_is_not_shown(fails: str) -> None:
    store = FailingStore()
    room = Room(store)
    await room.playing("Ana", "Ben")
    before = (await room.see()).version
    store.fails = fails
    with pytest.raises(StoreError):
        await room.act("Ana")
    store.fails = ""
    seen = await room.see("Ana")
    assert seen.version == (await room.table()).version == before + (fails == "after")
    await room.act("Ana")
    assert (await room.see()).version == (await room.table()).version


@asynchronous
async def test_bots_try_again_when_the_store_works_again(caplog: pytest.LogCaptureFixture) -> None:
    store = FailingStore()
    room = Room(store)
    await room.create("Ana", bots=["any"], start=True)
    store.fails = "before"
    await room.settle()
    assert "trying again" in caplog.text
    assert "Traceback" not in caplog.text, "a database that fails is no fault of the program"
    store.fails = ""
    await room.wait(5, "Ana")
    assert await plies(room) == 2


@asynchronous
async def test_a_command_is_carried_out_although_its_caller_goes_away() -> None:
    """The browser closes the connection while the store writes: shown and stored stay one."""
    writing, go = asyncio.Event(), asyncio.Event()

    class SlowStore(MemoryStore):
        async def append(self, *args: Any, **kwargs: Any) -> None:
            if writing.is_set():
                return await super().append(*args, **kwargs)
            writing.set()
            await go.wait()
            return await super().append(*args, **kwargs)

    room = Room(SlowStore())
    await room.create("Ana", bots=["any"], start=True, ruleset=SHORT)
    command = asyncio.create_task(room.act("Ana"))
    await writing.wait()
    command.cancel()
    with pytest.raises(asyncio.CancelledError):
        await command
    go.set()
    await room.authority.close()
    assert (await room.see()).version == (await room.table()).version == 6


@asynchronous
async def test_a_bot_game_folds_to_the_same_table() -> None:
    room = Room(bots=BOTS)
    await room.create("Ana", bots=["any"] * 5)
    await room.do("Ana", co.Start())
    await room.play_on("Ana", until=is_over)
    live = room.authority._presents.lives[room.table_id].table
    assert live == await room.table()
