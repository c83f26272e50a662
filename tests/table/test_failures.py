"""How tables of this kind have failed their users: a test for each of these failures, as far as it
is the table's to prevent. (What the pages and the server add is tested with them.)
"""

from __future__ import annotations

from dataclasses import fields
from random import Random

import pytest
from tests.kit.tables import Room, asynchronous, is_between_rounds, is_over

from skyjo.errors import StaleError
from skyjo.rules.actions import SWAP_FROM, TAKE
from skyjo.rules.layout import HIGHEST, MUST_SWAP, PLACE_OR_DISCARD, SLOTS, View
from skyjo.rules.legality import legal_actions
from skyjo.table import commands as co
from skyjo.table.errors import ForbiddenError, RefusedError
from skyjo.table.scene import Scene, plain


async def until_ana_draws(room: Room) -> Scene:
    """Ana has drawn a card and holds it."""

    def anas_turn(scene: Scene) -> bool:
        assert scene.view is not None
        return scene.view.turn == 0 and scene.view.phase == 1

    await room.play_on("Ana", "Ben", until=anas_turn)
    await room.act("Ana", "draw")
    return await room.see("Ana")


@asynchronous
async def test_15_bots_that_exchange_open_cards_for_ever_end_the_round_all_the_same() -> None:
    def exchanger(view: View, generator: Random) -> int:
        out = [0] * 16
        legal_actions(view, view.seat, out)
        if out[0] == TAKE or view.phase != MUST_SWAP:
            return out[0]
        cards = view.cells[view.seat * SLOTS : view.seat * SLOTS + SLOTS]
        return SWAP_FROM + next(slot for slot, card in enumerate(cards) if card <= HIGHEST)

    room = Room(bots={"exchanger": exchanger})
    await room.playing("Ana", "Ben", bots=["exchanger"])
    await room.do("Ana", co.StandIn(0))
    await room.do("Ben", co.StandIn(2))
    await room.settle()
    seen = await room.see()
    assert seen.sheet is not None
    assert len(seen.sheet.rounds) == 2
    assert max(seen.sheet.rounds[0].turns) > 60
    assert seen.phase == "over"


@asynchronous
async def test_17_a_round_restarts_although_somebody_is_gone() -> None:
    """The opening, a turn, and the pause between rounds do not wait for who cannot come."""
    room = Room()
    await room.playing("Ana", "Ben", "Cleo")
    await room.wait(20, "Ana", "Ben")
    assert (await room.see("Ana")).seats[2].may_stand_in
    await room.do("Ana", co.StandIn(2))
    await room.play_on("Ana", "Ben", until=is_between_rounds)
    await room.wait(35, "Ana", "Ben")
    assert not (await room.see()).between_rounds
    await room.play_on("Ana", "Ben", until=is_over)


@asynchronous
async def test_18_a_restart_keeps_the_drawn_card_the_finisher_and_the_last_turns() -> None:
    room = Room()
    await room.playing("Ana", "Ben")
    holding = await until_ana_draws(room)
    assert holding.view is not None
    assert holding.view.phase == PLACE_OR_DISCARD
    room.restart()
    again = await room.see("Ana")
    assert plain(again) == plain(holding)
    await room.act("Ana", SWAP_FROM)

    def closed(scene: Scene) -> bool:
        return scene.view is not None and scene.view.finisher >= 0 and any(scene.view.pending)

    room = Room(seed=2)
    await room.playing("Ana", "Ben", "Cleo")
    seen = await room.play_on("Ana", "Ben", "Cleo", until=closed)
    room.restart()
    assert plain(await room.see()) == plain(seen)


@pytest.mark.parametrize("idler", ["Ana", "Ben"])
@asynchronous
async def test_19_a_table_of_two_does_not_wait_for_a_connected_idler(idler: str) -> None:
    """Being idle is not being away; and it may be the host."""
    other = "Ben" if idler == "Ana" else "Ana"
    place = 0 if idler == "Ana" else 1
    room = Room()
    await room.playing("Ana", "Ben")
    await room.act(other)
    await room.act(other)
    async with room.authority.connected(room.table_id, room.secret(idler)):
        await room.wait(55, other)
        assert not (await room.see(other)).seats[place].may_stand_in
        with pytest.raises((RefusedError, ForbiddenError)):
            await room.do(other, co.StandIn(place))
        await room.wait(5, other)
        seen = await room.see(other)
        assert seen.seats[place].idle_since is not None
        assert seen.seats[place].away_since is None
        await room.do(other, co.StandIn(place))
        await room.play_on(other, until=is_between_rounds)
        await room.do(idler, co.Back(place))
        assert not (await room.see()).seats[place].stand_in


