"""What has happened at a table: its whole truth is a list of these, oldest first.

Every event is a frozen value that goes into the store as JSON and comes back equal. Names and
fields are part of the file format: they are added to, never changed.

>>> decode(encode(Acted(0, 5, "person"))) == Acted(0, 5, "person")
True
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeAlias, cast

from skyjo.i18n import N_
from skyjo.table.errors import StoreError

#: Grows when an old program could misread a new event.
FORMAT = 1


@dataclass(frozen=True, slots=True)
class Created:
    """The table exists. ``secret`` seeds bots and personal links and is never shown."""

    code: str
    secret: str
    ruleset: str
    pace: str = "normal"
    continue_after: float = 30.0
    previous: str = ""


@dataclass(frozen=True, slots=True)
class SeatTaken:
    """Somebody sits down on the next free seat: a person with ``holders``, or a ``bot``.

    ``key`` is unique at the table for ever, while the place of a seat may still move in the lobby.
    """

    key: int
    name: str
    bot: str = ""
    holders: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SeatFreed:
    """A seat is taken away in the lobby: its person left (``removed`` false), or the host did it.

    After the end of a game: the person will not be in the rematch.
    """

    key: int
    removed: bool = False


@dataclass(frozen=True, slots=True)
class Renamed:
    """A person changed their name in the lobby."""

    key: int
    name: str


@dataclass(frozen=True, slots=True)
class HostChanged:
    """This seat is the host's now."""

    key: int


@dataclass(frozen=True, slots=True)
class RulesetChosen:
    """The host chose the rules, in the lobby."""

    ruleset: str


@dataclass(frozen=True, slots=True)
class PaceChosen:
    """The host chose how long bots wait: slow, normal or none."""

    pace: str


@dataclass(frozen=True, slots=True)
class Started:
    """The game begins with everybody who sits at the table."""


@dataclass(frozen=True, slots=True)
class Dealt:
    """A round begins with this deck, top card first."""

    deck: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Reshuffled:
    """The discards in this order become the draw pile, top card first."""

    order: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Acted:
    """A seat's action. ``by`` is "person", "bot" or "stand_in"."""

    seat: int
    action: int
    by: str = "person"


@dataclass(frozen=True, slots=True)
class Readied:
    """This seat is ready for the next round."""

    seat: int


@dataclass(frozen=True, slots=True)
class StandInCame:
    """A bot plays for this seat; ``reason`` is "away", "idle" or "asked" (by the person)."""

    key: int
    reason: str


@dataclass(frozen=True, slots=True)
class StandInWent:
    """The person of this seat plays again."""

    key: int


@dataclass(frozen=True, slots=True)
class HolderAdded:
    """One more device may play this seat."""

    key: int
    holder: str


@dataclass(frozen=True, slots=True)
class LinkRenewed:
    """The old personal link of this seat is void; only ``holder`` (this device) keeps it."""

    key: int
    holder: str


@dataclass(frozen=True, slots=True)
class RematchMade:
    """The same people play on at another table; "" after that one has been deleted."""

    table: str


@dataclass(frozen=True, slots=True)
class Abandoned:
    """No person is left at the table: it is over."""


Event: TypeAlias = (
    Created
    | SeatTaken
    | SeatFreed
    | Renamed
    | HostChanged
    | RulesetChosen
    | PaceChosen
    | Started
    | Dealt
    | Reshuffled
    | Acted
    | Readied
    | StandInCame
    | StandInWent
    | HolderAdded
    | LinkRenewed
    | RematchMade
    | Abandoned
)

_KINDS: Mapping[str, Callable[..., Event]] = {
    "created": Created,
    "seat_taken": SeatTaken,
    "seat_freed": SeatFreed,
    "renamed": Renamed,
    "host_changed": HostChanged,
    "ruleset_chosen": RulesetChosen,
    "pace_chosen": PaceChosen,
    "started": Started,
    "dealt": Dealt,
    "reshuffled": Reshuffled,
    "acted": Acted,
    "readied": Readied,
    "stand_in_came": StandInCame,
    "stand_in_went": StandInWent,
    "holder_added": HolderAdded,
    "link_renewed": LinkRenewed,
    "rematch_made": RematchMade,
    "abandoned": Abandoned,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}


def encode(event: Event) -> dict[str, Any]:
    """An event as what JSON can hold.

    >>> encode(Readied(2))
    {'event': 'readied', 'format': 1, 'seat': 2}
    """
    data: dict[str, Any] = {"event": _NAMES[type(event)], "format": FORMAT}
    for field in fields(event):
        value = getattr(event, field.name)
        data[field.name] = list(value) if isinstance(value, tuple) else value
    return data


def decode(data: Mapping[str, Any]) -> Event:
    """The event that ``encode`` wrote; StoreError when it is of a newer program."""
    kind = _KINDS.get(data.get("event", ""))
    if kind is None or data.get("format", 0) > FORMAT:
        raise StoreError(N_("it was written by a newer version; update skyjo"))
    values = {
        field.name: tuple(value) if isinstance(value, list) else value
        for field in fields(cast("type[Event]", kind))
        if (value := data.get(field.name)) is not None
    }
    return kind(**values)
