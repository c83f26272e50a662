"""Errors as pages: a sentence about what went wrong and what to do next, in the reader's language.

A request of a script (``HX-Request``) gets the sentence alone, for the page that is open.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response

from skyjo.errors import IllegalActionError, SkyjoError, StaleError
from skyjo.i18n import N_, _
from skyjo.table.errors import ForbiddenError, RefusedError, StoreError, UnknownTableError
from skyjo.web.api.answers import code_of, error_answer
from skyjo.web.limits import TooManyError
from skyjo.web.pages import Pages

_log = logging.getLogger("skyjo.web")

SENTENCES: Final[Mapping[HTTPStatus, str]] = {
    HTTPStatus.BAD_REQUEST: N_(
        "That could not be understood. Go back, load the page again and try once more."
    ),
    HTTPStatus.FORBIDDEN: N_(
        "This did not come from a page of this table. Open the start page and try it from there."
    ),
    HTTPStatus.NOT_FOUND: N_(
        "There is nothing at this address. Check the link or the code; or begin at the start page."
    ),
    HTTPStatus.METHOD_NOT_ALLOWED: N_(
        "This address does not work that way. Go back, or begin at the start page."
    ),
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: N_(
        "That was too much at once. Go back and send something shorter."
    ),
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: N_(
        "Only the forms of these pages are understood here. Go back and use them."
    ),
    HTTPStatus.TOO_MANY_REQUESTS: N_("That was too much in a short time. Try again in a minute."),
    HTTPStatus.SERVICE_UNAVAILABLE: N_(
        "The table cannot be reached at the moment. Nothing is lost; try again in a minute."
    ),
}
INTERNAL: Final = N_(
    "Something went wrong on our side. Nothing that you were shown is lost; load the page again."
)

_OTHER: Final = HTTPStatus.BAD_REQUEST

#: Below this path programs call.
API: Final = "/api/"

#: The status of what the table or the rules refuse; the first class that fits counts.
_STATUS: Final[tuple[tuple[type[SkyjoError], HTTPStatus], ...]] = (
    (UnknownTableError, HTTPStatus.NOT_FOUND),
    (ForbiddenError, HTTPStatus.FORBIDDEN),
    (StoreError, HTTPStatus.SERVICE_UNAVAILABLE),
    (TooManyError, HTTPStatus.TOO_MANY_REQUESTS),
    (RefusedError, HTTPStatus.CONFLICT),
    (StaleError, HTTPStatus.CONFLICT),
    (IllegalActionError, HTTPStatus.CONFLICT),
    (SkyjoError, HTTPStatus.BAD_REQUEST),
)


def status_of(error: SkyjoError) -> HTTPStatus:
    """The HTTP status for what was refused.

    >>> status_of(StaleError("too late")).name
    'CONFLICT'
    """
    return next(status for kind, status in _STATUS if isinstance(error, kind))


def sentence(status: HTTPStatus) -> str:
    """What to tell about a status that has no sentence of its own."""
    if status in SENTENCES:
        return _(SENTENCES[status])
    return _(INTERNAL if status >= HTTPStatus.INTERNAL_SERVER_ERROR else SENTENCES[_OTHER])


def wants_notice(request: Request) -> bool:
    """Whether a script asks, which shows a sentence on the page that is open."""
    return request.headers.get("hx-request") == "true"


class Problems:
    """Answers requests that cannot be fulfilled."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages

    def answer(
        self, request: Request, status: HTTPStatus, text: str = "", code: str = ""
    ) -> Response:
        """The error page, or the sentence alone for a script; JSON for a program."""
        problem = text or sentence(status)
        if request.url.path.startswith(API):
            return error_answer(status, code or code_of(status), problem)
        if wants_notice(request):
            return HTMLResponse(self._pages.render("_notice.html", problem=problem), status)
        return self._pages.page(request, "error.html", status, problem=problem, back="")

    async def refused(self, request: Request, status: HTTPStatus) -> Response:
        """The page for what the guard before the application refuses."""
        return self.answer(request, status)

    async def on_http(self, request: Request, error: Exception) -> Response:
        """404, 405 and whatever a route raises by its status."""
        if not isinstance(error, HTTPException):
            raise TypeError(error)
        response = self.answer(request, _known(error.status_code))
        response.headers.update(error.headers or {})
        return response

    async def on_input(self, request: Request, error: Exception) -> Response:
        """A part of an address that is no number, and the like."""
        return self.answer(request, HTTPStatus.BAD_REQUEST)

    async def on_refusal(self, request: Request, error: Exception) -> Response:
        """What rules and table refuse, in their own words."""
        if not isinstance(error, SkyjoError):
            raise TypeError(error)
        status = status_of(error)
        text = str(error)
        if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            # The details are for who runs the server.
            _log.error("%s: %s", error.code, text)
            text = sentence(status)
        response = self.answer(request, status, text, error.code)
        if isinstance(error, TooManyError):
            response.headers["retry-after"] = str(error.retry_after)
        return response

    async def on_gone(self, _request: Request, _error: Exception) -> Response:
        """Whoever sent half a form has left: nobody reads this."""
        return Response(status_code=HTTPStatus.BAD_REQUEST)

    async def on_fault(self, request: Request, error: Exception) -> Response:
        """A mistake of ours; Starlette logs it."""
        return self.answer(request, HTTPStatus.INTERNAL_SERVER_ERROR)

    def install(self, app: FastAPI) -> None:
        """Have the application answer with these pages."""
        app.add_exception_handler(HTTPException, self.on_http)
        app.add_exception_handler(RequestValidationError, self.on_input)
        app.add_exception_handler(SkyjoError, self.on_refusal)
        app.add_exception_handler(ClientDisconnect, self.on_gone)
        app.add_exception_handler(Exception, self.on_fault)


def _known(number: int) -> HTTPStatus:
    try:
        return HTTPStatus(number)
    except ValueError:
        return _OTHER
