"""Health, metrics and log lines; and what must never be in them."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import re
import socket
import sqlite3
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families
from tests.conftest import ROOT
from tests.kit.programs import API, Desk
from tests.kit.tables import asynchronous
from tests.web.conftest import quick_app
from tests.web.harness import PATIENCE, Process, in_thread, wait_for
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from skyjo.store import open_store
from skyjo.table.errors import StoreError
from skyjo.table.ports import Head
from skyjo.web.logs import JsonLines, Seldom, TextLines
from skyjo.web.metrics import MeteredStore
from skyjo.web.routes.health import is_watcher

PAGE = (ROOT / "docs" / "hosting.md").read_text(encoding="utf-8")


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    with in_thread(quick_app(tmp_path)) as address:
        yield address


def counted(url: str) -> dict[tuple[str, ...], float]:
    """Every sample: its name and labels, and its value."""
    text = httpx.get(f"{url}/metrics").raise_for_status().text
    found: dict[tuple[str, ...], float] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            labels = (f"{key}={value}" for key, value in sorted(sample.labels.items()))
            found[(sample.name, *labels)] = sample.value
    return found


def test_a_server_that_works_says_so(url: str) -> None:
    answer = httpx.get(f"{url}/healthz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok", "database": "ok"})


def test_tables_connections_moves_latencies_and_errors_are_counted(url: str) -> None:
    made = httpx.post(f"{url}{API}/tables", json={"name": "Ana", "bots": ["greedy"], "start": True})
    table = made.json()["table"]
    headers = {"authorization": f"Bearer {made.json()['token']}"}
    path = f"{url}{API}/tables/{table['code']}"
    version = httpx.get(path, headers=headers).json()["version"]
    body = {"seat": 0, "action": "reveal r0c0", "version": version}
    assert httpx.post(f"{path}/act", json=body, headers=headers).is_success
    assert httpx.post(f"{path}/act", json=body, headers=headers).status_code == 409
    assert httpx.get(f"{url}/t/ABCDEFGH").status_code == 404
    with httpx.stream("GET", f"{path}/events", headers=headers) as stream:
        lines = stream.iter_lines()
        next(lines)
        found = counted(url)
    assert found["skyjo_tables_made_total",] == found["skyjo_tables",] == 1
    assert found["skyjo_moves_total", "by=person"] == 1
    assert found["skyjo_moves_total", "by=bot"] >= 2
    assert found["skyjo_move_seconds_count",] == 1
    assert found["skyjo_refusals_total", "code=stale"] == 1
    assert found["skyjo_connections", "kind=stream"] == 1
    assert found["skyjo_store_errors_total",] == 0
    count = "skyjo_request_seconds_count"
    assert found[count, "method=POST", "route=api.tables.act", "status=409"] == 1
    assert found[count, "method=GET", "route=table.table", "status=404"] == 1


def test_every_metric_is_on_the_page(url: str) -> None:
    httpx.get(f"{url}/healthz")
    text = httpx.get(f"{url}/metrics").text
    names = set(re.findall(r"# TYPE (skyjo_\w+)", text))
    assert len(names) >= 12
    for name in names:
        assert f"`{name}`" in PAGE, name


def test_labels_do_not_grow_with_what_people_send(url: str) -> None:
    before = len(counted(url))
    with httpx.Client(base_url=url) as http:
        for number in range(40):
            http.get(f"/t/AAAA{number:04}")
            http.get(f"/nothing/{number}")
            http.request(f"VERB{number}", "/")
            http.get(f"{API}/tables/{number}/x")
    found = counted(url)
    routes = {key[2] for key in found if key[0] == "skyjo_request_seconds_count"}
    assert len(routes) < 12
    # A method of somebody's own invention is one label, not forty.
    assert len(found) - before < 200


class Caller:
    def __init__(self, host: str, /, **headers: str) -> None:
        self.client = type("Address", (), {"host": host})
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


@pytest.mark.parametrize(
    ("caller", "networks", "may"),
    [
        (Caller("127.0.0.1"), (), True),
        (Caller("::1"), (), True),
        (Caller("192.0.2.1"), (), False),
        (Caller("127.0.0.1", x_forwarded_for="192.0.2.1"), (), False),
        (Caller("127.0.0.1", forwarded="for=192.0.2.1"), (), False),
        (Caller("127.0.0.1", x_forwarded_proto="https"), (), False),
        (Caller("127.0.0.1", x_real_ip="192.0.2.1"), (), False),
        (Caller("::ffff:127.0.0.1"), (), True),
        (Caller("::ffff:192.0.2.1"), (), False),
        (Caller("::ffff:192.0.2.1"), ("192.0.2.0/24",), True),
        (Caller("192.0.2.1"), ("192.0.2.0/24",), True),
        (Caller("testclient"), (), False),
    ],
)
def test_metrics_are_for_this_computer_and_who_is_named(
    caller: Any, networks: tuple[str, ...], may: bool
) -> None:
    assert is_watcher(caller, networks) is may


@pytest.mark.parametrize(
    ("host", "base_url", "may"),
    [
        ("play.example.org", "https://play.example.org", False),
        ("Play.Example.org:8443", "https://play.example.org:8443", False),
        ("127.0.0.1:8000", "https://play.example.org", True),
        ("localhost", "https://play.example.org", True),
        ("localhost:8000", "http://localhost:8000", True),
        ("[", "https://play.example.org", True),
        ("play.example.org", "", True),
    ],
)
def test_a_proxy_here_that_does_not_say_for_whom_it_asks_gets_no_metrics(
    host: str, base_url: str, may: bool
) -> None:
    caller: Any = Caller("127.0.0.1", host=host)
    assert is_watcher(caller, (), base_url) is may


@asynchronous
async def test_metrics_know_the_address_of_the_server() -> None:
    desk = Desk(base_url="http://table.example")
    async with desk.http(client=("127.0.0.1", 5000)) as http:
        assert (await http.get("/metrics")).status_code == 404
        here = await http.get("/metrics", headers={"host": "127.0.0.1:8000"})
        assert here.status_code == 200


@asynchronous
async def test_a_database_that_fails_makes_the_server_unwell_until_it_works_again() -> None:
    desk = Desk()
    metrics = desk.app.state.site.metrics

    class Failing:
        broken = True

        async def append(self, *_args: Any, **_options: Any) -> None:
            if self.broken:
                raise StoreError("disk full")

        async def heads(self, _ids: Any) -> list[Any]:
            return []

    failing = Failing()
    store = MeteredStore(failing, metrics)  # type: ignore[arg-type]
    desk.authority.store = store
    async with desk.http() as http:
        assert (await http.get("/healthz")).status_code == 200
        with pytest.raises(StoreError):
            await store.append("t", 1, 0.0, [], phase="playing")
        answer = await http.get("/healthz")
        assert (answer.status_code, answer.json()["database"]) == (503, "failing")
        failing.broken = False
        await store.append("t", 1, 0.0, [], phase="playing")
        assert (await http.get("/healthz")).status_code == 200


# --- logs --------------------------------------------------------------------------------------


@pytest.fixture
def written() -> Iterator[io.StringIO]:
    """Everything that ours would log, as JSON lines."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    logger = logging.getLogger("skyjo")
    level = logger.level
    logger.setLevel(logging.DEBUG)
    logger.addHandler(handler)
    yield stream
    logger.removeHandler(handler)
    logger.setLevel(level)


