"""``scene(table, ...)``: everything that a page or a program may show to one viewer.

It is made of ``Game.view`` and ``rules.view.visible_log`` only, so that nothing hidden can be in
it. Pages and API render the same scene. A viewer is a device: it may hold no seat (an onlooker),
one, or several; then the page turns to the seat that acts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from skyjo.game import ScoreSheet
from skyjo.rules.layout import View
from skyjo.rules.plies import Ply
from skyjo.rules.ruleset import Ruleset
from skyjo.table.model import Table

#: How many plies back a scene tells what happened.
RECENT: Final = 24


@dataclass(frozen=True, slots=True)
class Attendance:
    """Who is at the table, as this process sees it; ``Presences`` makes it.

    By place: ``away_since`` the time from which a person has been away, None for who is here and
    for bots; ``idle_since`` the time from which somebody who is here has let the game wait for
    long. ``host_idle`` whether the host of a lobby does nothing.
    """

    away_since: tuple[float | None, ...]
    idle_since: tuple[float | None, ...]
    host_idle: bool = False

    @classmethod
    def everybody(cls, table: Table) -> Attendance:
        """Everybody is here and busy."""
        nothing = (None,) * len(table.seats)
        return cls(nothing, nothing)


@dataclass(frozen=True, slots=True)
class SeatScene:
    """One seat as a viewer sees it.

    ``seat`` is its place from 0; ``kind`` "person" or "bot", ``bot`` the bot's name; ``mine``
    whether the viewer holds it; ``decides`` whether the game waits for it. Times are seconds since
    1970. ``stand_in`` is "" or why a bot plays for the person ("away", "idle", "asked"). ``left``
    for good. ``ready`` for the next round (bots always are). What the viewer may do to it now:
    ``may_stand_in`` let a bot play for it, ``may_remove``, ``may_hand_over`` make it the host.
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
