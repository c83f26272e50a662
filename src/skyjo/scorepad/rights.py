"""Who may do what on a pad. Whoever has its link may look; the rest is said here."""

from __future__ import annotations

from typing import Final

from skyjo.scorepad.errors import forbidden
from skyjo.scorepad.model import Pad

#: Who enters points: whoever keeps the pad; everybody their own; everybody everything.
KEEPER: Final = "keeper"
OWN: Final = "own"
ALL: Final = "all"
MODES: Final = (KEEPER, OWN, ALL)


def is_keeper(pad: Pad, holder: str) -> bool:
    """Whether this device keeps the pad."""
    return bool(holder) and holder in pad.keepers


def may_type(pad: Pad, holder: str, seat: int) -> bool:
    """Whether this device may note points of this player for the coming round."""
    if is_keeper(pad, holder) or pad.entering == ALL:
        return True
    return pad.entering == OWN and seat in pad.seats_of(holder)


def may_save(pad: Pad, holder: str) -> bool:
    """Whether this device may save the coming round; whoever enters the last points may."""
    return (
        is_keeper(pad, holder)
        or pad.entering == ALL
        or (pad.entering == OWN and bool(pad.seats_of(holder)) and is_complete(pad))
    )


def may_correct(pad: Pad, holder: str) -> bool:
    """Whether this device may change rounds that are on the sheet."""
    return is_keeper(pad, holder) or pad.entering == ALL


def may_take_over(pad: Pad, holder: str, *, keeper_away: bool) -> bool:
    """Whether this device may become the keeper: the game goes on, and no keeper is there.

    What is over stays as it is, for whoever has nothing but the link.
    """
    return bool(holder) and keeper_away and not is_keeper(pad, holder) and pad.phase == "playing"


def deletion_refusal(pad: Pad, holder: str) -> str:
    """The code of why this device may not delete the pad, "" if it may.

    A keeper may; but who has taken the pad over with nothing but its link may not undo for ever
    what others have begun.
    """
    if not is_keeper(pad, holder):
        return "not_keeper"
    return "" if holder in pad.owners else "took_over"


def is_complete(pad: Pad) -> bool:
    """Whether everybody's points of the coming round are noted, and who closed it."""
    noted = all(
        player.left or points is not None
        for player, points in zip(pad.players, pad.draft.points, strict=True)
    )
    return noted and pad.draft.closer >= 0


def needs_keeper(pad: Pad, holder: str) -> None:
    """ForbiddenError unless this device keeps the pad."""
    if not is_keeper(pad, holder):
        raise forbidden("not_keeper")


def needs_typing(pad: Pad, holder: str, seat: int) -> None:
    """ForbiddenError unless this device may note points of this player."""
    if not may_type(pad, holder, seat):
        raise forbidden("not_yours" if pad.entering == OWN else "only_looking")


def needs_saving(pad: Pad, holder: str) -> None:
    """ForbiddenError unless this device may save the coming round."""
    if not may_save(pad, holder):
        raise forbidden("only_looking")


def needs_correcting(pad: Pad, holder: str) -> None:
    """ForbiddenError unless this device may change what is on the sheet."""
    if not may_correct(pad, holder):
        raise forbidden("not_keeper")
