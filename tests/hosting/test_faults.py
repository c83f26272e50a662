"""A full disk, a locked database, connections that are slow, silent, or many.

What happens under each fault is told in docs/hosting.md; here it is made to happen.
"""

from __future__ import annotations

import resource
import socket
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from tests.kit.programs import API
from tests.web.conftest import QUICK, quick_app
from tests.web.harness import PATIENCE, Process, in_thread, wait_for
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from skyjo.cli.serve import bound
from skyjo.client import Client, Seat, ServerError, Table
from skyjo.web import connections, security
from skyjo.web.app import Application
from skyjo.web.connections import (
    GONE_AFTER,
    LightSocketProtocol,
    PatientProtocol,
    Places,
    notice_who_vanishes,
)

linux = pytest.mark.skipif(sys.platform != "linux", reason="needs the limits of a running process")


def act(seat: Seat) -> Table:
    table: Any = wait_for(lambda: (seen := seat.look()).legal and seen, "a turn")
    return seat.act(table.legal[0], table)


@contextmanager
def served(app: Application, *, send_buffer: int = 0, **options: Any) -> Iterator[str]:
    """As ``skyjo serve`` serves it, from a thread."""
    listener = bound("127.0.0.1", 0)
    if send_buffer:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, send_buffer)
    notice_who_vanishes(listener)
    config = uvicorn.Config(
        app, log_level="error", access_log=False, proxy_headers=False, http=PatientProtocol,
        ws=LightSocketProtocol, timeout_graceful_shutdown=1, ws_max_size=4096, **options,
    )  # fmt: skip
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    wait_for(lambda: server.started, "the server in a thread")
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        app.state.site.closing.set()
        server.should_exit = True
        thread.join(PATIENCE)


# --- the disk ----------------------------------------------------------------------------------


@linux
def test_a_full_disk_is_a_clear_error_and_the_game_goes_on_when_there_is_room(
    tmp_path: Path,
) -> None:
    """The process may write no file beyond its present size, as on a disk without room."""
    with (
        Process(tmp_path, "--host", "127.0.0.1", "--port", "0", "--log", "json") as server,
        Client(server.ready()) as client,
    ):
        seat = client.create("Ana", bots=["greedy"], pace="none", start=True)
        pid = server.process.pid
        act(seat)
        before = seat.look()
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
        for _ in range(3):
            with pytest.raises(ServerError, match="Nothing is lost") as error:
                act(seat)
            assert (error.value.code, error.value.status) == ("store", 503)
        health = httpx.get(f"{server.url}/healthz")
        assert (health.status_code, health.json()["database"]) == (503, "failing")
        page = httpx.post(f"{server.url}/tables", data={"name": "Ben"})
        assert page.status_code == 503
        assert "Nothing is lost" in page.text
        assert seat.look().recent == before.recent, "nothing was shown that is not stored"
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        act(seat)
        act(seat)
        assert httpx.get(f"{server.url}/healthz").status_code == 200
        assert client.create("Ben").look().code
        shown = seat.look()
        server.kill()
        assert "full" in server.output or "disk I/O" in server.output, "the log says what it was"
    with (
        Process(tmp_path, "--host", "127.0.0.1", "--port", "0") as server,
        Client(server.ready()) as client,
    ):
        again = client.seat(seat.table, seat.token).look()
        assert again.version >= shown.version
        assert again.recent[: len(shown.recent)] or again.recent
    with sqlite3.connect(tmp_path / "skyjo.sqlite3") as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        torn = database.execute(
            "SELECT count(*) FROM tables WHERE version != "
            "(SELECT count(*) FROM events WHERE table_id = tables.id)"
        ).fetchone()
        assert torn == (0,), "no table has half of what was written"


