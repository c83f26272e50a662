"""``master``: the value network, aiming at the game and not at points.

Around the points that a round is likely to bring, the slopes of the probability to win the game
(:mod:`skyjo.bots.equity`) say what one's own points and those of the others are worth now. In the
middle of a game both count the same, as for who plays for points; when the next rounds decide it
they do not. Only slopes are used: with second moments, too, it played much worse (docs/players.md).

A column that may be kept (``player_choice``) goes if its cards cost points; that needs no network.
"""

from __future__ import annotations

import random
from functools import cache
from math import sqrt
from typing import Final

import numpy as np

from skyjo.bots import DICE, Bot
from skyjo.bots.equity import TABLE, Row, share_of_win, table
from skyjo.bots.features import remove_or_pass, unseen_mean
from skyjo.bots.judge import TURNS, TURNS_A_CARD, points
from skyjo.bots.value.kernel import act_by_utility, points_utility, value_action
from skyjo.bots.value.layout import (
    HEADER,
    NOTES,
    OTHERS_POINTS,
    OWN_POINTS,
    UTILITY_AT,
)
from skyjo.bots.value.numpy_look import interpreted
from skyjo.bots.value.weights import load, numbers
from skyjo.rules.actions import NO_SLOT
from skyjo.rules.layout import MAX_SEATS, MAY_REMOVE, NOBODY, SLOTS, View

# Where a bot's row of numbers holds what equity needs: in the header of its network the table and
# the sight of ``judge``; in the notes the totals that are likely after this round.
TABLE_AT: Final = 16
SIGHT_AT: Final = TABLE_AT + TABLE
LIKELY_AT: Final = 144

#: The polynomial is fitted on this many steps to either side, this far apart in deviations.
STEPS: Final = 2
STEP: Final = 0.75
#: Deviations of what a round brings: at its very end, for each hidden card, for each turn.
AT_THE_END: Final = 2.0
A_CARD: Final = 2.5
A_TURN: Final = 0.45
#: ``judge`` sees a round that has just begun as too dear: so much of it has to be left out.
TOO_DEAR: Final = 0.7
#: With smaller slopes nothing is at stake, and it plays for points; they always count that much.
FLATTEST: Final = 0.05
POINTS_TOO: Final = 0.75


def master_bot(name: str = "master", *, points: bool = False, weights: str = "main") -> Bot:
    """The bot; with ``points`` it plays for points as if the game's score were not known.

    Raises SkyjoError when there are no such weights.
    """
    policy = MasterPolicy(points=points, weights=weights)
    kernel = value_action if points else master_action
    row = header()
    found = numbers(weights, deep=True)
    return Bot(
        name, policy, kernel, (*found[:TABLE_AT], *row[TABLE_AT:], *found[HEADER:]), policy.act
    )


class MasterPolicy:
    """The policy in the interpreter; loads its weights when it is first asked."""

    def __init__(self, *, points: bool = False, weights: str = "main") -> None:
        self.points = points
        self.weights = weights

    def __call__(self, view: View, generator: random.Random) -> int:
        """The action of the view's seat."""
        return self.act(view, generator.randrange(DICE))

    def act(self, view: View, chance: int) -> int:
        """The same for a chance, as kernels get it."""
        if view.phase == MAY_REMOVE:
            return remove_or_pass(view)
        utility = points_utility if self.points else game_utility
        return interpreted(load(self.weights), utility, exact=True, deep=True)(view, chance)


@cache
def header() -> Row:
    """What equity needs of a bot's row of numbers, where it stands there."""
    row = np.zeros(HEADER, np.float32)
    row[TABLE_AT:SIGHT_AT] = table()
    row[SIGHT_AT : SIGHT_AT + 3] = 1
    return row


def game_utility(v: View, n: Row) -> None:
    """``equity_utility`` for the interpreter."""
    equity_utility(v, header(), n)


# --- Kernels --------------------------------------------------------------------------------------


def master_action(v: View, chance: int, numbers: Row) -> int:
    """The action after which the game is most likely to be won."""
    if v.phase == MAY_REMOVE:
        return remove_or_pass(v)
    equity_utility(v, numbers, numbers[len(numbers) - NOTES :])
    return act_by_utility(v, chance, numbers)


def equity_utility(v: View, numbers: Row, n: Row) -> None:
    """Weigh the heads of the value network by what they mean for the game.

    ``n`` are the network's notes in the bot's ``numbers``. In the middle of a game it is much as
    for points, and on the same scale, so that a turn costs the same.
    """
    points_utility(v, n)
    turns = likely_turns(v)
    likely_totals(v, numbers, n, turns)
    wide = STEP * deviation(turns, v.hidden[v.seat], 1)
    deep = STEP * deviation(turns, hidden_of_others(v), max(1, remaining(v) - 1))
    aim(v, numbers, n, wide, deep)


def deviation(turns: float, hidden: float, seats: int) -> float:
    """By how much the mean points of so many seats differ from what is likely."""
    return sqrt((A_CARD**2 * hidden + (A_TURN * turns) ** 2) / seats + AT_THE_END**2)


def hidden_of_others(v: View) -> float:
    """The mean number of the others' hidden cards."""
    total = 0.0
    for seat in range(v.seats):
        if seat != v.seat and not v.left[seat]:
            total += v.hidden[seat]
    return total / max(1, remaining(v) - 1)


def aim(v: View, numbers: Row, n: Row, wide: float, deep: float) -> None:
    """Fit a plane on a grid around the likely points, and write its slopes.

    ``wide`` and ``deep`` are the distances of the grid for own and others' points.
    """
    own = 0.0
    others = 0.0
    totals = n[LIKELY_AT : LIKELY_AT + MAX_SEATS]
    coefficients = numbers[TABLE_AT : TABLE_AT + TABLE]
    for a in range(-STEPS, STEPS + 1):
        for b in range(-STEPS, STEPS + 1):
            share = share_of_win(v, totals, a * wide, b * deep, coefficients)
            own -= share * a / wide
            others += share * b / deep
    most = max(own, others)
    if most >= FLATTEST:
        scale = (1.0 - POINTS_TOO) / most
        n[UTILITY_AT + OWN_POINTS] = -max(0.0, own) * scale - POINTS_TOO
        n[UTILITY_AT + OTHERS_POINTS] = max(0.0, others) * scale + POINTS_TOO


def remaining(v: View) -> int:
    """How many seats have not left."""
    seats = 0
    for seat in range(v.seats):
        if not v.left[seat]:
            seats += 1
    return seats


def likely_turns(v: View) -> float:
    """How many turns everybody has left in this round."""
    if v.finisher != NOBODY:
        return 0.0
    fewest = SLOTS
    for seat in range(v.seats):
        if not v.left[seat]:
            fewest = min(fewest, v.hidden[seat])
    return TURNS + TURNS_A_CARD * fewest


def likely_totals(v: View, numbers: Row, n: Row, turns: float) -> None:
    """Write by seat what the total will be after this round, from how ``judge`` sees it."""
    mean = unseen_mean(v)
    fewest = max(0.0, turns - TURNS) / (TURNS_A_CARD * SLOTS)
    kept = 1.0 - TOO_DEAR * sqrt(fewest)
    sight = numbers[SIGHT_AT : SIGHT_AT + 3]
    for seat in range(v.seats):
        last = 1.0 if v.pending[seat] else turns
        found = kept * points(v, seat, NO_SLOT, 0, last, mean, sight)
        n[LIKELY_AT + seat] = v.totals[seat] + found


#: What has to be compiled for this bot.
KERNELS: Final = (master_action, value_action)
