"""``Table``: the present of one table, and nothing else than the fold of its events.

``Table.apply`` checks nothing: what is stored has been checked before (``decide``). Folding the
same events again gives an equal table, on every machine.

>>> from skyjo.table.events import Created, SeatTaken
>>> table = Table.fold("t1", [(0.0, Created("ABCD1234", "secret", "official")),
...                           (1.0, SeatTaken(0, "Ana", holders=("h",)))])
>>> table.version, table.phase.value, table.seats[0].name
(2, 'lobby', 'Ana')
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from skyjo.game import Game
from skyjo.rules.actions import DRAW, LEAVE, TAKE
from skyjo.rules.layout import GAME_OVER, MAX_SEATS, REVEAL, ROUND_OVER
from skyjo.rules.ruleset import Ruleset
from skyjo.rules.turns import apply as apply_action
from skyjo.table import events as ev

#: No seat, as a key.
NO_KEY: Final = -1


class Phase(StrEnum):
    """Where a table stands. Between two rounds it is still ``PLAYING``."""

    LOBBY = "lobby"
    PLAYING = "playing"
    OVER = "over"


@dataclass(slots=True)
class Seat:
    """A place at the table and who sits there.

    ``key`` stays for ever, the place in ``Table.seats`` only from the start of the game on. A seat
    belongs to everybody whose secret hashes to one of ``holders``; ``link`` counts the renewals of
    its personal link. ``stand_in`` is why a bot plays for a person: "", "away", "idle", "asked".
    ``left`` for good. ``ready`` for the next round. ``decision`` and ``decision_at`` are the
    version and the time at which what the seat has to decide (or wait for) came into being.
    """

    key: int
    name: str
    bot: str = ""
    holders: frozenset[str] = frozenset()
    link: int = 0
    stand_in: str = ""
    left: bool = False
    ready: bool = False
    decision: int = 0
    decision_at: float = 0.0

    @property
    def is_person(self) -> bool:
        """Whether a person sits here (else a bot)."""
        return not self.bot

    @property
    def plays_itself(self) -> bool:
        """Whether a person who has not left decides here, with no bot standing in."""
        return self.is_person and not self.left and not self.stand_in


@dataclass(slots=True)
class Table:
    """One table as its events have made it.

    ``host`` is the key of a seat; ``placed`` the version at which seats last changed their places;
    ``round_ended`` the version at which the last round ended and ``continue_at`` the time at which
    the next one begins by itself (None while none is due); ``previous`` and ``next`` are the
    tables before and after it in a row of rematches. ``moved_at`` is the time of the last deal or
    action.
    """

    id: str
    code: str = ""
    secret: str = ""
    version: int = 0
    created: float = 0.0
    changed_at: float = 0.0
    moved_at: float = 0.0
    phase: Phase = Phase.LOBBY
    ruleset: Ruleset = field(default_factory=Ruleset)
    pace: str = "normal"
    continue_after: float = 0.0
    seats: list[Seat] = field(default_factory=list)
    next_key: int = 0
    host: int = NO_KEY
    placed: int = 0
    game: Game | None = None
    round_ended: int = 0
    continue_at: float | None = None
    abandoned: bool = False
    previous: str = ""
    next: str = ""

    @classmethod
    def fold(cls, table_id: str, events: Iterable[tuple[float, ev.Event]]) -> Table:
        """The table that these events make, each with its time in seconds since 1970."""
        table = cls(table_id)
        for at, event in events:
            table.apply(event, at)
        return table

    def apply(self, event: ev.Event, at: float) -> None:
        """Take one more event into account."""
        self.version += 1
        self.changed_at = at
        _FOLDS[type(event)](self, event)

    def phase_after(self, events: Iterable[ev.Event]) -> Phase:
        """The phase in which these events will leave the table; nothing is changed."""
        phase = self.phase
        for event in events:
            if isinstance(event, ev.Started):
                phase = Phase.PLAYING
            elif isinstance(event, ev.Abandoned) or (
                isinstance(event, ev.Acted) and self._ends_game(event)
            ):
                phase = Phase.OVER
        return phase

    def holders_after(self, events: Iterable[ev.Event]) -> frozenset[str] | None:
        """Everybody who will hold a seat after these events; None if that does not change."""
        by_key = {seat.key: seat.holders for seat in self.seats}
        before = dict(by_key)
        for event in events:
            if isinstance(event, ev.SeatTaken):
                by_key[event.key] = frozenset(event.holders)
            elif isinstance(event, ev.SeatFreed) and self.phase == Phase.LOBBY:
                del by_key[event.key]
            elif isinstance(event, ev.HolderAdded):
                by_key[event.key] |= {event.holder}
            elif isinstance(event, ev.LinkRenewed):
                by_key[event.key] = frozenset({event.holder})
        return None if by_key == before else frozenset().union(*by_key.values())

    def _ends_game(self, event: ev.Acted) -> bool:
        if event.action in (TAKE, DRAW):
            return False
        state = _game(self).state.copy()
        apply_action(state, event.seat, event.action)
        return state.phase == GAME_OVER

    # --- seats ----------------------------------------------------------------------------

    @property
    def open_seats(self) -> int:
        """How many more may sit down."""
        return MAX_SEATS - len(self.seats) if self.phase == Phase.LOBBY else 0

    @property
    def holders(self) -> frozenset[str]:
        """Everybody who holds a seat."""
        return frozenset().union(*(seat.holders for seat in self.seats))

    def place_of_key(self, key: int) -> int:
        """The place of the seat with this key, -1 if there is none (any more)."""
        return next((place for place, seat in enumerate(self.seats) if seat.key == key), -1)

    def held_by(self, holder: str) -> tuple[int, ...]:
        """The places of the seats that this holder may play, left ones too."""
        return tuple(place for place, seat in enumerate(self.seats) if holder in seat.holders)

    def persons(self) -> Iterator[tuple[int, Seat]]:
        """Places and seats of people who have not left."""
        for place, seat in enumerate(self.seats):
            if seat.is_person and not seat.left:
                yield place, seat

    @property
    def host_place(self) -> int:
        """The host's place, -1 if there is no host any more."""
        return self.place_of_key(self.host)

    # --- the game -------------------------------------------------------------------------

    @property
    def between_rounds(self) -> bool:
        """Whether a round is over and the next one will be dealt."""
        game = self.game
        return self.phase == Phase.PLAYING and game is not None and game.needs_deal

    def has_to_decide(self, place: int) -> bool:
        """Whether the game waits for this seat (in the opening for several at once)."""
        game = self.game
        if game is None or self.phase != Phase.PLAYING:
            return False
        if game.turn is not None:
            return game.turn == place
        return game.state.phase == REVEAL and bool(game.legal_actions(place))

    def bot_of(self, place: int, stand_in: str) -> str:
        """The bot that decides for this seat, "" when its person does."""
        seat = self.seats[place]
        return seat.bot or (stand_in if seat.stand_in and not seat.left else "")

    def next_bot_place(self) -> int | None:
        """The first seat that has to decide and for which a bot does."""
        for place, seat in enumerate(self.seats):
            if (seat.bot or seat.stand_in) and not seat.left and self.has_to_decide(place):
                return place
        return None


