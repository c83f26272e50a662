"""``scene(table, ...)``: everything that a page or a program may show to one viewer.

It is made of ``Game.view`` and ``rules.view.visible_log`` only, so that nothing hidden can be in
it. Pages and API render the same scene. A viewer is a device: it may hold no seat (an onlooker),
one, or several; then the page turns to the seat that acts.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Final

from skyjo.game import Game, ScoreSheet
from skyjo.rules.layout import MIN_SEATS, NOBODY, View
from skyjo.rules.plies import Deal, Ply
from skyjo.rules.ruleset import Ruleset
from skyjo.rules.view import visible_log
from skyjo.table.model import Phase, Table
from skyjo.table.rights import (
    Attendance,
    deletion_refusal,
    forgetting_refusal,
    host_is_missing,
    is_host,
    sits_here,
    stand_in_refusal,
)

#: How many plies back a scene tells what happened.
RECENT: Final = 24


@dataclass(frozen=True, slots=True)
class SeatScene:
    """One seat as a viewer sees it.

    ``seat`` is its place from 0; ``kind`` "person" or "bot", ``bot`` the bot's name; ``mine``
    whether the viewer holds it; ``decides`` whether the game waits for it. Times are seconds since
    1970. ``stand_in`` is "" or why a bot plays for the person ("away", "idle", "asked"). ``left``
    for good. ``ready`` for the next round (bots always are). What the viewer may do to it now:
    ``may_stand_in`` let a bot play for it, ``may_remove``, ``may_hand_over`` make it the host,
    ``may_forget`` take its name out of the table for ever.
    """

    seat: int
    name: str
    kind: str
    bot: str
    is_host: bool
    mine: bool
    decides: bool
    away_since: float | None
    idle_since: float | None
    stand_in: str
    left: bool
    ready: bool
    total: int
    may_stand_in: bool
    may_remove: bool
    may_hand_over: bool
    may_forget: bool


@dataclass(frozen=True, slots=True)
class Scene:
    """What one viewer may see of a table, and do.

    * ``version`` goes into every form; ``phase`` is "lobby", "playing" or "over"; ``abandoned``
      that the game ended because no person was left; ``now`` the time it was made.
    * ``seats`` in clockwise order, ``open_seats`` how many more may sit down.
    * ``mine`` the viewer's places (who left too), ``onlooker`` whether there are none.
    * ``acting`` the viewer's seat that may act now (the first one, in the opening), else None;
      ``legal`` its actions by number. ``view`` is the acting seat's view, else the viewer's first
      seat's, else an onlooker's; None before the start.
    * ``recent`` the last plies as the viewer may know them, oldest first; ``round_plies`` how many
      of them belong to the present round.
    * ``sheet`` the score sheet with all round results; ``between_rounds`` that the next round waits
      for people to be ready, ``continue_at`` when it begins by itself, ``may_ready`` the viewer's
      seats that are not ready yet.
    * ``is_host`` and what follows from it: ``may_start``, ``may_choose_rules`` (and add bots);
      ``may_take_host`` that the host is away or idle, so that the viewer may take over;
      ``may_join`` that a seat is free in the lobby.
    * ``may_rematch``, ``rematch_absent`` the names of people who are away now (they can be left
      out), ``next_table`` once somebody has made the rematch, ``previous_table``.
    * ``may_delete`` the table, with everything that is stored about it.
    """

    table_id: str
    code: str
    version: int
    phase: str
    abandoned: bool
    now: float
    ruleset: Ruleset
    pace: str
    seats: tuple[SeatScene, ...]
    open_seats: int
    mine: tuple[int, ...]
    onlooker: bool
    acting: int | None
    legal: tuple[int, ...]
    view: View | None
    recent: tuple[Ply, ...]
    round_plies: int
    sheet: ScoreSheet | None
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
    next_table: str
    previous_table: str
    may_delete: bool


def scene(table: Table, holder: str, attendance: Attendance, now: float) -> Scene:
    """What the holder (of a seat, of several, or of none) may see at this moment.

    >>> scene(Table("t1"), "", Attendance((), ()), 0.0).onlooker
    True
    """
    mine = table.held_by(holder)
    host = is_host(table, holder)
    lobby = table.phase == Phase.LOBBY
    acting, legal = _acting(table, mine)
    viewer = viewer_place(table, holder)
    game = table.game
    recent, round_plies = _recent(game, viewer)
    persons = dict(table.persons())
    at_table = sits_here(table, holder)
    between = table.between_rounds
    return Scene(
        table_id=table.id,
        code=table.code,
        version=table.version,
        phase=table.phase.value,
        abandoned=table.abandoned,
        now=now,
        ruleset=table.ruleset,
        pace=table.pace,
        seats=tuple(
            _seat_scene(table, place, holder, attendance) for place in range(len(table.seats))
        ),
        open_seats=table.open_seats,
        mine=mine,
        onlooker=not mine,
        acting=acting,
        legal=legal,
        view=game.view(viewer) if game else None,
        recent=recent,
        round_plies=round_plies,
        sheet=game.score_sheet if game else None,
        between_rounds=between,
        continue_at=table.continue_at,
        may_ready=tuple(
            place for place in mine if between and place in persons and not persons[place].ready
        ),
        is_host=host,
        may_start=lobby and host and len(table.seats) >= MIN_SEATS,
        may_choose_rules=lobby and host,
        may_take_host=at_table and not host and host_is_missing(table, attendance),
        may_join=lobby and table.open_seats > 0,
        may_rematch=at_table and game is not None and game.is_over,
        rematch_absent=tuple(
            seat.name for place, seat in persons.items() if not attendance.is_here(place)
        )
        if table.phase == Phase.OVER
        else (),
        next_table=table.next,
        previous_table=table.previous,
        may_delete=not deletion_refusal(table, holder),
    )


def viewer_place(table: Table, holder: str) -> int | None:
    """The seat whose view a holder sees: the one that acts, else the first; None: an onlooker's."""
    mine = table.held_by(holder)
    acting, _legal = _acting(table, mine)
    return acting if acting is not None else next(iter(mine), None)