@asynchronous
async def test_20_nothing_is_deleted_when_everybody_pauses() -> None:
    room = Room()
    await room.playing("Ana", "Ben")
    before = plain((await room.see("Ana")).view)
    await room.wait(700)
    room.clock.now += 400 * 24 * 3600.0
    await room.settle()
    seen = await room.see("Ana")
    assert plain(seen.view) == before
    await room.act("Ana")
    await room.do("Ben", co.Act(1, "reveal r0c0", (await room.see("Ben")).version))


@asynchronous
async def test_21_after_a_reconnect_the_seat_acts_where_it_was() -> None:
    room = Room()
    await room.playing("Ana", "Ben")
    before = await until_ana_draws(room)
    await room.wait(200, "Ben")
    async with room.authority.connected(room.table_id, room.secret("Ana")):
        seen = await room.see("Ana")
        assert (seen.legal, seen.acting, seen.version) == (before.legal, 0, before.version)
        await room.do("Ana", co.Act(0, "discard", before.version))


@asynchronous
async def test_21_a_countdown_is_a_time_and_not_a_counter_of_the_page() -> None:
    room = Room()
    await room.playing("Ana", "Ben")
    seen = await room.play_on("Ana", "Ben", until=is_between_rounds)
    await room.wait(12, "Ana", "Ben")
    later = await room.see("Ana")
    assert seen.continue_at is not None
    assert later.continue_at == seen.continue_at == later.now + 18


@asynchronous
async def test_23_a_host_who_leaves_throws_nobody_out() -> None:
    room = Room()
    await room.create("Ana")
    await room.join("Ben", "Cleo")
    await room.do("Ana", co.Leave(0))
    seen = await room.see("Ben")
    assert (seen.phase, seen.is_host, [seat.name for seat in seen.seats]) == (
        "lobby",
        True,
        ["Ben", "Cleo"],
    )
    await room.do("Ben", co.Start())
    await room.do("Ben", co.Leave(0))
    seen = await room.see("Cleo")
    assert seen.is_host
    assert seen.sheet is not None
    assert seen.sheet.by_forfeit


@asynchronous
async def test_23_the_host_passes_to_somebody_who_is_here() -> None:
    room = Room()
    await room.playing("Ana", "Ben", "Cleo")
    await room.wait(20, "Ana", "Cleo")
    await room.do("Ana", co.Leave(0))
    assert (await room.see("Cleo")).is_host


@asynchronous
async def test_24_a_reconnect_of_five_seconds_costs_nothing() -> None:
    room = Room()
    await room.playing("Ana", "Ben")
    async with room.authority.connected(room.table_id, room.secret("Ben")):
        await room.wait(100, "Ana")
    await room.wait(5, "Ana")
    ben = (await room.see("Ana")).seats[1]
    assert ben.away_since is None
    assert ben.idle_since is not None, "away for a moment is not away, but Ben has not moved either"
    async with room.authority.connected(room.table_id, room.secret("Ben")):
        await room.act("Ben")
        assert (await room.see()).seats[1].away_since is None


@pytest.mark.parametrize("way", ["opens a page", "connects", "acts"])
@asynchronous
async def test_24_whoever_comes_back_plays_the_next_decision(way: str) -> None:
    room = Room()
    await room.playing("Ana", "Ben")
    await room.wait(20, "Ana")
    await room.do("Ana", co.StandIn(1))
    await room.settle()
    await room.act("Ana")
    assert (await room.see()).seats[1].stand_in == "away"
    if way == "opens a page":
        await room.touch("Ben")
    elif way == "connects":
        async with room.authority.connected(room.table_id, room.secret("Ben")):
            pass
    else:
        await room.act("Ana")
        version = (await room.see()).version
        with pytest.raises(StaleError):
            await room.do("Ben", co.Act(1, "reveal r2c2", version - 3))
        await room.touch("Ben")
    assert not (await room.see()).seats[1].stand_in


