"""The sheet on paper, as Chromium prints it."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page
from tests.web.browsing import Visitor
from tests.web.harness import Person
from tests.web.test_pad_pages import begin, save

People = Callable[..., Visitor]
Visit = Callable[..., Person]

EIGHT = ("Ana", "Benedikta", "Cleo", "Юрій", "Zoë", "עדה", "Jean-Baptiste-Emmanuel", "W" * 24)
ROUNDS = 15
#: Width and height of the paper in CSS pixels, less 12 mm on every side.
MARGIN = 12 / 25.4 * 96
PAPERS = {"A4": (210 / 25.4 * 96, 297 / 25.4 * 96), "Letter": (8.5 * 96, 11 * 96)}

#: Every cell lies within the paper and shows all that is in it.
CUT = """width => [...document.querySelectorAll('.paper table, .paper th, .paper td, .paper .name')]
    .filter(each => {
        const box = each.getBoundingClientRect();
        return box.left < -1 || box.right > width + 1
            || (each.tagName === 'TD' && each.scrollWidth > each.clientWidth + 1);
    }).map(each => `${each.tagName} ${each.textContent} ${each.getBoundingClientRect().right}`)"""


def played(person: Person, rounds: int = ROUNDS) -> str:
    """A pad of eight with long names, all kinds of penalties and three digits; its path."""
    path = begin(person, *EIGHT, knobs="1", target="9999")
    for number in range(rounds):
        points = [number, -17, 140, 100 + number, 3, 0, 22, 9]
        penalty = ("rules", "yes", "no")[number % 3]
        save(person, path, *points, closer=number % 8, penalty=penalty)
    return path


def pages_of(pdf: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


def printed(page: Page, paper: str) -> bytes:
    """The page as a PDF, after a look at what is cut."""
    width, height = PAPERS[paper]
    page.emulate_media(media="print")
    page.set_viewport_size({"width": int(width - 2 * MARGIN), "height": int(height - 2 * MARGIN)})
    assert page.evaluate(CUT, int(width - 2 * MARGIN)) == []
    assert page.locator(".no-print").first.is_hidden()
    return page.pdf(format=paper, prefer_css_page_size=False)


@pytest.fixture
def reader(people: People, visitor: Visit) -> tuple[Visitor, str]:
    """Somebody with a browser before a pad of fifteen rounds."""
    ana = visitor()
    path = played(ana)
    return people(color_scheme="dark"), path


@pytest.mark.parametrize("paper", PAPERS)
def test_fifteen_rounds_of_eight_are_one_sheet_of_paper(
    reader: tuple[Visitor, str], paper: str
) -> None:
    person, path = reader
    page = person.page
    page.goto(f"{path}/print")
    assert pages_of(printed(page, paper)) == 1
    # It is black on white, also for who reads in the dark.
    assert page.evaluate("() => getComputedStyle(document.body).backgroundColor") == (
        "rgb(255, 255, 255)"
    )
    totals = page.locator(".paper tfoot td").all_inner_texts()
    assert totals[5] == "0"
    assert page.locator(".paper tbody tr").count() == ROUNDS
    page.goto(f"{path}/print?empty=1")
    assert pages_of(printed(page, paper)) == 1
    assert page.locator(".paper tbody td").all_inner_texts() == [""] * (ROUNDS * 8)
    page.set_viewport_size({"width": 360, "height": 740})


def test_a_long_game_goes_on_over_the_page(people: People, visitor: Visit) -> None:
    ana = visitor()
    path = played(ana, 40)
    page = people().page
    page.goto(f"{path}/print")
    assert pages_of(printed(page, "A4")) == 2


def test_the_season_is_printed_on_two_pages(people: People, visitor: Visit) -> None:
    ana = visitor()
    circle = ana.post("/circles", {"name": "Friday"}).headers["location"]
    lines = ["game,date,ruleset,round,player,points,closed,penalty"]
    for game in range(30):
        lines += [
            f"g{game},2026-01-{game % 28 + 1:02},official,1,{name},{game + seat},,"
            for seat, name in enumerate(EIGHT)
        ]
    ana.http.post(f"{circle}/import", files={"file": ("a.csv", "\n".join(lines).encode())})
    page = people().page
    page.goto(circle)
    page.emulate_media(media="print")
    width = int(PAPERS["A4"][0] - 2 * MARGIN)
    page.set_viewport_size({"width": width, "height": 1000})
    wide = "() => [...document.querySelectorAll('table')].map(t => t.getBoundingClientRect().right)"
    assert all(right <= width + 1 for right in page.evaluate(wide))
    assert page.get_by_role("button").count() == 0
    assert pages_of(page.pdf(format="A4")) == 2
