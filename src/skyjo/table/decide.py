"""What a command does: a pure function from a table, a command and who asks, to events.

The order is always the same: whose seat or right it is (ForbiddenError), what can be read at all
(MalformedError), whether the caller saw this state of affairs (StaleError), whether table and
rules allow it (RefusedError, IllegalActionError). Whatever raises has changed nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from skyjo.chance import Chance
from skyjo.errors import IllegalActionError, MalformedError, StaleError
from skyjo.game import Game
from skyjo.i18n import N_
from skyjo.rules.actions import ACTIONS, DRAW, LEAVE, action_id, parse_action, place_of, verb_of
from skyjo.rules.layout import MIN_SEATS
from skyjo.rules.legality import ALLOWED, REASONS, refusal
from skyjo.rules.ruleset import Ruleset
from skyjo.table import commands as co
from skyjo.table import events as ev
from skyjo.table.errors import FORBIDDEN, forbidden, refused
from skyjo.table.model import Phase, Seat, Table
from skyjo.table.names import clean_name, free_name, same_name
from skyjo.table.ports import PACES
from skyjo.table.rights import (
    Attendance,
    all_ready,
    host_is_missing,
    is_host,
    next_host,
    sits_here,
    stand_in_refusal,
)
from skyjo.table.times import due_at

LONGEST_RULESET: Final = 2000
MOST_DEVICES: Final = 8
#: Events after which a table can only be played on and left: names, rules or stand-ins that change
#: for ever would make it too long to be read again.
MOST_CHANGES: Final = 50_000


@dataclass(frozen=True, slots=True)
class Context:
    """What a decision depends on beside the table: who asks, who is here, cards and bots."""

    holder: str
    attendance: Attendance
    chance: Chance
    bots: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """The events of a command (none if all is as wished already) and the seat it was about."""

    events: tuple[ev.Event, ...]
    seat: int = -1


def decide(table: Table, command: co.Command, context: Context) -> Decision:
    """The events that this command makes of this table; raises what the module's text says."""
    if table.version >= MOST_CHANGES and not isinstance(command, co.Act | co.Ready | co.Leave):
        raise refused("too_many_changes")
    return _DECISIONS[type(command)](table, command, context)


# --- the lobby ------------------------------------------------------------------------------


def _join(table: Table, command: co.Join, context: Context) -> Decision:
    name = clean_name(command.name)
    _needs_free_seat(table)
    _needs_free_name(table, name)
    taken = ev.SeatTaken(table.next_key, name, holders=(context.holder,))
    return Decision((taken,), len(table.seats))


def _add_bot(table: Table, command: co.AddBot, context: Context) -> Decision:
    _needs_host(table, context)
    name = clean_name(command.name) if command.name else ""
    _needs_free_seat(table)
    if name:
        _needs_free_name(table, name)
    names = [seat.name for seat in table.seats]
    wish = (command.bot, name, command.called)
    taken = bot_seat(table.next_key, wish, names, context.bots)
    return Decision((taken,), len(table.seats))


def bot_seat(
    key: int, wish: tuple[str, str, str], taken: list[str], bots: tuple[str, ...]
) -> ev.SeatTaken:
    """The event by which a bot sits down; ``wish`` as in ``AddBot``."""
    bot, name, called = wish
    if bot not in bots:
        raise refused("no_such_bot", name=bot[:40], names=", ".join(bots))
    return ev.SeatTaken(
        key, name or free_name(called or bot.partition(":")[0].capitalize(), taken), bot=bot
    )


def _remove(table: Table, command: co.Remove, context: Context) -> Decision:
    _needs_host(table, context)
    _needs_fresh(table, command.version, table.placed)
    _needs_lobby(table)
    seat = _seat(table, command.seat)
    if seat.key == table.host:
        return _leave(table, co.Leave(command.seat), context)
    return Decision((ev.SeatFreed(seat.key, removed=True),), command.seat)


