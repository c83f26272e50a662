"""What the API takes and gives, as OpenAPI describes it.

What comes in is checked strictly: no unknown fields, no numbers as text. What goes out is written
by ``present``; a test checks every answer of whole games against these models.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from skyjo.rules.actions import ACTIONS
from skyjo.rules.layout import HIGHEST, LOWEST, MAX_SEATS

#: Largest whole number that every JSON program reads exactly.
_LARGEST = 2**53 - 1


def _whole(value: Any) -> Any:
    """In JSON 4.0 is the same whole number as 4."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


SeatNumber: TypeAlias = Annotated[int, Field(ge=0, lt=MAX_SEATS), BeforeValidator(_whole)]
Version: TypeAlias = Annotated[
    int,
    Field(ge=0, le=_LARGEST, description="The version of the table that the caller saw."),
    BeforeValidator(_whole),
]
ActionNumber: TypeAlias = Annotated[int, Field(ge=0, lt=ACTIONS), BeforeValidator(_whole)]
Pace: TypeAlias = Annotated[
    Literal["slow", "normal", "none"], Field(description="How long bots wait before they move.")
]
Card: TypeAlias = Annotated[int, Field(ge=LOWEST, le=HIGHEST)]
Cell: TypeAlias = Card | Literal["hidden", "gone"]
Shown: TypeAlias = Card | Literal["hidden"] | None
Name: TypeAlias = Annotated[str, Field(max_length=200)]
Text: TypeAlias = Annotated[str, Field(max_length=2000)]
Word: TypeAlias = Annotated[str, Field(max_length=100)]


