"""Static files, and the few that browsers look for under fixed names."""

from __future__ import annotations

from http import HTTPStatus

from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, RedirectResponse, Response

from skyjo.i18n import _
from skyjo.web.site import VisitOf

router = APIRouter()


@router.get("/static/{_path:path}")
async def static(visit: VisitOf, _path: str) -> Response:
    """A file under its hashed name."""
    answer = visit.site.pages.assets.respond(visit.request)
    if answer is None:
        raise HTTPException(HTTPStatus.NOT_FOUND)
    return answer


@router.get("/favicon.ico")
async def favicon(visit: VisitOf) -> Response:
    """The icon, for browsers that do not read the page first."""
    return RedirectResponse(visit.site.pages.assets.url("icons/icon.svg"), HTTPStatus.SEE_OTHER)


@router.get("/robots.txt")
async def robots() -> Response:
    """No search engine has anything to look for at a table."""
    return Response("User-agent: *\nDisallow: /\n", media_type="text/plain")


@router.get("/manifest.webmanifest")
async def manifest(visit: VisitOf) -> Response:
    """What a browser needs to install the pages, in the reader's language."""
    url = visit.site.pages.assets.url
    icons = [
        {"src": url("icons/icon.svg"), "type": "image/svg+xml", "sizes": "any"},
        {"src": url("icons/icon-192.png"), "type": "image/png", "sizes": "192x192"},
        {"src": url("icons/icon-512.png"), "type": "image/png", "sizes": "512x512"},
        {
            "src": url("icons/maskable-512.png"),
            "type": "image/png",
            "sizes": "512x512",
            "purpose": "maskable",
        },
    ]
    return JSONResponse(
        {
            "id": "/",
            "name": "Skyjo",
            "short_name": "Skyjo",
            "description": _("Play Skyjo together, on whatever you have."),
            "start_url": "/",
            "scope": "/",
            "display": "standalone",
            "background_color": "#efe9dd",
            "theme_color": "#efe9dd",
            "icons": icons,
        },
        media_type="application/manifest+json",
    )
