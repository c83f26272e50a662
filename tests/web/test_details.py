"""Small things that people stumbled over, one test each."""

from __future__ import annotations

import logging
import re
import socket
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect
from tests.web.browsing import Visitor as BrowserPerson
from tests.web.forms import Page
from tests.web.harness import Person

from skyjo.bots import LADDER

Visitor = Callable[..., Person]


class Heard(logging.Handler):
    """Keeps what is logged."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@pytest.mark.parametrize("path", ["/play", "/join", "/pad/new", "/api/v1/tables"])
def test_half_a_form_is_no_fault(visitor: Visitor, server: str, path: str) -> None:
    heard = Heard()
    logger = logging.getLogger("uvicorn.error")
    logger.addHandler(heard)
    try:
        host, port = urlsplit(server).hostname, urlsplit(server).port
        with socket.create_connection((host, port)) as connection:
            head = f"POST {path} HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Length: 100\r\n"
            kind = "json" if "api" in path else "x-www-form-urlencoded"
            connection.sendall(f"{head}Content-Type: application/{kind}\r\n\r\nabc".encode())
            assert visitor().get("/rules").status_code == 200
        for _ in range(3):
            assert visitor().get("/").status_code == 200
    finally:
        logger.removeHandler(heard)
    assert not heard.records


def test_two_wishes_within_a_moment_are_two(visitor: Visitor) -> None:
    ana = visitor()
    ana.page("/")
    places = [
        ana.play(1, name="Ana"),
        ana.make("Ana"),
        ana.make("Zoe"),
        ana.play(1, name="Zoe"),
        ana.play(2, name="Ana"),
    ]
    assert len(set(places)) == 5
    assert [ana.make("Ana"), ana.play(1, name="Ana")] == [places[1], places[0]]


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"target": "0"}, "“Points that end the game” must be a whole number from 1 to 1000000"),
        ({"target": ""}, "“Points that end the game” must be a whole number"),
        ({"max_rounds": "x"}, "“Most rounds” must be a whole number from 1 to 1000000, or empty"),
        ({"penalty_when": "maybe"}, "“When the closing player is punished” has no such choice"),
        (
            {"column_removal": "player_choice", "row_removal": "on"},
            "“Columns of three equal cards” and “Rows of four equal cards” do not go together",
        ),
        (
            {"penalty_scope": "total", "penalty_multiplier": "11"},
            "“Penalty factor” must not be higher than 10 while “What the penalty changes” is",
        ),
    ],
)
def test_house_rules_are_refused_in_the_words_of_the_page(
    visitor: Visitor, fields: dict[str, str], sentence: str
) -> None:
    ana = visitor()
    table = ana.make()
    before = ana.page(table).form("/rules").fields
    answer = ana.post(f"{table}/rules", {"preset": "official", "knobs": "1", **fields})
    assert answer.status_code == 400
    words = Page(answer.text).words
    assert sentence in words
    assert not any(name in words for name in fields)
    new = ana.post("/pad/new", {"names": "Ana", "preset": "official", "knobs": "1", **fields})
    assert new.status_code != 500
    kept = ana.page(table).form("/rules").fields
    assert before.pop("version") <= kept.pop("version")
    assert kept == before


@pytest.mark.parametrize("name", ["x" * 25, "\u200b"])
def test_a_refused_name_stays_in_its_field(visitor: Visitor, name: str) -> None:
    ana, ben = visitor(), visitor()
    table = ana.make()
    answer = ben.post("/tables", {"name": name})
    assert answer.status_code == 400
    assert Page(answer.text).form("/tables").fields["name"] == name
    answer = ben.post(f"{table}/join", {"name": name, "first": "1"})
    assert answer.status_code == 400
    assert Page(answer.text).form("/join").fields["name"] == name
    assert "http-equiv" not in answer.text, "a reload would throw it away"


def test_a_refused_code_stays_in_its_field(visitor: Visitor) -> None:
    answer = visitor().post("/join", {"code": "WRONG<1>"})
    assert answer.status_code == 404
    assert Page(answer.text).form("/join").fields["code"] == "WRONG<1>"


def test_a_field_takes_the_longest_name_and_no_longer_one(visitor: Visitor) -> None:
    ana = visitor()
    assert 'name="name" value="" maxlength="24"' in ana.get("/").text
    table = ana.make("x" * 24)
    assert 'maxlength="24"' in visitor().get(table).text
    assert 'maxlength="24"' in ana.get(f"{table}/seats").text
    assert "40" not in [tag[1].get("maxlength") for tag in ana.page(f"{table}/seats").attributes]


def test_a_personal_link_says_whose_seat_it_is_and_an_old_one_asks_nothing(
    visitor: Visitor,
) -> None:
    ana = visitor()
    table = ana.make("Ana")
    ana.join(table, "Zoe")
    found = re.findall(rf"{table}/seat/([^\s<\"]+)", ana.get(f"{table}/seats").text)
    links = list(dict.fromkeys(found))
    other = visitor()
    for name, token in zip(("Ana", "Zoe"), links, strict=True):
        page = other.page(f"{table}/seat/{token}")
        assert f"personal link of {name} to" in page.words
        assert page.has(f"/seat/{token}")
    ana.send(f"{table}/renew", {"seat": 1, "version": ana.version(table)})
    for token in (links[1], "invented"):
        answer = other.get(f"{table}/seat/{token}")
        assert answer.status_code == 403
        assert not Page(answer.text).has(f"/seat/{token}")


def test_an_open_invitation_learns_that_the_game_has_begun(
    visitor: Visitor, people: Callable[..., BrowserPerson]
) -> None:
    ana = visitor()
    table = ana.make("Ana")
    ana.send(f"{table}/bot", {"bot": "greedy", "version": ana.version(table)})
    assert '<meta http-equiv="refresh"' in visitor().get(table).text
    page = people().page
    page.clock.install()
    page.goto(table)
    page.locator("input[name=name]").fill("Ben")
    page.clock.run_for(30_000)
    assert page.locator("input[name=name]").input_value() == "Ben"
    page.locator("input[name=name]").fill("")
    ana.send(f"{table}/start", {"version": ana.version(table)})
    page.clock.run_for(11_000)
    page.locator("#draw").wait_for()


def test_the_settings_page_has_one_heading(visitor: Visitor) -> None:
    assert re.findall(r"<h\d[^>]*>(.*?)</h\d>", visitor().get("/settings").text) == ["Settings"]


def test_bots_are_offered_from_the_weakest_on_with_the_same_choice_everywhere(
    visitor: Visitor,
) -> None:
    ana = visitor(**{"accept-language": "en"})
    start = ana.page("/")
    offered = [tag[1]["value"] for tag in start.attributes if tag[1].get("name") == "bot"]
    assert offered == list(LADDER)
    table = ana.make("Ana")
    lobby = ana.page(table)
    assert start.form("/play").fields["bot"] == lobby.form("/bot").fields["bot"] == "casual"
    for _ in range(2):
        ana.send(f"{table}/bot", {"bot": "threshold:3", "version": ana.version(table)})
    assert re.findall(r"<bdi>(.*?)</bdi>", ana.get(table).text) == ["Ana", "Thrifty", "Thrifty 2"]
    assert "<bdi>Thrifty</bdi>" in ana.get(ana.play(1, "threshold:3")).text


def test_a_game_that_is_opened_again_shows_how_it_ended(
    visitor: Visitor, people: Callable[..., BrowserPerson]
) -> None:
    person = people()
    ana = visitor()
    table = ana.play(1)
    ana.send(f"{table}/leave", {"seat": 0, "version": ana.version(table)})
    page = person.page
    page.goto(table)
    page.locator("#result-title").wait_for()
    cards = page.locator(".to-cards")
    cards.click()
    expect(page.locator("#result-title")).to_be_hidden()
    page.locator(".to-result").click()
    expect(page.locator("#result-title")).to_be_visible()
    cards.click()
    page.reload()
    expect(page.locator("#result-title")).to_be_visible()


def test_the_number_of_a_name_is_never_cut_off(people: Callable[..., BrowserPerson]) -> None:
    page = people().page
    page.goto("/")
    page.locator("#quick summary").click()
    page.locator("input[name=count][value='7']").check()
    page.locator("#quick ~ button, form[action='/play'] button").first.click()
    page.locator("#draw").wait_for()
    numbers = page.locator(".other .who .nr")
    assert numbers.all_inner_texts() == ["2", "3", "4", "5", "6", "7"]
    for each in numbers.all():
        assert each.evaluate("e => e.scrollWidth <= e.clientWidth || !e.clientWidth")
        box, seat = each.bounding_box(), each.locator("xpath=ancestor::section").bounding_box()
        assert box
        assert seat
        assert seat["x"] <= box["x"]
        assert box["x"] + box["width"] <= seat["x"] + seat["width"]


@pytest.mark.parametrize("width", [360, 1440])
def test_the_number_of_a_card_that_has_just_changed_is_in_its_middle(
    people: Callable[..., BrowserPerson], width: int
) -> None:
    page = people(viewport={"width": width, "height": 740}).page
    page.goto("/")
    page.locator("form[action='/play'] button").first.click()
    # Bots play on meanwhile: card and number are measured in one look at the page.
    shift = """card => {
        const middle = box => (box.top + box.bottom) / 2
        const number = card.querySelector("b").getBoundingClientRect()
        return Math.abs(middle(number) - middle(card.getBoundingClientRect()))
    }"""
    page.locator(".c.fresh b").first.wait_for()
    assert page.locator(".c.fresh:has(b)").first.evaluate(shift) < 1
