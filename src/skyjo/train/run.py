"""Training from a seed: generations, checkpoints, and what is told of them.

In each *generation* every worker goes on from the same weights with rounds of its own; then the
weights of all workers are averaged, in their order. So the outcome depends on the seed and the
number of workers only, not on who is quicker. The learning rate falls from generation to
generation; what is kept in the end is an average of the weights of the last ones.
"""

from __future__ import annotations

import io
import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np

import skyjo
from skyjo.arena.tournament import BACKENDS, Workers, backend
from skyjo.bots.value.layout import Array
from skyjo.bots.value.weights import (
    DAMAGED,
    Weights,
    as_bytes,
    fit_together,
    load,
    numbers_of,
    random_weights,
)
from skyjo.errors import SkyjoError
from skyjo.i18n import N_
from skyjo.locks import holding
from skyjo.sim.dice import seed_number
from skyjo.train import loop
from skyjo.train.diet import all_courses, first_courses
from skyjo.train.work import POOL, Learnt, Task, learn_task

__all__ = ["BACKENDS", "Plan", "Progress", "Training", "Workers", "train"]

CHECKPOINT: Final = "checkpoint.npz"
#: The process that trains in a folder holds this file in it.
LOCK: Final = "training.lock"
IN_USE: Final = N_(
    "Another process ({holder}) trains in {folder}. Name another folder; or wait for it or stop it,"
    " then the same command goes on from where it was."
)
#: Rounds of a generation of the whole training, of all workers together.
FULL_ROUNDS: Final = 8000
#: Share of the generations that play two seats only, to begin with.
FIRST_PART: Final = 0.03
#: The average of the weights follows with this weight in every generation.
FOLLOW: Final = 0.1


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that the weights depend on.

    ``rounds`` is what one worker plays in one generation; ``width`` the number of hidden units;
    the learning rate falls from ``rate`` to ``last_rate``; ``trace`` is the lambda of TD(lambda);
    ``explore`` the share of decisions left to chance, ``pool`` of rounds with other bots.

    ``against`` names weights: then it goes on from those, with two seats and the official rules,
    and learns only to beat them as they are, which shows how much is left to gain.
    """

    seed: str = "1"
    jobs: int = 1
    width: int = 128
    generations: int = 600
    rounds: int = FULL_ROUNDS
    rate: float = 0.005
    last_rate: float = 0.0003
    trace: float = 0.7
    explore: float = 0.02
    pool: float = 0.25
    against: str = ""
    start: str = ""

    def rate_of(self, generation: int) -> float:
        """The learning rate of a generation (from 0).

        >>> Plan(rate=0.01, last_rate=0.001, generations=11).rate_of(10)
        0.001
        """
        part = generation / max(1, self.generations - 1)
        return float(round(self.rate * (self.last_rate / self.rate) ** part, 12))

    def settings_of(self, generation: int) -> Array:
        """The settings of ``loop``."""
        found = np.zeros(loop.SETTINGS, np.float32)
        found[loop.RATE] = self.rate_of(generation)
        found[loop.TRACE] = self.trace
        found[loop.EXPLORE] = self.explore
        found[loop.POOL] = 1 if self.against else self.pool
        found[loop.POOL_SIZE] = 1 if self.against else len(POOL)
        return found


def full_plan(seed: str, jobs: int) -> Plan:
    """The whole training: the rounds of a generation are shared by the workers."""
    return Plan(seed, jobs, rounds=-(-FULL_ROUNDS // jobs))


def smoke_plan(seed: str, jobs: int) -> Plan:
    """A tiny network, a few rounds."""
    return Plan(seed, jobs, width=16, generations=5, rounds=40)


def plan_against(plan: Plan, weights: str) -> Plan:
    """The plan, to beat these weights only: smaller steps, since it begins with good ones."""
    return replace(
        plan, against=weights, width=load(weights).width, rate=plan.rate / 4, explore=0.01
    )


def plan_from(plan: Plan, weights: str) -> Plan:
    """The plan, going on from these weights with smaller steps."""
    return replace(plan, start=weights, width=load(weights).width, rate=plan.rate / 4)


@dataclass(slots=True)
class Training:
    """Where a training stands.

    ``mean`` is the average of the weights over the last generations; ``rival`` the weights that are
    to be beaten, as they were when this process began; ``history`` has a line for
    each generation: rounds so far, seconds so far, points and turns of a seat in a round, root of
    the mean squared error of its own points.
    """

    plan: Plan
    weights: Weights
    mean: Weights
    generation: int = 0
    seconds: float = 0.0
    history: list[list[float]] = field(default_factory=list)
    rival: Weights | None = None

    @property
    def done(self) -> bool:
        """Whether all generations have been played."""
        return self.generation >= self.plan.generations

    def result(self) -> Weights:
        """The weights to play with, and how they were made."""
        about = {
            **asdict(self.plan),
            "generations": self.generation,
            "rounds_played": int(sum(line[0] for line in self.history[-1:])),
            "seconds": round(self.seconds),
            "version": skyjo.__version__,
        }
        return Weights(self.mean.w, self.mean.o, self.mean.b, about)


Progress = Callable[[Training], None]


def train(
    plan: Plan,
    folder: Path,
    *,
    workers: Workers | None = None,
    progress: Progress | None = None,
    compiled: bool = True,
) -> Training:
    """Train, or go on from the checkpoint in ``folder``; the same plan gives the same weights.

    ``progress`` is called after every generation, when its checkpoint has been written: whatever
    stops the process, at most one generation is lost. Raises SkyjoError when the checkpoint in the
    folder belongs to another plan, or another process trains in it.
    """
    new = None if folder.exists() else begin(plan)  # what cannot be trained makes no folder
    folder.mkdir(parents=True, exist_ok=True)
    with holding(folder / LOCK, IN_USE, folder=folder):
        training = load_checkpoint(folder, plan) or new or begin(plan)
        if compiled and not training.done:
            learn_task(replace(tasks_of(training)[0], first=0, end=0))  # compiles, once for all
        with _workers(workers or Workers(plan.jobs)) as learn:
            while not training.done:
                began = time.perf_counter()
                step(training, learn(tasks_of(training, compiled=compiled)))
                training.seconds += time.perf_counter() - began
                training.history[-1][1] = round(training.seconds, 1)
                save_checkpoint(training, folder)
                if progress is not None:
                    progress(training)
    return training


def begin(plan: Plan) -> Training:
    """A training that has not begun."""
    if plan.against or plan.start:
        weights = load(plan.against or plan.start)
    else:
        weights = random_weights(plan.width, seed_number(plan.seed))
    return Training(plan, weights, weights, rival=_rival(plan))


def _rival(plan: Plan) -> Weights | None:
    return load(plan.against) if plan.against else None


def tasks_of(training: Training, *, compiled: bool = True) -> list[Task]:
    """What the workers have to do in the coming generation."""
    plan, generation, weights = training.plan, training.generation, training.weights
    early = generation < FIRST_PART * plan.generations and not plan.start
    courses = first_courses() if early or plan.against else all_courses()
    rival = None if training.rival is None else numbers_of(training.rival, exact=False)
    first = generation * plan.jobs * plan.rounds
    return [
        Task(
            courses,
            seed_number(plan.seed),
            first + job * plan.rounds,
            first + (job + 1) * plan.rounds,
            plan.settings_of(generation),
            weights.w,
            weights.o,
            weights.b,
            rival,
            compiled,
        )
        for job in range(plan.jobs)
    ]


def step(training: Training, found: Sequence[Learnt]) -> None:
    """Take the workers' weights together, in their order; a generation is over."""
    plan = training.plan
    merged = _with_tables(lambda name: _mean([getattr(each, name) for each in found]))
    training.weights = merged
    share = np.float32(max(FOLLOW, 1 / (training.generation + 1)))
    before = training.mean

    def nearer(name: str) -> Array:
        old: Array = getattr(before, name)
        return old + share * (getattr(merged, name) - old)

    training.mean = _with_tables(nearer)
    training.generation += 1
    sums = sum((each.sums for each in found), np.zeros(loop.SUMS))
    rounds = max(1.0, float(sums[loop.ROUNDS]))
    error = float(np.sqrt(sums[loop.ERRORS] / max(1.0, float(sums[loop.LEARNT]))))
    training.history.append(
        [
            training.generation * plan.jobs * plan.rounds,
            0.0,
            round(float(sums[loop.POINTS]) / rounds, 3),
            round(float(sums[loop.TURNS]) / rounds, 3),
            round(20 * error, 3),
        ]
    )


