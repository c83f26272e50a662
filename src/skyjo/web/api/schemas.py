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
    bots: list[Word] = Field(
        default_factory=list,
        max_length=MAX_SEATS,
        description="Names from /bots, for the next seats.",
    )
    pace: Pace = "normal"
    start: bool = Field(False, description="Begin at once, against the bots.")


class NewSeat(_In):
    """A seat in a lobby. A caller who has one already gets it again, unless `another` is set."""

    name: Name = Field(description="What the caller is called at this table.")
    another: bool = Field(False, description="One more seat for the same token.")


class Claim(_In):
    """A seat by its personal link, to play it with this token too."""

    link: Word = Field(description="The personal link, or its last part.")


class ActIn(_In):
    """An action: one of `legal`, of the seat `acting`, with the version that was seen."""

    seat: SeatNumber = Field(description="The seat that acts.")
    action: Word | ActionNumber = Field(
        description='One of `legal`, such as "swap r0c1"; or its number.'
    )
    version: Version


class SeatIn(_In):
    """The seat that a command is about, as it was seen."""

    seat: SeatNumber = Field(description="The seat that the command is about.")
    version: Version


class BotIn(_In):
    """A bot for the next free seat."""

    bot: Word = Field(description="A name from /bots.")
    name: Name = Field("", description="What it is called; empty: after itself.")


class NameIn(_In):
    """Another name for one's own seat."""

    seat: SeatNumber = Field(description="One's own seat.")
    name: Name = Field(description="What it is called from now on.")
    version: Version


class RulesetIn(_In):
    """The rules."""

    ruleset: Text = Field(description="A preset and changed knobs: see /rulesets.")


class PaceIn(_In):
    """How long bots wait."""

    pace: Pace


class Nothing(_In):
    """No further values."""


class ForgetIn(_In):
    """The seat whose person is to be forgotten."""

    seat: SeatNumber = Field(description="The seat whose name is taken out.")


class RematchIn(_In):
    """Whether people who are away are left out; else bots play for them until they come."""

    leave_out_absent: bool = Field(
        False, description="Only those who are here; else bots play until the others come."
    )


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
    ] = Field(description="What a program can do about it.")
    code: str = Field(description="Which error it is; stable.")
    message: str = Field(description="What was wrong, for people.")
    where: str | None = Field(None, description="The wrong part of a request.")


class ErrorAnswer(_Out):
    """Nothing has changed."""

    error: Problem = Field(description="What was wrong.")


class SeatView(_Out):
    """A seat, with what the caller may do to it. Times are seconds since 1970."""

    seat: int = Field(description="Its number, from 0.")
    name: str = Field(description="What its player is called.")
    kind: Literal["person", "bot"] = Field(description="Who plays it.")
    bot: str = Field(description="The bot's name, empty for a person.")
    is_host: bool = Field(description="Whether it is the host's.")
    mine: bool = Field(description="Whether the caller has it.")
    decides: bool = Field(description="Whether the game waits for it.")
    away_since: float | None = Field(
        description="When its player was last here; null: is here, or a bot."
    )
    idle_since: float | None = Field(
        description="Since when it lets the game wait for too long; null: it does not."
    )
    stand_in: Literal["", "away", "idle", "asked"] = Field(description="Why a bot plays for it.")
    left: bool = Field(description="Left for good.")
    ready: bool = Field(description="For the next round.")
    total: int = Field(description="Points of the rounds before.")
    may_stand_in: bool = Field(description="Let a bot play for it.")
    may_remove: bool = Field(description="Free it, in the lobby.")
    may_hand_over: bool = Field(description="Make it the host.")
    may_forget: bool = Field(description="Take its name out of the table, for ever.")


