"""Whole games in real browsers."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect
from tests.web.browsing import Visitor, play_on

People = Callable[..., Visitor]


def set_up(host: Visitor, guests: list[Visitor], bots: int = 0, **rules: str) -> str:
    """A table made, joined and begun by what the pages offer."""
    path = host.make_table("Ana")
    for name, guest in zip(
        ("Ben", "Cleo", "Dan", "Eve", "Finn", "Gil", "Hana"), guests, strict=False
    ):
        guest.join(path, name)
    for _ in range(bots):
        before = host.version
        host.page.locator("form[action$='/bot'] button").click()
        host.later_than(before)
    if rules:
        host.page.locator("#house summary").click()
        for knob, value in rules.items():
            host.page.locator(f"#k-{knob}").fill(value)
        before = host.version
        host.page.locator("#knobs button").click()
        host.later_than(before)
    host.page.locator("form[action$='/start'] button").click()
    for person in (host, *guests):
        person.page.locator("#play").wait_for()
        person.connected()
    return path


def test_two_people_and_a_bot_play_a_whole_game(people: People) -> None:
    ana, ben = people(), people(viewport={"width": 1440, "height": 900})
    path = set_up(ana, [ben], bots=1, max_rounds="1")
    play_on([ana, ben])
    for person in (ana, ben):
        expect(person.page.locator(".ranks li")).to_have_count(3)
        assert person.page.locator(".scores table").count()
    ana.page.locator("form[action$='/rematch'] button").click()
    ana.page.wait_for_url(lambda url: path not in url)
    again = ben.page.get_by_role("link", name="To the rematch")
    again.click()
    ben.page.wait_for_url(lambda url: path not in url)
    assert ben.path == ana.path
    ana.until_turn()
    ben.until_turn()