def _rename(table: Table, command: co.Rename, context: Context) -> Decision:
    seat = _own_seat(table, command.seat, context)
    name = clean_name(command.name)
    _needs_fresh(table, command.version, table.placed)
    _needs_lobby(table)
    if name == seat.name:
        return Decision((), command.seat)
    _needs_free_name(table, name, but=seat.key)
    return Decision((ev.Renamed(seat.key, name),), command.seat)


def _choose_ruleset(table: Table, command: co.ChooseRuleset, context: Context) -> Decision:
    _needs_host(table, context)
    ruleset = read_ruleset(command.ruleset)
    _needs_lobby(table)
    if ruleset == table.ruleset:
        return Decision(())
    return Decision((ev.RulesetChosen(ruleset.text()),))


def read_ruleset(text: str) -> Ruleset:
    """The ruleset of a text; RulesetError or MalformedError."""
    if len(text) > LONGEST_RULESET:
        raise MalformedError(N_("This text is too long for a ruleset."))
    return Ruleset.parse(text)


def _choose_pace(table: Table, command: co.ChoosePace, context: Context) -> Decision:
    _needs_host(table, context)
    pace = read_pace(command.pace)
    _needs_not_over(table)
    return Decision(() if pace == table.pace else (ev.PaceChosen(pace),))


def read_pace(text: str) -> str:
    """The name of a pace; MalformedError."""
    if text not in PACES:
        raise MalformedError(N_("the pace is one of: {names}"), names=", ".join(PACES))
    return text


def _start(table: Table, _command: co.Start, context: Context) -> Decision:
    _needs_host(table, context)
    _needs_lobby(table)
    if len(table.seats) < MIN_SEATS:
        raise refused("too_few_seats")
    return Decision((ev.Started(), first_deal(context.chance)))


def first_deal(chance: Chance) -> ev.Dealt:
    """The deal of a game's first round."""
    return ev.Dealt(tuple(chance.deck(1)))


# --- the host -------------------------------------------------------------------------------


def _hand_over(table: Table, command: co.HandOver, context: Context) -> Decision:
    _needs_host(table, context)
    _needs_fresh(table, command.version, table.placed)
    seat = _seat(table, command.seat)
    if not seat.is_person:
        raise refused("not_a_person")
    if seat.left:
        raise refused("has_left", name=seat.name)
    return Decision(() if seat.key == table.host else (ev.HostChanged(seat.key),), command.seat)


def _take_host(table: Table, command: co.TakeHost, context: Context) -> Decision:
    seat = _own_seat(table, command.seat, context)
    _needs_fresh(table, command.version, table.placed)
    if seat.left:
        raise refused("has_left", name=seat.name)
    if is_host(table, context.holder):
        return Decision((), command.seat)
    if not host_is_missing(table, context.attendance):
        raise refused("host_is_here")
    return Decision((ev.HostChanged(seat.key),), command.seat)


# --- the game -------------------------------------------------------------------------------


def _act(table: Table, command: co.Act, context: Context) -> Decision:
    seat = _own_seat(table, command.seat, context)
    verb, place = read_action(command.action)
    if verb == LEAVE:
        return _leave(table, co.Leave(command.seat, command.version), context)
    if command.version is None:
        raise MalformedError(N_("an action needs the version of the table that was seen"))
    _needs_fresh(table, command.version, seat.decision)
    game = _needs_game(table)
    back = (ev.StandInWent(seat.key),) if seat.stand_in else ()
    return Decision(
        (*back, *play(game, command.seat, verb, place, by="person", chance=context.chance))
    )


def read_action(action: int | str) -> tuple[int, int]:
    """Verb and slot of an action by number or notation; MalformedError."""
    if isinstance(action, str):
        return parse_action(action[:100])
    if isinstance(action, bool) or not 0 <= action < ACTIONS:
        raise MalformedError(N_("there is no such action"))
    return verb_of(action), place_of(action)


