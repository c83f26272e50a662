"""Whether whoever keeps a pad is there, as one process sees it.

It is not stored: after a restart everybody is taken to have been there that moment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from skyjo.scorepad.model import Pad
from skyjo.table.times import due_at

#: Seconds without connection and request after which somebody counts as away. A telephone sleeps
#: while a round is played, and its keeper is there all the same.
AWAY_AFTER: Final = 300.0
#: So many devices are remembered before those are forgotten that are away anyway.
MANY: Final = 1024


@dataclass(slots=True)
class _Device:
    seen: float
    connections: int = 0


class Presence:
    """The devices that look at pads; ``clock`` tells the time in seconds."""

    def __init__(self, clock: Callable[[], float], away_after: float = AWAY_AFTER) -> None:
        self.away_after = away_after
        self._clock = clock
        self._since = clock()
        self._many = MANY
        self._devices: dict[tuple[str, str], _Device] = {}

    def touch(self, pad: Pad, holder: str) -> None:
        """A sign of life of a device at a pad; only those that keep it matter."""
        if holder in pad.keepers:
            self._device(pad.id, holder).seen = self._clock()

    @contextmanager
    def connected(self, pad_id: str, holder: str) -> Iterator[None]:
        """The device has a connection as long as the context is open."""
        device = self._device(pad_id, holder)
        device.connections += 1
        try:
            yield
        finally:
            device.connections -= 1
            device.seen = self._clock()

    def keeper_is_away(self, pad: Pad) -> bool:
        """Whether nobody who keeps this pad has been there for long."""
        now = self._clock()
        if now < due_at(max(self._since, pad.created), self.away_after, now):
            return False
        return not any(self._is_here(pad.id, holder, now) for holder in pad.keepers)

    def _is_here(self, pad_id: str, holder: str, now: float) -> bool:
        device = self._devices.get((pad_id, holder))
        if device is None:
            return False
        return device.connections > 0 or now < due_at(device.seen, self.away_after, now)

    def _device(self, pad_id: str, holder: str) -> _Device:
        if len(self._devices) >= self._many:
            self._forget()
        return self._devices.setdefault((pad_id, holder), _Device(self._clock()))

    def _forget(self) -> None:
        silent_before = self._clock() - self.away_after
        self._devices = {
            each: device
            for each, device in self._devices.items()
            if device.connections or device.seen > silent_before
        }
        self._many = max(MANY, 2 * len(self._devices))
