"""A computer's clock is put back while people play, or while the server did not run."""

from __future__ import annotations

import pytest
from tests.kit.tables import Room, asynchronous, is_between_rounds

from skyjo.table import commands as co

HOUR = 3600.0
after_a_restart = pytest.mark.parametrize("restart", [False, True], ids=["live", "restarted"])


def put_back(room: Room, restart: bool) -> None:
    room.clock.now -= HOUR
    if restart:
        room.restart()


@asynchronous
@after_a_restart
async def test_bots_play_on(restart: bool) -> None:
    room = Room()
    await room.create("Ana", bots=["any"], start=True, pace="slow")
    await room.act("Ana")
    before = (await room.see("Ana")).version
    put_back(room, restart)
    await room.wait(20.0, "Ana")
    assert (await room.see("Ana")).version > before
    # And in their own time from then on.
    before = (await room.see("Ana")).version
    await room.act("Ana")
    await room.settle()
    assert (await room.see("Ana")).version == before + 1


@asynchronous
@after_a_restart
async def test_the_next_round_begins(restart: bool) -> None:
    room = Room()
    await room.create("Ana", bots=["any"], start=True)
    await room.play_on("Ana", until=is_between_rounds)
    put_back(room, restart)
    await room.wait(35.0, "Ana")
    assert not (await room.see("Ana")).between_rounds


@asynchronous
@after_a_restart
async def test_who_is_gone_is_away_and_can_be_stood_in_for(restart: bool) -> None:
    room = Room()
    await room.playing("Ana", "Ben")
    await room.touch("Ben")
    put_back(room, restart)
    await room.wait(30.0, "Ana")
    seen = await room.see("Ana")
    assert seen.seats[1].away_since is not None
    assert seen.seats[0].away_since is None
    await room.do("Ana", co.StandIn(1, seen.version))


@asynchronous
async def test_who_lets_the_game_wait_is_idle() -> None:
    room = Room()
    await room.playing("Ana", "Ben")
    async with room.authority.connected(room.table_id, Room.secret("Ben")):
        put_back(room, restart=False)
        await room.wait(room.settings.idle_after + 5.0, "Ana")
        assert (await room.see("Ana")).seats[1].idle_since is not None
