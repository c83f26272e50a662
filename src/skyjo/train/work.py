"""One piece of training: a worker plays and learns some rounds, from given weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate
from typing import Any, Final

import numpy as np

from skyjo import jit
from skyjo.arena.orphans import end_with_parent
from skyjo.bots import Kernel
from skyjo.bots.greedy import greedy_action
from skyjo.bots.statistician import statistician_action
from skyjo.bots.threshold import threshold_action
from skyjo.bots.value.kernel import value_action
from skyjo.bots.value.layout import ACTIVE as MOST_INPUTS
from skyjo.bots.value.layout import HEADS, NOTES, SPACE_ROWS, UNITS, Array
from skyjo.bots.value.weights import Weights
from skyjo.rules.deal import DECK
from skyjo.rules.layout import State, View
from skyjo.sim import policies
from skyjo.sim.dealer import DEALER_FIELDS, Dealer
from skyjo.sim.dice import DICE_FIELDS
from skyjo.train.diet import Course
from skyjo.train.loop import (
    EXACT,
    FACTS,
    INPUTS,
    LEARNT,
    SAMPLES,
    SETTINGS,
    SUMS,
    TRACE,
    learn_rounds,
)

#: Who else plays in some of the rounds; the only number among theirs is the threshold.
POOL: Final[tuple[Kernel, ...]] = (greedy_action, statistician_action, threshold_action)
THRESHOLD: Final = 3.0


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """Rounds ``first`` to ``end`` - 1 of a seed, learnt from these tables of weights.

    ``rival`` are the numbers of a network (``weights.numbers_of``) that is the whole pool.
    """

    courses: Sequence[Course]
    seed: int
    first: int
    end: int
    settings: Array
    w: Array
    o: Array
    b: Array
    rival: Array | None = None
    compiled: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Learnt:
    """The weights that a task has ended with, and its sums (``loop.SUMS``)."""

    w: Array
    o: Array
    b: Array
    sums: Array


def learn_task(task: Task) -> Learnt:
    """Play and learn; the same task gives the same weights to the bit."""
    end_with_parent()
    kernel, arguments = _prepared(task)
    kernel(*arguments)
    w, o, b = arguments[_TABLES : _TABLES + 3]
    return Learnt(w, o, b, arguments[-1])


def watch(weights: Weights, course: Course, rounds: int, seed: int) -> tuple[Array, Array]:
    """What the network expected before each of its decisions, and what came out; it learns nothing.

    Two tables of a line for every decision that ended a turn or was to draw, heads in their units.
    """
    settings = np.zeros(SETTINGS, np.float32)
    settings[TRACE] = settings[EXACT] = 1
    only = (replace(course, share=1000),)
    task = Task(only, seed, 0, 0, settings, weights.w, weights.o, weights.b)
    kernel, arguments = _prepared(task)
    plan, heads, sums = arguments[3], arguments[-2], arguments[-1]
    lines = []
    for number in range(rounds):
        plan[:2] = number, number + 1
        sums[:] = 0
        kernel(*arguments)
        lines.append(heads[: int(sums[LEARNT])].copy())
    found = np.concatenate(lines) * np.array(UNITS * 2, np.float32)
    return found[:, :HEADS], found[:, HEADS:]


#: Where the weights are among the arguments of ``loop.learn_rounds``.
_TABLES: Final = 7


def _prepared(task: Task) -> tuple[Callable[..., None], tuple[Any, ...]]:
    """The loop and its arguments."""
    width = task.w.shape[1]
    kernels = POOL if task.rival is None else (value_action,)
    pool = np.array([THRESHOLD], np.float32) if task.rival is None else task.rival.copy()
    shares = np.array(list(accumulate(course.share for course in task.courses)), np.int64)
    tables = _records(task.courses) if task.compiled else _objects(task.courses)
    arguments = (
        *tables,
        np.array([task.first, task.end, task.seed], np.int64),
        task.settings,
        shares,
        pool,
        *(task.w.copy(), task.o.copy(), task.b.copy()),
        np.zeros((SPACE_ROWS, width), np.float32),
        np.zeros((2, MOST_INPUTS), np.float32),
        np.zeros(NOTES, np.float32),
        *_sample_tables(),
        np.zeros(SUMS),
    )
    return _compiled(kernels, arguments) if task.compiled else _interpreted(kernels), arguments


def _sample_tables() -> tuple[Array, ...]:
    return (
        np.zeros((SAMPLES, INPUTS), np.int64),
        np.zeros((SAMPLES, INPUTS), np.float32),
        np.zeros((SAMPLES, FACTS), np.int64),
        np.zeros((SAMPLES, 2 * HEADS), np.float32),
    )


def _compiled(kernels: tuple[Kernel, ...], arguments: tuple[Any, ...]) -> Callable[..., None]:
    return jit.compiled(learn_rounds, *arguments, instead={policies.act: policies.chain(kernels)})


@cache
def _interpreted(kernels: tuple[Kernel, ...]) -> Callable[..., None]:
    return jit.rebuilt(learn_rounds, {policies.act: policies.chain(kernels)})


def _records(courses: Sequence[Course]) -> tuple[Any, ...]:
    """States, views and a dealer as arrays of records."""
    states = [jit.to_record(State(course.seats, course.ruleset)) for course in courses]
    views = [jit.to_record(View(course.ruleset)) for course in courses]
    dice = jit.record_dtype(DICE_FIELDS)
    dealer = np.zeros(1, jit.record_dtype(DEALER_FIELDS, {"cards": dice, "play": dice}))
    dealer["fresh"][0] = DECK
    return np.concatenate(states), np.concatenate(views), dealer


def _objects(courses: Sequence[Course]) -> tuple[Any, ...]:
    """The same as plain objects."""
    states = [State(course.seats, course.ruleset) for course in courses]
    return states, [View(course.ruleset) for course in courses], [Dealer()]
