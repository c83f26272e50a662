"""QR codes: for a terminal, and as an image for pages."""

from __future__ import annotations

import io
from functools import lru_cache


def for_terminal(text: str) -> str:
    """A QR code in blocks of half a line; dark on light also in a dark terminal.

    >>> for_terminal("http://192.0.2.7:8000/").count("\\n") < 20
    True
    """
    import segno

    out = io.StringIO()
    # Two rows share a line; the quiet zone of two modules is enough for every camera tried.
    segno.make_qr(text, error="l").terminal(out, border=2, compact=True)
    return out.getvalue()


@lru_cache(maxsize=256)
def svg(text: str) -> str:
    """A QR code as an SVG document.

    >>> svg("http://192.0.2.7:8000/").startswith("<svg")
    True
    """
    import segno

    code = segno.make_qr(text, error="m")
    drawn: str = code.svg_inline(
        scale=1, border=4, dark="#000", light="#fff", omitsize=True, svgclass=None, lineclass=None
    )
    return drawn
