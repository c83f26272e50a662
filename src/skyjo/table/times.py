"""Times that were noted, seen by a clock that may have been put back since.

A computer that corrects its clock makes times of the past lie ahead. What waits since then would
wait until they come again, an hour or a year; so it is taken to have waited long enough.
"""

from __future__ import annotations

from typing import Final

#: Seconds by which a clock may be put back and nobody minds the longer wait.
UNEVEN: Final = 5.0


def is_ahead(noted: float, now: float) -> bool:
    """Whether a time that was noted has not come yet, so that the clock was put back."""
    return noted > now + UNEVEN


def due_at(noted: float, wait: float, now: float) -> float:
    """When something is due that waits for so many seconds since a time.

    >>> due_at(100.0, 30.0, 110.0), due_at(3700.0, 30.0, 110.0)
    (130.0, 110.0)
    """
    return now if is_ahead(noted, now) else noted + wait
