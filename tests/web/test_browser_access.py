"""Everybody can use every page: axe, sizes of targets, large text, words for what happens."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from tests.web.browsing import Visitor
from tests.web.states import NAMES, states

People = Callable[..., Visitor]

#: WCAG 2.2 AA and axe's own advice, the rule about sizes of targets included.
AXE = {
    "resultTypes": ["violations"],
    "rules": {"target-size": {"enabled": True}},
}


LOOKS = {"phone": ("light", (360, 740)), "desktop-dark": ("dark", (1280, 800))}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Samples of all states are looked at in the dark in tests/web/screens; here with --full."""
    if "look" in metafunc.fixturenames:
        metafunc.parametrize("look", LOOKS if metafunc.config.getoption("--full") else ["phone"])


def test_axe_finds_nothing_on_any_page_in_any_state(people: People, look: str) -> None:
    scheme, size = LOOKS[look]
    axe = Axe()
    found: list[str] = []
    seen: list[str] = []

    def make() -> Visitor:
        return people(color_scheme=scheme, viewport={"width": size[0], "height": size[1]})

    for name, person in states(make):
        seen.append(name)
        person.at_rest()
        results = axe.run(person.page, options=AXE)
        for violation in results.response["violations"]:
            found += [
                f"{name}: {violation['id']}: {node['target']}: {node['html'][:160]}"
                for node in violation["nodes"]
            ]
    assert sorted(seen) == sorted(NAMES)
    assert not found, "\n".join(found)


#: What is smaller than 44 x 44 among the things with which one plays, and is to be seen.
SMALL = """() => [...document.querySelectorAll(
        '#play button, .asks button, .btn.main, .bar .btn, .result button, .result a.btn')]
    .filter(e => e.checkVisibility() && e.getClientRects().length)
    .map(e => [e, e.getBoundingClientRect()])
    .filter(([, r]) => r.width < 43.5 || r.height < 43.5)
    .map(([e, r]) => `${e.id || e.className} ${e.textContent.trim().slice(0, 20)}` +
                     ` ${Math.round(r.width)}x${Math.round(r.height)}`)"""

#: Everything that reaches beyond the right edge of the page.
WIDE = """() => document.documentElement.scrollWidth - document.documentElement.clientWidth"""


@pytest.mark.parametrize("size", [(360, 740), (820, 1180)], ids=["phone", "tablet"])
def test_targets_are_large_and_nothing_is_wider_than_the_page(
    people: People, size: tuple[int, int]
) -> None:
    wrong = []
    for name, person in states(lambda: people(viewport={"width": size[0], "height": size[1]})):
        wrong += [f"{name}: {each}" for each in person.page.evaluate(SMALL)]
        beyond = person.page.evaluate(WIDE)
        if beyond > 0:
            wrong.append(f"{name}: {beyond} px too wide")
    assert not wrong, "\n".join(wrong)


def test_text_twice_as_large_loses_nothing(people: People) -> None:
    """200 % text: nothing is cut off sideways, and every button can be reached and pressed."""
    ana = people(viewport={"width": 360, "height": 740})
    for path in ("/", "/rules", "/how", "/settings"):
        ana.page.goto(path)
        _enlarge(ana)
        assert ana.page.evaluate(WIDE) <= 0, path
    ana.play_bots(3)
    ana.connected()
    _enlarge(ana)
    ana.until_turn()
    for _ in range(2):
        ana.press(ana.offered()[-1])
    assert ana.page.evaluate(WIDE) <= 0


def _enlarge(person: Visitor) -> None:
    """What a browser does whose user wants text twice as large."""
    person.page.evaluate("() => { document.documentElement.style.fontSize = '200%'; }")
