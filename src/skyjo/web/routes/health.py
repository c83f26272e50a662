"""For those who watch over the server: is it well, and what does it do."""

from __future__ import annotations

import asyncio
import ipaddress
from http import HTTPStatus
from typing import Final
from urllib.parse import urlsplit

from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, Response

from skyjo.table.errors import StoreError
from skyjo.web.addresses import is_for_this_computer
from skyjo.web.limits import parsed_address
from skyjo.web.metrics import CONTENT_TYPE
from skyjo.web.site import VisitOf

router = APIRouter()

#: Seconds that the database may take to answer.
PATIENCE: Final = 5.0
_FORWARDED: Final = ("forwarded", "via", "x-forwarded-for", "x-forwarded-proto", "x-real-ip")


@router.get("/healthz")
async def healthz(visit: VisitOf) -> Response:
    """200 while the database answers and the last write was good, else 503."""
    try:
        async with asyncio.timeout(PATIENCE):
            await visit.authority.store.heads([])
        well = not visit.site.metrics.is_store_failing
    except (StoreError, TimeoutError):
        well = False
    status = HTTPStatus.OK if well else HTTPStatus.SERVICE_UNAVAILABLE
    words = {"status": "ok" if well else "failing", "database": "ok" if well else "failing"}
    return JSONResponse(words, status)


@router.get("/metrics")
async def metrics(visit: VisitOf) -> Response:
    """Everything that is counted, for programs on this computer and in the networks named."""
    settings = visit.site.settings
    if not is_watcher(visit.connection, settings.metrics_from, settings.base_url):
        raise HTTPException(HTTPStatus.NOT_FOUND)
    visit.site.metrics.tables.set(visit.authority.in_memory)
    return Response(visit.site.metrics.text(), media_type=CONTENT_TYPE)


def is_watcher(connection: HTTPConnection, networks: tuple[str, ...], base_url: str = "") -> bool:
    """Whether the caller may see the metrics: this computer itself, or somebody named.

    What a proxy passes on comes from others, also when it runs on this computer. One that does not
    say for whom it asks is known by the address at which people reach the server.
    """
    host = connection.client.host if connection.client else ""
    address = parsed_address(host)
    if address is None:
        return False
    if any(address in ipaddress.ip_network(network) for network in networks):
        return True
    if not address.is_loopback or any(name in connection.headers for name in _FORWARDED):
        return False
    asked = connection.headers.get("host", "").partition(":")[0].lower()
    public = urlsplit(base_url).hostname
    return not public or asked != public or is_for_this_computer(public)
