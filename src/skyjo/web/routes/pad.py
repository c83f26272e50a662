"""The score pad's pages, and the forms that people send from them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from http import HTTPStatus
from secrets import token_hex
from typing import Final

from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, RedirectResponse, Response

from skyjo.errors import SkyjoError, StaleError
from skyjo.i18n import N_, _
from skyjo.rules.layout import MAX_SEATS
from skyjo.rules.ruleset import Ruleset
from skyjo.scorepad import commands as ask
from skyjo.scorepad.circle import Circle
from skyjo.scorepad.decide import read_cards
from skyjo.scorepad.entry import NOBODY, Entry
from skyjo.scorepad.errors import forbidden
from skyjo.scorepad.model import PadRound
from skyjo.scorepad.reckoning import count_cards
from skyjo.scorepad.scene import PadScene, pad_json
from skyjo.scorepad.sheet_text import write_sheet
from skyjo.table.keys import new_secret
from skyjo.web import padpage
from skyjo.web.answers import go_to, keep
from skyjo.web.forms import Form, whole
from skyjo.web.padpage import base, find, pads
from skyjo.web.pages import Ui
from skyjo.web.problems import status_of, wants_notice
from skyjo.web.site import Visit, VisitOf

router = APIRouter()

MOVED_ON: Final = N_("Somebody has changed the pad meanwhile; this is how it stands now.")
ENTERED: Final = N_("Round {number} was entered on another device; this is how it stands now.")
NOTED: Final = N_("Your points are noted; the round is saved when everybody's are there.")


# --- a new pad --------------------------------------------------------------------------------


@router.get("/pad/new")
async def new(visit: VisitOf) -> Response:
    """Names and rules of a new pad; both as they were last on this device."""
    return new_page(
        visit,
        padpage.remembered_names(visit.connection),
        padpage.remembered_rules(visit.connection).text(),
    )


def new_page(
    visit: Visit,
    names: list[str],
    ruleset: str,
    *,
    problem: str = "",
    status: HTTPStatus = HTTPStatus.OK,
    circle: Circle | None = None,
) -> Response:
    """The page of a new pad, which may count for a circle."""
    shown = [*names, *[""] * MAX_SEATS][:MAX_SEATS]
    page = visit.page(
        "pad/new.html",
        status,
        here="/pad/new",
        names=shown,
        ruleset=Ruleset.parse(ruleset),
        knobs=padpage.PAD_KNOBS,
        once=token_hex(8),
        problem=problem,
        circle=circle,
    )
    return visit.with_cookie(page)


@router.post("/pads")
async def begin(visit: VisitOf, form: Form) -> Response:
    """Begin a pad; this device keeps it."""
    names = [form.get(f"name{seat}", "").strip() for seat in range(MAX_SEATS)]
    me = visit.secret or new_secret()
    try:
        ruleset = padpage.read_ruleset(form)
    except SkyjoError as error:
        return new_page(visit, names, "official", problem=str(error), status=status_of(error))
    try:
        scene = await visit.site.once_pad(
            visit.wish("pad", names, ruleset),
            lambda: pads(visit).create(me, names, ruleset=ruleset),
        )
    except SkyjoError as error:
        if status_of(error) >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise
        return new_page(visit, names, ruleset, problem=str(error), status=status_of(error))
    answer = go_to(visit.request, base(scene.code))
    visit.site.sessions.remember(answer, visit.connection, me)
    padpage.remember_names(answer, scene.names)
    keep(answer, padpage.RULES_COOKIE, ruleset)
    return answer


# --- pages ------------------------------------------------------------------------------------


@router.get("/pad/watch/{token}")
async def watch(visit: VisitOf, token: str) -> Response:
    """The sheet for somebody who only looks."""
    scene = await pads(visit).scene(padpage.pad_of_token(visit, token), only_look=True)
    values = padpage.variables(visit, scene, watch=token)
    return visit.page("pad/pad.html", here=f"/pad/watch/{token}", **values)


@router.get("/pad/{code}")
async def sheet(visit: VisitOf, code: str) -> Response:
    """The sheet, and what this device may do with it."""
    head = await find(visit, code)
    if code != head.code:
        return go_to(visit.request, base(head.code))
    scene = await pads(visit).scene(head.id, visit.secret or new_secret())
    asked = visit.connection.query_params
    problem = _(MOVED_ON) if asked.get("stale") == "1" else ""
    if (entered := asked.get("entered", "")).isdecimal() and len(entered) <= 3:
        problem = _(ENTERED, number=int(entered))
    problem = _(NOTED) if asked.get("noted") == "1" else problem
    return await padpage.present(visit, scene, problem=problem)


@router.get("/pad/{code}/enter")
async def enter(visit: VisitOf, code: str) -> Response:
    """Where the coming round is entered."""
    scene = await _scene(visit, code)
    if not scene.may_type:
        return go_to(visit.request, base(scene.code))
    entry = Entry(tuple(scene.draft.points), scene.draft.closer)
    check = await padpage.draft_check(visit, scene)
    return padpage.entry_page(visit, scene, entry, check=check)


@router.get("/pad/{code}/cards")
async def cards(visit: VisitOf, code: str, seat: int = 0) -> Response:
    """Where a grid is counted card by card."""
    scene = await _scene(visit, code)
    if seat not in scene.may_type:
        return go_to(visit.request, base(scene.code))
    return cards_page(visit, scene, seat, scene.draft.cards[seat])


def cards_page(
    visit: Visit,
    scene: PadScene,
    seat: int,
    laid: tuple[int | None, ...],
    *,
    problem: str = "",
    status: HTTPStatus = HTTPStatus.OK,
) -> Response:
    """The page of one grid."""
    path = base(scene.code)
    return visit.page(
        "pad/cards.html",
        status,
        here=f"{path}/cards?seat={seat}",
        base=path,
        scene=scene,
        seat=seat,
        cards=laid or (None,) * 12,
        begun=bool(laid),
        counted=count_cards(scene.ruleset, laid),
        problem=problem,
    )


@router.get("/pad/{code}/round/{key}")
async def correct_page(visit: VisitOf, code: str, key: int) -> Response:
    """Where a round that is on the sheet is corrected or removed."""
    scene = await _scene(visit, code)
    line = _line(scene, key)
    if line is None or not scene.may_correct:
        return go_to(visit.request, base(scene.code))
    check = await pads(visit).check(scene.id, visit.secret, line.entry, key)
    return padpage.entry_page(visit, scene, line.entry, line=line, check=check)


@router.get("/pad/{code}/share")
async def share(visit: VisitOf, code: str) -> Response:
    """Links and QR codes: for everybody, for onlookers, for one more keeper."""
    scene = await _scene(visit, code)
    path = base(scene.code)
    token = visit.site.sessions.token(padpage.WATCH, scene.id)
    links = {"all": f"{visit.address}{path}", "watch": f"{visit.address}/pad/watch/{token}"}
    if scene.is_keeper:
        keeper = await pads(visit).keeper_link(scene.id, visit.needs_secret())
        links["keep"] = f"{visit.address}{path}/keep/{keeper}"
    return visit.page(
        "pad/share.html",
        here=f"{path}/share",
        base=path,
        scene=scene,
        links=links,
        qrs={name: padpage.qr_of(link) for name, link in links.items()},
    )


@router.get("/pad/{code}/settings")
async def settings(visit: VisitOf, code: str) -> Response:
    """Names, rules, the circle, who has gone home."""
    return await settings_page(visit, await _scene(visit, code))


async def settings_page(
    visit: Visit, scene: PadScene, *, problem: str = "", status: HTTPStatus = HTTPStatus.OK
) -> Response:
    """The page of a pad's settings."""
    path = base(scene.code)
    return visit.page(
        "pad/settings.html",
        status,
        here=f"{path}/settings",
        base=path,
        scene=scene,
        knobs=padpage.PAD_KNOBS,
        ruleset=scene.ruleset,
        counts=await padpage.counts_for_circle(visit, scene),
        circle=await padpage.circle_of(visit, scene),
        circles=await padpage.circles_of(visit) if scene.is_keeper else [],
        problem=problem,
    )