class _In(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Out(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


# --- what comes in ----------------------------------------------------------------------------


class NewTable(_In):
    """A table with its host; with `start` the game against the bots begins at once."""

    name: Name = Field(description="What the caller is called at this table.")
    ruleset: Text = Field("official", description="A preset and changed knobs: see /rulesets.")
    bots: list[Word] = Field(default_factory=list, max_length=MAX_SEATS)
    pace: Pace = "normal"
    start: bool = False


class NewSeat(_In):
    """A seat in a lobby. A caller who has one already gets it again, unless `another` is set."""

    name: Name
    another: bool = Field(False, description="One more seat for the same token.")


class Claim(_In):
    """A seat by its personal link, to play it with this token too."""

    link: Word = Field(description="The personal link, or its last part.")


class ActIn(_In):
    """An action: one of `legal`, of the seat `acting`, with the version that was seen."""

    seat: SeatNumber
    action: Word | ActionNumber
    version: Version


class SeatIn(_In):
    """The seat that a command is about, as it was seen."""

    seat: SeatNumber
    version: Version


class BotIn(_In):
    """A bot for the next free seat."""

    bot: Word = Field(description="A name from /bots.")
    name: Name = Field("", description="What it is called; empty: after itself.")


class NameIn(_In):
    """Another name for one's own seat."""

    seat: SeatNumber
    name: Name
    version: Version


class RulesetIn(_In):
    """The rules."""

    ruleset: Text


class PaceIn(_In):
    """How long bots wait."""

    pace: Pace


class Nothing(_In):
    """No further values."""


class ForgetIn(_In):
    """The seat whose person is to be forgotten."""

    seat: SeatNumber


class RematchIn(_In):
    """Whether people who are away are left out; else bots play for them until they come."""

    leave_out_absent: bool = False


# --- what goes out ----------------------------------------------------------------------------


class Problem(_Out):
    """What was wrong: `kind` and `code` for programs, `message` for people in their language."""

    kind: Literal[
        "stale",
        "illegal",
        "refused",
        "malformed",
        "ruleset",
        "forbidden",
        "unknown",
        "limited",
        "unavailable",
        "internal",
    ]
    code: str
    message: str
    where: str | None = None


class ErrorAnswer(_Out):
    """Nothing has changed."""

    error: Problem


class SeatView(_Out):
    """A seat, with what the caller may do to it. Times are seconds since 1970."""

    seat: int
    name: str
    kind: Literal["person", "bot"]
    bot: str = Field(description="The bot's name, empty for a person.")
    is_host: bool
    mine: bool
    decides: bool
    away_since: float | None
    idle_since: float | None
    stand_in: Literal["", "away", "idle", "asked"] = Field(description="Why a bot plays for it.")
    left: bool
    ready: bool
    total: int
    may_stand_in: bool
    may_remove: bool
    may_hand_over: bool
    may_forget: bool = Field(description="Take its name out of the table, for ever.")


class GameView(_Out):
    """The cards and counters that the caller may know; lists are by seat.

    Three rows of four cells a seat: a card that lies open is its value. `hand` is the card in the
    hand of the seat on turn. `raw` and `final` are the points of the last scored round before and
    after the penalty. `may_be_hidden` and `may_be_drawn` count, by value from -2 to 12, the cards
    that this viewer has not seen and that may lie face down, and that may be drawn.
    """

    seat: int | None = Field(description="The seat whose view it is; null: an onlooker's.")
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
    grids: list[list[list[Cell]]]
    hidden: list[int]
    pending: list[bool]
    left: list[bool]
    turns: list[int]
    raw: list[int]
    final: list[int]
    totals: list[int]
    may_be_hidden: list[int]
    may_be_drawn: list[int]


class LineView(_Out):
    """A column (c0 to c3) or a row (r0 to r2) that went."""

    seat: int
    line: str


class TurnedUpView(_Out):
    """A card that the final reveal turned over."""

    seat: int
    slot: str
    card: Card


class PlyView(_Out):
    """An action and what it showed; `card` is null where the caller may not know it."""

    seat: int
    action: str
    card: Card | None
    replaced: Card | None
    was_hidden: bool
    lines: list[LineView]
    closed: bool
    turned_up: list[TurnedUpView]
    ends: Literal["", "round", "game"]


class RoundView(_Out):
    """A scored round; null stands for who had left."""

    number: int
    starter: int
    finisher: int | None
    penalised: bool
    raw: list[int | None]
    points: list[int | None]
    totals: list[int]
    turns: list[int]
    lines: list[LineView]


class SheetView(_Out):
    """The score sheet, by seat; `winners` and `ranks` when the game is over."""

    rounds: list[RoundView]
    totals: list[int]
    left: list[bool]
    leaders: list[int]
    winners: list[int]
    ranks: list[int | None]
    by_forfeit: bool


class TableView(_Out):
    """What the caller may see of a table, and do: the same that the page shows."""

    now: float
    id: str
    code: str
    version: int
    phase: Literal["lobby", "playing", "over"]
    abandoned: bool
    ruleset: str
    pace: Literal["slow", "normal", "none"]
    seats: list[SeatView]
    open_seats: int
    mine: list[int]
    onlooker: bool
    acting: int | None = Field(description="The caller's seat that may act now.")
    legal: list[str] = Field(description="What it may do.")
    game: GameView | None
    recent: list[PlyView]
    round_plies: int
    sheet: SheetView | None
    between_rounds: bool
    continue_at: float | None
    may_ready: list[int]
    is_host: bool
    may_start: bool
    may_choose_rules: bool
    may_take_host: bool
    may_join: bool
    may_rematch: bool
    rematch_absent: list[str]
    next_table: str | None
    previous_table: str | None
    may_delete: bool


class Seated(_Out):
    """Where the caller sits. The token is all that proves it: keep it, and keep it secret."""

    token: str
    seat: int
    table: TableView


class TableHead(_Out):
    """One of the caller's tables."""

    id: str
    code: str
    phase: Literal["lobby", "playing", "over"]
    version: int
    created: float
    active: float


class Link(_Out):
    """The personal link of a seat: whoever has it may play the seat, until it is renewed."""

    link: str


class BotView(_Out):
    """A bot that may be asked to sit down."""

    name: str
    says: str


class KnobValue(_Out):
    """A value of a knob."""

    name: str
    says: str


class KnobView(_Out):
    """A house rule: one of `values`, or a whole number from `least` (or "none")."""

    name: str
    label: str
    says: str
    default: str
    values: list[KnobValue]
    least: int | None
    none: bool


class PresetView(_Out):
    """A usual way to play, with the knobs in which it differs from the defaults."""

    name: str
    says: str
    ruleset: str
    knobs: dict[str, str]


class Rulesets(_Out):
    """Every preset and every knob."""

    presets: list[PresetView]
    knobs: list[KnobView]


class Service(_Out):
    """This server."""

    name: Literal["skyjo"]
    version: str
    api: int


#: Any JSON object, for examples.
Json: TypeAlias = dict[str, Any]
