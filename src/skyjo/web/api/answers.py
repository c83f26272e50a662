"""JSON answers: compact, and never unable to say something."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from starlette.responses import Response

JSON = "application/json"

#: The codes of what is refused before a table is asked.
CODES: Mapping[HTTPStatus, str] = {
    HTTPStatus.BAD_REQUEST: "malformed",
    HTTPStatus.UNAUTHORIZED: "bad_token",
    HTTPStatus.FORBIDDEN: "bad_origin",
    HTTPStatus.NOT_FOUND: "not_found",
    HTTPStatus.METHOD_NOT_ALLOWED: "method_not_allowed",
    HTTPStatus.REQUEST_TIMEOUT: "too_slow",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "too_large",
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: "unsupported_media_type",
    HTTPStatus.TOO_MANY_REQUESTS: "too_many",
    HTTPStatus.SERVICE_UNAVAILABLE: "unavailable",
}
INTERNAL = "internal"
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode

#: What kind of error a status means, where nothing more is known.
KINDS: Mapping[HTTPStatus, str] = {
    HTTPStatus.BAD_REQUEST: "malformed",
    HTTPStatus.UNAUTHORIZED: "forbidden",
    HTTPStatus.FORBIDDEN: "forbidden",
    HTTPStatus.NOT_FOUND: "unknown",
    HTTPStatus.METHOD_NOT_ALLOWED: "malformed",
    HTTPStatus.CONFLICT: "refused",
    HTTPStatus.REQUEST_TIMEOUT: "malformed",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "malformed",
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: "malformed",
    HTTPStatus.TOO_MANY_REQUESTS: "limited",
    HTTPStatus.SERVICE_UNAVAILABLE: "unavailable",
}


def code_of(status: HTTPStatus) -> str:
    """The error code for a status that carries none of its own.

    >>> code_of(HTTPStatus.NOT_FOUND), code_of(HTTPStatus.BAD_GATEWAY)
    ('not_found', 'internal')
    """
    if status in CODES:
        return CODES[status]
    return INTERNAL if status >= HTTPStatus.INTERNAL_SERVER_ERROR else "malformed"


def dumps(value: Any) -> str:
    r"""A value as JSON text without blanks.

    >>> dumps({"name": "Zoë", "seat": 0})
    '{"name":"Zoë","seat":0}'
    """
    return _encode(value)


def json_answer(text: str, status: int = HTTPStatus.OK) -> Response:
    """An answer from a JSON text; half characters, which no text in UTF-8 has, become "?"."""
    return Response(text.encode("utf-8", "replace"), status, media_type=JSON)


def error_form(kind: str, code: str, message: str, where: str = "") -> dict[str, Any]:
    """What every error looks like; ``where`` is the part of the request that is wrong.

    >>> error_form("stale", "stale", "Too late.")
    {'error': {'kind': 'stale', 'code': 'stale', 'message': 'Too late.'}}
    """
    error = {"kind": kind, "code": code, "message": message}
    return {"error": error | ({"where": where} if where else {})}


def error_answer(
    status: HTTPStatus, code: str, message: str, *, kind: str = "", where: str = ""
) -> Response:
    """An error as an answer; its kind follows from the status unless it is named."""
    kind = kind or KINDS.get(status, INTERNAL)
    return json_answer(dumps(error_form(kind, code, message, where)), status)
