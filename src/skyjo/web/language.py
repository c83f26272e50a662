"""The reader's language: a remembered choice, else what the browser asks for."""

from __future__ import annotations

from typing import Final

from starlette.requests import HTTPConnection

from skyjo.i18n import available_languages, negotiate

COOKIE: Final = "skyjo-lang"


def is_language(code: str) -> bool:
    """Whether there is a translation for this code.

    >>> is_language("uk"), is_language("tlh")
    (True, False)
    """
    return code in {language.code for language in available_languages()}


def chosen_language(connection: HTTPConnection, default: str) -> str:
    """The language for whoever made this request."""
    chosen = connection.cookies.get(COOKIE, "")
    if is_language(chosen):
        return chosen
    return negotiate(connection.headers.get("accept-language"), default)
