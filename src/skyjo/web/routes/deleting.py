"""Deleting on pages, each after asking and without scripts.

The host deletes a table, everybody their own name, the keeper a pad, its maker a circle. What may
be deleted when is decided by ``skyjo.table.rights`` and ``skyjo.scorepad``; ``skyjo.table.upkeep``
does it.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Final

from fastapi import APIRouter, Query
from starlette.exceptions import HTTPException
from starlette.responses import Response

from skyjo.table.errors import RefusedError, UnknownTableError, forbidden
from skyjo.table.keys import new_secret
from skyjo.table.scene import Scene
from skyjo.web import padpage
from skyjo.web.answers import go_to
from skyjo.web.forms import Form, whole
from skyjo.web.site import Visit, VisitOf
from skyjo.web.tablepage import base

router = APIRouter()

#: How many tables one page lists, and how many score pads and circles the first one.
SHOWN: Final = 12
MORE_SHOWN: Final = 100
#: Where one is when something has been deleted.
AFTER: Final = "/mine?gone=1"
#: The same for what is no table.
HOME: Final = "/?gone=1"


@router.get("/mine")
async def mine(
    visit: VisitOf, skip: Annotated[int, Query(ge=0, le=100)] = 0, gone: str = ""
) -> Response:
    """The tables that keep a name of this browser, its score pads and its circles.

    With what can be deleted of each.
    """
    heads = await visit.authority.mine(visit.secret) if visit.secret else []
    scenes, problems = [], []
    for head in heads[skip : skip + SHOWN]:
        try:
            scenes.append(await visit.authority.scene(head.id, visit.secret))
        except UnknownTableError:
            continue  # it was deleted this moment
        except RefusedError as error:
            problems.append(str(error))
    return visit.page(
        "mine.html",
        here="/mine",
        tables=scenes,
        problems=problems,
        pads=[] if skip else await padpage.pads_of(visit, MORE_SHOWN),
        circles=[] if skip else await padpage.circles_of(visit, MORE_SHOWN),
        gone=gone == "1",
        newer=max(skip - SHOWN, 0) if skip else None,
        older=skip + SHOWN if len(heads) > skip + SHOWN else None,
    )


@router.get("/t/{code}/delete")
async def ask_delete(visit: VisitOf, code: str) -> Response:
    """Asks before a table is deleted for ever."""
    head = await visit.find(code)
    scene = await visit.authority.scene(head.id, visit.secret)
    if not scene.is_host:
        raise forbidden("not_host")
    return _asking(visit, "delete.html", scene, may=scene.may_delete)


@router.post("/t/{code}/delete")
async def delete(visit: VisitOf, code: str, _form: Form) -> Response:
    """Delete a table with everything that is stored about it."""
    head = await visit.find(code)
    await visit.site.upkeep.delete(head.id, visit.needs_secret())
    return go_to(visit.request, AFTER)


@router.get("/t/{code}/forget")
async def ask_forget(visit: VisitOf, code: str, seat: int = 0) -> Response:
    """Asks before a name is taken out of a table for ever."""
    head = await visit.find(code)
    scene = await visit.authority.scene(head.id, visit.secret)
    if seat not in scene.mine:
        raise forbidden("not_your_seat")
    return _asking(visit, "forget.html", scene, may=scene.seats[seat].may_forget, seat=seat)


@router.post("/t/{code}/forget")
async def forget(visit: VisitOf, code: str, form: Form) -> Response:
    """Take the name and the devices of one's own seat out of a table."""
    seat = whole(form, "seat")
    if seat is None:
        raise HTTPException(HTTPStatus.BAD_REQUEST)
    head = await visit.find(code)
    await visit.site.upkeep.forget_person(head.id, seat, visit.needs_secret())
    return go_to(visit.request, AFTER)


@router.get("/pad/{code}/delete")
async def ask_delete_pad(visit: VisitOf, code: str) -> Response:
    """Asks before a score pad is deleted for ever."""
    head = await padpage.find(visit, code)
    await visit.site.pads.needs_owner(head.id, visit.secret or new_secret())
    path = padpage.base(head.code)
    scene = await visit.site.pads.scene(head.id, visit.secret)
    here = f"{path}/delete"
    counts = await padpage.counts_for_circle(visit, scene)
    return visit.page("pad/delete.html", here=here, base=path, scene=scene, counts=counts)


@router.post("/pad/{code}/delete")
async def delete_pad(visit: VisitOf, code: str, _form: Form) -> Response:
    """Delete a score pad with everything that is stored about it."""
    head = await padpage.find(visit, code)
    await visit.site.pads.needs_owner(head.id, visit.secret or new_secret())
    await visit.site.upkeep.delete_kept(head.id)
    return go_to(visit.request, HOME)


@router.get("/circle/{code}/delete")
async def ask_delete_circle(visit: VisitOf, code: str) -> Response:
    """Asks before a circle is deleted for ever."""
    circle = await padpage.find_circle(visit, code)
    await visit.site.pads.circles.needs_founder(circle.id, visit.secret or new_secret())
    path = f"/circle/{circle.code}"
    return visit.page("pad/circle_delete.html", here=f"{path}/delete", base=path, circle=circle)


@router.post("/circle/{code}/delete")
async def delete_circle(visit: VisitOf, code: str, _form: Form) -> Response:
    """Delete a circle; the pads and tables that counted for it stay."""
    circle = await padpage.find_circle(visit, code)
    await visit.site.pads.circles.needs_founder(circle.id, visit.secret or new_secret())
    await visit.site.upkeep.delete_kept(circle.id)
    return go_to(visit.request, HOME)


def _asking(visit: Visit, template: str, scene: Scene, *, may: bool, seat: int = 0) -> Response:
    """The page that asks; where it cannot be done now, it says so."""
    path = base(scene.code)
    here = f"{path}/delete" if template == "delete.html" else f"{path}/forget?seat={seat}"
    status = HTTPStatus.OK if may else HTTPStatus.CONFLICT
    return visit.page(template, status, here=here, scene=scene, base=path, seat=seat)
