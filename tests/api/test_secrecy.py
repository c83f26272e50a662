"""Every byte that the API sends is the same when cards that the caller may not know change places.

View, record in both forms, server-sent events and WebSocket: for every seat, for a stranger with a
token of no seat, and without a token.
"""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests.kit.memory_store import MemoryStore
from tests.kit.programs import Desk
from tests.kit.tables import BOTS, Room, asynchronous
from tests.rules.test_properties import permuted
from tests.table.test_scene import changed

from skyjo.rules.actions import DRAW
from skyjo.table import commands as co
from skyjo.table import events as ev
from skyjo.table.keys import holder_of
from skyjo.table.scene import viewer_place

NAMES = ["Ana", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hal"]


async def kept(room: Room, events: list[tuple[float, ev.Event]]) -> MemoryStore:
    """A store with these events as the room's table."""
    store = MemoryStore()
    head = (await room.store.heads([room.table_id]))[0]
    table = await room.table()
    await store.create(head, [ev.encode(event) for _at, event in events], table.holders)
    return store


async def sent(room: Room, events: list[tuple[float, ev.Event]], name: str) -> list[str]:
    """Everything that the API can be made to send about the table to this person."""
    desk = Desk(await kept(room, events), bots=BOTS)
    desk.clock.now = room.clock.now
    token = desk.token(Room.secret(name)) if name else ""
    path = f"/tables/{room.table_id}"
    answers: list[Any] = [
        (await desk.call("GET", path, token=token)).content,
        (await desk.call("GET", f"{path}/record", token=token)).content,
        (await desk.call("GET", f"{path}/record?form=json", token=token)).content,
        await desk.first_event(f"{path}/events", token),
        await desk.talk(f"{path}/live", token, replies=1),
    ]
    # A command that is refused tells the rest: what an action of somebody else would do.
    refused = '{"id":1,"command":"act","seat":0,"action":"swap r0c0","version":0}'
    answers.append(await desk.talk(f"{path}/live", token, refused, replies=2))
    assert all(answers)
    return [str(each) for each in answers]


@given(
    party=st.tuples(st.integers(1, 4), st.integers(0, 2), st.booleans()),
    ruleset=st.sampled_from(
        ["official", "family-facedown", "plain row_removal=on", "official turn_limit=5"]
    ),
    length=st.integers(0, 200),
    seed=st.integers(0, 2**32),
)
@settings(max_examples=12, suppress_health_check=[HealthCheck.filter_too_much])
def test_cards_that_a_caller_may_not_know_change_no_byte(
    party: tuple[int, int, bool], ruleset: str, length: int, seed: int
) -> None:
    people, bots, shared = party
    assume(2 <= people + bots <= 8)

    @asynchronous
    async def check() -> None:
        room = Room(seed=seed, bots=BOTS)
        await room.create("Ana", bots=["any"] * bots, ruleset=ruleset)
        devices = NAMES[:people]
        for name in devices[1:]:
            await room.do("Ana" if shared else name, co.Join(name))
        await room.do("Ana", co.Start())
        here = ["Ana"] if shared else devices
        rng = Random(seed)
        for _ in range(length):
            await room.settle()
            scenes = {name: await room.see(name) for name in here}
            acting = {name: seen for name, seen in scenes.items() if seen.acting is not None}
            if not acting:
                break
            name, seen = rng.choice(list(acting.items()))
            draws = DRAW in seen.legal and rng.random() < 0.7
            await room.act(name, DRAW if draws else rng.choice(seen.legal))
        table = await room.table()
        game = table.game
        assert game is not None
        if game.is_over:
            return
        events = await room.stored()
        for name in ["", "a stranger", *here]:
            viewer = viewer_place(table, holder_of(Room.secret(name))) if name else None
            replace = permuted(game, viewer, rng)
            other = changed(events, [replace(each) for each in game.log])
            assert await sent(room, other, name) == await sent(room, events, name)

    check()


def test_the_comparison_would_find_a_leak() -> None:
    """A caller who may know a card does get other bytes when it changes."""

    @asynchronous
    async def check() -> None:
        room = Room(seed=3, bots=BOTS)
        await room.playing("Ana", "Ben")
        for name in ("Ana", "Ben"):
            await room.act(name)
            await room.act(name)
        events = await room.stored()
        other = [
            (at, ev.Dealt(tuple(reversed(event.deck))) if isinstance(event, ev.Dealt) else event)
            for at, event in events
        ]
        assert await sent(room, other, "") != await sent(room, events, "")

    check()
