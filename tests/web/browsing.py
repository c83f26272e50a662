"""People with a real browser: a context each, and whatever the console says is a failure."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar
from urllib.parse import urlsplit

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error,
    Locator,
    Page,
    Request,
    expect,
)
from tests.web.harness import PATIENCE

T = TypeVar("T")

MILLISECONDS = PATIENCE * 1000
expect.set_options(timeout=MILLISECONDS)

#: A button of the game that does something when it is pressed.
MOVES = "#play button[name=action]:not([aria-disabled=true])"
#: What can be said on the console without being a fault: the connection that a test cuts.
EXPECTED = re.compile(
    r"WebSocket|ERR_CONNECTION|ERR_INTERNET_DISCONNECTED"
    r"|Failed to (load resource|fetch)|htmx:ws:error"
)


class Visitor:
    """Somebody with a browser of their own."""

    def __init__(self, browser: Browser, url: str, **options: Any) -> None:
        self.url = url
        self.context: BrowserContext = browser.new_context(
            base_url=url,
            **{"viewport": {"width": 360, "height": 740}, "locale": "en-GB",
               "reduced_motion": "reduce", **options},
        )  # fmt: skip
        self.context.set_default_timeout(MILLISECONDS)
        self.faults: list[str] = []
        self.may_lose_connection = False
        self.page: Page = self.open()

    def open(self) -> Page:
        """One more tab."""
        page = self.context.new_page()
        page.on("console", self._said)
        page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        return page

    def _said(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            if self.may_lose_connection and EXPECTED.search(message.text):
                return
            self.faults.append(f"{message.type}: {message.text} ({self.page.url})")

    def close(self) -> None:
        """Shut the browser; it must have had nothing to complain about."""
        # Shutting it may end a socket that is just being opened, which is nobody's fault.
        faults = list(self.faults)
        self.context.close()
        assert not faults, faults

    # --- getting to a table -----------------------------------------------------------------

    @property
    def path(self) -> str:
        """Where the page is."""
        return urlsplit(self.page.url).path

    def make_table(self, name: str) -> str:
        """From the start page to a new table; its path."""
        self.page.goto("/")
        self.page.locator('form[action="/tables"] input[name=name]').fill(name)
        self.page.locator('form[action="/tables"] button').click()
        self.page.wait_for_url("**/t/*")
        return self.path

    def join(self, path: str, name: str) -> None:
        """By the link of a table to a seat there."""
        self.page.goto(path)
        self.page.locator("input[name=name]").fill(name)
        self.page.locator(f'form[action="{path}/join"] button').click()
        self.page.locator(".people").wait_for()

    def play_bots(self, count: int = 1, bot: str = "novice") -> str:
        """Two taps from the start page to a game against bots, which may be chosen before."""
        self.page.goto("/")
        self.page.locator("#quick summary").click()
        self.page.locator(f'input[name=count][value="{count}"]').check(force=True)
        self.page.locator(f'input[name=bot][value="{bot}"]').check(force=True)
        self.page.locator('form[action="/play"] button').click()
        self.page.wait_for_url("**/t/*")
        return self.path

    def connected(self) -> None:
        """Wait until the page hears what happens at the table."""
        self.page.wait_for_function(
            "() => document.querySelector('#live')?._htmx?.ws?.connection?.socket?.readyState === 1"
        )

    # --- playing ----------------------------------------------------------------------------

    @property
    def version(self) -> int:
        """The version of the table that the page shows."""
        board = self.page.locator("#board")
        return int(self.settled(lambda: board.get_attribute("data-version")) or -1)

    def at_rest(self) -> None:
        """Wait until nothing moves on the page any more."""
        self.page.wait_for_function(
            "() => document.getAnimations().every(each => each.playState !== 'running')"
        )

    def moves(self) -> Locator:
        """The buttons that are a move now."""
        return self.page.locator(MOVES)

    def offered(self) -> list[str]:
        """The actions that can be pressed at this moment."""
        question = f"() => [...document.querySelectorAll({MOVES!r})].map(b => b.value)"
        return [str(each) for each in self.settled(lambda: self.page.evaluate(question))]

    def settled(self, look: Callable[[], T]) -> T:
        """What is on the page, also when it is just being replaced by its successor."""
        for _ in range(20):
            try:
                return look()
            except Error as error:
                if "navigation" not in str(error):
                    raise
                self.page.wait_for_load_state()
        raise AssertionError("the page never comes to rest")

    def press(self, action: str) -> None:
        """Press the button of an action, and wait until it has been played.

        The table may move on before because somebody else does something; but what a seat has
        played cannot be pressed again at once.
        """
        button = f'{MOVES}[value="{action}"]'
        with self.played(button):
            self.page.locator(button).first.click()

    @contextmanager
    def played(self, button: str) -> Iterator[None]:
        """Press the button of a move inside of it, and it waits until that has been played."""
        before = self.version
        seat = self.page.locator("#play input[name=seat]").input_value()
        yield
        self.page.wait_for_function(
            """([before, seat, button]) =>
                Number(document.querySelector('#board')?.dataset.version) > before &&
                (document.querySelector('#play input[name=seat]').value !== seat ||
                 !document.querySelector(button))""",
            arg=[before, seat, button],
        )

    def later_than(self, version: int) -> None:
        """Wait until the page shows something newer."""
        self.page.wait_for_function(
            "before => Number(document.querySelector('#board')?.dataset.version) > before",
            arg=version,
        )

    @contextmanager
    def answered(self, path: str) -> Iterator[list[int]]:
        """Send a form inside of it, and it waits for the answer: its status, or 0 without one."""
        found: list[int] = []
        ended: list[Request] = []

        def note(request: Request) -> None:
            if request.method == "POST" and request.url.endswith(path):
                ended.append(request)

        for event in ("requestfinished", "requestfailed"):
            self.page.on(event, note)
        yield found
        self.until(lambda: bool(ended), f"an answer from {path}")
        for event in ("requestfinished", "requestfailed"):
            self.page.remove_listener(event, note)
        answer = None if ended[0].failure else ended[0].response()
        found.append(answer.status if answer else 0)

    def until(self, holds: Callable[[], bool], what: str) -> None:
        """Wait until something holds, while the browser goes on."""
        end = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < end, f"waited in vain for {what}"
            self.page.wait_for_timeout(20)

    def reloaded_after(self, version: int) -> None:
        """Wait, without scripts, until the page is a newer one."""
        self.until(lambda: self.version > version, "a newer page")

    def until_turn(self) -> None:
        """Wait until there is something to press."""
        self.moves().first.wait_for()

    def is_over(self) -> bool:
        """Whether the page offers another game."""
        return self.settled(self.page.locator("form[action$='/rematch']").count) > 0


def quick_choice(offered: list[str]) -> str:
    """A move that brings the round to its end quickly: open one card after the other."""
    for word in ("reveal", "draw", "discard", "flip", "swap", "pass"):
        for action in offered:
            if action.startswith(word):
                return action
    raise AssertionError(f"nothing to press: {offered}")


def on_turn(people: list[Visitor]) -> Visitor:
    """Whoever is the only one who may move; what decided it may have to reach every page first."""
    able: list[Visitor] = []

    def alone() -> bool:
        able[:] = [person for person in people if person.offered()]
        return len(able) == 1

    people[0].until(alone, "somebody who is on turn alone")
    return able[0]


def play_on(people: list[Visitor], end: str = "/rematch") -> None:
    """Everybody plays until each of their pages offers what comes at the end."""
    ends = [person.page.locator(f"form[action$='{end}'] button") for person in people]
    last = time.monotonic()
    while not all(person.settled(each.count) for person, each in zip(people, ends, strict=True)):
        assert time.monotonic() < last + PATIENCE, "nobody can do anything, and it does not end"
        for person in people:
            ready = person.page.locator("form[action$='/ready'] button")
            if end != "/ready" and ready.count():
                make_ready(person)
            elif offered := person.offered():
                person.press(quick_choice(offered))
            else:
                continue
            last = time.monotonic()
        people[0].page.wait_for_timeout(20)


def make_ready(person: Visitor) -> None:
    """Go on to the next round, as far as it depends on this one."""
    ready = person.page.locator("form[action$='/ready'] button")
    ready.click()
    ready.wait_for(state="detached")
