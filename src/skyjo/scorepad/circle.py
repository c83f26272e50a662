"""``Circle``: a group of people whose games are counted, as the fold of its events."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from skyjo.scorepad import circle_events as ev
from skyjo.scorepad.entry import PENALISED, SPARED, Entry
from skyjo.scorepad.reckoning import Reckoning
from skyjo.table.names import folded

#: A seat of a game that no member had.
NO_MEMBER = -1


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody of the circle; ``names`` are all they have been called, the present one first."""

    key: int
    names: tuple[str, ...]

    @property
    def name(self) -> str:
        """What they are called."""
        return self.names[0]


@dataclass(slots=True)
class Circle:
    """A circle as its events have made it.

    ``merged`` maps members that are another one now; ``open`` the games that have not ended, by
    their id, to "pad" or "table"; ``games`` those that count, oldest first, ``dropped`` those that
    were taken out on purpose. ``founder`` is the device on which it was made.
    """

    id: str
    code: str = ""
    name: str = ""
    version: int = 0
    created: float = 0.0
    founder: str = ""
    devices: frozenset[str] = frozenset()
    members: dict[int, Member] = field(default_factory=dict)
    merged: dict[int, int] = field(default_factory=dict)
    next_key: int = 0
    open: dict[str, str] = field(default_factory=dict)
    games: dict[str, ev.GameCounted] = field(default_factory=dict)
    dropped: frozenset[str] = frozenset()
    _called: dict[str, int] | None = field(default=None, compare=False, repr=False)

    phase = "open"

    @classmethod
    def fold(cls, circle_id: str, events: Iterable[tuple[float, ev.CircleEvent]]) -> Circle:
        """The circle that these events make."""
        circle = cls(circle_id)
        for at, event in events:
            circle.apply(event, at)
        return circle

    def apply(self, event: ev.CircleEvent, at: float) -> None:
        """Take one more event into account."""
        self.version += 1
        if self.version == 1:
            self.created = at
        _FOLDS[type(event)](self, event)

    def copy(self) -> Circle:
        """A circle to try events on."""
        return replace(
            self,
            members=dict(self.members),
            merged=dict(self.merged),
            open=dict(self.open),
            games=dict(self.games),
        )

    @property
    def holders(self) -> frozenset[str]:
        """The devices that list this circle."""
        return self.devices

    def member(self, key: int) -> int:
        """The member that this one is now, after all merging."""
        while key in self.merged:
            key = self.merged[key]
        return key

    def named(self, name: str) -> int | None:
        """The member who is or was called so, None if nobody was."""
        if self._called is None:
            members = list(self.members.values())
            # Who is called so now comes before who was; of several the first.
            former = {folded(name): each.key for each in members[::-1] for name in each.names}
            self._called = former | {folded(each.name): each.key for each in members[::-1]}
        return self._called.get(folded(name))


def year_of(game: ev.GameCounted) -> int:
    """The year in which a game was played (UTC)."""
    return datetime.fromtimestamp(game.played, UTC).year


@dataclass(frozen=True, slots=True)
class Played:
    """A game that is to count: its id, whether "pad", "table" or "import", its time and rules."""

    ref: str
    kind: str
    at: float
    ruleset: str


def counted(played: Played, members: Sequence[int], found: Reckoning) -> ev.GameCounted:
    """A game that is over, as a circle keeps it."""
    rounds = []
    for line in found.sheet.rounds:
        closer = NO_MEMBER if line.finisher is None else line.finisher
        after = (line.points[closer] or 0) if closer >= 0 else 0
        rounds.append((line.raw, closer, int(line.penalised), after))
    return ev.GameCounted(
        played.ref,
        played.kind,
        played.at,
        played.ruleset,
        tuple(members),
        found.sheet.totals,
        found.sheet.ranks,
        tuple(rounds),
    )


def entries_of(game: ev.GameCounted) -> list[Entry]:
    """The rounds of a counted game as they were entered, with the penalty as it was given."""
    return [
        Entry(raw, closer, PENALISED if penalised else SPARED)
        for raw, closer, penalised, _after in game.rounds
    ]


def _created(circle: Circle, event: ev.CircleCreated) -> None:
    circle.code = event.code
    circle.name = event.name
    circle.founder = event.holder
    circle.devices = frozenset({event.holder} if event.holder else ())


def _renamed(circle: Circle, event: ev.CircleRenamed) -> None:
    circle.name = event.name


def _device_joined(circle: Circle, event: ev.DeviceJoined) -> None:
    circle.devices |= {event.holder}


def _member_added(circle: Circle, event: ev.MemberAdded) -> None:
    circle._called = None
    circle.members[event.key] = Member(event.key, (event.name,))
    circle.next_key = max(circle.next_key, event.key + 1)


def _member_renamed(circle: Circle, event: ev.MemberRenamed) -> None:
    circle._called = None
    old = circle.members[event.key]
    others = tuple(name for name in old.names if name != event.name)
    circle.members[event.key] = Member(event.key, (event.name, *others))


def _merged(circle: Circle, event: ev.MembersMerged) -> None:
    circle._called = None
    gone = circle.members.pop(event.gone)
    kept = circle.members[event.kept]
    names = (*kept.names, *(name for name in gone.names if name not in kept.names))
    circle.members[event.kept] = Member(event.kept, names)
    circle.merged[event.gone] = event.kept


def _began(circle: Circle, event: ev.GameBegan) -> None:
    circle.open[event.ref] = event.kind
    circle.dropped -= {event.ref}


def _counted(circle: Circle, event: ev.GameCounted) -> None:
    circle.open.pop(event.ref, None)
    circle.games[event.ref] = event
    circle.dropped -= {event.ref}


def _reopened(circle: Circle, event: ev.GameReopened) -> None:
    game = circle.games.pop(event.ref)
    circle.open[event.ref] = game.kind


def _dropped(circle: Circle, event: ev.GameDropped) -> None:
    circle.open.pop(event.ref, None)
    circle.games.pop(event.ref, None)
    circle.dropped |= {event.ref}


_FOLDS: dict[type, Callable[[Circle, Any], None]] = {
    ev.CircleCreated: _created,
    ev.CircleRenamed: _renamed,
    ev.DeviceJoined: _device_joined,
    ev.MemberAdded: _member_added,
    ev.MemberRenamed: _member_renamed,
    ev.MembersMerged: _merged,
    ev.GameBegan: _began,
    ev.GameCounted: _counted,
    ev.GameReopened: _reopened,
    ev.GameDropped: _dropped,
}
