"""Live updates: the whole board to every viewer, at once and whenever something has changed.

Every viewer has a task of its own, which renders when there is something new and the last update
has gone out. So a slow reader delays nobody, and misses only what is out of date anyway. A
reconnecting page is right with its first message.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Final, TypeVar

from fastapi import APIRouter
from starlette.responses import Response
from starlette.websockets import WebSocket, WebSocketDisconnect

from skyjo.i18n import _
from skyjo.table.errors import TableError, UnknownTableError
from skyjo.table.ports import Head, Notice
from skyjo.web.limits import TRY_LATER, TooManyError
from skyjo.web.site import Visit, VisitOf
from skyjo.web.stream import Stream
from skyjo.web.tablepage import is_guest_of_lobby, live

router = APIRouter(prefix="/t/{code}")

#: A stream that has nothing to say shows that it is alive, every so many seconds.
HEARTBEAT: Final = 15.0
#: Close codes: 1001 and 1011 make a page come back by itself; 1000 and 1008 do not.
GOING_AWAY: Final = 1001
DELETED: Final = 1000
NOT_WELCOME: Final = 1008
BROKEN: Final = 1011


class NoSeatLeft(Exception):
    """The viewer looks at a lobby and has no seat there any more: their page asks them in again."""


class Feed:
    """The board as one viewer may see it, again and again."""

    def __init__(
        self,
        visit: Visit,
        head: Head,
        notices: AsyncIterator[Notice],
    ) -> None:
        self._visit = visit
        self._head = head
        self._notices = notices
        self._last = ""
        self._ended = False
        self._waiting: asyncio.Task[Notice] | None = None
        self._closing = asyncio.ensure_future(visit.site.closing.wait())

    async def board(self, at_least: int = 0) -> str:
        """The board now; "" if this viewer has been sent the same before; or NoSeatLeft."""
        visit = self._visit
        scene = await visit.authority.scene(self._head.id, visit.secret, at_least=at_least)
        if is_guest_of_lobby(scene):
            raise NoSeatLeft
        html = live(visit, scene)
        if html == self._last:
            return ""
        self._last = html
        return html

    def gone(self) -> str:
        """What takes the board's place when the table has been deleted; "" is nothing."""
        said = _("This table has been deleted.")
        return self._visit.site.pages.render("_gone.html", said=said)

    async def changed(self, within: float | None = None) -> Notice | None:
        """The next notice; None after so many seconds without one."""
        if self._waiting is None:
            self._waiting = asyncio.ensure_future(anext(self._notices))
        await asyncio.wait(
            {self._waiting, self._closing}, timeout=within, return_when=asyncio.FIRST_COMPLETED
        )
        if not self._waiting.done():
            return None
        waiting, self._waiting = self._waiting, None
        try:
            return waiting.result()
        except StopAsyncIteration:
            self._ended = True
            return None

    @property
    def is_closing(self) -> bool:
        """Whether the server is about to end."""
        return self._ended or self._visit.site.closing.is_set()

    async def close(self) -> None:
        """Stop waiting."""
        for task in (self._waiting, self._closing):
            if task is not None:
                task.cancel()
                with suppress(asyncio.CancelledError, StopAsyncIteration):
                    await task


AnyFeed = TypeVar("AnyFeed", bound=Feed)


@asynccontextmanager
async def feed(visit: Visit, head: Head, kind: type[AnyFeed]) -> AsyncIterator[AnyFeed]:
    """A feed for a viewer, who counts as present as long as it is open."""
    async with (
        visit.authority.connected(head.id, visit.secret),
        visit.authority.subscribe(head.id) as notices,
    ):
        opened = kind(visit, head, notices)
        try:
            yield opened
        finally:
            await opened.close()


@router.websocket("/ws")
async def socket(websocket: WebSocket, visit: VisitOf, code: str) -> None:
    """The board as HTML in text messages; nothing is expected from the page."""
    await websocket.accept()
    head = await found(websocket, visit.find(code))
    if head is not None:
        await converse(websocket, feed(visit, head, Feed))


async def found(websocket: WebSocket, looking: Awaitable[Head]) -> Head | None:
    """What a socket is about; None when it was closed, because there is none or not now."""
    try:
        return await looking
    except UnknownTableError:
        code = NOT_WELCOME
    except TooManyError:
        code = TRY_LATER
    except TableError:
        code = BROKEN
    await websocket.close(code)
    return None


async def converse(websocket: WebSocket, opening: AbstractAsyncContextManager[Feed]) -> None:
    """Send what a feed gives until one of both ends."""
    reader = asyncio.ensure_future(_listen(websocket))
    writer = asyncio.ensure_future(_show(websocket, opening))
    try:
        await asyncio.wait({reader, writer}, return_when=asyncio.FIRST_COMPLETED)
        code_of_close = reader.result() if reader.done() else writer.result()
    finally:
        for task in (reader, writer):
            task.cancel()
        await asyncio.gather(reader, writer, return_exceptions=True)
    if code_of_close is not None:
        with suppress(RuntimeError, WebSocketDisconnect):
            await websocket.close(code_of_close)


async def _listen(websocket: WebSocket) -> int | None:
    """Wait for the end; a page of ours never says anything, so whatever talks is none."""
    message = await websocket.receive()
    return None if message["type"] == "websocket.disconnect" else NOT_WELCOME


async def _show(websocket: WebSocket, opening: AbstractAsyncContextManager[Feed]) -> int | None:
    """Send the board until the viewer is gone or the server ends; the code to close with."""
    try:
        async with opening as boards:
            version = 0
            while not boards.is_closing:
                try:
                    html = await boards.board(version)
                except UnknownTableError:
                    if html := boards.gone():
                        await websocket.send_text(html)
                    raise
                if html:
                    await websocket.send_text(html)
                notice = await boards.changed()
                version = notice.version if notice else version
    except WebSocketDisconnect:
        return None
    except NoSeatLeft:
        return NOT_WELCOME
    except UnknownTableError:
        return DELETED
    except TableError:
        return BROKEN
    return GOING_AWAY


@router.get("/events")
async def events(visit: VisitOf, code: str) -> Response:
    """The same as server-sent events, for whoever has no WebSocket."""
    head = await visit.find(code)
    return Stream(_stream(visit, head))


async def _stream(visit: Visit, head: Head) -> AsyncGenerator[str, None]:
    # Where the database fails the stream ends, and its page comes back by itself.
    with suppress(NoSeatLeft, TableError):
        async with feed(visit, head, Feed) as boards:
            version = 0
            yield "retry: 1000\n\n"
            while not boards.is_closing:
                try:
                    html = await boards.board(version)
                except UnknownTableError:
                    yield event(boards.gone(), version)
                    return
                if html:
                    yield event(html, version)
                notice = await boards.changed(HEARTBEAT)
                if notice is None:
                    yield ": still here\n\n"
                else:
                    version = notice.version


def event(html: str, version: int) -> str:
    r"""A server-sent event.

    >>> event("a\nb", 7)
    'id: 7\ndata: a\ndata: b\n\n'
    """
    data = "".join(f"data: {line}\n" for line in html.splitlines())
    return f"id: {version}\n{data}\n"
