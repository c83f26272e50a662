"""What a server shows, as frozen dataclasses: the same names and meanings as in the API.

Seats are numbered from 0, times are seconds since 1970, actions are written as in records
("draw", "swap r0c1"). Fields that a newer server adds are passed over.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from typing import Any, Literal, TypeAlias, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")

#: A card that lies open is its value, -2 to 12.
Cell: TypeAlias = int | Literal["hidden", "gone"]
Shown: TypeAlias = int | Literal["hidden"] | None


@dataclass(frozen=True, slots=True)
class Service:
    """A server: its name, the version of skyjo, the version of its API."""

    name: str
    version: str
    api: int


@dataclass(frozen=True, slots=True)
class Bot:
    """A bot that may be asked to sit down."""

    name: str
    says: str


@dataclass(frozen=True, slots=True)
class KnobValue:
    """A value of a house rule."""

    name: str
    says: str


@dataclass(frozen=True, slots=True)
class Knob:
    """A house rule: one of ``values``, or a whole number from ``least`` (or "none")."""

    name: str
    label: str
    says: str
    default: str
    values: tuple[KnobValue, ...]
    least: int | None
    none: bool


@dataclass(frozen=True, slots=True)
class Preset:
    """A usual way to play."""

    name: str
    says: str
    ruleset: str
    knobs: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Rulesets:
    """Every preset and every house rule."""

    presets: tuple[Preset, ...]
    knobs: tuple[Knob, ...]


@dataclass(frozen=True, slots=True)
class Head:
    """One of the caller's tables."""

    id: str
    code: str
    phase: Literal["lobby", "playing", "over"]
    version: int
    created: float
    active: float


@dataclass(frozen=True, slots=True)
class SeatInfo:
    """A seat of a table, with what the caller may do to it.

    ``stand_in`` is "" or why a bot plays for the person: "away", "idle", "asked".
    """

    seat: int
    name: str
    kind: Literal["person", "bot"]
    bot: str
    is_host: bool
    mine: bool
    decides: bool
    away_since: float | None
    idle_since: float | None
    stand_in: Literal["", "away", "idle", "asked"]
    left: bool
    ready: bool
    total: int
    may_stand_in: bool
    may_remove: bool
    may_hand_over: bool
    may_forget: bool = False


@dataclass(frozen=True, slots=True)
class Game:
    """The cards and counters that the caller may know; rows are by seat.

    ``grids`` has three rows of four cells for each seat. ``hand`` is the card in the hand of the
    seat on turn. ``may_be_hidden`` and ``may_be_drawn`` count, by value from -2 to 12, the unseen
    cards that may lie face down, and that may be drawn.
    """

    seat: int | None
    round: int
    phase: Literal[
        "reveal",
        "choose",
        "must_swap",
        "place_or_discard",
        "flip",
        "may_remove",
        "round_over",
        "game_over",
    ]
    turn: int | None
    starter: int | None
    next_starter: int | None
    finisher: int | None
    hand: Shown
    draw_size: int
    discard_size: int
    discard_top: Shown
    reshuffles: int
    grids: tuple[tuple[tuple[Cell, ...], ...], ...]
    hidden: tuple[int, ...]
    pending: tuple[bool, ...]
    left: tuple[bool, ...]
    turns: tuple[int, ...]
    raw: tuple[int, ...]
    final: tuple[int, ...]
    totals: tuple[int, ...]
    may_be_hidden: tuple[int, ...]
    may_be_drawn: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A column (c0 to c3) or row (r0 to r2) that went."""

    seat: int
    line: str


@dataclass(frozen=True, slots=True)
class TurnedUp:
    """A card that the final reveal turned over."""

    seat: int
    slot: str
    card: int


@dataclass(frozen=True, slots=True)
class Ply:
    """An action and what it showed; ``card`` is None where the caller may not know it."""

    seat: int
    action: str
    card: int | None
    replaced: int | None
    was_hidden: bool
    lines: tuple[Line, ...]
    closed: bool
    turned_up: tuple[TurnedUp, ...]
    ends: Literal["", "round", "game"]


@dataclass(frozen=True, slots=True)
class Round:
    """A scored round; None stands for who had left."""

    number: int
    starter: int
    finisher: int | None
    penalised: bool
    raw: tuple[int | None, ...]
    points: tuple[int | None, ...]
    totals: tuple[int, ...]
    turns: tuple[int, ...]
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """The score sheet; ``winners`` and ``ranks`` are filled when the game is over."""

    rounds: tuple[Round, ...]
    totals: tuple[int, ...]
    left: tuple[bool, ...]
    leaders: tuple[int, ...]
    winners: tuple[int, ...]
    ranks: tuple[int | None, ...]
    by_forfeit: bool


@dataclass(frozen=True, slots=True)
class Table:
    """What the caller may see of a table, and do.

    ``acting`` is the caller's seat that may act now and ``legal`` its actions; both are None and
    empty while it is somebody else's turn.
    """

    now: float
    id: str
    code: str
    version: int
    phase: Literal["lobby", "playing", "over"]
    abandoned: bool
    ruleset: str
    pace: Literal["slow", "normal", "none"]
    seats: tuple[SeatInfo, ...]
    open_seats: int
    mine: tuple[int, ...]
    onlooker: bool
    acting: int | None
    legal: tuple[str, ...]
    game: Game | None
    recent: tuple[Ply, ...]
    round_plies: int
    sheet: Sheet | None
    between_rounds: bool
    continue_at: float | None
    may_ready: tuple[int, ...]
    is_host: bool
    may_start: bool
    may_choose_rules: bool
    may_take_host: bool
    may_join: bool
    may_rematch: bool
    rematch_absent: tuple[str, ...]
    next_table: str | None
    previous_table: str | None
    may_delete: bool = False


def decode(kind: type[T], data: Any) -> T:
    """What JSON holds as a value of this type.

    Raises TypeError, KeyError or AttributeError for what a server of this API never sends.

    >>> decode(Line, {"seat": 1, "line": "c2", "new": True})
    Line(seat=1, line='c2')
    """
    return _value(kind, data)  # type: ignore[no-any-return]


def _value(kind: Any, data: Any) -> Any:
    origin = get_origin(kind)
    if is_dataclass(kind) and isinstance(kind, type):
        return kind(
            **{
                name: _value(hint, data[name])
                for name, hint, needed in _fields(kind)
                if needed or name in data
            }
        )
    if origin is tuple:
        inner = get_args(kind)[0]
        return tuple(_value(inner, each) for each in data)
    if origin in (Union, types.UnionType) and data is not None:
        whole = [each for each in get_args(kind) if is_dataclass(each)]
        return _value(whole[0], data) if whole else data
    return data


@cache
def _fields(kind: type) -> tuple[tuple[str, Any, bool], ...]:
    hints = get_type_hints(kind)
    return tuple(
        (field.name, hints[field.name], field.default is MISSING) for field in fields(kind)
    )
