"""Boards that arrive by themselves: WebSocket, and server-sent events for who has none."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from tests.kit.programs import API
from tests.web.conftest import QUICK, quick_app
from tests.web.forms import Page
from tests.web.harness import PATIENCE, Person, in_thread
from tests.web.test_pad_pages import begin
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from skyjo.table.errors import StoreError
from skyjo.table.ports import Stored

Visitor = Callable[..., Person]


@contextmanager
def live(person: Person, path: str, **headers: str) -> Iterator[ClientConnection]:
    """A person's WebSocket at a table, under the name by which they know the server."""
    cookies = "; ".join(f"{name}={value}" for name, value in person.http.cookies.items())
    sent = {
        "cookie": cookies,
        "accept-language": person.http.headers["accept-language"],
        "origin": person.http.headers["origin"],
        **headers,
    }
    host, port = person.url.removeprefix("http://").split(":")
    name = person.http.headers.get("host", f"{host}:{port}")
    with connect(
        f"ws://{name}{path}/ws",
        sock=socket.create_connection((host, int(port)), timeout=PATIENCE),
        origin=Origin(sent.pop("origin")),
        additional_headers=sent,
        open_timeout=PATIENCE,
    ) as opened:
        yield opened


def board(opened: ClientConnection) -> str:
    message = opened.recv(timeout=PATIENCE)
    assert isinstance(message, str)
    return message


def read_to_the_end(opened: ClientConnection) -> None:
    while True:
        board(opened)


def version_of(html: str) -> int:
    found = re.search(r'data-version="(\d+)"', html)
    assert found, html[:200]
    return int(found[1])


def two_people(visitor: Visitor) -> tuple[Person, Person, str]:
    ana, ben = visitor(), visitor()
    path = ana.make("Ana")
    ben.join(path, "Ben")
    return ana, ben, path


def move(person: Person, path: str) -> None:
    act = person.page(path).form("/act")
    answer = person.post(act.action, {**act.fields, "action": act.values()[0]})
    assert answer.status_code == 303


def test_the_whole_board_comes_at_once_and_after_every_change(visitor: Visitor) -> None:
    ana, ben, path = two_people(visitor)
    with live(ana, path) as hers, live(ben, path) as his:
        assert 'class="qr"' in board(hers)
        board(his)
        ana.post(f"{path}/start")
        first = board(his)
        assert Page(first).may_act()
        move(ben, path)
        assert version_of(board(his)) > version_of(first)


def test_every_socket_speaks_the_language_of_its_page(visitor: Visitor) -> None:
    ana, ben = visitor(**{"accept-language": "uk"}), visitor(**{"accept-language": "en"})
    path = ana.make("Ana")
    ben.join(path, "Ben")
    ana.post("/settings", {"lang": "de"})
    with live(ana, path) as hers, live(ben, path, **{"accept-language": "fr"}) as his:
        texts = [board(hers), board(his)]
        ana.post(f"{path}/start")
        # What comes first may still be that the other one is there.
        for opened in (hers, his):
            while 'id="play"' not in (text := board(opened)):
                pass
            texts.append(text)
    german, french = texts[0] + texts[2], texts[1] + texts[3]
    assert "Deutsch" in german
    assert 'value="de" lang="de" aria-current="true"' in german
    assert 'value="fr" lang="fr" aria-current="true"' in french


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1"])
def test_pages_of_other_sites_get_no_socket(visitor: Visitor, origin: str) -> None:
    ana = visitor()
    path = ana.make("Ana")
    with pytest.raises(InvalidStatus) as refused, live(ana, path, origin=origin):
        pass
    assert refused.value.response.status_code == 403


def test_a_table_that_is_not_there_ends_the_socket_for_good(visitor: Visitor) -> None:
    with live(visitor(), "/t/ABCDEFGH") as opened, pytest.raises(ConnectionClosed) as closed:
        board(opened)
    assert closed.value.rcvd
    assert closed.value.rcvd.code == 1008


