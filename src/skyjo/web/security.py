"""What every request passes: origin, size, language, and the headers of every answer.

Cookies travel with requests that other sites cause, so whatever changes something must come from a
page of ours: its ``Origin`` (or, where a browser sends none, ``Sec-Fetch-Site``) says so. What
comes without both is no browser and carries nobody's cookie by accident. The check holds on plain
http in a home network and, with a base address, behind a proxy that rewrites ``Host``.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Final
from urllib.parse import urlsplit, urlunsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from skyjo.i18n import use_language
from skyjo.web.language import chosen_language
from skyjo.web.settings import Settings
from skyjo.web.stream import HEAD_ONLY

CONTENT_SECURITY_POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "font-src 'self'",
        "media-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS: Final[Mapping[str, str]] = {
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "x-content-type-options": "nosniff",
    # Not `no-referrer`: with it browsers send `Origin: null` with our own forms.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "x-frame-options": "DENY",
}
#: Seconds in which a body has to be here.
BODY_WITHIN: Final = 30.0
SAFE_METHODS: Final = {"GET", "HEAD", "OPTIONS"}
#: Where files are sent.
_TAKES_IN: Final = re.compile(r"/circle/[a-z0-9]{20}/import")
_PORTS: Final = {"http": 80, "https": 443, "ws": 80, "wss": 443}

Answer = Callable[[Request, HTTPStatus], Awaitable[Response]]


class TooLarge(HTTPException):
    """More was sent than anybody of ours ever sends."""

    def __init__(self) -> None:
        super().__init__(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)


class TooSlow(HTTPException):
    """A body did not come to its end."""

    def __init__(self) -> None:
        super().__init__(HTTPStatus.REQUEST_TIMEOUT, headers={"connection": "close"})


class Guard:
    """The outermost layer of the application; ``answer`` makes its error pages."""

    def __init__(self, app: ASGIApp, settings: Settings, answer: Answer) -> None:
        self.app = app
        self.settings = settings
        self.answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it here."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        with use_language(chosen_language(connection, self.settings.language)):
            if scope["type"] == "websocket":
                await self._websocket(connection, receive, send)
            else:
                await self._http(connection, receive, send)

    async def _websocket(self, connection: HTTPConnection, receive: Receive, send: Send) -> None:
        if is_own_page(connection, self.settings.base_url):
            await self.app(connection.scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    async def _http(self, connection: HTTPConnection, receive: Receive, send: Send) -> None:
        scope = connection.scope
        head_only = scope["method"] == "HEAD"
        if head_only:
            scope["method"] = "GET"
            scope[HEAD_ONLY] = True
        outgoing = _dressed(send, head_only)
        limited = _limited(receive, self._limit(connection))
        refused = self._refusal(connection)
        if refused is None:
            await self.app(scope, limited, outgoing)
        else:
            response = await self.answer(Request(scope, limited), refused)
            await response(scope, limited, outgoing)

    def _limit(self, connection: HTTPConnection) -> int:
        """How many bytes may be sent: only games that are taken in are more than a form."""
        takes_in = _TAKES_IN.fullmatch(connection.scope["path"])
        return self.settings.import_limit if takes_in else self.settings.body_limit

    def _refusal(self, connection: HTTPConnection) -> HTTPStatus | None:
        """Why this request is answered here; None if it may pass."""
        length = connection.headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit()):
            return HTTPStatus.BAD_REQUEST
        # As text first: a number of a million digits is no number to compute with.
        if len(length) > 12 or int(length) > self._limit(connection):
            return HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        if connection.scope["method"] not in SAFE_METHODS and not is_own_page(
            connection, self.settings.base_url
        ):
            return HTTPStatus.FORBIDDEN
        return None


def _limited(receive: Receive, limit: int) -> Receive:
    """Read a body as long as it stays below the limit, also one that does not tell its length.

    Who sends it has ``BODY_WITHIN`` seconds for all of it.
    """
    seen, complete = 0, False
    latest = asyncio.get_running_loop().time() + BODY_WITHIN

    async def counted() -> Message:
        nonlocal seen, complete
        if complete:
            return await receive()
        try:
            async with asyncio.timeout_at(latest):
                message = await receive()
        except TimeoutError:
            raise TooSlow from None
        complete = not message.get("more_body", False)
        seen += len(message.get("body", b""))
        if seen > limit:
            raise TooLarge
        return message

    return counted


def _dressed(send: Send, head_only: bool) -> Send:
    """Add the headers of every answer; leave out the body if only the head was asked for."""

    async def outgoing(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            headers.setdefault("cache-control", "no-store")
            if "location" in headers:
                headers["location"] = here(headers["location"])
        elif head_only and message["type"] == "http.response.body":
            message = {**message, "body": b""}
        await send(message)

    return outgoing


def here(location: str) -> str:
    """Where a redirect leads, without a host: a proxy may have told us another than the reader's.

    >>> here("http://127.0.0.1/t/K93AA5TG?x=1"), here("http://127.0.0.1//evil.example/")
    ('/t/K93AA5TG?x=1', '/evil.example/')
    """
    if location.startswith("/") and not location.startswith("//"):
        return location
    parts = urlsplit(location)
    return urlunsplit(("", "", f"/{parts.path.lstrip('/')}", parts.query, parts.fragment))


def is_own_page(connection: HTTPConnection, base_url: str) -> bool:
    """Whether a page of ours caused this request, or nothing that carries cookies by itself."""
    headers = connection.headers
    origin = headers.get("origin")
    if origin is not None:
        return same_origin(origin, headers, base_url)
    return headers.get("sec-fetch-site", "none") in ("same-origin", "none")


def same_origin(origin: str, headers: Headers, base_url: str) -> bool:
    """Whether an ``Origin`` is the address that people use: the base address or the own host.

    Behind a proxy with TLS the scheme is not known here, so that only host and port are compared.

    >>> same_origin("http://192.0.2.7:8000", Headers({"host": "192.0.2.7:8000"}), "")
    True
    >>> same_origin("http://evil.example", Headers({"host": "192.0.2.7:8000"}), "")
    False
    >>> same_origin("https://a.example", Headers({"host": "127.0.0.1"}), "https://a.example")
    True
    """
    if base_url and origin.lower() == base_url.lower():
        return True
    try:
        parts = urlsplit(origin.lower())
        port = parts.port or _PORTS.get(parts.scheme)
        host = urlsplit(f"{parts.scheme}://{headers.get('host', '').lower()}")
        return (
            parts.scheme in ("http", "https")
            and bool(parts.hostname)
            and (parts.hostname, port) == (host.hostname, host.port or _PORTS.get(host.scheme))
        )
    except ValueError:
        return False
