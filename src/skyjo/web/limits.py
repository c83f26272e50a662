"""How much one address and one seat may do, and who an address is.

A school sits behind one address, so that what counts for an address is generous; what one person
can sensibly do counts for their seat, that is, for their cookie or token. Only wrong codes are
counted strictly: guessing is what nobody needs to do often. See ``docs/hosting.md``.
"""

from __future__ import annotations

import hashlib
import ipaddress
import math
import re
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from http import HTTPStatus
from typing import Final, TypeAlias

from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket

from skyjo.errors import SkyjoError
from skyjo.i18n import N_
from skyjo.web.throttle import Rate, Throttle

#: Closes a socket that is one too many; browsers and the client come back later.
TRY_LATER: Final = 1013


class TooManyError(SkyjoError):
    """Somebody asks for more than one address or seat may have; ``retry_after`` in seconds."""

    code = "too_many"

    def __init__(self, retry_after: float) -> None:
        seconds = max(1, math.ceil(retry_after))
        super().__init__(
            N_("That was too much in a short time. Try again in {seconds} s."), seconds=seconds
        )
        self.retry_after = seconds


@dataclass(frozen=True, slots=True)
class Limits:
    """What is allowed. ``seat_...`` counts for a cookie or token, everything else for an address.

    ``requests`` of all kinds but ``files``; ``tables`` made; ``joins`` tried; ``records`` read and
    ``replays`` looked at, which cost the server most; ``guesses`` are codes
    that do not exist, ``guesses_daily`` too; ``messages`` on one socket. ``connections`` are open
    sockets and streams at the same time, ``all_connections`` of everybody.
    """

    requests: Rate = field(default=Rate(1000, 10.0))
    seat_requests: Rate = field(default=Rate(300, 10.0))
    files: Rate = field(default=Rate(6000, 10.0))
    tables: Rate = field(default=Rate(120, 600.0))
    seat_tables: Rate = field(default=Rate(20, 600.0))
    joins: Rate = field(default=Rate(300, 600.0))
    records: Rate = field(default=Rate(60, 60.0))
    replays: Rate = field(default=Rate(600, 30.0))
    guesses: Rate = field(default=Rate(30, 600.0))
    guesses_daily: Rate = field(default=Rate(200, 86_400.0))
    messages: Rate = field(default=Rate(200, 10.0))
    connections: int = 1000
    seat_connections: int = 24
    all_connections: int = 5000

    @classmethod
    def off(cls) -> Limits:
        """As good as no limits: for measurements, and for a server among friends."""
        much = 10**9
        return cls(
            **{
                each.name: much if each.type == "int" else Rate(much, 1.0)  # type: ignore[arg-type]
                for each in fields(cls)
            }
        )


#: What is counted in addition to the request itself: by method and path.
_COUNTED: Final = (
    (
        "POST",
        re.compile(r"/(play|tables|pads|circles|circle/[^/]+/(pad|table|import)|api/v1/tables)"),
        ("tables", "seat_tables"),
    ),
    ("POST", re.compile(r"/(join|t/[^/]+/(join|seat/[^/]+))"), ("joins",)),
    ("POST", re.compile(r"/api/v1/tables/[^/]+/(join|claim)"), ("joins",)),
    ("GET", re.compile(r"/(t|api/v1/tables|replay)/[^/]+/record"), ("records",)),
    ("GET", re.compile(r"/replay/[^/]+"), ("replays",)),
)
_STREAM: Final = re.compile(r"/(t|api/v1/tables)/[^/]+/events")
#: For these nothing is counted: whoever watches over the server must not be kept out.
_FREE: Final = frozenset({"/healthz", "/metrics"})

Refused: TypeAlias = Callable[[str], None]


class Limiter:
    """Counts for one server process. ``refused`` is called with the name of what was exceeded."""

    def __init__(
        self,
        limits: Limits,
        *,
        clock: Callable[[], float] = time.monotonic,
        refused: Refused = lambda _name: None,
    ) -> None:
        self.limits = limits
        self._clock = clock
        self._refused = refused
        self._throttles = {
            each.name: Throttle(rate, clock)
            for each in fields(limits)
            if isinstance(rate := getattr(limits, each.name), Rate)
        }
        self._open: Counter[Hashable] = Counter()

    def take(self, name: str, key: Hashable) -> None:
        """Count one; TooManyError if that is one too many."""
        wait = self._throttles[name].take(key)
        if wait:
            self._refused(name)
            raise TooManyError(wait)

    def check_guesses(self, address: str) -> None:
        """TooManyError if this address has named too many codes that do not exist."""
        wait = max(self._throttles[name].wait(address) for name in ("guesses", "guesses_daily"))
        if wait:
            self._refused("guesses")
            raise TooManyError(wait)

    def guessed(self, address: str) -> None:
        """This address has named a code that does not exist."""
        for name in ("guesses", "guesses_daily"):
            self._throttles[name].count(address)

    def not_guessed(self, address: str) -> None:
        """The code that was counted last does exist, as one of something else."""
        for name in ("guesses", "guesses_daily"):
            self._throttles[name].give_back(address)

    def messages(self) -> Throttle:
        """What one socket may say; it is forgotten with the socket."""
        return Throttle(self.limits.messages, self._clock, capacity=1)

    @contextmanager
    def connection(self, address: str, credential: str) -> Iterator[None]:
        """Hold a place for a socket or stream; TooManyError if there is none."""
        places: list[tuple[Hashable, int, str]] = [
            ("", self.limits.all_connections, "all_connections"),
            (("address", address), self.limits.connections, "connections"),
        ]
        if credential:
            places.append((("seat", credential), self.limits.seat_connections, "seat_connections"))
        for key, most, name in places:
            if self._open[key] >= most:
                self._refused(name)
                raise TooManyError(10.0)
        keys = [key for key, _most, _name in places]
        self._open.update(keys)
        try:
            yield
        finally:
            for key in keys:
                self._open[key] -= 1
                if self._open[key] <= 0:
                    del self._open[key]


