"""The parts of one running server, as routes find them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Annotated, Any, Final, TypeAlias

from fastapi import Depends
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response

from skyjo.rules.ruleset import Ruleset
from skyjo.scorepad.authority import PadAuthority
from skyjo.scorepad.scene import PadScene
from skyjo.table.authority import Joined, TableAuthority
from skyjo.table.errors import UnknownTableError, forbidden
from skyjo.table.keys import clean_code, new_secret
from skyjo.table.ports import Head
from skyjo.table.upkeep import Upkeep
from skyjo.web.addresses import is_for_this_computer
from skyjo.web.limits import Limiter, TooManyError, address_of
from skyjo.web.metrics import Metrics
from skyjo.web.once import Once
from skyjo.web.pages import Pages
from skyjo.web.problems import Problems
from skyjo.web.session import Sessions
from skyjo.web.settings import Settings

_HOST: Final = re.compile(r"(\[[0-9a-fA-F:.]+\]|[\w.-]+)(:[0-9]{1,5})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class BotChoice:
    """A bot as it is offered: the name that forms send, what people call it, what it does.

    ``more``: one to measure with, that pages do not offer; programs may ask for it.
    """

    name: str
    label: str
    says: str
    more: bool = False


def default_bot(names: Sequence[str]) -> str:
    """Whom somebody meets who has not chosen: an opponent for the family table.

    >>> default_bot(["novice", "casual", "expert"])
    'casual'
    """
    return "casual" if "casual" in names else names[0]


@dataclass(slots=True)
class Site:
    """Everything that routes work with.

    ``bots`` gives the bots on offer in the reader's language, ``doubts`` what is to be told of one
    under house rules; ``authority`` and ``pads`` are there
    from the start to the end of the application, as is ``upkeep``, which deletes; ``limiter`` and
    ``metrics`` count what everybody does, ``once`` and ``once_pad`` make two fast taps one table or
    pad, ``closing`` is set when the server is about to end.
    """

    settings: Settings
    sessions: Sessions
    pages: Pages
    problems: Problems
    bots: Callable[[], Sequence[BotChoice]]
    limiter: Limiter
    metrics: Metrics
    doubts: Callable[[str, Ruleset], str]
    upkeep: Upkeep = field(init=False)
    authority: TableAuthority = field(init=False)
    pads: PadAuthority = field(init=False)
    once: Once[Joined] = field(default_factory=Once)
    once_pad: Once[PadScene] = field(default_factory=Once)
    closing: asyncio.Event = field(default_factory=asyncio.Event)

    def labels(self) -> dict[str, str]:
        """What people call each bot, in the reader's language."""
        return {bot.name: bot.label for bot in self.bots()}

    def offered(self) -> Sequence[BotChoice]:
        """The bots that pages offer, from the weakest on, then the host's programs."""
        return [bot for bot in self.bots() if not bot.more]

    def address(self, connection: HTTPConnection) -> str:
        """The address at which others reach this server, without the last slash.

        What the reader typed works for others too, unless it means the reader's own computer.
        """
        if self.settings.base_url:
            return self.settings.base_url
        host = connection.headers.get("host", "")
        if self.settings.shown and (not _HOST.fullmatch(host) or is_for_this_computer(host)):
            return self.settings.shown[0].rstrip("/")
        secure = connection.scope["scheme"] in ("https", "wss")
        return f"{'https' if secure else 'http'}://{host}"


@dataclass(frozen=True, slots=True)
class Visit:
    """One request or socket: the site, the connection, the browser's secret (None: no cookie)."""

    site: Site
    connection: HTTPConnection
    secret: str | None

    @property
    def request(self) -> Request:
        """The connection, where it is known to be a request."""
        if not isinstance(self.connection, Request):
            raise TypeError(self.connection)
        return self.connection

    @property
    def authority(self) -> TableAuthority:
        """The authority over all tables."""
        return self.site.authority

    @property
    def address(self) -> str:
        """The address at which others reach this server, without the last slash."""
        return self.site.address(self.connection)

    async def find(self, code: str) -> Head:
        """The table of a code; UnknownTableError if there is none.

        TooManyError for an address that has named too many wrong ones, but not for who sits there.
        """
        limiter, address = self.site.limiter, address_of(self.connection)
        try:
            limiter.check_guesses(address)
        except TooManyError:
            head = await self._find_mine(code)
            if head is None:
                raise
            return head
        try:
            return await self.authority.find(code)
        except UnknownTableError:
            if clean_code(code):
                limiter.guessed(address)
            raise

    async def _find_mine(self, code: str) -> Head | None:
        """The table of a code, if this browser has a seat there."""
        heads = await self.authority.mine(self.secret) if self.secret else []
        return next((head for head in heads if head.code == clean_code(code)), None)

    def wish(self, *parts: object) -> str | None:
        """What this browser asks for here, as ``once`` knows it; None for one without secret."""
        if self.secret is None:
            return None
        return repr((self.secret, self.connection.url.path, *parts))

    def needs_secret(self) -> str:
        """The browser's secret; ForbiddenError for a browser that has no seat anywhere."""
        if self.secret is None:
            raise forbidden("not_at_the_table")
        return self.secret

    def with_cookie(self, response: Response) -> Response:
        """Give a browser its secret before it can press anything twice."""
        if self.secret is None:
            self.site.sessions.remember(response, self.connection, new_secret())
        return response

    def page(
        self, template: str, /, status: int = HTTPStatus.OK, *, here: str = "", **values: Any
    ) -> Response:
        """A page from a template as an answer."""
        return self.site.pages.page(self.request, template, status, here=here, **values)


async def _visit(connection: HTTPConnection) -> Visit:
    # A coroutine, though it waits for nothing: FastAPI calls functions in a thread of their own.
    site: Site = connection.app.state.site
    return Visit(site, connection, site.sessions.secret(connection))


#: What every route asks for.
VisitOf: TypeAlias = Annotated[Visit, Depends(_visit)]
