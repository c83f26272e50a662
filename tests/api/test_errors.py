"""Errors: always JSON, always with a stable code, and nothing has changed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.conftest import ROOT
from tests.kit.programs import API, Desk
from tests.kit.tables import asynchronous

from skyjo.errors import SkyjoError
from skyjo.table.errors import StoreError
from skyjo.web.api.problems import ALL_CODES

PAGE = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("code", sorted(ALL_CODES))
def test_every_code_is_documented(code: str) -> None:
    assert f"`{code}`" in PAGE


def error_of(answer: Any) -> tuple[int, str, str]:
    assert answer.headers["content-type"] == "application/json"
    error = answer.json()["error"]
    assert set(error) <= {"kind", "code", "message", "where"}
    assert error["message"]
    assert error["code"] in ALL_CODES
    return answer.status_code, error["kind"], error["code"]


MALFORMED = (400, "malformed", "malformed")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"seat": 0, "action": "draw"},
        {"seat": 0, "action": "draw", "version": "4"},
        {"seat": "0", "action": "draw", "version": 4},
        {"seat": 0.5, "action": "draw", "version": 4},
        {"seat": True, "action": "draw", "version": 4},
        {"seat": 8, "action": "draw", "version": 4},
        {"seat": -1, "action": "draw", "version": 4},
        {"seat": 0, "action": "draw", "version": 2**53},
        {"seat": 0, "action": "draw", "version": -1},
        {"seat": 0, "action": None, "version": 4},
        {"seat": 0, "action": 45, "version": 4},
        {"seat": 0, "action": -1, "version": 4},
        {"seat": 0, "action": True, "version": 4},
        {"seat": 0, "action": ["draw"], "version": 4},
        {"seat": 0, "action": "", "version": 4},
        {"seat": 0, "action": "d" * 101, "version": 4},
        {"seat": 0, "action": "swap", "version": 4},
        {"seat": 0, "action": "swap r0c0 r0c1", "version": 4},
        {"seat": 0, "action": "Draw", "version": 4},
        {"seat": 0, "action": "draw\x00", "version": 4},
        {"seat": 0, "action": "draw", "version": 4, "more": 1},
        [],
        [{"seat": 0}],
        "draw",
        None,
        1e999,
    ],
)
@asynchronous
async def test_what_cannot_be_read_is_malformed(body: Any) -> None:
    desk = Desk()
    made = await desk.good("POST", "/tables", {"name": "Ana", "bots": ["any"], "start": True})
    code, token = made["table"]["code"], made["token"]
    async with desk.http() as http:
        answer = await http.post(
            f"{API}/tables/{code}/act",
            content=json.dumps(body),
            headers={"authorization": f"Bearer {token}", "content-type": "application/json"},
        )
    assert error_of(answer) == MALFORMED, answer.text
    after = await desk.good("GET", f"/tables/{code}", token=token)
    assert after["version"] == made["table"]["version"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[" * 15_000,
        b'{"name": ' + b"9" * 5000 + b"}",
        b'{"name":"\\ud800"}',
    ],
    ids=["empty", "half", "no text", "deep", "long number", "half a character"],
)
@asynchronous
async def test_bodies_that_are_no_json_are_refused(content: bytes) -> None:
    desk = Desk()
    async with desk.http() as http:
        headers = {"content-type": "application/json"}
        answer = await http.post(f"{API}/tables", content=content, headers=headers)
    assert error_of(answer) == MALFORMED, answer.text
    assert not answer.json()["error"]["message"].startswith("That could not be understood")


@asynchronous
async def test_json_that_breaks_off_is_told_with_its_place() -> None:
    async with Desk().http() as http:
        headers = {"content-type": "application/json"}
        answer = await http.post(f"{API}/tables", content=b'{"name": "Ana"', headers=headers)
    assert error_of(answer) == MALFORMED
    assert "at character 15" in answer.json()["error"]["message"]
    assert answer.json()["error"]["where"] == "body"


@pytest.mark.parametrize(
    "form",
    [
        {"data": {"name": "Ana"}},
        {"content": b'{"name": "Ana"}'},
        {"content": b'{"name": "Ana"}', "headers": {"content-type": "text/plain"}},
        {"files": {"name": b"Ana"}},
    ],
    ids=["form", "no type", "text", "file"],
)
@asynchronous
async def test_bodies_that_are_not_called_json_are_told_how(form: dict[str, Any]) -> None:
    async with Desk().http() as http:
        answer = await http.post(f"{API}/tables", **form)
    assert error_of(answer) == (415, "malformed", "unsupported_media_type")
    assert "Content-Type: application/json" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [
        ("GET", "/nothing", (404, "unknown", "not_found")),
        ("GET", "/tables/", (404, "unknown", "not_found")),
        ("PATCH", "/tables", (405, "malformed", "method_not_allowed")),
        ("GET", "/tables/ABCDEFGH/act", (405, "malformed", "method_not_allowed")),
        ("GET", "/tables", (401, "forbidden", "no_token")),
        ("GET", "/tables/ABCDEFGH", (404, "unknown", "unknown_table")),
        ("GET", "/tables/ABCDEFGH/record?form=xml", MALFORMED),
        ("GET", "/tables/ABCDEFGH/link?seat=x", MALFORMED),
        ("GET", f"/tables/ABCDEFGH/link?seat={9**50}", (404, "unknown", "unknown_table")),
        ("GET", f"/tables/{'A' * 101}", MALFORMED),
    ],
)
@asynchronous
async def test_addresses_that_lead_nowhere(
    method: str, path: str, expected: tuple[int, str, str]
) -> None:
    answer = await Desk().call(method, path)
    if path.endswith("/"):
        assert answer.status_code in (307, 404)
        return
    assert error_of(answer) == expected
    # What pages say helps no program.
    assert "start page" not in answer.json()["error"]["message"]


@asynchronous
async def test_below_api_every_answer_is_json() -> None:
    desk = Desk()
    async with desk.http() as http:
        assert error_of(await http.get("/api/v2/tables"))[2] == "not_found"
        assert error_of(await http.get("/api/"))[2] == "not_found"
        headers = {"origin": "https://evil.example"}
        answer = await http.post(f"{API}/tables", json={"name": "Ana"}, headers=headers)
        assert error_of(answer) == (403, "forbidden", "bad_origin")
        answer = await http.post(f"{API}/tables", json={"name": "A" * 20_000})
        assert error_of(answer) == (413, "malformed", "too_large")


@asynchronous
async def test_stale_illegal_and_malformed_are_three_things() -> None:
    desk = Desk()
    made = await desk.good("POST", "/tables", {"name": "Ana"})
    code, ana = made["table"]["code"], made["token"]
    ben = (await desk.good("POST", f"/tables/{code}/join", {"name": "Ben"}))["token"]
    await desk.good("POST", f"/tables/{code}/start", token=ana)
    seen = await desk.good("GET", f"/tables/{code}", token=ana)

    async def act(action: Any, version: int, token: str, seat: int) -> Any:
        body = {"seat": seat, "action": action, "version": version}
        return await desk.call("POST", f"/tables/{code}/act", body, token=token)

    answer = await act("draw", seen["version"], ana, 0)
    assert error_of(answer) == (409, "illegal", "wrong_phase")
    answer = await act("reveal r9c9", seen["version"], ana, 0)
    assert error_of(answer) == (409, "illegal", "bad_position")
    assert error_of(await act("fly", seen["version"], ana, 0)) == MALFORMED
    assert (await act("reveal r0c0", seen["version"], ana, 0)).is_success
    answer = await act("reveal r0c1", seen["version"], ana, 0)
    assert error_of(answer) == (409, "stale", "stale")
    answer = await act("reveal r0c1", seen["version"] + 50, ben, 1)
    assert error_of(answer) == (409, "stale", "stale")
    assert (await desk.good("GET", f"/tables/{code}"))["version"] == seen["version"] + 1


@asynchronous
async def test_rulesets_are_refused_in_words() -> None:
    answer = await Desk().call("POST", "/tables", {"name": "Ana", "ruleset": "house target=x"})
    assert error_of(answer) == (400, "ruleset", "ruleset")
    answer = await Desk().call("POST", "/tables", {"name": "Ana", "bots": ["nobody"]})
    assert error_of(answer) == (409, "refused", "no_such_bot")


@asynchronous
async def test_messages_come_in_the_language_asked_for() -> None:
    answer = await Desk().call("GET", "/tables", **{"accept-language": "de-AT"})
    english = await Desk().call("GET", "/tables")
    assert error_of(answer) == error_of(english)
    # What is not translated yet comes in English; this one is.
    answer = await Desk().call("GET", "/tables/ABCDEFGH", **{"accept-language": "de"})
    assert "Tisch" in answer.json()["error"]["message"]


@asynchronous
async def test_a_database_that_fails_is_said_so_and_nothing_is_half_done() -> None:
    desk = Desk()
    made = await desk.good("POST", "/tables", {"name": "Ana", "bots": ["any"], "start": True})
    code, token = made["table"]["code"], made["token"]
    good = desk.store.append

    async def fails(*_args: Any, **_options: Any) -> None:
        raise StoreError("The database could not be used: {reason}", reason="disk full")

    desk.store.append = fails  # type: ignore[method-assign]
    body = {"seat": 0, "action": "reveal r0c0", "version": made["table"]["version"]}
    answer = await desk.call("POST", f"/tables/{code}/act", body, token=token)
    assert error_of(answer) == (503, "unavailable", "store")
    desk.store.append = good  # type: ignore[method-assign]
    seen = await desk.good("GET", f"/tables/{code}", token=token)
    assert seen["version"] == made["table"]["version"]
    assert (await desk.call("POST", f"/tables/{code}/act", body, token=token)).is_success


@asynchronous
async def test_a_mistake_of_ours_is_a_500_with_a_sentence_and_no_details() -> None:
    desk = Desk()

    async def broken(*_args: Any, **_options: Any) -> None:
        raise RuntimeError("the secret of the cellar")

    desk.authority.find = broken  # type: ignore[assignment]
    async with desk.http() as http:
        http._transport.raise_app_exceptions = False  # type: ignore[attr-defined]
        answer = await http.get(f"{API}/tables/ABCDEFGH")
    assert error_of(answer) == (500, "internal", "internal")
    assert "cellar" not in answer.text


def test_codes_are_words_for_programs() -> None:
    assert all(code.replace("_", "").isalpha() and code.islower() for code in ALL_CODES)
    assert SkyjoError.code not in ALL_CODES
