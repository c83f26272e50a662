"""What has happened on a pad: its whole truth is a list of these, oldest first.

Names and fields are part of the file format: they are added to, never changed. ``by`` is the seat
of whoever did it, or -1 for somebody who keeps the pad without a seat of their own.

>>> decode(encode(RoundSaved(0, (3, None), 0))) == RoundSaved(0, (3, None), 0)
True
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from skyjo.scorepad.codec import Codec
from skyjo.scorepad.entry import BY_RULES, NOBODY, Cards, Entry


@dataclass(frozen=True, slots=True)
class Created:
    """The pad begins. ``secret`` makes the links of keepers and onlookers and is never shown."""

    code: str
    secret: str
    ruleset: str
    names: tuple[str, ...]
    keeper: str = ""
    circle: str = ""
    previous: str = ""
    entering: str = "keeper"


@dataclass(frozen=True, slots=True)
class Drafted:
    """Points of the coming round, before it is saved; None takes them away again."""

    seat: int
    points: int | None
    cards: Cards = ()


@dataclass(frozen=True, slots=True)
class CloserDrafted:
    """Who closed the coming round (-1: nobody yet)."""

    seat: int


@dataclass(frozen=True, slots=True)
class RoundSaved:
    """The next round. ``key`` is its name on this pad for ever."""

    key: int
    points: tuple[int | None, ...]
    closer: int = NOBODY
    penalty: str = BY_RULES
    cards: tuple[Cards, ...] = ()
    by: int = NOBODY

    @property
    def entry(self) -> Entry:
        """What was entered."""
        return Entry(self.points, self.closer, self.penalty, self.cards)


@dataclass(frozen=True, slots=True)
class RoundCorrected:
    """A round was entered wrongly, and is as follows."""

    key: int
    points: tuple[int | None, ...]
    closer: int = NOBODY
    penalty: str = BY_RULES
    cards: tuple[Cards, ...] = ()
    by: int = NOBODY

    @property
    def entry(self) -> Entry:
        """What holds instead."""
        return Entry(self.points, self.closer, self.penalty, self.cards)


@dataclass(frozen=True, slots=True)
class RoundRemoved:
    """A round that was not played at all is taken off the sheet."""

    key: int
    by: int = NOBODY


@dataclass(frozen=True, slots=True)
class Undone:
    """The last change of the rounds is taken back."""

    by: int = NOBODY


@dataclass(frozen=True, slots=True)
class Redone:
    """What was taken back last holds again."""

    by: int = NOBODY


@dataclass(frozen=True, slots=True)
class Ended:
    """The game ends before the rules say so."""

    by: int = NOBODY


@dataclass(frozen=True, slots=True)
class Reopened:
    """The game that was ended early goes on."""

    by: int = NOBODY


@dataclass(frozen=True, slots=True)
class Renamed:
    """A player is called otherwise."""

    seat: int
    name: str


@dataclass(frozen=True, slots=True)
class RulesetChosen:
    """All rounds are reckoned by these rules."""

    ruleset: str


@dataclass(frozen=True, slots=True)
class EnteringChosen:
    """Who may enter points: "keeper", "own" (everybody their own), "all"."""

    entering: str


@dataclass(frozen=True, slots=True)
class SeatClaimed:
    """This device belongs to a player."""

    seat: int
    holder: str


@dataclass(frozen=True, slots=True)
class SeatReleased:
    """No device belongs to this player any more."""

    seat: int


@dataclass(frozen=True, slots=True)
class KeeperAdded:
    """One more device keeps the pad.

    ``how`` is "link" for one that came by the keeper's link, "away" for one that took over because
    nobody who kept the pad was there, "" for one that the previous pad had already.
    """

    holder: str
    by: int = NOBODY
    how: str = ""


@dataclass(frozen=True, slots=True)
class CircleChosen:
    """The pad counts for this circle from now on, for none with ""."""

    circle: str


@dataclass(frozen=True, slots=True)
class PlayerLeft:
    """A player goes home: no points from now on, no rank (rules 2.15)."""

    seat: int


@dataclass(frozen=True, slots=True)
class PlayerBack:
    """A player who had left plays on."""

    seat: int


@dataclass(frozen=True, slots=True)
class RematchMade:
    """The same people play on, on another pad."""

    pad: str
    code: str


PadEvent: TypeAlias = (
    Created
    | Drafted
    | CloserDrafted
    | RoundSaved
    | RoundCorrected
    | RoundRemoved
    | Undone
    | Redone
    | Ended
    | Reopened
    | Renamed
    | RulesetChosen
    | EnteringChosen
    | SeatClaimed
    | SeatReleased
    | KeeperAdded
    | CircleChosen
    | PlayerLeft
    | PlayerBack
    | RematchMade
)

CODEC: Codec[PadEvent] = Codec(
    {
        "created": Created,
        "drafted": Drafted,
        "closer_drafted": CloserDrafted,
        "round_saved": RoundSaved,
        "round_corrected": RoundCorrected,
        "round_removed": RoundRemoved,
        "undone": Undone,
        "redone": Redone,
        "ended": Ended,
        "reopened": Reopened,
        "renamed": Renamed,
        "ruleset_chosen": RulesetChosen,
        "entering_chosen": EnteringChosen,
        "seat_claimed": SeatClaimed,
        "seat_released": SeatReleased,
        "keeper_added": KeeperAdded,
        "circle_chosen": CircleChosen,
        "player_left": PlayerLeft,
        "player_back": PlayerBack,
        "rematch_made": RematchMade,
    }
)
encode = CODEC.encode
decode = CODEC.decode
