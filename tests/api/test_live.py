"""Live events over real connections: WebSocket and server-sent events."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.web.conftest import quick_app
from tests.web.harness import PATIENCE, in_thread
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from skyjo.web.limits import Limits
from skyjo.web.throttle import Rate

API = "/api/v1"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with in_thread(quick_app(tmp_path_factory.mktemp("api"))) as address:
        yield address


class Program:
    """A program with a token and a table."""

    def __init__(self, url: str, **values: Any) -> None:
        self.url = url
        made = httpx.post(f"{url}{API}/tables", json={"name": "Ana", **values}).json()
        self.token, self.code = made["token"], made["table"]["code"]

    @property
    def headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.token}"}

    @property
    def path(self) -> str:
        return f"{self.url}{API}/tables/{self.code}"

    def look(self) -> Any:
        return httpx.get(self.path, headers=self.headers).json()

    @contextmanager
    def socket(self, token: str | None = None) -> Iterator[ClientConnection]:
        headers = self.headers if token is None else {"authorization": token} if token else {}
        address = f"{self.path}/live".replace("http", "ws", 1)
        with connect(address, additional_headers=headers, open_timeout=PATIENCE) as socket:
            yield socket


def hear(socket: ClientConnection, kind: str) -> Any:
    """The next message of a kind."""
    while True:
        message = json.loads(socket.recv(timeout=PATIENCE))
        if message["type"] == kind:
            return message


def code_of_the_end(socket: ClientConnection) -> int | None:
    """Listen until the server closes; the code with which it does."""
    try:
        while True:
            socket.recv(timeout=PATIENCE)
    except ConnectionClosed as error:
        return error.rcvd.code if error.rcvd else None


def test_a_whole_game_over_one_socket(url: str) -> None:
    program = Program(
        url, bots=["greedy", "random"], start=True, pace="none", ruleset="official max_rounds=1"
    )
    rng = random.Random(1)
    with program.socket() as socket:
        table = hear(socket, "table")["table"]
        number = 0
        while table["phase"] != "over":
            if table["acting"] is None:
                table = hear(socket, "table")["table"]
                continue
            number += 1
            command = {
                "id": number,
                "command": "act",
                "seat": table["acting"],
                "action": rng.choice(table["legal"]),
                "version": table["version"],
            }
            socket.send(json.dumps(command))
            done = hear(socket, "done")
            assert done["id"] == number
            while table["version"] < done["version"]:
                table = hear(socket, "table")["table"]
    assert number > 5
    assert program.look()["sheet"]["winners"]


def test_what_somebody_else_does_is_told(url: str) -> None:
    program = Program(url)
    with program.socket() as socket, program.socket("") as onlooker:
        assert hear(socket, "table")["table"]["mine"] == [0]
        assert hear(onlooker, "table")["table"]["onlooker"]
        httpx.post(f"{program.path}/join", json={"name": "Ben"})
        for each in (socket, onlooker):
            while [seat["name"] for seat in hear(each, "table")["table"]["seats"]] != [
                "Ana",
                "Ben",
            ]:
                pass


def test_every_mistake_is_answered_and_the_socket_stays(url: str) -> None:
    program = Program(url, bots=["greedy"], start=True)
    act = {"command": "act", "seat": 0, "action": "reveal r0c0", "version": 4}
    wrong: list[tuple[Any, str, Any]] = [
        ("", "malformed", None),
        ("no json", "malformed", None),
        ("[]", "malformed", None),
        ("[" * 4000, "malformed", None),
        ('{"id": ' + "9" * 4000 + "}", "malformed", None),
        (b"bytes", "malformed", None),
        ({}, "malformed", None),
        ({"command": 7, "id": 3}, "malformed", 3),
        ({"command": "fly", "id": "x"}, "malformed", "x"),
        ({"command": "act", "id": [1]}, "malformed", None),
        ({"command": "act", "id": 1.5}, "malformed", None),
        ({"command": "act", "id": "i" * 101}, "malformed", None),
        ({"command": "act", "id": "\ud800"}, "malformed", "?"),
        ({**act, "seat": 9}, "malformed", None),
        ({**act, "more": 1}, "malformed", None),
        ({**act, "action": "fly"}, "malformed", None),
        ({**act, "seat": 1, "id": 5}, "not_your_seat", 5),
        ({**act, "version": 0, "id": 6}, "stale", 6),
        ({"command": "ready", "seat": 0, "version": 99}, "stale", None),
        ({"command": "start"}, "already_started", None),
    ]
    with program.socket() as socket:
        before = hear(socket, "table")["table"]["version"]
        for message, code, label in wrong:
            raw = message if isinstance(message, str | bytes) else json.dumps(message)
            socket.send(raw)
            answer = hear(socket, "error")
            assert (answer["error"]["code"], answer["id"]) == (code, label), message
            # A sentence, not a name of a field and a type.
            assert len(answer["error"]["message"].split()) > 2, answer
        socket.send(json.dumps({**act, "action": "draw", "version": before}))
        assert hear(socket, "error")["error"]["kind"] == "illegal"
    assert all(ply["seat"] == 1 for ply in program.look()["recent"])


def test_a_socket_without_a_seat_may_only_look(url: str) -> None:
    program = Program(url, bots=["greedy"], start=True)
    with program.socket("") as socket:
        seen = hear(socket, "table")["table"]
        assert seen["onlooker"]
        act = {"command": "act", "seat": 0, "action": "reveal r0c0", "version": seen["version"]}
        socket.send(json.dumps(act))
        assert hear(socket, "error")["error"]["code"] == "no_token"


def test_a_refused_socket_says_why(url: str) -> None:
    program = Program(url)
    with pytest.raises(InvalidStatus) as error, program.socket("Bearer x"):
        pass
    assert error.value.response.status_code == 401
    assert json.loads(error.value.response.body)["error"]["code"] == "bad_token"
    program.code = "ABCDEFGH"
    with pytest.raises(InvalidStatus) as error, program.socket(""):
        pass
    assert json.loads(error.value.response.body)["error"]["code"] == "unknown_table"


def test_pages_elsewhere_get_no_socket(url: str) -> None:
    program = Program(url)
    address = f"{program.path}/live".replace("http", "ws", 1)
    with (
        pytest.raises(InvalidStatus),
        connect(address, additional_headers={"origin": "https://evil.example"}),
    ):
        pass


def test_messages_that_are_too_long_end_the_socket(url: str) -> None:
    program = Program(url)
    with program.socket() as socket:
        socket.send("x" * 5000)
        assert code_of_the_end(socket) == 1009


def test_haste_is_refused_and_persistent_haste_cut_off(tmp_path: Path) -> None:
    app = quick_app(tmp_path)
    limiter = app.state.site.limiter
    limiter.limits = Limits(messages=Rate(5, 60.0))
    with in_thread(app) as address:
        program = Program(address)
        with program.socket() as socket:
            for _ in range(5):
                socket.send("{}")
                assert hear(socket, "error")["error"]["code"] == "malformed"
            for sent, label in ('{"id": 6}', 6), ("no json", None):
                socket.send(sent)
                answer = hear(socket, "error")
                assert (answer["error"]["code"], answer["id"]) == ("too_many", label)
            with suppress(ConnectionClosed):
                for _ in range(200):
                    socket.send("{}")
            assert code_of_the_end(socket) == 1008


def test_server_sent_events(url: str) -> None:
    program = Program(url)
    with httpx.stream(
        "GET", f"{program.path}/events", headers=program.headers, timeout=PATIENCE
    ) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        assert stream.headers["cache-control"] == "no-store"
        lines = stream.iter_lines()
        seen = next_event(lines)
        assert seen == {**program.look(), "now": seen["now"]}
        httpx.post(f"{program.path}/join", json={"name": "Ben"})
        while len(next_event(lines)["seats"]) == 1:
            pass


def next_event(lines: Iterator[str]) -> Any:
    for line in lines:
        if line.startswith("data: "):
            return json.loads(line.removeprefix("data: "))
    raise AssertionError("the stream has ended")


def test_the_end_of_the_server_is_told_so_that_programs_come_back(tmp_path: Path) -> None:
    app = quick_app(tmp_path)
    with in_thread(app) as address:
        program = Program(address)
        with program.socket() as socket:
            hear(socket, "table")
            app.state.site.closing.set()  # the server's loop looks up ten times a second
            assert code_of_the_end(socket) == 1001
