"""95 % intervals from duplicate sets."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

#: Half the width of a 95 % interval in standard errors.
Z: Final = 1.959964


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its 95 % interval."""

    value: float
    low: float
    high: float

    @property
    def half(self) -> float:
        """Half the width of the interval."""
        return (self.high - self.low) / 2


def around(value: float, error: float) -> Estimate:
    """The interval of a value with this standard error.

    >>> around(10.0, 1.0).high
    11.959964
    """
    return Estimate(value, value - Z * error, value + Z * error)


def error_of_mean(parts: list[NDArray[np.float64]]) -> float:
    """The standard error of the mean of all values, drawn from several groups of their own mean.

    A group is a line-up and a value a duplicate set; a group of one value says nothing of how much
    it varies, and the error is infinite.
    """
    count = sum(len(part) for part in parts)
    if count == 0 or any(len(part) < 2 for part in parts):
        return inf
    return sqrt(sum(len(part) * float(part.var(ddof=1)) for part in parts)) / count


def share(parts: list[NDArray[np.float64]]) -> Estimate:
    """The mean of shares from 0 to 1, with an interval (Wilson's) that stays inside.

    The number of trials is that which would give the error that the sets show.

    >>> few = share([np.array([1.0, 1.0, 1.0, 1.0])])
    >>> few.value, round(few.low, 2), few.high
    (1.0, 0.51, 1.0)
    """
    values = np.concatenate(parts) if parts else np.zeros(0)
    if len(values) == 0:
        return Estimate(0.5, 0.0, 1.0)
    value = float(values.mean())
    error = error_of_mean(parts)
    if error == inf:
        return Estimate(value, 0.0, 1.0)
    trials = value * (1 - value) / error**2 if error > 0 else float(len(values))
    if trials <= 0:
        trials = float(len(values))
    centre = (value + Z**2 / (2 * trials)) / (1 + Z**2 / trials)
    half = Z / (1 + Z**2 / trials) * sqrt(value * (1 - value) / trials + Z**2 / (4 * trials**2))
    low, high = max(0.0, centre - half), min(1.0, centre + half)
    return Estimate(value, min(low, value), max(high, value))


def difference(parts: list[NDArray[np.float64]]) -> Estimate:
    """The mean of differences."""
    values = np.concatenate(parts) if parts else np.zeros(0)
    return around(float(values.mean()) if len(values) else 0.0, error_of_mean(parts))


def ratio(tops: list[NDArray[np.float64]], bottoms: list[NDArray[np.float64]]) -> Estimate:
    """The sum of the first over the sum of the second, as points over rounds."""
    below = sum(float(part.sum()) for part in bottoms)
    if below == 0:
        return Estimate(0.0, -inf, inf)
    value = sum(float(part.sum()) for part in tops) / below
    count = sum(len(part) for part in bottoms)
    rest = [top - value * bottom for top, bottom in zip(tops, bottoms, strict=True)]
    return around(value, error_of_mean(rest) * count / below)
