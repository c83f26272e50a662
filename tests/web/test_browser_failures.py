"""How others have failed their users, tried on our pages: one test for every line of the list.

The numbers are those of ``docs/failures.md``, lines 17 to 36. Those that need no browser are tested
elsewhere: ``FAILURES`` says where every line is, and a test looks whether it is there.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import expect
from tests.web.browsing import MOVES, Visitor, make_ready, quick_choice
from tests.web.browsing import on_turn as alone
from tests.web.cable import cable
from tests.web.conftest import QUICK, quick_app
from tests.web.harness import Process, free_port, in_thread
from tests.web.test_browser_games import set_up

from skyjo.table.ports import Settings as TableSettings

People = Callable[..., Visitor]

#: Away at once, idle at once: what takes minutes at a table takes moments here.
IMPATIENT = replace(QUICK, away_after=0.5, idle_after=1.0, host_idle_after=1.0)


@contextmanager
def impatient(folder: Path, table: TableSettings = IMPATIENT) -> Iterator[str]:
    with in_thread(quick_app(folder, table=table)) as url:
        yield url


def opening(*people: Visitor) -> None:
    """Everybody turns two cards."""
    for person in people:
        for _ in range(2):
            person.until_turn()
            person.press(person.offered()[0])


def on_turn(*people: Visitor) -> tuple[Visitor, Visitor]:
    """Who has to decide, and the other."""
    found = alone(list(people))
    return found, next(person for person in people if person is not found)


# --- stuck tables ---------------------------------------------------------------------------


def test_the_next_round_waits_for_nobody_who_is_gone(people: People, tmp_path: Path) -> None:
    """failures 17: the round never restarts because the awaited player is gone."""
    with impatient(tmp_path) as url:
        ana, ben = people(url), people(url)
        set_up(ana, [ben], turn_limit="1")
        opening(ana, ben)
        for _ in range(2):
            first, _other = on_turn(ana, ben)
            while first.offered():
                first.press(quick_choice(first.offered()))
        ana.page.locator("form[action$='/ready'] button").wait_for()
        ben.page.close()
        ana.page.locator(".people .person", has_text="Ben").filter(has_text="away").wait_for(
            state="attached"
        )
        make_ready(ana)
        ana.page.locator(f"{MOVES}[value^=reveal]").first.wait_for()
        ben.context.close()


def test_killed_with_a_card_in_hand_all_pages_go_on_by_themselves(
    people: People, tmp_path: Path
) -> None:
    """failures 18, 21, 22: what is lost by a restart, dead buttons, endless reconnecting."""
    port = free_port()
    where = ("--host", "127.0.0.1", "--port", str(port))
    with Process(tmp_path, *where) as server:
        url = server.ready()
        ana, ben = people(url), people(url, viewport={"width": 1280, "height": 800})
        set_up(ana, [ben])
        opening(ana, ben)
        first, other = on_turn(ana, ben)
        first.press("draw")
        in_hand = first.page.locator("#hand").get_attribute("data-n")
        offered, version = first.offered(), first.version
        other.later_than(version - 1)
        for person in (first, other):
            person.may_lose_connection = True
        server.kill()
        expect(first.page.locator("#offline")).to_be_visible()
    with Process(tmp_path, *where) as server:
        assert server.ready() == url
        for person in (first, other):
            expect(person.page.locator("#offline")).to_be_hidden()
            person.connected()
            assert person.version == version
        assert first.page.locator("#hand").get_attribute("data-n") == in_hand
        assert first.offered() == offered
        first.press("discard")
        other.later_than(version)
        first.press(first.offered()[0])
        other.until_turn()
        other.press("draw")
        first.context.close()
        other.context.close()


def test_a_table_of_two_does_not_wait_for_somebody_who_only_sits_there(
    people: People, tmp_path: Path
) -> None:
    """failures 19: a connected idler blocks a table of two for ever."""
    with impatient(tmp_path) as url:
        ana, ben = people(url), people(url)
        set_up(ana, [ben])
        opening(ana, ben)
        idler, other = on_turn(ana, ben)
        stand_in = other.page.locator(".asks form[action$='/stand-in'] button")
        stand_in.click()
        other.until_turn()
        # The idler is back with one press, and plays the next decision.
        idler.page.locator("form[action$='/back'] button").click()
        expect(idler.page.locator("form[action$='/back']")).to_have_count(0)


def test_a_game_outlives_everybodys_absence(people: People, tmp_path: Path) -> None:
    """failures 20: ten idle minutes delete a game that people meant to resume."""
    with impatient(tmp_path, replace(IMPATIENT, forget_after=0.2)) as url:
        ana = people(url)
        path = ana.play_bots()
        ana.connected()
        ana.until_turn()
        ana.press(ana.offered()[0])
        version = ana.version
        ana.page.goto("about:blank")
        time.sleep(1.5)  # long enough to be forgotten by the memory of the server
        ana.page.goto("/")
        ana.page.locator(f"a[href='{path}']").click()
        ana.until_turn()
        assert ana.version >= version
        ana.press(ana.offered()[0])


def test_a_connection_is_cut_and_comes_back(people: People, server: str) -> None:
    """failures 21: after a reconnect a button is dead or the screen is blank."""
    with cable(server) as wire:
        ana, ben = people(wire.url), people()
        set_up(ana, [ben])
        ana.may_lose_connection = True
        opening(ben)
        wire.pull()
        expect(ana.page.locator("#offline")).to_be_visible()
        assert ana.page.locator("#play .own .card").count() == 12, "the table stays to be seen"
        wire.plug()
        expect(ana.page.locator("#offline")).to_be_hidden()
        opening(ana)
        first, other = on_turn(ana, ben)
        before = other.version
        first.press(quick_choice(first.offered()))
        other.later_than(before)


def test_a_browser_goes_offline_and_comes_back(people: People) -> None:
    ana, ben = people(), people()
    set_up(ana, [ben])
    ana.may_lose_connection = True
    ana.context.set_offline(True)
    opening(ben)
    version = ben.version
    ana.context.set_offline(False)
    ana.later_than(version - 1)
    opening(ana)


def test_a_press_while_the_connection_is_cut_counts_once_or_can_be_repeated(
    people: People, server: str
) -> None:
    with cable(server) as wire:
        ana, ben = people(wire.url), people()
        set_up(ana, [ben])
        ana.may_lose_connection = True
        wire.pull()
        expect(ana.page.locator("#offline")).to_be_visible()
        version = ana.version
        with ana.answered("/act") as found:
            ana.moves().first.click()
            wire.plug()
        expect(ana.page.locator("#offline")).to_be_hidden()
        ana.connected()
        # Browsers may try again by themselves; either way it is never more than one move.
        if found != [0]:
            ana.later_than(version)
        assert ana.version == version + (found != [0])
        ana.press(ana.offered()[0])


def test_the_host_leaves_and_nobody_is_thrown_out(people: People) -> None:
    """failures 23: the host leaves and everyone is thrown out before seeing why."""
    ana, ben = people(), people()
    path = ana.make_table("Ana")
    ben.join(path, "Ben")
    ben.connected()
    ana.page.locator("form[action$='/leave'] button").click()
    ben.page.locator("form[action$='/start']").wait_for()
    assert ben.path == path
    expect(ben.page.locator(".people li")).to_have_count(1)


def test_the_seat_of_somebody_who_was_away_is_still_theirs(people: People, tmp_path: Path) -> None:
    """failures 24: a bot takes the seat during a reconnect, and the person cannot get it back."""
    with impatient(tmp_path) as url:
        ana, ben = people(url), people(url)
        path = set_up(ana, [ben])
        opening(ana, ben)
        gone, other = on_turn(ana, ben)
        gone.page.goto("about:blank")
        other.page.locator(".asks p", has_text="is away").wait_for()
        other.page.locator(".asks form[action$='/stand-in'] button").click()
        other.until_turn()
        gone.page.goto(path)
        gone.connected()
        expect(gone.page.locator("form[action$='/back']")).to_have_count(0)
        before = gone.version
        while other.offered():
            other.press(quick_choice(other.offered()))
        gone.later_than(before)
        gone.until_turn()
        gone.press(quick_choice(gone.offered()))


def test_nobody_joins_what_is_over_or_under_way(people: People) -> None:
    """failures 25: people join tables that are finished or abandoned."""
    ana, late = people(), people()
    path = ana.play_bots()
    late.page.goto(path)
    late.page.locator("#board.onlooker").wait_for()
    assert late.page.locator(f"form[action='{path}/join']").count() == 0
    assert late.offered() == []
    ana.page.goto(f"{path}/leave?seat=0")
    ana.page.locator("form[action$='/leave'] button").click()
    ana.page.wait_for_url(f"**{path}")
    late.page.goto("/")
    late.page.locator("form[action='/join'] input[name=code]").fill(path.rpartition("/")[2])
    late.page.locator("form[action='/join'] button").click()
    late.page.wait_for_url(f"**{path}")
    assert late.page.locator(f"form[action='{path}/join']").count() == 0


# --- cheating and safety --------------------------------------------------------------------


def test_a_page_sends_wishes_and_no_state(people: People) -> None:
    """failures 30: the page sends the new state and the server stores it."""
    ana, ben = people(), people()
    set_up(ana, [ben])
    sent: list[str] = []
    ana.page.on("request", lambda request: sent.append(request.post_data or ""))
    ana.press(ana.offered()[0])
    fields = {pair.partition("=")[0] for body in sent for pair in body.split("&") if body}
    assert fields == {"version", "seat", "action"}
    # A page that claims more is not believed.
    path, version = ana.path, ana.version
    form: dict[str, str | float | bool] = {
        "version": str(version),
        "seat": "0",
        "action": ana.offered()[0],
        "cells": "0,0,0",
        "hand": "-2",
        "total": "-100",
        "card": "-2",
    }
    answer = ana.page.request.post(f"{path}/act", form=form, headers={"origin": ana.url})
    assert answer.ok
    ana.later_than(version)
    assert ana.version == version + 1
    assert ana.page.locator(".acts .pts").inner_text().strip().endswith("0")


# --- hands and eyes -------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(360, 740), (390, 844), (320, 568)])
def test_eight_grids_and_the_own_one_fit_on_a_phone(people: People, size: tuple[int, int]) -> None:
    """failures 31: opponents' grids push one's own cards off the screen."""
    ana = people(viewport={"width": size[0], "height": size[1]})
    ana.play_bots(7)
    ana.connected()
    boxes = ana.page.evaluate("""() => {
        const box = e => { const r = e.getBoundingClientRect();
            return [r.left, r.top, r.right, r.bottom]; };
        return [...document.querySelectorAll('#board .other .c, #play .own .card')].map(box);
    }""")
    assert len(boxes) == 8 * 12
    for left, top, right, bottom in boxes:
        assert left >= 0
        assert top >= 0
        assert right <= size[0] + 0.5
        assert bottom <= size[1] + 0.5
    wide = ana.page.evaluate("() => document.documentElement.scrollWidth")
    assert wide <= size[0]


def test_a_phone_does_not_select_reload_or_hide(people: People) -> None:
    """failures 33: a long press selects text; pulling down reloads; the notch hides cards."""
    ana = people(has_touch=True, is_mobile=True)
    ana.play_bots()
    styles = ana.page.evaluate("""() => {
        const card = getComputedStyle(document.querySelector('#play .own .card'));
        const page = getComputedStyle(document.documentElement);
        const body = getComputedStyle(document.body);
        return [card.userSelect, card.touchAction,
                [page.overscrollBehaviorY, body.overscrollBehaviorY]];
    }""")
    assert styles[0] == "none"
    assert styles[1] in ("manipulation", "none")
    assert {"none", "contain"} & set(styles[2])
    viewport = ana.page.locator("meta[name=viewport]").get_attribute("content") or ""
    assert "viewport-fit=cover" in viewport
    assert "user-scalable=no" not in viewport
    sheet = ana.page.evaluate(
        "() => fetch(document.querySelector('link[rel=stylesheet]').href).then(r => r.text())"
    )
    assert "safe-area-inset" in str(sheet)


def test_a_page_of_an_older_version_loads_itself_again(people: People, tmp_path: Path) -> None:
    """failures 34: a stale page keeps old code for days, also when it is never closed."""
    port = free_port()
    where = ("--host", "127.0.0.1", "--port", str(port))
    with Process(tmp_path, *where) as server:
        ana = people(server.ready())
        ana.play_bots()
        ana.connected()
        ana.may_lose_connection = True
        ana.page.evaluate("() => { document.documentElement.dataset.build = 'older'; }")
        server.kill()
    with Process(tmp_path, *where) as server:
        server.ready()
        ana.page.wait_for_function(
            "() => (document.documentElement?.dataset.build ?? 'older') !== 'older'"
        )
        ana.connected()
        ana.context.close()


def test_the_language_changes_at_the_table_too(people: People) -> None:
    """failures 35: only one language."""
    ana = people()
    ana.play_bots()
    for code, name in (
        ("uk", "Українська"),
        ("de", "Deutsch"),
        ("fr", "Français"),
        ("en", "English"),
    ):
        ana.page.locator("a[href='#menu']").first.click()
        ana.page.get_by_role("button", name=name).click()
        ana.page.wait_for_function("code => document.documentElement?.lang === code", arg=code)
        ana.connected()
        ana.until_turn()


def test_cards_are_told_apart_without_colour(people: People) -> None:
    """failures 36: colour alone tells the cards apart; nothing is announced."""
    ana = people()
    ana.play_bots(3)
    ana.connected()
    ana.until_turn()
    ana.press(ana.offered()[0])
    shown = ana.page.locator("#play .own .card[data-n]").first
    number = shown.get_attribute("data-n") or ""
    assert number in shown.inner_text().replace("\n", "")
    assert number in (shown.get_attribute("aria-label") or "")
    assert ana.page.locator("[role=status]").count() >= 1
    said = ana.page.locator("#board [role=status]").inner_text()
    ana.press(ana.offered()[0])
    assert ana.page.locator("#board [role=status]").inner_text() != said
    for grid in ana.page.locator("#board .other [role=img]").all():
        assert re.search(r"\d|down", grid.get_attribute("aria-label") or "")


#: Where every line of the list is tried.
FAILURES = {
    26: "test_security.py::test_nothing_that_a_page_shows_gives_a_seat",
    27: "test_security.py::test_nothing_that_a_page_shows_gives_a_seat",
    28: "test_pages.py::test_the_rules_cannot_change_after_the_deal",
    29: "test_secrecy.py::test_no_byte_tells_of_a_hidden_card",
    32: "test_browser_games.py::test_two_fast_taps_are_one_move",
}


def test_every_line_of_the_list_has_a_test() -> None:
    here = Path(__file__)
    own = set(map(int, re.findall(r"\b(\d\d)\b", " ".join(
        re.findall(r'"""failures ([\d, ]+):', here.read_text(encoding="utf-8"))))))  # fmt: skip
    assert own | set(FAILURES) >= set(range(17, 37))
    for place in FAILURES.values():
        file, _colons, name = place.partition("::")
        assert f"def {name}(" in (here.parent / file).read_text(encoding="utf-8")
