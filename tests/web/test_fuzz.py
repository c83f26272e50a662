"""Whatever is sent, in whatever form: a clear answer, never a fault of ours."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import quote, urlencode

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.web.forms import Page
from tests.web.harness import Person

from skyjo.rules.ruleset import KNOBS, PRESETS
from skyjo.web.app import Application
from skyjo.web.security import CONTENT_SECURITY_POLICY

FORMS = (
    "act",
    "join",
    "bot",
    "remove",
    "host",
    "take-host",
    "rename",
    "rules",
    "pace",
    "start",
    "ready",
    "rematch",
    "leave",
    "stand-in",
    "back",
    "renew",
    "seat/x",
    "nothing",
)
PAGES = ("", "/seats", "/leave", "/record", "/next", "/seat/x", "/nothing")
PLACES = (
    "/",
    "/play",
    "/tables",
    "/join",
    "/settings",
    "/how",
    "/rules",
    "/replay/x",
    "/static/x",
    "/replay/x/record",
    "/favicon.ico",
    "/manifest.webmanifest",
    "/nothing",
)

#: What could be in a field: mostly the right kind of thing, sometimes anything.
texts = st.one_of(
    st.sampled_from(
        [
            "",
            "0",
            "1",
            "7",
            "-1",
            "8",
            "999999999",
            "1e9",
            "0x1",
            "١",
            "None",
            "true",
            "NaN",
            "reveal r0c0",
            "draw",
            "take",
            "take, swap r0c0",
            "swap r9c9",
            "leave",
            "pass",
            "44",
            "random",
            "official",
            "none",
            "Ana",
            "\u202e",
            "\x00",
            "' OR 1=1 --",
            "../../x",
            "{{7*7}}",
            "%s%n",
            "🎴",
        ]
    ),
    st.text(max_size=40),
    st.integers(-(10**12), 10**12).map(str),
)
names = st.one_of(
    st.sampled_from(
        [
            "seat",
            "action",
            "version",
            "name",
            "bot",
            "count",
            "code",
            "preset",
            "knobs",
            "pace",
            "lang",
            "theme",
            "sound",
            "next",
            "first",
            *(k.name for k in KNOBS),
        ]
    ),
    st.text(min_size=1, max_size=12),
)
fields = st.dictionaries(names, texts, max_size=8)


@st.composite
def bodies(draw: st.DrawFn) -> bytes:
    """An urlencoded form, or something else that calls itself one."""
    if draw(st.booleans()):
        return urlencode(draw(fields), errors="surrogatepass").encode()
    return draw(st.binary(max_size=300))


@pytest.fixture(scope="module")
def tables(server: str) -> Iterator[tuple[Person, list[str]]]:
    """Somebody with a lobby, a running game and one that is over."""
    ana = Person(server)
    ben = Person(server)
    lobby, game, over = ana.make("Ana"), ana.play(2), ana.make("Ana B")
    ben.join(over, "Ben")
    ana.post(f"{over}/start")
    ana.post(f"{over}/leave", {"seat": 0, "version": ana.version(over)})
    yield ana, [lobby, game, over, "/t/ABCDEFGH"]
    ana.http.close()
    ben.http.close()


@pytest.fixture(scope="module")
def host(server: str) -> Iterator[tuple[Person, str]]:
    """The host of a lobby."""
    with Person(server) as ana:
        yield ana, ana.make("Ana")


def check(answer: httpx.Response) -> None:
    assert answer.status_code < 500, (answer.request.method, answer.request.url, answer.text)
    assert answer.headers["content-security-policy"] == CONTENT_SECURITY_POLICY
    if answer.status_code >= 400 and answer.headers.get("content-type", "").startswith("text/html"):
        assert "Traceback" not in answer.text
        whole = answer.request.method != "HEAD" and "hx-request" not in answer.request.headers
        assert not whole or Page(answer.text).lang


@settings(max_examples=150)
@given(
    where=st.integers(0, 3),
    form=st.sampled_from(FORMS),
    sent=fields,
    fresh=st.booleans(),
    script=st.booleans(),
)
def test_forms_of_a_table(
    tables: tuple[Person, list[str]],
    *,
    where: int,
    form: str,
    sent: dict[str, str],
    fresh: bool,
    script: bool,
) -> None:
    ana, paths = tables
    path = paths[where]
    if fresh and where < 3 and form not in ("leave", "start"):
        sent = {"seat": "0", **sent, "version": str(ana.version(path))}
    elif form in ("leave", "start"):
        sent = {**sent, "version": "1"}
    body = urlencode(sent, errors="surrogatepass").encode()
    headers = {"content-type": "application/x-www-form-urlencoded"}
    if script:
        headers["hx-request"] = "true"
    check(ana.http.post(f"{path}/{form}", content=body, headers=headers))


@settings(max_examples=100)
@given(
    method=st.sampled_from(
        ["GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "X"]
    ),
    place=st.sampled_from([*PLACES, *(f"/t/ABCDEFGH{page}" for page in PAGES)]),
    query=fields,
    body=bodies(),
    kind=st.sampled_from(
        [
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=x",
            "application/json",
            "text/plain",
            "",
        ]
    ),
)
def test_methods_and_shapes(
    server: str, *, method: str, place: str, query: dict[str, str], body: bytes, kind: str
) -> None:
    with httpx.Client(base_url=server) as client:
        asked = urlencode(query, errors="surrogatepass")
        check(
            client.request(method, f"{place}?{asked}", content=body, headers={"content-type": kind})
        )


@settings(max_examples=100)
@given(path=st.text(max_size=60), last=st.sampled_from(["", "/ws", "/events", "/act", "?at=x"]))
def test_paths(server: str, path: str, last: str) -> None:
    with httpx.Client(base_url=server) as client:
        for before in ("/", "/t/", "/replay/", "/static/"):
            address = before + quote(path, safe="/%", errors="replace") + last
            check(client.get(address))


@settings(max_examples=60)
@given(
    name=st.sampled_from(
        [
            "cookie",
            "accept-language",
            "host",
            "origin",
            "accept-encoding",
            "hx-request",
            "hx-current-url",
            "if-none-match",
            "range",
            "x-forwarded-for",
            "referer",
        ]
    ),
    value=st.one_of(
        st.binary(max_size=200).filter(lambda raw: not set(raw.strip()) & {0, 9, 10, 11, 12, 13}),
        st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=200).map(str.encode),
    ),
)
def test_headers(server: str, name: str, value: bytes) -> None:
    with httpx.Client(base_url=server) as client:
        for method, path in (("GET", "/"), ("POST", "/settings"), ("GET", "/rules")):
            answer = client.request(method, path, headers={name.encode(): value.strip()})
            # What is no HTTP at all is refused before it reaches us.
            assert answer.status_code < 500
            if "content-security-policy" not in answer.headers:
                assert answer.status_code == 400


@settings(max_examples=60)
@given(
    preset=st.one_of(st.sampled_from([*PRESETS]), texts),
    knobs=st.dictionaries(st.sampled_from([knob.name for knob in KNOBS]), texts, max_size=6),
)
def test_house_rules(host: tuple[Person, str], preset: str, knobs: dict[str, str]) -> None:
    ana, path = host
    sent = {"preset": preset, "knobs": "1", **knobs}
    body = urlencode(sent, errors="surrogatepass").encode()
    headers = {"content-type": "application/x-www-form-urlencoded"}
    answer = ana.http.post(f"{path}/rules", content=body, headers=headers)
    check(answer)
    assert answer.status_code in (303, 400)
    assert ana.get(path).status_code == 200


def test_the_tables_have_survived(tables: tuple[Person, list[str]]) -> None:
    ana, paths = tables
    for path in paths[:3]:
        assert ana.get(path).status_code == 200
    assert ana.get("/").status_code == 200


def test_every_form_of_the_application_is_fuzzed(app: Application) -> None:
    """A form that is added must be added to the fuzz, too."""
    from skyjo.web.routes.table import COMMANDS, router

    posts = {
        re.sub(r"^/t/\{code\}/", "", getattr(route, "path", ""))
        for route in router.routes
        if "POST" in (getattr(route, "methods", None) or ())
    }
    posts = {re.sub(r"\{token\}", "x", post) for post in posts} - {"{form_name}"}
    assert posts | set(COMMANDS) <= set(FORMS)
