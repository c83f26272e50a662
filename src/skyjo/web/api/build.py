"""Puts the parts of the API together: an application of its own below ``PATH``."""

from __future__ import annotations

from typing import Any, Final

from fastapi import FastAPI
from starlette.responses import Response

import skyjo
from skyjo.web.api import about, live, problems, schemas, tables
from skyjo.web.api.answers import dumps, json_answer
from skyjo.web.api.openapi import described
from skyjo.web.site import Site

PATH: Final = "/api/v1"

_ERRORS: Final[dict[int | str, dict[str, Any]]] = {
    "4XX": {"model": schemas.ErrorAnswer, "description": "Refused; nothing has changed."},
    "5XX": {"model": schemas.ErrorAnswer, "description": "Not possible now; try again."},
}


def create_api(site: Site) -> FastAPI:
    """The application that answers below ``PATH``; it has its own way of telling errors."""
    api = FastAPI(
        title="skyjo",
        version=skyjo.__version__,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        responses=_ERRORS,
        # Short names, the same as those of the functions: programs are generated from them.
        generate_unique_id_function=lambda route: route.name,
    )
    api.state.site = site
    problems.install(api)
    for part in (about, tables, live):
        api.include_router(part.router)
    described_once: list[str] = []

    @api.get("/openapi.json", include_in_schema=False)
    async def openapi() -> Response:
        """The description of all this for programs that read such descriptions."""
        if not described_once:
            described_once.append(dumps(described(api, PATH)))
        return json_answer(described_once[0])

    return api