def play(
    game: Game, seat: int, verb: int, place: int, *, by: str, chance: Chance
) -> tuple[ev.Event, ...]:
    """The events of an action: itself, and the reshuffle that a draw from an empty pile needs.

    Raises IllegalActionError with the code of rules 2.17.
    """
    reason = refusal(game.state, seat, verb, place)
    if reason != ALLOWED:
        raise IllegalActionError(*REASONS[reason])
    acted = ev.Acted(seat, action_id(verb, place), by)
    if verb == DRAW and game.needs_reshuffle:
        state = game.state
        order = chance.reshuffle(game.cards_to_reshuffle, state.round, state.reshuffles + 1)
        return ev.Reshuffled(tuple(order)), acted
    return (acted,)


def _ready(table: Table, command: co.Ready, context: Context) -> Decision:
    seat = _own_seat(table, command.seat, context)
    game = _needs_game(table)
    if seat.left:
        raise refused("has_left", name=seat.name)
    _needs_fresh(table, command.version, table.round_ended)
    if not table.between_rounds:
        _stale()
    back = (ev.StandInWent(seat.key),) if seat.stand_in else ()
    readied = () if seat.ready else (ev.Readied(command.seat),)
    others = [
        place
        for place, other in table.persons()
        if place != command.seat
        and not (other.ready or other.stand_in)
        and context.attendance.is_here(place)
    ]
    dealt = () if others else (next_deal(game, context.chance),)
    return Decision((*back, *readied, *dealt), command.seat)


def next_deal(game: Game, chance: Chance) -> ev.Dealt:
    """The deal of the round that comes next."""
    return ev.Dealt(tuple(chance.deck(game.state.round + 1)))


def go_on(table: Table, attendance: Attendance, chance: Chance, now: float) -> tuple[ev.Event, ...]:
    """The next deal, if it is time: all who are here are ready, or the pause is over."""
    game = table.game
    if game is None or not table.between_rounds or table.continue_at is None:
        return ()
    if now < continues_at(table, now) and not all_ready(table, attendance):
        return ()
    return (next_deal(game, chance),)


def continues_at(table: Table, now: float) -> float:
    """When the next round begins by itself, if one is due."""
    ended = (table.continue_at or 0.0) - table.continue_after
    return due_at(ended, table.continue_after, now)


# --- leaving and standing in ------------------------------------------------------------------


def _leave(table: Table, command: co.Leave, context: Context) -> Decision:
    seat = _own_seat(table, command.seat, context)
    _needs_fresh(table, command.version, table.placed)
    if seat.left:
        raise refused("has_left", name=seat.name)
    goes: ev.Event = ev.SeatFreed(seat.key)
    rest = sum(not other.left for other in table.seats) - 1
    if table.phase == Phase.PLAYING and table.game is not None:
        goes = ev.Acted(command.seat, LEAVE)
    heir = next_host(table, command.seat, context.attendance)
    after: tuple[ev.Event, ...] = ()
    if heir is None:
        by_forfeit = table.phase == Phase.PLAYING and rest < MIN_SEATS
        after = () if table.phase == Phase.OVER or by_forfeit else (ev.Abandoned(),)
    elif seat.key == table.host:
        after = (ev.HostChanged(table.seats[heir].key),)
    return Decision((goes, *after), command.seat)


def _stand_in(table: Table, command: co.StandIn, context: Context) -> Decision:
    if not sits_here(table, context.holder):
        raise forbidden("not_at_the_table")
    _needs_fresh(table, command.version, table.placed)
    seat = _seat(table, command.seat)
    code = stand_in_refusal(table, context.holder, command.seat, context.attendance)
    if code in FORBIDDEN:
        raise forbidden(code)
    if code:
        raise refused(code, name=seat.name)
    own = context.holder in seat.holders
    reason = "asked" if own else context.attendance.reason(command.seat)
    return Decision((ev.StandInCame(seat.key, reason),), command.seat)


def _back(table: Table, command: co.Back, context: Context) -> Decision:
    seat = _own_seat(table, command.seat, context)
    _needs_fresh(table, command.version, table.placed)
    _needs_not_over(table)
    if not seat.stand_in:
        raise refused("no_bot_plays", name=seat.name)
    return Decision((ev.StandInWent(seat.key),), command.seat)


def _renew_link(table: Table, command: co.RenewLink, context: Context) -> Decision:
    seat = _own_seat(table, command.seat, context)
    _needs_fresh(table, command.version, table.placed)
    return Decision((ev.LinkRenewed(seat.key, context.holder),), command.seat)