@router.get("/pad/{code}/print")
async def printed(visit: VisitOf, code: str, empty: int = 0) -> Response:
    """The sheet for paper: filled, or empty with the names."""
    scene = await _scene(visit, code)
    path = base(scene.code)
    return visit.page(
        "pad/print.html", here=f"{path}/print", base=path, scene=scene, empty=bool(empty)
    )


@router.get("/pad/{code}/sheet.csv")
async def as_csv(visit: VisitOf, code: str) -> Response:
    """The sheet for a spreadsheet."""
    scene = await _scene(visit, code)
    text = write_sheet(scene.names, [line.entry for line in scene.rounds])
    return padpage.download(text, "text/csv; charset=utf-8", f"skyjo-{scene.code}.csv")


@router.get("/pad/{code}/sheet.json")
async def as_json(visit: VisitOf, code: str) -> Response:
    """The sheet for a program."""
    scene = await _scene(visit, code)
    text = json.dumps(pad_json(scene), ensure_ascii=False, indent=1)
    return padpage.download(text, "application/json", f"skyjo-{scene.code}.json")


@router.get("/pad/{code}/next")
async def following(visit: VisitOf, code: str) -> Response:
    """On to the rematch."""
    scene = await _scene(visit, code)
    return go_to(visit.request, base(scene.next_code or scene.code))


