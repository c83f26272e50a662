"""What a school behind one address may do, and an abuser may not."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import fields
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import ROOT
from tests.kit.programs import API, Desk
from tests.kit.tables import asynchronous
from tests.web.conftest import quick_app
from tests.web.harness import PATIENCE, Process, in_thread, wait_for
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from skyjo.errors import SkyjoError
from skyjo.table.keys import CODE_LENGTH, CODE_LETTERS, new_secret
from skyjo.web.connections import EACH_ADDRESS, HEAD_WITHIN, Places
from skyjo.web.limits import Limiter, Limits, TooManyError, checked_networks, network_of
from skyjo.web.security import BODY_WITHIN
from skyjo.web.settings import Settings
from skyjo.web.throttle import Rate, Throttle

PAGE = (ROOT / "docs" / "hosting.md").read_text(encoding="utf-8")


class Hands:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


# --- the throttle ------------------------------------------------------------------------------


@given(
    most=st.integers(1, 50),
    seconds=st.floats(0.1, 1000.0),
    pauses=st.lists(st.floats(0.0, 30.0), max_size=200),
)
def test_never_more_than_twice_the_rate_in_any_window(
    most: int, seconds: float, pauses: list[float]
) -> None:
    clock = Hands()
    throttle = Throttle(Rate(most, seconds), clock)
    let_through = []
    for pause in pauses:
        clock.now += pause
        wait = throttle.take("a")
        if not wait:
            let_through.append(clock.now)
        else:
            # Waiting as long as one is told is enough, and a little less is not.
            before, clock.now = clock.now, clock.now + wait * 0.9 - 1e-3
            assert throttle.wait("a") or wait < 1e-2
            clock.now = before + wait
            assert throttle.take("a") == 0.0
            let_through.append(clock.now)
    for start in let_through:
        inside = [at for at in let_through if start <= at <= start + seconds]
        assert len(inside) <= 2 * most
    if let_through:
        span = let_through[-1] - let_through[0]
        assert len(let_through) <= most + most * span / seconds + 1


def test_a_full_account_may_do_everything_at_once_and_fills_again() -> None:
    clock = Hands()
    throttle = Throttle(Rate(5, 10.0), clock)
    assert [throttle.take("a") for _ in range(5)] == [0.0] * 5
    assert throttle.take("a") == pytest.approx(2.0)
    assert throttle.take("b") == 0.0
    clock.now = 2.0
    assert throttle.take("a") == 0.0
    assert throttle.take("a") > 0.0
    clock.now = 100.0
    assert [throttle.take("a") for _ in range(6)].count(0.0) == 5


def test_memory_is_bounded_however_many_addresses_come() -> None:
    clock = Hands()
    throttle = Throttle(Rate(2, 10.0), clock, capacity=100)
    for number in range(10_000):
        clock.now += 0.01
        throttle.take(number)
        assert len(throttle) <= 100
    assert not throttle.wait("new")
    throttle.take(9999)
    assert throttle.wait(9999), "whoever came last is remembered"


def test_only_those_who_came_lately_are_remembered() -> None:
    """A server that runs for a year does not keep everybody who was ever there."""
    clock = Hands()
    throttle = Throttle(Rate(2, 10.0), clock)
    for number in range(10_000):
        clock.now += 1.0
        throttle.take(number)
        assert len(throttle) <= 11
    assert throttle.take(9999) == 0.0
    assert throttle.wait(9999), "whoever came last is remembered"


@pytest.mark.parametrize("rate", [Rate(0, 1.0), Rate(1, 0.0), Rate(-1, 1.0)])
def test_a_rate_allows_something(rate: Rate) -> None:
    with pytest.raises(ValueError, match="allows nothing"):
        Throttle(rate)


# --- guessing ----------------------------------------------------------------------------------


def guesses_in_a_lifetime(limits: Limits) -> float:
    """How many wrong codes one address can try in eighty years."""
    clock = Hands()
    limiter = Limiter(limits, clock=clock)
    tried, days = 0, 30
    while clock.now < days * 86_400:
        try:
            limiter.check_guesses("a")
        except TooManyError as error:
            clock.now += error.retry_after
        else:
            limiter.guessed("a")
            tried += 1
    return tried / days * 365 * 80


def test_codes_cannot_be_guessed_in_a_lifetime() -> None:
    """One address at the allowed rate for eighty years, while 500 lobbies are open all the time."""
    codes = len(CODE_LETTERS) ** CODE_LENGTH
    chance = guesses_in_a_lifetime(Limits()) * 500 / codes
    assert chance < 0.01


def test_guesses_are_counted_by_day_too() -> None:
    clock = Hands()
    limiter = Limiter(Limits(guesses=Rate(3, 60.0), guesses_daily=Rate(5, 86_400.0)), clock=clock)
    done = 0
    for _ in range(200):
        clock.now += 30.0
        try:
            limiter.check_guesses("a")
        except TooManyError:
            continue
        limiter.guessed("a")
        done += 1
    assert done == 5


GUESS = Limits(guesses=Rate(3, 600.0), guesses_daily=Rate(3, 600.0))


@pytest.mark.parametrize(
    "guess",
    [
        ("GET", "/t/{code}"),
        ("GET", "/t/{code}/seats"),
        ("GET", "/rules?table={code}"),
        ("POST", "/join"),
        ("POST", "/t/{code}/join"),
        ("GET", API + "/tables/{code}"),
        ("POST", API + "/tables/{code}/join"),
        ("GET", API + "/tables/{code}/events"),
    ],
    ids=" ".join,
)
@asynchronous
async def test_every_way_to_try_a_code_is_counted(guess: tuple[str, str]) -> None:
    desk = Desk(limits=GUESS)
    rng = Random(1)
    method, path = guess
    made = await desk.good("POST", "/tables", {"name": "Ana"})
    async with desk.http() as http:

        async def attempt(code: str) -> int:
            body: Any = {"json": {"name": "X"}} if API in path else {"data": {"code": code}}
            extra = body if method == "POST" else {}
            return (await http.request(method, path.format(code=code), **extra)).status_code

        for _ in range(3):
            assert await attempt("".join(rng.choices(CODE_LETTERS, k=8))) == 404
        assert await attempt("".join(rng.choices(CODE_LETTERS, k=8))) == 429
        # A right code now tells no more than a wrong one.
        assert await attempt(made["table"]["code"]) == 429
    async with desk.http(("192.0.2.99", 1)) as http:
        assert (await http.get(f"/t/{made['table']['code']}")).status_code == 200


@asynchronous
async def test_who_sits_at_a_table_plays_on_while_others_guess() -> None:
    """A pupil who plays with codes must not stop the lessons of the others at the same address."""
    desk = Desk(limits=GUESS)
    made = await desk.good("POST", "/tables", {"name": "Ana", "bots": ["any"], "start": True})
    path = f"/tables/{made['table']['code']}"
    for code in ("AAAA0000", "AAAA1111", "AAAA2222"):
        assert (await desk.call("GET", f"/tables/{code}")).status_code == 404
    answer = await desk.call("GET", path)
    assert answer.status_code == 429
    assert int(answer.headers["retry-after"]) > 0
    assert answer.json()["error"]["code"] == "too_many"
    body = {"seat": 0, "action": "reveal r0c0", "version": made["table"]["version"]}
    assert (await desk.call("POST", f"{path}/act", body, token=made["token"])).is_success
    stranger = desk.token(new_secret())
    assert (await desk.call("GET", path, token=stranger)).status_code == 429


@asynchronous
async def test_codes_of_pads_are_right_codes_too_until_the_guesses_are_spent() -> None:
    desk = Desk(limits=GUESS)
    pad = await desk.app.state.site.pads.create(new_secret(), ["Ana", "Ben"])
    async with desk.http() as http:
        for _ in range(10):
            answer = await http.post("/join", data={"code": pad.code})
            assert answer.headers["location"] == f"/pad/{pad.code}"
        for code in ("AAAA0000", "AAAA1111", "AAAA2222"):
            assert (await http.post("/join", data={"code": code})).status_code == 404
        assert (await http.post("/join", data={"code": pad.code})).status_code == 429


@asynchronous
async def test_typing_errors_that_can_be_no_code_do_not_count() -> None:
    desk = Desk(limits=GUESS)
    for _ in range(10):
        assert (await desk.call("GET", "/tables/K93")).status_code == 404


# --- requests, tables, joins -------------------------------------------------------------------


@asynchronous
async def test_tables_made_are_counted_for_the_address_and_the_seat() -> None:
    desk = Desk(limits=Limits(tables=Rate(5, 600.0), seat_tables=Rate(2, 600.0)))
    made = await desk.good("POST", "/tables", {"name": "Ana"})
    token = made["token"]
    for expected in (201, 201, 429):
        answer = await desk.call("POST", "/tables", {"name": "Ana"}, token=token)
        assert answer.status_code == expected
    async with desk.http() as http:
        headers = {"content-type": "application/x-www-form-urlencoded"}
        answer = await http.post("/tables", content="name=Ben", headers=headers)
        assert answer.status_code == 303
        answer = await http.post("/tables", content="name=Ben", headers=headers)
        assert answer.status_code == 429
        assert "Try again in" in answer.text
        assert int(answer.headers["retry-after"]) >= 1
    async with desk.http(("198.51.100.7", 1)) as http:
        assert (await http.post(f"{API}/tables", json={"name": "Cleo"})).status_code == 201


@asynchronous
async def test_what_costs_much_is_counted() -> None:
    desk = Desk(limits=Limits(records=Rate(2, 60.0), replays=Rate(3, 30.0)))
    made = await desk.good("POST", "/tables", {"name": "Ana", "bots": ["any"], "start": True})
    path = f"/tables/{made['table']['code']}"
    for form, expected in (("text", 200), ("json", 200), ("text", 429)):
        assert (await desk.call("GET", f"{path}/record?form={form}")).status_code == expected
    async with desk.http() as http:
        assert (await http.get(f"/t/{made['table']['code']}/record")).status_code == 429
        for expected in (404, 404, 404, 429):
            assert (await http.get("/replay/nothing?at=3")).status_code == expected
    assert (await desk.call("GET", path)).status_code == 200


@asynchronous
async def test_joins_are_counted() -> None:
    desk = Desk(limits=Limits(joins=Rate(2, 600.0)))
    made = await desk.good("POST", "/tables", {"name": "Ana"})
    path = f"/tables/{made['table']['code']}"
    for name, expected in (("Ben", 201), ("Cleo", 201), ("Dan", 429)):
        answer = await desk.call("POST", f"{path}/join", {"name": name})
        assert answer.status_code == expected
    assert (await desk.call("POST", f"{path}/claim", {"link": "x"})).status_code == 429
    assert (await desk.call("GET", path)).status_code == 200


@asynchronous
async def test_requests_are_counted_for_the_seat_and_the_address() -> None:
    desk = Desk(limits=Limits(requests=Rate(10, 60.0), seat_requests=Rate(4, 60.0)))
    token = desk.token(new_secret())
    statuses = [(await desk.call("GET", "/tables", token=token)).status_code for _ in range(6)]
    assert statuses == [200, 200, 200, 200, 429, 429]
    statuses = [(await desk.call("GET", "/bots")).status_code for _ in range(6)]
    assert statuses == [200, 200, 200, 200, 429, 429]
    async with desk.http() as http:
        assert (await http.get("/healthz")).status_code == 200, "never turned away"
        assert (await http.get("/static/none")).status_code == 404, "files are counted apart"


@asynchronous
async def test_a_school_in_its_break_is_not_turned_away() -> None:
    """Two hundred people behind one address make fifty tables, join, and play, within a minute."""
    desk = Desk(limits=Limits())
    for _ in range(50):
        made = await desk.good("POST", "/tables", {"name": "Ana"})
        path = f"/tables/{made['table']['code']}"
        for name in ("Ben", "Cleo", "Dan"):
            await desk.good("POST", f"{path}/join", {"name": name})
        await desk.good("POST", f"{path}/start", token=made["token"])
        for _ in range(4):
            await desk.good("GET", path, token=made["token"])


# --- connections -------------------------------------------------------------------------------


def test_connections_are_counted_while_they_are_open() -> None:
    limits = Limits(connections=3, seat_connections=2, all_connections=4)
    refused: list[str] = []
    limiter = Limiter(limits, refused=refused.append)
    with limiter.connection("a", "seat"), limiter.connection("a", "seat"):
        with pytest.raises(TooManyError), limiter.connection("a", "seat"):
            pass
        with limiter.connection("a", ""):
            with pytest.raises(TooManyError), limiter.connection("a", ""):
                pass
            with (
                limiter.connection("b", ""),
                pytest.raises(TooManyError),
                limiter.connection("c", ""),
            ):
                pass
    assert refused == ["seat_connections", "connections", "all_connections"]
    with limiter.connection("a", "seat"):
        pass
    assert not limiter._open


# --- who an address is -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8::1", "2001:db8::ffff:2", True),
        ("2001:db8:0:1::1", "2001:db8:0:2::1", False),
        ("192.0.2.1", "192.0.2.2", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("fe80::1%eth0", "fe80::2%eth1", True),
    ],
)
def test_households_are_told_apart(one: str, other: str, same: bool) -> None:
    assert (network_of(one) == network_of(other)) is same


@given(st.text(max_size=300))
def test_any_text_is_somebody(text: str) -> None:
    assert len(network_of(text)) <= 100


PROXY = ("10.0.0.2", 4000)


async def address_seen(desk: Desk, client: tuple[str, int], **headers: str) -> str:
    """For whom a request was counted."""
    counted = desk.app.state.site.limiter._throttles["requests"]
    before = set(counted._empty_at)
    async with desk.http(client) as http:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        assert (await http.get(f"{API}/bots", headers=sent)).status_code == 200
    (new,) = set(counted._empty_at) - before
    return str(new)


@asynchronous
async def test_without_a_trusted_proxy_nobody_is_believed() -> None:
    desk = Desk()
    assert await address_seen(desk, PROXY, x_forwarded_for="192.0.2.5") == "10.0.0.2"


@asynchronous
async def test_a_trusted_proxy_is_believed_and_nobody_before_it() -> None:
    desk = Desk(trusted_proxies=("10.0.0.0/24", "::1"))
    assert await address_seen(desk, PROXY, x_forwarded_for="192.0.2.5") == "192.0.2.5"
    # What the client itself had claimed stands further left, and counts for nothing.
    assert await address_seen(desk, PROXY, x_forwarded_for="203.0.113.9, 192.0.2.6") == "192.0.2.6"
    # Two proxies of ours in a row.
    assert (
        await address_seen(desk, PROXY, x_forwarded_for="203.0.113.9, 192.0.2.7, 10.0.0.3")
        == "192.0.2.7"
    )
    assert await address_seen(desk, PROXY, x_forwarded_for="2001:db8:7::5") == "2001:db8:7::"
    # Somebody else who says the same is still themselves.
    other = ("198.51.100.1", 5)
    assert await address_seen(desk, other, x_forwarded_for="192.0.2.8") == "198.51.100.1"


@asynchronous
async def test_https_at_the_proxy_makes_cookies_secure() -> None:
    desk = Desk(trusted_proxies=("10.0.0.2",))
    async with desk.http(PROXY) as http:
        answer = await http.get("/", headers={"x-forwarded-proto": "https"})
        assert "Secure" in answer.headers["set-cookie"]
    async with desk.http() as http:
        answer = await http.get("/", headers={"x-forwarded-proto": "https"})
        assert "Secure" not in answer.headers["set-cookie"]


@pytest.mark.parametrize(
    "text", ["", "*", "proxy", "10.0.0.1/33", "10.0.0.1/8", "0.0.0.0/0", "::/0", "127.0.0.1:80"]
)
def test_proxies_are_named_by_address(text: str) -> None:
    with pytest.raises(SkyjoError, match="--trusted-proxy"):
        checked_networks("--trusted-proxy", (text,))


# --- the page ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [field.name for field in fields(Limits)])
def test_every_limit_is_on_the_page(name: str) -> None:
    rate = getattr(Limits(), name)
    wanted = f"{rate.most} in {rate.seconds:.0f} s" if isinstance(rate, Rate) else str(rate)
    assert f"| {wanted} |" in PAGE


def test_sizes_and_times_are_on_the_page() -> None:
    settings = Settings(data=Path(), key="")
    for value in (
        f"{settings.body_limit} bytes",
        f"{settings.import_limit} bytes",
        f"{settings.socket_message_limit} bytes",
        f"{HEAD_WITHIN:.0f}",
        f"{BODY_WITHIN:.0f}",
        f"{EACH_ADDRESS}",
    ):
        assert f"| {value} |" in PAGE


# --- over the network --------------------------------------------------------------------------


def test_sockets_and_streams_above_the_limit_are_turned_away(tmp_path: Path) -> None:
    app = quick_app(tmp_path)
    app.state.site.limiter.limits = Limits(connections=2)
    with in_thread(app) as url, ExitStack() as stack:
        made = httpx.post(f"{url}{API}/tables", json={"name": "Ana"}).json()
        path = f"{url}{API}/tables/{made['table']['code']}"
        live = f"{path}/live".replace("http", "ws", 1)
        first = stack.enter_context(connect(live))
        assert first.recv()
        stream = stack.enter_context(httpx.stream("GET", f"{path}/events"))
        assert stream.status_code == 200
        for address in (live, f"{url}/t/{made['table']['code']}/ws".replace("http", "ws", 1)):
            with pytest.raises(InvalidStatus) as error:
                connect(address)
            assert error.value.response.status_code == 429
            assert int(error.value.response.headers["retry-after"]) > 0
        answer = httpx.get(f"{path}/events")
        assert (answer.status_code, answer.json()["error"]["code"]) == (429, "too_many")
        assert httpx.get(path).status_code == 200, "requests are not connections"
        first.close()

        def again() -> bool:
            try:
                stack.enter_context(connect(live))
            except InvalidStatus:
                return False
            return True

        wait_for(again, "the place that is free again")


def test_a_page_that_guesses_over_its_socket_is_told_to_come_later(tmp_path: Path) -> None:
    app = quick_app(tmp_path)
    limits = Limits(guesses=Rate(1, 600.0))
    app.state.site.limiter = Limiter(limits)
    with in_thread(app) as url:
        codes = []
        for path in ("/t/AAAA1111/ws", "/t/AAAA2222/ws"):
            with connect(f"{url}{path}".replace("http", "ws", 1)) as guess:
                with pytest.raises(ConnectionClosed) as closed:
                    guess.recv(timeout=PATIENCE)
                assert closed.value.rcvd
                codes.append(closed.value.rcvd.code)
        assert codes == [1008, 1013]


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (("--trusted-proxy", "*"), 1, "--trusted-proxy is an address"),
        (("--trusted-proxy", "0.0.0.0/0"), 1, "means everybody"),
        (("--metrics-from", "me"), 1, "--metrics-from is an address"),
        (("--keep", "0"), 2, "--keep"),
        (("--log", "xml"), 2, "--log"),
    ],
)
def test_options_that_cannot_be_are_refused_with_a_sentence(
    tmp_path: Path, arguments: tuple[str, str], status: int, says: str
) -> None:
    with Process(tmp_path, "--host", "127.0.0.1", "--port", "0", *arguments) as server:
        assert server.process.wait(PATIENCE) == status
        wait_for(lambda: says in server.output, says)
        assert "Traceback" not in server.output


def test_the_options_reach_the_server(tmp_path: Path) -> None:
    """The test's own computer is the proxy; who comes through it is somebody else."""
    arguments = ("--trusted-proxy", "127.0.0.1", "--metrics-from", "192.0.2.0/24")
    with Process(tmp_path, "--host", "127.0.0.1", "--port", "0", *arguments) as server:
        url = server.ready()
        assert httpx.get(f"{url}/metrics").status_code == 200
        for address, status in (("192.0.2.9", 200), ("198.51.100.9", 404)):
            answer = httpx.get(f"{url}/metrics", headers={"x-forwarded-for": address})
            assert answer.status_code == status


