"""``PadAuthority``: what people do to pads and see of them. Servers talk to it."""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, suppress
from dataclasses import dataclass, replace
from typing import Final

from skyjo.scorepad import commands as co
from skyjo.scorepad import events as ev
from skyjo.scorepad.circles import CircleAuthority
from skyjo.scorepad.decide import MOST_DEVICES, begin, checked, decide, filled
from skyjo.scorepad.entry import Entry
from skyjo.scorepad.errors import UnknownCircleError, UnknownPadError, forbidden, refused
from skyjo.scorepad.ledger import Ledger
from skyjo.scorepad.model import Pad
from skyjo.scorepad.presence import Presence
from skyjo.scorepad.questions import Question, questions
from skyjo.scorepad.reckoning import Reckoning, reckon
from skyjo.scorepad.rights import deletion_refusal, is_keeper, may_take_over, needs_keeper
from skyjo.scorepad.scene import PadScene, pad_scene
from skyjo.table import keys
from skyjo.table.ports import ExistsError, Head, Notice, Publisher, Store
from skyjo.table.publisher import LocalPublisher

KIND: Final = "pad"


@dataclass(frozen=True, slots=True)
class Check:
    """What an entry would come to: the rounds with it, and what is strange about it.

    ``at`` is the place of the entry among the rounds of ``reckoning``, from 0.
    """

    entry: Entry
    at: int
    reckoning: Reckoning
    questions: tuple[Question, ...]

    @property
    def penalised(self) -> bool:
        """Whether whoever closed the round is punished."""
        return self.reckoning.sheet.rounds[self.at].penalised

    @property
    def overruled(self) -> bool:
        """Whether the penalty is not as the rules say."""
        return self.reckoning.overruled[self.at]

    @property
    def mark(self) -> str:
        """What somebody must have seen before this is saved; "" when nothing is worth a look."""
        noteworthy = [each.code for each in self.questions]
        if self.penalised or self.overruled:
            line = self.reckoning.sheet.rounds[self.at]
            seat = self.entry.closer
            noteworthy.append(f"penalty {seat} {line.points[seat]} {int(self.overruled)}")
        return ", ".join(noteworthy)


