"""Connections that say nothing, or end without saying so, must not be held for ever.

uvicorn waits without limit for the first byte and for the end of a request's head. The operating
system waits for a quarter of an hour until it gives up somebody who has vanished.
"""

from __future__ import annotations

import asyncio
import gc
import ipaddress
import socket
from collections import Counter
from typing import ClassVar, Final, Self

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from skyjo.web.limits import network_of, parsed_address

#: Seconds that somebody has to say what they want.
HEAD_WITHIN: Final = 20.0
#: Seconds after which somebody who does not answer on the network is gone.
GONE_AFTER: Final = 45
#: Files and sockets that the server would like to have open.
WISHED_FILES: Final = 65_536
#: Of these, so many are not for connections, or a quarter where there are few.
OTHER_FILES: Final = 200
#: Connections of one address that are no WebSockets; those have a limit of their own.
EACH_ADDRESS: Final = 2000


class Places:
    """How many connections there may be: ``most`` in all, ``each`` of one address.

    ``proxies`` are addresses and networks whose connections are those of many.
    """

    def __init__(self, most: int, each: int = EACH_ADDRESS, proxies: tuple[str, ...] = ()) -> None:
        self.most = most
        self.each = each
        self._proxies = tuple(ipaddress.ip_network(text) for text in proxies)
        self._taken: Counter[str] = Counter()

    @classmethod
    def of_files(cls, files: int, proxies: tuple[str, ...] = ()) -> Self:
        """As many as there can be with so many open files.

        >>> Places.of_files(1024).most, Places.of_files(100).most
        (824, 75)
        """
        return cls(files - min(OTHER_FILES, files // 4), proxies=proxies)

    def take(self, host: str, there: int) -> str | None:
        """Count one more of an address; None if there is no room, beside ``there`` in all."""
        address = network_of(host)
        if there > self.most or (self._taken[address] >= self.each and not self._is_proxy(host)):
            return None
        self._taken[address] += 1
        return address

    def give_back(self, address: str) -> None:
        """One of an address has ended, or has become a WebSocket."""
        self._taken[address] -= 1
        if self._taken[address] <= 0:
            del self._taken[address]

    def _is_proxy(self, host: str) -> bool:
        address = parsed_address(host)
        return address is not None and any(address in network for network in self._proxies)


class PatientProtocol(H11Protocol):
    """uvicorn's, with a limit for the time until a request is complete enough to be answered.

    ``places`` are the connections that there may be (None: any number); one that is too many is
    ended at once, before the system runs out of files.
    """

    places: ClassVar[Places | None] = None
    _late: asyncio.TimerHandle | None = None
    _handed_over = False
    _place: str | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody is here: the clock runs."""
        super().connection_made(transport)
        if self.places is not None:
            host = self.client[0] if self.client else ""
            self._place = self.places.take(host, len(self.connections))
            if self._place is None:
                transport.abort()
                return
        self._wait()

    def _give_place_back(self) -> None:
        if self.places is not None and self._place is not None:
            self.places.give_back(self._place)
            self._place = None

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
        self._give_place_back()
        super().handle_websocket_upgrade(event)  # type: ignore[arg-type]

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody is here any more."""
        self._stop_waiting()
        self._give_place_back()
        super().connection_lost(exc)
        self._unset_keepalive_if_required()  # uvicorn's own does so unless the network failed
        let_go(self.transport)

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


class LightSocketProtocol(WebSocketsSansIOProtocol):
    """uvicorn's, of which nothing stays in memory when a WebSocket has ended."""

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody is here any more."""
        super().connection_lost(exc)
        let_go(self.transport)


def let_go(transport: asyncio.BaseTransport) -> None:
    """Free the memory of a connection that has ended.

    The event loop of Python 3.11 leaves every connection in a cycle with a method of its own, where
    only a search for cycles finds it, and those are rare here (:func:`collect_garbage_seldom`).
    """
    if hasattr(transport, "_read_ready_cb"):
        transport._read_ready_cb = None


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
    gc.set_threshold(20_000, 10, 10)