def test_no_secret_no_name_and_no_hidden_card_is_logged(written: io.StringIO) -> None:
    """Play with everything that there is, let the database fail under it, and read the log."""

    async def play() -> set[str]:
        desk = Desk()
        made = await desk.good("POST", "/tables", {"name": "Anastasia", "bots": ["any"]})
        token, code = made["token"], made["table"]["code"]
        ben = await desk.good("POST", f"/tables/{code}/join", {"name": "Benedikt"})
        link = (await desk.good("GET", f"/tables/{code}/link", token=token))["link"]
        await desk.good("POST", f"/tables/{code}/start", token=token)
        async with desk.http() as http:
            http._transport.raise_app_exceptions = False  # type: ignore[attr-defined]
            await http.get(link.removeprefix("http://table.example"))
            cookie = desk.app.state.site.sessions.signed("s" * 43)
            await http.get(f"/t/{code}", headers={"cookie": f"skyjo-x={cookie}"})

            async def fails(*args: Any, **_options: Any) -> None:
                raise StoreError("The database could not be used: {reason}", reason="full")

            desk.store.append = fails  # type: ignore[method-assign]
            seen = await desk.good("GET", f"/tables/{code}", token=ben["token"])
            body = {"seat": seen["acting"], "action": "reveal r0c0", "version": seen["version"]}
            answer = await desk.call("POST", f"/tables/{code}/act", body, token=ben["token"])
            assert answer.status_code == 503

            async def broken(*_args: Any, **_options: Any) -> None:
                raise RuntimeError("boom")

            desk.store.append = broken  # type: ignore[method-assign]
            await desk.authority.tick()
            desk.authority.record = broken  # type: ignore[assignment]
            await http.get(f"{API}/tables/{code}/record")
        secret = desk.app.state.site.sessions.value("api", token)
        return {
            token, ben["token"], code, secret, cookie, link.rpartition("/")[2],
            "Anastasia", "Benedikt", "192.0.2.1",
        }  # fmt: skip

    words = asyncio.run(play())
    text = written.getvalue()
    lines = [json.loads(line) for line in text.splitlines()]
    assert {line["logger"] for line in lines} >= {"skyjo.access", "skyjo.table.ticker"}
    assert any("traceback" in line for line in lines)
    for word in words:
        assert word not in text
    assert "deck" not in text


