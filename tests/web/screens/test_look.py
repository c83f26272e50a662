"""How pages look, measured: contrast, sizes, what is vendored, and that every template renders."""

from __future__ import annotations

import gzip
import hashlib
import re
from html.parser import HTMLParser
from itertools import combinations

import pytest
from tests.web.screens import samples, shots

from skyjo import i18n
from skyjo.rules.layout import CHOOSE, HIGHEST, LOWEST
from skyjo.web.assets import FOLDER, Assets
from skyjo.web.cards import look

CSS = (FOLDER / "skyjo.css").read_text(encoding="utf-8")
#: What the play page may weigh as it travels, in bytes.
BUDGET = 60_000


# --- Colours --------------------------------------------------------------------------------


def luminance(colour: str) -> float:
    """Relative luminance of ``#rrggbb`` or ``#rgb`` (WCAG 2)."""
    digits = colour.lstrip("#")
    digits = "".join(d * 2 for d in digits) if len(digits) == 3 else digits
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    r, g, b = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def lightness(colour: str) -> float:
    """L* from 0 to 100."""
    return float(116 * luminance(colour) ** (1 / 3) - 16)


def families() -> dict[str, tuple[str, str]]:
    """Background and ink of every family of cards."""
    found = re.findall(
        r"(?m)^\.(neg|zero|low|mid|high) \{ background: (#\w+); color: (#\w+); \}", CSS
    )
    return {name: (background, ink) for name, background, ink in found}


def themes() -> list[dict[str, str]]:
    """The variables of the light theme, and of both places that name the dark one."""
    blocks = re.findall(r"\{\s*color-scheme: \w+;(.*?)\}", CSS, re.DOTALL)
    return [dict(re.findall(r"--([\w-]+): (#\w+);", block)) for block in blocks]


def test_every_family_is_drawn() -> None:
    assert set(families()) == {look(card) for card in range(LOWEST, HIGHEST + 1)}


@pytest.mark.parametrize("family", ["neg", "zero", "low", "mid", "high"])
def test_numbers_stand_out_from_their_card(family: str) -> None:
    background, ink = families()[family]
    assert contrast(background, ink) >= 7


def test_the_number_stands_out_from_the_band_too() -> None:
    bands = re.findall(r"#4a3ba6", CSS)
    assert bands
    assert contrast("#4a3ba6", "#fff") >= 7


def test_families_and_back_differ_in_grey() -> None:
    greys = {name: lightness(background) for name, (background, _ink) in families().items()}
    for one, other in combinations(greys, 2):
        assert abs(greys[one] - greys[other]) >= 10, (one, other)
    for theme in themes():
        back = lightness(theme["back"])
        assert min(abs(back - grey) for grey in greys.values()) >= 4


def test_the_dark_theme_is_the_same_by_choice_and_by_device() -> None:
    light, chosen, device = themes()
    assert chosen == device
    assert set(light) == set(chosen)


@pytest.mark.parametrize("ground", ["bg", "panel", "tray", "accent-soft"])
def test_text_can_be_read_on_every_ground(ground: str) -> None:
    for theme in themes():
        assert contrast(theme["ink"], theme[ground]) >= 7
        assert contrast(theme["muted"], theme[ground]) >= 4.5
        assert contrast(theme["accent"], theme[ground]) >= 4.5
    assert all(contrast(theme["accent"], theme["accent-ink"]) >= 4.5 for theme in themes())


@pytest.mark.parametrize("ground", ["bg", "panel", "tray", "field"])
def test_what_can_be_pressed_or_filled_has_an_edge_that_is_seen(ground: str) -> None:
    for theme in themes():
        assert contrast(theme["edge"], theme[ground]) >= 3


def test_cards_below_zero_keep_their_shape_in_the_dark() -> None:
    for theme in themes()[1:]:
        for ground in ("bg", "panel", "accent-soft"):
            assert contrast(theme["rim"], theme[ground]) >= 3, ground