def _with_tables(table: Callable[[str], Array]) -> Weights:
    return Weights(table("w"), table("o"), table("b"), {})


def _mean(tables: Sequence[Array]) -> Array:
    total = tables[0].astype(np.float64)
    for table in tables[1:]:
        total = total + table
    return (total / len(tables)).astype(np.float32)


Learn = Callable[[Sequence[Task]], list[Learnt]]


@contextmanager
def _workers(workers: Workers) -> Iterator[Learn]:
    """A function that does tasks somewhere and gives their outcomes in order."""
    if workers.backend == "loky" and workers.jobs == 1:
        yield lambda tasks: [learn_task(task) for task in tasks]
        return
    import joblib

    with backend(workers), joblib.Parallel(n_jobs=workers.jobs) as parallel:
        yield lambda tasks: list(parallel(joblib.delayed(learn_task)(task) for task in tasks))


# --- Checkpoints ----------------------------------------------------------------------------------


def save_checkpoint(training: Training, folder: Path) -> None:
    """Everything that going on needs, in one file that is replaced at once.

    Raises OSError with the name of the file, of which nothing is left then.
    """
    told = {
        "plan": asdict(training.plan),
        "generation": training.generation,
        "seconds": training.seconds,
        "history": training.history,
        "version": skyjo.__version__,
    }
    tables: dict[str, Any] = {name: getattr(training.weights, name) for name in "wob"}
    tables |= {f"mean_{name}": getattr(training.mean, name) for name in "wob"}
    with _replacing(folder / CHECKPOINT) as file:
        np.savez(file, told=np.array(json.dumps(told)), **tables)


