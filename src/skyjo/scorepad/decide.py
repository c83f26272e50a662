"""What a command does: a pure function from a pad, a command and who asks, to events.

The order is always the same: whose right it is (ForbiddenError), what can be read (MalformedError),
whether the caller saw this state of affairs (StaleError), whether the pad allows it now
(RefusedError). Whatever raises has changed nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from skyjo.errors import MalformedError, StaleError
from skyjo.i18n import N_
from skyjo.rules.layout import HIGHEST, LOWEST, MAX_SEATS, MIN_SEATS, SLOTS
from skyjo.rules.ruleset import Ruleset
from skyjo.scorepad import commands as co
from skyjo.scorepad import events as ev
from skyjo.scorepad.entry import NOBODY, PENALTIES, Cards, Entry
from skyjo.scorepad.errors import forbidden, refused
from skyjo.scorepad.model import Pad, PadRound
from skyjo.scorepad.rights import (
    KEEPER,
    MODES,
    OWN,
    may_type,
    needs_correcting,
    needs_keeper,
    needs_saving,
    needs_typing,
)
from skyjo.table.names import clean_name, same_name

MOST_ROUNDS: Final = 500
#: Nobody can have so many points; whoever types more has leant on the keys.
MOST_POINTS: Final = 9999
MOST_DEVICES: Final = 8
LONGEST_RULESET: Final = 2000

Events: TypeAlias = Sequence[ev.PadEvent]


def decide(pad: Pad, command: co.Command, holder: str) -> Events:
    """The events that this command makes of this pad; raises what the module's text says."""
    return _DECISIONS[type(command)](pad, command, holder)


def begin(
    names: Sequence[str], ruleset: str, entering: str = KEEPER
) -> tuple[tuple[str, ...], str, str]:
    """The names, rules and rights of a new pad as they are stored; raises what is wrong.

    >>> begin([" Ana", "", "Ben"], "official target=50")
    (('Ana', 'Ben'), 'official target=50', 'keeper')
    """
    clean = tuple(clean_name(name) for name in names if name.strip())
    if len(clean) < MIN_SEATS:
        raise refused("too_few_players")
    if len(clean) > MAX_SEATS:
        raise refused("too_many_players")
    for place, name in enumerate(clean):
        if any(same_name(name, other) for other in clean[:place]):
            raise refused("name_twice", name=name)
    return clean, read_ruleset(ruleset).text(), read_entering(entering)


def read_ruleset(text: str) -> Ruleset:
    """The ruleset that a text means; RulesetError or MalformedError."""
    if len(text) > LONGEST_RULESET:
        raise MalformedError(N_("this ruleset is too long"))
    return Ruleset.parse(text)


def read_entering(text: str) -> str:
    """Who may enter points; MalformedError for what is none of the three."""
    if text not in MODES:
        raise MalformedError(N_("points are entered by: keeper, own, all"))
    return text


# --- the coming round -----------------------------------------------------------------------


def _type(pad: Pad, command: co.Type, holder: str) -> Events:
    for seat, points in command.points.items():
        _seat(pad, seat)
        needs_typing(pad, holder, seat)
        _check_points(points)
    closer = command.closer
    if closer is not None:
        if closer != NOBODY:
            _seat(pad, closer)
        # Whoever enters only their own points may say that it was them, or that it was not.
        about = closer if closer != NOBODY else pad.draft.closer
        if about != NOBODY or pad.entering != OWN:
            needs_typing(pad, holder, about)
    _needs_round(pad, command.round)
    _needs_going_on(pad)
    events: list[ev.PadEvent] = []
    for seat, points in command.points.items():
        _needs_here(pad, seat)
        cards = read_cards(command.cards.get(seat, ()))
        if (pad.draft.points[seat], pad.draft.cards[seat]) != (points, cards):
            events.append(ev.Drafted(seat, points, cards))
    if closer is not None and closer != pad.draft.closer:
        if closer != NOBODY:
            _needs_here(pad, closer)
        events.append(ev.CloserDrafted(closer))
    return events