def test_a_locked_database_is_a_clear_error_for_all_at_once_and_then_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("skyjo.store.sql.BUSY_TIMEOUT", 1.0)
    with in_thread(quick_app(tmp_path)) as url, Client(url) as client:
        seats = [client.create("Ana", bots=["greedy"], pace="none", start=True) for _ in range(6)]
        for seat in seats:
            wait_for(lambda seat=seat: seat.look().legal, "a turn")  # type: ignore[misc]
        other = sqlite3.connect(tmp_path / "skyjo.sqlite3", isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        answers: list[str] = []

        def one(seat: Seat) -> None:
            table = seat.look()
            try:
                with Client(url) as own:
                    own.seat(seat.table, seat.token).act(table.legal[0], table)
                answers.append("done")
            except ServerError as error:
                answers.append(error.code)

        since = time.monotonic()
        threads = [threading.Thread(target=one, args=(seat,)) for seat in seats]
        for thread in threads:
            thread.start()
        assert httpx.get(f"{url}/").status_code == 200, "reading goes on meanwhile"
        for thread in threads:
            thread.join(PATIENCE)
        assert answers == ["store"] * 6
        # Who waits does not wait one after the other: two transactions at the most.
        assert time.monotonic() - since < 30
        versions = [seat.look().version for seat in seats]
        other.execute("ROLLBACK")
        other.close()
        for seat, version in zip(seats, versions, strict=True):
            assert act(seat).version > version


def test_a_lock_that_is_short_is_not_noticed(tmp_path: Path) -> None:
    with in_thread(quick_app(tmp_path)) as url, Client(url) as client:
        seat = client.create("Ana", bots=["greedy"], pace="none", start=True)
        other = sqlite3.connect(
            tmp_path / "skyjo.sqlite3", isolation_level=None, check_same_thread=False
        )
        other.execute("BEGIN IMMEDIATE")
        timer = threading.Timer(1.0, lambda: other.execute("ROLLBACK"))
        timer.start()
        act(seat)
        timer.join()
        other.close()


# --- connections -------------------------------------------------------------------------------


def raw(url: str, text: str = "", *, receive_buffer: int = 0) -> socket.socket:
    """A connection on which somebody has said this so far."""
    host, port = url.removeprefix("http://").split(":")
    made = socket.socket()
    if receive_buffer:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    made.settimeout(PATIENCE)
    made.connect((host, int(port)))
    made.sendall(text.encode())
    return made


def rest(connection: socket.socket) -> bytes:
    """All that is said until the server has closed."""
    heard = b""
    try:
        while more := connection.recv(65536):
            heard += more
    except ConnectionResetError:
        pass
    return heard


def exactly(connection: socket.socket, count: int) -> bytes:
    """The next bytes, in however many pieces they come."""
    heard = b""
    while len(heard) < count and (more := connection.recv(count - len(heard))):
        heard += more
    return heard


def is_ended(connection: socket.socket) -> bool:
    """Whether the server has ended a connection without an answer."""
    return not rest(connection)


def test_one_address_does_not_take_all_connections(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PatientProtocol, "places", Places(1000, each=3))
    with served(quick_app(tmp_path)) as url, Client(url) as client, ExitStack() as stack:
        seat = client.create("Ana")
        client.close()
        # WebSockets have a limit of their own.
        programs = [stack.enter_context(live(url, seat)) for _ in range(5)]
        for program in programs:
            assert program.recv(timeout=PATIENCE)
        wait_for(lambda: _fits(url), "the place of the first request")
        mine = [stack.enter_context(raw(url)) for _ in range(3)]
        with raw(url) as more:
            assert is_ended(more)
        mine.pop().close()
        wait_for(lambda: _fits(url), "a place that is free again")


def _fits(url: str) -> bool:
    """Whether there is room for one more connection."""
    try:
        return httpx.get(f"{url}/robots.txt", timeout=PATIENCE).status_code == 200
    except httpx.TransportError:
        return False


def test_all_connections_together_have_a_limit_proxies_or_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PatientProtocol, "places", Places(4, each=1, proxies=("127.0.0.0/8",)))
    with served(quick_app(tmp_path)) as url, ExitStack() as stack:
        for _ in range(4):
            stack.enter_context(raw(url))
        with raw(url) as more:
            assert is_ended(more)
        stack.close()
        wait_for(lambda: _fits(url), "room again")


