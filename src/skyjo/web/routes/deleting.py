"""Deleting on pages: the host a table, everybody their own name. Each asks first, without scripts.

What may be deleted when is decided by ``skyjo.table.rights``; ``skyjo.table.upkeep`` does it.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Final

from fastapi import APIRouter, Query
from starlette.exceptions import HTTPException
from starlette.responses import Response

from skyjo.table.errors import UnknownTableError, forbidden
from skyjo.table.scene import Scene
from skyjo.web.answers import go_to
from skyjo.web.forms import Form, whole
from skyjo.web.site import Visit, VisitOf
from skyjo.web.tablepage import base

router = APIRouter()

#: How many tables one page lists.
SHOWN: Final = 12
#: Where one is when something has been deleted.
AFTER: Final = "/mine?gone=1"


@router.get("/mine")
async def mine(
    visit: VisitOf, skip: Annotated[int, Query(ge=0, le=100)] = 0, gone: str = ""
) -> Response:
    """The tables that keep a name of this browser, and what can be deleted of each."""
    heads = await visit.authority.mine(visit.secret) if visit.secret else []
    scenes = []
    for head in heads[skip : skip + SHOWN]:
        try:
            scenes.append(await visit.authority.scene(head.id, visit.secret))
        except UnknownTableError:
            continue  # it was deleted this moment
    return visit.page(
        "mine.html",
        here="/mine",
        tables=scenes,
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


def _asking(visit: Visit, template: str, scene: Scene, *, may: bool, seat: int = 0) -> Response:
    """The page that asks; where it cannot be done now, it says so."""
    path = base(scene.code)
    here = f"{path}/delete" if template == "delete.html" else f"{path}/forget?seat={seat}"
    status = HTTPStatus.OK if may else HTTPStatus.CONFLICT
    return visit.page(template, status, here=here, scene=scene, base=path, seat=seat)
