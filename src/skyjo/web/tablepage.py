"""What the table's pages show: the variables of their templates, from a scene."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Final

from markupsafe import Markup
from starlette.responses import Response

from skyjo.table.ports import Head
from skyjo.table.scene import Scene
from skyjo.web import qr
from skyjo.web.answers import NAME_COOKIE, kept
from skyjo.web.pages import Ui
from skyjo.web.site import Visit, default_bot

#: What the token of a replay is for.
REPLAY: Final = "replay"


def base(code: str) -> str:
    """The path of a table."""
    return f"/t/{code}"


def is_guest_of_lobby(scene: Scene) -> bool:
    """Whether the viewer looks at a lobby without a seat: they are asked to sit down."""
    return scene.phase == "lobby" and scene.onlooker


def variables(
    visit: Visit, scene: Scene, *, take: bool = False, problem: str = ""
) -> dict[str, Any]:
    """Everything that ``table.html`` and ``_live.html`` ask for."""
    path = base(scene.code)
    site = visit.site
    bots = site.offered()
    names = {bot.name for bot in bots} | {seat.bot for seat in scene.seats if seat.bot}
    link = f"{visit.address}{path}"
    over = scene.phase == "over" and scene.sheet is not None
    replay = f"/replay/{site.sessions.token(REPLAY, scene.table_id)}" if over else ""
    return {
        "scene": scene,
        "base": path,
        "take": take,
        "link": link,
        "qr": Markup(qr.svg(link)) if scene.phase == "lobby" else Markup(),  # noqa: S704 - ours
        "bots": bots,
        "doubts": {each: said for each in names if (said := site.doubts(each, scene.ruleset))},
        "usual_bot": default_bot([bot.name for bot in bots]),
        "seat_links": {},
        "replay": replay,
        "record": f"{path}/record" if over else "",
        "problem": problem,
        "reload": site.settings.reload_seconds if waits(scene) else 0,
    }


def waits(scene: Scene) -> bool:
    """Whether something may change without the viewer, so that a page without scripts reloads.

    While the viewer has to decide, a reload would only take away what they are pressing.
    """
    ended = scene.abandoned or (scene.phase == "over" and not scene.may_rematch)
    return scene.acting is None and not ended


def live(visit: Visit, scene: Scene) -> str:
    """The part of the table's page that changes, as it is sent to a viewer."""
    here = base(scene.code)
    ui = Ui.of(visit.connection, here)

    def made() -> str:
        return visit.site.pages.render("_live.html", ui=ui, here=here, **variables(visit, scene))

    if not scene.onlooker or scene.between_rounds:
        return made()
    # What onlookers see is the same for all of them, and follows from what has happened.
    same = (scene.table_id, scene.version, scene.seats, scene.rematch_absent, ui, visit.address)
    return visit.site.pages.kept.text(same, made)


async def present(
    visit: Visit,
    head: Head,
    *,
    problem: str = "",
    status: HTTPStatus = HTTPStatus.OK,
    name: str = "",
) -> Response:
    """The table as it stands now, for this viewer; ``name`` is what a guest has typed."""
    await visit.authority.touch(head.id, visit.secret, reads=True)
    scene = await visit.authority.scene(head.id, visit.secret)
    here = base(scene.code)
    if is_guest_of_lobby(scene):
        invitation = visit.page(
            "join.html",
            status,
            here=here,
            code=scene.code,
            players=[seat.name for seat in scene.seats],
            name=name or kept(visit.connection, NAME_COOKIE),
            free=scene.open_seats,
            problem=problem,
        )
        return visit.with_cookie(invitation)
    take = visit.request.query_params.get("take") == "1"
    values = variables(visit, scene, take=take, problem=problem)
    return visit.page("table.html", status, here=here, **values)
