"""Every page in sizes, themes and languages: nothing is cut off, and pictures are kept to look at.

The pictures lie in ``build/screens``. CI tries every pair of two properties; with ``--full`` every
combination is tried.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.conftest import ROOT
from tests.web.browsing import Visitor, quick_choice

from skyjo.i18n import available_languages

People = Callable[..., Visitor]

SCREENS = ROOT / "build" / "screens"
PROPERTIES: dict[str, tuple[str, ...]] = {
    "size": ("360x740", "390x844", "844x390", "820x1180", "1440x900"),
    "theme": ("light", "dark"),
    "language": tuple(language.code for language in available_languages()),
    "seats": ("2", "4", "8"),
}


def every_pair() -> list[tuple[str, ...]]:
    """Few combinations in which every two values of two properties meet."""
    names = list(PROPERTIES)
    everything = list(itertools.product(*PROPERTIES.values()))
    random.Random(1).shuffle(everything)
    missing = {pair for combination in everything for pair in pairs(combination)}
    chosen = []
    while missing:
        best = max(everything, key=lambda each: len(missing & set(pairs(each))))
        chosen.append(best)
        missing -= set(pairs(best))
    assert len(names) == len(chosen[0])
    return chosen


def pairs(combination: tuple[str, ...]) -> Iterator[tuple[tuple[int, str], tuple[int, str]]]:
    return itertools.combinations(enumerate(combination), 2)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "combination" in metafunc.fixturenames:
        full = metafunc.config.getoption("--full")
        chosen = list(itertools.product(*PROPERTIES.values())) if full else every_pair()
        metafunc.parametrize("combination", chosen, ids="-".join)


#: What is cut off: letters that are wider or higher than the box that may not grow.
CUT = """() => [...document.querySelectorAll('button, a.btn, .say, h1, h2, label, .who bdi')]
    .filter(e => e.checkVisibility() && e.getClientRects().length && !e.closest('.hush'))
    .filter(e => { const s = getComputedStyle(e);
        return (s.overflowX !== 'visible' && s.textOverflow !== 'ellipsis'
                && e.scrollWidth > e.clientWidth + 1); })
    .map(e => `${e.className} ${e.textContent.trim().slice(0, 40)}`)"""
WIDE = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


def test_every_page_in_every_look(people: People, combination: tuple[str, ...]) -> None:
    size, theme, language, seats = combination
    width, height = map(int, size.split("x"))
    person = people(
        viewport={"width": width, "height": height}, color_scheme=theme, locale=language
    )
    wrong: list[str] = []

    def look(name: str) -> None:
        person.at_rest()
        assert person.page.locator("html").get_attribute("lang") == language
        wrong.extend(f"{name}: cut off: {each}" for each in person.page.evaluate(CUT))
        if (beyond := person.page.evaluate(WIDE)) > 0:
            wrong.append(f"{name}: {beyond} px too wide")
        picture = SCREENS / "-".join(combination) / f"{name}.png"
        person.page.screenshot(path=picture, full_page=name not in ("opening", "turn", "hand"))

    for name, path in (
        ("start", "/"),
        ("rules", "/rules"),
        ("how", "/how?step=4"),
        ("settings", "/settings"),
    ):
        person.page.goto(path)
        look(name)
    person.make_table("Ana")
    look("lobby")
    person.play_bots(int(seats) - 1, "casual")
    person.connected()
    look("opening")
    for _ in range(2):
        person.until_turn()
        person.press(quick_choice(person.offered()))
    person.until_turn()
    look("turn")
    person.press("draw")
    look("hand")
    person.page.goto(f"{person.path}#side")
    look("scores")
    assert not wrong, "\n".join(wrong)


def test_every_pair_is_there() -> None:
    found = {pair for each in every_pair() for pair in pairs(each)}
    assert found == {
        pair for each in itertools.product(*PROPERTIES.values()) for pair in pairs(each)
    }
    assert len(every_pair()) < 30


def test_pictures_are_kept_out_of_the_repository() -> None:
    assert re.search(r"(?m)^/build/$", Path(ROOT, ".gitignore").read_text())
