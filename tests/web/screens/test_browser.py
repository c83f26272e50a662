"""Sample pages in a real browser: nothing overflows, targets are large, axe finds nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page
from tests.web.screens import samples, shots

SIZES = ((360, 740), (768, 1024), (1440, 900))
PHONE = SIZES[0]
#: The smallest phones, and what the bars of a browser leave of larger ones.
SHORT = ((320, 568), (360, 616), (390, 664))
#: Moments in which the whole table must be on the screen of a phone.
TABLES = [
    *(f"choose{players}" for players in (2, 3, 4, 5, 6, 8)),
    *(
        f"{moment}{players}"
        for moment in ("drawn", "flip", "other", "picked")
        for players in (2, 8)
    ),
    *("last8", "away8", "onlooker4", "shared3", "remove2", "optional2", "facedown2", "left4"),
]
#: Every kind of page, and every moment of the table.
AXED = [
    *(
        "choose2",
        "picked8",
        "drawn8",
        "flip2",
        "other8",
        "reveal2",
        "remove2",
        "abandoned3",
        "left4",
        "last8",
        "away8",
        "shared3",
    ),
    *("onlooker4", "roundend2", "roundend8", "over8", "lobby8", "guest3", "start-new"),
    *("start-games", "join", "settings", "error", "rules", "seats", "leave", "claim"),
    *("how1", "how6", "how13", "replay2", "replay8"),
]
LARGE_LETTERS = "--blink-settings=defaultFontSize=32"


@pytest.fixture(scope="module")
def html() -> dict[str, str]:
    return shots.everything("")


Open = Callable[..., Page]


@pytest.fixture
def visit(browser: Browser, html: dict[str, str]) -> Iterator[Open]:
    """Opens a sample page at a size; complaints of the browser fail the test."""
    opened: list[Page] = []
    complaints: list[str] = []

    def go(name: str, size: tuple[int, int] = PHONE, *, dark: bool = False) -> Page:
        page = shots.open_page(browser, html, size, dark)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console",
            lambda message: (
                complaints.append(message.text) if "Security Policy" in message.text else None
            ),
        )
        opened.append(page)
        page.goto(f"{shots.HOST}/{name}")
        return page

    yield go
    for page in opened:
        page.close()
    assert not complaints


def overflow(page: Page) -> list[int]:
    """How far the content goes beyond the window, to the right and down."""
    found: list[int] = page.evaluate(
        "(() => { const d = document.documentElement;"
        " return [d.scrollWidth - innerWidth, d.scrollHeight - innerHeight] })()"
    )
    return found


@pytest.mark.parametrize("name", TABLES)
def test_the_table_fits_without_scrolling(visit: Open, name: str) -> None:
    for size in (*SIZES, *SHORT):
        assert overflow(visit(name, size)) == [0, 0], size


def test_no_lesson_scrolls_on_a_phone(visit: Open, html: dict[str, str]) -> None:
    page = visit("how1")
    for name in html:
        if name.startswith("how"):
            page.goto(f"{shots.HOST}/{name}")
            assert overflow(page) == [0, 0], name


def test_no_page_scrolls_sideways(visit: Open, html: dict[str, str]) -> None:
    page = visit("start-new")
    for name in html:
        page.goto(f"{shots.HOST}/{name}")
        assert overflow(page)[0] == 0, name


def test_large_letters_lose_nothing(launch: Callable[..., Browser], html: dict[str, str]) -> None:
    browser = launch(LARGE_LETTERS)
    page = shots.open_page(browser, html, PHONE, dark=False)
    for name in html:
        page.goto(f"{shots.HOST}/{name}")
        assert overflow(page)[0] == 0, name
        if name == "drawn8":
            assert page.locator(".acts .btn").is_visible()
    browser.close()


@pytest.mark.parametrize("name", ["choose8", "drawn8", "away8", "roundend2", "lobby8", "start-new"])
def test_what_can_be_pressed_is_large_enough(visit: Open, name: str) -> None:
    page = visit(name)
    for target in page.locator("button:visible, a.btn:visible, summary:visible").all():
        box = target.bounding_box()
        assert box is not None
        assert box["width"] >= 43.9, target
        assert box["height"] >= 43.9, target


#: What can be pressed and is covered by one of the notices, which are shown for that.
COVERED = """() => {
    document.querySelector('#offline').hidden = false;
    const toast = document.createElement('p');
    toast.className = 'toast';
    toast.textContent = 'The table has moved on; look again and choose anew. '.repeat(2);
    document.querySelector('#notice').append(toast);
    const notices = ['#offline', '.toast'].map(n => document.querySelector(n));
    const boxes = notices.map(n => n.getBoundingClientRect());
    return [...document.querySelectorAll('#play button, .bar a, .asks button')]
        .filter(e => e.checkVisibility() && e.getClientRects().length)
        .filter(e => { const r = e.getBoundingClientRect();
            return boxes.some(b => b.left < r.right && r.left < b.right
                                   && b.top < r.bottom && r.top < b.bottom); })
        .map(e => e.id || e.className);
}"""


@pytest.mark.parametrize("size", [*SIZES, *SHORT])
def test_notices_cover_nothing_that_can_be_pressed(visit: Open, size: tuple[int, int]) -> None:
    for name in ("drawn8", "drawn2", "away8"):
        assert visit(name, size).evaluate(COVERED) == [], name


def test_what_is_chosen_can_be_read_whole_on_a_phone(visit: Open) -> None:
    page = visit("lobby2")
    page.locator("#house summary").click()
    heights = page.eval_on_selector_all(
        "#knobs select", "found => found.map(each => each.getBoundingClientRect().height)"
    )
    assert min(heights) >= 43.9
    assert max(heights) >= 60, "long sentences take two lines"


def test_own_cards_are_large_and_small_ones_can_be_read(visit: Open) -> None:
    page = visit("choose8")
    own = page.locator(".own .card").first.bounding_box()
    assert own is not None
    assert own["width"] >= 72
    sizes = page.eval_on_selector_all(
        ".other .c b", "found => found.map(b => parseFloat(getComputedStyle(b).fontSize))"
    )
    assert min(sizes) >= 11
    half = page.locator(".own").bounding_box()
    assert half is not None
    assert half["y"] + half["height"] / 2 > PHONE[1] / 2


def test_choosing_the_discard_can_be_taken_back(visit: Open) -> None:
    page = visit("choose8")
    assert page.locator("#board.source").count() == 1
    plain = page.locator("#now").inner_text()
    page.locator("#discard").click()
    assert page.locator("#board.placing").count() == 1
    assert page.locator("#discard").get_attribute("aria-pressed") == "true"
    assert page.locator(".own .card[type=submit]").count() == 12
    assert page.locator(".own .card").first.get_attribute("value") == "take, swap r0c0"
    assert page.locator("#now").inner_text() != plain
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    focused = page.evaluate("document.activeElement.id")
    assert focused == "g0-4"
    page.locator("#discard").click()
    assert page.locator(".own .card[type=submit]").count() == 0
    assert page.locator("#now").inner_text() == plain


def test_menu_and_scores_open_over_the_table(visit: Open) -> None:
    page = visit("choose8")
    for name in ("menu", "side"):
        assert not page.locator(f"#{name}").is_visible()
        page.locator(f"a[href='#{name}']").first.click()
        assert page.locator(f"#{name}").is_visible()
        page.keyboard.press("Escape")
        assert not page.locator(f"#{name}").is_visible()


def test_the_cards_can_be_looked_at_when_the_round_is_over(visit: Open) -> None:
    page = visit("roundend8")
    assert page.locator("#side").is_visible()
    page.get_by_role("link", name="Look at the cards").click()
    assert not page.locator("#side").is_visible()
    page.get_by_role("link", name="Scores").click()
    assert page.locator("#side").is_visible()


def test_the_result_comes_first_when_it_is_over(visit: Open) -> None:
    for name in ("over8", "roundend8"):
        page = visit(name)
        order = page.evaluate(
            "['#result-title', '.result .btn.main', '.to-cards']"
            ".map(each => document.querySelector(each).getBoundingClientRect().top)"
        )
        assert order == sorted(order), name
        assert order[1] < PHONE[1], "the next thing to do is seen without scrolling"
    desktop = visit("roundend8", SIZES[2])
    assert desktop.locator("#result-title").is_visible()
    assert not desktop.locator(".to-cards").is_visible(), "the cards lie beside the result"


@pytest.mark.parametrize("name", ["last8", "choose8", "drawn2", "facedown2", "roundend2"])
def test_what_is_to_be_done_can_be_read_by_the_old(visit: Open, name: str) -> None:
    for size, least in ((PHONE, 12), (SIZES[1], 13), (SIZES[2], 13)):
        sizes = visit(name, size).eval_on_selector_all(
            ".say > span:not(.hush)",
            "found => found.map(each => parseFloat(getComputedStyle(each).fontSize))",
        )
        assert sizes
        assert min(sizes) >= least, size


def test_a_replay_of_eight_shows_all_grids_at_once(visit: Open) -> None:
    page = visit("replay8")
    last = page.locator(".replay-grids .other").last.bounding_box()
    assert last is not None
    assert last["y"] + last["height"] <= PHONE[1]


def test_short_names_stand_across_above_their_points(visit: Open, html: dict[str, str]) -> None:
    game = samples.until(5, samples.after_round(2))
    game.players = ("Ana", "Ben", "Cléo", "Юрко", "Magda")
    for name in ("Magda", "Magdalena"):
        game.players = (*game.players[:4], name)
        html["short5"] = shots.rendered("table.html", samples.variables(samples.table_of(game, 5)))
        names = visit("short5").locator(".sheet .name")
        wide = [each.evaluate("e => e.offsetWidth > e.offsetHeight") for each in names.all()]
        assert all(wide) if name == "Magda" else not any(wide)
        cut = [each.evaluate("e => e.scrollWidth > e.clientWidth") for each in names.all()]
        assert not any(cut)
    del html["short5"]


def test_the_winner_is_cheered_once_the_cards_have_been_turned(visit: Open) -> None:
    page = visit("over8")
    page.emulate_media(reduced_motion="no-preference")
    delays = """() => ['.side', '.rain i'].map(each => {
        const style = getComputedStyle(document.querySelector(each));
        return [style.animationName, parseFloat(style.animationDelay)];
    })"""
    assert [name for name, _ in page.evaluate(delays)] == ["none", "none"], "it was opened later"
    page.evaluate("document.querySelector('#live').classList.remove('opened')")
    (rises, side), (rains, cards) = page.evaluate(delays)
    assert (rises, rains) == ("rise", "rain")
    assert side > 4, "eight grids have been turned before"
    assert cards > side


def test_passing_is_quieter_than_doing(visit: Open) -> None:
    page = visit("remove2")
    main = page.locator(".acts .btn.main")
    assert main.all_inner_texts() == ["Remove column 1"]
    assert page.locator(".acts .btn").count() == 2


@pytest.mark.parametrize(
    ("size", "dark"), [(SIZES[0], False), (SIZES[2], True)], ids=["phone-light", "desktop-dark"]
)
def test_axe_finds_nothing(
    visit: Open, html: dict[str, str], size: tuple[int, int], dark: bool
) -> None:
    page = visit("start-new", size, dark=dark)
    axe = Axe()
    found = []
    for name in (*AXED, "choose8#menu", "choose8#side"):
        assert name.partition("#")[0] in html
        page.goto("about:blank")
        page.goto(f"{shots.HOST}/{name}")
        page.evaluate("Promise.all(document.getAnimations().map(each => each.finished))")
        found += [(name, v["id"]) for v in axe.run(page).response["violations"]]
    assert not found
