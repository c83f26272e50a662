"""What goes over the line, without the line: requests, answers, and when to come back."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final, TypeAlias
from urllib.parse import quote, urlsplit

import httpx
from websockets.exceptions import ConnectionClosed, InvalidStatus

from skyjo.client.errors import ServerError, UnreachableError, error_from, seconds_in
from skyjo.client.models import Table, decode
from skyjo.errors import MalformedError, SkyjoError, StaleError
from skyjo.i18n import N_, current_language

PATH: Final = "/api/v1"
#: Seconds between two tries to connect: the first, and the longest.
FIRST_PAUSE: Final = 0.1
LONGEST_PAUSE: Final = 2.0
#: The largest message that a server of ours sends is far below.
MAX_MESSAGE: Final = 2**22
#: How a server closes a connection for good: the table is gone, or the caller not welcome.
NOT_WELCOME: Final = 1008

#: What a connection may raise when it breaks or cannot be made.
BROKEN: Final = (OSError, ConnectionClosed, InvalidStatus, TimeoutError)

#: Chooses one of ``table.legal``.
Choose: TypeAlias = Callable[[Table], str]


def base_of(url: str) -> str:
    """A server's address without the last slash; MalformedError if it is none.

    >>> base_of("http://192.0.2.7:8000/")
    'http://192.0.2.7:8000'
    """
    parts = urlsplit(url.strip())
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise MalformedError(N_("'{url}' is no address of a server"), url=url)
    return f"{parts.scheme}://{parts.netloc}"


def headers(language: str | None = None, token: str = "") -> dict[str, str]:
    """The headers of every request; messages come in the caller's language."""
    found = {"accept-language": language or current_language()}
    return found | ({"authorization": f"Bearer {token}"} if token else {})


def table_path(table: str, *more: str) -> str:
    """The path of a table, or of what is below it.

    >>> table_path("ABCD 1234", "act")
    '/api/v1/tables/ABCD%201234/act'
    """
    return "/".join([PATH, "tables", *(quote(each, safe="") for each in (table, *more))])


def link_parts(link: str) -> tuple[str, str]:
    """Code and last part of a personal link; MalformedError for anything else.

    >>> link_parts("http://192.0.2.7/t/ABCD1234/seat/qwerty")
    ('ABCD1234', 'qwerty')
    """
    match urlsplit(link.strip()).path.strip("/").split("/"):
        case ["t", code, "seat", token]:
            return code, token
    raise MalformedError(N_("'{link}' is no personal link of a seat"), link=link)


def socket_address(base: str, table: str) -> str:
    """The address of a table's WebSocket."""
    return f"ws{base.removeprefix('http')}{table_path(table, 'live')}"


def read(answer: httpx.Response) -> Any:
    """The value of an answer; what the server refuses is raised."""
    if answer.status_code == HTTPStatus.NO_CONTENT:
        return None
    kind = answer.headers.get("content-type", "").partition(";")[0]
    if answer.is_success and kind != "application/json":
        return answer.text
    try:
        value = answer.json()
    except ValueError:
        value = None
    if not answer.is_success or value is None:
        raise error_from(value, answer.status_code, answer.headers.get("retry-after"))
    return value


def haste(answer: httpx.Response) -> float:
    """Seconds to wait when the server has refused because it was too much at once, else 0."""
    if answer.status_code != HTTPStatus.TOO_MANY_REQUESTS:
        return 0.0
    return seconds_in(answer.headers.get("retry-after"))


def unreachable(url: str, error: Exception) -> UnreachableError:
    """The error for a connection that broke."""
    return UnreachableError(url, str(error) or type(error).__name__)


def table_in(message: str | bytes) -> Table | None:
    """The table in a message of the WebSocket, None in any other message."""
    told = json.loads(message)
    return decode(Table, told["table"]) if told.get("type") == "table" else None


@dataclass(slots=True)
class Patience:
    """How long to wait before the next try to connect.

    ``limit`` are the seconds after which a server that does not answer is given up; None: never.
    """

    base: str
    limit: float | None
    waited: float = 0.0
    pause: float = FIRST_PAUSE

    def connected(self) -> None:
        """Everything is well again."""
        self.waited, self.pause = 0.0, FIRST_PAUSE

    def after(self, error: Exception) -> float:
        """Seconds to wait after this error; what waiting cannot mend is raised."""
        wait = self.pause
        if isinstance(error, InvalidStatus):
            refused = refusal_of(error)
            if not isinstance(refused, ServerError) or not _passes(refused):
                raise refused from error
            wait = max(wait, refused.retry_after)
        elif isinstance(error, ConnectionClosed) and _is_final(error):
            raise unreachable(self.base, error) from error
        if self.limit is not None and self.waited + wait > self.limit:
            raise unreachable(self.base, error) from error
        self.waited += wait
        self.pause = min(2 * self.pause, LONGEST_PAUSE)
        return wait

    def after_refusal(self, error: SkyjoError) -> float:
        """Seconds until a command may be tried again; what another try cannot mend is raised."""
        if isinstance(error, StaleError):
            return 0.0
        if not isinstance(error, ServerError) or not _passes(error):
            raise error
        if self.limit is not None and self.waited > self.limit:
            raise error
        wait = max(self.pause, error.retry_after)
        self.waited += wait
        self.pause = min(2 * self.pause, LONGEST_PAUSE)
        return wait


def _is_final(error: ConnectionClosed) -> bool:
    return error.rcvd is not None and error.rcvd.code == NOT_WELCOME


def _passes(error: ServerError) -> bool:
    again = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE,
             HTTPStatus.GATEWAY_TIMEOUT)  # fmt: skip
    return isinstance(error, UnreachableError) or error.status in again


def refusal_of(error: InvalidStatus) -> SkyjoError:
    """What the server said when it refused a WebSocket."""
    response = error.response
    try:
        value: Any = json.loads(response.body or b"null")
    except ValueError:
        value = None
    return error_from(value, response.status_code, response.headers.get("retry-after"))


def has_to_move(table: Table) -> bool:
    """Whether the game waits for the caller."""
    return bool(table.legal or table.may_ready)


def place_of(table: Table, seat: int | None) -> dict[str, Any]:
    """Seat and version for a command; without a seat the caller's own."""
    if seat is None:
        if not table.mine:
            raise MalformedError(N_("nobody at this table is the caller's: name a seat"))
        seat = table.mine[0]
    return {"seat": seat, "version": table.version}


def action_body(action: str | int, table: Table) -> dict[str, Any]:
    """The body of an action."""
    if table.acting is None:
        raise MalformedError(N_("it is not the caller's turn"))
    return {"seat": table.acting, "action": action, "version": table.version}
