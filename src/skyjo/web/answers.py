"""Answers to forms: on to a page, for browsers without and with scripts; and small cookies."""

from __future__ import annotations

from http import HTTPStatus
from typing import Final
from urllib.parse import quote, unquote

from starlette.requests import HTTPConnection, Request
from starlette.responses import RedirectResponse, Response

from skyjo.web.problems import wants_notice
from skyjo.web.session import MAX_AGE

NAME_COOKIE: Final = "skyjo-name"
QUICK_COOKIE: Final = "skyjo-quick"
_MOST: Final = 400


def go_to(request: Request, path: str) -> Response:
    """Show another page: a redirection, or its equivalent for a script."""
    if wants_notice(request):
        return Response(status_code=HTTPStatus.NO_CONTENT, headers={"hx-redirect": path})
    return RedirectResponse(path, HTTPStatus.SEE_OTHER)


def done(request: Request, path: str) -> Response:
    """A form of a live page is done: its change arrives by the stream, or with the page again."""
    if wants_notice(request):
        return Response(status_code=HTTPStatus.NO_CONTENT)
    return RedirectResponse(path, HTTPStatus.SEE_OTHER)


def as_file(record: str, name: str) -> Response:
    """A record to keep."""
    return Response(
        record,
        media_type="text/plain; charset=utf-8",
        headers={"content-disposition": f'attachment; filename="{name}.skyjo"'},
    )


def keep(response: Response, name: str, value: str, most: int = _MOST) -> None:
    """Remember a choice of the reader; no secret, but no script needs it either."""
    text = quote(value, safe="")
    if len(text) <= most:
        response.set_cookie(name, text, max_age=MAX_AGE, httponly=True, samesite="lax", path="/")


def kept(connection: HTTPConnection, name: str, most: int = _MOST) -> str:
    """What was remembered; "" if nothing was, or nothing that can be read."""
    text = connection.cookies.get(name, "")
    if len(text) > most:
        return ""
    try:
        value = unquote(text, errors="strict")
    except UnicodeDecodeError:
        return ""
    return value if value.isprintable() else ""