@asynchronous
async def test_sql_in_tracebacks_has_no_values(tmp_path: Path) -> None:
    """A failing statement is logged with its cause; its parameters are decks and secrets."""
    store = await open_store(f"sqlite:///{tmp_path / 'x.db'}")
    with sqlite3.connect(tmp_path / "x.db") as other:
        other.execute("DROP TABLE events")
    code, deck = ("SECRET" + letter for letter in "12")
    head = Head("t", code, "table", "lobby", 1, 0.0, 0.0)
    with pytest.raises(StoreError) as error:
        await store.create(head, [{"event": "dealt", "deck": deck}], frozenset())
    await store.close()
    text = "".join(traceback.format_exception(error.value))
    assert "no such table" in text
    assert code not in text
    assert deck not in text


def test_lines_for_people_and_for_programs() -> None:
    record = logging.makeLogRecord(
        {"name": "skyjo.access", "msg": "request", "levelname": "INFO", "created": 1.0,
         "fields": {"route": "table.act", "ms": 2.5}}
    )  # fmt: skip
    assert json.loads(JsonLines().format(record))["route"] == "table.act"
    assert TextLines().format(record).endswith("request route=table.act ms=2.5")


@pytest.mark.parametrize("kind", ["json", "text", "quiet"])
def test_the_server_writes_the_lines_that_were_asked_for(tmp_path: Path, kind: str) -> None:
    with Process(tmp_path, "--host", "127.0.0.1", "--port", "0", "--log", kind) as server:
        url = server.ready()
        httpx.get(f"{url}/t/ABCDEFGH/seat/verysecretlink")
        server.stop()
        output = server.output
    assert ("table.personal_link" in output) is (kind != "quiet")
    assert "verysecretlink" not in output
    assert "ABCDEFGH" not in output
    if kind == "json":
        lines = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
        assert {"time", "level", "logger", "message", "method", "route", "status", "ms"} <= set(
            lines[-1]
        )


def test_what_strangers_send_does_not_fill_the_log(tmp_path: Path) -> None:
    arguments = ("--host", "127.0.0.1", "--port", "0", "--log", "text")
    with Process(tmp_path, *arguments) as server:
        url = server.ready()
        host, port = url.removeprefix("http://").split(":")
        for nonsense in (b"GARBAGE\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n"):
            with socket.create_connection((host, int(port)), timeout=PATIENCE) as connection:
                connection.sendall(nonsense)
                while connection.recv(65536):
                    pass
        address = f"{url}{API}/tables/AAAA1111/live".replace("http", "ws", 1)
        with pytest.raises(InvalidStatus):
            connect(address)
        assert httpx.get(f"{url}/robots.txt", timeout=PATIENCE).status_code == 200
        wait_for(lambda: "status=200" in server.output, "the line about the request")
        lines = [line for line in server.output.splitlines() if "skyjo.access" not in line]
        assert not [line for line in lines if "error" in line or "warning" in line], lines


def test_what_is_said_thousands_of_times_is_written_seldom() -> None:
    seldom = Seldom("no files", seconds=60.0)

    def passes(message: str, at: float) -> bool:
        entry = logging.makeLogRecord({"msg": message, "created": at})
        return bool(seldom.filter(entry))

    told = [passes("no files left", at) for at in (100.0, 100.1, 159.0, 160.0, 161.0)]
    assert told == [True, False, False, True, False]
    assert passes("something else", 161.0)