def claim(seat: Seat, holder: str) -> tuple[ev.Event, ...]:
    """The events by which one more device gets a seat."""
    if holder in seat.holders:
        return ()
    if len(seat.holders) >= MOST_DEVICES:
        raise refused("too_many_devices", most=MOST_DEVICES)
    return (ev.HolderAdded(seat.key, holder),)


# --- a rematch ------------------------------------------------------------------------------


def rematch(
    table: Table, context: Context, *, code: str, secret: str, leave_out_absent: bool
) -> tuple[ev.Event, ...]:
    """The first events of the table at which the same people go on.

    A bot plays for those who are away until they come, unless they are to be left out. The host
    stays the host, if here; else whoever asks is.
    """
    here = context.attendance
    going = [
        (place, seat)
        for place, seat in enumerate(table.seats)
        if not seat.left and (here.is_here(place) or not leave_out_absent)
    ]
    if len(going) < MIN_SEATS:
        raise refused("nobody_left")
    asking = next(place for place, seat in going if context.holder in seat.holders)
    host = table.host_place
    if host < 0 or not here.is_here(host):
        host = asking
    keys = {place: key for key, (place, _seat) in enumerate(going)}
    return (
        ev.Created(
            code,
            secret,
            table.ruleset.text(),
            table.pace,
            table.continue_after,
            previous=table.id,
        ),
        *(
            ev.SeatTaken(keys[place], seat.name, seat.bot, tuple(sorted(seat.holders)))
            for place, seat in going
        ),
        ev.HostChanged(keys[host]),
        ev.Started(),
        first_deal(context.chance),
        *(
            ev.StandInCame(keys[place], "away")
            for place, seat in going
            if seat.is_person and not here.is_here(place)
        ),
    )


# --- what must hold ---------------------------------------------------------------------------


def _seat(table: Table, place: int) -> Seat:
    if not 0 <= place < len(table.seats):
        raise refused("no_such_seat")
    return table.seats[place]


def _own_seat(table: Table, place: int, context: Context) -> Seat:
    if not 0 <= place < len(table.seats) or context.holder not in table.seats[place].holders:
        raise forbidden("not_your_seat")
    return table.seats[place]


def _needs_host(table: Table, context: Context) -> None:
    if not is_host(table, context.holder):
        raise forbidden("not_host")


def _needs_lobby(table: Table) -> None:
    _needs_not_over(table)
    if table.phase != Phase.LOBBY:
        raise refused("already_started")


def _needs_not_over(table: Table) -> None:
    if table.phase == Phase.OVER:
        raise refused("table_abandoned" if table.abandoned else "table_over")


def _needs_game(table: Table) -> Game:
    if table.abandoned:
        raise refused("table_abandoned")
    if table.game is None:
        raise refused("not_started")
    return table.game


def _needs_free_seat(table: Table) -> None:
    _needs_lobby(table)
    if not table.open_seats:
        raise refused("table_full")


def _needs_free_name(table: Table, name: str, but: int = -1) -> None:
    if any(same_name(seat.name, name) for seat in table.seats if seat.key != but):
        raise refused("name_taken", name=name)


def _needs_fresh(table: Table, version: int | None, since: int) -> None:
    if version is not None and not since <= version <= table.version:
        _stale()


def _stale() -> NoReturn:
    raise StaleError(N_("The table has moved on; look again and choose anew."))


_DECISIONS: Final[Mapping[type, Callable[[Table, Any, Context], Decision]]] = {
    co.Join: _join,
    co.AddBot: _add_bot,
    co.Remove: _remove,
    co.Rename: _rename,
    co.HandOver: _hand_over,
    co.TakeHost: _take_host,
    co.ChooseRuleset: _choose_ruleset,
    co.ChoosePace: _choose_pace,
    co.Start: _start,
    co.Act: _act,
    co.Ready: _ready,
    co.Leave: _leave,
    co.StandIn: _stand_in,
    co.Back: _back,
    co.RenewLink: _renew_link,
}
