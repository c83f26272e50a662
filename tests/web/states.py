"""Brings a browser to every page, and the table to every state, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator

from tests.web.browsing import Visitor, make_ready, on_turn, play_on

#: Every state that ``states`` passes through, in its order.
NAMES = (
    "start", "start-problem", "settings", "rules", "how-1", "how-3", "how-last", "error",
    "lobby", "lobby-house-rules", "lobby-guest", "join", "join-problem", "seats", "claim",
    "opening", "waiting", "source", "picked", "drawn", "flip", "menu", "scores", "leave",
    "stand-in", "onlooker", "round-over", "game-over", "start-games", "replay", "replay-end",
)  # fmt: skip


def states(make: Callable[[], Visitor]) -> Iterator[tuple[str, Visitor]]:
    """The name of each state, and whose page shows it."""
    ana, ben = make(), make()
    for person in (ana, ben):
        person.may_lose_connection = True  # the refusals are errors for the console, too
    yield from _without_table(ana)
    path = yield from _lobby(ana, ben)
    yield from _turns(ana, ben, path)
    onlooker = make()
    onlooker.page.goto(path)
    onlooker.connected()
    yield "onlooker", onlooker
    yield from _ends(ana, ben, path)


def _without_table(ana: Visitor) -> Iterator[tuple[str, Visitor]]:
    ana.page.goto("/")
    yield "start", ana
    ana.page.locator("form[action='/join'] input[name=code]").fill("nonsense")
    ana.page.locator("form[action='/join'] button").click()
    ana.page.locator("[role=alert]").wait_for()
    yield "start-problem", ana
    for name, path in (
        ("settings", "/settings"), ("rules", "/rules"), ("how-1", "/how"), ("how-3", "/how?step=3"),
        ("how-last", "/how?step=99"), ("error", "/nothing"),
    ):  # fmt: skip
        ana.page.goto(path)
        yield name, ana


def _lobby(ana: Visitor, ben: Visitor) -> Generator[tuple[str, Visitor], None, str]:
    path = ana.make_table("Ana")
    ana.connected()
    ben.page.goto(path)
    yield "join", ben
    ben.page.locator("input[name=name]").fill("Ana")
    ben.page.locator(f"form[action='{path}/join'] button").click()
    ben.page.locator("[role=alert]").wait_for()
    yield "join-problem", ben
    ben.join(path, "Benedikta von zu Grünau")
    ben.connected()
    yield "lobby-guest", ben
    before = ana.version
    ana.page.locator("form[action$='/bot'] button").click()
    ana.later_than(before)
    yield "lobby", ana
    ana.page.locator("#house summary").click()
    yield "lobby-house-rules", ana
    before = ana.version
    ana.page.locator("#k-max_rounds").fill("2")
    ana.page.locator("#k-turn_limit").fill("2")
    ana.page.locator("#k-target").fill("500")
    ana.page.locator("#knobs button").click()
    ana.later_than(before)
    ana.page.goto(f"{path}/seats")
    yield "seats", ana
    link = ana.page.locator("code.link").first.inner_text()
    ana.page.goto(link)
    yield "claim", ana
    ana.page.goto(path)
    ana.connected()
    ana.page.locator("form[action$='/start'] button").click()
    ana.page.locator("#play").wait_for()
    ben.page.locator("#play").wait_for()
    return path


def _turns(ana: Visitor, ben: Visitor, path: str) -> Iterator[tuple[str, Visitor]]:
    yield "opening", ana
    for person in (ana, ben):
        for _ in range(2):
            person.until_turn()
            person.press(person.offered()[0])
    first = on_turn([ana, ben])
    other = ben if first is ana else ana
    yield "source", first
    other.later_than(first.version - 1)
    yield "waiting", other
    first.page.locator("#discard").click()
    yield "picked", first
    first.page.locator("#discard").click()
    first.press("draw")
    yield "drawn", first
    first.press("discard")
    yield "flip", first
    first.page.goto(f"{path}#menu")
    first.page.locator("#menu").wait_for()
    yield "menu", first
    first.page.goto(f"{path}#side")
    yield "scores", first
    first.page.goto(f"{path}/leave?seat={0 if first is ana else 1}")
    yield "leave", first
    first.page.locator("form[action$='/stand-in'] button").click()
    first.page.locator("form[action$='/back']").wait_for()
    other.until_turn()  # until then the table goes on by itself under whoever looks at it
    first.later_than(other.version - 1)
    yield "stand-in", first
    back = first.page.locator("form[action$='/back'] button")
    back.click()
    back.wait_for(state="detached")
    first.connected()


def _ends(ana: Visitor, ben: Visitor, path: str) -> Iterator[tuple[str, Visitor]]:
    play_on([ana, ben], "/ready")
    yield "round-over", ana
    for person in (ana, ben):
        make_ready(person)
    play_on([ana, ben])
    yield "game-over", ana
    replay = (
        ana.page.locator("a[href^='/replay/']:not([download])").first.get_attribute("href") or ""
    )
    ana.page.goto("/")
    yield "start-games", ana
    ana.page.goto(f"{replay}?at=7")
    yield "replay", ana
    ana.page.goto(f"{replay}?at=99999")
    yield "replay-end", ana
