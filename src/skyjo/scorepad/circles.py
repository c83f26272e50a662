"""``CircleAuthority``: what people do with circles, and how finished games come to count.

A pad or table that was started from a circle is noted there at once (``GameBegan``). A pad that
ends tells its circle; whatever was not told (a table, a crash between two writes) is found when
somebody looks at the circle.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final

from skyjo.errors import MalformedError
from skyjo.i18n import N_
from skyjo.rules.ruleset import Ruleset
from skyjo.scorepad import circle_events as ev
from skyjo.scorepad import events as pad_events
from skyjo.scorepad.circle import NO_MEMBER, Circle, Played, counted
from skyjo.scorepad.circle_text import (
    MOST_GAMES,
    MOST_MEMBERS,
    Imported,
    ImportedGame,
    read_circle,
)
from skyjo.scorepad.entry import Entry
from skyjo.scorepad.errors import UnknownCircleError, forbidden, refused
from skyjo.scorepad.ledger import Ledger
from skyjo.scorepad.model import Pad
from skyjo.scorepad.reckoning import Reckoning, reckon
from skyjo.scorepad.statistics import seats_of
from skyjo.table import keys
from skyjo.table.errors import RefusedError, StoreError, understanding
from skyjo.table.model import Phase, Table
from skyjo.table.names import clean_name, same_name
from skyjo.table.ports import ExistsError, Publisher, Store
from skyjo.table.present import folded

KIND: Final = "circle"
#: The phase of pads and tables that have ended, as the store knows it.
OVER: Final = "over"
#: Letters of a circle's link: 100 random bits, out of reach for guessing.
CODE_LENGTH: Final = 20


class CircleAuthority:
    """All circles of one server process. Whoever has a circle's link belongs to it."""

    def __init__(
        self,
        store: Store,
        publisher: Publisher,
        *,
        clock: Callable[[], float] = time.time,
        token: keys.TokenSource = secrets.token_bytes,
    ) -> None:
        self.store = store
        self._token = token
        self._clock = clock
        self._reading = asyncio.Semaphore(1)
        self._ledger: Ledger[Circle, ev.CircleEvent] = Ledger(
            KIND,
            new=Circle,
            copy=Circle.copy,
            codec=ev.CODEC,
            store=store,
            publisher=publisher,
            clock=clock,
            unknown=UnknownCircleError,
        )

    async def close(self) -> None:
        """Let what is being written end."""
        await self._ledger.finish()

    def let_go(self, circle_id: str) -> None:
        """A circle has been deleted: nothing of it stays in memory."""
        self._ledger.let_go(circle_id)

    def is_in_use(self, circle_id: str) -> bool:
        """Whether somebody has looked at a circle lately."""
        return self._ledger.is_in_use(circle_id)

    async def create(self, secret: str, name: str) -> Circle:
        """A new circle; it is listed on this device."""
        clean = clean_name(name)
        while True:
            letters = keys.link_token(keys.new_secret(self._token), 0, 0)
            code = letters[:CODE_LENGTH]
            created = ev.CircleCreated(code, clean, keys.holder_of(secret))
            with suppress(ExistsError):
                return await self._ledger.shielded(
                    self._ledger.create(keys.new_table_id(self._token), code, [created])
                )

    async def find(self, code: str) -> Circle:
        """The circle of a link, with every game that has ended meanwhile."""
        head = await self._ledger.find(code if len(code) == CODE_LENGTH else "")
        return await self.settle(head.id)

    async def look(self, circle_id: str) -> Circle:
        """A circle by its id, as it is known now."""
        return await self._ledger.look(circle_id)

    async def mine(self, secret: str) -> list[Circle]:
        """The circles that are listed on this device."""
        heads = await self.store.held_by(keys.holder_of(secret))
        found = []
        for head in heads:
            if head.kind == KIND:
                # One that cannot be opened says so on its own page; one that is deleted is gone.
                with suppress(RefusedError, UnknownCircleError):
                    found.append(await self._ledger.look(head.id))
        return found

    async def needs_founder(self, circle_id: str, secret: str) -> None:
        """ForbiddenError unless the caller's device made the circle and so may delete it."""
        if (await self._ledger.look(circle_id)).founder != keys.holder_of(secret):
            raise forbidden("not_founder")

    async def change(
        self, circle_id: str, decide: Callable[[Circle], Sequence[ev.CircleEvent]]
    ) -> Circle:
        """Carry out what ``decide`` makes of the circle."""
        return await self._ledger.shielded(self._ledger.change(circle_id, decide))

    # --- people -------------------------------------------------------------------------------

    async def join(self, circle_id: str, secret: str) -> Circle:
        """List the circle on this device."""
        holder = keys.holder_of(secret)
        return await self.change(
            circle_id,
            lambda circle: () if holder in circle.devices else (ev.DeviceJoined(holder),),
        )

    async def rename(self, circle_id: str, name: str) -> Circle:
        """Call the circle otherwise."""
        clean = clean_name(name)
        return await self.change(circle_id, lambda _circle: (ev.CircleRenamed(clean),))

    async def rename_member(self, circle_id: str, key: int, name: str) -> Circle:
        """Call a member otherwise; a name that another one has is refused."""
        clean = clean_name(name)

        def decide(circle: Circle) -> Sequence[ev.CircleEvent]:
            _needs_member(circle, key)
            for member in circle.members.values():
                if member.key != key and same_name(member.name, clean):
                    raise refused("name_twice", name=clean)
            return (ev.MemberRenamed(key, clean),)

        return await self.change(circle_id, decide)

    async def merge(self, circle_id: str, kept: int, gone: int) -> Circle:
        """Two members are one person; refused for two who have played with each other."""

        def decide(circle: Circle) -> Sequence[ev.CircleEvent]:
            _needs_member(circle, kept)
            _needs_member(circle, gone)
            if kept == gone:
                raise MalformedError(N_("choose two different members"))
            if any({kept, gone} <= {*seats_of(circle, game)} for game in circle.games.values()):
                one, other = circle.members[kept].name, circle.members[gone].name
                raise refused("played_together", name=one, other=other)
            return (ev.MembersMerged(kept, gone),)

        return await self.change(circle_id, decide)

    # --- games --------------------------------------------------------------------------------

    async def began(self, circle_id: str, ref: str, kind: str, *, again: bool = False) -> Circle:
        """A pad or table counts for the circle from now on.

        With ``again`` also one that was taken out before.
        """

        def decide(circle: Circle) -> Sequence[ev.CircleEvent]:
            known = ref in circle.open or ref in circle.games
            known = known or (ref in circle.dropped and not again)
            return () if known else (ev.GameBegan(ref, kind),)

        return await self.change(circle_id, decide)

    async def drop(self, circle_id: str, ref: str) -> Circle:
        """A game does not count."""

        def decide(circle: Circle) -> Sequence[ev.CircleEvent]:
            known = ref in circle.open or ref in circle.games
            return (ev.GameDropped(ref),) if known else ()

        return await self.change(circle_id, decide)

    async def told(self, pad: Pad) -> None:
        """A pad of a circle has changed: count it, count it anew, or count it no more."""
        if pad.circle:
            await self._count_pad(pad.circle, pad)

    async def _count_pad(self, circle_id: str, pad: Pad) -> None:
        over = pad.reckoning.is_over and bool(pad.rounds)
        played = Played(pad.id, "pad", pad.changed_at, pad.ruleset.text())

        def decide(circle: Circle) -> Sequence[ev.CircleEvent]:
            if pad.id in circle.dropped:
                return ()
            if not over:
                if pad.id in circle.games:
                    return (ev.GameReopened(pad.id),)
                return () if pad.id in circle.open else (ev.GameBegan(pad.id, "pad"),)
            return _counting(circle, played, pad.names, pad.reckoning)

        # The pad is safe already; what the circle misses now it finds when somebody looks at it.
        with suppress(UnknownCircleError, StoreError, RefusedError):
            await self.change(circle_id, decide)

    async def settle(self, circle_id: str) -> Circle:
        """Count the pads and tables that have ended since somebody looked last."""
        circle = await self._ledger.look(circle_id)
        heads = {head.id: head for head in await self.store.heads(list(circle.open))}
        for ref, kind in circle.open.items():
            if ref not in heads:
                await self.drop(circle_id, ref)  # it has been deleted
            elif heads[ref].phase == OVER:
                with suppress(RefusedError):  # another version has written it
                    await self._settle_one(circle_id, ref, kind)
        return await self._ledger.look(circle_id)

    async def _settle_one(self, circle_id: str, ref: str, kind: str) -> None:
        stored = await self.store.events(ref)
        if not stored:
            return  # it was deleted this moment
        if kind == "pad":
            with understanding(ref):
                pad = Pad.fold(ref, [(each.at, pad_events.decode(each.data)) for each in stored])
            if pad.reckoning.is_over and pad.rounds:
                await self._count_pad(circle_id, pad)
        else:
            await self._table(circle_id, folded(ref, stored))

    async def _table(self, circle_id: str, table: Table) -> None:
        if table.phase != Phase.OVER or table.game is None:
            return
        if table.next:
            await self.began(circle_id, table.next, "table")
        rounds = [
            Entry(
                each.raw,
                NO_MEMBER if each.finisher is None else each.finisher,
                "yes" if each.penalised else "no",
            )
            for each in table.game.rounds
        ]
        if not rounds or table.abandoned:
            await self.drop(circle_id, table.id)
            return
        left = [bool(seat) for seat in table.game.state.left[: len(table.seats)]]
        names = ["" if seat.bot else seat.name for seat in table.seats]
        found = reckon(table.game.players, table.ruleset, rounds, left, ended=True)
        played = Played(table.id, "table", table.changed_at, table.ruleset.text())
        with suppress(RefusedError):
            await self.change(circle_id, lambda circle: _counting(circle, played, names, found))

    async def read(self, text: str, path: str = "") -> Imported:
        """The games of a file; a large one takes seconds, in which others go on."""
        async with self._reading:
            return await asyncio.to_thread(read_circle, text, path)

    async def take_in(self, circle_id: str, imported: Imported) -> int:
        """Count the games of a file; those that count already are left alone. How many are new.

        Raises RefusedError when the circle has no room for them.
        """
        fresh = 0
        reckoned = await asyncio.to_thread(lambda: [*map(_reckoned, imported.games)])

        def decide(circle: Circle) -> Sequence[ev.CircleEvent]:
            nonlocal fresh
            fresh = 0
            trial = circle.copy()
            events: list[ev.CircleEvent] = []
            for game, found in zip(imported.games, reckoned, strict=True):
                if game.ref in trial.games or game.ref in trial.open:
                    continue
                played = Played(game.ref, "import", game.played, game.ruleset)
                made = _counting(trial, played, game.names, found)
                for event in made:
                    trial.apply(event, self._clock())
                events += made
                fresh += 1
            return events

        await self.change(circle_id, decide)
        return fresh


