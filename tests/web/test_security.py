"""What every request passes: origins, sizes, headers, sessions (failures 26 to 30)."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from starlette.datastructures import Headers
from tests.web.conftest import quick_app
from tests.web.forms import Page
from tests.web.harness import Person, in_thread

from skyjo.web.security import CONTENT_SECURITY_POLICY, same_origin
from skyjo.web.settings import Settings

Visitor = Callable[..., Person]


@pytest.mark.parametrize(
    ("origin", "host", "base_url", "same"),
    [
        ("http://192.0.2.7:8000", "192.0.2.7:8000", "", True),
        ("HTTP://Table.Local:8000", "table.local:8000", "", True),
        ("http://table.local", "table.local:80", "", True),
        ("https://play.example.org", "play.example.org", "", True),
        ("https://play.example.org", "play.example.org:443", "", True),
        ("https://play.example.org", "127.0.0.1:8000", "https://play.example.org", True),
        ("http://[::1]:8000", "[::1]:8000", "", True),
        ("http://evil.example", "192.0.2.7:8000", "", False),
        ("http://192.0.2.7:8001", "192.0.2.7:8000", "", False),
        ("http://192.0.2.7:8000.evil.example", "192.0.2.7:8000", "", False),
        ("http://192.0.2.7:8000@evil.example", "192.0.2.7:8000", "", False),
        ("https://play.example.org.evil.example", "127.0.0.1", "https://play.example.org", False),
        ("null", "192.0.2.7:8000", "", False),
        ("", "192.0.2.7:8000", "", False),
        ("file://", "", "", False),
        ("http://", "", "", False),
        ("http://[", "[", "", False),
        ("http://a:99999999", "a", "", False),
        ("chrome-extension://abc", "abc", "", False),
    ],
)
def test_origins(origin: str, host: str, base_url: str, same: bool) -> None:
    assert same_origin(origin, Headers({"host": host}), base_url) is same


# --- headers --------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/", "/rules", "/nothing", "/t/AAAAAAAA", "/robots.txt"])
def test_every_answer_has_the_headers(visitor: Visitor, path: str) -> None:
    headers = visitor().get(path).headers
    assert headers["content-security-policy"] == CONTENT_SECURITY_POLICY
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["cache-control"] == "no-store"
    assert "server" not in {name.lower() for name in headers if headers[name].startswith("skyjo")}


def test_the_policy_allows_no_inline_code_and_no_frames() -> None:
    assert "unsafe" not in CONTENT_SECURITY_POLICY
    assert "default-src 'none'" in CONTENT_SECURITY_POLICY
    assert "frame-ancestors 'none'" in CONTENT_SECURITY_POLICY
    assert "form-action 'self'" in CONTENT_SECURITY_POLICY


def test_no_page_has_inline_scripts_or_styles(visitor: Visitor) -> None:
    ana = visitor()
    table = ana.play(3)
    lobby = ana.make("Ana")
    for path in ("/", "/rules", "/how", "/settings", table, lobby, f"{lobby}/seats", "/nothing"):
        for tag, attributes in Page(ana.get(path).text).attributes:
            assert tag != "style", path
            assert "style" not in attributes, (path, tag, attributes)
            assert not [name for name in attributes if name.startswith("on")], (path, tag)
            assert tag != "script" or attributes.get("src"), path
            assert not attributes.get("href", "").lower().startswith(("javascript:", "data:"))


def test_the_cookie_cannot_be_read_by_scripts_nor_sent_by_other_sites(visitor: Visitor) -> None:
    cookie = visitor().get("/").headers["set-cookie"]
    assert "httponly" in cookie.lower()
    assert "samesite=lax" in cookie.lower()
    assert "secure" not in cookie.lower(), "plain http at home"


def test_over_https_the_cookie_stays_there(tmp_path: Path) -> None:
    app = quick_app(tmp_path, base_url="https://play.example.org")
    with in_thread(app) as url, httpx.Client(base_url=url) as proxy:
        outside = proxy.get("/", headers={"host": "play.example.org"}).headers["set-cookie"]
        inside = proxy.get("/").headers["set-cookie"]
    assert "secure" in outside.lower()
    assert "secure" not in inside.lower(), "at home the same server is reached over plain http"


# --- where requests come from ---------------------------------------------------------------


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": ""},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_other_sites_can_send_nothing(server: str, headers: dict[str, str]) -> None:
    with httpx.Client(base_url=server) as browser:
        answer = browser.post("/tables", data={"name": "Eve"}, headers=headers)
        assert answer.status_code == 403
        assert Page(answer.text).lang == "en"
        assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    "headers", [{}, {"sec-fetch-site": "same-origin"}, {"sec-fetch-site": "none"}]
)
def test_programs_and_own_pages_can(server: str, headers: dict[str, str]) -> None:
    with httpx.Client(base_url=server) as browser:
        answer = browser.post("/tables", data={"name": "Ana"}, headers=headers)
        assert answer.status_code == 303


def test_behind_a_proxy_the_base_address_counts(tmp_path: Path) -> None:
    app = quick_app(tmp_path, base_url="https://play.example.org")
    with in_thread(app) as url, httpx.Client(base_url=url) as proxy:
        own = proxy.post(
            "/tables", data={"name": "Ana"}, headers={"origin": "https://play.example.org"}
        )
        other = proxy.post(
            "/tables", data={"name": "Ana"}, headers={"origin": "https://evil.example"}
        )
        assert (own.status_code, other.status_code) == (303, 403)
        lobby = proxy.get(own.headers["location"]).text
        assert f"https://play.example.org{own.headers['location']}" in lobby


# --- whose seat -----------------------------------------------------------------------------


def test_nothing_that_a_page_shows_gives_a_seat(visitor: Visitor) -> None:
    """failures 26 and 27: taking over a seat, speaking as another."""
    ana, eve, stranger = visitor(), visitor(), visitor()
    path = ana.make("Ana")
    eve.join(path, "Eve")
    ana.post(f"{path}/start")
    form = ana.page(path).form("/act")
    version = ana.version(path)
    for thief in (eve, stranger):
        for name, fields in {
            "act": {"action": form.values()[0]},
            "leave": {},
            "stand-in": {},
            "back": {},
            "renew": {},
            "rename": {"name": "Evil"},
            "take-host": {},
        }.items():
            answer = thief.post(f"{path}/{name}", {**fields, "seat": 0, "version": version})
            assert answer.status_code == 403, (name, answer.status_code)
    assert ana.version(path) == version


def test_what_eve_is_shown_holds_no_secret_of_ana(visitor: Visitor) -> None:
    ana, eve = visitor(), visitor()
    path = ana.make("Ana")
    eve.join(path, "Eve")
    links = re.findall(r"/seat/(\w+)", ana.get(f"{path}/seats").text)
    cookie = next(iter(ana.http.cookies.values()))
    shown = eve.get(path).text + eve.get(f"{path}/seats").text + eve.get("/").text
    assert links
    assert not [secret for secret in (*links, cookie, cookie.split(".")[0]) if secret in shown]
    assert eve.get(f"{path}/leave?seat=0").status_code == 403


@pytest.mark.parametrize(
    "change",
    [
        lambda cookie: cookie[:-1] + ("A" if cookie[-1] != "A" else "B"),
        lambda cookie: cookie.split(".")[0],
        lambda cookie: "x" + cookie,
        lambda _cookie: "IlhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFgi.AAAA",
        lambda cookie: cookie * 100,
        lambda _cookie: "\x7f\x01",
    ],
)
def test_a_changed_or_foreign_cookie_is_no_cookie(
    visitor: Visitor, server: str, change: Callable[[str], str]
) -> None:
    ana = visitor()
    path = ana.play(1)
    name, cookie = next(iter((n, c) for n, c in ana.http.cookies.items() if n.startswith("skyjo-")
                             and n not in ("skyjo-quick", "skyjo-name")))  # fmt: skip
    headers = {"cookie": f"{name}={change(cookie)}"}
    with httpx.Client(base_url=server, headers=headers) as thief:
        answer = thief.get(path)
        assert answer.status_code == 200
        assert not Page(answer.text).may_act()
        assert thief.post(f"{path}/leave", data={"seat": 0, "version": 1}).status_code == 403


def test_a_cookie_of_another_server_opens_nothing(visitor: Visitor, tmp_path: Path) -> None:
    from skyjo.web.session import Sessions

    ana = visitor()
    path = ana.play(1)
    own = next(name for name in ana.http.cookies if re.fullmatch("skyjo-[0-9a-f]{8}", name))
    other = Sessions(Settings(data=tmp_path, key="6" * 64))
    assert other.cookie != own
    thief = visitor()
    thief.http.cookies.set(own, other.signed("a" * 43))
    assert not thief.page(path).may_act()


# --- sizes ----------------------------------------------------------------------------------


def test_a_large_body_is_refused_by_its_length(visitor: Visitor) -> None:
    answer = visitor().post("/tables", {"name": "A" * 20_000})
    assert answer.status_code == 413
    assert "too much" in answer.text


def test_a_large_body_is_refused_without_a_length(server: str) -> None:
    def endless() -> object:
        for _ in range(1000):
            yield b"name=" + b"A" * 1000

    with httpx.Client(base_url=server) as client:
        answer = client.post(
            "/tables",
            content=endless(),  # type: ignore[arg-type]
            headers={"content-type": "application/x-www-form-urlencoded"},
        )
        assert answer.status_code == 413
        assert client.get("/robots.txt").status_code == 200


@pytest.mark.parametrize("length", ["-1", "abc", "1e3", "9" * 5000, "99999999999"])
def test_lengths_that_are_none_are_refused(server: str, length: str) -> None:
    host, port = server.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=30) as raw:
        raw.sendall(
            f"POST /tables HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Length: {length}\r\n"
            "Content-Type: application/x-www-form-urlencoded\r\n\r\n".encode()
        )
        assert raw.recv(4096).split()[1] in (b"400", b"413")


NAMES = {
    "markup": "<script>alert(1)</script>"[:24],
    "attribute": '" onmouseover="x()',
    "entity": "&lt;b&gt;",
    "braces": "{player} {0} %s %(n)s",
    "jinja": "{{ 7*7 }}{% raw %}",
    "right to left": "\u202eevil\u202c",
    "hebrew": "שלום",
    "emoji": "👩‍👩‍👧‍👦",
    "zero width": "a\u200bb",
    "combining": "Z\u0351\u036b\u0343\u036a\u0302",
    "ukrainian": "Їжак",
}


@pytest.mark.parametrize("kind", NAMES)
def test_any_name_is_shown_as_text_or_refused(visitor: Visitor, kind: str) -> None:
    name = NAMES[kind]
    ana, ben = visitor(), visitor()
    answer = ana.post("/tables", {"name": name})
    assert answer.status_code == 303
    path = answer.headers["location"]
    ben.join(path, "Ben")
    pages = [
        ana.get(path).text,
        ben.get(path).text,
        ana.get("/").text,
        ana.get(f"{path}/seats").text,
    ]
    ana.post(f"{path}/start")
    pages += [ana.get(path).text, ben.get(path).text]
    act = ana.page(path).form("/act")
    ana.press(act, act.values()[0])
    pages.append(ben.get(path).text)
    for html in pages:
        assert "<script>alert" not in html
        assert 'onmouseover="' not in html
        assert "\u202e" not in html
        assert "49" not in re.findall(r"<bdi>(.*?)</bdi>", html)
        for tag, attributes in Page(html).attributes:
            assert not [each for each in attributes if each.startswith("on")], tag


@pytest.mark.parametrize(
    "name", ["", " ", "\u202e", "\u200b\u200b", "A" * 25, "A" * 10_000, "🎴" * 2500, "\x00", "\n\t"]
)
def test_names_that_are_none_get_a_clear_page(visitor: Visitor, name: str) -> None:
    ana, ben = visitor(), visitor()
    path = ana.make("Ana")
    for answer in (ana.post("/tables", {"name": name}), ben.post(f"{path}/join", {"name": name}),
                   ana.post(f"{path}/join", {"name": name})):  # fmt: skip
        assert 400 <= answer.status_code < 500, answer.status_code
        assert Page(answer.text).lang == "en"
        assert len(answer.text) < 40_000, "what was sent is not sent back"


# --- error pages ----------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "uk", "de", "fr"])
def test_error_pages_speak_the_readers_language(visitor: Visitor, language: str) -> None:
    ana = visitor(**{"accept-language": language})
    for answer, status in (
        (ana.get("/nothing"), 404),
        (ana.get("/t/ABCDEFGH"), 404),
        (ana.get("/t/ABCDEFGH/seats"), 404),
        (ana.get("/replay/xyz"), 404),
        (ana.get("/static/none.js"), 404),
        (ana.http.delete("/"), 405),
        (ana.http.put("/t/ABCDEFGH"), 405),
        (ana.get("/how?step=abc"), 400),
        (ana.post("/tables", content_type := {"name": "x" * 30}), 400),
    ):
        page = Page(answer.text)
        assert (answer.status_code, page.lang) == (status, language), answer.url
        assert "/" in page.links
    assert content_type


def test_a_fault_of_ours_is_a_page_too(tmp_path: Path) -> None:
    app = quick_app(tmp_path)

    @app.get("/fault")
    async def fault() -> None:
        raise RuntimeError("the card is 12")

    with in_thread(app) as url, httpx.Client(base_url=url) as client:
        answer = client.get("/fault", headers={"accept-language": "de"})
    page = Page(answer.text)
    assert (answer.status_code, page.lang) == (500, "de")
    assert "the card" not in answer.text
    assert answer.headers["content-security-policy"] == CONTENT_SECURITY_POLICY