@pytest.mark.parametrize("message", ["{}", "x" * 4000, b"\x00\xff" * 100, ""])
def test_a_socket_that_talks_is_none_of_ours(visitor: Visitor, message: str | bytes) -> None:
    ana = visitor()
    path = ana.make("Ana")
    with live(ana, path) as opened:
        board(opened)
        opened.send(message)
        with pytest.raises(ConnectionClosed) as closed:
            board(opened)
    assert closed.value.rcvd
    assert closed.value.rcvd.code == 1008
    assert ana.get(path).status_code == 200


def test_a_message_beyond_the_limit_ends_the_socket(visitor: Visitor) -> None:
    ana = visitor()
    path = ana.make("Ana")
    with live(ana, path) as opened:
        board(opened)
        with suppress(ConnectionClosed):
            opened.send("x" * 1_000_000)
        with pytest.raises(ConnectionClosed):
            board(opened)
    assert ana.get(path).status_code == 200


def test_onlookers_see_it_live(visitor: Visitor) -> None:
    ana, ben, path = two_people(visitor)
    ana.post(f"{path}/start")
    with live(visitor(), path) as opened:
        first = board(opened)
        assert not Page(first).may_act()
        move(ben, path)
        assert version_of(board(opened)) > version_of(first)


def test_a_slow_reader_delays_nobody(tmp_path: Path) -> None:
    """Somebody takes nothing from the socket until all buffers are full; the others go on."""
    with (
        in_thread(quick_app(tmp_path), send_buffer=4096) as url,
        Person(url) as ana,
        Person(url) as ben,
    ):
        path = ana.make("Ana")
        ben.join(path, "Ben")
        _rename_while_somebody_is_slow(ana, ben, path)


def _rename_while_somebody_is_slow(ana: Person, ben: Person, path: str) -> None:
    host, port = ana.url.removeprefix("http://").split(":")
    with socket.socket() as slow, live(ben, path) as his:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        slow.connect((host, int(port)))
        slow.sendall(
            f"GET {path}/ws HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            f"Sec-WebSocket-Key: {'A' * 22}==\r\nCookie: "
            f"{'; '.join(f'{name}={value}' for name, value in ana.http.cookies.items())}"
            "\r\n\r\n".encode()
        )
        assert slow.recv(12) == b"HTTP/1.1 101"
        board(his)
        sent = 0
        while sent < 1_000_000:  # many times what fits into all buffers
            version = ana.version(path)
            answer = ana.post(
                f"{path}/rename", {"seat": 0, "version": version, "name": f"Ana {version}"}
            )
            assert answer.status_code == 303
            html = board(his)
            assert version_of(html) > version
            sent += len(html)


def test_who_is_away_is_shown_and_comes_back(tmp_path: Path) -> None:
    table = replace(QUICK, away_after=0.2)
    with in_thread(quick_app(tmp_path, table=table)) as url, Person(url) as ana, Person(url) as ben:
        path = ana.make("Ana")
        ben.join(path, "Ben")
        ana.post(f"{path}/start")
        with live(ben, path) as his:
            with live(ana, path) as hers:
                board(hers)
                while 'class="mark away"' in board(his):
                    pass
            while 'class="mark away"' not in board(his):
                pass
            with live(ana, path):
                while 'class="mark away"' in board(his):
                    pass


def test_pages_come_back_by_themselves_when_the_database_works_again(tmp_path: Path) -> None:
    """A socket that closes with 1008 is not made again, one that closes with 1011 is."""
    app = quick_app(tmp_path)
    with in_thread(app) as url, Person(url) as ana:
        table = ana.play()
        pad = begin(ana, "Ana", "Ben")
        watched = re.search(r"/pad/watch/[\w.-]+", ana.get(f"{pad}/share").text)
        assert watched
        app.state.site.authority.presents.by_code.clear()
        store = app.state.site.pads.store
        works = store.find, store.heads

        async def fails(*_: object) -> None:
            raise StoreError("the disk is gone")

        for fault, code in ((fails, 1011), (None, 0)):
            store.find, store.heads = (fault, fault) if fault else works
            for path in (table, pad, watched[0]):
                with live(ana, path) as seen:
                    if not code:
                        assert board(seen)
                        continue
                    with pytest.raises(ConnectionClosed) as closed:
                        board(seen)
                    assert closed.value.rcvd
                    assert closed.value.rcvd.code == code
        for path in ("/t/AAAAAAAA", "/pad/AAAAAAAA", "/pad/watch/nonsense"):
            with live(ana, path) as seen, pytest.raises(ConnectionClosed) as closed:
                board(seen)
            assert closed.value.rcvd
            assert closed.value.rcvd.code == 1008


