"""Somebody without scripts who presses whatever the page offers, until the game is over."""

from __future__ import annotations

import random

import httpx
from tests.web.forms import Form, Page
from tests.web.harness import Person

#: More moves than the longest game of a test has.
ENOUGH = 3000


def move(person: Person, path: str, rng: random.Random, page: Page | None = None) -> str:
    """Do one thing that the table's page offers: its name, or "" if there is nothing to do."""
    page = page or person.page(path)
    if page.has("/ready"):
        _fine(person.press(page.form("/ready")))
        return "ready"
    if not page.has("/act"):
        return ""
    form = page.form("/act")
    actions = form.values()
    if "1" in actions and rng.random() < 0.5:
        # The discard is chosen by a link of the page; only then the places are offered.
        form = _picked(person, path, form)
        actions = [action for action in form.values() if "swap" in action]
    actions = [action for action in actions if action not in ("0", "1")]
    if not actions:
        return ""
    action = rng.choice(actions)
    _fine(person.press(form, action))
    return action


def _picked(person: Person, path: str, form: Form) -> Form:
    answer = person.http.get(path, params={**form.fields, "take": "1"})
    _fine(answer)
    return Page(answer.text).form("/act")


def _fine(answer: httpx.Response) -> None:
    assert answer.status_code == 200, (answer.status_code, answer.text)


def play_out(
    people: list[Person], path: str, seed: int = 1, rounds_seen: set[int] | None = None
) -> Page:
    """Play on until the page says that the game is over; that page."""
    rng = random.Random(seed)
    for _ in range(ENOUGH):
        for person in people:
            page = person.page(path)
            if page.has("/rematch"):
                return page
            if rounds_seen is not None and page.has("/ready"):
                rounds_seen.add(person.version(path))
            move(person, path, rng, page)
    raise AssertionError(f"no end after {ENOUGH} moves")