def _reckoned(game: ImportedGame) -> Reckoning:
    shown = [name or "Bot" for name in game.names]
    left = [points is None for points in game.rounds[-1].points]
    return reckon(shown, Ruleset.parse(game.ruleset), game.rounds, left, ended=True)


def _counting(
    circle: Circle, played: Played, names: Sequence[str], found: Reckoning
) -> Sequence[ev.CircleEvent]:
    """The events by which a game counts, with members for names that are new ("" is a bot).

    Raises RefusedError when the circle is full.
    """
    keys, added = _members_of(circle, names)
    if len(circle.games) >= MOST_GAMES and played.ref not in circle.games:
        raise refused("circle_full", most=MOST_GAMES)
    if added and len(circle.members) + len(added) > MOST_MEMBERS:
        raise refused("too_many_members", most=MOST_MEMBERS)
    old = circle.games.get(played.ref)
    if old:
        played = replace(played, at=old.played)
    game = counted(played, keys, found)
    return () if game == old else (*added, game)


def _members_of(circle: Circle, names: Sequence[str]) -> tuple[list[int], list[ev.MemberAdded]]:
    """The members of a game by seat, and those of them that are new.

    Two at one table are never the same person, also if one of them is called like another before.
    """
    keys = [NO_MEMBER] * len(names)
    known = {seat: circle.named(name) for seat, name in enumerate(names) if name}
    added: list[ev.MemberAdded] = []

    def is_former(seat: int) -> bool:
        key = known[seat]
        return key is not None and not same_name(circle.members[key].name, names[seat])

    for seat in sorted(known, key=is_former):
        key = known[seat]
        if key is None or key in keys:
            key = circle.next_key + len(added)
            added.append(ev.MemberAdded(key, names[seat]))
        keys[seat] = key
    return keys, added


def _needs_member(circle: Circle, key: int) -> None:
    if key not in circle.members:
        raise refused("no_such_player")