def _created(table: Table, event: ev.Created) -> None:
    table.code = event.code
    table.secret = event.secret
    table.created = table.changed_at
    table.ruleset = Ruleset.parse(event.ruleset)
    table.pace = event.pace
    table.continue_after = event.continue_after
    table.previous = event.previous


def _seat_taken(table: Table, event: ev.SeatTaken) -> None:
    seat = Seat(
        event.key, event.name, event.bot, frozenset(event.holders), decision_at=table.changed_at
    )
    table.seats.append(seat)
    table.next_key = max(table.next_key, event.key + 1)
    if table.host == NO_KEY and seat.is_person:
        table.host = event.key


def _seat_freed(table: Table, event: ev.SeatFreed) -> None:
    place = table.place_of_key(event.key)
    if table.phase == Phase.LOBBY:
        del table.seats[place]
        table.placed = table.version
    else:
        table.seats[place].left = True


def _renamed(table: Table, event: ev.Renamed) -> None:
    table.seats[table.place_of_key(event.key)].name = event.name


def _host_changed(table: Table, event: ev.HostChanged) -> None:
    table.host = event.key


def _ruleset_chosen(table: Table, event: ev.RulesetChosen) -> None:
    table.ruleset = Ruleset.parse(event.ruleset)


def _pace_chosen(table: Table, event: ev.PaceChosen) -> None:
    table.pace = event.pace


