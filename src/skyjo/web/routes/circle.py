"""Circles: the season page, members, starting pads and tables, export and import."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from fastapi import APIRouter
from starlette.datastructures import UploadFile
from starlette.responses import Response

from skyjo.errors import SkyjoError
from skyjo.i18n import N_, _, ngettext
from skyjo.rules.layout import MAX_SEATS
from skyjo.scorepad.circle import Circle, year_of
from skyjo.scorepad.circle_text import circle_csv, circle_json, names_of
from skyjo.scorepad.circles import CircleAuthority
from skyjo.scorepad.errors import refused
from skyjo.scorepad.statistics import season
from skyjo.table.errors import RefusedError, UnknownTableError, forbidden
from skyjo.table.keys import new_secret
from skyjo.web import padpage
from skyjo.web.answers import NAME_COOKIE, go_to, kept
from skyjo.web.forms import Form, whole
from skyjo.web.padpage import base as pad_base
from skyjo.web.padpage import find_circle as find
from skyjo.web.problems import status_of
from skyjo.web.routes.pad import new_page
from skyjo.web.site import Visit, VisitOf
from skyjo.web.tablepage import base as table_base

router = APIRouter()

#: So many of the last games are listed.
GAMES_SHOWN: Final = 15
FAULTS_SHOWN: Final = 20
#: So many of this browser's pads, and of its tables, are offered.
CANDIDATES_SHOWN: Final = 6
NOT_THERE: Final = N_("Choose a file that was exported from a circle.")


def circles(visit: Visit) -> CircleAuthority:
    """The authority over all circles."""
    return visit.site.pads.circles


def base(circle: Circle) -> str:
    """The path of a circle."""
    return f"/circle/{circle.code}"


# --- pages ------------------------------------------------------------------------------------


@router.get("/circle/new")
async def new(visit: VisitOf) -> Response:
    """What a circle is, and a name for one."""
    return visit.with_cookie(visit.page("pad/circle_new.html", here="/circle/new", problem=""))


@router.post("/circles")
async def create(visit: VisitOf, form: Form) -> Response:
    """A new circle."""
    me = visit.secret or new_secret()
    try:
        circle = await circles(visit).create(me, form.get("name", ""))
    except SkyjoError as error:
        status = _fault(error)
        return visit.page("pad/circle_new.html", status, here="/circle/new", problem=str(error))
    answer = go_to(visit.request, base(circle))
    visit.site.sessions.remember(answer, visit.connection, me)
    return answer


@router.get("/circle/{code}")
async def page(visit: VisitOf, code: str, year: int = 0) -> Response:
    """The season table, who beats whom, charts, the last games."""
    return visit.with_cookie(season_page(visit, await find(visit, code), year))


def season_page(
    visit: Visit,
    circle: Circle,
    year: int = 0,
    *,
    problem: str = "",
    faults: tuple[str, ...] = (),
    status: HTTPStatus = HTTPStatus.OK,
) -> Response:
    """The page of a circle."""
    shown = [
        game
        for game in sorted(circle.games.values(), key=lambda game: -game.played)
        if not year or year_of(game) == year
    ]
    holder = visit.secret and padpage.holder(visit.secret)
    return visit.page(
        "pad/circle.html",
        status,
        here=f"{base(circle)}?year={year}",
        base=base(circle),
        circle=circle,
        season=season(circle, year or None),
        year=year,
        games=[(game, names_of(circle, game)) for game in shown[:GAMES_SHOWN]],
        link=f"{visit.address}{base(circle)}",
        listed=holder in circle.devices,
        name=kept(visit.connection, NAME_COOKIE),
        problem=problem,
        faults=faults,
    )


@router.get("/circle/{code}/members")
async def members(visit: VisitOf, code: str) -> Response:
    """Where members are renamed and merged, games taken out, and files come in."""
    return members_page(visit, await find(visit, code))


def members_page(
    visit: Visit,
    circle: Circle,
    *,
    problem: str = "",
    faults: tuple[str, ...] = (),
    status: HTTPStatus = HTTPStatus.OK,
) -> Response:
    """The page of members and files."""
    link = f"{visit.address}{base(circle)}"
    return visit.page(
        "pad/members.html",
        status,
        here=f"{base(circle)}/members",
        base=base(circle),
        circle=circle,
        founder=bool(visit.secret) and padpage.holder(visit.secret or "") == circle.founder,
        link=link,
        qr=padpage.qr_of(link),
        problem=problem,
        faults=faults,
    )


@router.get("/circle/{code}/circle.csv")
async def as_csv(visit: VisitOf, code: str) -> Response:
    """Everything for a spreadsheet."""
    circle = await find(visit, code)
    return padpage.download(circle_csv(circle), "text/csv; charset=utf-8", "skyjo-circle.csv")


@router.get("/circle/{code}/circle.json")
async def as_json(visit: VisitOf, code: str) -> Response:
    """Everything for a program, or for another server."""
    circle = await find(visit, code)
    return padpage.download(circle_json(circle), "application/json", "skyjo-circle.json")


# --- starting ---------------------------------------------------------------------------------


@router.get("/circle/{code}/pad")
async def new_pad(visit: VisitOf, code: str) -> Response:
    """A new pad that counts for the circle."""
    circle = await find(visit, code)
    names = padpage.remembered_names(visit.connection)
    if not names and circle.games:
        last = max(circle.games.values(), key=lambda game: game.played)
        names = names_of(circle, last)
    rules = padpage.remembered_rules(visit.connection).text()
    return new_page(visit, names, rules, circle=circle)


@router.post("/circle/{code}/pad")
async def begin_pad(visit: VisitOf, code: str, form: Form) -> Response:
    """Begin a pad that counts for the circle."""
    circle = await find(visit, code)
    names = [form.get(f"name{seat}", "").strip() for seat in range(MAX_SEATS)]
    me = visit.secret or new_secret()
    try:
        ruleset = padpage.read_ruleset(form)
        scene = await visit.site.once_pad(
            padpage.press_of(visit, form),
            lambda: visit.site.pads.create(me, names, ruleset=ruleset, circle=circle.id),
        )
    except SkyjoError as error:
        status = _fault(error)
        return new_page(visit, names, "official", problem=str(error), status=status, circle=circle)
    await circles(visit).join(circle.id, me)
    answer = go_to(visit.request, pad_base(scene.code))
    visit.site.sessions.remember(answer, visit.connection, me)
    padpage.remember_names(answer, scene.names)
    return answer


@router.post("/circle/{code}/table")
async def begin_table(visit: VisitOf, code: str, form: Form) -> Response:
    """An online table that counts for the circle."""
    circle = await find(visit, code)
    me = visit.secret or new_secret()
    try:
        joined = await visit.site.once(
            visit.secret, lambda: visit.authority.create(me, form.get("name", ""))
        )
    except SkyjoError as error:
        return season_page(visit, circle, problem=str(error), status=_fault(error))
    await circles(visit).began(circle.id, joined.table_id, "table")
    await circles(visit).join(circle.id, me)
    scene = await visit.authority.scene(joined.table_id, me)
    answer = go_to(visit.request, table_base(scene.code))
    visit.site.sessions.remember(answer, visit.connection, me)
    return answer


# --- games that were played without the circle -------------------------------------------------


@dataclass(frozen=True, slots=True)
class Candidate:
    """A game that this browser could add: its code, day, players, whether it is a table."""

    code: str
    at: float
    players: tuple[str, ...]
    is_table: bool


@router.get("/circle/{code}/add")
async def adding(visit: VisitOf, code: str) -> Response:
    """Which games of this browser could count, too."""
    return await adding_page(visit, await find(visit, code))


async def adding_page(
    visit: Visit, circle: Circle, *, problem: str = "", status: HTTPStatus = HTTPStatus.OK
) -> Response:
    """The page on which games are added."""
    return visit.page(
        "pad/adding.html",
        status,
        here=f"{base(circle)}/add",
        base=base(circle),
        circle=circle,
        candidates=await candidates(visit, circle),
        problem=problem,
    )


async def candidates(visit: Visit, circle: Circle) -> list[Candidate]:
    """The last games of this browser that do not count here: pads it keeps, tables it hosts."""
    if visit.secret is None:
        return []
    found: list[Candidate] = []
    for head in await visit.site.pads.mine(visit.secret):
        if len(found) < CANDIDATES_SHOWN and not knows(circle, head.id):
            # Another version has written it, or it was deleted this moment.
            with suppress(RefusedError, UnknownTableError):
                pad = await visit.site.pads.scene(head.id, visit.secret)
                if pad.is_keeper:
                    found.append(Candidate(pad.code, pad.created, pad.names, is_table=False))
    shown = len(found) + CANDIDATES_SHOWN
    for head in await visit.authority.mine(visit.secret):
        if len(found) < shown and head.phase == "over" and not knows(circle, head.id):
            with suppress(RefusedError, UnknownTableError):
                table = await visit.authority.scene(head.id, visit.secret)
                if table.is_host and not table.abandoned:
                    names = tuple(seat.name for seat in table.seats)
                    found.append(Candidate(table.code, head.created, names, is_table=True))
    return sorted(found, key=lambda each: -each.at)


def knows(circle: Circle, ref: str) -> bool:
    """Whether a game counts for the circle, or will when it is over."""
    return ref in circle.open or ref in circle.games


@router.post("/circle/{code}/add")
async def add(visit: VisitOf, code: str, form: Form) -> Response:
    """Let a pad that this browser keeps, or a table that it hosts, count for the circle."""
    circle = await find(visit, code)
    try:
        await _add(visit, circle, form.get("game", ""))
    except SkyjoError as error:
        return await adding_page(visit, circle, problem=str(error), status=_fault(error))
    await circles(visit).join(circle.id, visit.needs_secret())
    return go_to(visit.request, base(circle))


async def _add(visit: Visit, circle: Circle, typed: str) -> None:
    code = typed.strip().rpartition("/")[2]
    if path := await padpage.pad_path(visit, code):
        head = await padpage.find(visit, path.rpartition("/")[2])
        await visit.site.pads.count_for(head.id, visit.needs_secret(), circle.code)
        return
    table = await visit.find(code)
    scene = await visit.authority.scene(table.id, visit.secret)
    if not scene.is_host:
        raise forbidden("not_host")
    if table.phase != "over" or scene.abandoned:
        raise refused("not_over" if table.phase != "over" else "given_up")
    await circles(visit).began(circle.id, table.id, "table", again=True)


# --- changing ---------------------------------------------------------------------------------


@router.post("/circle/{code}/list")
async def list_here(visit: VisitOf, code: str) -> Response:
    """List the circle on this device."""
    circle = await find(visit, code)
    me = visit.secret or new_secret()
    await circles(visit).join(circle.id, me)
    answer = go_to(visit.request, base(circle))
    visit.site.sessions.remember(answer, visit.connection, me)
    return answer


@router.post("/circle/{code}/rename")
async def rename(visit: VisitOf, code: str, form: Form) -> Response:
    """Rename the circle, or with ``member`` one of its members."""
    circle = await find(visit, code)
    member = whole(form, "member")
    try:
        if member is None:
            await circles(visit).rename(circle.id, form.get("name", ""))
        else:
            await circles(visit).rename_member(circle.id, member, form.get("name", ""))
    except SkyjoError as error:
        return members_page(visit, circle, problem=str(error), status=_fault(error))
    return go_to(visit.request, f"{base(circle)}/members")


@router.post("/circle/{code}/merge")
async def merge(visit: VisitOf, code: str, form: Form) -> Response:
    """Two members are one person."""
    circle = await find(visit, code)
    try:
        kept_key, gone = whole(form, "kept", -1), whole(form, "gone", -1)
        await circles(visit).merge(circle.id, kept_key or 0, gone or 0)
    except SkyjoError as error:
        return members_page(visit, circle, problem=str(error), status=_fault(error))
    return go_to(visit.request, f"{base(circle)}/members")


@router.post("/circle/{code}/drop")
async def drop(visit: VisitOf, code: str, form: Form) -> Response:
    """A game does not count."""
    circle = await find(visit, code)
    await circles(visit).drop(circle.id, form.get("game", ""))
    return go_to(visit.request, base(circle))


@router.post("/circle/{code}/import")
async def take_in(visit: VisitOf, code: str) -> Response:
    """Games from a file; with faults nothing is taken in."""
    circle = await find(visit, code)
    async with visit.request.form(max_files=1, max_fields=4) as form:
        file = form.get("file")
        if not isinstance(file, UploadFile) or not file.size:
            return members_page(visit, circle, problem=_(NOT_THERE), status=HTTPStatus.BAD_REQUEST)
        name = (file.filename or "?")[:60]
        raw = await file.read()
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return members_page(visit, circle, problem=_(NOT_THERE), status=HTTPStatus.BAD_REQUEST)
    found = await circles(visit).read(text, name)
    if found.faults:
        return members_page(
            visit,
            circle,
            problem=_("Nothing was taken in, because the file has faults."),
            faults=tuple(str(each) for each in found.faults[:FAULTS_SHOWN]),
            status=HTTPStatus.BAD_REQUEST,
        )
    try:
        fresh = await circles(visit).take_in(circle.id, found)
    except SkyjoError as error:
        return members_page(visit, circle, problem=str(error), status=_fault(error))
    said = ngettext("{n} game was taken in.", "{n} games were taken in.", fresh)
    return season_page(visit, await find(visit, code), problem=said)


def _fault(error: SkyjoError) -> HTTPStatus:
    status = status_of(error)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise error
    return status