# --- server-sent events ---------------------------------------------------------------------


def events(answer: httpx.Response) -> Iterator[str]:
    """The data of every event of a stream."""
    data: list[str] = []
    for line in answer.iter_lines():
        if line.startswith("data: "):
            data.append(line.removeprefix("data: "))
        elif not line and data:
            yield "\n".join(data)
            data = []


def test_the_same_boards_come_as_server_sent_events(visitor: Visitor) -> None:
    ana, ben, path = two_people(visitor)
    ana.post(f"{path}/start")
    with ben.http.stream("GET", f"{path}/events") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert "content-encoding" not in answer.headers
        boards = events(answer)
        first = next(boards)
        with live(ben, path) as his:
            assert board(his) == first
        # While this one waits somebody moves, on a connection of their own.
        moving = threading.Timer(0.1, move, (ben, path))
        moving.start()
        assert version_of(next(boards)) > version_of(first)
        moving.join()


def test_events_of_a_table_that_is_not_there(visitor: Visitor) -> None:
    assert visitor().get("/t/ABCDEFGH/events").status_code == 404
    assert visitor().http.head("/t/ABCDEFGH/events").status_code in (404, 405)


def test_a_stream_ends_when_the_database_fails_and_is_there_again_later(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    app = quick_app(tmp_path)
    with in_thread(app) as url, Person(url) as ana, Person(url) as ben:
        code = ana.play().rpartition("/")[2]
        presents = app.state.site.authority.presents
        store = presents.store
        works = store.events

        async def fails(*_: object) -> list[Stored]:
            raise StoreError("the disk is gone")

        for path in (f"/t/{code}/events", f"{API}/tables/{code}/events"):
            for live_table in list(presents.lives.values()):
                presents.forget(live_table)
            store.events = fails
            for person in (ana, ben):
                assert person.get(path).text in ("", "retry: 1000\n\n")
            store.events = works
            with ana.http.stream("GET", path) as answer:
                assert len(next(events(answer))) > 100
    assert not caplog.records


def test_the_head_of_a_stream_is_an_answer_that_ends(visitor: Visitor) -> None:
    """Whoever asks for it reads nothing, so that their connection has to be free again."""
    ana = visitor()
    code = ana.play().rpartition("/")[2]
    for path in (f"/t/{code}/events", f"{API}/tables/{code}/events"):
        address = urlsplit(ana.url)
        assert address.hostname
        with socket.create_connection((address.hostname, address.port), PATIENCE) as line:
            asked = "".join(
                f"{method} {each} HTTP/1.1\r\nhost: x\r\n\r\n"
                for method, each in (("HEAD", path), ("GET", "/healthz"))
            )
            line.sendall(asked.encode())
            heard = b""
            while b'"status"' not in heard:
                part = line.recv(65536)
                assert part, heard
                heard += part
        assert heard.startswith(b"HTTP/1.1 200")
        assert b"text/event-stream" in heard
        assert heard.count(b"HTTP/1.1 ") == 2


def test_the_server_ends_quickly_with_open_streams(tmp_path: Path) -> None:
    with in_thread(quick_app(tmp_path)) as url:
        ana = Person(url)
        path = ana.play(1)
        sockets = [live(ana, path) for _ in range(3)]
        opened = [each.__enter__() for each in sockets]
        for each in opened:
            board(each)
        stream = ana.http.stream("GET", f"{path}/events")
        answer = stream.__enter__()
        next(events(answer))
    for each in opened:
        with pytest.raises(ConnectionClosed) as closed:
            read_to_the_end(each)
        assert closed.value.rcvd
        assert closed.value.rcvd.code in (1001, 1012), "the page comes back by itself"
    ana.http.close()
