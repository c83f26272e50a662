"""Reading forms: small, strict, and never a surprise."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Annotated, TypeAlias
from urllib.parse import parse_qsl

from fastapi import Depends
from starlette.exceptions import HTTPException
from starlette.requests import Request

MAX_FIELDS = 64
_KIND = "application/x-www-form-urlencoded"


def parse_form(body: bytes) -> dict[str, str]:
    """The fields of an urlencoded form, the last value of each; ValueError if it is none.

    >>> parse_form(b"name=Ana&action=swap+r0c1")
    {'name': 'Ana', 'action': 'swap r0c1'}
    """
    pairs = parse_qsl(
        body.decode("ascii"),
        keep_blank_values=True,
        encoding="utf-8",
        errors="strict",
        max_num_fields=MAX_FIELDS,
    )
    return dict(pairs)


async def read_form(request: Request) -> Mapping[str, str]:
    """The form of a request; 4xx for anything else."""
    kind = request.headers.get("content-type", _KIND).partition(";")[0].strip().lower()
    body = await request.body()
    if body and kind != _KIND:
        raise HTTPException(HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
    try:
        return parse_form(body)
    except ValueError:
        raise HTTPException(HTTPStatus.BAD_REQUEST) from None


Form: TypeAlias = Annotated[Mapping[str, str], Depends(read_form)]


def whole(fields: Mapping[str, str], name: str, default: int | None = None) -> int | None:
    """A field as a whole number, ``default`` if it is not there; 400 for anything else.

    >>> whole({"seat": "3"}, "seat"), whole({}, "seat")
    (3, None)
    """
    text = fields.get(name, "").strip()
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise HTTPException(HTTPStatus.BAD_REQUEST)
    return int(text)


def local_path(text: str, default: str = "/") -> str:
    """A path on this server to go on to; anything that could lead elsewhere is the default.

    >>> local_path("/t/ABC?take=1"), local_path("//evil.example/"), local_path("https://x/")
    ('/t/ABC?take=1', '/', '/')
    """
    plain = text.isprintable() and text.isascii() and "\\" not in text
    return text if plain and text.startswith("/") and text[:2] != "//" else default