@router.get("/pad/{code}/keep/{token}")
async def keeper_page(visit: VisitOf, code: str, token: str) -> Response:
    """Asks whether to keep the pad on this device: a look at a link must change nothing."""
    scene = await _scene(visit, code)
    return visit.page(
        "pad/keep.html", here=base(scene.code), base=base(scene.code), scene=scene, token=token
    )


# --- entering ---------------------------------------------------------------------------------


@router.post("/pad/{code}/type")
async def typed(visit: VisitOf, code: str, form: Form) -> Response:
    """Note what has been typed so far; the answer is what the round would come to."""
    scene = await _scene(visit, code)
    try:
        scene = await _type(visit, scene, form)
    except StaleError:
        return go_to(visit.request, f"{base(scene.code)}?stale=1")
    return HTMLResponse(await padpage.check_html(visit, scene))


async def _type(visit: Visit, scene: PadScene, form: Mapping[str, str]) -> PadScene:
    """Note the fields of a form that this device may fill, as far as they are there."""
    entry = padpage.read_entry(form, len(scene.names))
    points = {seat: entry.points[seat] for seat in scene.may_type if f"p{seat}" in form}
    cards = {
        seat: scene.draft.cards[seat]
        for seat, value in points.items()
        if value == scene.draft.points[seat]
    }
    closer = entry.closer if "closer" in form else None
    if not scene.is_keeper and scene.entering == "own":
        # The field of an onlooker's page says nobody as long as it is not them.
        mine = scene.draft.closer in scene.mine
        closer = closer if closer in scene.mine or (closer == NOBODY and mine) else None
    number = _whole(form, "round")
    return await pads(visit).do(
        scene.id, visit.needs_secret(), ask.Type(number, points, cards, closer)
    )


@router.post("/pad/{code}/save")
async def save(visit: VisitOf, code: str, form: Form) -> Response:
    """Save the coming round; what is worth a look is shown before."""
    scene = await _scene(visit, code)
    path = base(scene.code)
    number = _whole(form, "round")
    entry = Entry((None,) * len(scene.names))
    try:
        if not scene.may_type and not scene.is_over:
            raise forbidden("only_looking")
        entry = padpage.read_entry(form, len(scene.names))
        if not scene.may_save and scene.may_type:
            scene = await _type(visit, scene, form)
            if not scene.draft_is_complete:
                return go_to(visit.request, f"{path}?noted=1")
        if number == scene.number:
            check = await pads(visit).check(scene.id, visit.secret, entry)
            if check.mark != form.get("seen", ""):
                return padpage.entry_page(visit, scene, check.entry, check=check)
        await pads(visit).do(scene.id, visit.needs_secret(), ask.Save(number, entry))
    except StaleError:
        return go_to(visit.request, f"{path}?stale=1")
    except SkyjoError as error:
        status = _fault(visit, error)
        entry = _as_typed(entry, scene)
        return padpage.entry_page(visit, scene, entry, problem=str(error), status=status)
    return go_to(visit.request, path)


def _as_typed(entry: Entry, scene: PadScene) -> Entry:
    """What is to stand in the fields when an entry was refused."""
    points = tuple(
        noted if own is None else own
        for own, noted in zip(entry.points, scene.draft.points, strict=True)
    )
    closer = entry.closer if entry.closer != NOBODY else scene.draft.closer
    return Entry(points, closer, entry.penalty)


