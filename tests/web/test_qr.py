"""QR codes hold what they should, in the terminal and on a page."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import segno

from skyjo.web import qr

TEXT = "http://192.168.178.23:8000/"


def modules(text: str, border: int, error: str) -> list[list[bool]]:
    """The code as rows of dark and light."""
    code = segno.make_qr(text, error=error)
    return [[bool(module) for module in row] for row in code.matrix_iter(border=border)]


def test_the_terminal_shows_the_code_light_blocks_on_dark() -> None:
    halves = {"█": (False, False), "▀": (False, True), "▄": (True, False), " ": (True, True)}
    wanted = modules(TEXT, 2, "l")
    rows: list[list[bool]] = []
    for line in qr.for_terminal(TEXT).splitlines():
        pairs = [halves[char] for char in line]
        rows.extend([[upper for upper, _lower in pairs], [lower for _upper, lower in pairs]])
    assert rows[: len(wanted)] == wanted


def test_colours_make_it_right_on_every_ground() -> None:
    plain = qr.for_terminal(TEXT).splitlines()
    coloured = qr.for_terminal(TEXT, colours=True).splitlines()
    assert len(coloured) == len(plain)
    for line, inside in zip(coloured, plain, strict=True):
        assert line == f"\x1b[38;5;231;48;5;16m{inside}\x1b[0m"


def test_it_fits_into_the_usual_terminal() -> None:
    lines = qr.for_terminal("http://192.168.178.123:48000/").splitlines()
    assert len(lines) <= 20
    assert max(map(len, lines)) <= 40


def test_the_image_has_no_inline_style_and_a_quiet_zone() -> None:
    root = ET.fromstring(qr.svg(TEXT))
    assert root.tag.endswith("svg")
    assert "style" not in qr.svg(TEXT)
    size = len(modules(TEXT, 4, "m"))
    assert root.get("viewBox") == f"0 0 {size} {size}"
