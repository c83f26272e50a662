"""From the points of a round to the probability to win the game.

What the network says of a round (means, second moments) is taken for a normal distribution of one's
own points and of the others' mean, in which each of the others lies around that mean as widely as
one's own points do, and higher or lower as its grid shows. Over a fixed sample of such endings the
share of the win (``skyjo.bots.equity``) is averaged.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import sqrt
from typing import Final

import numpy as np

from skyjo.bots.equity import share_of_win, table
from skyjo.bots.features import unseen_mean
from skyjo.bots.value.inputs import expected_sum
from skyjo.bots.value.layout import (
    OTHERS_POINTS,
    OTHERS_SQUARE,
    OWN_POINTS,
    OWN_SQUARE,
    PRODUCT,
    TURNS_LEFT,
    Array,
)
from skyjo.rules.layout import MAX_SEATS, NOBODY, View

#: Endings of the round that are looked at; each comes with its mirror image.
ENDINGS: Final = 96
#: After so many turns little is left of the differences between the grids.
FORGOTTEN: Final = 12.0


@cache
def sample() -> Array:
    """Standard normal numbers for one's own points, the others' mean, and each seat."""
    rng = np.random.default_rng(20)
    half = rng.standard_normal((ENDINGS // 2, 2 + MAX_SEATS))
    return np.concatenate([half, -half])


def game_won(view: View, values: Sequence[float]) -> float:
    """The probability that the view's seat wins the game; ``values`` are the heads in points."""
    own, others = values[OWN_POINTS], values[OTHERS_POINTS]
    wide = sqrt(max(0.01, values[OWN_SQUARE] - own * own))
    deep = sqrt(max(0.01, values[OTHERS_SQUARE] - others * others))
    bound = max(-0.95, min(0.95, (values[PRODUCT] - own * others) / (wide * deep)))
    rivals = [seat for seat in range(view.seats) if seat != view.seat and not view.left[seat]]
    apart = wide * sqrt(max(0, len(rivals) - 1) / max(1, len(rivals)))
    shifts = _shifts(view, rivals, values[TURNS_LEFT])
    totals = [float(total) for total in view.totals]
    numbers = table()
    found = 0.0
    for line in sample():
        common = bound * line[0] + sqrt(1 - bound * bound) * line[1]
        totals[view.seat] = view.totals[view.seat] + own + wide * line[0]
        rest = [line[2 + seat] for seat in rivals]
        middle = sum(rest) / max(1, len(rest))
        for seat, shift, off in zip(rivals, shifts, rest, strict=True):
            scale = sqrt(len(rest) / max(1, len(rest) - 1))
            points = others + deep * common + shift + apart * (off - middle) * scale
            totals[seat] = view.totals[seat] + points
        found += share_of_win(view, totals, 0.0, 0.0, numbers)
    return float(found / ENDINGS)


def _shifts(view: View, rivals: Sequence[int], turns: float) -> list[float]:
    """By how much each of the others should end above the mean of all of them."""
    mean = np.float32(unseen_mean(view))
    sums = [float(expected_sum(view, seat, mean)) for seat in rivals]
    middle = sum(sums) / max(1, len(sums))
    share = 1.0 if view.finisher != NOBODY else max(0.0, 1.0 - turns / FORGOTTEN)
    return [share * (each - middle) for each in sums]
