"""How to play: the guided round and the rules; and the page of settings."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from skyjo.web.site import VisitOf

router = APIRouter()


@router.get("/how")
async def how(visit: VisitOf, step: int = 1) -> Response:
    """One step of the guided first round."""
    return visit.page("how.html", step=step)


@router.get("/rules")
async def rules(visit: VisitOf) -> Response:
    """The rules, for every preset."""
    return visit.page("rules.html")


@router.get("/settings")
async def settings(visit: VisitOf) -> Response:
    """Language, theme and sound."""
    return visit.page("settings.html")
