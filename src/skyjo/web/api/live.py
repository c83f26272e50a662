"""Live events for programs: the same view again and again, over WebSocket or server-sent events.

Over the WebSocket a program also gives its commands, which saves a connection for each of them.
A reader that is slow gets the newest view and misses the ones between.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncGenerator
from contextlib import suppress
from http import HTTPStatus
from typing import Any, Final

from fastapi import APIRouter
from starlette.responses import Response
from starlette.websockets import WebSocket, WebSocketDisconnect

from skyjo.errors import SkyjoError
from skyjo.i18n import N_, _
from skyjo.table.errors import TableError, UnknownTableError
from skyjo.table.ports import Head
from skyjo.web.api.access import CallerOf, TableOf, caller_of, find_table, needs_secret
from skyjo.web.api.answers import INTERNAL, dumps, error_form
from skyjo.web.api.present import still, with_time
from skyjo.web.api.problems import answer, form_of
from skyjo.web.api.verbs import UnreadableError, read_command
from skyjo.web.limits import TooManyError
from skyjo.web.live import BROKEN, GOING_AWAY, HEARTBEAT, NOT_WELCOME, Feed, event, feed
from skyjo.web.problems import INTERNAL as SORRY
from skyjo.web.site import Visit
from skyjo.web.stream import Stream

router = APIRouter(prefix="/tables/{table}", tags=["live"])

_log = logging.getLogger("skyjo.web.api")

#: Whoever goes on after so many refusals of one kind of haste is cut off.
PATIENCE: Final = 50
_LONGEST_ID: Final = 100


class ViewFeed(Feed):
    """What one caller may see of a table, as JSON."""

    version = 0

    async def board(self, at_least: int = 0) -> str:
        """The view now; "" if this caller has been sent the same before."""
        visit = self._visit
        scene = await visit.authority.scene(self._head.id, visit.secret, at_least=at_least)
        text = still(scene)
        if text == self._last:
            return ""
        self._last = text
        self.version = scene.version
        return with_time(text, scene.now)


@router.get(
    "/events",
    response_class=Stream,
    responses={HTTPStatus.OK: {"content": {"text/event-stream": {}}}},
)
async def events(caller: CallerOf, table: TableOf) -> Response:
    """Server-sent events: each `data` is the table as `GET /tables/{table}` shows it."""
    head = await find_table(caller, table)
    return Stream(_events(caller, head))


async def _events(caller: Visit, head: Head) -> AsyncGenerator[str, None]:
    # Where the database fails the stream ends, and its reader comes back.
    with suppress(TableError):
        async with feed(caller, head, ViewFeed) as views:
            version = 0
            yield "retry: 1000\n\n"
            while not views.is_closing:
                if text := await views.board(version):
                    yield event(text, views.version)
                notice = await views.changed(HEARTBEAT)
                if notice is None:
                    yield ": still here\n\n"
                else:
                    version = notice.version


@router.websocket("/live")
async def socket(websocket: WebSocket, table: str) -> None:
    """Views as they come, commands as they are given; see docs/api.md."""
    try:
        caller = caller_of(websocket)
        head = await find_table(caller, table)
    except SkyjoError as error:
        await _deny(websocket, error)
        return
    await websocket.accept()
    talk = Talk(websocket, caller, head)
    tasks = {asyncio.ensure_future(talk.listen()), asyncio.ensure_future(talk.show())}
    try:
        done, _pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        code = done.pop().result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    if code is not None:
        with suppress(RuntimeError, WebSocketDisconnect):
            await websocket.close(code)


async def _deny(websocket: WebSocket, error: SkyjoError) -> None:
    if "websocket.http.response" in websocket.scope.get("extensions", {}):
        await websocket.send_denial_response(answer(error))
    else:
        await websocket.close(NOT_WELCOME)


class Talk:
    """One WebSocket of a program. Both halves give the code to close with, None if it is closed."""

    def __init__(self, websocket: WebSocket, caller: Visit, head: Head) -> None:
        self._websocket = websocket
        self._caller = caller
        self._head = head
        self._allowed = caller.site.limiter.messages()
        self._hasty = 0

    async def show(self) -> int | None:
        """Send what is new to see until the caller is gone or the server ends."""
        try:
            async with feed(self._caller, self._head, ViewFeed) as views:
                version = 0
                while not views.is_closing:
                    text = await views.board(version)
                    if text:
                        await self._websocket.send_text(f'{{"type":"table","table":{text}}}')
                    notice = await views.changed()
                    version = notice.version if notice else version
        except WebSocketDisconnect:
            return None
        except UnknownTableError:
            return NOT_WELCOME
        except TableError:
            return BROKEN
        return GOING_AWAY

    async def listen(self) -> int | None:
        """Carry out commands, one after the other, and answer each."""
        while True:
            message = await self._websocket.receive()
            if message["type"] == "websocket.disconnect":
                return None
            wait = self._allowed.take("")
            if wait:
                self._hasty += 1
                if self._hasty > PATIENCE:
                    return NOT_WELCOME
            try:
                reply = await self._reply(message.get("text"), wait)
                await self._websocket.send_text(reply)
            except (WebSocketDisconnect, RuntimeError):
                return None

    async def _reply(self, text: str | None, wait: float) -> str:
        if wait:
            return _labelled("error", _label_if_any(text), form_of(TooManyError(wait)))
        label: int | str | None = None
        try:
            told = _read(text)
            label = _label(told)
            command = read_command(told)
            done = await self._caller.authority.do(
                self._head.id, needs_secret(self._caller), command
            )
        except SkyjoError as error:
            return _labelled("error", label, form_of(error))
        except Exception:  # noqa: BLE001 - one command that fails must not cut off who plays
            _log.exception("a command over WebSocket failed")
            return _labelled("error", label, error_form(INTERNAL, INTERNAL, _(SORRY)))
        return _labelled("done", label, {"seat": done.seat, "version": done.version})


def _read(text: str | None) -> dict[str, Any]:
    """The object in a message; UnreadableError when it is none."""
    try:
        told = json.loads(text or "")
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict):
        raise UnreadableError(
            "message",
            N_("A message is one JSON object, such as {example}"),
            example='{"id": 7, "command": "act", "seat": 0, "action": "draw", "version": 41}',
        )
    return told


def _label(told: dict[str, Any]) -> int | str | None:
    """What the program calls its command."""
    label = told.get("id")
    if isinstance(label, int | str | None) and len(str(label)) <= _LONGEST_ID:
        return label
    raise UnreadableError(
        "id",
        N_("An id is a whole number or a text, of at most {most} characters."),
        most=_LONGEST_ID,
    )


def _label_if_any(text: str | None) -> int | str | None:
    """The label of a message that may be anything."""
    with suppress(UnreadableError):
        return _label(_read(text))
    return None


def _labelled(kind: str, label: int | str | None, values: dict[str, Any]) -> str:
    text = dumps({"type": kind, "id": label, **values})
    # Half a character in an id comes back as a question mark.
    return text.encode("utf-8", "replace").decode("utf-8")
