"""Server-sent events, written to a reader until one of both ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final

from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

#: Set in the scope of a request that wants the head of the answer only, whatever its method is now.
HEAD_ONLY: Final = "skyjo.head_only"


class Stream(StreamingResponse):
    """Events as they come; their generator is closed with the connection.

    Starlette's own way to end a stream leaves the connection in a cycle of an error and its frame,
    where only a search for cycles finds it (see :func:`skyjo.web.connections.let_go`).
    """

    media_type = "text/event-stream"

    def __init__(self, events: AsyncGenerator[str, None], status_code: int = 200) -> None:
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        super().__init__(events, status_code, headers)
        self._events = events

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        async with aclosing(self._events):
            if scope.get(HEAD_ONLY):
                # Nobody would ever read what the stream has to say, nor tell that they are gone.
                start = {"status": self.status_code, "headers": self.raw_headers}
                await send({"type": "http.response.start", **start})
                await send({"type": "http.response.body", "body": b""})
            else:
                await self._until_gone(receive, send)

    async def _until_gone(self, receive: Receive, send: Send) -> None:
        reader = asyncio.ensure_future(self.listen_for_disconnect(receive))
        writer = asyncio.ensure_future(self.stream_response(send))
        try:
            await asyncio.wait({reader, writer}, return_when=asyncio.FIRST_COMPLETED)
            if writer.done():
                writer.result()
        finally:
            for task in (reader, writer):
                task.cancel()
            await asyncio.gather(reader, writer, return_exceptions=True)
