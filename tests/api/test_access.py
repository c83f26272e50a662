"""Whose seat is whose: tokens, and what they do not give."""

from __future__ import annotations

import time
from typing import Any

import pytest
from tests.kit.programs import Desk
from tests.kit.tables import asynchronous

from skyjo.table.keys import new_secret
from skyjo.web.api.access import HOSTER_HEADER, hoster_token


class Party:
    """Ana is the host, Ben has joined, and the game has begun."""

    def __init__(self, desk: Desk, code: str, ana: str, ben: str) -> None:
        self.desk, self.code, self.ana, self.ben = desk, code, ana, ben

    @classmethod
    async def of(cls, desk: Desk, *, start: bool = True) -> Party:
        made = await desk.good("POST", "/tables", {"name": "Ana"})
        code = made["table"]["code"]
        ben = await desk.good("POST", f"/tables/{code}/join", {"name": "Ben"})
        if start:
            await desk.good("POST", f"/tables/{code}/start", token=made["token"])
        return cls(desk, code, made["token"], ben["token"])

    async def look(self, token: str = "") -> Any:
        return await self.desk.good("GET", f"/tables/{self.code}", token=token)

    async def refused(self, path: str, body: Any, token: str) -> tuple[int, str, str]:
        answer = await self.desk.call("POST", f"/tables/{self.code}{path}", body, token=token)
        assert not answer.is_success, answer.text
        error = answer.json()["error"]
        return answer.status_code, error["kind"], error["code"]


@asynchronous
async def test_a_seat_belongs_to_its_token() -> None:
    party = await Party.of(Desk())
    version = (await party.look())["version"]
    reveal = {"seat": 0, "action": "reveal r0c0", "version": version}
    assert await party.refused("/act", reveal, party.ben) == (403, "forbidden", "not_your_seat")
    assert await party.refused("/act", reveal, "") == (401, "forbidden", "no_token")
    stranger = party.desk.token(new_secret())
    assert await party.refused("/act", reveal, stranger) == (403, "forbidden", "not_your_seat")
    seen = await party.desk.good("POST", f"/tables/{party.code}/act", reveal, token=party.ana)
    assert seen["recent"][-1]["action"] == "reveal r0c0"


@asynchronous
async def test_only_tokens_of_this_server_count() -> None:
    party = await Party.of(Desk())
    good = party.ana
    payload, _dot, signature = good.rpartition(".")
    replaced = "B" if signature[0] == "A" else "A"
    forged = f"{payload}.{replaced}{signature[1:]}"
    other_server = Desk(seed=5)
    other_server.app.state.site.sessions.__init__(
        type(party.desk.app.state.site.settings)(data=None, key="6" * 64)
    )
    foreign = other_server.token(new_secret())
    for token in (forged, foreign, "x", "x" * 10_000, good[:-1], good + "A"):
        answer = await party.desk.call("GET", f"/tables/{party.code}", token=token)
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "bad_token")
        assert answer.headers["www-authenticate"] == "Bearer"
    for scheme in (f"Basic {good}", f"{good}", "Bearer", ""):
        answer = await party.desk.call("GET", f"/tables/{party.code}", authorization=scheme)
        assert answer.status_code == 401
    answer = await party.desk.call("GET", f"/tables/{party.code}", authorization=f"bearer {good}")
    assert answer.json()["mine"] == [0]


@asynchronous
async def test_a_cookie_is_no_token_and_a_token_no_cookie() -> None:
    """A page elsewhere can make a browser send its cookie; here it must count for nothing."""
    desk = Desk()
    party = await Party.of(desk)
    sessions = desk.app.state.site.sessions
    secret = sessions.value("api", party.ana)
    cookie = sessions.signed(secret)
    answer = await desk.call("GET", f"/tables/{party.code}", cookie=f"{sessions.cookie}={cookie}")
    assert answer.json()["onlooker"]
    answer = await desk.call("GET", f"/tables/{party.code}", token=cookie)
    assert answer.status_code == 401
    async with desk.http() as http:
        headers = {"cookie": f"{sessions.cookie}={party.ana}"}
        assert (await http.get(f"/t/{party.code}/seats", headers=headers)).status_code == 403


@asynchronous
async def test_nothing_that_is_shown_gives_a_right() -> None:
    party = await Party.of(Desk())
    shown = await party.look(party.ben)
    words = [shown["id"], shown["code"], *(str(value) for value in shown["seats"][0].values())]
    for word in words:
        answer = await party.desk.call("GET", "/tables", token=word or "-")
        assert answer.status_code == 401
        answer = await party.desk.call("POST", f"/tables/{party.code}/claim", {"link": word})
        assert answer.json()["error"]["code"] == "bad_link"