def _save(pad: Pad, command: co.Save, holder: str) -> Events:
    if not any(may_type(pad, holder, seat) for seat in range(len(pad.players))):
        raise forbidden("only_looking")
    _needs_round(pad, command.round)
    needs_saving(pad, holder)
    entry = checked(pad, filled(pad, command.entry), _here(pad))
    _needs_going_on(pad)
    if len(pad.rounds) >= MOST_ROUNDS:
        raise refused("pad_over")
    by = pad.seat_of(holder)
    key = pad.next_key
    return (ev.RoundSaved(key, entry.points, entry.closer, entry.penalty, entry.cards, by),)


def filled(pad: Pad, entry: Entry) -> Entry:
    """The entry, with what others have typed where the caller's page was still empty."""
    draft = pad.draft
    if len(entry.points) != len(pad.players):
        return entry
    points = tuple(
        typed if own is None else own for own, typed in zip(entry.points, draft.points, strict=True)
    )
    mine = entry.cards or ((),) * len(points)
    cards = tuple(
        own or (typed if count == noted else ())
        for own, typed, count, noted in zip(mine, draft.cards, points, draft.points, strict=True)
    )
    closer = draft.closer if entry.closer == NOBODY else entry.closer
    return Entry(points, closer, entry.penalty, cards if any(cards) else ())


# --- rounds that are on the sheet -----------------------------------------------------------


def _correct(pad: Pad, command: co.Correct, holder: str) -> Events:
    needs_correcting(pad, holder)
    old = _round(pad, command.key, command.version)
    entry = checked(pad, command.entry, [p is not None for p in old.entry.points])
    if entry == old.entry:
        return ()
    by = pad.seat_of(holder)
    corrected = ev.RoundCorrected(
        command.key, entry.points, entry.closer, entry.penalty, entry.cards, by
    )
    return (corrected,)


def _remove(pad: Pad, command: co.RemoveRound, holder: str) -> Events:
    needs_correcting(pad, holder)
    _round(pad, command.key, command.version)
    return (ev.RoundRemoved(command.key, pad.seat_of(holder)),)


def _undo(pad: Pad, command: co.Undo, holder: str) -> Events:
    needs_correcting(pad, holder)
    _needs_sheet(pad, command.seen)
    if not pad.undo:
        raise refused("nothing_to_undo")
    return (ev.Undone(pad.seat_of(holder)),)


def _redo(pad: Pad, command: co.Redo, holder: str) -> Events:
    needs_correcting(pad, holder)
    _needs_sheet(pad, command.seen)
    if not pad.redo:
        raise refused("nothing_to_redo")
    return (ev.Redone(pad.seat_of(holder)),)


# --- the pad itself -------------------------------------------------------------------------


def _end(pad: Pad, _command: co.End, holder: str) -> Events:
    needs_keeper(pad, holder)
    return () if pad.reckoning.is_over else (ev.Ended(pad.seat_of(holder)),)


def _reopen(pad: Pad, _command: co.Reopen, holder: str) -> Events:
    needs_keeper(pad, holder)
    return (ev.Reopened(pad.seat_of(holder)),) if pad.ended else ()


def _rename(pad: Pad, command: co.Rename, holder: str) -> Events:
    _seat(pad, command.seat)
    if command.seat not in pad.seats_of(holder):
        needs_keeper(pad, holder)
    name = clean_name(command.name)
    for seat, player in enumerate(pad.players):
        if seat != command.seat and same_name(player.name, name):
            raise refused("name_twice", name=name)
    return () if name == pad.players[command.seat].name else (ev.Renamed(command.seat, name),)


def _choose_ruleset(pad: Pad, command: co.ChooseRuleset, holder: str) -> Events:
    needs_keeper(pad, holder)
    ruleset = read_ruleset(command.ruleset)
    return () if ruleset == pad.ruleset else (ev.RulesetChosen(ruleset.text()),)


def _choose_entering(pad: Pad, command: co.ChooseEntering, holder: str) -> Events:
    needs_keeper(pad, holder)
    entering = read_entering(command.entering)
    return () if entering == pad.entering else (ev.EnteringChosen(entering),)


def _claim(pad: Pad, command: co.Claim, holder: str) -> Events:
    player = pad.players[_seat(pad, command.seat)]
    if holder in player.holders:
        return ()
    if player.holders:
        raise refused("taken", name=player.name)
    return (ev.SeatClaimed(command.seat, holder),)


