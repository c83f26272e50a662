"""The web application: the only place where pages, tables, bots and store are put together."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from fastapi import FastAPI
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from skyjo import bots
from skyjo.bots.process import SharedProgram
from skyjo.i18n import _
from skyjo.scorepad.authority import PadAuthority
from skyjo.store import open_store
from skyjo.table.driver import PolicyDriver
from skyjo.table.upkeep import Upkeep
from skyjo.web import live
from skyjo.web.api.build import PATH as API_PATH
from skyjo.web.api.build import create_api
from skyjo.web.assets import FOLDER, Assets
from skyjo.web.keeping import keeping
from skyjo.web.limits import Gate, Limiter, with_mapped
from skyjo.web.metrics import MeteredAuthority, MeteredStore, Metrics, Watched
from skyjo.web.pages import Pages
from skyjo.web.problems import Problems
from skyjo.web.routes import (
    circle,
    deleting,
    files,
    health,
    lessons,
    pad,
    padlive,
    replay,
    start,
    table,
)
from skyjo.web.security import Guard
from skyjo.web.session import Sessions
from skyjo.web.settings import Settings
from skyjo.web.site import BotChoice, Site


class Application(FastAPI):
    """FastAPI behind the guard, which also sees what FastAPI answers by itself."""

    def build_middleware_stack(self) -> ASGIApp:
        """The usual layers, and the guard around all of them."""
        site: Site = self.state.site
        gate = Gate(
            super().build_middleware_stack(),
            site.limiter,
            site.sessions.cookie,
            site.problems.on_refusal,
        )
        guarded: ASGIApp = Guard(gate, site.settings, site.problems.refused)
        if site.settings.trusted_proxies:
            trusted = with_mapped(site.settings.trusted_proxies)
            guarded = ProxyHeadersMiddleware(guarded, trusted)  # type: ignore[arg-type,assignment]
        return Watched(guarded, site.metrics)


def create_app(settings: Settings, /, **options: Any) -> Application:
    """The application for these settings; its database is opened when it starts.

    ``options`` go to ``TableAuthority``: tests hand in clock, chance and secrets.
    """
    pages = Pages(Assets(FOLDER))
    problems = Problems(pages)
    metrics = Metrics()

    def let_go(table_id: str) -> None:
        """Something about a table was deleted: nothing of it stays in memory."""
        replay.let_go(table_id)
        pages.kept.clear()
        app.state.site.once.let_go(lambda joined: joined.table_id == table_id)
        app.state.site.once_pad.let_go(lambda scene: scene.id == table_id)
        app.state.site.pads.let_go(table_id)

    def is_looked_at(thing_id: str) -> bool:
        """Whether somebody looks at a pad or circle now."""
        return bool(app.state.site.pads.is_looked_at(thing_id))

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        store = await open_store(settings.database_url)
        try:
            counted = MeteredStore(store, app.state.site.metrics)
            async with MeteredAuthority(counted, driver(settings), **options) as authority:
                authority.metrics = app.state.site.metrics
                app.state.site.authority = authority
                app.state.site.upkeep = Upkeep(authority, store, let_go, is_looked_at)
                app.state.site.pads = PadAuthority(store)
                async with keeping(app.state.site.upkeep, settings.keep_days):
                    yield
                await app.state.site.pads.close()
        finally:
            await store.close()

    app = Application(lifespan=lifespan, openapi_url=None, docs_url=None, redoc_url=None)
    app.state.site = Site(
        settings=settings,
        sessions=Sessions(settings),
        pages=pages,
        problems=problems,
        bots=partial(bots_on_offer, settings),
        limiter=Limiter(settings.limits, refused=metrics.turned_away),
        metrics=metrics,
        doubts=bots.doubts,
    )
    problems.install(app)
    app.add_middleware(GZipMiddleware, minimum_size=600)
    # The routes of a table end with one for any form, so that the more special ones come first.
    app.mount(API_PATH, create_api(app.state.site))
    for part in (
        health,
        files,
        start,
        lessons,
        replay,
        live,
        deleting,
        table,
        padlive,
        pad,
        circle,
    ):
        app.include_router(part.router)
    return app


def driver(settings: Settings) -> PolicyDriver:
    """Every bot, ready to play; those that are programs start when they are first asked."""
    ours = {name: bots.make(name).policy for name in bots.names()}
    programs = {name: SharedProgram(command) for name, command in settings.programs}
    return PolicyDriver({**ours, **programs})


def bots_on_offer(settings: Settings) -> Sequence[BotChoice]:
    """Every bot, described in the reader's language."""
    ours = [
        BotChoice(name, bots.label(name), bots.says(name), more=name not in bots.LADDER)
        for name in bots.names()
    ]
    says = _("A program that whoever runs this server has added.")
    return [*ours, *(BotChoice(name, name, says) for name, _command in settings.programs)]
