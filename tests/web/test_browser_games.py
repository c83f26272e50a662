"""Whole games in real browsers."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

from playwright.sync_api import Route, expect
from tests.web.browsing import MOVES, Visitor, on_turn, play_on, quick_choice

People = Callable[..., Visitor]


def set_up(host: Visitor, guests: list[Visitor], bots: int = 0, **rules: str) -> str:
    """A table made, joined and begun by what the pages offer."""
    path = host.make_table("Ana")
    for name, guest in zip(
        ("Ben", "Cleo", "Dan", "Eve", "Finn", "Gil", "Hana"), guests, strict=False
    ):
        guest.join(path, name)
    for number in range(1 + len(guests), 1 + len(guests) + bots):
        # The page has heard of everybody, so that what is newer is what has just been pressed.
        expect(host.page.locator(".people li")).to_have_count(number)
        host.page.locator("form[action$='/bot'] button").click()
    expect(host.page.locator(".people li")).to_have_count(1 + len(guests) + bots)
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


def test_eight_people_at_one_table(people: People) -> None:
    everybody = [people() for _ in range(8)]
    set_up(everybody[0], everybody[1:], max_rounds="1", turn_limit="1")
    for person in everybody:
        expect(person.page.locator("#board .other")).to_have_count(7)
    play_on(everybody)
    for person in everybody:
        expect(person.page.locator(".ranks li")).to_have_count(8)


def test_a_whole_game_with_scripts_off(people: People) -> None:
    ana, ben = people(java_script_enabled=False), people()
    path = ana.make_table("Ana")
    ben.join(path, "Ben")
    ana.page.reload()
    ana.page.locator("#house summary").click()
    ana.page.locator("#k-max_rounds").fill("1")
    ana.page.locator("#k-turn_limit").fill("3")
    ana.page.locator("#knobs button").click()
    ana.page.locator("form[action$='/start'] button").click()
    ben.page.locator("#play").wait_for()
    picked = False
    for _ in range(3000):
        if ana.is_over() and ben.is_over():
            break
        if offered := ben.offered():
            ben.press(quick_choice(offered))
        discard = ana.page.locator("#discard[name=take][aria-pressed=false]")
        if not picked and ana.settled(discard.count):
            # The discard is chosen, and the choice taken back: nothing has happened.
            before = ana.version
            discard.click()
            ana.page.locator("#discard[aria-pressed=true]").click()
            ana.page.locator("#discard[aria-pressed=false]").click()
            assert ana.version == before
            assert all(each.startswith(("take, swap", "draw")) for each in ana.offered())
            ana.page.locator(f'{MOVES}[value^="take, swap"]').first.click()
            ana.reloaded_after(before)
            picked = True
        elif offered := ana.offered():
            before = ana.version
            ana.page.locator(f'{MOVES}[value="{quick_choice(offered)}"]').first.click()
            ana.reloaded_after(before)
        else:
            # The page reloads itself; nobody touches it.
            ana.page.wait_for_timeout(50)
    assert ana.is_over()
    assert ben.is_over()
    assert picked
    expect(ana.page.locator(".ranks li")).to_have_count(2)


def test_the_tab_says_whose_turn_it_is(people: People) -> None:
    ana, ben = people(), people()
    set_up(ana, [ben])
    for person in (ana, ben):
        assert "Your turn" in person.page.title()
        for _ in range(2):
            person.press(person.offered()[0])
    first = on_turn([ana, ben])
    other = ben if first is ana else ana
    expect(first.page).to_have_title(re.compile("Your turn"))
    expect(other.page).not_to_have_title(re.compile("Your turn"))
    while first.offered():
        first.press(quick_choice(first.offered()))
    expect(other.page).to_have_title(re.compile("Your turn"))


def test_the_table_is_connected_however_late_a_script_comes(people: People) -> None:
    """htmx starts by itself; it must find its extension, which may be loaded after that."""
    for late in ("hx-ws", "htmx-4", "skyjo."):
        ana = people()

        def wait(route: Route) -> None:
            time.sleep(0.3)
            route.continue_()

        ana.page.route(re.compile(re.escape(late) + r".*\.js"), wait)
        ana.play_bots()
        ana.connected()
        ana.until_turn()
        ana.press(ana.offered()[0])


def test_somebody_who_is_removed_sees_it_at_once(people: People) -> None:
    ana, ben = people(), people()
    path = ana.make_table("Ana")
    ben.join(path, "Ben")
    ben.connected()
    ana.page.locator("form[action$='/remove'] button").click()
    ben.page.locator(f"form[action='{path}/join'] input[name=name]").wait_for()
    assert ben.path == path


def test_two_fast_taps_are_one_move(people: People) -> None:
    """failures 32: a second fast tap plays a second move."""
    ana, ben = people(), people()
    set_up(ana, [ben])
    before = ana.version
    ana.page.locator(MOVES).first.dblclick()
    ana.later_than(before)
    ana.page.wait_for_timeout(300)  # a second move would need a moment to be seen
    assert ana.version == before + 1
    assert len(ana.page.locator("#play .own .card[data-n]").all()) == 1
    # Also where the second tap falls on another card.
    cards = ana.page.locator(MOVES)
    ana.page.evaluate("""() => {
        const cards = document.querySelectorAll("#play .own button[name=action]");
        cards[3].click(); cards[7].click();
    }""")
    ana.later_than(before + 1)
    ana.page.wait_for_timeout(300)
    assert ana.version == before + 2
    assert cards.count() == 0


def test_the_discard_can_be_chosen_and_left_again(people: People) -> None:
    ana, ben = people(), people()
    set_up(ana, [ben])
    for person in (ana, ben):
        for _ in range(2):
            person.press(person.offered()[0])
    first = on_turn([ana, ben])
    before = first.version
    discard = first.page.locator("#discard")
    number = discard.get_attribute("data-n")
    for pressed in ("true", "false", "true"):
        discard.click()
        expect(discard).to_have_attribute("aria-pressed", pressed)
    assert first.version == before
    first.page.locator(f'{MOVES}[value="take, swap r2c3"]').click()
    first.later_than(before)
    expect(first.page.locator("#play .own .card").last).to_have_attribute("data-n", number or "")


def test_a_tablet_in_the_middle_of_the_table(people: People) -> None:
    """Several people on one device: the page turns to whoever is on turn."""
    tablet = people(viewport={"width": 820, "height": 1180})
    path = tablet.make_table("Ana")
    for name in ("Ben", "Cleo"):
        tablet.page.goto(f"{path}/seats")
        tablet.page.locator("#add-name").fill(name)
        tablet.page.locator(f"form[action='{path}/join'] button").click()
        tablet.page.wait_for_url(f"**{path}")
    tablet.page.locator("#house summary").click()
    tablet.page.locator("#k-max_rounds").fill("1")
    tablet.page.locator("#k-turn_limit").fill("2")
    before = tablet.version
    tablet.page.locator("#knobs button").click()
    tablet.later_than(before)
    tablet.page.locator("form[action$='/start'] button").click()
    tablet.page.locator("#play").wait_for()
    tablet.connected()
    fronts = set()
    for _ in range(100):
        if tablet.is_over():
            break
        tablet.until_turn()
        fronts.add(tablet.page.locator("#play input[name=seat]").input_value())
        tablet.press(quick_choice(tablet.offered()))
    assert tablet.is_over()
    assert fronts == {"0", "1", "2"}


def test_a_game_by_keyboard_alone(people: People) -> None:
    """Tab, arrows, Enter and Space; the focus is always visible and never lost by an update."""
    ana = people(viewport={"width": 1024, "height": 768})
    ana.page.goto("/")
    tab_to(ana, 'form[action="/play"] button')
    ana.page.keyboard.press("Enter")
    ana.page.wait_for_url("**/t/*")
    ana.connected()
    for _ in range(12):
        ana.until_turn()
        action = quick_choice(ana.offered())
        button = f'{MOVES}[value="{action}"]'
        tab_to(ana, button)
        focused = ana.page.evaluate("() => document.activeElement.id")
        with ana.played(button):
            ana.page.keyboard.press("Enter")
        kept = ana.page.evaluate("() => document.activeElement.id")
        assert kept == focused or not focused, (action, focused, kept)
        assert kept or focused == "", "the focus fell back to the page"
    # The arrows walk over the own grid.
    ana.until_turn()
    ana.page.locator("#play .own button").first.focus()
    first = ana.page.evaluate("() => document.activeElement.id")
    ana.page.keyboard.press("ArrowRight")
    assert ana.page.evaluate("() => document.activeElement.id") != first


def tab_to(person: Visitor, selector: str) -> None:
    """Press Tab until an element has the focus; it must be seen to have it."""
    for _ in range(120):
        if person.page.evaluate(f"() => document.activeElement.matches({selector!r})"):
            outline = person.page.evaluate(
                "() => { const s = getComputedStyle(document.activeElement);"
                " return [s.outlineStyle, s.outlineWidth]; }"
            )
            assert outline[0] != "none", (selector, outline)
            assert outline[1] != "0px", (selector, outline)
            return
        person.page.keyboard.press("Tab")
    raise AssertionError(f"Tab never reaches {selector}")
