"""Who is at a table now, as one process sees it.

It is not stored: after a restart people come back by themselves.

A device is here while it has a connection, and for some seconds after its last sign of life, so
that a connection which is lost and comes back at once is not noticed. A page without scripts has no
connection, and does not reload itself while its reader thinks: they are given as long as somebody
who is here. A seat is here while one of its devices is. When the process starts everybody is taken
to have been here that moment.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from skyjo.table.model import Phase, Seat, Table
from skyjo.table.ports import Settings
from skyjo.table.rights import Attendance
from skyjo.table.times import due_at


@dataclass(slots=True)
class Device:
    """A holder: its open connections, when it was seen last and did something last.

    ``reads`` that it has a page open which has had no connection.
    """

    seen: float
    acted: float
    connections: int = 0
    reads: bool = False


@dataclass(slots=True)
class Presences:
    """Everybody at one table. ``since`` is the time before which this process knows nothing.

    ``arrived`` is when a seat came back last, by its key; ``returning`` the keys of seats that have
    come back and have not been welcomed yet.
    """

    settings: Settings
    since: float
    devices: dict[str, Device] = field(default_factory=dict)
    arrived: dict[int, float] = field(default_factory=dict)
    returning: set[int] = field(default_factory=set)

    def touch(
        self, table: Table, holder: str, now: float, *, acts: bool = False, reads: bool = False
    ) -> bool:
        """A sign of life of a device, with ``reads`` a page; whether a seat had been away."""
        came = [
            seat
            for place, seat in enumerate(table.seats)
            if holder in seat.holders and self.is_away(table, place, now)
        ]
        for seat in came:
            self.returning.add(seat.key)
            self.arrived[seat.key] = now
        device = self.devices.setdefault(holder, Device(now, self.since))
        device.seen = now
        device.reads = device.reads or (reads and not device.connections)
        if acts:
            device.acted = now
        return bool(came)

    def connect(self, table: Table, holder: str, now: float) -> bool:
        """A device has one more connection; whether a seat of it had been away."""
        came = self.touch(table, holder, now)
        self.devices[holder].connections += 1
        self.devices[holder].reads = False
        return came

    def disconnect(self, table: Table, holder: str, now: float) -> None:
        """A device has lost a connection; a mere onlooker is forgotten with the last one."""
        device = self.devices[holder]
        device.connections -= 1
        device.seen = now
        if not device.connections and not table.held_by(holder):
            del self.devices[holder]

    def tidy(self, table: Table) -> None:
        """Forget whoever has neither a seat nor a connection any more."""
        held, keys = table.holders, {seat.key for seat in table.seats}
        for holder in [each for each in self.devices if each not in held]:
            if not self.devices[holder].connections:
                del self.devices[holder]
        for key in self.arrived.keys() - keys:
            del self.arrived[key]
        self.returning &= keys

    def welcome(self, table: Table, holder: str) -> list[Seat]:
        """The device's seats that have come back since this was asked last."""
        back = [seat for seat in self._seats(table, holder) if seat.key in self.returning]
        self.returning.difference_update(seat.key for seat in back)
        return back

    def is_away(self, table: Table, place: int, now: float) -> bool:
        """Whether a seat has no connection and has been silent for longer than is forgiven."""
        seat = table.seats[place]
        return not self._connected(seat) and now >= self._away_from(table, place, now)

    def _away_from(self, table: Table, place: int, now: float) -> float:
        """The time from which a seat without a connection is away if nothing is heard of it."""
        seat = table.seats[place]
        reads = any(device.reads for device in self._devices(seat))
        thinks = reads and table.has_to_decide(place)
        forgiven = self.settings.idle_after if thinks else self.settings.away_after
        return due_at(self._seen(seat), max(forgiven, self.settings.away_after), now)

    def attendance(self, table: Table, now: float) -> Attendance:
        """Who is away and who lets the game wait, by place."""
        away: list[float | None] = []
        idle: list[float | None] = []
        for place, seat in enumerate(table.seats):
            gone = seat.is_person and not seat.left and self.is_away(table, place, now)
            away.append(self._seen(seat) if gone else None)
            waits = not gone and seat.plays_itself and table.has_to_decide(place)
            since = self._waits_since(seat)
            idles = waits and now >= due_at(since, self.settings.idle_after, now)
            idle.append(since if idles else None)
        return Attendance(tuple(away), tuple(idle), self._host_is_idle(table, now))

    def somebody_here(self, table: Table, now: float) -> bool:
        """Whether a person who has not left is here; without one a table stands still."""
        return any(not self.is_away(table, place, now) for place, _seat in table.persons())

    def next_change(self, table: Table, now: float) -> float:
        """The next time at which somebody becomes away or idle if nothing happens before."""
        times = [float("inf")]
        for place, seat in table.persons():
            if not self._connected(seat):
                times.append(self._away_from(table, place, now))
            if seat.plays_itself and table.has_to_decide(place):
                times.append(due_at(self._waits_since(seat), self.settings.idle_after, now))
        if table.phase == Phase.LOBBY:
            times.append(due_at(self._host_acted(table), self.settings.host_idle_after, now))
        return min(time for time in times if time > now)

    def last_seen(self) -> float:
        """When anybody was here last."""
        return max((device.seen for device in self.devices.values()), default=self.since)

    def was_here_since(self, time: float) -> bool:
        """Whether anybody has a connection or has given a sign of life since then."""
        return any(each.connections or each.seen > time for each in self.devices.values())

    def is_connected(self) -> bool:
        """Whether anybody has a connection, onlookers too."""
        return any(device.connections for device in self.devices.values())

    def _seats(self, table: Table, holder: str) -> Iterator[Seat]:
        return (seat for seat in table.seats if holder in seat.holders)

    def _devices(self, seat: Seat) -> Iterator[Device]:
        return (self.devices[holder] for holder in seat.holders if holder in self.devices)

    def _connected(self, seat: Seat) -> bool:
        return any(device.connections for device in self._devices(seat))

    def _seen(self, seat: Seat) -> float:
        return max((device.seen for device in self._devices(seat)), default=self.since)

    def _waits_since(self, seat: Seat) -> float:
        return max(seat.decision_at, self.arrived.get(seat.key, self.since))

    def _host_acted(self, table: Table) -> float:
        place = table.host_place
        host = self._devices(table.seats[place]) if place >= 0 else iter(())
        return max((device.acted for device in host), default=self.since)

    def _host_is_idle(self, table: Table, now: float) -> bool:
        silent = now >= due_at(self._host_acted(table), self.settings.host_idle_after, now)
        return table.phase == Phase.LOBBY and silent