class GameView(_Out):
    """The cards and counters that the caller may know; lists are by seat.

    Three rows of four cells a seat: a card that lies open is its value. `hand` is the card in the
    hand of the seat on turn. `raw` and `final` are the points of the last scored round before and
    after the penalty. `may_be_hidden` and `may_be_drawn` count, by value from -2 to 12, the cards
    that this viewer has not seen and that may lie face down, and that may be drawn.
    """

    seat: int | None = Field(description="The seat whose view it is; null: an onlooker's.")
    round: int = Field(description="From 1.")
    phase: Literal[
        "reveal",
        "choose",
        "must_swap",
        "place_or_discard",
        "flip",
        "may_remove",
        "round_over",
        "game_over",
    ] = Field(description="What is due.")
    turn: int | None = Field(description="The seat on turn; null while opening cards are turned.")
    starter: int | None = Field(
        description="The seat that plays first in this round; null until that is known."
    )
    next_starter: int | None = Field(
        description="The seat that is to begin the coming round, if it is known."
    )
    finisher: int | None = Field(description="The seat that closed the round; null: nobody yet.")
    hand: Shown = Field(description="The card in the hand of the seat on turn; null: none.")
    draw_size: int = Field(description="Cards in the draw pile.")
    discard_size: int = Field(description="Cards in the discard pile.")
    discard_top: Shown = Field(description="The top discard; null: there is none.")
    reshuffles: int = Field(
        description="How often the discards became the draw pile in this round."
    )
    grids: list[list[list[Cell]]] = Field(description="By seat: three rows of four cells.")
    hidden: list[int] = Field(description="By seat: cards that lie face down.")
    pending: list[bool] = Field(
        description="By seat: whether a last turn is still to come, once the round is closed."
    )
    left: list[bool] = Field(description="By seat: left for good.")
    turns: list[int] = Field(description="By seat: turns taken in this round.")
    raw: list[int] = Field(
        description="By seat: points of the last scored round before the penalty."
    )
    final: list[int] = Field(
        description="By seat: points of the last scored round after the penalty."
    )
    totals: list[int] = Field(description="By seat: points of all scored rounds.")
    may_be_hidden: list[int] = Field(
        description="How many cards of each value from -2 to 12 are unseen and may lie face down."
    )
    may_be_drawn: list[int] = Field(description="How many of each value may be in the draw pile.")


class LineView(_Out):
    """A column (c0 to c3) or a row (r0 to r2) that went."""

    seat: int = Field(description="The seat whose it was.")
    line: str = Field(description="c0 to c3, or r0 to r2.")


class TurnedUpView(_Out):
    """A card that the final reveal turned over."""

    seat: int = Field(description="The seat whose it is.")
    slot: str = Field(description="Such as r0c1.")
    card: Card = Field(description="Its value.")


class PlyView(_Out):
    """An action and what it showed; `card` is null where the caller may not know it."""

    seat: int = Field(description="The seat that acted.")
    action: str = Field(description='Such as "swap r0c1".')
    card: Card | None = Field(
        description="Taken, drawn, placed, laid off or turned up; null: none, or not to be known."
    )
    replaced: Card | None = Field(description="What a swap put on the discard pile.")
    was_hidden: bool = Field(description="Whether that had lain face down.")
    lines: list[LineView] = Field(description="What went, in order.")
    closed: bool = Field(description="Whether it closed the round.")
    turned_up: list[TurnedUpView] = Field(description="The cards of the final reveal.")
    ends: Literal["", "round", "game"] = Field(description="What ended with it.")


class RoundView(_Out):
    """A scored round; null stands for who had left."""

    number: int = Field(description="From 1.")
    starter: int = Field(description="The seat that played first.")
    finisher: int | None = Field(description="The seat that closed it; null: nobody.")
    penalised: bool = Field(description="Whether the finisher's points were raised.")
    raw: list[int | None] = Field(description="By seat: points before the penalty.")
    points: list[int | None] = Field(description="By seat: points that count.")
    totals: list[int] = Field(description="By seat: the sum after it.")
    turns: list[int] = Field(description="By seat: turns taken.")
    lines: list[LineView] = Field(description="What went, in order.")


class SheetView(_Out):
    """The score sheet, by seat; `winners` and `ranks` when the game is over."""

    rounds: list[RoundView] = Field(description="The scored rounds.")
    totals: list[int] = Field(description="By seat.")
    left: list[bool] = Field(description="By seat: left for good.")
    leaders: list[int] = Field(description="The seats with the lowest total.")
    winners: list[int] = Field(description="The seats that have won.")
    ranks: list[int | None] = Field(description="By seat: 1, 1, 3; null: left.")
    by_forfeit: bool = Field(description="Whether the game ended because all others had left.")


