"""Random people do random things at one table; what must always hold is checked after each."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)
from tests.kit.tables import BOTS, Room, asynchronous

from skyjo.errors import SkyjoError
from skyjo.table import commands as co
from skyjo.table.errors import ForbiddenError
from skyjo.table.keys import holder_of
from skyjo.table.model import Phase, Table
from skyjo.table.scene import Scene

PEOPLE = ("Ana", "Ben", "Cleo", "Dan")
SEATS = st.integers(-1, 8)
COMMANDS: st.SearchStrategy[co.Command] = st.one_of(
    st.builds(co.Join, st.sampled_from((*PEOPLE, "", "x" * 30))),
    st.builds(co.AddBot, st.sampled_from(("any", "first", "none"))),
    st.builds(co.Remove, SEATS),
    st.builds(co.Rename, SEATS, st.sampled_from(("Zoe", "Ana"))),
    st.builds(co.HandOver, SEATS),
    st.builds(co.TakeHost, SEATS),
    st.builds(co.ChooseRuleset, st.sampled_from(("plain target=60", "official", "nonsense"))),
    st.builds(co.ChoosePace, st.sampled_from(("none", "slow"))),
    st.builds(co.Start),
    st.builds(co.Ready, SEATS),
    st.builds(co.Leave, SEATS),
    st.builds(co.StandIn, SEATS),
    st.builds(co.Back, SEATS),
    st.builds(co.RenewLink, SEATS),
    st.builds(co.Act, SEATS, st.integers(-1, 45), st.integers(0, 400)),
)


class Party(RuleBasedStateMachine):
    """One table. ``run`` keeps one loop, so that locks and tasks live as long as the table."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.room = Room(bots=BOTS)

    def run(self, work: Any) -> Any:
        return self.loop.run_until_complete(work)

    def teardown(self) -> None:
        self.run(self.room.authority.close())
        self.loop.close()

    def see(self, name: str = "") -> Scene:
        seen: Scene = self.run(self.room.see(name))
        return seen

    def try_to(self, name: str, command: co.Command) -> bool:
        """Whether it was done; a refusal changes nothing."""
        before = self.run(self.room.stored())
        code = self.refusal(self.room.do(name, command))
        assert code is None or self.run(self.room.stored()) == before
        return code is None

    def refusal(self, work: Any) -> str | None:
        """The code of the error, None if there is none."""
        try:
            self.run(work)
        except SkyjoError as error:
            return error.code if str(error) else "no sentence"
        return None

    @initialize(seed=st.integers(0, 1000), bots=st.integers(0, 2))
    def begin(self, seed: int, bots: int) -> None:
        self.room.seed = seed
        self.run(self.room.create("Ana", bots=["any"] * bots, ruleset="official max_rounds=2"))

    @rule(name=st.sampled_from(PEOPLE), command=COMMANDS)
    def ask(self, name: str, command: co.Command) -> None:
        self.try_to(name, command)

    @rule(command=COMMANDS)
    def a_stranger_asks(self, command: co.Command) -> None:
        """Nothing but sitting down in the lobby works without a secret of the table."""
        if isinstance(command, co.Join):
            return
        assert not self.try_to("a stranger", command)

    @rule()
    def everybody_joins_and_starts(self) -> None:
        for name in PEOPLE[1:]:
            self.try_to(name, co.Join(name))
        for name in PEOPLE:
            self.try_to(name, co.Start())

    @rule(name=st.sampled_from(PEOPLE), choice=st.integers(0, 15), count=st.integers(1, 12))
    def play(self, name: str, choice: int, count: int) -> None:
        """Whatever a scene offers is accepted."""
        for _ in range(count):
            seen = self.see(name)
            if seen.acting is not None:
                action = seen.legal[choice % len(seen.legal)]
                assert self.try_to(name, co.Act(seen.acting, action, seen.version))
            elif seen.may_ready:
                assert self.try_to(name, co.Ready(seen.may_ready[0], seen.version))
            self.run(self.room.settle())

    @rule(name=st.sampled_from(PEOPLE))
    def open_a_page(self, name: str) -> None:
        self.run(self.room.touch(name))

    @rule(seconds=st.sampled_from((1.0, 16.0, 61.0, 400.0)))
    def wait(self, seconds: float) -> None:
        self.room.clock.now += seconds
        self.run(self.room.settle())

    @rule()
    def restart(self) -> None:
        self.run(self.room.authority.close())
        self.room.restart()

    @precondition(lambda self: self.see().phase == "over")
    @rule(name=st.sampled_from(PEOPLE), leave_out=st.booleans())
    def rematch(self, name: str, leave_out: bool) -> None:
        authority, secret = self.room.authority, Room.secret(name)
        ask = authority.rematch(self.room.table_id, secret, leave_out_absent=leave_out)
        code = self.refusal(ask)
        old = self.run(self.room.table())
        if code is None:
            new = self.run(self.room.table(old.next))
            assert new.holders <= old.holders
            self.room.table_id = new.id
        else:
            assert code in ("table_abandoned", "not_at_the_table", "nobody_left")

    @invariant()
    def the_store_holds_the_truth(self) -> None:
        if not self.room.table_id:
            return
        self.see()
        live = self.run(self.room.authority._presents.open(self.room.table_id)).table
        again: Table = self.run(self.room.table())
        assert live == again
        heads = self.run(self.room.store.heads([self.room.table_id]))
        assert (heads[0].phase, heads[0].version) == (live.phase.value, live.version)
        for name in PEOPLE:
            held = self.run(self.room.store.held_by(holder_of(Room.secret(name))))
            assert (live.id in {head.id for head in held}) == bool(
                live.held_by(holder_of(Room.secret(name)))
            )

    @invariant()
    def somebody_is_the_host(self) -> None:
        if not self.room.table_id:
            return
        table: Table = self.run(self.room.table())
        if table.phase != Phase.OVER:
            assert table.seats[table.host_place].is_person
            assert not table.seats[table.host_place].left

    @invariant()
    def nobody_waits_for_who_cannot_come(self) -> None:
        """With one person here and patience, the table goes on: try it on a copy."""
        if not self.room.table_id:
            return
        table: Table = self.run(self.room.table())
        here = next((seat for _place, seat in table.persons()), None)
        if table.phase != Phase.PLAYING or here is None:
            return
        name = next(n for n in PEOPLE if holder_of(Room.secret(n)) in here.holders)
        self.run(goes_on(self.room, name))


