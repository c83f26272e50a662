"""Secrecy: what a scene may not hold, and what it says about a viewer's rights."""

from __future__ import annotations

import json
from random import Random

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests.kit.tables import BOTS, Room, asynchronous, is_over
from tests.rules.test_properties import permuted

from skyjo.rules.actions import DRAW
from skyjo.rules.plies import Deal, Entry, Reshuffle
from skyjo.table import commands as co
from skyjo.table import events as ev
from skyjo.table.keys import holder_of
from skyjo.table.model import Table
from skyjo.table.rights import Attendance
from skyjo.table.scene import plain, scene, viewer_place

NAMES = ["Ana", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hal"]


def shown(table: Table, name: str) -> str:
    """Every byte that a viewer could be sent of this table."""
    holder = holder_of(Room.secret(name)) if name else ""
    return json.dumps(plain(scene(table, holder, Attendance.everybody(table), 7.0)))


def changed(
    events: list[tuple[float, ev.Event]], entries: list[Entry]
) -> list[tuple[float, ev.Event]]:
    """The same events with these decks and reshuffles."""
    chance = iter(entry for entry in entries if isinstance(entry, Deal | Reshuffle))
    out: list[tuple[float, ev.Event]] = []
    for at, event in events:
        if isinstance(event, ev.Dealt):
            entry = next(chance)
            assert isinstance(entry, Deal)
            out.append((at, ev.Dealt(entry.deck)))
        elif isinstance(event, ev.Reshuffled):
            entry = next(chance)
            assert isinstance(entry, Reshuffle)
            out.append((at, ev.Reshuffled(entry.order)))
        else:
            out.append((at, event))
    return out


@given(
    party=st.tuples(st.integers(1, 8), st.integers(0, 3), st.booleans()),
    ruleset=st.sampled_from(
        [
            "official",
            "family-facedown",
            "plain row_removal=on",
            "official column_removal=player_choice",
        ]
    ),
    length=st.integers(0, 300),
    seed=st.integers(0, 2**32),
)
@settings(max_examples=40, suppress_health_check=[HealthCheck.filter_too_much])
def test_cards_that_a_viewer_may_not_know_do_not_change_what_is_shown(
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
        people_here = ["Ana"] if shared else devices
        rng = Random(seed)
        for _ in range(length):
            await room.settle()
            scenes = {name: await room.see(name) for name in people_here}
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
        for name in ["", "a stranger", *people_here]:
            viewer = viewer_place(table, holder_of(Room.secret(name))) if name else None
            replace = permuted(game, viewer, rng)
            other = Table.fold(table.id, changed(events, [replace(each) for each in game.log]))
            assert shown(other, name) == shown(table, name)

    check()


@asynchronous
async def test_the_drawn_card_is_shown_to_its_drawer_only() -> None:
    room = Room(seed=1)
    await room.playing("Ana", "Ben")
    await room.play_on(
        "Ana", "Ben", until=lambda seen: seen.view is not None and seen.view.turn >= 0
    )
    drawer = "Ana" if (await room.see("Ana")).acting is not None else "Ben"
    await room.act(drawer, "draw")
    other = "Ben" if drawer == "Ana" else "Ana"
    mine, theirs = await room.see(drawer), await room.see(other)
    assert mine.view is not None
    assert theirs.view is not None
    assert mine.recent[-1].card == mine.view.hand != theirs.view.hand
    assert theirs.recent[-1].card is None
    assert (await room.see()).recent[-1].card is None


@asynchronous
async def test_a_scene_tells_the_last_plies_and_which_are_of_this_round() -> None:
    room = Room()
    await room.playing("Ana", "Ben")
    assert ((await room.see()).recent, (await room.see()).round_plies) == ((), 0)
    await room.act("Ana")
    assert len((await room.see()).recent) == (await room.see()).round_plies == 1
    seen = await room.play_on("Ana", "Ben", until=lambda seen: seen.between_rounds)
    assert seen.recent[-1].ends == "round"
    await room.do("Ana", co.Ready(0))
    await room.do("Ben", co.Ready(1))
    seen = await room.see("Ben")
    assert seen.round_plies == 0
    assert seen.recent[-1].ends == "round"
    assert seen.sheet is not None
    assert [seat.total for seat in seen.seats] == list(seen.sheet.totals)
    await room.play_on("Ana", "Ben", until=is_over)


@asynchronous
async def test_an_onlooker_may_nothing_but_join_a_lobby() -> None:
    room = Room()
    await room.create("Ana", bots=["any"])
    lobby = await room.see("Dan")
    assert (lobby.onlooker, lobby.may_join, lobby.may_start, lobby.view) == (
        True,
        True,
        False,
        None,
    )
    await room.do("Ana", co.Start())
    seen = await room.see("Dan")
    rights = {name: getattr(seen, name) for name in type(seen).__slots__ if name.startswith("may_")}
    assert not any(rights.values()), rights
    assert not any(
        seat.may_stand_in or seat.may_remove or seat.may_hand_over for seat in seen.seats
    )
    assert (seen.acting, seen.legal, seen.mine) == (None, (), ())
    assert seen.view is not None
