"""What the server does, counted for Prometheus, and one structured line for each request.

Labels are names of routes, codes and counts: no addresses, no codes of tables, no names, no cards.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from skyjo.errors import SkyjoError
from skyjo.table import commands as ask
from skyjo.table.authority import Joined, TableAuthority
from skyjo.table.errors import StoreError
from skyjo.table.ports import Head, Store, Stored

# Prometheus knows by itself when a counter has begun anew.
disable_created_metrics()  # type: ignore[no-untyped-call]

CONTENT_TYPE: Final = CONTENT_TYPE_LATEST
_access = logging.getLogger("skyjo.access")

#: Upper bounds of latencies, in seconds; the aims are 0.1 and 0.25.
_BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


#: Whatever else somebody calls a method is one method.
_METHODS: Final = frozenset(
    {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "WEBSOCKET"}
)


class Metrics:
    """The counters of one application."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        PlatformCollector(registry=registry)
        self.requests = Histogram(
            "skyjo_request_seconds",
            "Seconds until an answer was complete, by route and status.",
            ["method", "route", "status"],
            buckets=_BUCKETS,
            registry=registry,
        )
        self.connections = Gauge(
            "skyjo_connections",
            "Open WebSockets and event streams.",
            ["kind"],
            registry=registry,
        )
        self.moves = Counter(
            "skyjo_moves", "Actions played, by whom: person, bot, stand_in.", ["by"],
            registry=registry,
        )  # fmt: skip
        self.move_seconds = Histogram(
            "skyjo_move_seconds",
            "Seconds from a person's action to its being stored and shown.",
            buckets=_BUCKETS,
            registry=registry,
        )
        self.events = Counter(
            "skyjo_events", "What has happened at tables, by kind.", ["event"], registry=registry
        )
        self.tables_made = Counter("skyjo_tables_made", "Tables made.", registry=registry)
        self.tables = Gauge("skyjo_tables", "Tables in memory of this process.", registry=registry)
        self.refusals = Counter(
            "skyjo_refusals",
            "Commands that were refused, by code.",
            ["code"],
            registry=registry,
        )
        self.limited = Counter(
            "skyjo_limited", "Requests turned away, by what was too much.", ["limit"],
            registry=registry,
        )  # fmt: skip
        self.store_seconds = Histogram(
            "skyjo_store_seconds",
            "Seconds that the database took.",
            ["operation"],
            buckets=_BUCKETS,
            registry=registry,
        )
        self.store_errors = Counter(
            "skyjo_store_errors", "Times that the database failed.", registry=registry
        )
        self.store_failing = Gauge(
            "skyjo_store_failing", "1 from a failed write to the next good one.", registry=registry
        )

    def turned_away(self, limit: str) -> None:
        """Somebody asked for too much."""
        self.limited.labels(limit).inc()

    @property
    def is_store_failing(self) -> bool:
        """Whether the last write has failed."""
        return bool(self.store_failing._value.get())

    def text(self) -> bytes:
        """Everything in Prometheus' text form."""
        return generate_latest(self.registry)


class MeteredStore:
    """A store whose operations are timed, and whose events are counted."""

    def __init__(self, store: Store, metrics: Metrics) -> None:
        self.store = store
        self._metrics = metrics

    async def create(
        self, head: Head, events: Sequence[Mapping[str, Any]], holders: frozenset[str]
    ) -> None:
        """See ``Store.create``."""
        with self._writing("create"):
            await self.store.create(head, events, holders)
        if head.kind == "table":
            self._metrics.tables_made.inc()
        self._count(events)

    async def append(
        self,
        table_id: str,
        expected: int,
        at: float,
        events: Sequence[Mapping[str, Any]],
        *,
        phase: str,
        holders: frozenset[str] | None = None,
    ) -> None:
        """See ``Store.append``."""
        with self._writing("append"):
            await self.store.append(table_id, expected, at, events, phase=phase, holders=holders)
        self._count(events)

    async def events(self, table_id: str, after: int = 0) -> list[Stored]:
        """See ``Store.events``."""
        with self._metrics.store_seconds.labels("events").time():
            return await self.store.events(table_id, after)

    async def find(self, code: str) -> Head | None:
        """See ``Store.find``."""
        with self._metrics.store_seconds.labels("find").time():
            return await self.store.find(code)

    async def heads(self, table_ids: Sequence[str]) -> list[Head]:
        """See ``Store.heads``."""
        return await self.store.heads(table_ids)

    async def held_by(self, holder: str, limit: int = 100) -> list[Head]:
        """See ``Store.held_by``."""
        return await self.store.held_by(holder, limit)

    async def close(self) -> None:
        """See ``Store.close``."""
        await self.store.close()

    def _writing(self, operation: str) -> _Writing:
        return _Writing(self._metrics, operation)

    def _count(self, events: Sequence[Mapping[str, Any]]) -> None:
        for event in events:
            kind = event["event"]
            self._metrics.events.labels(kind).inc()
            if kind == "acted":
                self._metrics.moves.labels(event["by"]).inc()


