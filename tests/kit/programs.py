"""A server for tests of the API: in the test's own process and loop, the same in every run."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import httpx
from starlette.types import Message
from tests.kit.memory_store import MemoryStore
from tests.kit.tables import BOTS, Clock

from skyjo.chance import SeededChance
from skyjo.scorepad.authority import PadAuthority
from skyjo.table.authority import TableAuthority
from skyjo.table.driver import Policy, PolicyDriver
from skyjo.table.keys import new_secret
from skyjo.table.ports import Settings as TableSettings
from skyjo.table.upkeep import Upkeep
from skyjo.web.api.access import token_of
from skyjo.web.app import Application, create_app
from skyjo.web.limits import Limits
from skyjo.web.settings import Settings

QUICK = TableSettings(paces={"slow": 0.0, "normal": 0.0, "none": 0.0}, continue_after=3600.0)
API = "/api/v1"


class Desk:
    """An application without a network. Nothing happens by itself until ``settle``."""

    def __init__(
        self,
        store: MemoryStore | None = None,
        *,
        seed: int = 0,
        bots: Mapping[str, Policy] = BOTS,
        limits: Limits | None = None,
        **settings: Any,
    ) -> None:
        self.clock = Clock()
        self.random = random.Random(f"tokens/{seed}")
        self.app: Application = create_app(
            Settings(data=Path(), key="5" * 64, limits=limits or Limits.off(), **settings)
        )
        self.store = store or MemoryStore()
        self.authority = TableAuthority(
            self.store,
            PolicyDriver(bots),
            chance=SeededChance(seed),
            settings=QUICK,
            clock=self.clock,
            token=self.random.randbytes,
        )
        self.app.state.site.authority = self.authority
        self.app.state.site.pads = PadAuthority(self.store)
        self.app.state.site.upkeep = Upkeep(self.authority, self.store)

    def token(self, secret: str) -> str:
        return token_of(self.app.state.site, secret)

    @contextmanager
    def fixed_secrets(self) -> Iterator[None]:
        """New tokens are the same in every run."""
        made = lambda: new_secret(self.random.randbytes)  # noqa: E731
        with mock.patch("skyjo.web.api.tables.new_secret", made):
            yield

    def http(self, client: tuple[str, int] = ("192.0.2.1", 5000)) -> httpx.AsyncClient:
        transport = httpx.ASGITransport(self.app, client=client)
        return httpx.AsyncClient(transport=transport, base_url="http://table.example")

    async def call(
        self,
        method: str,
        path: str,
        json: Any = None,
        *,
        token: str = "",
        **headers: str,
    ) -> httpx.Response:
        """One call of the API."""
        if token:
            headers["authorization"] = f"Bearer {token}"
        async with self.http() as http:
            return await http.request(method, API + path, json=json, headers=headers)

    async def good(self, method: str, path: str, json: Any = None, *, token: str = "") -> Any:
        """What a call that must succeed gives."""
        answer = await self.call(method, path, json, token=token)
        assert answer.is_success, (method, path, answer.status_code, answer.text)
        return answer.json()

    async def settle(self) -> None:
        while await self.authority.tick():
            pass

    async def first_event(self, path: str, token: str = "") -> str:
        """The first server-sent event with data, as it goes over the line."""
        seen: list[str] = []
        enough = asyncio.Event()

        async def receive() -> Message:
            if not seen:
                seen.append("")
                return {"type": "http.request", "body": b"", "more_body": False}
            await enough.wait()
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            text = message.get("body", b"").decode()
            if "data:" in text:
                seen.append(text)
                enough.set()

        headers = [(b"host", b"table.example")]
        if token:
            headers.append((b"authorization", f"Bearer {token}".encode()))
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET",
            "scheme": "http", "path": API + path, "raw_path": (API + path).encode(),
            "query_string": b"", "root_path": "", "headers": headers,
            "client": ("192.0.2.1", 5000), "server": ("table.example", 80),
        }  # fmt: skip
        await asyncio.wait_for(self.app(scope, receive, send), 60)
        return seen[1]

    async def talk(
        self,
        path: str,
        token: str,
        *messages: str | bytes,
        replies: int = 0,
        answers: int = 0,
    ) -> list[str]:
        """Say this over a WebSocket; what comes back, until it is so much.

        ``replies`` counts all messages, ``answers`` those that are not tables.
        """
        heard: list[str] = []
        enough = asyncio.Event()
        waiting: list[Message] = [
            {"type": "websocket.connect"},
            *(
                {"type": "websocket.receive", "text" if isinstance(each, str) else "bytes": each}
                for each in messages
            ),
        ]

        async def receive() -> Message:
            if waiting:
                return waiting.pop(0)
            await enough.wait()
            return {"type": "websocket.disconnect", "code": 1000}

        async def send(message: Message) -> None:
            if message["type"] == "websocket.send":
                heard.append(message["text"])
            answered = sum(not text.startswith('{"type":"table"') for text in heard)
            whole = len(heard) >= replies and answered >= answers
            if whole or message["type"] == "websocket.close":
                enough.set()

        headers = [(b"host", b"table.example")]
        if token:
            headers.append((b"authorization", f"Bearer {token}".encode()))
        scope = {
            "type": "websocket", "asgi": {"version": "3.0"}, "http_version": "1.1",
            "scheme": "ws", "path": API + path, "raw_path": (API + path).encode(),
            "query_string": b"", "root_path": "", "headers": headers, "subprotocols": [],
            "client": ("192.0.2.1", 5000), "server": ("table.example", 80),
        }  # fmt: skip
        await asyncio.wait_for(self.app(scope, receive, send), 60)
        return heard