def _started(table: Table, _event: ev.Started) -> None:
    table.game = Game([seat.name for seat in table.seats], table.ruleset)
    table.phase = Phase.PLAYING


def _dealt(table: Table, event: ev.Dealt) -> None:
    _game(table).deal(event.deck)
    table.moved_at = table.changed_at
    table.continue_at = None
    for seat in table.seats:
        seat.ready = False
    _all_decide(table)


def _reshuffled(table: Table, event: ev.Reshuffled) -> None:
    _game(table).reshuffle(event.order)


def _acted(table: Table, event: ev.Acted) -> None:
    game = _game(table)
    before = (game.state.phase, game.turn)
    game.play(event.action, event.seat)
    table.moved_at = table.changed_at
    after = (game.state.phase, game.turn)
    leaves = event.action == LEAVE
    if leaves:
        table.seats[event.seat].left = True
    if leaves and before == after:
        pass  # whoever decides has the same to decide as before
    elif before == after == (REVEAL, None):
        table.seats[event.seat].decision = table.version
        table.seats[event.seat].decision_at = table.changed_at
    else:
        _all_decide(table)
    if game.is_over:
        table.phase = Phase.OVER
        table.continue_at = None
    elif game.state.phase == ROUND_OVER and before[0] != ROUND_OVER:
        table.round_ended = table.version
        table.continue_at = table.changed_at + table.continue_after


def _readied(table: Table, event: ev.Readied) -> None:
    table.seats[event.seat].ready = True


def _stand_in_came(table: Table, event: ev.StandInCame) -> None:
    table.seats[table.place_of_key(event.key)].stand_in = event.reason


def _stand_in_went(table: Table, event: ev.StandInWent) -> None:
    seat = table.seats[table.place_of_key(event.key)]
    seat.stand_in = ""
    seat.decision_at = table.changed_at


def _holder_added(table: Table, event: ev.HolderAdded) -> None:
    seat = table.seats[table.place_of_key(event.key)]
    seat.holders |= {event.holder}


def _link_renewed(table: Table, event: ev.LinkRenewed) -> None:
    seat = table.seats[table.place_of_key(event.key)]
    seat.holders = frozenset({event.holder})
    seat.link += 1


def _rematch_made(table: Table, event: ev.RematchMade) -> None:
    table.next = event.table


def _abandoned(table: Table, _event: ev.Abandoned) -> None:
    table.phase = Phase.OVER
    table.abandoned = True
    table.continue_at = None


def _game(table: Table) -> Game:
    if table.game is None:
        raise ValueError("the game of this table has not begun")
    return table.game


def _all_decide(table: Table) -> None:
    for seat in table.seats:
        seat.decision = table.version
        seat.decision_at = table.changed_at


_FOLDS: Final[dict[type, Callable[[Table, Any], None]]] = {
    ev.Created: _created,
    ev.SeatTaken: _seat_taken,
    ev.SeatFreed: _seat_freed,
    ev.Renamed: _renamed,
    ev.HostChanged: _host_changed,
    ev.RulesetChosen: _ruleset_chosen,
    ev.PaceChosen: _pace_chosen,
    ev.Started: _started,
    ev.Dealt: _dealt,
    ev.Reshuffled: _reshuffled,
    ev.Acted: _acted,
    ev.Readied: _readied,
    ev.StandInCame: _stand_in_came,
    ev.StandInWent: _stand_in_went,
    ev.HolderAdded: _holder_added,
    ev.LinkRenewed: _link_renewed,
    ev.RematchMade: _rematch_made,
    ev.Abandoned: _abandoned,
}