@linux
def test_without_files_for_more_connections_the_log_stays_small(tmp_path: Path) -> None:
    with Process(tmp_path, "--host", "127.0.0.1", "--port", "0") as server:
        url = server.ready()
        before = resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE)
        with ExitStack() as stack:
            # From now on there is no file for any connection more.
            resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (10, before[1]))
            for _ in range(50):
                stack.enter_context(raw(url, "GET /robots.txt HTTP/1.1\r\nhost: x\r\n\r\n"))
            wait_for(lambda: "out of system resource" in server.output, "a line about it")
            time.sleep(2.5)  # it tries once a second
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, before)
        wait_for(lambda: _fits(url), "an answer")
        assert server.output.count("out of system resource") == 1


@pytest.mark.parametrize(
    "said",
    [
        "",
        "GET / HT",
        "GET / HTTP/1.1\r\nhost: x\r\n",
        "GET /robots.txt HTTP/1.1\r\nhost: x\r\n\r\nGET",
    ],
    ids=["nothing", "half a line", "half a head", "half of the next"],
)
def test_who_does_not_say_what_they_want_is_let_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    monkeypatch.setattr(connections, "HEAD_WITHIN", 0.5)
    with served(quick_app(tmp_path), timeout_keep_alive=1) as url, raw(url, said) as connection:
        rest(connection)


def test_who_speaks_in_time_is_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_WITHIN", 2.0)
    with served(quick_app(tmp_path)) as url, raw(url) as connection:
        for part in ("GET /robots", ".txt HTTP/1.1\r\n", "host: x\r\n\r\n"):
            time.sleep(0.2)
            connection.sendall(part.encode())
        assert exactly(connection, 12) == b"HTTP/1.1 200"


def test_streams_are_not_taken_for_silent_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "HEAD_WITHIN", 3.0)
    monkeypatch.setattr(security, "BODY_WITHIN", 3.0)
    with served(quick_app(tmp_path)) as url, Client(url) as client:
        seat = client.create("Ana")
        path = f"{url}{API}/tables/{seat.table}"
        with httpx.stream("GET", f"{path}/events", timeout=PATIENCE) as stream:
            lines = stream.iter_lines()
            seen = seat.watch()
            next(seen)
            time.sleep(4.0)
            client.join(seat.table, "Ben")
            assert len(next(seen).seats) == 2
            while '"Ben"' not in next(lines):
                pass
            seen.close()


def test_a_body_that_does_not_come_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(security, "BODY_WITHIN", 0.5)
    head = (
        f"POST {API}/tables HTTP/1.1\r\nhost: x\r\n"
        "content-type: application/json\r\ncontent-length: 100\r\n\r\n{"
    )
    with served(quick_app(tmp_path)) as url, raw(url, head) as connection:
        answer = rest(connection).decode()
        assert answer.startswith("HTTP/1.1 408")
        assert '"too_slow"' in answer