class _Writing:
    """Times a write, and remembers whether the last one has failed."""

    def __init__(self, metrics: Metrics, operation: str) -> None:
        self._metrics = metrics
        self._operation = operation
        self._since = 0.0

    def __enter__(self) -> None:
        self._since = time.perf_counter()

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        metrics = self._metrics
        metrics.store_seconds.labels(self._operation).observe(time.perf_counter() - self._since)
        if isinstance(error, StoreError):
            metrics.store_errors.inc()
            metrics.store_failing.set(1)
        elif error is None:
            metrics.store_failing.set(0)


class MeteredAuthority(TableAuthority):
    """The authority over tables, with its refusals counted and actions timed."""

    metrics: Metrics

    async def do(self, table_id: str, secret: str, command: ask.Command) -> Joined:
        """See ``TableAuthority.do``."""
        since = time.perf_counter()
        try:
            done = await super().do(table_id, secret, command)
        except SkyjoError as error:
            self.metrics.refusals.labels(error.code).inc()
            raise
        if isinstance(command, ask.Act):
            self.metrics.move_seconds.observe(time.perf_counter() - since)
        return done


class Watched:
    """The outermost layer: times every request, counts connections, writes the line about each."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app = app
        self.metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and look at what becomes of it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        look = _Look(self.metrics, scope, send)
        try:
            await self.app(scope, receive, look.send)
        finally:
            look.ended()


class _Look:
    def __init__(self, metrics: Metrics, scope: Scope, send: Send) -> None:
        self._metrics = metrics
        self._scope = scope
        self._send = send
        self._since = time.perf_counter()
        self._status = 0
        self._open = ""

    async def send(self, message: Message) -> None:
        """See what goes out."""
        kind = message["type"]
        if kind in ("http.response.start", "websocket.http.response.start"):
            self._status = message["status"]
            headers = dict(message.get("headers", ()))
            if headers.get(b"content-type", b"").startswith(b"text/event-stream"):
                self._opened("stream")
        elif kind == "websocket.accept":
            self._status = 101
            self._opened("websocket")
        elif kind == "websocket.close" and not self._status:
            self._status = 403
        await self._send(message)

    def _opened(self, kind: str) -> None:
        self._open = kind
        self._metrics.connections.labels(kind).inc()

    def ended(self) -> None:
        """The answer is complete, or the connection over."""
        seconds = time.perf_counter() - self._since
        method = self._scope.get("method", "WEBSOCKET")
        method = method if method in _METHODS else "OTHER"
        route = route_of(self._scope)
        if self._open:
            self._metrics.connections.labels(self._open).dec()
        else:
            status = str(self._status or 499)
            self._metrics.requests.labels(method, route, status).observe(seconds)
        if _access.isEnabledFor(logging.INFO):
            fields = {
                "method": method,
                "route": route,
                "status": self._status,
                "ms": round(seconds * 1000, 1),
            }
            _access.info("request", extra={"fields": fields})


def route_of(scope: Scope) -> str:
    """The name of the route that answered: never the path itself, which may hold a secret."""
    endpoint = scope.get("endpoint")
    module = getattr(endpoint, "__module__", "")
    if endpoint is None or not module.startswith("skyjo."):
        return "none"
    area = "api." if module.startswith("skyjo.web.api.") else ""
    return f"{area}{module.rpartition('.')[2]}.{endpoint.__name__}"