def _acting(table: Table, mine: tuple[int, ...]) -> tuple[int | None, tuple[int, ...]]:
    """The first of the viewer's seats that may act, and its actions."""
    if table.game is not None and table.phase == Phase.PLAYING:
        for place in mine:
            if legal := table.game.legal_actions(place):
                return place, tuple(legal)
    return None, ()


def _recent(game: Game | None, viewer: int | None) -> tuple[tuple[Ply, ...], int]:
    """The last plies as the viewer may know them, and how many of them are of this round."""
    if game is None:
        return (), 0
    tail = game.log[-RECENT:]
    seat = NOBODY if viewer is None else viewer
    plies = tuple(e for e in visible_log(game.state, seat, tail) if isinstance(e, Ply))
    of_round = 0
    for entry in reversed(tail):
        if isinstance(entry, Deal):
            break
        of_round += isinstance(entry, Ply)
    return plies, of_round


def _seat_scene(table: Table, place: int, holder: str, attendance: Attendance) -> SeatScene:
    seat = table.seats[place]
    game = table.game
    host = is_host(table, holder)
    lobby = table.phase == Phase.LOBBY
    is_the_host = seat.key == table.host
    return SeatScene(
        seat=place,
        name=seat.name,
        kind="person" if seat.is_person else "bot",
        bot=seat.bot,
        is_host=is_the_host,
        mine=holder in seat.holders,
        decides=table.has_to_decide(place),
        away_since=attendance.away_since[place],
        idle_since=attendance.idle_since[place],
        stand_in=seat.stand_in,
        left=seat.left,
        ready=seat.ready or not seat.is_person,
        total=game.state.totals[place] if game else 0,
        may_stand_in=not stand_in_refusal(table, holder, place, attendance),
        may_remove=lobby and host and not is_the_host,
        may_hand_over=host and not is_the_host and seat.is_person and not seat.left,
        may_forget=not forgetting_refusal(table, holder, place),
    )


def plain(value: Any) -> Any:
    """A scene, or a part of one, as JSON can hold it: objects by field, rulesets as text.

    >>> plain(Ply(0, 1))["card"] is None
    True
    """
    if isinstance(value, Ruleset):
        return value.text()
    if isinstance(value, View):
        return {name: plain(getattr(value, name)) for name, _length, _size in View.FIELDS}
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    return [plain(each) for each in value] if isinstance(value, tuple | list) else value