Answer: TypeAlias = Callable[[Request, SkyjoError], Awaitable[Response]]


class Gate:
    """A layer of the application that turns away what is too much.

    ``cookie`` is the name of the cookie with the secret; ``answer`` makes the pages.
    """

    def __init__(self, app: ASGIApp, limiter: Limiter, cookie: str, answer: Answer) -> None:
        self.app = app
        self.limiter = limiter
        self.cookie = cookie
        self.answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it here."""
        path = scope.get("path", "")
        if scope["type"] == "lifespan" or path in _FREE:
            await self.app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        address, credential = address_of(connection), credential_of(connection, self.cookie)
        try:
            self._count(scope, path, address, credential)
            if scope["type"] != "websocket" and not _STREAM.fullmatch(path):
                await self.app(scope, receive, send)
                return
            with self.limiter.connection(address, credential):
                await self.app(scope, receive, send)
        except TooManyError as error:
            await self._refuse(error, scope, receive, send)

    def _count(self, scope: Scope, path: str, address: str, credential: str) -> None:
        if path.startswith("/static/"):
            self.limiter.take("files", address)
            return
        self.limiter.take("requests", address)
        if credential:
            self.limiter.take("seat_requests", credential)
        for method, pattern, names in _COUNTED:
            if scope.get("method") == method and pattern.fullmatch(path.rstrip("/")):
                for name in names:
                    key = credential if name.startswith("seat_") else address
                    if key:
                        self.limiter.take(name, key)

    async def _refuse(
        self, error: TooManyError, scope: Scope, receive: Receive, send: Send
    ) -> None:
        if scope["type"] == "http":
            response = await self.answer(Request(scope, receive), error)
            await response(scope, receive, send)
            return
        socket = WebSocket(scope, receive, send)
        if "websocket.http.response" in scope.get("extensions", {}):
            await socket.send_denial_response(
                Response(
                    status_code=HTTPStatus.TOO_MANY_REQUESTS,
                    headers={"retry-after": str(error.retry_after)},
                )
            )
        else:
            await socket.close(TRY_LATER)


# --- who somebody is ---------------------------------------------------------------------------


def address_of(connection: HTTPConnection) -> str:
    """Whom a request is counted for: an IPv4 address, or the network of an IPv6 address.

    A household gets 2**64 IPv6 addresses at least, so that the last half tells nothing. Behind a
    proxy that is trusted this is the proxy's client.
    """
    return network_of(connection.client.host if connection.client else "")


def network_of(host: str) -> str:
    """The part of an address that tells households apart.

    >>> network_of("192.0.2.7"), network_of("2001:db8:1:2:3:4:5:6"), network_of("::ffff:192.0.2.7")
    ('192.0.2.7', '2001:db8:1:2::', '192.0.2.7')
    """
    address = parsed_address(host)
    if address is None:
        return host[:100]
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    return str(ipaddress.ip_network((address, 64), strict=False).network_address)


def parsed_address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The address that a host's text is; None for anything else.

    A server that listens on ``::`` sees IPv4 as a part of IPv6; here it is IPv4 again.

    >>> str(parsed_address("::ffff:192.0.2.7")), parsed_address("somebody")
    ('192.0.2.7', None)
    """
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None
    mapped = getattr(address, "ipv4_mapped", None)
    return mapped or address


def with_mapped(networks: tuple[str, ...]) -> list[str]:
    """Networks, and the IPv4 ones also as a server that listens on ``::`` sees them.

    >>> with_mapped(("192.0.2.0/24", "::1"))
    ['192.0.2.0/24', '::1', '::ffff:192.0.2.0/120']
    """
    found = [ipaddress.ip_network(text) for text in networks]
    return [
        *networks,
        *(
            f"::ffff:{each.network_address}/{96 + each.prefixlen}"
            for each in found
            if each.version == 4
        ),
    ]


def credential_of(connection: HTTPConnection, cookie: str) -> str:
    """A mark of the cookie or token that came along, "" without one.

    It is not checked here: whoever invents one is still counted for the address.
    """
    text = connection.headers.get("authorization", "") or connection.cookies.get(cookie, "")
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32] if text else ""


def checked_networks(option: str, texts: tuple[str, ...]) -> tuple[str, ...]:
    """Addresses and networks given to an option; SkyjoError for anything else, also for "all".

    >>> checked_networks("--trusted-proxy", ("127.0.0.1", "10.0.0.0/8"))
    ('127.0.0.1', '10.0.0.0/8')
    """
    found = []
    for text in texts:
        try:
            network = ipaddress.ip_network(text.strip())
        except ValueError:
            raise SkyjoError(
                N_(
                    "{option} is an address like 127.0.0.1 or a network like 10.0.0.0/8, not"
                    " '{text}'."
                ),
                option=option,
                text=text,
            ) from None
        if not network.prefixlen:
            raise SkyjoError(
                N_("{option} {text} means everybody; name those that are meant."),
                option=option,
                text=text,
            )
        single = network.prefixlen == network.max_prefixlen
        found.append(str(network.network_address) if single else str(network))
    return tuple(found)
