"""Connections that say nothing, or end without saying so, must not be held for ever.

uvicorn waits without limit for the first byte and for the end of a request's head. The operating
system waits for a quarter of an hour until it gives up somebody who has vanished.
"""

from __future__ import annotations

import asyncio
import gc
import socket
from typing import Final

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

#: Seconds that somebody has to say what they want.
HEAD_WITHIN: Final = 20.0
#: Seconds after which somebody who does not answer on the network is gone.
GONE_AFTER: Final = 45
#: Files and sockets that the server would like to have open.
WISHED_FILES: Final = 65_536


class PatientProtocol(H11Protocol):
    """uvicorn's, with a limit for the time until a request is complete enough to be answered."""

    _late: asyncio.TimerHandle | None = None
    _handed_over = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody is here: the clock runs."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Something was said."""
        super().data_received(data)
        cycle: RequestResponseCycle | None = self.cycle
        waiting = cycle is None or cycle.response_complete
        if waiting and self.timeout_keep_alive_task is None and not self._handed_over:
            self._wait()
        else:
            self._stop_waiting()

    def handle_websocket_upgrade(self, event: object) -> None:
        """From now on another protocol looks after the connection."""
        self._stop_waiting()
        self._handed_over = True
        super().handle_websocket_upgrade(event)  # type: ignore[arg-type]

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody is here any more."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        if self._late is None:
            self._late = self.loop.call_later(HEAD_WITHIN, self._give_up)

    def _stop_waiting(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _give_up(self) -> None:
        self._late = None
        if not self.transport.is_closing():
            self.transport.close()


def notice_who_vanishes(listener: socket.socket) -> None:
    """Have the system end connections whose other end does not answer.

    On Linux what is set on a listening socket holds for every connection that it accepts; where an
    option does not exist the system's own patience stays.
    """
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    wishes = {
        "TCP_KEEPIDLE": 15,
        "TCP_KEEPINTVL": 10,
        "TCP_KEEPCNT": 3,
        "TCP_USER_TIMEOUT": GONE_AFTER * 1000,
    }
    for name, value in wishes.items():
        if hasattr(socket, name):
            listener.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


def allow_many_files() -> int:
    """Raise the number of files and sockets that may be open to what the system allows.

    Gives the number; many systems begin with 1,024, which a school in its break would reach.
    """
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return WISHED_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wished = WISHED_FILES if hard == resource.RLIM_INFINITY else min(WISHED_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wished:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wished, hard))
        return wished
    return soft


def collect_garbage_seldom() -> None:
    """Spare the server most searches for cycles among everything that its tables consist of.

    Tables are large and live long; a search through five hundred of them holds up every move for
    tenths of a second. What has no cycles is freed at once all the same.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
