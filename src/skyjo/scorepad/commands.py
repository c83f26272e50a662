"""What may be asked of a pad; ``PadAuthority.do`` decides and carries out.

>>> Undo(seen=12).seen
12
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from skyjo.scorepad.entry import Cards, Entry


@dataclass(frozen=True, slots=True)
class Type:
    """Note points of the coming round, whose number is ``round``, before it is saved.

    ``points`` and ``cards`` by seat, only those that have changed; ``closer`` a seat, -1 for
    nobody, None for no change.
    """

    round: int
    points: Mapping[int, int | None] = field(default_factory=dict)
    cards: Mapping[int, Cards] = field(default_factory=dict)
    closer: int | None = None


@dataclass(frozen=True, slots=True)
class Save:
    """Save the round of this number; stale when somebody else has saved it."""

    round: int
    entry: Entry


@dataclass(frozen=True, slots=True)
class Correct:
    """Replace a round; ``version`` is that of the round as the caller saw it."""

    key: int
    version: int
    entry: Entry


@dataclass(frozen=True, slots=True)
class RemoveRound:
    """Take a round off the sheet; ``version`` as for ``Correct``."""

    key: int
    version: int


@dataclass(frozen=True, slots=True)
class Undo:
    """Take back the last change of the rounds that the caller saw: ``seen`` is its version."""

    seen: int


@dataclass(frozen=True, slots=True)
class Redo:
    """Have back what was taken back last; ``seen`` as for ``Undo``."""

    seen: int


@dataclass(frozen=True, slots=True)
class End:
    """End the game before the rules do."""


@dataclass(frozen=True, slots=True)
class Reopen:
    """Go on with a game that was ended early."""


@dataclass(frozen=True, slots=True)
class Rename:
    """Call a player otherwise."""

    seat: int
    name: str


@dataclass(frozen=True, slots=True)
class ChooseRuleset:
    """Reckon all rounds by these rules; text as ``Ruleset.parse`` reads it."""

    ruleset: str


@dataclass(frozen=True, slots=True)
class ChooseEntering:
    """Who may enter points: "keeper", "own" or "all"."""

    entering: str


@dataclass(frozen=True, slots=True)
class Claim:
    """This device belongs to this player."""

    seat: int


@dataclass(frozen=True, slots=True)
class Release:
    """No device belongs to this player any more."""

    seat: int


@dataclass(frozen=True, slots=True)
class Leave:
    """A player goes home."""

    seat: int


@dataclass(frozen=True, slots=True)
class Return:
    """A player who went home plays on."""

    seat: int


Command: TypeAlias = (
    Type
    | Save
    | Correct
    | RemoveRound
    | Undo
    | Redo
    | End
    | Reopen
    | Rename
    | ChooseRuleset
    | ChooseEntering
    | Claim
    | Release
    | Leave
    | Return
)
