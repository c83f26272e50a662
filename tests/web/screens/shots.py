"""Takes pictures of every page in chosen moments, for people to look at.

    python tests/web/screens/shots.py [--out DIR] [--only WORD] [--sizes 360x740,1440x900] [--dark]

Pages are rendered from sample scenes without a server. For development only, not a test.
"""

from __future__ import annotations

import argparse
import os
import sys
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT)]

from playwright.sync_api import Browser, ConsoleMessage, Page, Route, sync_playwright  # noqa: E402
from tests.web.screens import samples  # noqa: E402

from skyjo import i18n  # noqa: E402
from skyjo.web.assets import FOLDER, Assets  # noqa: E402
from skyjo.web.pages import Pages, Ui  # noqa: E402

HOST = "http://skyjo.test"
CSP = "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'"


def everything(only: str) -> dict[str, str]:
    """Every page that was asked for, as HTML by name."""
    found: dict[str, str] = {}

    def add(name: str, template: str, values: dict[str, Any]) -> None:
        if only in name:
            found[name] = rendered(template, values)

    for name, values in samples.tables():
        add(name, "table.html", values)
    for name, template, values in samples.pages():
        add(name, template, values)
    return found


@cache
def pages() -> Pages:
    """The templates."""
    return Pages(Assets(FOLDER))


def rendered(template: str, values: dict[str, Any]) -> str:
    """A page as HTML."""
    return pages().render(template, ui=ui(), **values)


def ui() -> Ui:
    """A reader."""
    return Ui(i18n.current_language(), i18n.available_languages(), "auto", False, "/")


def open_page(browser: Browser, html: dict[str, str], size: tuple[int, int], dark: bool) -> Page:
    """A page of that size that finds all samples and static files."""
    assets = Assets(FOLDER)
    page = browser.new_page(
        viewport={"width": size[0], "height": size[1]},
        color_scheme="dark" if dark else "light",
        reduced_motion="reduce",
        device_scale_factor=2 if size[0] < 500 else 1,
    )
    page.set_default_timeout(60_000)

    def answer(route: Route) -> None:
        path = urlsplit(route.request.url).path
        asset = assets.get(path)
        if asset is not None:
            route.fulfill(body=asset.content, content_type=asset.kind)
        elif path[1:] in html:
            headers = {"content-security-policy": CSP}
            route.fulfill(
                body=html[path[1:]], content_type="text/html; charset=utf-8", headers=headers
            )
        else:
            route.fulfill(status=404, body="")

    page.route("**/*", answer)
    page.on("console", report)
    page.on("pageerror", lambda error: say(f"error: {error}"))
    return page


def report(message: ConsoleMessage) -> None:
    """Pass on what the page complains about, but for the server that is not there."""
    if message.type == "error" and not any(word in message.text for word in ("404", "ws:", "WebS")):
        say(f"console: {message.text}")


def say(text: str) -> None:
    """A line on the terminal."""
    sys.stdout.write(f"{text}\n")


def main() -> None:
    """Take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "screens")
    parser.add_argument("--only", default="")
    parser.add_argument("--sizes", default="360x740,768x1024,1440x900")
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--lang", default="en")
    parser.add_argument("--full", action="store_true", help="the whole page, not what is seen")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    i18n.set_language(options.lang)
    html = everything(options.only)
    with sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=os.environ.get("SKYJO_TEST_CHROMIUM", "/usr/bin/chromium")
        )
        for text in options.sizes.split(","):
            width, height = (int(part) for part in text.split("x"))
            page = open_page(browser, html, (width, height), options.dark)
            for name in html:
                page.goto(f"{HOST}/{name}")
                look = f"{name}-{text}{'-dark' if options.dark else ''}"
                scrolls = page.evaluate(
                    "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
                )
                page.wait_for_timeout(350)
                page.screenshot(path=options.out / f"{look}.png", full_page=options.full)
                say(f"{look} {scrolls[0]}x{scrolls[1]}")
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
