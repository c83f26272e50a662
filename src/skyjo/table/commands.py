"""What people at a table may ask for; ``TableAuthority.do`` decides and carries out.

A ``seat`` is always the seat's place at the table as the caller saw it, from 0. ``version`` is the
version of the table that the caller saw: with it a command that would hit something else than what
was seen is refused as stale. Pages and programs always send it; None means "do not compare".

>>> Act(seat=0, action="swap r0c1", version=12).version
12
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Join:
    """Sit down on the next free seat of a lobby; also for one more person on the same device."""

    name: str


@dataclass(frozen=True, slots=True)
class AddBot:
    """The host puts a bot on the next free seat.

    Without a name it is called ``called``, or after itself, with a number if that is taken.
    """

    bot: str
    name: str = ""
    called: str = ""


@dataclass(frozen=True, slots=True)
class Remove:
    """The host frees a seat of the lobby, a person's or a bot's."""

    seat: int
    version: int | None = None


@dataclass(frozen=True, slots=True)
class Rename:
    """Change one's own name in the lobby."""

    seat: int
    name: str
    version: int | None = None


@dataclass(frozen=True, slots=True)
class HandOver:
    """The host makes another person the host."""

    seat: int
    version: int | None = None


@dataclass(frozen=True, slots=True)
class TakeHost:
    """Become the host, ``seat`` being one's own, while the host is away or does nothing."""

    seat: int
    version: int | None = None


@dataclass(frozen=True, slots=True)
class ChooseRuleset:
    """The host chooses the rules in the lobby; text as ``Ruleset.parse`` reads it."""

    ruleset: str


@dataclass(frozen=True, slots=True)
class ChoosePace:
    """The host chooses how long bots wait before they move: slow, normal or none."""

    pace: str


@dataclass(frozen=True, slots=True)
class Start:
    """The host begins the game with everybody who sits at the table."""


@dataclass(frozen=True, slots=True)
class Act:
    """Play an action by number or notation; ``version`` must not be older than the decision."""

    seat: int
    action: int | str
    version: int | None


@dataclass(frozen=True, slots=True)
class Ready:
    """Go on with the next round; it is dealt when everybody who is here is ready."""

    seat: int
    version: int | None = None


@dataclass(frozen=True, slots=True)
class Leave:
    """Leave: the lobby, or the running game for good (rules 2.15), or the coming rematch."""

    seat: int
    version: int | None = None


@dataclass(frozen=True, slots=True)
class StandIn:
    """Let a bot play for a seat: for oneself, or for somebody who is away or idle for long."""

    seat: int
    version: int | None = None


@dataclass(frozen=True, slots=True)
class Back:
    """Play oneself again."""

    seat: int
    version: int | None = None


@dataclass(frozen=True, slots=True)
class RenewLink:
    """Void the personal link of one's seat and put all other devices off it."""

    seat: int
    version: int | None = None


Command: TypeAlias = (
    Join
    | AddBot
    | Remove
    | Rename
    | HandOver
    | TakeHost
    | ChooseRuleset
    | ChoosePace
    | Start
    | Act
    | Ready
    | Leave
    | StandIn
    | Back
    | RenewLink
)