class TableView(_Out):
    """What the caller may see of a table, and do: the same that the page shows."""

    now: float = Field(description="The server's time.")
    id: str = Field(description="Names the table, also to whoever may only look.")
    code: str = Field(description="Names it as people type it.")
    version: int = Field(description="Grows with everything that happens; send it with commands.")
    phase: Literal["lobby", "playing", "over"] = Field(description="How far it is.")
    abandoned: bool = Field(description="Over because nobody was left.")
    ruleset: str = Field(description="A preset and the knobs that differ.")
    pace: Literal["slow", "normal", "none"] = Field(
        description="How long bots wait before they move."
    )
    seats: list[SeatView] = Field(description="Clockwise.")
    open_seats: int = Field(description="How many more may sit down.")
    mine: list[int] = Field(description="The caller's seats.")
    onlooker: bool = Field(description="Whether the caller has none.")
    acting: int | None = Field(description="The caller's seat that may act now.")
    legal: list[str] = Field(description="What it may do.")
    game: GameView | None = Field(description="The cards; null in the lobby.")
    recent: list[PlyView] = Field(description="The last actions, oldest first.")
    round_plies: int = Field(description="How many of them are of this round.")
    sheet: SheetView | None = Field(description="The score sheet; null in the lobby.")
    between_rounds: bool = Field(description="Whether the next round waits for people to be ready.")
    continue_at: float | None = Field(description="When it begins by itself; null: it does not.")
    may_ready: list[int] = Field(description="The caller's seats that are not ready yet.")
    is_host: bool = Field(description="Whether the caller is the host.")
    may_start: bool = Field(description="Begin the game.")
    may_choose_rules: bool = Field(description="Choose ruleset and bots.")
    may_take_host: bool = Field(description="Become the host.")
    may_join: bool = Field(description="Sit down.")
    may_rematch: bool = Field(description="Ask for another game.")
    rematch_absent: list[str] = Field(
        description="Names of people who are away now and may be left out of it."
    )
    next_table: str | None = Field(description="The id of the rematch, once there is one.")
    previous_table: str | None = Field(description="The id of the table whose rematch this is.")
    may_delete: bool = Field(description="Delete the table, for ever.")


class Seated(_Out):
    """Where the caller sits. The token is all that proves it: keep it, and keep it secret."""

    token: str = Field(description="To be sent with every call from now on.")
    seat: int = Field(description="The caller's seat, from 0.")
    table: TableView = Field(description="The table as it is now.")


class TableHead(_Out):
    """One of the caller's tables."""

    id: str = Field(description="Names the table.")
    code: str = Field(description="Names it as people type it.")
    phase: Literal["lobby", "playing", "over"] = Field(description="How far it is.")
    version: int = Field(description="Grows with everything that happens.")
    created: float = Field(description="When it was made, in seconds since 1970.")
    active: float = Field(description="When something happened last.")


class Link(_Out):
    """The personal link of a seat: whoever has it may play the seat, until it is renewed."""

    link: str = Field(description="An address for a browser, or for `claim`.")


class BotView(_Out):
    """A bot that may be asked to sit down."""

    name: str = Field(description="What to ask for.")
    says: str = Field(description="What it does.")


class KnobValue(_Out):
    """A value of a knob."""

    name: str = Field(description="What to write.")
    says: str = Field(description="What it means.")


class KnobView(_Out):
    """A house rule: one of `values`, or a whole number from `least` (or "none")."""

    name: str = Field(description="What to write.")
    label: str = Field(description="What people read.")
    says: str = Field(description="What it changes.")
    default: str = Field(description="Its value where a ruleset says nothing else.")
    values: list[KnobValue] = Field(description="What it may be; empty: a number.")
    least: int | None = Field(description="The smallest number; null: it is no number.")
    none: bool = Field(description='Whether it may be "none".')


class PresetView(_Out):
    """A usual way to play, with the value of every knob."""

    name: str = Field(description="What to write.")
    says: str = Field(description="How one plays with it.")
    ruleset: str = Field(description="The same as text.")
    knobs: dict[str, str] = Field(description="The value of every knob.")


class Rulesets(_Out):
    """Every preset and every knob."""

    presets: list[PresetView] = Field(description="Usual ways to play.")
    knobs: list[KnobView] = Field(description="House rules.")


class Service(_Out):
    """This server."""

    name: Literal["skyjo"] = Field(description="What it is.")
    version: str = Field(description="Of skyjo.")
    api: int = Field(description="Version of the API.")


#: Any JSON object, for examples.
Json: TypeAlias = dict[str, Any]
