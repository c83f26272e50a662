"""QR codes: for a terminal, and as an image for pages."""

from __future__ import annotations

import io
from functools import lru_cache

#: White on black: the blocks are the light modules, whatever the colours of the terminal are.
_COLOURS = "\x1b[38;5;231;48;5;16m"
_PLAIN = "\x1b[0m"


def for_terminal(text: str, *, colours: bool = False) -> str:
    r"""A QR code in characters of two modules each; the last line ends with a line break.

    Without colours it is right for light letters on a dark ground; with them on every ground.

    >>> for_terminal("http://192.0.2.7:8000/").count("\n")
    15
    """
    import segno

    out = io.StringIO()
    # A quiet zone of two modules is enough for the cameras of telephones, and saves lines.
    segno.make_qr(text, error="l").terminal(out, border=2, compact=True)
    lines = out.getvalue().splitlines()
    if colours:
        lines = [f"{_COLOURS}{line}{_PLAIN}" for line in lines]
    return "\n".join(lines) + "\n"


@lru_cache(maxsize=256)
def svg(text: str) -> str:
    """A QR code as an SVG element for a page, without a size of its own.

    >>> svg("http://192.0.2.7:8000/").startswith("<svg viewBox")
    True
    """
    import segno

    drawn: str = segno.make_qr(text, error="m").svg_inline(
        border=4, dark="#000", light="#fff", omitsize=True, svgclass=None, lineclass=None
    )
    return drawn