@router.post("/pad/{code}/cards")
async def count(visit: VisitOf, code: str, form: Form) -> Response:
    """Add up a grid; with ``done`` its points are noted for the round."""
    scene = await _scene(visit, code)
    seat = _whole(form, "seat")
    if seat not in scene.may_type:
        return go_to(visit.request, base(scene.code))
    try:
        laid = read_cards(padpage.read_cards(form))
        counted = count_cards(scene.ruleset, laid)
        if form.get("done") == "1":
            await pads(visit).do(
                scene.id,
                visit.needs_secret(),
                ask.Type(_whole(form, "round"), {seat: counted.points}, {seat: laid}),
            )
            return go_to(visit.request, f"{base(scene.code)}/enter")
    except StaleError:
        return go_to(visit.request, f"{base(scene.code)}?stale=1")
    except SkyjoError as error:
        status = _fault(visit, error)
        return cards_page(visit, scene, seat, (), problem=str(error), status=status)
    return cards_page(visit, scene, seat, laid)


# --- correcting -------------------------------------------------------------------------------


@router.post("/pad/{code}/round/{key}/check")
async def check_round(visit: VisitOf, code: str, key: int, form: Form) -> Response:
    """What a corrected round would come to."""
    scene = await _scene(visit, code)
    line = _line(scene, key)
    if line is None:
        return go_to(visit.request, f"{base(scene.code)}?stale=1")
    check = None
    try:
        entry = _keeping_cards(padpage.read_entry(form, len(scene.names)), line)
        check = await pads(visit).check(scene.id, visit.secret, entry, key)
    except SkyjoError as error:
        _fault(visit, error)
    ui = Ui.of(visit.connection, base(scene.code))
    html = visit.site.pages.render("pad/_check.html", ui=ui, scene=scene, check=check, key=key)
    return HTMLResponse(html)


@router.post("/pad/{code}/round/{key}")
async def correct(visit: VisitOf, code: str, key: int, form: Form) -> Response:
    """Correct a round; what is worth a look is shown before."""
    scene = await _scene(visit, code)
    path = base(scene.code)
    line = _line(scene, key)
    version = _whole(form, "version")
    if line is None or line.version != version:
        return go_to(visit.request, f"{path}?stale=1")
    entry = line.entry
    try:
        entry = _keeping_cards(padpage.read_entry(form, len(scene.names)), line)
        check = await pads(visit).check(scene.id, visit.secret, entry, key)
        if check.mark != form.get("seen", ""):
            return padpage.entry_page(visit, scene, check.entry, line=line, check=check)
        await pads(visit).do(scene.id, visit.needs_secret(), ask.Correct(key, version, entry))
    except StaleError:
        return go_to(visit.request, f"{path}?stale=1")
    except SkyjoError as error:
        status = _fault(visit, error)
        return padpage.entry_page(visit, scene, entry, line=line, problem=str(error), status=status)
    return go_to(visit.request, path)


def _keeping_cards(entry: Entry, line: PadRound) -> Entry:
    """The entry with the cards that were counted, where the points are still the same."""
    cards = tuple(
        line.entry.cards_of(seat) if points == line.entry.points[seat] else ()
        for seat, points in enumerate(entry.points)
    )
    return Entry(entry.points, entry.closer, entry.penalty, cards if any(cards) else ())


@router.post("/pad/{code}/round/{key}/remove")
async def remove(visit: VisitOf, code: str, key: int, form: Form) -> Response:
    """Take a round off the sheet."""
    return await perform(visit, code, ask.RemoveRound(key, _whole(form, "version")))


# --- the other forms --------------------------------------------------------------------------


@router.post("/pad/{code}/keep/{token}")
async def keep_here(visit: VisitOf, code: str, token: str) -> Response:
    """Keep the pad on this device, too."""
    head = await find(visit, code)
    me = visit.secret or new_secret()
    await pads(visit).keep(head.id, me, token)
    answer = go_to(visit.request, base(head.code))
    visit.site.sessions.remember(answer, visit.connection, me)
    return answer


@router.post("/pad/{code}/take-over")
async def take_over(visit: VisitOf, code: str) -> Response:
    """Keep the pad on this device, because whoever kept it has not been there for long."""
    head = await find(visit, code)
    me = visit.secret or new_secret()
    try:
        await pads(visit).take_over(head.id, me)
    except SkyjoError as error:
        return await refused(visit, code, error)
    answer = go_to(visit.request, base(head.code))
    visit.site.sessions.remember(answer, visit.connection, me)
    return answer


