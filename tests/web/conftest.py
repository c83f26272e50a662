"""A server for every worker, people who visit it, and a browser."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Playwright, sync_playwright
from tests.web.browsing import Visitor
from tests.web.harness import Person, in_thread

from skyjo.table.ports import Settings as TableSettings
from skyjo.web.app import Application, create_app
from skyjo.web.limits import Limits
from skyjo.web.settings import Settings

#: Bots move at once, and nothing happens by itself that a test has not asked for.
QUICK = TableSettings(paces={"slow": 0.0, "normal": 0.0, "none": 0.0}, continue_after=3600.0)


def quick_app(folder: Path, *, table: TableSettings = QUICK, **choices: str) -> Application:
    """The application over a database in a folder."""
    settings = Settings(data=folder, key="5" * 64, limits=Limits.off(), **choices)  # type: ignore[arg-type]
    return create_app(settings, settings=table)


@pytest.fixture(scope="session")
def app(tmp_path_factory: pytest.TempPathFactory) -> Application:
    """The application that most tests share; every test makes its own tables."""
    return quick_app(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="session")
def server(app: Application) -> Iterator[str]:
    """The address of that application."""
    with in_thread(app) as url:
        yield url


@pytest.fixture
def visitor(server: str) -> Iterator[Callable[..., Person]]:
    """Makes a browser without scripts that has never been here."""
    with ExitStack() as stack:
        yield lambda **headers: stack.enter_context(Person(server, **headers))


@pytest.fixture(scope="module")
def playwright() -> Iterator[Playwright]:
    """What drives browsers; a process can have only one, whatever its tests are.

    While it is there its loop counts as running, so that no other test can run one of its own: it
    goes with the module.
    """
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="module")
def launch(playwright: Playwright) -> Callable[..., Browser]:
    """Starts Debian's Chromium, or whichever SKYJO_TEST_CHROMIUM names, with more arguments."""
    program = os.environ.get("SKYJO_TEST_CHROMIUM") or shutil.which("chromium")
    if not program:
        pytest.fail("name a Chromium in SKYJO_TEST_CHROMIUM (scripts/test finds or installs one)")
    usual = ("--no-sandbox", "--disable-dev-shm-usage")
    return lambda *more: playwright.chromium.launch(executable_path=program, args=[*usual, *more])


@pytest.fixture(scope="module")
def browser(launch: Callable[..., Browser]) -> Iterator[Browser]:
    """One browser for every module."""
    started = launch()
    yield started
    started.close()


@pytest.fixture
def people(browser: Browser, server: str) -> Iterator[Callable[..., Visitor]]:
    """Makes people with a browser each, who must have had nothing to complain about."""
    visitors: list[Visitor] = []

    def make(url: str = server, **options: Any) -> Visitor:
        visitors.append(Visitor(browser, url, **options))
        # A server of the test's own ends before its visitors do.
        visitors[-1].may_lose_connection = url != server
        return visitors[-1]

    yield make
    for visitor in visitors:
        visitor.close()
