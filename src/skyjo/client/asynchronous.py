"""The client for programs on an asyncio loop; the same as ``blocking``, with ``await``."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any, Self

import httpx
from websockets.asyncio.client import connect

from skyjo.client import wire
from skyjo.client.errors import ServerError
from skyjo.client.models import Bot, Head, Rulesets, Service, Table, decode
from skyjo.errors import StaleError


class AsyncClient:
    """A connection to one server; close it, or use it in ``async with``.

    ``language`` is that of messages (default: the current one), ``timeout`` in seconds. Every
    method raises what the server refuses (``skyjo.errors``, ``ServerError``), and
    ``UnreachableError`` when it does not answer. When it says that it was too much in a short time
    the call waits as long as it says and tries again, for ``timeout`` seconds in all.
    """

    def __init__(self, url: str, *, language: str | None = None, timeout: float = 30.0) -> None:
        self.base = wire.base_of(url)
        self.language = language
        self.timeout = timeout
        self._http = httpx.AsyncClient(base_url=self.base, timeout=timeout)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Let go of the connections."""
        await self._http.aclose()

    async def service(self) -> Service:
        """Which server this is."""
        return decode(Service, await self.request("GET", f"{wire.PATH}/"))

    async def bots(self) -> tuple[Bot, ...]:
        """The bots that may be asked to sit down."""
        return tuple(decode(Bot, each) for each in await self.request("GET", f"{wire.PATH}/bots"))

    async def rulesets(self) -> Rulesets:
        """Presets and house rules."""
        return decode(Rulesets, await self.request("GET", f"{wire.PATH}/rulesets"))

    async def look(self, table: str) -> Table:
        """What every onlooker may see of a table, by its code or id."""
        return decode(Table, await self.request("GET", wire.table_path(table)))

    async def create(
        self,
        name: str,
        *,
        ruleset: str = "official",
        bots: Sequence[str] = (),
        pace: str = "normal",
        start: bool = False,
    ) -> AsyncSeat:
        """Make a table; the caller is its host. ``start`` begins the game against the bots."""
        values = {
            "name": name,
            "ruleset": ruleset,
            "bots": list(bots),
            "pace": pace,
            "start": start,
        }
        return self._seated(await self.request("POST", f"{wire.PATH}/tables", values))

    async def join(self, table: str, name: str) -> AsyncSeat:
        """Sit down in the lobby of a table, by its code as people type it."""
        return self._seated(
            await self.request("POST", wire.table_path(table, "join"), {"name": name})
        )

    async def claim(self, link: str) -> AsyncSeat:
        """Play a seat by its personal link, beside the devices that have it already."""
        table, token = wire.link_parts(link)
        return self._seated(
            await self.request("POST", wire.table_path(table, "claim"), {"link": token})
        )

    def seat(self, table: str, token: str) -> AsyncSeat:
        """A seat that this program had before: ``table`` and ``token`` as ``Seat`` had them."""
        return AsyncSeat(self, table, token)

    async def tables(self, token: str) -> tuple[Head, ...]:
        """The tables at which this token has or had a seat, last active first."""
        found = await self.request("GET", f"{wire.PATH}/tables", token=token)
        return tuple(decode(Head, each) for each in found)

    async def request(
        self,
        method: str,
        path: str,
        values: Any = None,
        *,
        token: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """One call of the API: the value of its answer."""
        sent = wire.headers(self.language, token) | dict(headers or {})
        left = self.timeout
        while True:
            try:
                answer = await self._http.request(method, path, json=values, headers=sent)
            except httpx.TransportError as error:
                raise wire.unreachable(self.base, error) from error
            wait = wire.haste(answer)
            if not 0 < wait <= left:
                return wire.read(answer)
            left -= wait
            await asyncio.sleep(wait)

    def _seated(self, answer: Any) -> AsyncSeat:
        table = decode(Table, answer["table"])
        return AsyncSeat(self, table.code, answer["token"], table)


class AsyncSeat:
    """One's seat at a table. ``table`` and ``token`` are all that is needed to come back to it."""

    def __init__(
        self, client: AsyncClient, table: str, token: str, seen: Table | None = None
    ) -> None:
        self.client = client
        self.table = table
        self.token = token
        self._seen = seen

    async def look(self) -> Table:
        """What this seat may see and do now."""
        return self._told(await self._request("GET"))

    async def act(self, action: str | int, table: Table) -> Table:
        """Play an action of ``table.legal``; ``table`` is what was looked at when choosing it."""
        return await self.command("act", **wire.action_body(action, table))

    async def ready(self, table: Table, seat: int | None = None) -> Table:
        """Go on with the next round."""
        return await self.command("ready", **wire.place_of(table, seat))

    async def leave(self, table: Table, seat: int | None = None) -> Table:
        """Leave the lobby, the running game for good, or the coming rematch."""
        return await self.command("leave", **wire.place_of(table, seat))

    async def start(self) -> Table:
        """Begin the game, as the host."""
        return await self.command("start")

    async def add_bot(self, bot: str, name: str = "") -> Table:
        """Put a bot on the next free seat, as the host."""
        return await self.command("add-bot", bot=bot, name=name)

    async def command(self, verb: str, /, **values: Any) -> Table:
        """Any command of the API, by its name: "pace", "stand-in", "hand-over" ..."""
        return self._told(await self._request("POST", verb, values=values))

    async def link(self, seat: int = 0) -> str:
        """The personal link of a seat: whoever has it may play the seat."""
        found = await self._request("GET", f"link?seat={seat}")
        link: str = found["link"]
        return link

    async def record(self) -> str:
        """The game so far as a ``.skyjo`` text; when it is over with all cards."""
        text: str = await self._request("GET", "record")
        return text

    async def rematch(self, *, leave_out_absent: bool = False) -> AsyncSeat:
        """A seat in another game with the same people."""
        values = {"leave_out_absent": leave_out_absent}
        answer = await self._request("POST", "rematch", values=values)
        seen = decode(Table, answer["table"])
        return AsyncSeat(self.client, seen.code, answer["token"], seen)

    async def delete(self) -> None:
        """Delete the table for ever, as its host."""
        await self._request("DELETE")

    async def forget(self, table: Table, seat: int | None = None) -> Table:
        """Take one's name out of a table that is over, or that one has left, for ever."""
        return await self.command("forget", seat=wire.place_of(table, seat)["seat"])

    async def watch(self, *, patience: float | None = None) -> AsyncGenerator[Table, None]:
        """The table whenever something has changed, from now until the game is over.

        A reader that is slow sees the newest, not everything between. When the connection breaks
        or the server restarts it comes back by itself; UnreachableError after ``patience`` seconds
        without a server (None: it never gives up).
        """
        waiting = wire.Patience(self.client.base, patience)
        while True:
            try:
                async with connect(
                    wire.socket_address(self.client.base, self.table),
                    additional_headers=wire.headers(self.client.language, self.token),
                    max_size=wire.MAX_MESSAGE,
                    open_timeout=self.client.timeout,
                ) as socket:
                    first = True
                    async for message in socket:
                        waiting.connected()
                        table = wire.table_in(message)
                        if table is not None and self._is_news(table, first):
                            first = False
                            yield table
                            if table.phase == "over":
                                return
                error: Exception = OSError("closed")
            except wire.BROKEN as broken:
                error = broken
            await asyncio.sleep(waiting.after(error))

    async def play(self, choose: wire.Choose, *, patience: float | None = None) -> Table:
        """Play until the game is over: ``choose`` names one of ``table.legal``.

        Ready for every next round at once. What comes too late, or breaks with the connection, is
        looked at and chosen anew.
        """
        waiting = wire.Patience(self.client.base, patience)
        async for seen in self.watch(patience=patience):
            table, doubtful = seen, False
            while doubtful or wire.has_to_move(table):
                try:
                    table = await self.look() if doubtful else await self._move(table, choose)
                except (StaleError, ServerError) as error:
                    await asyncio.sleep(waiting.after_refusal(error))
                    doubtful = True
                else:
                    waiting.connected()
                    doubtful = False
        return self._seen or await self.look()

    async def _move(self, table: Table, choose: wire.Choose) -> Table:
        if table.legal:
            return await self.act(choose(table), table)
        return await self.ready(table, table.may_ready[0])

    def _is_news(self, table: Table, first: bool) -> bool:
        """Whether nothing newer has been seen in the answer to a command.

        What a connection shows first is always news: the server may have been restored from a
        backup, and the table be what it was before.
        """
        if not first and self._seen is not None and table.version < self._seen.version:
            return False
        self._seen = table
        return True

    def _told(self, answer: Any) -> Table:
        self._seen = decode(Table, answer)
        return self._seen

    async def _request(self, method: str, *more: str, values: Any = None) -> Any:
        path = wire.table_path(self.table)
        path = "/".join([path, *more])
        return await self.client.request(method, path, values, token=self.token)
