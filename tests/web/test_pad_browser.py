"""The pad in a real browser on a phone: a whole game with a thumb, two phones, a killed server."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page
from tests.web.browsing import Visitor
from tests.web.conftest import quick_app
from tests.web.harness import Process, free_port, in_thread

People = Callable[..., Visitor]

SHEET = re.compile(r"/pad/[0-9A-Z]{8}$")
STALE = re.compile(r"/pad/[0-9A-Z]{8}\?entered=1$")

NAMES = ("Ana", "Ben", "Cleo", "Dora", "Émile")
#: Eight rounds of five people; the closer of each, whose points are doubled where they must be.
ROUNDS = (
    ((12, 7, 30, 4, 9), 3),
    ((-2, 15, 11, 8, 20), 0),
    ((10, 6, 3, 12, 14), 1),
    ((0, 9, 22, 5, 7), 0),
    ((25, -5, 8, 13, 10), 1),
    ((4, 11, 2, 9, 16), 2),
    ((18, 13, 6, 21, 5), 4),
    ((7, 12, 9, 45, 3), 4),
)


def begin(person: Visitor, names: tuple[str, ...] = NAMES) -> str:
    """Two taps and the names."""
    page = person.page
    page.goto("/")
    page.get_by_role("link", name="We play with real cards").tap()
    for seat, name in enumerate(names):
        page.locator(f"[name=name{seat}]").fill(name)
    page.get_by_role("button", name="Begin").tap()
    page.wait_for_url(SHEET)
    return person.path


def tap(page: Page, key: str) -> None:
    page.locator(f'.keys [data-key="{key}"]').tap()


def type_points(page: Page, points: int) -> None:
    if points < 0:
        tap(page, "minus")
    for digit in str(abs(points)):
        tap(page, digit)


def enter(page: Page, points: tuple[int, ...], closer: int) -> int:
    """Enter and save a round with the keys; how many taps it took."""
    taps = 2
    page.locator("#enter-round").tap()
    page.locator(".keys").wait_for()
    for seat, each in enumerate(points):
        type_points(page, each)
        taps += len(str(each).replace("-", "-")) + 1
        tap(page, "closed" if seat == closer else "next")
    page.locator(".outcome").wait_for()
    # Whoever is faster than the answer has not seen it, and is shown it once more.
    page.wait_for_function(
        "wanted => [...document.querySelectorAll('#typed i')].map(i => i.dataset.points).join()"
        " === wanted",
        arg=",".join(map(str, points)),
    )
    page.locator(".save").tap()
    page.wait_for_url(SHEET)
    return taps


def totals(page: Page) -> list[str]:
    return page.locator(".padsheet tfoot tr").first.locator("td").all_inner_texts()


@pytest.fixture
def thumb(people: People) -> Callable[..., Visitor]:
    return lambda *args, **options: people(*args, has_touch=True, **options)


def test_a_whole_game_with_a_thumb_and_a_mistake_of_round_two(thumb: People) -> None:
    ana = thumb()
    begin(ana)
    page = ana.page
    for number, (points, closer) in enumerate(ROUNDS, 1):
        # In round two a slip of the thumb, unseen until round six.
        taps = enter(page, (-2, 51, 11, 8, 20) if number == 2 else points, closer)
        assert taps <= 2 + 4 * len(NAMES)
        if number == 6:
            page.get_by_role("link", name="Correct round 2").tap()
            page.locator(".keys").wait_for()
            page.locator(".prow[data-seat='1']").tap()
            type_points(page, 15)
            page.wait_for_function("() => document.querySelector('#p1').value === '15'")
            page.locator(".save").tap()
            page.wait_for_url(SHEET)
            assert totals(page)[1] == "49"  # 85 before
    assert (
        page.get_by_role("heading", name="Cleo wins with a total of 91.").count()
        or page.locator(".cheer").inner_text()
    )
    expected = [0] * 5
    for points, closer in ROUNDS:
        lowest = min(p for seat, p in enumerate(points) if seat != closer)
        doubled = points[closer] > 0 and points[closer] >= lowest
        for seat, each in enumerate(points):
            expected[seat] += each * 2 if doubled and seat == closer else each
    assert totals(page) == [str(each).replace("-", "−") for each in expected]
    assert max(expected) >= 100
    assert expected[:2] == [74, 74]
    assert page.locator(".cheer").inner_text() == "Ana and Ben win together with a total of 74."
    assert page.get_by_role("button", name="Rematch").count() == 1


def test_the_keys_and_a_turned_phone(thumb: People) -> None:
    ana = thumb()
    begin(ana, ("Ana", "Ben"))
    page = ana.page
    page.locator("#enter-round").tap()
    type_points(page, 12)
    tap(page, "minus")
    assert page.locator("#p0").input_value() == "-12"
    tap(page, "back")
    tap(page, "minus")
    assert page.locator("#p0").input_value() == "1"
    tap(page, "5")
    tap(page, "closed")
    type_points(page, -3)
    assert page.locator("#p1").input_value() == "-3"
    tap(page, "clear")
    type_points(page, 7)
    # Nothing scrolls, everything is in reach.
    assert page.evaluate("() => document.documentElement.scrollHeight <= innerHeight")
    page.set_viewport_size({"width": 740, "height": 360})
    assert [page.locator(f"#p{seat}").input_value() for seat in (0, 1)] == ["15", "7"]
    tap(page, "next")
    page.get_by_text("15 count as 30").wait_for()
    # The battery is flat: another page of the same browser goes on where this one was.
    other = ana.open()
    other.goto(page.url)
    assert [other.locator(f"#p{seat}").input_value() for seat in (0, 1)] == ["15", "7"]
    assert other.locator("[name=closer][value='0']").is_checked()
    other.locator(".save").tap()
    other.wait_for_url(SHEET)
    assert totals(other) == ["30", "7"]
    # The first page learns that its round is saved.
    page.wait_for_url(STALE)


def test_two_phones_enter_one_round_at_once(thumb: People) -> None:
    ana, ben, zoe = thumb(), thumb(), thumb()
    path = begin(ana, ("Ana", "Ben", "Cleo"))
    ana.page.get_by_role("link", name="Share").tap()
    watch = ana.page.locator("code.link").nth(1).inner_text()
    ana.page.get_by_role("button", name="Everybody with the link").tap()
    ana.page.get_by_role("button", name="Everybody with the link", pressed=True).wait_for()
    zoe.page.goto(watch)
    zoe.connected()
    for person in (ana, ben):
        person.page.goto(f"{path}/enter")
        person.page.locator(".keys").wait_for()
        person.connected()
    ana.page.locator(".prow[data-seat='0']").tap()
    type_points(ana.page, 10)
    tap(ana.page, "next")
    ben.page.locator(".prow[data-seat='2']").tap()
    type_points(ben.page, 30)
    tap(ben.page, "closed")
    for person in (ana, ben):
        page = person.page
        page.wait_for_function(
            "() => document.querySelector('#p0').value === '10'"
            " && document.querySelector('#p2').value === '30'"
            " && document.querySelector('[name=closer][value=\"2\"]').checked"
        )
    # What somebody is just typing is not overwritten by what others do.
    ana.page.locator(".prow[data-seat='1']").tap()
    tap(ana.page, "2")
    ben.page.locator(".prow[data-seat='0']").tap()
    type_points(ben.page, 11)
    tap(ben.page, "next")
    ana.page.wait_for_function("() => document.querySelector('#p0').value === '11'")
    tap(ana.page, "4")
    assert ana.page.locator("#p1").input_value() == "24"
    tap(ana.page, "next")
    ana.page.get_by_text("30 count as 60").wait_for()
    ana.page.locator(".save").tap()
    ana.page.wait_for_url(f"**{path}")
    # Ben is taken to the sheet, and whoever only watches sees it without doing anything.
    ben.page.wait_for_url(STALE)
    assert totals(ben.page) == ["11", "24", "60"]
    zoe.page.get_by_text("Round 2").first.wait_for()
    assert totals(zoe.page) == ["11", "24", "60"]
    assert zoe.page.locator("form").count() == 0


def test_what_another_phone_enters_is_announced_in_whole_sentences(thumb: People) -> None:
    ana, ben = thumb(), thumb()
    path = begin(ana, ("Ana", "Ben"))
    ana.page.get_by_role("link", name="Share").tap()
    ana.page.get_by_role("button", name="Everybody with the link").tap()
    ana.page.get_by_role("button", name="Everybody with the link", pressed=True).wait_for()
    zoe = thumb()
    zoe.page.goto(path)
    zoe.connected()
    for person in (ana, ben):
        person.page.goto(f"{path}/enter")
        person.connected()
    heard = ana.page.locator("#heard")
    assert heard.get_attribute("role") == "status"
    # One's own typing is not repeated.
    type_points(ana.page, 7)
    tap(ana.page, "next")
    ben.page.get_by_text("Ana has 7 points in this round.").wait_for(state="attached")
    assert heard.inner_text() == ""
    ben.page.locator(".prow[data-seat='1']").tap()
    type_points(ben.page, -3)
    tap(ben.page, "closed")
    ana.page.wait_for_function(
        """() => document.querySelector('#heard').textContent
            .includes('Ben is marked as having closed the round.')"""
    )
    assert ana.page.locator("#p1").input_value() == "-3"
    ben.page.locator(".prow[data-seat='1']").tap()
    tap(ben.page, "clear")
    tap(ben.page, "next")
    ana.page.get_by_text("The points of Ben are empty again.").wait_for(state="attached")
    ben.page.locator(".prow[data-seat='1']").tap()
    type_points(ben.page, 1)
    tap(ben.page, "next")
    ana.page.get_by_text("Ben has 1 point in this round.").wait_for(state="attached")
    # A round that is saved is told to whoever was entering it, and on every sheet.
    ben.page.locator(".outcome").wait_for()
    ben.page.locator(".save").tap()
    ben.page.wait_for_url(SHEET)
    ana.page.get_by_role("alert").filter(
        has_text="Round 1 was entered on another device"
    ).wait_for()
    told = zoe.page.get_by_role("status").filter(has_text="Round 1 entered: 7, 1.")
    told.wait_for(state="attached")


@pytest.mark.parametrize("language", ["en", "uk", "de", "fr"])
def test_eight_people_are_entered_without_scrolling(people: People, language: str) -> None:
    person = people(locale=language, extra_http_headers={"Accept-Language": language})
    page = person.page
    page.goto("/pad/new")
    for seat, name in enumerate((*NAMES, "Jean-Baptiste-Emmanuel", "Wolfgang Amadeus Mozart", "Z")):
        page.fill(f"[name=name{seat}]", name)
    page.click("main form > button")
    page.wait_for_url(SHEET)
    path = person.path
    page.goto(f"{path}/enter")
    for seat, points in enumerate((12, -3, 4, 15, 160, 23, 8, 1)):
        page.fill(f"#p{seat}", str(points))
        page.keyboard.press("Enter")
    page.check("[name=closer][value='6']", force=True)
    page.locator(".outcome.penalty").wait_for()
    page.locator(".question").wait_for()
    fits = """() => document.documentElement.scrollHeight <= innerHeight
        && document.documentElement.scrollWidth <= innerWidth"""
    page.wait_for_function(fits)
    # The phone is turned: every field, every key and the button stay in sight.
    page.set_viewport_size({"width": 740, "height": 360})
    page.wait_for_function(
        """() => document.documentElement.scrollWidth <= innerWidth
        && [...document.querySelectorAll('.prow input[type=text], .closed, .key, .save')]
            .map(each => each.getBoundingClientRect())
            .every(box => box.top >= 0 && box.bottom <= innerHeight)"""
    )
    page.locator(".save").click()
    page.wait_for_url(SHEET)
    # And on the sheet the buttons at its foot leave room for the rounds.
    page.wait_for_function(
        """() => document.documentElement.scrollWidth <= innerWidth
        && document.querySelector('.padsheet tbody tr').getBoundingClientRect().bottom
            <= document.querySelector('.pad-actions').getBoundingClientRect().top"""
    )
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(f"{path}/round/0")
    page.locator("[name=penalty]").select_option("no")
    page.locator(".outcome:not(.penalty)").wait_for()
    page.wait_for_function(fits)


def test_who_waits_for_a_keeper_who_is_gone_is_offered_the_pad(
    thumb: People, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("skyjo.web.routes.padlive.LOOK_AGAIN", 0.2)
    app = quick_app(tmp_path)
    with in_thread(app) as url:
        ana, ben = thumb(url), thumb(url)
        path = begin(ana, ("Ana", "Ben"))
        enter(ana.page, (5, 12), 0)
        ana.connected()
        app.state.site.pads.presence.away_after = 1.0
        ben.page.goto(path)
        ben.connected()
        # As long as her page is open she is there, however long she does nothing.
        ben.page.wait_for_timeout(1500)
        assert ben.page.get_by_role("button", name="Keep the pad on this device").count() == 0
        ana.page.goto("about:blank")
        ben.page.get_by_role("button", name="Keep the pad on this device").tap()
        ben.page.locator("#enter-round").wait_for()
        enter(ben.page, (3, 40), 0)
        assert totals(ben.page) == ["8", "52"]
        ana.page.goto(path)
        ana.page.locator("#history summary").tap()
        ana.page.get_by_text("so another device took it over.").last.wait_for()
        assert ana.page.locator("#enter-round").count() == 1
        for person in (ana, ben):
            person.page.goto("about:blank")


def test_cards_are_tapped_and_add_up(thumb: People) -> None:
    ana = thumb()
    begin(ana, ("Ana", "Ben"))
    page = ana.page
    page.locator("#enter-round").tap()
    page.get_by_role("link", name="Ana: count the cards").tap()
    for card in (12, 1, 2, 3, 12, 1, 2, -2, 12, 4, 5, "x"):
        page.locator(f'.values [data-card="{card}"]').tap()
    page.wait_for_function(
        "() => document.querySelector('#count-sum').innerText.trim().endsWith('16')"
    )
    assert page.locator(".slot.laid-off").count() == 3
    assert page.evaluate("() => document.documentElement.scrollHeight <= innerHeight")
    page.locator("[name=done]").tap()
    page.wait_for_url("**/enter")
    assert page.locator("#p0").input_value() == "16"


def test_nothing_is_lost_when_the_line_is_dead_or_the_page_goes(thumb: People) -> None:
    ana = thumb()
    ana.may_lose_connection = True
    page = ana.page
    page.goto("/pad/new")
    # The return key goes from name to name and begins nothing by itself.
    page.locator("[name=name0]").tap()
    for name in ("Ana", "Ben"):
        page.keyboard.type(name)
        page.keyboard.press("Enter")
    assert page.evaluate("() => document.activeElement.name") == "name2"
    page.get_by_role("button", name="Begin").tap()
    page.wait_for_url(SHEET)
    page.locator("#enter-round").tap()
    page.get_by_text("For whoever closed the round press").wait_for()
    ana.connected()
    type_points(page, 12)
    tap(page, "closed")
    page.wait_for_function(
        "() => document.querySelector('#typed [data-seat=\"0\"]').dataset.points === '12'"
    )
    # Save in a dead line: the page stays, with what has been typed, and says so.
    ana.context.set_offline(True)
    type_points(page, 30)
    page.locator(".save").tap()
    page.locator("#offline").wait_for()
    assert [page.locator(f"#p{seat}").input_value() for seat in (0, 1)] == ["12", "30"]
    ana.context.set_offline(False)
    ana.connected()
    page.locator("#offline").wait_for(state="hidden")
    page.locator(".outcome").wait_for()
    page.locator(".save").tap()
    page.wait_for_url(SHEET)
    assert totals(page) == ["12", "30"]
    # Cards that were tapped are there again after a page that was thrown away.
    page.locator("#enter-round").tap()
    page.get_by_role("link", name="Ben: count the cards").tap()
    for card in (5, "x", -2):
        page.locator(f'.values [data-card="{card}"]').tap()
    sum_is = "wanted => document.querySelector('#count-sum').innerText.trim().endsWith(wanted)"
    page.wait_for_function(sum_is, arg="3")
    page.reload()
    page.wait_for_function(sum_is, arg="3")
    page.locator('.values [data-card="7"]').tap()
    page.wait_for_function(sum_is, arg="10")
    assert page.locator(".slot input").nth(2).input_value() == "−2"
    assert page.locator(".slot input").nth(3).input_value() == "7"
    ana.context.set_offline(True)
    page.locator("[name=done]").tap()
    page.locator("#offline").wait_for()
    ana.context.set_offline(False)
    page.locator("[name=done]").tap()
    page.wait_for_url("**/enter")
    assert page.locator("#p1").input_value() == "10"
    # The next time they are not there any more.
    type_points(page, 4)
    tap(page, "closed")
    page.locator(".outcome").wait_for()
    page.wait_for_function(
        "() => document.querySelector('#typed [data-seat=\"0\"]').dataset.points === '4'"
    )
    page.locator(".save").tap()
    page.wait_for_url(SHEET)
    assert totals(page) == ["16", "40"]
    # A tap on a wrong number leads to its round.
    page.locator(".padsheet tbody tr").first.locator("td").nth(1).tap()
    page.wait_for_url("**/round/0")
    assert page.locator("#p1").input_value() == "30"


def test_the_server_is_killed_between_rounds(thumb: People, tmp_path: Path) -> None:
    port = str(free_port())
    with Process(tmp_path, "--host", "127.0.0.1", "--port", port) as server:
        url = server.ready()
        ana = thumb(url)
        begin(ana, ("Ana", "Ben"))
        enter(ana.page, (12, 30), 0)
        ana.page.locator("#enter-round").tap()
        type_points(ana.page, 5)
        tap(ana.page, "next")
        ana.connected()
        ana.page.wait_for_function(
            "() => document.querySelector('#typed [data-seat=\"0\"]').dataset.points === '5'"
        )
        server.kill()
    type_points(ana.page, 44)  # into a dead line
    tap(ana.page, "closed")
    with Process(tmp_path, "--host", "127.0.0.1", "--port", port) as server:
        server.ready()
        ana.connected()
        ana.page.locator("#offline").wait_for(state="hidden")
        assert ana.page.locator("#p0").input_value() == "5"
        assert ana.page.locator("#p1").input_value() == "44"
        ana.page.get_by_text("44 count as 88").wait_for()
        ana.page.locator(".save").tap()
        ana.page.wait_for_url(SHEET)
        assert totals(ana.page) == ["17", "118"]
        ana.page.goto("about:blank")


@pytest.mark.parametrize("language", ["en", "uk", "de", "fr"])
def test_axe_finds_nothing_on_any_page(people: People, language: str) -> None:
    dark = language in ("uk", "fr")
    person = people(
        locale=language, color_scheme="dark" if dark else "light",
        extra_http_headers={"Accept-Language": language},
    )  # fmt: skip
    page = person.page
    found: dict[str, object] = {}

    def look(name: str) -> None:
        for width, height in ((360, 740), (768, 1024)):
            page.set_viewport_size({"width": width, "height": height})
            wide = page.evaluate("() => document.documentElement.scrollWidth - innerWidth")
            assert wide <= 0, (name, width)
        result = Axe().run(page)
        if result.violations_count:
            found[name] = result.generate_report()
        page.set_viewport_size({"width": 360, "height": 740})

    page.goto("/circle/new")
    look("circle/new")
    page.fill("[name=name]", "Club")
    page.click("main form button")
    page.wait_for_url("**/circle/*")
    circle = person.path
    page.goto(f"{circle}/pad")
    for seat, name in enumerate(NAMES):
        page.fill(f"[name=name{seat}]", name)
    look("new")
    page.click("main form > button")
    page.wait_for_url(SHEET)
    path = person.path
    for points, closer in (*ROUNDS[:2], ((120, 1, 2, 3, 4), 1)):
        page.goto(f"{path}/enter")
        for seat, each in enumerate(points):
            page.fill(f"#p{seat}", str(each))
            page.keyboard.press("Enter")
        page.check(f"[name=closer][value='{closer}']", force=True)
        page.locator(".outcome").wait_for()
        look("enter")
        page.click(".save")
        page.wait_for_url(SHEET)
        look("sheet")
    page.locator("#history summary").click()
    look("over")
    for where in ("share", "settings", "print", "round/0"):
        page.goto(f"{path}/{where}")
        look(where)
    page.click("button.warn")  # the round is removed, the game goes on
    page.wait_for_url(SHEET)
    page.goto(circle)
    look("circle")
    page.goto(f"{circle}/members")
    look("members")
    page.goto(f"{circle}/add")
    look("adding")
    assert not found, "\n".join(f"{name}: {report}" for name, report in found.items())
