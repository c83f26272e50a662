"""What was refused, as JSON with a stable code."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from skyjo.errors import IllegalActionError, RulesetError, SkyjoError, StaleError
from skyjo.i18n import N_, _
from skyjo.rules.legality import REASONS
from skyjo.table.errors import FORBIDDEN, REFUSALS
from skyjo.web.api.access import UnauthorisedError
from skyjo.web.api.answers import (
    CODES,
    INTERNAL,
    KINDS,
    code_of,
    dumps,
    error_answer,
    error_form,
    json_answer,
)
from skyjo.web.api.verbs import UnreadableError
from skyjo.web.limits import TooManyError
from skyjo.web.problems import sentence, status_of

_log = logging.getLogger("skyjo.web.api")

#: Every code that an error can have.
ALL_CODES: Final = frozenset(
    (
        *CODES.values(),
        *FORBIDDEN,
        *REFUSALS,
        *(code for code, _sentence in REASONS[1:]),
        INTERNAL,
        "no_token",
        "ruleset",
        "stale",
        "store",
        "unknown_table",
    )
)


#: Kinds that do not follow from the status.
_KINDS: Final[tuple[tuple[type[SkyjoError], str], ...]] = (
    (StaleError, "stale"),
    (IllegalActionError, "illegal"),
    (RulesetError, "ruleset"),
)

#: What a program is told instead of what a page says.
_SENTENCES: Final[Mapping[HTTPStatus, str]] = {
    HTTPStatus.BAD_REQUEST: N_("The body cannot be read; send JSON in UTF-8."),
    HTTPStatus.NOT_FOUND: N_("There is no such address; openapi.json lists all that there are."),
    HTTPStatus.METHOD_NOT_ALLOWED: N_(
        "This address takes other methods; the header Allow names them."
    ),
}


def problem_status(error: SkyjoError) -> HTTPStatus:
    """The HTTP status of an error."""
    return HTTPStatus.UNAUTHORIZED if isinstance(error, UnauthorisedError) else status_of(error)


def kind_of(error: SkyjoError) -> str:
    """What kind of error it is: what a program can do about it.

    >>> kind_of(SkyjoError("?"))
    'malformed'
    """
    for kind, name in _KINDS:
        if isinstance(error, kind):
            return name
    return KINDS[problem_status(error)]


def form_of(error: SkyjoError) -> dict[str, Any]:
    """An error as JSON can hold it."""
    text, status = str(error), problem_status(error)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        # The details are for who runs the server.
        _log.error("%s: %s", error.code, text)
        text = sentence(status)
    return error_form(kind_of(error), error.code, text, getattr(error, "where", ""))


def answer(error: SkyjoError) -> Response:
    """An error of table, rules or API as an answer."""
    status = problem_status(error)
    response = json_answer(dumps(form_of(error)), status)
    if isinstance(error, TooManyError):
        response.headers["retry-after"] = str(error.retry_after)
    if isinstance(error, UnauthorisedError):
        response.headers["www-authenticate"] = "Bearer"
    return response


async def _on_refusal(_request: Request, error: Exception) -> Response:
    if not isinstance(error, SkyjoError):
        raise TypeError(error)
    return answer(error)


async def _on_input(_request: Request, error: Exception) -> Response:
    if not isinstance(error, RequestValidationError):
        raise TypeError(error)
    first: dict[str, Any] = error.errors()[0]
    where = ".".join(map(str, first["loc"]))
    if first["type"] == "json_invalid":
        # The place is that of a character.
        return answer(
            UnreadableError(
                "body",
                N_("The body is not JSON: {reason}, at character {number}."),
                reason=first["ctx"]["error"],
                number=first["loc"][-1] + 1,
            )
        )
    if isinstance(error.body, bytes) and where == "body":
        # It would have been read if its header had said what it is.
        status = HTTPStatus.UNSUPPORTED_MEDIA_TYPE
        text = _("Send the body as JSON, with the header Content-Type: application/json")
        return error_answer(status, code_of(status), text)
    return answer(UnreadableError(where, says=str(first["msg"])))


async def _on_http(_request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise TypeError(error)
    status = HTTPStatus(error.status_code)
    text = _(_SENTENCES[status]) if status in _SENTENCES else sentence(status)
    response = error_answer(status, code_of(status), text)
    response.headers.update(error.headers or {})
    return response


async def _on_fault(_request: Request, _error: Exception) -> Response:
    status = HTTPStatus.INTERNAL_SERVER_ERROR
    return error_answer(status, INTERNAL, sentence(status))


def install(api: FastAPI) -> None:
    """Have the API answer this way."""
    api.add_exception_handler(HTTPException, _on_http)
    api.add_exception_handler(RequestValidationError, _on_input)
    api.add_exception_handler(SkyjoError, _on_refusal)
    api.add_exception_handler(Exception, _on_fault)
