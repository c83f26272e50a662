"""A table's pages, and the forms that people send from them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Final, TypeAlias

from fastapi import APIRouter
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.responses import Response

from skyjo.errors import IllegalActionError, MalformedError, SkyjoError, StaleError
from skyjo.i18n import N_, _
from skyjo.rules.actions import SWAP_VERB, TAKE, parse_action
from skyjo.rules.legality import ALLOWED, REASONS, refused_place
from skyjo.table import commands as ask
from skyjo.table.errors import UnknownTableError, forbidden
from skyjo.table.keys import new_secret
from skyjo.table.ports import Head
from skyjo.table.scene import Scene
from skyjo.web import qr
from skyjo.web.answers import NAME_COOKIE, as_file, done, go_to, keep
from skyjo.web.forms import Form, whole
from skyjo.web.houserules import read_ruleset
from skyjo.web.problems import status_of, wants_notice
from skyjo.web.site import Visit, VisitOf
from skyjo.web.tablepage import base, present, variables

router = APIRouter(prefix="/t/{code}")

Fields: TypeAlias = Mapping[str, str]

MOVED_ON: Final = N_("The table has moved on; this is how it stands now.")


# --- pages ----------------------------------------------------------------------------------


@router.get("")
async def table(visit: VisitOf, code: str) -> Response:
    """The table for whoever looks: their seat, an invitation to sit down, or an onlooker's."""
    head = await visit.find(code)
    if code != head.code:
        query = f"?{visit.connection.url.query}" if visit.connection.url.query else ""
        return go_to(visit.request, base(head.code) + query)
    problem = _(MOVED_ON) if visit.connection.query_params.get("stale") == "1" else ""
    return await present(visit, head, problem=problem)


@router.get("/seats")
async def seats(visit: VisitOf, code: str) -> Response:
    """The viewer's seats with their personal links, and a place for one more on this device."""
    head = await visit.find(code)
    return await seats_page(visit, head)


async def seats_page(visit: Visit, head: Head) -> Response:
    """The page of one's seats."""
    secret = visit.needs_secret()
    scene = await visit.authority.scene(head.id, secret)
    if scene.onlooker:
        raise forbidden("not_at_the_table")
    links = {}
    for seat in scene.mine:
        token = await visit.authority.personal_link(head.id, secret, seat)
        links[seat] = f"{visit.address}{base(head.code)}/seat/{token}"
    values = variables(visit, scene) | {
        "seat_links": links,
        "qrs": {seat: Markup(qr.svg(link)) for seat, link in links.items()},  # noqa: S704 - ours
    }
    here = f"{base(head.code)}/seats"
    return visit.page("seats.html", here=here, **values)


@router.get("/leave")
async def ask_leave(visit: VisitOf, code: str, seat: int = 0) -> Response:
    """Asks before somebody leaves a running game for good."""
    head = await visit.find(code)
    scene = await visit.authority.scene(head.id, visit.secret)
    if seat not in scene.mine:
        raise forbidden("not_your_seat")
    here = f"{base(head.code)}/leave?seat={seat}"
    values = variables(visit, scene)
    return visit.page("leave.html", here=here, seat=seat, **values)


@router.get("/record")
async def record(visit: VisitOf, code: str) -> Response:
    """The game as a file: while it runs what the viewer may know, then everything."""
    head = await visit.find(code)
    return as_file(await visit.authority.record(head.id, visit.secret), f"skyjo-{head.code}")


@router.get("/next")
async def following(visit: VisitOf, code: str) -> Response:
    """On to the rematch of this table."""
    head = await visit.find(code)
    scene = await visit.authority.scene(head.id, visit.secret)
    if not scene.next_table:
        return go_to(visit.request, base(head.code))
    try:
        after = await visit.authority.scene(scene.next_table, visit.secret)
    except UnknownTableError:
        return go_to(visit.request, base(head.code))  # it was deleted this moment
    return go_to(visit.request, base(after.code))


@router.get("/seat/{token}")
async def personal_link(visit: VisitOf, code: str, token: str) -> Response:
    """Asks whether to play a seat on this device: what only looks at a link must change nothing."""
    head = await visit.find(code)
    seat = await visit.authority.seat_of_link(head.id, token)
    scene = await visit.authority.scene(head.id, visit.secret)
    values = variables(visit, scene)
    here = f"{base(head.code)}/seat/{token}"
    return visit.page("claim.html", here=here, token=token, seat=seat, **values)


@router.post("/seat/{token}")
async def claim(visit: VisitOf, code: str, token: str) -> Response:
    """Play a seat on this device, too."""
    head = await visit.find(code)
    me = visit.secret or new_secret()
    await visit.authority.claim(head.id, me, token)
    answer = go_to(visit.request, base(head.code))
    visit.site.sessions.remember(answer, visit.connection, me)
    return answer


# --- forms ----------------------------------------------------------------------------------


@router.post("/join")
async def join(visit: VisitOf, code: str, form: Form) -> Response:
    """Sit down in the lobby; with a seat there, one more person on the same device."""
    head = await visit.find(code)
    name = form.get("name", "").strip()
    me = visit.secret or new_secret()
    scene = await visit.authority.scene(head.id, me)
    try:
        if scene.onlooker or form.get("first") == "1":
            # Whoever presses twice has one seat.
            await visit.authority.join(head.code, me, name)
        else:
            await visit.authority.do(head.id, me, ask.Join(name))
    except SkyjoError as error:
        return await refused(visit, head, error, name)
    answer = go_to(visit.request, base(head.code))
    visit.site.sessions.remember(answer, visit.connection, me)
    keep(answer, NAME_COOKIE, name)
    return answer