@contextmanager
def _replacing(path: Path) -> Iterator[BinaryIO]:
    """A new file that takes the place of the old one when the block has written all of it."""
    new = path.with_name(f"{path.name}.new")
    try:
        with new.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        with suppress(OSError):
            new.unlink()
        raise OSError(error.errno, error.strerror, str(new)) from error
    new.replace(path)


def load_checkpoint(folder: Path, plan: Plan) -> Training | None:
    """The training in this folder, None without one."""
    if not (folder / CHECKPOINT).exists():
        return None
    try:
        text = (folder / CHECKPOINT).read_bytes()
        with np.load(io.BytesIO(text), allow_pickle=False) as found:
            told = json.loads(str(found["told"]))
            weights = _with_tables(lambda name: found[name])
            mean = _with_tables(lambda name: found[f"mean_{name}"])
            done = (told["generation"], told["seconds"], [*told["history"]])
            same = told["plan"] == asdict(plan)
    except DAMAGED as wrong:
        raise SkyjoError(
            N_("{path} is no checkpoint of a training; delete it to begin afresh"),
            path=folder / CHECKPOINT,
        ) from wrong
    if not same or not all(fit_together(each.w, each.o, each.b) for each in (weights, mean)):
        raise SkyjoError(
            N_("{path} belongs to a training with other settings; give the same ones or delete it"),
            path=folder / CHECKPOINT,
        )
    return Training(plan, weights, mean, *done, rival=_rival(plan))


def save_result(training: Training, path: Path) -> None:
    """The file of weights that a bot can play with; it replaces an older one at once."""
    with _replacing(path) as file:
        file.write(as_bytes(training.result()))
