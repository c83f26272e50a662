"""How to play: the guided round and the rules; and the page of settings."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from skyjo.rules.ruleset import DEFAULT_PRESET, Ruleset
from skyjo.web.forms import local_path
from skyjo.web.site import VisitOf

router = APIRouter()


@router.get("/how")
async def how(visit: VisitOf, step: int = 1) -> Response:
    """One step of the guided first round."""
    return visit.page("how.html", step=step)


@router.get("/rules")
async def rules(visit: VisitOf, table: str = "", preset: str = DEFAULT_PRESET) -> Response:
    """The rules as a table or a preset plays them."""
    if table:
        head = await visit.find(table)
        ruleset = (await visit.authority.scene(head.id)).ruleset
    else:
        ruleset = Ruleset.preset(preset)
    return visit.page("rules.html", ruleset=ruleset)


@router.get("/settings")
async def settings(visit: VisitOf) -> Response:
    """Language, theme and sound; with the way back to the page that led here."""
    return visit.page("settings.html", back=local_path(visit.request.query_params.get("next", "/")))
