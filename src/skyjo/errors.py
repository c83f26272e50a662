"""Everything that skyjo raises on purpose.

::

    SkyjoError                something a person can mend; str() is a sentence for them
    ├── MalformedError        the input cannot be read at all
    │   └── RecordError       ... in a file: path, line and column are known
    ├── IllegalActionError    readable, but refused by the rules; carries the code of rules 2.17
    ├── RulesetError          an unknown knob or value, or a combination that is refused
    └── StaleError            the table has moved on since the caller looked

``code`` is stable and meant for programs, ``str(error)`` is a sentence for people in the
language that is current when it is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skyjo.i18n import _


class SkyjoError(Exception):
    """Base of all errors of this package.

    ``message`` is a gettext message id with ``{placeholders}`` for ``values``.

    >>> str(SkyjoError("no seat is called {name}", name="Zoe"))
    'no seat is called Zoe'
    """

    code = "error"

    def __init__(self, message: str, **values: Any) -> None:
        super().__init__(message)
        self.message = message
        self.values: Mapping[str, Any] = values

    def __str__(self) -> str:
        return _(self.message, **self.values)

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild, (type(self), self.args, self.__dict__))


def _rebuild(kind: type[SkyjoError], args: tuple[Any, ...], state: dict[str, Any]) -> SkyjoError:
    error = kind.__new__(kind)
    Exception.__init__(error, *args)
    error.__dict__.update(state)
    return error


class MalformedError(SkyjoError):
    """Input that cannot be read as what it should be; never the same as an illegal action."""

    code = "malformed"


class RecordError(MalformedError):
    """A fault in a file: ``path``, ``line`` and ``column`` (from 1) say where.

    >>> print(RecordError("expected {what}", path="a.skyjo", line=3, column=7, what="a tag"))
    a.skyjo:3:7: expected a tag
    """

    code = "record"

    def __init__(
        self, message: str, *, path: str = "", line: int = 0, column: int = 0, **values: Any
    ) -> None:
        super().__init__(message, **values)
        self.path = path
        self.line = line
        self.column = column

    def __str__(self) -> str:
        where = ":".join(str(part) for part in (self.path, self.line, self.column) if part)
        sentence = super().__str__()
        return f"{where}: {sentence}" if where else sentence


class IllegalActionError(SkyjoError):
    """An action that the rules refuse; it has changed nothing. ``code`` is one of rules 2.17."""

    def __init__(self, code: str, message: str, **values: Any) -> None:
        super().__init__(message, **values)
        self.code = code


class RulesetError(SkyjoError):
    """A preset, knob or value that does not exist, or a combination that is refused.

    ``knobs`` names the knobs of a combination; it is empty for everything else.
    """

    code = "ruleset"

    def __init__(self, message: str, *, knobs: tuple[str, ...] = (), **values: Any) -> None:
        super().__init__(message, **values)
        self.knobs = knobs


class StaleError(SkyjoError):
    """The caller saw an older version of the table; nothing has changed."""

    code = "stale"
