"""What a client raises beside the errors of ``skyjo.errors``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skyjo.errors import (
    IllegalActionError,
    MalformedError,
    RulesetError,
    SkyjoError,
    StaleError,
)
from skyjo.i18n import N_


class ServerError(SkyjoError):
    """The server refuses; nothing has changed. ``code`` is stable, ``status`` is HTTP's.

    ``retry_after`` are the seconds after which to try again, when the server has said so.
    """

    def __init__(
        self, code: str, message: str, status: int = 0, retry_after: float = 0.0, **values: Any
    ) -> None:
        super().__init__(message, **values)
        self.code = code
        self.status = status
        self.retry_after = retry_after


class UnreachableError(ServerError):
    """No server answers, or the connection broke before it had answered."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(
            "unreachable", N_("{url} cannot be reached: {reason}"), url=url, reason=reason
        )


def error_from(answer: Any, status: int = 0, retry_after: str | None = None) -> SkyjoError:
    """The error that an answer of the server tells, whatever the answer is.

    >>> error_from({"error": {"code": "stale", "kind": "stale", "message": "Too late."}})
    StaleError('Too late.')
    >>> error_from("<html>", 502).code
    'http_502'
    """
    told = answer.get("error") if isinstance(answer, Mapping) else None
    if not isinstance(told, Mapping) or not isinstance(told.get("message"), str):
        sentence = N_("The server answered with status {number}.")
        return ServerError(f"http_{status}", sentence, status, number=status)
    code, message = str(told.get("code", "")), told["message"]
    match told.get("kind"):
        case "stale":
            return StaleError(message)
        case "malformed":
            return MalformedError(message)
        case "ruleset":
            return RulesetError(message)
        case "illegal":
            return IllegalActionError(code, message)
    return ServerError(code, message, status, seconds_in(retry_after))


def seconds_in(retry_after: str | None) -> float:
    """The seconds that a header Retry-After names, 0 if there are none.

    >>> seconds_in("7"), seconds_in("Fri, 31 Dec 1999 23:59:59 GMT")
    (7.0, 0.0)
    """
    return float(retry_after) if retry_after and retry_after.isdigit() else 0.0
