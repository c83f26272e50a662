"""Nonsense in forms, addresses and WebSocket messages: a clear 4xx, never a 5xx, nothing broken."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import httpx
from fastapi.routing import APIRoute
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.routing import BaseRoute
from tests.kit.programs import Desk
from tests.kit.tables import asynchronous

from skyjo.rules.ruleset import KNOBS, PRESETS
from skyjo.table.events import decode
from skyjo.table.keys import new_secret
from skyjo.table.model import Table
from skyjo.web.api.verbs import VERBS
from skyjo.web.routes.table import COMMANDS

DESK = Desk()


def routes(found: list[BaseRoute]) -> Iterator[APIRoute]:
    for route in found:
        inner = getattr(route, "original_router", None)
        if isinstance(route, APIRoute):
            yield route
        elif inner is not None:
            yield from routes(inner.routes)


ROUTES = [
    (method, route.path)
    for route in routes(DESK.app.router.routes)
    for method in sorted(route.methods or ())
    # A stream has no end; metrics and health take nothing.
    if not route.path.endswith("/events") and route.path not in ("/healthz", "/metrics")
]


def test_every_page_and_form_is_tried() -> None:
    paths = {path for method, path in ROUTES if method == "POST"}
    assert {"/play", "/tables", "/join", "/t/{code}/act", "/t/{code}/{form_name}"} <= paths
    assert len(ROUTES) > 25


odd = st.one_of(
    st.text(max_size=40),
    st.sampled_from(
        [
            "",
            " ",
            "0",
            "-1",
            "8",
            "1e9",
            "9" * 9,
            "9" * 10,
            "٣",
            "on",
            "none",
            "\0",
            "\u202e",
            "<script>",
            "{{7*7}}",
            "%s%n",
            "../../etc/passwd",
            "'; DROP TABLE tables; --",
            "🂡" * 50,
            "draw",
            "take,swap r0c0",
            "swap r2c3",
            "reveal r0c0",
            "flip r9c9",
            "leave",
            ",",
            "take,",
            "greedy",
            "random",
            "official target=0",
            "//evil.example",
            "https://evil.example/",
        ]
    ),
    st.integers(-5, 300).map(str),
    st.text(min_size=300, max_size=3000),
)
names = st.one_of(
    st.sampled_from(
        [
            "name",
            "code",
            "seat",
            "version",
            "action",
            "bot",
            "count",
            "preset",
            "knobs",
            "pace",
            "next",
            "lang",
            "theme",
            "sound",
            "first",
            "at",
            "take",
            "step",
            "table",
            "stale",
            "names",
            "points",
            "closer",
            "round",
            "circle",
            "ruleset",
            "seen",
            "key",
            "entering",
            *(knob.name for knob in KNOBS),
            *PRESETS,
        ]
    ),
    st.text(max_size=10),
)
fields = st.dictionaries(names, odd, max_size=8)


class Someone:
    """Who tries it: a player of a running game, the host of a lobby, a stranger."""

    def __init__(self) -> None:
        self.codes: list[str] = []
        self.cookies: list[str] = [""]
        self.ids: list[str] = []

    async def begin(self) -> None:
        sessions = DESK.app.state.site.sessions
        for start in (True, False):
            secret = new_secret()
            made = await DESK.authority.create(secret, "Ana", bots=["any", "first"], start=start)
            scene = await DESK.authority.scene(made.table_id)
            self.codes.append(scene.code)
            self.ids.append(made.table_id)
            self.cookies.append(f"{sessions.cookie}={sessions.signed(secret)}")
        secret = new_secret()
        pad = await DESK.app.state.site.pads.create(secret, ["Ana", "Ben"])
        self.codes.append(pad.code)
        self.cookies.append(f"{sessions.cookie}={sessions.signed(secret)}")


async def ask(
    http: httpx.AsyncClient, where: tuple[str, str], values: dict[str, str], cookie: str, kind: str
) -> httpx.Response:
    method, path = where
    headers = {"cookie": cookie} if cookie else {}
    if method == "GET":
        return await http.get(path, params=values, headers=headers)
    if kind == "json":
        return await http.post(path, json=values, headers=headers)
    if kind == "raw":
        body = "&".join(f"{key}={value}" for key, value in values.items())
        headers["content-type"] = "application/x-www-form-urlencoded"
        return await http.post(path, content=body.encode(errors="replace"), headers=headers)
    return await http.post(path, data=values, headers=headers)


@given(
    calls=st.lists(
        st.tuples(
            st.sampled_from(ROUTES),
            st.integers(0, 4),
            st.integers(0, 3),
            fields,
            st.sampled_from(["form", "form", "form", "raw", "json"]),
            odd,
        ),
        min_size=1,
        max_size=25,
    )
)
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_nonsense_in_forms_and_addresses(calls: list[Any]) -> None:
    @asynchronous
    async def check() -> None:
        someone = Someone()
        await someone.begin()
        async with DESK.http() as http:
            for (method, path), code, cookie, values, kind, word in calls:
                codes = [*someone.codes, word or "x", "ABCDEFGH"]
                where = method, filled(path, codes[code % len(codes)], word)
                answer = await ask(http, where, values, someone.cookies[cookie], kind)
                assert answer.status_code < 500, (where, values)
                assert "Traceback" not in answer.text
        for table_id in someone.ids:
            await is_sound(table_id)

    check()


def filled(path: str, code: str, word: str) -> str:
    """A path with something in every place."""
    for name in ("code", "table"):
        path = path.replace(f"{{{name}}}", quote(code, safe=""))
    while "{" in path:
        start, end = path.index("{"), path.index("}")
        name = path[start + 1 : end].partition(":")[0]
        choice = word if name != "form_name" or len(word) % 2 else pick(word)
        path = path[:start] + (quote(choice, safe="") or "-") + path[end + 1 :]
    return path


def pick(word: str) -> str:
    forms = sorted(COMMANDS)
    return forms[len(word) % len(forms)]


async def is_sound(table_id: str) -> None:
    """The table in memory is what its events make, and can be shown."""
    stored = await DESK.store.events(table_id)
    table = Table.fold(table_id, ((each.at, decode(each.data)) for each in stored))
    head = (await DESK.store.heads([table_id]))[0]
    assert head.version == table.version == len(stored)
    scene = await DESK.authority.scene(table_id)
    assert scene.version == table.version
    if table.game is not None:
        assert scene.view is not None


# --- messages ----------------------------------------------------------------------------------

value = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 60) | st.floats() | odd,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=6,
)
message = st.one_of(
    st.text(max_size=200),
    value.map(json.dumps),
    st.fixed_dictionaries(
        {"command": st.sampled_from(sorted(VERBS)) | value},
        optional={
            "id": value,
            "seat": st.integers(-1, 8) | value,
            "version": st.integers(0, 12) | value,
            "action": st.sampled_from(["reveal r0c0", "draw", "leave", 5, 44]) | value,
            "name": odd,
            "bot": odd,
            "pace": odd,
            "ruleset": odd,
        },
    ).map(json.dumps),
    st.binary(max_size=50),
)


@given(messages=st.lists(message, min_size=1, max_size=15), seat=st.booleans())
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_nonsense_in_messages(messages: list[str | bytes], seat: bool) -> None:
    @asynchronous
    async def check() -> None:
        secret = new_secret()
        made = await DESK.authority.create(secret, "Ana", bots=["any"], start=True)
        token = DESK.token(secret) if seat else ""
        path = f"/tables/{made.table_id}/live"
        # One answer to every message, and at least the first view.
        heard = await DESK.talk(path, token, *messages, answers=len(messages))
        told = [json.loads(text) for text in heard]
        assert {each["type"] for each in told} <= {"table", "done", "error"}
        for each in told:
            if each["type"] == "error":
                assert each["error"]["code"] != "internal"
                assert each["error"]["message"]
            if each["type"] == "done":
                assert seat
        await is_sound(made.table_id)

    check()
