"""Counting what an address or a seat does, with one number for each of them.

The generic cell rate algorithm: for every key the time is kept at which its account is empty
again. It costs the same for one key and for a hundred thousand, needs no timer, and a clock that
tests can move. (The usual library keeps a counter a key and window, scans all of them in a thread
whenever something is counted, and asks the wall clock: 63 microseconds a hit after 50,000
addresses, growing, and no bound on the number of addresses.)
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from itertools import islice
from typing import Final, NamedTuple

#: So many keys are remembered; an attacker with more addresses than that is not stopped by
#: counting addresses.
CAPACITY: Final = 100_000


class Rate(NamedTuple):
    """``most`` at once, and in the long run ``most`` every ``seconds``."""

    most: int
    seconds: float


class Throttle:
    """Lets each key do something as often as its rate allows.

    >>> throttle = Throttle(Rate(2, 10.0), clock=lambda: 0.0)
    >>> [throttle.take("a") for _ in range(4)], throttle.take("b")
    ([0.0, 0.0, 5.0, 5.0], 0.0)
    """

    def __init__(
        self,
        rate: Rate,
        clock: Callable[[], float] = time.monotonic,
        capacity: int = CAPACITY,
    ) -> None:
        if rate.most < 1 or rate.seconds <= 0 or capacity < 1:
            raise ValueError(f"{rate} allows nothing")
        self.rate = rate
        self._clock = clock
        self._capacity = capacity
        self._each = rate.seconds / rate.most
        #: When a key may do everything again; the keys in the order in which they came last.
        self._empty_at: OrderedDict[Hashable, float] = OrderedDict()

    def wait(self, key: Hashable) -> float:
        """Seconds until the key may do it once more, 0.0 if it may now; nothing is counted."""
        now = self._clock()
        used = max(self._empty_at.get(key, now) - now, 0.0)
        over = used + self._each - self.rate.seconds
        # Sums of fractions are not exact: what is as good as allowed is allowed.
        return over if over > 1e-6 else 0.0

    def take(self, key: Hashable) -> float:
        """Count one, unless that is too many: then the seconds to wait, and nothing is counted."""
        wait = self.wait(key)
        if not wait:
            self.count(key)
        return wait

    def count(self, key: Hashable) -> None:
        """Count one, whether it is allowed or not."""
        now = self._clock()
        self._empty_at[key] = max(self._empty_at.get(key, now), now) + self._each
        self._empty_at.move_to_end(key)
        self._forget(now)

    def give_back(self, key: Hashable) -> None:
        """What was counted last should not have been."""
        if key in self._empty_at:
            self._empty_at[key] -= self._each

    def __len__(self) -> int:
        """How many keys are remembered."""
        return len(self._empty_at)

    def _forget(self, now: float) -> None:
        """Let go of the oldest two that may do everything again, of others only if need be.

        More go than come, so that only those are remembered who came lately.
        """
        for oldest in list(islice(self._empty_at, 2)):
            if self._empty_at[oldest] <= now or len(self._empty_at) > self._capacity:
                del self._empty_at[oldest]