# --- Files ----------------------------------------------------------------------------------


def test_vendored_files_are_what_they_were() -> None:
    folder = FOLDER / "vendor"
    lines = [line.split() for line in (folder / "SHA256SUMS").read_text().splitlines()]
    sums = {name: digest for digest, name in lines}
    assert set(sums) == {path.name for path in folder.iterdir()} - {"SHA256SUMS"}
    assert any(name.startswith("LICENSE") for name in sums)
    for name, digest in sums.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest, name


def test_the_play_page_stays_small() -> None:
    html = shots.everything("choose8")["choose8"]
    assets = Assets(FOLDER)
    urls = set(re.findall(r'(?:src|href)="(/static/[^"#]+)"', html))
    files = [assets.get(url) for url in urls if not url.endswith(".png")]
    weights = [len(gzip.compress(html.encode()))]
    weights += [min(len(f.content), len(f.packed) or len(f.content)) for f in files if f]
    assert len(weights) >= 6
    assert sum(weights) <= BUDGET


# --- Markup ---------------------------------------------------------------------------------


#: What ends a paragraph that it stands in: browsers put it, and all that follows, outside.
BLOCKS = {
    *("form", "fieldset", "details", "div", "section", "nav", "figure", "table"),
    *("p", "ul", "ol", "dl", "h1", "h2", "h3"),
}


class Markup(HTMLParser):
    """Notes what a strict policy forbids, torn paragraphs, ids, and what refers to them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.faults: list[str] = []
        self.paragraph = ""
        self.ids: list[str] = []
        self.wanted: set[str] = set()
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if self.paragraph and tag in BLOCKS:
            self.faults.append(f"{tag} in {self.paragraph}")
        if tag == "p":
            self.paragraph = self.get_starttag_text() or tag
        if tag == "style" or (tag == "script" and "src" not in given):
            self.faults.append(f"inline {tag}")
        self.faults += [f"{tag} {name}" for name in given if name == "style" or name[:2] == "on"]
        if given.get("id"):
            self.ids.append(str(given["id"]))
        for name in ("for", "aria-labelledby", "aria-describedby"):
            self.wanted |= set((given.get(name) or "").split())
        if tag == "use":
            self.wanted.add(str(given["href"])[1:])
        if tag == "a" and str(given.get("href")).startswith("#"):
            self.wanted.add(str(given["href"])[1:])

    def handle_endtag(self, tag: str) -> None:
        if tag == "p":
            self.paragraph = ""

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("language", [language.code for language in i18n.available_languages()])
def test_every_page_renders_and_keeps_the_policy(language: str) -> None:
    with i18n.use_language(language):
        pages = shots.everything("")
    assert len(pages) > 30
    for name, html in pages.items():
        markup = Markup(html)
        assert not markup.faults, name
        assert len(markup.ids) == len(set(markup.ids)), name
        assert not markup.wanted - set(markup.ids), name
        assert f'lang="{language}"' in html
        assert "None" not in markup.text, name


def test_names_are_escaped_everywhere() -> None:
    evil = "<b onclick=x>&\u202e"
    game = samples.until(3, samples.at(CHOOSE))
    game.players = (evil, evil, evil)
    table = samples.table_of(game, 3)
    for seat in table.seats:
        seat.name = evil
    html = shots.rendered("table.html", samples.variables(table))
    assert "<b onclick" not in html
    assert "&lt;b onclick=x&gt;&amp;" in html
    said = re.findall(r"<li>([^<]*)</li>", html)
    assert said
    assert not any("\u202e" in line for line in said)


def test_what_flies_is_on_the_page() -> None:
    for name, html in shots.everything("").items():
        for hints in re.findall(r'data-fly="([^"]+)"', html):
            ids = Markup(html).ids
            for target in re.findall(r"&gt;(\S+)", hints):
                assert target in ids or target == "hand", name
