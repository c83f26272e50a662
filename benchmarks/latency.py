"""What people feel at a table in the browser: delays, sizes, and a server that is killed. JSON.

    python benchmarks/latency.py [--moves 50] [--chromium PROGRAM] [--out FILE]

Two browsers of one machine sit at one table of a real ``skyjo serve``. ``seen`` is the time from a
press in one to the changed page in the other (``painted``: to the next frame that shows it),
``own`` to the changed page in the same browser. ``update`` is the size of one board over the
WebSocket for 2, 4 and 8 seats, as it is and as it is packed on the wire; ``page`` everything that
the table's page loads with an empty cache. ``recovery`` is the time from the first answer of a
server that was killed and started again to both pages being connected and right.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, Page, Request, WebSocket, sync_playwright

MOVES = "#play button[name=action]:not([aria-disabled=true])"
VERSION = "() => Number(document.querySelector('#board')?.dataset.version ?? -1)"
CONNECTED = "() => document.querySelector('#live')?._htmx?.ws?.connection?.socket?.readyState === 1"

#: Notes when something was pressed, when the board changed, and when the change was painted.
WATCH = """() => {
    const now = () => performance.timeOrigin + performance.now();
    window.seen = {};
    window.pressed = 0;
    addEventListener('pointerdown', () => { window.pressed = now(); }, true);
    const note = () => {
        const version = document.querySelector('#board').dataset.version;
        if (version in window.seen) return;
        const entry = window.seen[version] = { changed: now(), painted: 0 };
        requestAnimationFrame(() => setTimeout(() => { entry.painted = now(); }));
    };
    new MutationObserver(note).observe(document.querySelector('#live'),
        { subtree: true, childList: true, attributes: true, attributeFilter: ['data-version'] });
}"""


class Server:
    """A real server over a folder; always on the same port."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = 0
        self.process: subprocess.Popen[str] | None = None
        self.start()

    @property
    def url(self) -> str:
        """The address without the last slash."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it; the port is known afterwards, the server may not answer yet."""
        arguments = ["--host", "127.0.0.1", "--port", str(self.port), "--data", str(self.folder)]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "skyjo", "serve", *arguments],
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env={**os.environ, "PYTHONIOENCODING": "utf-8", "LANGUAGE": "en"},
        )
        assert self.process.stdout
        for line in self.process.stdout:
            if found := re.search(r"http://127\.0\.0\.1:(\d+)/", line):
                self.port = int(found[1])
                return
        raise SystemExit("the server does not start")

    def wait(self) -> float:
        """Until it answers; the time of the first answer."""
        while True:
            try:
                urllib.request.urlopen(f"{self.url}/robots.txt", timeout=60).read()
            except (urllib.error.URLError, OSError):
                time.sleep(0.01)
            else:
                return time.perf_counter()

    def end(self, number: int = signal.SIGTERM) -> None:
        """End it by a signal."""
        assert self.process
        self.process.send_signal(number)
        self.process.wait()


@contextmanager
def people(browser: Browser, server: Server, count: int) -> Iterator[list[Page]]:
    """So many people in the lobby of one table, each with a browser of their own."""
    contexts: list[BrowserContext] = []
    pages: list[Page] = []
    for number in range(count):
        context = browser.new_context(base_url=server.url, locale="en-GB")
        contexts.append(context)
        page = context.new_page()
        pages.append(page)
        if number == 0:
            page.goto("/")
            form = page.locator('form[action="/tables"]')
        else:
            page.goto(urlsplit(pages[0].url).path)
            form = page.locator("form[action$='/join']")
        form.locator("input[name=name]").fill(f"Player {number + 1}")
        form.locator("button").click()
        page.locator(".people").wait_for()
        page.wait_for_function(CONNECTED)
    pages[0].locator("form[action$='/start'] button").click()
    for page in pages:
        page.locator("#play").wait_for()
    yield pages
    for context in contexts:
        context.close()


def later_than(page: Page, version: int) -> None:
    page.wait_for_function(f"before => ({VERSION})() > before", arg=version)


def press(pages: list[Page]) -> tuple[Page, int]:
    """Somebody whose turn it is presses something; who, and the version after it."""
    while True:
        for page in pages:
            offered = page.locator(MOVES)
            if offered.count():
                before = page.evaluate(VERSION)
                values = offered.evaluate_all("all => all.map(each => each.value)")
                wish = next(
                    (
                        v
                        for w in ("reveal", "draw", "discard", "flip", "swap")
                        for v in values
                        if v.startswith(w)
                    ),
                    values[0],
                )
                page.locator(f'{MOVES}[value="{wish}"]').first.click()
                later_than(page, before)
                return page, int(page.evaluate(VERSION))
            ready = page.locator("form[action$='/ready'] button")
            if ready.count():
                ready.click()
        pages[0].wait_for_timeout(5)


