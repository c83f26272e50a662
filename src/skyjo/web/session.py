"""Who is this: one signed cookie with a random secret for each browser.

The secret is made when somebody first takes a seat, and handed to the table with everything that
this browser wants; the store keeps only its hash. Nothing that a page shows (codes, seats, names)
gives a right. A browser that has lost its cookie gets a seat back by the seat's personal link.
"""

from __future__ import annotations

import hashlib
from typing import Final

from itsdangerous import BadSignature, URLSafeSerializer
from starlette.requests import HTTPConnection
from starlette.responses import Response

from skyjo.web.settings import Settings

#: Browsers keep no cookie longer than 400 days.
MAX_AGE: Final = 400 * 24 * 3600
_MOST: Final = 400


class Sessions:
    """Reads and writes the cookie of one server.

    The cookie's name holds a mark of the server's key: cookies do not tell ports apart, and two
    servers on one computer must not overwrite each other's.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._cookies = URLSafeSerializer(settings.key, salt="skyjo device")
        self._links = URLSafeSerializer(settings.key, salt="skyjo link")
        mark = hashlib.sha256(f"skyjo cookie {settings.key}".encode()).hexdigest()[:8]
        self.cookie = f"skyjo-{mark}"

    def secret(self, connection: HTTPConnection) -> str | None:
        """The secret of the browser that made this request; None if it has none of ours."""
        text = connection.cookies.get(self.cookie, "")
        if not text or len(text) > _MOST:
            return None
        try:
            secret = self._cookies.loads(text)
        except BadSignature:
            return None
        return secret if isinstance(secret, str) else None

    def signed(self, secret: str) -> str:
        """The cookie's content for a secret."""
        return _text(self._cookies.dumps(secret))

    def remember(self, response: Response, connection: HTTPConnection, secret: str) -> None:
        """Have the browser keep its secret, for as long as browsers do."""
        response.set_cookie(
            self.cookie,
            self.signed(secret),
            max_age=MAX_AGE,
            httponly=True,
            samesite="lax",
            secure=is_secure(connection, self._settings.base_url),
            path="/",
        )

    def token(self, purpose: str, value: str) -> str:
        """A text for a link that only this server can make."""
        return _text(self._links.dumps([purpose, value]))

    def value(self, purpose: str, token: str) -> str | None:
        """The value that ``token`` was made of; None for anything that this server did not make."""
        if len(token) > _MOST:
            return None
        try:
            found = self._links.loads(token)
        except BadSignature:
            return None
        match found:
            case [str(kind), str(value)] if kind == purpose:
                return value
        return None


def is_secure(connection: HTTPConnection, base_url: str) -> bool:
    """Whether the browser reached us over https, as far as can be known here."""
    if connection.scope["scheme"] in ("https", "wss"):
        return True
    return base_url == f"https://{connection.headers.get('host', '').lower()}"


def _text(signed: str | bytes) -> str:
    return signed if isinstance(signed, str) else signed.decode("ascii")
