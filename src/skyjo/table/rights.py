"""Who may do what to whom, as far as it depends on who is here. Commands and scenes ask this."""

from __future__ import annotations

from dataclasses import dataclass

from skyjo.table.model import Phase, Table


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

    def is_here(self, place: int) -> bool:
        """Whether the person of this place is here (bots always are)."""
        return self.away_since[place] is None

    def reason(self, place: int) -> str:
        """Why a bot may play for this place: "away", "idle", or "" if there is no reason."""
        if self.away_since[place] is not None:
            return "away"
        return "idle" if self.idle_since[place] is not None else ""


def is_host(table: Table, holder: str) -> bool:
    """Whether this holder holds the host's seat."""
    place = table.host_place
    return place >= 0 and holder in table.seats[place].holders


def sits_here(table: Table, holder: str) -> bool:
    """Whether this holder has a seat that has not left."""
    return any(not table.seats[place].left for place in table.held_by(holder))


def host_is_missing(table: Table, attendance: Attendance) -> bool:
    """Whether the host is away, idle, or lets a bot play, so that others may do the host's part."""
    place = table.host_place
    if place < 0 or attendance.host_idle:
        return True
    return bool(attendance.reason(place) or table.seats[place].stand_in)


def stand_in_refusal(table: Table, holder: str, place: int, attendance: Attendance) -> str:
    """The code of why this holder may not let a bot play for a seat now, "" if it may."""
    seat = table.seats[place]
    own = holder in seat.holders
    host = is_host(table, holder) or host_is_missing(table, attendance)
    if not own and not sits_here(table, holder):
        return "not_at_the_table"
    if not own and not host:
        return "not_host"
    if table.phase != Phase.PLAYING:
        return "not_started" if table.phase == Phase.LOBBY else "table_over"
    if not seat.is_person:
        return "not_a_person"
    if seat.left:
        return "has_left"
    if seat.stand_in:
        return "bot_plays_already"
    return "" if own or attendance.reason(place) else "not_away"


def deletion_refusal(table: Table, holder: str) -> str:
    """The code of why this holder may not delete the table now, "" if it may.

    The host may, unless others still play there.
    """
    if not is_host(table, holder):
        return "not_host"
    others = any(holder not in seat.holders for _place, seat in table.persons())
    return "not_over" if table.phase == Phase.PLAYING and others else ""


def forgetting_refusal(table: Table, holder: str | None, place: int) -> str:
    """The code of why the name of a seat may not be taken out of the table now, "" if it may.

    A person may have it taken out once they have left or the game is over; ``holder`` None is the
    hoster, who does it for others.
    """
    if not 0 <= place < len(table.seats):
        return "no_such_seat"
    seat = table.seats[place]
    if holder is not None and holder not in seat.holders:
        return "not_your_seat"
    if not seat.is_person:
        return "not_a_person"
    return "" if table.phase == Phase.OVER or seat.left else "not_over"


def all_ready(table: Table, attendance: Attendance) -> bool:
    """Whether everybody who is here and plays is ready for the next round."""
    return all(
        seat.ready or bool(seat.stand_in) or not attendance.is_here(place)
        for place, seat in table.persons()
    )


def next_host(table: Table, leaver: int, attendance: Attendance) -> int | None:
    """The place of who is the host after this one has left, None if no person is left.

    It is the next person clockwise who is here, else the next one.
    """
    count = len(table.seats)
    clockwise = [(leaver + step) % count for step in range(1, count)]
    others = [
        place for place in clockwise if (seat := table.seats[place]).is_person and not seat.left
    ]
    here = [place for place in others if attendance.is_here(place)]
    return next(iter(here or others), None)
