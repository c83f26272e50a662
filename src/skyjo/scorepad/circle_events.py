"""What has happened in a circle, oldest first: a file format, added to and never changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from skyjo.scorepad.codec import Codec

#: A round of a counted game: points before the penalty by seat, who closed it or -1, whether they
#: were punished (1), and what their points became.
CountedRound: TypeAlias = tuple[tuple[int | None, ...], int, int, int]


@dataclass(frozen=True, slots=True)
class CircleCreated:
    """The circle exists; whoever knows ``code`` belongs to it."""

    code: str
    name: str
    holder: str = ""


@dataclass(frozen=True, slots=True)
class CircleRenamed:
    """The circle is called otherwise."""

    name: str


@dataclass(frozen=True, slots=True)
class DeviceJoined:
    """The circle is listed on this device, too."""

    holder: str


@dataclass(frozen=True, slots=True)
class MemberAdded:
    """Somebody belongs to the circle."""

    key: int
    name: str


@dataclass(frozen=True, slots=True)
class MemberRenamed:
    """A member is called otherwise; the old name still means them."""

    key: int
    name: str


@dataclass(frozen=True, slots=True)
class MembersMerged:
    """Two members were the same person: all games of ``gone`` are those of ``kept``."""

    kept: int
    gone: int


@dataclass(frozen=True, slots=True)
class GameBegan:
    """A pad or table was started from the circle; it counts when it is over."""

    ref: str
    kind: str


@dataclass(frozen=True, slots=True)
class GameCounted:
    """A game is over, or was imported. ``members`` by seat (-1: a bot), ``played`` its time."""

    ref: str
    kind: str
    played: float
    ruleset: str
    members: tuple[int, ...]
    totals: tuple[int, ...]
    ranks: tuple[int | None, ...]
    rounds: tuple[CountedRound, ...]


@dataclass(frozen=True, slots=True)
class GameReopened:
    """A game that was counted goes on, because its pad was changed."""

    ref: str


@dataclass(frozen=True, slots=True)
class GameDropped:
    """A game does not count for the circle."""

    ref: str


CircleEvent: TypeAlias = (
    CircleCreated
    | CircleRenamed
    | DeviceJoined
    | MemberAdded
    | MemberRenamed
    | MembersMerged
    | GameBegan
    | GameCounted
    | GameReopened
    | GameDropped
)

CODEC: Codec[CircleEvent] = Codec(
    {
        "circle_created": CircleCreated,
        "circle_renamed": CircleRenamed,
        "device_joined": DeviceJoined,
        "member_added": MemberAdded,
        "member_renamed": MemberRenamed,
        "members_merged": MembersMerged,
        "game_began": GameBegan,
        "game_counted": GameCounted,
        "game_reopened": GameReopened,
        "game_dropped": GameDropped,
    }
)