@router.post("/act")
async def act(visit: VisitOf, code: str, form: Form) -> Response:
    """One action, or taking the discard together with the place where it goes."""

    async def play(head: Head, mine: str) -> None:
        seat, version = _whole(form, "seat"), _whole(form, "version")
        actions = [action.strip() for action in form.get("action", "").split(",")]
        if len(actions) > 1:
            scene = await visit.authority.scene(head.id, mine)
            check_take_and_swap(scene, seat, actions)
        for action in actions:
            done = await visit.authority.do(head.id, mine, ask.Act(seat, action, version))
            version = done.version

    return await perform(visit, code, play)


def check_take_and_swap(scene: Scene, seat: int, actions: list[str]) -> None:
    """Refuse both actions unless both are possible, so that never only the first one happens."""
    view = scene.view
    if len(actions) != 2 or parse_action(actions[0])[0] != TAKE:
        raise MalformedError(N_("Only taking the discard goes together with another action."))
    verb, place = parse_action(actions[1])
    if verb != SWAP_VERB:
        raise MalformedError(N_("Only taking the discard goes together with another action."))
    if view is None or seat != scene.acting or TAKE not in scene.legal or seat != view.seat:
        return  # the table refuses the first action for the right reason
    reason = refused_place(view, seat, verb, place)
    if reason != ALLOWED:
        raise IllegalActionError(*REASONS[reason])


def _whole(form: Fields, name: str) -> int:
    number = whole(form, name)
    if number is None:
        raise HTTPException(HTTPStatus.BAD_REQUEST)
    return number


_Make: TypeAlias = Callable[[Fields], ask.Command]

#: Forms that are one command each.
COMMANDS: Final[Mapping[str, _Make]] = {
    "remove": lambda form: ask.Remove(_whole(form, "seat"), _whole(form, "version")),
    "host": lambda form: ask.HandOver(_whole(form, "seat"), _whole(form, "version")),
    "take-host": lambda form: ask.TakeHost(_whole(form, "seat"), _whole(form, "version")),
    "rename": lambda form: ask.Rename(
        _whole(form, "seat"), form.get("name", ""), _whole(form, "version")
    ),
    "rules": lambda form: ask.ChooseRuleset(read_ruleset(form).text()),
    "pace": lambda form: ask.ChoosePace(form.get("pace", "")),
    "start": lambda _form: ask.Start(),
    "stand-in": lambda form: ask.StandIn(_whole(form, "seat"), _whole(form, "version")),
    "back": lambda form: ask.Back(_whole(form, "seat"), _whole(form, "version")),
    "renew": lambda form: ask.RenewLink(_whole(form, "seat"), _whole(form, "version")),
    "leave": lambda form: ask.Leave(_whole(form, "seat"), _whole(form, "version")),
}
#: Where a form leads that is not on the page of the table itself.
_AFTER: Final = {"renew": "/seats"}
#: Forms after which another page is shown, with scripts too.
_ELSEWHERE: Final = {"renew", "leave"}


@router.post("/ready")
async def ready(visit: VisitOf, code: str, form: Form) -> Response:
    """Every seat of this device is ready for the next round."""

    async def all_ready(head: Head, mine: str) -> None:
        version = _whole(form, "version")
        scene = await visit.authority.scene(head.id, mine)
        for seat in scene.may_ready:
            await visit.authority.do(head.id, mine, ask.Ready(seat, version))

    return await perform(visit, code, all_ready)


@router.post("/bot")
async def add_bot(visit: VisitOf, code: str, form: Form) -> Response:
    """A bot sits down, called as the host's language calls it."""

    async def add(head: Head, mine: str) -> None:
        bot = form.get("bot", "")
        called = visit.site.labels().get(bot, "")
        await visit.authority.do(head.id, mine, ask.AddBot(bot, called=called))

    return await perform(visit, code, add)


@router.post("/rematch")
async def rematch(visit: VisitOf, code: str, _form: Form) -> Response:
    """Another game with everybody who is here."""
    head = await visit.find(code)
    try:
        me = visit.needs_secret()
        table_id = await visit.authority.rematch(head.id, me, leave_out_absent=True)
    except SkyjoError as error:
        return await refused(visit, head, error)
    scene = await visit.authority.scene(table_id, me)
    return go_to(visit.request, base(scene.code))


@router.post("/{form_name}")
async def command(visit: VisitOf, code: str, form_name: str, form: Form) -> Response:
    """Any other form: one command to the table."""
    make = COMMANDS.get(form_name)
    if make is None:
        raise HTTPException(HTTPStatus.NOT_FOUND)

    async def one(head: Head, mine: str) -> None:
        await visit.authority.do(head.id, mine, make(form))

    after = _AFTER.get(form_name, "")
    return await perform(visit, code, one, after=after, elsewhere=form_name in _ELSEWHERE)


# --- answers --------------------------------------------------------------------------------


async def perform(
    visit: Visit,
    code: str,
    what: Callable[[Head, str], Awaitable[None]],
    *,
    after: str = "",
    elsewhere: bool = False,
) -> Response:
    """Carry out what a form asks for, and answer as its page expects.

    What comes too late changes nothing and is answered with the table as it stands now.
    """
    head = await visit.find(code)
    path = base(head.code)
    try:
        await what(head, visit.needs_secret())
    except StaleError:
        return done(visit.request, f"{path}?stale=1")
    except SkyjoError as error:
        return await refused(visit, head, error)
    return go_to(visit.request, path + after) if elsewhere else done(visit.request, path)


async def refused(visit: Visit, head: Head, error: SkyjoError, name: str = "") -> Response:
    """The table with the sentence of what was refused; for a script the sentence alone."""
    status = status_of(error)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR or wants_notice(visit.request):
        raise error
    return await present(visit, head, problem=str(error), status=status, name=name)