class PadAuthority:
    """All pads of one server process; see ``docs/scorepad.md``.

    A caller is known by a ``secret`` that only their device has, as at tables; None may only look.
    """

    def __init__(
        self,
        store: Store,
        *,
        publisher: Publisher | None = None,
        clock: Callable[[], float] = time.time,
        token: keys.TokenSource = secrets.token_bytes,
    ) -> None:
        self.store = store
        self.publisher = publisher or LocalPublisher()
        self.circles = CircleAuthority(store, self.publisher, clock=clock, token=token)
        self.presence = Presence(clock)
        self._token = token
        self._ledger: Ledger[Pad, ev.PadEvent] = Ledger(
            KIND,
            new=Pad,
            copy=Pad.copy,
            codec=ev.CODEC,
            store=store,
            publisher=self.publisher,
            clock=clock,
            unknown=UnknownPadError,
        )

    async def close(self) -> None:
        """Let what is being written end; the store stays open."""
        await self._ledger.finish()
        await self.circles.close()

    @property
    def in_memory(self) -> int:
        """How many pads are in the memory of this process."""
        return self._ledger.in_memory

    def let_go(self, thing_id: str) -> None:
        """A pad or circle has been deleted: nothing of it stays in memory."""
        self._ledger.let_go(thing_id)
        self.circles.let_go(thing_id)

    def is_looked_at(self, thing_id: str) -> bool:
        """Whether somebody has a pad or circle open, or has looked at it lately."""
        return (
            self.publisher.readers(thing_id) > 0
            or self._ledger.is_in_use(thing_id)
            or self.circles.is_in_use(thing_id)
        )

    # --- pads ---------------------------------------------------------------------------------

    async def create(
        self,
        secret: str,
        names: Sequence[str],
        *,
        ruleset: str = "official",
        entering: str = "keeper",
        circle: str = "",
        rounds: Sequence[Entry] = (),
    ) -> PadScene:
        """Begin a pad; ``rounds`` are those of a sheet that was kept elsewhere."""
        holder = keys.holder_of(secret)
        clean, rules, mode = begin(names, ruleset, entering)
        created = ev.Created("", "", rules, clean, holder, circle, "", mode)
        pad = await self._ledger.shielded(self._create(created, rounds))
        await self.circles.told(pad)
        return pad_scene(pad, holder)

    async def _create(
        self, created: ev.Created, rounds: Sequence[Entry] = (), pad_id: str = ""
    ) -> Pad:
        pad_id = pad_id or keys.new_table_id(self._token)
        while True:
            code = keys.new_code(self._token)
            first = replace(created, code=code, secret=keys.new_secret(self._token))
            trial = Pad.fold(pad_id, [(0.0, first)])
            saved = []
            for key, entry in enumerate(rounds):
                one = checked(trial, entry, [points is not None for points in entry.points])
                saved.append(ev.RoundSaved(key, one.points, one.closer, one.penalty, one.cards))
            try:
                return await self._ledger.create(pad_id, code, [first, *saved])
            except ExistsError as error:
                if error.field != "code":
                    raise

    async def find(self, code: str) -> Head:
        """The pad of a code, as people type it."""
        return await self._ledger.find(keys.clean_code(code))

    async def mine(self, secret: str) -> list[Head]:
        """The pads that the caller keeps or plays on, last active first."""
        heads = await self.store.held_by(keys.holder_of(secret))
        return [head for head in heads if head.kind == KIND]

    async def do(self, pad_id: str, secret: str, command: co.Command) -> PadScene:
        """Carry out a command.

        Raises UnknownPadError, ForbiddenError, MalformedError, StaleError, RefusedError,
        RulesetError or StoreError; then nothing has changed.
        """
        holder = keys.holder_of(secret)
        pad = await self._ledger.shielded(
            self._ledger.change(pad_id, lambda present: decide(present, command, holder))
        )
        self.presence.touch(pad, holder)
        if not isinstance(command, co.Type):
            await self.circles.told(pad)
        return pad_scene(pad, holder)

    async def check(
        self, pad_id: str, secret: str | None, entry: Entry, key: int | None = None
    ) -> Check:
        """What an entry would come to, as the coming round or in the place of round ``key``.

        Raises RefusedError while points are missing; nothing is written.
        """
        pad = await self._ledger.look(pad_id)
        old = None if key is None else pad.round_of_key(key)
        entries = list(pad.entries)
        if old is None:
            at = len(entries)
            entry = checked(pad, filled(pad, entry), [not each.left for each in pad.players])
            entries.append(entry)
        else:
            at = pad.number_of_key(old.key) - 1
            entry = checked(pad, entry, [points is not None for points in old.entry.points])
            entries[at] = entry
        return Check(
            entry,
            at,
            reckon(pad.names, pad.ruleset, entries),
            questions(pad.ruleset, pad.names, entry, entries[:at]),
        )

    async def rematch(self, pad_id: str, secret: str) -> PadScene:
        """The pad for the same people; made by the first who asks."""
        holder = keys.holder_of(secret)
        pad = await self._ledger.shielded(self._rematch(pad_id, holder))
        await self.circles.told(pad)
        return pad_scene(pad, holder)

    async def _rematch(self, pad_id: str, holder: str) -> Pad:
        pad = await self._ledger.look(pad_id)
        if not (is_keeper(pad, holder) or pad.seats_of(holder)):
            raise forbidden("not_keeper")
        if not pad.reckoning.is_over:
            raise refused("not_over")
        following = keys.rematch_id(pad.secret)
        if not pad.next:
            names = tuple(player.name for player in pad.players)
            created = ev.Created(
                "", "", pad.ruleset.text(), names, "", pad.circle, pad.id, pad.entering
            )
            with suppress(ExistsError):
                await self._create(created, pad_id=following)
            await self._ledger.change(following, lambda made: _same_people(pad, made))
        made = await self._ledger.look(following)
        await self._ledger.change(
            pad_id,
            lambda present: () if present.next else (ev.RematchMade(following, made.code),),
        )
        return made

    async def needs_owner(self, pad_id: str, secret: str) -> None:
        """ForbiddenError unless the caller may delete the pad."""
        code = deletion_refusal(await self._ledger.look(pad_id), keys.holder_of(secret))
        if code:
            raise forbidden(code)

    # --- devices ------------------------------------------------------------------------------

    async def keeper_link(self, pad_id: str, secret: str) -> str:
        """The token with which another device may keep the pad, too."""
        pad = await self._ledger.look(pad_id)
        if not is_keeper(pad, keys.holder_of(secret)):
            raise forbidden("not_keeper")
        return keys.link_token(pad.secret, 0, 0)

    async def keep(self, pad_id: str, secret: str, token: str) -> PadScene:
        """The caller's device keeps the pad from now on."""
        holder = keys.holder_of(secret)

        def events(pad: Pad) -> Sequence[ev.PadEvent]:
            if not keys.is_same(token, keys.link_token(pad.secret, 0, 0)):
                raise forbidden("bad_link")
            if holder in pad.keepers:
                return ()
            if len(pad.keepers) >= MOST_DEVICES:
                raise refused("too_many_devices", most=MOST_DEVICES)
            return (ev.KeeperAdded(holder, pad.seat_of(holder), "link"),)

        pad = await self._ledger.shielded(self._ledger.change(pad_id, events))
        return pad_scene(pad, holder)

    async def take_over(self, pad_id: str, secret: str) -> PadScene:
        """The caller keeps the pad from now on, because nobody who keeps it has been there.

        Whoever kept it so far still does when they come back. Raises RefusedError while a keeper
        is there, or when the game is over.
        """
        holder = keys.holder_of(secret)

        def events(pad: Pad) -> Sequence[ev.PadEvent]:
            if holder in pad.keepers:
                return ()
            if pad.phase == "over":
                raise refused("pad_over")
            if not may_take_over(pad, holder, keeper_away=self.presence.keeper_is_away(pad)):
                raise refused("keeper_is_here")
            return (ev.KeeperAdded(holder, pad.seat_of(holder), "away"),)

        pad = await self._ledger.shielded(self._ledger.change(pad_id, events))
        self.presence.touch(pad, holder)
        return pad_scene(pad, holder)

    async def count_for(self, pad_id: str, secret: str, circle_code: str) -> PadScene:
        """The pad counts for the circle of this link, and for no other; "" is for none.

        Raises ForbiddenError for who does not keep it, UnknownCircleError for a wrong link.
        """
        holder = keys.holder_of(secret)
        needs_keeper(await self._ledger.look(pad_id), holder)
        circle = (await self.circles.find(circle_code)).id if circle_code else ""
        pad = await self._ledger.shielded(self._count_for(pad_id, holder, circle))
        return pad_scene(pad, holder)

    async def _count_for(self, pad_id: str, holder: str, circle: str) -> Pad:
        old = (await self._ledger.look(pad_id)).circle
        if circle:
            # The circle first: what it has been told of it finds again after a crash.
            await self.circles.began(circle, pad_id, KIND, again=True)

        def events(pad: Pad) -> Sequence[ev.PadEvent]:
            needs_keeper(pad, holder)
            return () if pad.circle == circle else (ev.CircleChosen(circle),)

        pad = await self._ledger.change(pad_id, events)
        if old and old != circle:
            with suppress(UnknownCircleError):
                await self.circles.drop(old, pad_id)
        await self.circles.told(pad)
        return pad

    # --- looking ------------------------------------------------------------------------------

    async def scene(
        self,
        pad_id: str,
        secret: str | None = None,
        *,
        only_look: bool = False,
    ) -> PadScene:
        """What this caller may see now."""
        holder = keys.holder_of(secret) if secret else ""
        pad = await self._ledger.look(pad_id)
        self.presence.touch(pad, holder)
        away = self.presence.keeper_is_away(pad)
        return pad_scene(pad, holder, only_look=only_look, keeper_away=away)

    def connected(self, pad_id: str, secret: str | None) -> AbstractContextManager[None]:
        """The caller's device is there as long as the context is open."""
        return self.presence.connected(pad_id, keys.holder_of(secret) if secret else "")

    def subscribe(self, pad_id: str) -> AbstractAsyncContextManager[AsyncIterator[Notice]]:
        """Notices that the pad has something new to see."""
        return self.publisher.subscribe(pad_id)


def _same_people(old: Pad, made: Pad) -> Sequence[ev.PadEvent]:
    """Whoever kept the old pad or played on it, does so on the new one."""
    events: list[ev.PadEvent] = [
        ev.KeeperAdded(holder) for holder in sorted(old.keepers - made.keepers)
    ]
    for seat, player in enumerate(old.players):
        new = sorted(player.holders - made.players[seat].holders)
        events += [ev.SeatClaimed(seat, holder) for holder in new]
    return events