# --- IPv4 as a server that listens on :: sees it --------------------------------------------------


@asynchronous
async def test_a_proxy_is_known_again_when_the_server_listens_on_ipv6() -> None:
    desk = Desk(trusted_proxies=("10.0.0.0/24",))
    mapped = ("::ffff:10.0.0.2", 4000)
    assert await address_seen(desk, mapped, x_forwarded_for="192.0.2.5") == "192.0.2.5"
    seen = await address_seen(desk, mapped, x_forwarded_for="192.0.2.6, ::ffff:10.0.0.3")
    assert seen == "192.0.2.6"
    other = ("::ffff:10.0.1.2", 4000)
    assert await address_seen(desk, other, x_forwarded_for="192.0.2.7") == "10.0.1.2"
    places = Places(100, each=1, proxies=("10.0.0.0/24",))
    assert [places.take(mapped[0], 0) for _ in range(2)] == ["10.0.0.2", "10.0.0.2"]


@asynchronous
async def test_redirects_name_no_host() -> None:
    """A proxy that passes ``$host`` on leaves the port out, and a program says what it likes."""
    desk = Desk(base_url="https://play.example.org:8443")
    async with desk.http() as http:
        for path, leads in (("/play/", "/play"), (f"{API}/bots/", f"{API}/bots")):
            answer = await http.get(path, headers={"host": "evil.example"})
            assert (answer.status_code, answer.headers["location"]) == (307, leads)
