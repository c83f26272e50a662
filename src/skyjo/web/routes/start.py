"""The start page, and the forms that lead from it to a table."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final, TypeAlias

from fastapi import APIRouter
from starlette.requests import HTTPConnection
from starlette.responses import Response

from skyjo.errors import MalformedError, SkyjoError
from skyjo.i18n import N_, _
from skyjo.table.authority import Joined
from skyjo.table.errors import RefusedError, UnknownTableError
from skyjo.table.keys import new_secret
from skyjo.table.ports import Head
from skyjo.web import padpage
from skyjo.web.answers import NAME_COOKIE, QUICK_COOKIE, go_to, keep, kept
from skyjo.web.forms import Form, local_path, whole
from skyjo.web.language import COOKIE as LANGUAGE_COOKIE
from skyjo.web.language import is_language
from skyjo.web.limits import address_of
from skyjo.web.pages import SOUND_COOKIE, THEME_COOKIE, THEMES
from skyjo.web.problems import status_of
from skyjo.web.site import Visit, VisitOf, default_bot
from skyjo.web.tablepage import base, present

router = APIRouter()

Fields: TypeAlias = Mapping[str, str]

#: How many of one's games the start page lists.
GAMES_SHOWN: Final = 12
MAX_BOTS: Final = 7
NOTHING: Final[Fields] = {}
DEFAULT_BOTS: Final = 2


@dataclass(frozen=True, slots=True)
class Running:
    """One of the reader's games in the list of the start page; or the ``problem`` with it."""

    url: str
    code: str
    players: list[str]
    stage: str
    your_turn: bool
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Quick:
    """What was chosen last for a game against bots."""

    bot: str
    count: int


@router.get("/")
async def start(visit: VisitOf, gone: str = "") -> Response:
    """Where everything begins."""
    return await start_page(visit, gone=gone == "1")


async def start_page(
    visit: Visit,
    problem: str = "",
    status: int = HTTPStatus.OK,
    typed: Fields = NOTHING,
    *,
    gone: bool = False,
) -> Response:
    """The start page, with a sentence about what did not work and what was typed then.

    ``gone`` that something has just been deleted.
    """
    bots = visit.site.offered()
    page = visit.page(
        "start.html",
        status,
        here="/",
        name=typed.get("name") or kept(visit.connection, NAME_COOKIE),
        code=typed.get("code", ""),
        games=await games_of(visit),
        pads=await padpage.pads_of(visit),
        circles=await padpage.circles_of(visit),
        bots=bots,
        quick=quick_choice(visit.connection, [bot.name for bot in bots]),
        problem=problem,
        gone=gone,
    )
    return visit.with_cookie(page)


async def games_of(visit: Visit) -> list[Running]:
    """The reader's games, running ones first."""
    if visit.secret is None:
        return []
    heads = await visit.authority.mine(visit.secret)
    heads.sort(key=lambda head: head.phase == "over")
    found = []
    for head in heads[:GAMES_SHOWN]:
        with suppress(UnknownTableError):  # it was deleted this moment
            found.append(await running(visit, head))
    return found


async def running(visit: Visit, head: Head) -> Running:
    """One game for the list."""
    try:
        scene = await visit.authority.scene(head.id, visit.secret)
    except RefusedError as error:
        return Running(base(head.code), head.code, [], head.phase, False, str(error))
    return Running(
        url=base(head.code),
        code=head.code,
        players=[seat.name for seat in scene.seats],
        stage=scene.phase,
        your_turn=scene.acting is not None,
    )


def quick_choice(connection: HTTPConnection, names: list[str]) -> Quick:
    """What the browser remembers of the last game against bots, if there still is such a bot."""
    bot, _dot, count = kept(connection, QUICK_COOKIE).partition(".")
    number = int(count) if count.isascii() and count.isdigit() and len(count) == 1 else 0
    return Quick(
        bot if bot in names else default_bot(names),
        number if 1 <= number <= MAX_BOTS else DEFAULT_BOTS,
    )


@router.post("/play")
async def play(visit: VisitOf, form: Form) -> Response:
    """A game against bots, dealt at once."""
    names = [bot.name for bot in visit.site.offered()]
    last = quick_choice(visit.connection, names)
    count = whole(form, "count", last.count)
    bot = form.get("bot", "") or last.bot
    if count is None or not 1 <= count <= MAX_BOTS:
        problem = _("Choose one to seven opponents.")
        return await start_page(visit, problem, HTTPStatus.BAD_REQUEST, form)
    name = form.get("name", "").strip()
    me = visit.secret or new_secret()
    shown = name or kept(visit.connection, NAME_COOKIE) or _("Guest")
    try:
        joined = await visit.site.once(
            visit.wish(bot, count, name),
            lambda: visit.authority.create(
                me, shown, bots=[bot] * count, called=visit.site.labels(), start=True
            ),
        )
    except SkyjoError as error:
        return await refused(visit, error, form)
    answer = await seated(visit, me, joined, name)
    keep(answer, QUICK_COOKIE, f"{bot}.{count}")
    return answer


@router.post("/tables")
async def make_table(visit: VisitOf, form: Form) -> Response:
    """A new table; whoever makes it is its host."""
    name = form.get("name", "").strip()
    me = visit.secret or new_secret()
    try:
        wish = visit.wish(name)
        joined = await visit.site.once(wish, lambda: visit.authority.create(me, name))
    except SkyjoError as error:
        return await refused(visit, error, form)
    return await seated(visit, me, joined, name)


@router.post("/join")
async def join(visit: VisitOf, form: Form) -> Response:
    """To the table of a code; with a name at once to a seat there."""
    code = form.get("code", "").strip()
    name = form.get("name", "").strip()
    try:
        if not code:
            raise MalformedError(N_("Type the code of the table; its host can see it."))
        head = await visit.find(code)
    except UnknownTableError as error:
        pad = await padpage.pad_path(visit, code)
        if not pad:
            return await refused(visit, error, form)
        visit.site.limiter.not_guessed(address_of(visit.connection))
        return go_to(visit.request, pad)
    except SkyjoError as error:
        return await refused(visit, error, form)
    if not name or head.phase != "lobby":
        return go_to(visit.request, base(head.code))
    me = visit.secret or new_secret()
    try:
        joined = await visit.authority.join(head.code, me, name)
    except SkyjoError as error:
        return await present(visit, head, problem=str(error), status=status_of(error), name=name)
    return await seated(visit, me, joined, name)


@router.post("/settings")
async def choose_settings(visit: VisitOf, form: Form) -> Response:
    """Remember language, theme and sound."""
    answer = go_to(visit.request, local_path(form.get("next", "/")))
    if is_language(form.get("lang", "")):
        keep(answer, LANGUAGE_COOKIE, form["lang"])
    if form.get("theme") in THEMES:
        keep(answer, THEME_COOKIE, form["theme"])
    if form.get("sound") in ("on", "off"):
        keep(answer, SOUND_COOKIE, form["sound"])
    return answer


async def refused(visit: Visit, error: SkyjoError, form: Fields) -> Response:
    """The start page with the sentence of what was refused, and what was typed."""
    status = status_of(error)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise error
    return await start_page(visit, str(error), status, form)


async def seated(visit: Visit, secret: str, joined: Joined, name: str) -> Response:
    """On to the table where somebody has a seat now; their browser keeps secret and name."""
    scene = await visit.authority.scene(joined.table_id, secret, at_least=joined.version)
    answer = go_to(visit.request, base(scene.code))
    visit.site.sessions.remember(answer, visit.connection, secret)
    if name:
        keep(answer, NAME_COOKIE, name)
    return answer
