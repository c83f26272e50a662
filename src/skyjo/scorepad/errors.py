"""What a pad refuses, beside what is stale or malformed (``skyjo.errors``).

The classes are those of tables (``skyjo.table.errors``); the codes and sentences are a pad's own.
"""

from __future__ import annotations

from typing import Any, Final

from skyjo.i18n import N_
from skyjo.table.errors import ForbiddenError, RefusedError, UnknownTableError

#: Every code of a ``ForbiddenError``, with its sentence.
FORBIDDEN: Final = {
    "not_keeper": N_("Only whoever keeps this pad may do that."),
    "not_yours": N_("You may enter your own points only; say first which player you are."),
    "only_looking": N_("Whoever keeps this pad enters the points; you can watch."),
    "took_over": N_(
        "This pad was taken over while its keeper was away; only who began it can delete it."
    ),
    "not_founder": N_("Only the device on which the circle was made can delete it."),
    "bad_link": N_("This link is not valid for this pad; ask for a new one."),
}

#: Every code of a ``RefusedError``, with its sentence.
REFUSALS: Final = {
    "pad_over": N_("This game is over; begin a rematch, or undo the last round first."),
    "not_over": N_("This game still goes on."),
    "given_up": N_("This game was given up; it cannot count."),
    "too_few_players": N_("A pad needs at least two players."),
    "too_many_players": N_("A pad has room for eight players."),
    "name_twice": N_("Two players are called {name}; give one of them another name."),
    "points_missing": N_("The points of {players} are missing."),
    "no_such_player": N_("There is no such player on this pad."),
    "has_left": N_("{name} has left the game."),
    "nothing_to_undo": N_("There is nothing to undo."),
    "nothing_to_redo": N_("There is nothing to redo."),
    "taken": N_("Another device belongs to {name} already; whoever keeps the pad can free it."),
    "too_many_devices": N_("This pad is kept on {most} devices already."),
    "keeper_is_here": N_("Whoever keeps this pad was here a moment ago; ask them."),
    "played_together": N_(
        "{name} and {other} have played with each other, so they are not the same person."
    ),
    "circle_full": N_("A circle has room for {most} games; begin a new one."),
    "too_many_members": N_("A circle has room for {most} people; merge names that are the same."),
    "too_few_left": N_("Two players at least must stay; end the game instead."),
}


class UnknownPadError(UnknownTableError):
    """There is no pad with this code or link."""

    code = "unknown_pad"

    def __init__(self) -> None:
        super().__init__(
            N_("There is no pad at this address. Check the link or the code; or it was deleted.")
        )


class UnknownCircleError(UnknownTableError):
    """There is no circle with this link."""

    code = "unknown_circle"

    def __init__(self) -> None:
        super().__init__(
            N_("There is no circle at this address. Check the link; or it was deleted.")
        )


def forbidden(code: str) -> ForbiddenError:
    """The error of this code.

    >>> str(forbidden("not_keeper"))
    'Only whoever keeps this pad may do that.'
    """
    return ForbiddenError(code, FORBIDDEN[code])


def refused(code: str, **values: Any) -> RefusedError:
    """The error of this code, with the values for its sentence.

    >>> str(refused("has_left", name="Ana"))
    'Ana has left the game.'
    """
    return RefusedError(code, REFUSALS[code], **values)