@asynchronous
async def test_24_acting_ends_the_bot_s_part_at_once() -> None:
    room = Room()
    await room.create("Ana", pace="slow")
    await room.join("Ben")
    await room.do("Ana", co.Start())
    await room.do("Ben", co.StandIn(1))
    seen = await room.see("Ben")
    await room.do("Ben", co.Act(1, seen.legal[3], seen.version))
    assert not (await room.see()).seats[1].stand_in


@asynchronous
async def test_25_nobody_joins_a_game_that_is_over_or_abandoned() -> None:
    room = Room()
    await room.playing("Ana", "Ben")
    code = (await room.see()).code
    with pytest.raises(RefusedError, match="you can watch"):
        await room.authority.join(code, room.secret("Cleo"), "Cleo")
    await room.play_on("Ana", "Ben", until=is_over)
    with pytest.raises(RefusedError, match="over"):
        await room.authority.join(code, room.secret("Cleo"), "Cleo")
    await room.create("Dan")
    code = (await room.see()).code
    await room.do("Dan", co.Leave(0))
    with pytest.raises(RefusedError, match="left this table"):
        await room.authority.join(code, room.secret("Cleo"), "Cleo")


@asynchronous
async def test_26_everything_that_is_shown_gives_no_right_to_a_seat() -> None:
    """Whatever is in somebody else's scene is tried as a secret and as a personal link."""
    room = Room()
    await room.playing("Ana", "Ben", bots=["any"])
    await room.settle()
    shown: set[str] = set()

    def collect(value: object) -> None:
        if isinstance(value, dict):
            for each in value.values():
                collect(each)
        elif isinstance(value, list):
            for each in value:
                collect(each)
        else:
            shown.add(str(value))

    for name in ("", "Ben"):
        collect(plain(await room.see(name)))
    table = await room.table()
    hashes = {holder for seat in table.seats for holder in seat.holders}
    assert not hashes & shown
    assert table.secret not in shown
    version = (await room.see()).version
    for text in shown | hashes:
        for secret in (text, text.ljust(40, "."), text.ljust(32, "0")):
            if not 32 <= len(secret) <= 200:
                continue
            with pytest.raises(ForbiddenError):
                await room.authority.do(room.table_id, secret, co.Act(0, "reveal r0c0", version))
            with pytest.raises(ForbiddenError):
                await room.authority.claim(room.table_id, secret, text)


@asynchronous
async def test_27_names_come_from_the_seat_and_not_from_the_command() -> None:
    """No command of the game carries a name; only joining and one's own renaming do."""
    with_name = {
        command.__name__
        for command in vars(co).values()
        if isinstance(command, type) and "name" in {f.name for f in fields(command)}
    }
    assert with_name == {"Join", "AddBot", "Rename"}
    room = Room()
    await room.create("Ana")
    await room.join("Ben")
    with pytest.raises(ForbiddenError):
        await room.do("Ben", co.Rename(0, "Fool"))


@asynchronous
async def test_28_the_rules_do_not_change_during_the_game() -> None:
    room = Room()
    await room.playing("Ana", "Ben")
    ruleset = (await room.see()).ruleset
    for command in (co.ChooseRuleset("plain"), co.Start(), co.Remove(1), co.AddBot("any")):
        with pytest.raises(RefusedError):
            await room.do("Ana", command)
    await room.play_on("Ana", "Ben", until=is_between_rounds)
    with pytest.raises(RefusedError):
        await room.do("Ana", co.ChooseRuleset("plain"))
    assert (await room.see()).ruleset == ruleset


@asynchronous
async def test_30_a_command_says_what_to_do_and_never_how_the_table_looks_then() -> None:
    """No field of any command could hold a state or a card."""
    allowed = {"seat", "version", "name", "called", "bot", "ruleset", "pace", "action"}
    for command in vars(co).values():
        if isinstance(command, type) and command.__module__ == co.__name__:
            assert {field.name for field in fields(command)} <= allowed


@asynchronous
async def test_32_two_fast_taps_are_one_move() -> None:
    room = Room()
    await room.playing("Ana", "Ben")
    seen = await room.see("Ana")
    await room.do("Ana", co.Act(0, seen.legal[0], seen.version))
    for action in seen.legal:
        with pytest.raises(StaleError):
            await room.do("Ana", co.Act(0, action, seen.version))
    holding = await until_ana_draws(room)
    await room.do("Ana", co.Act(0, "discard", holding.version))
    with pytest.raises(StaleError):
        await room.do("Ana", co.Act(0, "swap r0c0", holding.version))
