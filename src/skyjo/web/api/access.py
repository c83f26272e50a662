"""Who calls, and which table they mean."""

from __future__ import annotations

import re
from typing import Annotated, Final, TypeAlias

from fastapi import Depends, Path
from starlette.requests import HTTPConnection

from skyjo.errors import SkyjoError
from skyjo.i18n import N_
from skyjo.table.errors import UnknownTableError
from skyjo.table.ports import Head
from skyjo.table.present import KIND
from skyjo.web.session import Sessions
from skyjo.web.site import Site, Visit

#: What a token of the API is signed for; a cookie is none, and no token a cookie.
_PURPOSE: Final = "api"
_HOSTER: Final = "hoster"
HOSTER_HEADER: Final = "x-skyjo-hoster"
_GOOD_FOR: Final = 60
_ID: Final = re.compile(r"[a-z2-7]{16}")


class UnauthorisedError(SkyjoError):
    """Who calls has to say who they are, and has not, or not rightly."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def no_token() -> UnauthorisedError:
    """For calls that need a seat."""
    return UnauthorisedError(
        "no_token", N_("Send the token of your seat: Authorization: Bearer TOKEN")
    )


def token_of(site: Site, secret: str) -> str:
    """The token that stands for a secret: signed, so that only this server can make one."""
    return site.sessions.token(_PURPOSE, secret)


def secret_of(site: Site, connection: HTTPConnection) -> str | None:
    """The secret of whoever calls; None without a token, UnauthorisedError for a wrong one."""
    header = connection.headers.get("authorization")
    if header is None:
        return None
    scheme, _blank, token = header.partition(" ")
    secret = site.sessions.value(_PURPOSE, token.strip()) if scheme.lower() == "bearer" else None
    if secret is None:
        raise UnauthorisedError(
            "bad_token", N_("This token is not valid here; join again, or use the right one.")
        )
    return secret


def hoster_token(sessions: Sessions, now: float) -> str:
    """A token with which whoever has the server's key may delete; it is good for a minute."""
    return sessions.token(_HOSTER, str(int(now)))


def is_hoster(caller: Visit, now: float) -> bool:
    """Whether the hoster calls (``skyjo delete``)."""
    token = caller.connection.headers.get(HOSTER_HEADER, "")
    made = caller.site.sessions.value(_HOSTER, token) or ""
    return made.isdigit() and abs(now - int(made)) <= _GOOD_FOR


def caller_of(connection: HTTPConnection) -> Visit:
    """The call as routes find it. Cookies count for nothing here, so that no page can misuse it."""
    site: Site = connection.app.state.site
    return Visit(site, connection, secret_of(site, connection))


async def _caller(connection: HTTPConnection) -> Visit:
    # A coroutine, though it waits for nothing: FastAPI calls functions in a thread of their own.
    return caller_of(connection)


def needs_secret(caller: Visit) -> str:
    """The caller's secret; UnauthorisedError without a token."""
    if caller.secret is None:
        raise no_token()
    return caller.secret


async def find_table(caller: Visit, table: str) -> Head:
    """The table of a code, as people type it, or of an id; UnknownTableError."""
    if _ID.fullmatch(table):
        head = next(iter(await caller.authority.store.heads([table])), None)
    else:
        head = await caller.find(table)
    if head is None or head.kind != KIND:
        raise UnknownTableError
    return head


CallerOf: TypeAlias = Annotated[Visit, Depends(_caller)]
TableOf: TypeAlias = Annotated[
    str, Path(description="The table's code, as people type it, or its id.", max_length=100)
]
