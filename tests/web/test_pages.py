"""Every page and form as a browser without scripts meets it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from tests.web.forms import Page
from tests.web.harness import Person
from tests.web.robot import play_out

from skyjo.i18n import available_languages

Visitor = Callable[..., Person]

CODE = re.compile(r"/t/([0-9A-Z]{8})")


def code_of(path: str) -> str:
    found = CODE.fullmatch(path)
    assert found, path
    return found[1]


# --- start ----------------------------------------------------------------------------------


def test_two_taps_from_the_start_page_to_the_first_card(visitor: Visitor) -> None:
    ana = visitor()
    start = ana.page("/")
    table = Page(ana.press(start.form("/play")).text)
    act = table.form("/act")
    assert any("reveal" in value for value in act.values())
    shown = ana.press(act, act.values()[0])
    assert shown.status_code == 200
    assert f"reveal {act.values()[0].split()[1]}" not in Page(shown.text).form("/act").values()


def test_a_visitor_is_told_everything_in_their_language(visitor: Visitor) -> None:
    for language in available_languages():
        page = visitor(**{"accept-language": f"{language.code};q=0.9, es"}).page("/")
        assert page.lang == language.code
    assert visitor(**{"accept-language": "es, pt;q=0.5"}).page("/").lang == "en"


def test_the_choice_of_a_language_is_remembered(visitor: Visitor) -> None:
    ana = visitor()
    answer = ana.post("/settings", {"lang": "uk", "next": "/rules"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/rules")
    assert ana.page("/").lang == "uk"
    assert ana.page("/rules").lang == "uk"
    ana.post("/settings", {"lang": "tlh"})
    assert ana.page("/").lang == "uk"


def test_theme_and_sound_are_remembered(visitor: Visitor) -> None:
    ana = visitor()
    ana.post("/settings", {"theme": "dark", "sound": "on"})
    html = dict(ana.page("/").attributes)["html"]
    assert (html["data-theme"], html["data-sound"]) == ("dark", "on")
    ana.post("/settings", {"theme": "purple", "sound": "loud"})
    html = dict(ana.page("/").attributes)["html"]
    assert (html["data-theme"], html["data-sound"]) == ("dark", "on")


@pytest.mark.parametrize(
    "target",
    ["//evil.example/", "https://evil.example/", "/\\evil.example", "javascript:alert(1)", "",
     "/\r\nset-cookie: a=b", "/\x00", "\\\\evil.example"],
)  # fmt: skip
def test_settings_lead_nowhere_else(visitor: Visitor, target: str) -> None:
    answer = visitor().post("/settings", {"lang": "de", "next": target})
    assert answer.headers["location"] == "/"
    assert "evil" not in str(answer.headers)


def test_my_games_are_found_again(visitor: Visitor) -> None:
    ana = visitor()
    assert not [link for link in ana.page("/").links if link.startswith("/t/")]
    lobby, game = ana.make("Ana"), ana.play(2)
    assert {lobby, game} <= set(ana.page("/").links)
    assert not [link for link in visitor().page("/").links if link.startswith("/t/")]


def test_the_last_choice_of_opponents_is_offered_again(visitor: Visitor) -> None:
    ana = visitor()
    ana.play(5, "skilled")
    form = ana.page("/").form("/play")
    assert (form.fields["count"], form.fields["bot"]) == ("5", "skilled")


@pytest.mark.parametrize("fields", [{"count": 0}, {"count": 8}, {"count": 1, "bot": "genius"}])
def test_impossible_opponents_are_refused_on_the_start_page(
    visitor: Visitor, fields: dict[str, object]
) -> None:
    answer = visitor().post("/play", fields)
    assert 400 <= answer.status_code < 500
    assert Page(answer.text).has("/play")
    assert 'role="alert"' in answer.text


def test_two_fast_taps_make_one_game(visitor: Visitor) -> None:
    ana = visitor()
    form = ana.page("/").form("/play")
    first, second = (ana.post(form.action, form.fields) for _ in range(2))
    assert first.headers["location"] == second.headers["location"]
    assert ana.make("Ana") != first.headers["location"] != ana.play(3)


# --- lobby ----------------------------------------------------------------------------------


def test_link_code_and_qr_code_are_there_as_text(visitor: Visitor, server: str) -> None:
    ana = visitor()
    path = ana.make("Ana")
    html = ana.get(path).text
    assert f"{server}{path}" in html
    assert code_of(path) in html
    assert "<svg viewBox" in html


@pytest.mark.parametrize(
    "typed",
    [
        str,
        str.lower,
        lambda code: f" {code[:4]}-{code[4:]} ",
        lambda code: f"{code[:4]} {code[4:]}",
    ],
)
def test_people_join_by_the_code_as_they_type_it(
    visitor: Visitor, typed: Callable[[str], str]
) -> None:
    ana, ben = visitor(), visitor()
    path = ana.make("Ana")
    answer = ben.post("/join", {"code": typed(code_of(path))})
    assert (answer.status_code, answer.headers["location"]) == (303, path)
    seated = ben.press(ben.page(path).form("/join"), name="Ben")
    assert "Ben" in seated.text
    assert "Ben" in ana.get(path).text


def test_joining_with_a_name_needs_one_step(visitor: Visitor) -> None:
    ana, ben = visitor(), visitor()
    path = ana.make("Ana")
    ben.post("/join", {"code": code_of(path), "name": "Ben"})
    assert Page(ben.get(path).text).has("/leave")


def test_a_link_is_read_in_any_case(visitor: Visitor) -> None:
    ana = visitor()
    path = ana.make("Ana")
    answer = ana.http.get(path.lower().replace("/t/", "/t/"))
    assert (answer.status_code, answer.headers["location"]) == (303, path)


@pytest.mark.parametrize(
    "code", ["", "nonsense", "ABCDEFGH", "%00", "../../etc", "🎴" * 8, "A" * 9000]
)
def test_a_code_that_is_none_is_told_on_the_start_page(visitor: Visitor, code: str) -> None:
    answer = visitor().post("/join", {"code": code})
    assert 400 <= answer.status_code < 500
    assert Page(answer.text).has("/join")


def test_two_fast_taps_take_one_seat(visitor: Visitor) -> None:
    ana, ben = visitor(), visitor()
    path = ana.make("Ana")
    form = ben.page(path).form("/join")
    for _ in range(2):
        assert ben.post(form.action, {**form.fields, "name": "Ben"}).status_code == 303
    assert ana.get(path).text.count("<bdi>Ben</bdi>") == 1


def test_the_host_sets_up_the_table_and_begins(visitor: Visitor) -> None:
    ana, ben = visitor(), visitor()
    path = ana.make("Ana")
    ben.join(path, "Ben")
    lobby = ana.page(path)
    ana.press(lobby.form("/bot"), bot="random")
    ana.send(f"{path}/rules", {"preset": "family"})
    ana.send(f"{path}/rules", {"preset": "family", "knobs": "1", "target": "40", "max_rounds": ""})
    ana.send(f"{path}/pace", {"pace": "none"})
    assert "Ben" in ana.get(path).text
    game = ana.press(ana.page(path).form("/start"))
    assert Page(game.text).may_act()
    assert Page(ben.get(path).text).may_act()
    rules = ben.get(f"/rules?table={code_of(path)}")
    assert "40" in rules.text


def test_only_the_host_sees_and_does_what_the_host_may(visitor: Visitor) -> None:
    ana, ben = visitor(), visitor()
    path = ana.make("Ana")
    ben.join(path, "Ben")
    page = ben.page(path)
    version = ben.version(path)
    for name, fields in dict[str, dict[str, Any]](
        {
            "start": {},
            "bot": {"bot": "random"},
            "rules": {"preset": "plain"},
            "pace": {"pace": "slow"},
            "remove": {"seat": 0},
            "host": {"seat": 1},
        }
    ).items():
        assert not page.has(f"/{name}"), name
        answer = ben.post(f"{path}/{name}", {**fields, "version": version})
        assert answer.status_code == 403, name
    assert ana.version(path) == version


def test_the_rules_cannot_change_after_the_deal(visitor: Visitor) -> None:
    """failures 28: the host changes the rules in the middle of a game."""
    ana, ben = visitor(), visitor()
    path = ana.make("Ana")
    ben.join(path, "Ben")
    ana.post(f"{path}/start")
    version = ana.version(path)
    for name, fields in dict[str, dict[str, Any]]({
        "rules": {"preset": "plain"}, "start": {}, "bot": {"bot": "random"}, "remove": {"seat": 1},
        "join": {"name": "Eve"}, "rename": {"seat": 0, "name": "Zoe"},
    }).items():  # fmt: skip
        answer = ana.post(f"{path}/{name}", {**fields, "version": version})
        assert answer.status_code == 409, (name, answer.text)
    assert ana.version(path) == version


def test_the_host_may_hand_over_and_leave_and_nobody_is_thrown_out(visitor: Visitor) -> None:
    """failures 23: the host leaves and everyone is thrown out."""
    ana, ben, eve = visitor(), visitor(), visitor()
    path = ana.make("Ana")
    ben.join(path, "Ben")
    eve.join(path, "Eve")
    ana.press(ana.page(path).form("/host"))
    assert ben.page(path).has("/start")
    ben.press(ben.page(path).form("/leave"))
    page = ana.page(path)
    assert "Eve" in page.words
    assert page.has("/start") or eve.page(path).has("/start")


def test_somebody_who_is_removed_is_asked_to_sit_down_again(visitor: Visitor) -> None:
    ana, ben = visitor(), visitor()
    path = ana.make("Ana")
    ben.join(path, "Ben")
    ana.press(ana.page(path).form("/remove"))
    page = ben.page(path)
    assert page.has("/join")
    assert not page.has("/leave")


def test_a_full_table_says_so(visitor: Visitor) -> None:
    ana = visitor()
    path = ana.make("Ana")
    for _ in range(7):
        assert ana.post(f"{path}/bot", {"bot": "random"}).status_code == 303
    assert ana.post(f"{path}/bot", {"bot": "random"}).status_code == 409
    late = visitor()
    assert not late.page(path).has("/join")
    answer = late.post(f"{path}/join", {"name": "Late"})
    assert answer.status_code == 409


def test_several_people_on_one_device(visitor: Visitor) -> None:
    ana = visitor()
    path = ana.make("Ana")
    seats = ana.page(f"{path}/seats")
    ana.press(seats.form("/join"), name="Ben")
    ana.press(ana.page(path).form("/start"))
    seen = set()
    for _ in range(4):
        page = ana.page(path)
        act = page.form("/act")
        seen.add(act.fields["seat"])
        ana.press(act, act.values()[0])
    assert seen == {"0", "1"}


# --- playing --------------------------------------------------------------------------------


def test_a_whole_game_without_scripts(visitor: Visitor) -> None:
    ana, ben = visitor(), visitor()
    path = ana.make("Ana")
    ben.join(path, "Ben")
    ana.post(f"{path}/bot", {"bot": "greedy"})
    ana.post(
        f"{path}/rules", {"preset": "official", "knobs": "1", "max_rounds": "2", "target": "500"}
    )
    ana.post(f"{path}/start")
    between: set[int] = set()
    over = play_out([ana, ben], path, rounds_seen=between)
    assert between, "nobody was asked to be ready"
    assert over.has("/rematch")
    replay = next(link for link in over.links if link.startswith("/replay/"))
    stranger = visitor()
    first, last = stranger.get(replay), stranger.get(f"{replay}?at=100000")
    assert first.status_code == last.status_code == 200
    record = stranger.get(f"{replay}/record")
    assert record.headers["content-disposition"].startswith("attachment")
    assert "Ana" in record.text
    assert record.text == ana.get(f"{path}/record").text
    again = ana.press(over.form("/rematch"))
    assert Page(again.text).may_act()
    other = ben.http.get(f"{path}/next")
    assert other.headers["location"] == str(again.url.path)


def test_a_page_without_scripts_reloads_itself_only_while_others_play(visitor: Visitor) -> None:
    ana, ben = visitor(), visitor()
    path = ana.make("Ana")
    ben.join(path, "Ben")
    refresh = '<noscript><meta http-equiv="refresh"'
    assert refresh in ben.get(path).text
    ana.post(f"{path}/start")
    for person in (ana, ben):
        assert refresh not in person.get(path).text
    for _ in range(2):
        act = ana.page(path).form("/act")
        ana.press(act, act.values()[0])
    assert refresh in ana.get(path).text
    assert refresh not in ben.get(path).text


def test_a_stale_form_is_answered_with_the_present_table(visitor: Visitor) -> None:
    """failures 32: a second fast tap plays a second move."""
    ana = visitor()
    path = ana.play(1)
    act = ana.page(path).form("/act")
    first, second = act.values()[:2]
    ana.press(act, first)
    version = ana.version(path)
    late = ana.press(act, second)
    assert late.status_code == 200
    assert Page(late.text).may_act()
    assert "moved on" in late.text
    assert ana.version(path) == version
    quiet = ana.post(act.action, {**act.fields, "action": second}, **{"hx-request": "true"})
    assert (quiet.status_code, quiet.text) == (204, "")
    assert ana.version(path) == version


def test_forms_of_scripts_get_nothing_or_one_sentence(visitor: Visitor) -> None:
    ana = visitor()
    path = ana.play(1)
    act = ana.page(path).form("/act")
    script = {"hx-request": "true"}
    done = ana.post(act.action, {**act.fields, "action": act.values()[0]}, **script)
    assert (done.status_code, done.text) == (204, "")
    wrong = ana.post(
        act.action, {**act.fields, "version": ana.version(path), "action": "draw"}, **script
    )
    assert wrong.status_code == 409
    assert "<html" not in wrong.text
    assert 'class="toast"' in wrong.text
    over = ana.post(f"{path}/leave", {"seat": 0, "version": ana.version(path)}, **script)
    assert over.status_code == 204
    assert over.headers["hx-redirect"] == path


def test_taking_goes_together_with_its_place_or_not_at_all(visitor: Visitor) -> None:
    ana = visitor()
    path = ana.make("Ana")
    ana.press(ana.page(f"{path}/seats").form("/join"), name="Ben")
    ana.post(f"{path}/start")
    for _ in range(4):
        act = ana.page(path).form("/act")
        ana.press(act, act.values()[0])
    act = ana.page(path).form("/act")
    version = ana.version(path)
    for wrong in (
        "take, swap r9c9",
        "take, discard",
        "draw, swap r0c0",
        "take, take",
        "take, swap r0c0, draw",
        ",",
    ):
        answer = ana.post(act.action, {**act.fields, "action": wrong})
        assert 400 <= answer.status_code < 500, wrong
        assert ana.version(path) == version, wrong
    answer = ana.post(act.action, {**act.fields, "action": "take, swap r0c0"})
    assert answer.status_code == 303
    assert ana.version(path) == version + 2


def test_leaving_for_good_is_asked_first(visitor: Visitor) -> None:
    ana, ben, eve = visitor(), visitor(), visitor()
    path = ana.make("Ana")
    ben.join(path, "Ben")
    eve.join(path, "Eve")
    ana.post(f"{path}/start")
    question = ben.page(f"{path}/leave?seat=1")
    ben.press(question.form("/leave"))
    assert not ben.page(path).may_act()
    assert "left" in ana.get(path).text
    assert ana.page(path).may_act()


def test_a_bot_stands_in_and_one_plays_oneself_again(visitor: Visitor) -> None:
    ana, ben = visitor(), visitor()
    path = ana.make("Ana")
    ben.join(path, "Ben")
    ana.post(f"{path}/start")
    ana.press(ana.page(path).form("/stand-in"))
    page = ana.page(path)
    assert page.has("/back")
    ana.press(page.form("/back"))
    assert not ana.page(path).has("/back")


# --- moving, watching -----------------------------------------------------------------------


def test_a_personal_link_brings_a_seat_to_another_browser(visitor: Visitor, server: str) -> None:
    ana, ben, phone, thief = visitor(), visitor(), visitor(), visitor()
    path = ana.make("Ana")
    ben.join(path, "Ben")
    ana.post(f"{path}/start")
    found = re.search(rf"{server}({path}/seat/\w+)", ana.get(f"{path}/seats").text)
    assert found
    link = found[1]
    before = ana.version(path)
    assert not phone.page(link).may_act()
    assert ana.version(path) == before, "looking at a link must not change anything"
    phone.press(phone.page(link).form(link))
    assert phone.page(path).may_act()
    assert path in phone.page("/").links
    ana.press(ana.page(f"{path}/seats").form("/renew"))
    assert thief.post(link).status_code == 403
    assert not thief.page(path).may_act()
    assert not phone.page(path).may_act(), "renewing puts other devices off the seat"
    assert ana.page(path).may_act()


def test_onlookers_see_the_game_and_can_do_nothing(visitor: Visitor) -> None:
    ana, onlooker = visitor(), visitor()
    path = ana.play(1)
    page = onlooker.page(path)
    for form in page.forms:
        assert not form.values() or form.action == "/settings", form
    answer = onlooker.post(
        f"{path}/act", {"seat": 0, "version": ana.version(path), "action": "draw"}
    )
    assert answer.status_code == 403
    assert f"{path}/seats" not in page.links
    assert onlooker.get(f"{path}/seats").status_code == 403
    assert onlooker.get(f"{path}/leave?seat=0").status_code == 403


# --- everything else ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", ["/how", "/how?step=2", "/rules", "/rules?preset=family", "/settings"]
)
def test_pages_that_need_no_table(visitor: Visitor, path: str) -> None:
    page = visitor().page(path)
    assert page.lang == "en"
    assert page.words.strip()


def test_the_manifest_names_files_that_exist(visitor: Visitor) -> None:
    ana = visitor()
    manifest = json.loads(ana.get("/manifest.webmanifest").text)
    assert manifest["start_url"] == "/"
    for icon in manifest["icons"]:
        found = ana.get(icon["src"])
        assert found.status_code == 200
        assert found.headers["content-type"].startswith(icon["type"])
    assert ana.get("/favicon.ico").status_code == 200


def test_everything_that_a_page_names_is_there_and_named_by_its_content(visitor: Visitor) -> None:
    """failures 34: a stale cached page keeps old code for days."""
    ana = visitor()
    for path in ("/", ana.play(1), ana.make("Ana")):
        answer = ana.get(path)
        assert answer.headers["cache-control"] == "no-store"
        for tag, attributes in Page(answer.text).attributes:
            url = attributes.get("src" if tag == "script" else "href", "")
            if tag in ("script", "link", "img") and not url.startswith("#"):
                found = ana.get(url)
                assert found.status_code == 200, url
                if url != "/manifest.webmanifest":
                    assert "immutable" in found.headers["cache-control"], url


def test_head_asks_for_the_same_without_the_body(visitor: Visitor) -> None:
    answer = visitor().http.head("/")
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["content-security-policy"]


def test_a_bot_that_does_not_know_the_house_rules_says_so(visitor: Visitor) -> None:
    ana, ben = visitor(), visitor()
    path = ana.make("Ana")
    said = "Master was never trained by these rules and plays on with what it knows:"
    assert said not in ana.page(path).words
    chosen = {"preset": "official", "knobs": "1", "penalty_flat": "15"}
    ana.post(f"{path}/rules", {"version": ana.version(path), **chosen})
    # Where bots are chosen, and then beside the bot, for everybody.
    assert f"{said} “Penalty points”." in ana.page(path).words
    ben.join(path, "Ben")
    assert said not in ben.page(path).words
    ana.post(f"{path}/bot", {"version": ana.version(path), "bot": "master"})
    assert f"{said} “Penalty points”." in ben.page(path).words
    ana.post(f"{path}/start", {"version": ana.version(path)})
    assert f"{said} “Penalty points”." in ben.page(path).words
    ana.post("/settings", {"lang": "de"})
    assert "wurde nie nach diesen Regeln trainiert" in ana.page(path).words
