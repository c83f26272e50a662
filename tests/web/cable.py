"""A network cable between browser and server that can be pulled out and plugged in again."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit


class Cable:
    """Passes bytes on while it is plugged in; nothing is said when it is pulled out."""

    def __init__(self, target: str) -> None:
        self._host, self._port = urlsplit(target).hostname or "", urlsplit(target).port or 80
        self._loop = asyncio.new_event_loop()
        self._open: set[asyncio.StreamWriter] = set()
        self._plugged = True
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        async def serve() -> None:
            server = await asyncio.start_server(self._pass_on, sock=self._listener)
            self._stop = asyncio.Event()
            async with server:
                await self._stop.wait()
                self._cut()
            others = asyncio.all_tasks() - {asyncio.current_task()}
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)

        self._loop.run_until_complete(serve())
        self._loop.close()

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not self._plugged:
            writer.transport.abort()
            return
        with suppress(OSError, asyncio.CancelledError):
            there, back = await asyncio.open_connection(self._host, self._port)
            self._open |= {writer, back}
            await asyncio.gather(self._copy(reader, back), self._copy(there, writer))

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        writer.close()
        self._open.discard(writer)

    def _cut(self) -> None:
        for writer in list(self._open):
            writer.transport.abort()
        self._open.clear()

    def pull(self) -> None:
        """Cut every connection, and let no new one through."""
        self._plugged = False
        self._loop.call_soon_threadsafe(self._cut)

    def plug(self) -> None:
        """Let connections through again."""
        self._plugged = True

    def close(self) -> None:
        """Throw the cable away."""
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)


@contextmanager
def cable(target: str) -> Iterator[Cable]:
    """A cable to a server."""
    made = Cable(target)
    try:
        yield made
    finally:
        made.close()
