"""What a table refuses, beside stale, illegal and malformed moves (``skyjo.errors``).

::

    SkyjoError
    └── TableError           base of the following
        ├── UnknownTableError    there is no such table, code or link
        ├── ForbiddenError       the caller's secret gives no right to this
        ├── RefusedError         the caller may, but the table does not allow it now; see ``code``
        └── StoreError           the database could not be read or written; nothing has changed

``code`` is stable and meant for programs, ``str(error)`` is a sentence for people.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from skyjo.errors import SkyjoError
from skyjo.i18n import N_

_log = logging.getLogger("skyjo.table")


class TableError(SkyjoError):
    """Base of what a table refuses."""

    code = "table"


class UnknownTableError(TableError):
    """There is no table with this id, code or link."""

    code = "unknown_table"

    def __init__(self, message: str = N_("There is no such table."), **values: Any) -> None:
        super().__init__(message, **values)


class ForbiddenError(TableError):
    """The caller has no right to do this: not their seat, or not the host."""

    def __init__(self, code: str, message: str, **values: Any) -> None:
        super().__init__(message, **values)
        self.code = code


class RefusedError(TableError):
    """Not possible at this table now. ``code`` is one of ``REFUSALS``; nothing has changed."""

    def __init__(self, code: str, message: str, **values: Any) -> None:
        super().__init__(message, **values)
        self.code = code


class StoreError(TableError):
    """The database refused or is of a newer program; ``str()`` says what to do."""

    code = "store"


#: Every code of a ``ForbiddenError``, with its sentence.
FORBIDDEN = {
    "not_your_seat": N_("This seat is not yours."),
    "not_host": N_("Only the host may do that."),
    "not_at_the_table": N_("Only somebody who sits at this table may do that."),
    "bad_link": N_("This personal link is not valid any more; ask for a new one."),
}

#: Every code of a ``RefusedError``, with its sentence.
REFUSALS = {
    "already_started": N_("The game has begun already; you can watch it."),
    "table_over": N_("The game at this table is over."),
    "table_abandoned": N_("Everybody has left this table; make a new one."),
    "not_started": N_("The game has not begun yet."),
    "not_over": N_("The game is not over yet."),
    "table_full": N_("All eight seats of this table are taken."),
    "too_few_seats": N_("At least two seats are needed: wait for somebody, or add a bot."),
    "name_taken": N_("Somebody at this table is called {name} already; choose another name."),
    "no_such_seat": N_("There is no such seat at this table."),
    "no_such_bot": N_("There is no bot called {name}; there are: {names}"),
    "not_a_person": N_("This seat is a bot's."),
    "not_away": N_("{name} is here and has not waited long; a bot may play only for who is gone."),
    "has_left": N_("{name} has left the game."),
    "bot_plays_already": N_("A bot plays for {name} already."),
    "no_bot_plays": N_("No bot plays for {name}."),
    "host_is_here": N_("The host is here; only the host may do that."),
    "too_many_devices": N_(
        "This seat is in use on {most} devices; renew its personal link to free it."
    ),
    "too_many_changes": N_("This table has been changed too often; make a new one."),
    "nobody_left": N_("Nobody is left for another game."),
    "record_not_ready": N_("There is no record before the game has begun."),
    "unreadable": N_(
        "{name} cannot be opened by this version of skyjo: {reason}. It is kept as it is; the"
        " version that wrote it opens it."
    ),
}

#: What else comes of events that this program does not understand.
_FAULTS = (LookupError, TypeError, ValueError, AttributeError)


def forbidden(code: str) -> ForbiddenError:
    """The error of this code.

    >>> str(forbidden("not_host"))
    'Only the host may do that.'
    """
    return ForbiddenError(code, FORBIDDEN[code])


def refused(code: str, **values: Any) -> RefusedError:
    """The error of this code, with the values for its sentence.

    >>> str(refused("has_left", name="Ana"))
    'Ana has left the game.'
    """
    return RefusedError(code, REFUSALS[code], **values)


@contextmanager
def understanding(name: str) -> Iterator[None]:
    """Makes something of events that are stored; what cannot be understood is ``unreadable``.

    ``name`` is the code of the table, or of what else is kept. Another version may have allowed
    what this one refuses, or know more; nobody else may suffer from that.

    >>> with understanding("K93AA5TG"):
    ...     raise SkyjoError("its rules are unknown")
    Traceback (most recent call last):
    ...
    skyjo.table.errors.RefusedError: K93AA5TG cannot be opened by this version of skyjo: its...
    """
    try:
        yield
    except SkyjoError as error:
        raise refused("unreadable", name=name, reason=error) from error
    except _FAULTS as error:
        _log.exception("what is stored of %s does not fit together", name)
        reason = SkyjoError(N_("what is stored does not fit together"))
        raise refused("unreadable", name=name, reason=reason) from error
