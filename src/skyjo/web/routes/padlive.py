"""Live updates of pads: the sheet to every viewer, and what others type to whoever enters."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from fastapi import APIRouter
from starlette.websockets import WebSocket

from skyjo.i18n import _
from skyjo.scorepad.errors import UnknownPadError
from skyjo.table.ports import Head, Notice
from skyjo.web import live, padpage
from skyjo.web.padpage import pads
from skyjo.web.site import Visit, VisitOf

router = APIRouter()

ENTER: Final = "enter"
#: Seconds after which a page is looked at again although nobody has done anything.
LOOK_AGAIN: Final = 60.0


class PadFeed(live.Feed):
    """A pad as one viewer may see it, again and again; ``watch`` is the token of an onlooker."""

    def __init__(
        self, visit: Visit, head: Head, notices: AsyncIterator[Notice], *, page: str, watch: str
    ) -> None:
        super().__init__(visit, head, notices)
        self._page = page
        self._watch = watch

    async def board(self, _at_least: int = 0) -> str:
        """What is new for the page; "" if this viewer has been sent the same before."""
        visit = self._visit
        scene = await pads(visit).scene(self._head.id, visit.secret, only_look=bool(self._watch))
        if self._page == ENTER:
            html = await padpage.check_html(visit, scene)
        else:
            html = padpage.live(visit, scene, self._watch)
        if html == self._last:
            return ""
        self._last = html
        return html

    async def changed(self, within: float | None = None) -> Notice | None:
        """The next notice; none after a while, so that a keeper who is away is noticed."""
        return await super().changed(within or LOOK_AGAIN)

    def gone(self) -> str:
        """What takes the sheet's place when the pad has been deleted."""
        said = _("This score pad has been deleted.")
        return self._visit.site.pages.render("_gone.html", said=said)


@asynccontextmanager
async def pad_feed(
    visit: Visit, head: Head, page: str = "", watch: str = ""
) -> AsyncIterator[live.Feed]:
    """A feed for a viewer of a pad."""
    secret = None if watch else visit.secret
    async with pads(visit).subscribe(head.id) as notices:
        opened = PadFeed(visit, head, notices, page=page, watch=watch)
        try:
            with pads(visit).connected(head.id, secret):
                yield opened
        finally:
            await opened.close()


@router.websocket("/pad/watch/{token}/ws")
async def watching(websocket: WebSocket, visit: VisitOf, token: str) -> None:
    """The sheet for an onlooker."""
    await websocket.accept()
    head = await live.found(websocket, _watched(visit, token))
    if head is not None:
        await live.converse(websocket, pad_feed(visit, head, watch=token))


async def _watched(visit: Visit, token: str) -> Head:
    pad_id = visit.site.sessions.value(padpage.WATCH, token)
    heads = await pads(visit).store.heads([pad_id]) if pad_id else []
    if not heads:
        raise UnknownPadError
    return heads[0]


@router.websocket("/pad/{code}/ws")
async def keeping(websocket: WebSocket, visit: VisitOf, code: str, page: str = "") -> None:
    """The sheet, or with ``page=enter`` what is typed of the coming round."""
    await websocket.accept()
    head = await live.found(websocket, padpage.find(visit, code))
    if head is not None:
        await live.converse(websocket, pad_feed(visit, head, page))
