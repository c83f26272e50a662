"""``TableAuthority``: what people at tables do and see. Servers talk to it, and to nothing else.

Every command is checked against the table's present, becomes events, is appended to the store
under the version it was checked against, and only then shown (``present``). What happens by itself
is the ``ticker``'s.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Self

from skyjo.chance import Chance, SystemChance
from skyjo.i18n import N_
from skyjo.record import visible_text
from skyjo.rules.layout import MAX_SEATS
from skyjo.table import commands as co
from skyjo.table import events as ev
from skyjo.table import keys
from skyjo.table.decide import (
    Context,
    Decision,
    bot_seat,
    claim,
    decide,
    first_deal,
    read_pace,
    read_ruleset,
    rematch,
)
from skyjo.table.errors import StoreError, UnknownTableError, forbidden, refused
from skyjo.table.model import Phase, Table
from skyjo.table.names import clean_name
from skyjo.table.ports import BotDriver, ExistsError, Head, Notice, Publisher, Settings, Store
from skyjo.table.present import KIND, Live, Presents
from skyjo.table.publisher import LocalPublisher
from skyjo.table.rights import sits_here
from skyjo.table.scene import Scene, scene, viewer_place
from skyjo.table.ticker import Ticker


@dataclass(frozen=True, slots=True)
class Joined:
    """Where somebody sits now: the table, the place of their seat (-1: none), the version."""

    table_id: str
    seat: int
    version: int


async def _leave_it(_live: Live, _keys: Sequence[int]) -> None:
    """For authorities without upkeep."""


class TableAuthority:
    """All tables of one server process; see ``docs/table.md``.

    A caller is known by a ``secret`` of at least 32 characters that only their device has
    (``keys.new_secret``); the store keeps its hash. None is an onlooker. ``clock`` gives seconds
    since 1970, ``token`` random bytes. Inside ``async with`` the ticker runs: bots move, rounds
    go on, people become away; without it ``tick`` does so when it is called.
    """

    def __init__(
        self,
        store: Store,
        driver: BotDriver,
        *,
        publisher: Publisher | None = None,
        chance: Chance | None = None,
        settings: Settings | None = None,
        clock: Callable[[], float] = time.time,
        token: keys.TokenSource = secrets.token_bytes,
    ) -> None:
        self.store = store
        self.driver = driver
        self.publisher = publisher or LocalPublisher()
        self.chance = chance or SystemChance()
        self.settings = settings or Settings()
        self._clock = clock
        self._token = token
        self._presents = Presents(store, self.publisher, self.settings, clock, token)
        self._ticker = Ticker(self._presents, driver, self.chance, clock)
        self._runner: asyncio.Task[None] | None = None
        #: Called, under its lock, with a table and the keys of seats that were freed in its lobby.
        self.freed: Callable[[Live, Sequence[int]], Awaitable[None]] = _leave_it

    @property
    def presents(self) -> Presents:
        """The tables in the memory of this process."""
        return self._presents

    @property
    def in_memory(self) -> int:
        """How many tables are in the memory of this process."""
        return len(self._presents.lives)

    async def __aenter__(self) -> Self:
        self._runner = asyncio.create_task(self._ticker.run())
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Stop the ticker and let what is being written end; the store stays open."""
        if self._runner is not None:
            self._runner.cancel()
            with suppress(asyncio.CancelledError):
                await self._runner
            self._runner = None
        await self._presents.finish()

    async def tick(self) -> bool:
        """Do what is due by the clock, one step for each table; whether anything was due."""
        return await self._ticker.tick()

    # --- tables and people ------------------------------------------------------------------

    async def create(
        self,
        secret: str,
        name: str,
        *,
        ruleset: str = "official",
        bots: Sequence[str] = (),
        called: Mapping[str, str] = MappingProxyType({}),
        pace: str = "normal",
        start: bool = False,
    ) -> Joined:
        """Make a table with its host and these bots; ``start`` begins the game at once.

        ``called`` has what bots are called that are not to be called after themselves.
        """
        holder = keys.holder_of(secret)
        name = clean_name(name)
        if len(bots) >= MAX_SEATS:
            raise refused("table_full")
        if start and not bots:
            raise refused("too_few_seats")
        seats = [ev.SeatTaken(0, name, holders=(holder,))]
        for key, bot in enumerate(bots, 1):
            taken = [seat.name for seat in seats]
            seats.append(bot_seat(key, (bot, "", called.get(bot, "")), taken, self.driver.names))
        deal = (ev.Started(), first_deal(self.chance)) if start else ()
        rules = read_ruleset(ruleset).text()
        speed = read_pace(pace)

        def begin(code: str, table_secret: str) -> list[ev.Event]:
            after = self.settings.continue_after
            return [ev.Created(code, table_secret, rules, speed, after), *seats, *deal]

        table = await self._presents.shielded(
            self._presents.create(keys.new_table_id(self._token), begin)
        )
        live = self._presents.keep(table)
        live.presences.touch(table, holder, self._clock(), acts=True)
        self._ticker.reckon(live)
        return Joined(table.id, 0, table.version)

    async def join(self, code: str, secret: str, name: str) -> Joined:
        """Sit down at the table of a code (as people type it); who sits there already, stays so."""
        head = await self.find(code)
        holder = keys.holder_of(secret)
        live = await self._presents.open(head.id)
        async with live.lock:
            mine = [
                place for place in live.table.held_by(holder) if not live.table.seats[place].left
            ]
            if mine:
                return Joined(head.id, mine[0], live.table.version)
        return await self.do(head.id, secret, co.Join(name))

    async def find(self, code: str) -> Head:
        """The table of a code, whatever its phase; UnknownTableError if there is none."""
        clean = keys.clean_code(code)
        if clean in self._presents.by_code:
            return self._presents.by_code[clean].head
        head = await self.store.find(clean) if clean else None
        if head is None or head.kind != KIND:
            raise UnknownTableError(N_("There is no table with this code; look at it once more."))
        return head

    async def mine(self, secret: str) -> list[Head]:
        """The tables at which the caller has or had a seat, last active first."""
        heads = await self.store.held_by(keys.holder_of(secret))
        return [head for head in heads if head.kind == KIND]

    # --- commands -----------------------------------------------------------------------------

    async def do(self, table_id: str, secret: str, command: co.Command) -> Joined:
        """Carry out a command; ``seat`` of the answer is the seat that it was about.

        Raises UnknownTableError, ForbiddenError, MalformedError, StaleError, RefusedError,
        IllegalActionError, RulesetError or StoreError; then nothing has changed.
        """
        return await self._presents.shielded(self._do(table_id, keys.holder_of(secret), command))

    async def _do(self, table_id: str, holder: str, command: co.Command) -> Joined:
        live = await self._presents.open(table_id)
        async with live.lock:
            await self._presents.catch_up(live, getattr(command, "version", None) or 0)
            if sits_here(live.table, holder):
                came = live.presences.touch(live.table, holder, self._clock(), acts=True)
                self._noted(live, came)
            decision = Decision(())

            def events() -> Sequence[ev.Event]:
                nonlocal decision
                decision = decide(live.table, command, self._context(live, holder))
                return decision.events

            await self._presents.change(live, events)
            freed = [
                event.key
                for event in decision.events
                if isinstance(event, ev.SeatFreed) and live.table.place_of_key(event.key) < 0
            ]
            if freed:
                live.presences.tidy(live.table)
                await self.freed(live, freed)
            if isinstance(command, co.Join):
                live.presences.touch(live.table, holder, self._clock(), acts=True)
            self._ticker.reckon(live)
            return Joined(table_id, decision.seat, live.table.version)

    async def rematch(self, table_id: str, secret: str, *, leave_out_absent: bool = False) -> str:
        """The id of the table for the same people; made and started by the first who asks.

        A bot plays for people who are away until they come, unless they are to be left out.
        """
        holder = keys.holder_of(secret)
        return await self._presents.shielded(self._rematch(table_id, holder, leave_out_absent))

    async def _rematch(self, table_id: str, holder: str, leave_out_absent: bool) -> str:
        live = await self._presents.open(table_id)
        async with live.lock:
            await self._presents.catch_up(live)
            table = live.table
            if not sits_here(table, holder):
                raise forbidden("not_at_the_table")
            if table.game is None or not table.game.is_over:
                raise refused("table_abandoned" if table.abandoned else "not_over")
            live.presences.touch(table, holder, self._clock(), acts=True)
            if not table.next or not await self.store.heads([table.next]):
                await self._make_rematch(live, holder, leave_out_absent)
            return table.next

    async def _make_rematch(self, live: Live, holder: str, leave_out_absent: bool) -> None:
        context = self._context(live, holder)

        def begin(code: str, table_secret: str) -> Sequence[ev.Event]:
            return rematch(
                live.table,
                context,
                code=code,
                secret=table_secret,
                leave_out_absent=leave_out_absent,
            )

        # The id follows from the old table, so that two who ask at once get the same table, and
        # whoever asks after a crash between the two writes finds it.
        following = keys.rematch_id(live.table.secret)
        with suppress(ExistsError):
            self._presents.keep(await self._presents.create(following, begin))
        await self._presents.change(
            live, lambda: () if live.table.next else (ev.RematchMade(following),)
        )

    # --- moving to another device ---------------------------------------------------------------

    async def personal_link(self, table_id: str, secret: str, seat: int) -> str:
        """The token with which another device may take the caller's seat, until it is renewed."""
        live = await self._presents.open(table_id)
        table = live.table
        if seat not in table.held_by(keys.holder_of(secret)):
            raise forbidden("not_your_seat")
        return keys.link_token(table.secret, table.seats[seat].key, table.seats[seat].link)

    async def claim(self, table_id: str, secret: str, token: str) -> Joined:
        """Add the caller's device to the seat of a personal link."""
        return await self._presents.shielded(self._claim(table_id, keys.holder_of(secret), token))

    async def _claim(self, table_id: str, holder: str, token: str) -> Joined:
        live = await self._presents.open(table_id)
        async with live.lock:
            await self._presents.catch_up(live)
            place = -1

            def events() -> Sequence[ev.Event]:
                nonlocal place
                place = self._place_of_link(live.table, token)
                return claim(live.table.seats[place], holder)

            await self._presents.change(live, events)
            live.presences.touch(live.table, holder, self._clock(), acts=True)
            self._ticker.reckon(live)
            return Joined(table_id, place, live.table.version)

    async def seat_of_link(self, table_id: str, token: str) -> int:
        """Whose personal link this is: the place of the seat. ForbiddenError if nobody's."""
        live = await self._presents.open(table_id)
        async with live.lock:
            await self._presents.catch_up(live)
            return self._place_of_link(live.table, token)

    def _place_of_link(self, table: Table, token: str) -> int:
        for place, seat in enumerate(table.seats):
            if seat.is_person and keys.is_same(
                token, keys.link_token(table.secret, seat.key, seat.link)
            ):
                return place
        raise forbidden("bad_link")

    # --- looking ----------------------------------------------------------------------------------

    async def scene(self, table_id: str, secret: str | None = None, *, at_least: int = 0) -> Scene:
        """What this caller may see now, not older than version ``at_least`` if that exists."""
        holder = keys.holder_of(secret) if secret else ""
        live = await self._presents.open(table_id)
        if live.in_doubt or live.table.version < at_least:
            # Without the database the table is shown as it was shown last.
            async with live.lock:
                with suppress(StoreError):
                    await self._presents.catch_up(live, at_least)
        now = self._clock()
        return scene(live.table, holder, live.attendance(now), now)

    async def record(self, table_id: str, secret: str | None = None) -> str:
        """The game so far as a ``.skyjo`` text, as this caller may know it.

        While the game runs it holds what everybody saw; when it is over all cards. Raises
        RefusedError before the start.
        """
        table = (await self._presents.open(table_id)).table
        if table.game is None:
            raise refused("record_not_ready")
        viewer = viewer_place(table, keys.holder_of(secret) if secret else "")
        tags = {"Date": datetime.fromtimestamp(table.created, UTC).date().isoformat()}
        for place, seat in enumerate(table.seats, 1):
            if seat.bot:
                tags[f"Bot{place}"] = seat.bot
        return visible_text(table.game, tags, viewer)

    def subscribe(self, table_id: str) -> AbstractAsyncContextManager[AsyncIterator[Notice]]:
        """Notices that the table has something new to see; look at the scene after each."""
        return self.publisher.subscribe(table_id)

    @asynccontextmanager
    async def connected(self, table_id: str, secret: str | None) -> AsyncIterator[None]:
        """While the context is open, the caller's seats are here (a WebSocket or SSE stream).

        Whoever comes back from being away plays again from the next decision on.
        """
        if not secret:
            yield
            return
        holder = keys.holder_of(secret)
        live = await self._presents.open(table_id)
        self._noted(live, live.presences.connect(live.table, holder, self._clock()))
        try:
            await self._presents.shielded(self._welcome(live, holder))
            yield
        finally:
            live.presences.disconnect(live.table, holder, self._clock())
            self._ticker.reckon(live)

    async def touch(self, table_id: str, secret: str | None, *, reads: bool = False) -> None:
        """The caller looked: here for the next ``away_after`` seconds.

        With ``reads`` it was a page, whose reader is here while they think.

        Whoever comes back from being away plays again from the next decision on.
        """
        if not secret:
            return
        holder = keys.holder_of(secret)
        live = await self._presents.open(table_id)
        if live.table.held_by(holder):
            came = live.presences.touch(live.table, holder, self._clock(), reads=reads)
            self._noted(live, came)
            await self._presents.shielded(self._welcome(live, holder))

    async def _welcome(self, live: Live, holder: str) -> None:
        """Bots stop to play for seats that have come back."""
        async with live.lock:
            back = {seat.key for seat in live.presences.welcome(live.table, holder)}

            def events() -> Sequence[ev.Event]:
                if live.table.phase != Phase.PLAYING:
                    return ()
                # Whoever opens a page is not away any more, also when a restart has made this
                # process forget who was; who was idle or asked for it says so by a press.
                return [
                    ev.StandInWent(seat.key)
                    for seat in live.table.seats
                    if holder in seat.holders
                    and (seat.stand_in == "away" or (seat.stand_in and seat.key in back))
                ]

            await self._presents.change(live, events)
            self._ticker.reckon(live)

    def _noted(self, live: Live, came: bool) -> None:
        if came:
            live.shown = live.attendance(self._clock())
            self._presents.publish(live)

    def _context(self, live: Live, holder: str) -> Context:
        return Context(holder, live.attendance(self._clock()), self.chance, self.driver.names)
