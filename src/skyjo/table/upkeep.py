"""Deleting: a table, a person's name and seat, and what nobody has touched for long.

The events of a table are its truth and are only ever added to, with this one exception: what people
want forgotten is taken out of the events themselves, so that it is in no record, no replay and no
later backup. The number of events stays the same, and a table folds as before, but for the name.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, Protocol

from skyjo.errors import StaleError
from skyjo.table import events as ev
from skyjo.table.authority import TableAuthority
from skyjo.table.errors import (
    FORBIDDEN,
    RefusedError,
    StoreError,
    UnknownTableError,
    forbidden,
    refused,
)
from skyjo.table.keys import clean_code, holder_of
from skyjo.table.present import KIND, Live, folded
from skyjo.table.rights import deletion_refusal, forgetting_refusal

_log = logging.getLogger("skyjo.table")

#: Stands for a holder who has been forgotten: no secret hashes to it.
FORGOTTEN: Final = "-"

Rewrite = Callable[[Mapping[str, Any]], Mapping[str, Any]]


class UpkeepStore(Protocol):
    """What a store can do beside adding events."""

    async def delete(self, table_ids: Sequence[str]) -> int:
        """Delete tables with everything that belongs to them; how many there were."""
        ...

    async def delete_untouched(self, table_ids: Sequence[str], before: float) -> list[str]:
        """Delete those of them that have not been active since a time; which these were."""
        ...

    async def rewrite(
        self, table_id: str, change: Rewrite, holders: frozenset[str] | None = None
    ) -> None:
        """Replace events of a table by what ``change`` makes of them, all or none."""
        ...

    async def untouched(self, before: float, limit: int) -> list[str]:
        """Ids of what has not been active since a time, the oldest first."""
        ...


class Upkeep:
    """Deletes for an authority, in memory and in the store.

    ``changed`` is called with the id of every table of which something has been deleted, so that
    nobody keeps a copy. ``looked_at`` tells of what is kept beside tables whether somebody looks at
    it now.
    """

    def __init__(
        self,
        authority: TableAuthority,
        store: UpkeepStore,
        changed: Callable[[str], None] = lambda _table_id: None,
        looked_at: Callable[[str], bool] = lambda _thing_id: False,
    ) -> None:
        self._authority = authority
        self._changed = changed
        self._looked_at = looked_at
        self._presents = authority.presents
        self._store = store
        authority.freed = self._forget_freed

    async def delete(self, table_id: str, secret: str | None) -> None:
        """Delete a table. Its host may, unless others still play there; None is the hoster.

        The hoster may delete also what this program cannot open.

        Raises UnknownTableError, ForbiddenError or RefusedError; then nothing has changed.
        """
        await self._presents.shielded(self._delete(table_id, secret))

    async def _delete(self, table_id: str, secret: str | None) -> None:
        try:
            live = await self._presents.open(table_id)
        except RefusedError:
            if secret is not None:
                raise
            await self._delete_kept(table_id)
            return
        async with live.lock:
            await self._presents.catch_up(live)
            if secret is not None:
                _check(deletion_refusal(live.table, holder_of(secret)))
            await self._store.delete([table_id])
            self._let_go(table_id)
        if live.table.previous:
            await self._without_rematch(live.table.previous, table_id)

    async def _without_rematch(self, previous: str, table_id: str) -> None:
        """The people of the table before may ask for another rematch."""
        # Where it cannot be written, whoever asks finds out that there is none.
        with suppress(UnknownTableError, RefusedError, StaleError, StoreError):
            live = await self._presents.open(previous)
            async with live.lock:
                await self._presents.catch_up(live)
                await self._presents.change(
                    live, lambda: (ev.RematchMade(""),) if live.table.next == table_id else ()
                )

    async def delete_anything(self, name: str) -> None:
        """For the hoster: delete what has this code or id, a table or whatever else is kept."""
        store = self._authority.store
        found = await store.heads([name])
        # Not everything that is kept has a code that people type.
        codes = [code for code in dict.fromkeys((clean_code(name), name)) if code]
        found += [head for code in codes if (head := await store.find(code)) is not None]
        if not found:
            raise UnknownTableError
        head = found[0]
        if head.kind == KIND:
            await self.delete(head.id, None)
        else:
            await self.delete_kept(head.id)

    async def delete_kept(self, thing_id: str) -> None:
        """Delete what is kept beside tables; whoever calls this has seen to it that they may."""
        await self._presents.shielded(self._delete_kept(thing_id))

    async def _delete_kept(self, thing_id: str) -> None:
        await self._store.delete([thing_id])
        self._let_go(thing_id)

    async def forget_person(self, table_id: str, place: int, secret: str | None) -> None:
        """Take the name of a seat and its devices out of a table, for ever.

        A person may have this done to their own seat once they have left or the game is over.
        """
        await self._presents.shielded(self._forget_person(table_id, place, secret))

    async def _forget_person(self, table_id: str, place: int, secret: str | None) -> None:
        live = await self._presents.open(table_id)
        async with live.lock:
            await self._presents.catch_up(live)
            table = live.table
            holder = None if secret is None else holder_of(secret)
            _check(forgetting_refusal(table, holder, place))
            seat = table.seats[place]
            others = frozenset().union(
                *(other.holders for other in table.seats if other.key != seat.key)
            )
            await self._store.rewrite(
                table_id, without_person(seat.key, f"#{place + 1}"), others - {FORGOTTEN}
            )
            await self._fold_again(live)

    async def _forget_freed(self, live: Live, keys: Sequence[int]) -> None:
        """Whoever has left a lobby is nobody there any more: their names are not kept either."""
        try:
            for key in keys:
                await self._store.rewrite(live.table.id, without_person(key, FORGOTTEN))
        except StoreError:
            # They have left all the same, and the table can still be deleted.
            _log.exception("the name of somebody who left a lobby could not be deleted")

    async def _fold_again(self, live: Live) -> None:
        stored = await self._authority.store.events(live.table.id)
        live.table = folded(live.table.id, stored)
        live.shown = None
        self._changed(live.table.id)
        self._presents.publish(live)

    async def delete_untouched(self, before: float, limit: int = 500) -> int:
        """Delete what nobody has touched since a time, but for what is looked at now.

        Whoever plays on at this very moment keeps the table.
        """
        ids = await self._store.untouched(before, limit)
        silent = [each for each in ids if not self._is_looked_at(each)]
        deleted = await self._store.delete_untouched(silent, before)
        for each in deleted:
            self._let_go(each)
        return len(deleted)

    def _is_looked_at(self, thing_id: str) -> bool:
        if self._authority.publisher.readers(thing_id) or self._looked_at(thing_id):
            return True
        live = self._presents.lives.get(thing_id)
        return live is not None and live.presences.was_here_since(
            self._presents.clock() - self._presents.settings.forget_after
        )

    def _let_go(self, thing_id: str) -> None:
        """It is not in the store any more."""
        self._changed(thing_id)
        self._presents.deleted(thing_id)


def without_person(key: int, name: str) -> Rewrite:
    """Rewrites events so that the seat of this key has another name and nobody's device.

    >>> from skyjo.table.events import Renamed, SeatTaken, decode, encode
    >>> change = without_person(0, "#1")
    >>> decode(change(encode(SeatTaken(0, "Ana", holders=("h",)))))
    SeatTaken(key=0, name='#1', bot='', holders=('-',))
    >>> decode(change(encode(Renamed(1, "Ben"))))
    Renamed(key=1, name='Ben')
    """

    def change(event: Mapping[str, Any]) -> Mapping[str, Any]:
        if event.get("key") != key:
            return event
        gone: dict[str, Any] = {}
        if "name" in event:
            gone["name"] = name
        if "holder" in event:
            gone["holder"] = FORGOTTEN
        if event.get("holders"):
            gone["holders"] = [FORGOTTEN]
        return {**event, **gone}

    return change


def _check(code: str) -> None:
    """Raise what a code of ``rights`` stands for; "" is none."""
    if code in FORBIDDEN:
        raise forbidden(code)
    if code:
        raise refused(code)
