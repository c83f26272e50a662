"""``Pad``: the present of one score pad, and nothing else than the fold of its events.

``Pad.apply`` checks nothing: what is stored has been checked before (``decide``).

>>> from skyjo.scorepad.events import Created, RoundSaved
>>> pad = Pad.fold("p1", [(0.0, Created("ABCD1234", "secret", "official", ("Ana", "Ben"))),
...                       (1.0, RoundSaved(0, (5, 12), 0))])
>>> pad.version, pad.reckoning.sheet.totals
(2, (5, 12))
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Final

from skyjo.rules.ruleset import Ruleset
from skyjo.scorepad import events as ev
from skyjo.scorepad.entry import NOBODY, Cards, Entry
from skyjo.scorepad.reckoning import Reckoning, reckon

#: So many changes can be taken back.
MOST_UNDONE: Final = 200


@dataclass(frozen=True, slots=True)
class PadRound:
    """A line of the pad: ``version`` is that of its last change, ``corrected`` how many it had."""

    key: int
    entry: Entry
    version: int
    corrected: int = 0


@dataclass(slots=True)
class Player:
    """Somebody on the pad. ``holders`` are the devices that say they are theirs."""

    name: str
    holders: frozenset[str] = frozenset()
    left: bool = False


@dataclass(slots=True)
class Draft:
    """What has been typed of the coming round, by whomever."""

    points: list[int | None]
    cards: list[Cards]
    closer: int = NOBODY

    @classmethod
    def empty(cls, seats: int) -> Draft:
        """Nothing typed yet."""
        return cls([None] * seats, [()] * seats)


@dataclass(frozen=True, slots=True)
class Change:
    """A line of the history. ``what`` is the event's name; ``number`` the round that it was about.

    ``before`` and ``after`` are the entries, None where there was or is none.
    """

    at: float
    version: int
    what: str
    by: int = NOBODY
    number: int = 0
    before: Entry | None = None
    after: Entry | None = None
    text: str = ""


#: What can be taken back: the rounds before, and what the change is called.
Step = tuple[tuple[PadRound, ...], str]


@dataclass(slots=True)
class Pad:
    """One pad as its events have made it.

    ``sheet_version`` is the version at which the rounds last changed; ``entering`` who may enter
    points ("keeper", "own", "all"); ``ended`` whether the game was ended early; ``next_code`` the
    code of the rematch. ``owners`` are the keepers that may delete the pad: not those that took it
    over while its keeper was away, nor whom they have let in.
    """

    id: str
    code: str = ""
    secret: str = ""
    version: int = 0
    created: float = 0.0
    changed_at: float = 0.0
    ruleset: Ruleset = field(default_factory=Ruleset)
    players: list[Player] = field(default_factory=list)
    keepers: frozenset[str] = frozenset()
    owners: frozenset[str] = frozenset()
    entering: str = "keeper"
    rounds: tuple[PadRound, ...] = ()
    next_key: int = 0
    draft: Draft = field(default_factory=lambda: Draft.empty(0))
    undo: list[Step] = field(default_factory=list)
    redo: list[Step] = field(default_factory=list)
    history: list[Change] = field(default_factory=list)
    sheet_version: int = 0
    ended: bool = False
    circle: str = ""
    previous: str = ""
    next: str = ""
    next_code: str = ""
    _reckoned: Reckoning | None = None

    @classmethod
    def fold(cls, pad_id: str, events: Iterable[tuple[float, ev.PadEvent]]) -> Pad:
        """The pad that these events make, each with its time in seconds since 1970."""
        pad = cls(pad_id)
        for at, event in events:
            pad.apply(event, at)
        return pad

    def apply(self, event: ev.PadEvent, at: float) -> None:
        """Take one more event into account."""
        self.version += 1
        self.changed_at = at
        self._reckoned = None
        _FOLDS[type(event)](self, event)

    def copy(self) -> Pad:
        """A pad to try events on; what is shared is never changed in place."""
        return replace(
            self,
            players=[replace(player) for player in self.players],
            draft=replace(self.draft, points=list(self.draft.points), cards=list(self.draft.cards)),
            undo=list(self.undo),
            redo=list(self.redo),
            history=list(self.history),
        )

    # --- what follows from it -----------------------------------------------------------------

    @property
    def names(self) -> tuple[str, ...]:
        """The players' names in their order around the table."""
        return tuple(player.name for player in self.players)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The rounds as they were entered."""
        return tuple(each.entry for each in self.rounds)

    @property
    def reckoning(self) -> Reckoning:
        """The rounds as the rules reckon them."""
        if self._reckoned is None:
            left = [player.left for player in self.players]
            self._reckoned = reckon(self.names, self.ruleset, self.entries, left, ended=self.ended)
        return self._reckoned

    @property
    def phase(self) -> str:
        """Where the pad stands: "playing" or "over"."""
        return "over" if self.reckoning.is_over else "playing"

    @property
    def holders(self) -> frozenset[str]:
        """Every device that has something to do with this pad."""
        return self.keepers.union(*(player.holders for player in self.players))

    def round_of_key(self, key: int) -> PadRound | None:
        """The round of this key, None if there is none (any more)."""
        return next((each for each in self.rounds if each.key == key), None)

    def number_of_key(self, key: int) -> int:
        """Which round from 1 this is, 0 if there is none."""
        return next((n for n, each in enumerate(self.rounds, 1) if each.key == key), 0)

    def seats_of(self, holder: str) -> tuple[int, ...]:
        """The players that this device belongs to."""
        return tuple(n for n, player in enumerate(self.players) if holder in player.holders)

    def seat_of(self, holder: str) -> int:
        """The only player that this device belongs to, or nobody."""
        seats = self.seats_of(holder)
        return seats[0] if len(seats) == 1 else NOBODY

    # --- changing -----------------------------------------------------------------------------

    def note(self, what: str, **values: Any) -> None:
        """One more line of the history."""
        self.history.append(Change(self.changed_at, self.version, what, **values))

    def change_rounds(self, rounds: tuple[PadRound, ...], what: str) -> None:
        """Other rounds hold from now on; what held can be had back."""
        self.undo = [*self.undo[1 - MOST_UNDONE :], (self.rounds, what)]
        self.redo = []
        self.rounds = rounds
        self.sheet_version = self.version


def _created(pad: Pad, event: ev.Created) -> None:
    pad.code = event.code
    pad.secret = event.secret
    pad.created = pad.changed_at
    pad.ruleset = Ruleset.parse(event.ruleset)
    pad.players = [Player(name) for name in event.names]
    pad.keepers = pad.owners = frozenset({event.keeper} if event.keeper else ())
    pad.circle = event.circle
    pad.previous = event.previous
    pad.entering = event.entering
    pad.draft = Draft.empty(len(event.names))


def _drafted(pad: Pad, event: ev.Drafted) -> None:
    pad.draft.points[event.seat] = event.points
    pad.draft.cards[event.seat] = event.cards


def _closer_drafted(pad: Pad, event: ev.CloserDrafted) -> None:
    pad.draft.closer = event.seat


def _round_saved(pad: Pad, event: ev.RoundSaved) -> None:
    added = PadRound(event.key, event.entry, pad.version)
    pad.change_rounds((*pad.rounds, added), "round_saved")
    pad.next_key = event.key + 1
    pad.draft = Draft.empty(len(pad.players))
    pad.note("round_saved", by=event.by, number=len(pad.rounds), after=event.entry)


def _round_corrected(pad: Pad, event: ev.RoundCorrected) -> None:
    old = pad.round_of_key(event.key)
    if old is None:
        return
    new = PadRound(event.key, event.entry, pad.version, old.corrected + 1)
    number = pad.number_of_key(event.key)
    rounds = tuple(new if each.key == event.key else each for each in pad.rounds)
    pad.change_rounds(rounds, "round_corrected")
    pad.note("round_corrected", by=event.by, number=number, before=old.entry, after=event.entry)


def _round_removed(pad: Pad, event: ev.RoundRemoved) -> None:
    old = pad.round_of_key(event.key)
    if old is None:
        return
    number = pad.number_of_key(event.key)
    rounds = tuple(each for each in pad.rounds if each.key != event.key)
    pad.change_rounds(rounds, "round_removed")
    pad.note("round_removed", by=event.by, number=number, before=old.entry)


def _undone(pad: Pad, event: ev.Undone) -> None:
    rounds, what = pad.undo.pop()
    pad.redo.append((pad.rounds, what))
    _put_back(pad, rounds)
    pad.note("undone", by=event.by, text=what)


def _redone(pad: Pad, event: ev.Redone) -> None:
    rounds, what = pad.redo.pop()
    pad.undo.append((pad.rounds, what))
    _put_back(pad, rounds)
    pad.note("redone", by=event.by, text=what)


def _put_back(pad: Pad, rounds: tuple[PadRound, ...]) -> None:
    """Older rounds hold again; a draft that was typed for another round is not lost."""
    known = {each.key: each for each in pad.rounds}
    # What reads otherwise than a moment ago has changed now, so that old pages are stale.
    pad.rounds = tuple(
        each if known.get(each.key) == each else replace(each, version=pad.version)
        for each in rounds
    )
    pad.sheet_version = pad.version


def _ended(pad: Pad, event: ev.Ended) -> None:
    pad.ended = True
    pad.note("ended", by=event.by)


def _reopened(pad: Pad, event: ev.Reopened) -> None:
    pad.ended = False
    pad.note("reopened", by=event.by)


def _renamed(pad: Pad, event: ev.Renamed) -> None:
    pad.note("renamed", by=event.seat, text=pad.players[event.seat].name)
    pad.players[event.seat].name = event.name


def _ruleset_chosen(pad: Pad, event: ev.RulesetChosen) -> None:
    pad.ruleset = Ruleset.parse(event.ruleset)
    pad.note("ruleset_chosen", text=event.ruleset)


def _entering_chosen(pad: Pad, event: ev.EnteringChosen) -> None:
    pad.entering = event.entering


def _seat_claimed(pad: Pad, event: ev.SeatClaimed) -> None:
    pad.players[event.seat].holders |= {event.holder}


def _seat_released(pad: Pad, event: ev.SeatReleased) -> None:
    pad.players[event.seat].holders = frozenset()


def _keeper_added(pad: Pad, event: ev.KeeperAdded) -> None:
    if event.how != "away" and pad.owners == pad.keepers:
        pad.owners |= {event.holder}
    pad.keepers |= {event.holder}
    if event.how:
        pad.note("keeper_added", by=event.by, text=event.how)


def _circle_chosen(pad: Pad, event: ev.CircleChosen) -> None:
    pad.circle = event.circle
    pad.note("circle_chosen" if event.circle else "circle_left")


def _player_left(pad: Pad, event: ev.PlayerLeft) -> None:
    pad.players[event.seat].left = True
    pad.draft.points[event.seat] = None
    pad.draft.cards[event.seat] = ()
    if pad.draft.closer == event.seat:
        pad.draft.closer = NOBODY
    pad.note("player_left", by=event.seat)


def _player_back(pad: Pad, event: ev.PlayerBack) -> None:
    pad.players[event.seat].left = False
    pad.note("player_back", by=event.seat)


def _rematch_made(pad: Pad, event: ev.RematchMade) -> None:
    pad.next = event.pad
    pad.next_code = event.code


_FOLDS: dict[type, Callable[[Pad, Any], None]] = {
    ev.Created: _created,
    ev.Drafted: _drafted,
    ev.CloserDrafted: _closer_drafted,
    ev.RoundSaved: _round_saved,
    ev.RoundCorrected: _round_corrected,
    ev.RoundRemoved: _round_removed,
    ev.Undone: _undone,
    ev.Redone: _redone,
    ev.Ended: _ended,
    ev.Reopened: _reopened,
    ev.Renamed: _renamed,
    ev.RulesetChosen: _ruleset_chosen,
    ev.EnteringChosen: _entering_chosen,
    ev.SeatClaimed: _seat_claimed,
    ev.SeatReleased: _seat_released,
    ev.KeeperAdded: _keeper_added,
    ev.CircleChosen: _circle_chosen,
    ev.PlayerLeft: _player_left,
    ev.PlayerBack: _player_back,
    ev.RematchMade: _rematch_made,
}