@asynchronous
async def test_a_personal_link_moves_a_seat_until_it_is_renewed() -> None:
    party = await Party.of(Desk())
    path = f"/tables/{party.code}"
    link = (await party.desk.good("GET", f"{path}/link?seat=0", token=party.ana))["link"]
    assert link.startswith(f"http://table.example/t/{party.code}/seat/")
    other = await party.desk.good("POST", f"{path}/claim", {"link": link})
    assert other["token"] != party.ana
    assert other["seat"] == 0
    version = other["table"]["version"]
    body = {"seat": 0, "version": version}
    await party.desk.good("POST", f"{path}/renew-link", body, token=party.ana)
    assert (await party.look(other["token"]))["onlooker"]
    assert await party.refused("/claim", {"link": link}, "") == (403, "forbidden", "bad_link")
    answer = await party.desk.call("GET", f"{path}/link?seat=1", token=party.ana)
    assert answer.json()["error"]["code"] == "not_your_seat"


@asynchronous
async def test_the_host_alone_decides_about_the_table() -> None:
    party = await Party.of(Desk(), start=False)
    version = (await party.look())["version"]
    seat = {"seat": 0, "version": version}
    for path, body in [
        ("/start", {}),
        ("/add-bot", {"bot": "any"}),
        ("/remove", seat),
        ("/ruleset", {"ruleset": "plain"}),
        ("/pace", {"pace": "none"}),
        ("/hand-over", seat),
    ]:
        assert await party.refused(path, body, party.ben) == (403, "forbidden", "not_host"), path
        assert await party.refused(path, body, "") == (401, "forbidden", "no_token"), path


@asynchronous
async def test_the_rules_do_not_change_during_play() -> None:
    party = await Party.of(Desk())
    refused = await party.refused("/ruleset", {"ruleset": "plain"}, party.ana)
    assert refused == (409, "refused", "already_started")


@pytest.mark.parametrize("another", [False, True])
@asynchronous
async def test_one_token_may_have_several_seats(another: bool) -> None:
    party = await Party.of(Desk(), start=False)
    body = {"name": "Ana's brother", "another": another}
    again = await party.desk.good("POST", f"/tables/{party.code}/join", body, token=party.ana)
    assert again["token"] == party.ana
    assert again["seat"] == (2 if another else 0)
    assert again["table"]["mine"] == ([0, 2] if another else [0])


@asynchronous
async def test_the_tables_of_a_token() -> None:
    party = await Party.of(Desk())
    heads = await party.desk.good("GET", "/tables", token=party.ana)
    assert [(head["code"], head["phase"]) for head in heads] == [(party.code, "playing")]
    assert await party.desk.good("GET", "/tables", token=party.desk.token(new_secret())) == []


@asynchronous
async def test_a_table_is_found_by_its_id_and_by_its_code_as_people_type_it() -> None:
    party = await Party.of(Desk())
    seen = await party.look()
    spaced = f"{party.code[:4].lower()}-{party.code[4:]}"
    for name in (seen["id"], spaced, party.code):
        assert (await party.desk.good("GET", f"/tables/{name}"))["id"] == seen["id"]
    for name in ("a" * 16, "ABCDEFGH", "x", "%20", "0" * 90):
        answer = await party.desk.call("GET", f"/tables/{name}")
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "unknown_table")


@asynchronous
async def test_only_the_hoster_s_key_deletes_without_a_seat() -> None:
    party = await Party.of(Desk())
    sessions = party.desk.app.state.site.sessions
    path = f"/tables/{party.code}"
    now = time.time()
    late = hoster_token(sessions, now - 3600)
    other = sessions.token("api", str(int(now)))
    for wrong in ("", "x", late, hoster_token(sessions, now)[:-1], other, party.ana):
        answer = await party.desk.call("DELETE", path, **{HOSTER_HEADER: wrong})
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "no_token")
        answer = await party.desk.call("DELETE", path, token=party.ben, **{HOSTER_HEADER: wrong})
        assert answer.json()["error"]["code"] == "not_host"
    good = {HOSTER_HEADER: hoster_token(sessions, now)}
    assert (await party.desk.call("DELETE", path, **good)).status_code == 204
    assert (await party.desk.call("GET", path)).status_code == 404