async def goes_on(room: Room, name: str) -> None:
    """In a copy of the table this person alone makes the game move."""
    copy = Room(bots=BOTS, seed=room.seed, settings=room.settings)
    table = await room.table()
    head = (await room.store.heads([table.id]))[0]
    rows = [row.data for row in await room.store.events(table.id)]
    copy.clock.now = room.clock.now
    await copy.store.create(head, rows, table.holders)
    copy.table_id = table.id
    copy.restart()
    for _ in range(4):
        await copy.wait(65, name)
        seen = await copy.see(name)
        for seat in seen.seats:
            if seat.may_stand_in and not seat.mine:
                await copy.do(name, co.StandIn(seat.seat))
        await copy.wait(5, name)
        seen = await copy.see(name)
        if seen.acting is not None:
            await copy.act(name)
            return
        if seen.phase == "over" or plies_of(await copy.table()) > plies_of(table) + 1:
            return
    raise AssertionError(f"nothing moves from version {table.version} on")


def plies_of(table: Table) -> int:
    return 0 if table.game is None else table.game.plies


TestParty = Party.TestCase
TestParty.settings = settings(max_examples=25, stateful_step_count=25)


@asynchronous
async def test_a_stranger_is_forbidden() -> None:
    """The refusals of a stranger are not only of other kinds by chance."""
    room = Room()
    await room.playing("Ana", "Ben")
    for command in (co.Ready(0), co.Leave(0), co.Back(0), co.RenewLink(0), co.TakeHost(0)):
        with pytest.raises(ForbiddenError, match="not yours"):
            await room.do("a stranger", command)