def _release(pad: Pad, command: co.Release, holder: str) -> Events:
    player = pad.players[_seat(pad, command.seat)]
    if holder not in player.holders:
        needs_keeper(pad, holder)
    return (ev.SeatReleased(command.seat),) if player.holders else ()


def _leave(pad: Pad, command: co.Leave, holder: str) -> Events:
    _seat(pad, command.seat)
    needs_keeper(pad, holder)
    if pad.players[command.seat].left:
        return ()
    if sum(_here(pad)) <= MIN_SEATS:
        raise refused("too_few_left")
    return (ev.PlayerLeft(command.seat),)


def _return(pad: Pad, command: co.Return, holder: str) -> Events:
    _seat(pad, command.seat)
    needs_keeper(pad, holder)
    return (ev.PlayerBack(command.seat),) if pad.players[command.seat].left else ()


# --- checks ---------------------------------------------------------------------------------


def checked(pad: Pad, entry: Entry, here: Sequence[bool]) -> Entry:
    """The entry, when it is complete for those who play; strange points are no fault."""
    if len(entry.points) != len(pad.players) or entry.penalty not in PENALTIES:
        raise MalformedError(N_("this is no round of this pad"))
    if entry.closer != NOBODY:
        _seat(pad, entry.closer)
        if not here[entry.closer]:
            raise refused("has_left", name=pad.players[entry.closer].name)
    missing = []
    points: list[int | None] = []
    for seat, own in enumerate(entry.points):
        _check_points(own)
        if here[seat] and own is None:
            missing.append(pad.players[seat].name)
        points.append(own if here[seat] else None)
    if missing:
        raise refused("points_missing", players=", ".join(missing))
    cards = tuple(read_cards(each) for each in entry.cards)
    if cards and len(cards) != len(points):
        raise MalformedError(N_("this is no round of this pad"))
    return Entry(tuple(points), entry.closer, entry.penalty, cards if any(cards) else ())


def read_cards(cards: Cards) -> Cards:
    """Twelve cards of the deck or gaps, or nothing at all."""
    right = all(card is None or LOWEST <= card <= HIGHEST for card in cards)
    if not right or len(cards) not in (0, SLOTS):
        raise MalformedError(N_("a grid has twelve cards from -2 to 12"))
    return tuple(cards)


def _check_points(points: int | None) -> None:
    if points is not None and abs(points) > MOST_POINTS:
        raise MalformedError(
            N_("{points} points are not possible; look at the keys again."), points=points
        )


def _here(pad: Pad) -> list[bool]:
    return [not player.left for player in pad.players]


def _seat(pad: Pad, seat: int) -> int:
    if not 0 <= seat < len(pad.players):
        raise refused("no_such_player")
    return seat


def _needs_here(pad: Pad, seat: int) -> None:
    if pad.players[seat].left:
        raise refused("has_left", name=pad.players[seat].name)


def _needs_going_on(pad: Pad) -> None:
    if pad.reckoning.is_over:
        raise refused("pad_over")


def _needs_round(pad: Pad, number: int) -> None:
    if number != len(pad.rounds) + 1:
        raise StaleError(
            N_("Round {number} has been entered on another device meanwhile."), number=number
        )


def _needs_sheet(pad: Pad, seen: int) -> None:
    if seen < pad.sheet_version:
        raise StaleError(N_("Somebody has changed the pad meanwhile; look at it again."))


def _round(pad: Pad, key: int, version: int) -> PadRound:
    found = pad.round_of_key(key)
    if found is None or found.version != version:
        raise StaleError(N_("Somebody has changed this round meanwhile; look at it again."))
    return found


_DECISIONS: Mapping[type, Callable[[Pad, Any, str], Events]] = {
    co.Type: _type,
    co.Save: _save,
    co.Correct: _correct,
    co.RemoveRound: _remove,
    co.Undo: _undo,
    co.Redo: _redo,
    co.End: _end,
    co.Reopen: _reopen,
    co.Rename: _rename,
    co.ChooseRuleset: _choose_ruleset,
    co.ChooseEntering: _choose_entering,
    co.Claim: _claim,
    co.Release: _release,
    co.Leave: _leave,
    co.Return: _return,
}