@router.post("/pad/{code}/circle")
async def count_for(visit: VisitOf, code: str, form: Form) -> Response:
    """Let the pad count for the circle that was chosen or whose link was typed, or for none."""
    head = await find(visit, code)
    wanted = padpage.circle_code(form.get("link", "")) or form.get("circle", "")
    try:
        if wanted or "link" in form:
            await padpage.find_circle(visit, wanted)
        await pads(visit).count_for(head.id, visit.needs_secret(), wanted)
    except SkyjoError as error:
        return await refused(visit, code, error, "/settings")
    return go_to(visit.request, f"{base(head.code)}/settings")


@router.post("/pad/{code}/rematch")
async def rematch(visit: VisitOf, code: str) -> Response:
    """Another game of the same people."""
    head = await find(visit, code)
    try:
        scene = await pads(visit).rematch(head.id, visit.needs_secret())
    except SkyjoError as error:
        return await refused(visit, code, error)
    return go_to(visit.request, base(scene.code))


#: Forms that are one command each, by their name: how it is made, and the page they come from.
COMMANDS: Final[Mapping[str, tuple[Callable[[Mapping[str, str]], ask.Command], str]]] = {
    "undo": (lambda form: ask.Undo(_whole(form, "version")), ""),
    "redo": (lambda form: ask.Redo(_whole(form, "version")), ""),
    "end": (lambda _form: ask.End(), ""),
    "reopen": (lambda _form: ask.Reopen(), ""),
    "claim": (lambda form: ask.Claim(_whole(form, "seat")), ""),
    "release": (lambda form: ask.Release(_whole(form, "seat")), "/settings"),
    "leave": (lambda form: ask.Leave(_whole(form, "seat")), "/settings"),
    "return": (lambda form: ask.Return(_whole(form, "seat")), "/settings"),
    "rename": (lambda form: ask.Rename(_whole(form, "seat"), form.get("name", "")), "/settings"),
    "rules": (lambda form: ask.ChooseRuleset(padpage.read_ruleset(form)), "/settings"),
    "entering": (lambda form: ask.ChooseEntering(form.get("entering", "")), "/share"),
}


@router.post("/pad/{code}/{form_name}")
async def command(visit: VisitOf, code: str, form_name: str, form: Form) -> Response:
    """Any other form: one command."""
    if form_name not in COMMANDS:
        raise HTTPException(HTTPStatus.NOT_FOUND)
    make, after = COMMANDS[form_name]
    try:
        asked = make(form)
    except SkyjoError as error:
        return await refused(visit, code, error, after)
    return await perform(visit, code, asked, after)


async def perform(visit: Visit, code: str, asked: ask.Command, after: str = "") -> Response:
    """Carry out a command, and show the page that it came from."""
    head = await find(visit, code)
    me = visit.secret or new_secret()
    path = base(head.code)
    try:
        await pads(visit).do(head.id, me, asked)
    except StaleError:
        return go_to(visit.request, f"{path}?stale=1")
    except SkyjoError as error:
        return await refused(visit, code, error, after)
    answer = RedirectResponse(path + after, HTTPStatus.SEE_OTHER)
    if visit.secret is None:
        visit.site.sessions.remember(answer, visit.connection, me)
    return answer


async def refused(visit: Visit, code: str, error: SkyjoError, after: str = "") -> Response:
    """The page with the sentence of what was refused; for a script the sentence alone."""
    status = _fault(visit, error)
    scene = await _scene(visit, code)
    if after == "/settings":
        return await settings_page(visit, scene, problem=str(error), status=status)
    return await padpage.present(visit, scene, problem=str(error), status=status)


def _fault(visit: Visit, error: SkyjoError) -> HTTPStatus:
    """The status to answer with; what a page cannot tell is raised again."""
    status = status_of(error)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR or wants_notice(visit.request):
        raise error
    return status


async def _scene(visit: Visit, code: str) -> PadScene:
    """The pad for this browser; one that has never been here gets its cookie with the answer."""
    head = await find(visit, code)
    return await pads(visit).scene(head.id, visit.secret or new_secret())


def _line(scene: PadScene, key: int) -> PadRound | None:
    return next((each for each in scene.rounds if each.key == key), None)


def _whole(form: Mapping[str, str], name: str) -> int:
    number = whole(form, name)
    if number is None:
        raise HTTPException(HTTPStatus.BAD_REQUEST)
    return number