@linux
def test_the_system_is_asked_to_notice_who_vanishes() -> None:
    """What is set on the listener holds for what it accepts."""
    listener = bound("127.0.0.1", 0)
    notice_who_vanishes(listener)
    with listener, socket.create_connection(listener.getsockname()):
        accepted, _address = listener.accept()
        with accepted:
            of = accepted.getsockopt
            assert of(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
            timeout = of(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT)
            assert timeout == GONE_AFTER * 1000
            probes = of(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL) * of(
                socket.IPPROTO_TCP, socket.TCP_KEEPCNT
            )
            assert of(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) + probes <= GONE_AFTER


def live(url: str, seat: Seat, **options: Any) -> ClientConnection:
    address = f"{url}{API}/tables/{seat.table}/live".replace("http", "ws", 1)
    headers = {"authorization": f"Bearer {seat.token}"}
    return connect(address, additional_headers=headers, open_timeout=PATIENCE, **options)


def test_a_half_open_websocket_is_noticed_and_the_seat_is_away(tmp_path: Path) -> None:
    """Somebody's network is gone: nothing is closed, but no ping is answered any more."""
    app = quick_app(tmp_path, table=type(QUICK)(paces=QUICK.paces, away_after=0.5))
    with (
        served(app, ws_ping_interval=0.3, ws_ping_timeout=0.3) as url,
        Client(url) as client,
    ):
        ana = client.create("Ana")
        ben = client.join(ana.table, "Ben")
        seen = ana.watch()
        headers = {
            "host": "x", "upgrade": "websocket", "connection": "Upgrade",
            "sec-websocket-version": "13", "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
            "authorization": f"Bearer {ben.token}",
        }  # fmt: skip
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        path = f"{API}/tables/{ana.table}/live"
        with raw(url, f"GET {path} HTTP/1.1\r\n{head}\r\n") as silent:
            assert exactly(silent, 12) == b"HTTP/1.1 101"
            for table in seen:
                if table.seats[1].away_since is not None:
                    break
        seen.close()


def test_a_program_that_does_not_read_delays_nobody_and_costs_no_memory(tmp_path: Path) -> None:
    with served(quick_app(tmp_path), send_buffer=4096) as url, Client(url) as client:
        ana = client.create("Ana", pace="none")
        request = f"GET {API}/tables/{ana.table}/events HTTP/1.1\r\nhost: x\r\n\r\n"
        with (
            raw(url, handshake(ana.table), receive_buffer=4096) as socket_,
            raw(url, request, receive_buffer=4096) as stream,
        ):
            seen = ana.look()
            for number in range(400):
                seen = ana.command("rename", seat=0, name=f"Ana {number}", version=seen.version)
            # Whoever reads at last gets what is true now, not four hundred old tables.
            newest = f'"version":{seen.version},'.encode()
            for slow in (socket_, stream):
                heard = b""
                while newest not in heard:
                    heard += slow.recv(65536)
                assert heard.count(b'"version":') < 300


def test_a_thousand_idle_sockets_leave_the_table_quick(tmp_path: Path) -> None:
    connections.allow_many_files()
    with served(quick_app(tmp_path)) as url, Client(url) as client, ExitStack() as stack:
        seat = client.create("Ana", bots=["greedy"], pace="none", start=True)
        onlookers = [stack.enter_context(raw(url, handshake(seat.table))) for _ in range(1000)]
        for each in onlookers[::100]:
            assert exactly(each, 12) == b"HTTP/1.1 101"
        for _ in range(200):
            stack.enter_context(raw(url))
        act(seat)
        act(seat)
        wait_for(lambda: sockets(url) == 1000, "everybody to be here")
        stack.close()
        wait_for(lambda: sockets(url) == 0, "everybody to be gone")
        act(seat)


def sockets(url: str) -> int:
    """How many WebSockets the server counts."""
    metrics = httpx.get(f"{url}/metrics", timeout=PATIENCE).text
    return int(metrics.partition('skyjo_connections{kind="websocket"} ')[2].partition(".")[0])


def handshake(code: str) -> str:
    return (
        f"GET {API}/tables/{code}/live HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\n"
        "connection: Upgrade\r\nsec-websocket-version: 13\r\n"
        "sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )


def test_a_deleted_table_ends_the_connections_to_it(tmp_path: Path) -> None:
    with served(quick_app(tmp_path)) as url, Client(url) as client:
        seat = client.create("Ana")
        with live(url, seat) as program:
            program.recv(timeout=PATIENCE)
            seat.delete()
            with pytest.raises(ConnectionClosed) as error:
                listen_for_ever(program.recv)
        assert error.value.rcvd is not None
        assert error.value.rcvd.code == 1008


def listen_for_ever(hear: Callable[..., object]) -> None:
    while True:
        hear(timeout=PATIENCE)