def delays(pages: list[Page], moves: int) -> dict[str, Any]:
    """Milliseconds from a press to what two browsers show."""
    for page in pages:
        page.evaluate(WATCH)
    seen, painted, own = [], [], []
    for _ in range(moves):
        who, version = press(pages)
        pressed = who.evaluate("() => window.pressed")
        for page in pages:
            page.wait_for_function("v => (window.seen[v]?.painted ?? 0) > 0", arg=str(version))
            entry = page.evaluate("v => window.seen[v]", str(version))
            if page is who:
                own.append(entry["changed"] - pressed)
            else:
                seen.append(entry["changed"] - pressed)
                painted.append(entry["painted"] - pressed)
    return {"moves": moves, "seen": spread(seen), "painted": spread(painted), "own": spread(own)}


def spread(values: list[float]) -> dict[str, float]:
    ordered = sorted(values)
    return {
        "median_ms": round(statistics.median(ordered), 1),
        "p95_ms": round(ordered[int(len(ordered) * 0.95)], 1),
        "max_ms": round(ordered[-1], 1),
    }


def update_sizes(browser: Browser, server: Server, seats: int, moves: int = 6) -> dict[str, int]:
    """The size of one board for so many seats: one person and bots."""
    boards: list[str] = []
    context = browser.new_context(base_url=server.url, locale="en-GB")
    page = context.new_page()

    def opened(socket: WebSocket) -> None:
        socket.on("framereceived", lambda payload: boards.append(str(payload)))

    page.on("websocket", opened)
    page.goto("/")
    page.evaluate("() => { document.querySelector('#quick').open = true; }")
    page.locator(f'input[name=count][value="{seats - 1}"]').check(force=True)
    page.locator('form[action="/play"] button').click()
    page.locator("#play").wait_for()
    page.wait_for_function(CONNECTED)
    for _ in range(moves):
        press([page])
    context.close()
    # As the server packs: one dictionary for the whole connection, a window of 4 kB.
    packer = zlib.compressobj(wbits=-12, memLevel=5)
    wire = [
        len(packer.compress(each.encode()) + packer.flush(zlib.Z_SYNC_FLUSH)) for each in boards
    ]
    return {
        "bytes": round(statistics.median(len(each.encode()) for each in boards)),
        "on_the_wire": round(statistics.median(wire[1:])),
        "gzip_alone": round(
            statistics.median(len(zlib.compress(each.encode(), 6)) for each in boards)
        ),
    }


def page_weight(browser: Browser, server: Server) -> dict[str, Any]:
    """Everything that the table's page loads with an empty cache, as it comes over the wire."""
    with people(browser, server, 2) as pages:
        path, state = pages[0].url, pages[0].context.storage_state()
        context = browser.new_context(locale="en-GB", storage_state=state)
        page = context.new_page()
        requests: list[Request] = []
        page.on("requestfinished", lambda request: requests.append(request))  # noqa: PLW0108
        page.goto(path, wait_until="networkidle")
        files = {
            urlsplit(request.url).path: request.sizes()["responseBodySize"] for request in requests
        }
        context.close()
    return {"bytes": sum(files.values()), "files": files}


def recovery(server: Server, pages: list[Page]) -> dict[str, float]:
    """Seconds from the first answer of the new server to both pages being right again."""
    while not any(page.locator(f'{MOVES}[value="draw"]').count() for page in pages):
        press(pages)
    drawer = next(page for page in pages if page.locator(f'{MOVES}[value="draw"]').count())
    before = drawer.evaluate(VERSION)
    drawer.locator(f'{MOVES}[value="draw"]').click()
    for page in pages:
        later_than(page, before)
    server.end(signal.SIGKILL)
    time.sleep(6)
    begun = time.perf_counter()
    server.start()
    answered = server.wait()
    for page in pages:
        page.wait_for_function(CONNECTED)
        page.locator("#offline").wait_for(state="hidden")
    back = time.perf_counter()
    press(pages)
    return {
        "down_s": 6.0,
        "start_to_answer_s": round(answered - begun, 2),
        "answer_to_pages_s": round(back - answered, 2),
    }


def say(what: str) -> None:
    """What is being measured, for whoever waits."""
    print(f"{what} ...", file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--moves", type=int, default=50, help="fewer than a round has")
    parser.add_argument("--chromium", default=os.environ.get("SKYJO_TEST_CHROMIUM", ""))
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    program = options.chromium or shutil.which("chromium")
    results: dict[str, Any] = {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        "load_before": round(os.getloadavg()[0], 2),
    }
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder))
        browser = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        try:
            server.wait()
            say("page")
            results["browser"] = browser.version
            results["page"] = page_weight(browser, server)
            say("update")
            results["update"] = {
                str(seats): update_sizes(browser, server, seats) for seats in (2, 4, 8)
            }
            with people(browser, server, 2) as pages:
                say("latency")
                results["latency"] = delays(pages, options.moves)
                say("recovery")
                results["recovery"] = recovery(server, pages)
        finally:
            browser.close()
            server.end(signal.SIGKILL)
    text = json.dumps(results, indent=2)
    print(text)
    if options.out:
        options.out.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
