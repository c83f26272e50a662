"""``skyjo bench``: how fast this computer plays, as one JSON object."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from skyjo.cli.extras import needs
from skyjo.i18n import N_

if TYPE_CHECKING:
    from skyjo.sim import Rounds

#: Rounds of one batch by seats: about a tenth of a second each on one core.
BATCHES: Final = {2: 65_536, 4: 32_768, 8: 16_384}
GREEDY_BATCH: Final = 4096
INTERPRETED_BATCH: Final = 100
#: Tables of the vector environment, and steps of PettingZoo's between two looks at the clock.
ENV_TABLES: Final = 1024
ENV_STEPS: Final = 1000
#: At least so many rounds of every kind of random play, for the averages of rules 2.18.
LEAST_ROUNDS: Final = 200_000

START: Final = """
from skyjo import sim
sim.play_random_rounds(2, 1, compiled=True, jobs=1)
sim.play_many_rounds(["greedy", "greedy"], 1, compiled=True, jobs=1)
"""


@click.command(
    help=N_(
        "Measure how fast rounds are played here, compiled and interpreted, and print one JSON"
        " object. On a busy computer the figures are lower."
    )
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=1,
    metavar=N_("N"),
    help=N_("Play on so many cores at once instead of one."),
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=0),
    default=2.0,
    metavar=N_("SECONDS"),
    help=N_("Measure each kind of play for at least so long (2)."),
)
@click.option(
    "--no-compile-time",
    is_flag=True,
    help=N_("Do not measure how long the first start takes, which compiles everything."),
)
@needs("sim")
def bench(*, jobs: int, seconds: float, no_compile_time: bool) -> None:
    """Measure and print."""
    click.echo(json.dumps(measured(jobs, seconds, with_compile_time=not no_compile_time), indent=2))


def measured(jobs: int, seconds: float, *, with_compile_time: bool) -> dict[str, Any]:
    """All figures; the first key is ``random_compiled``."""
    return {
        "random_compiled": {
            str(seats): _random(seats, batch, jobs, seconds) for seats, batch in BATCHES.items()
        },
        "random_interpreted": {"2": _random_interpreted(seconds)},
        "greedy_compiled": {"2": _greedy(GREEDY_BATCH, jobs, seconds, compiled=True)},
        "greedy_interpreted": {"2": _greedy(INTERPRETED_BATCH, 1, seconds, compiled=False)},
        "environments": _environments(seconds),
        "start_seconds": _starts() if with_compile_time else None,
        "jobs": jobs,
        **_computer(),
    }


def _random(seats: int, batch: int, jobs: int, seconds: float) -> dict[str, Any]:
    from skyjo.sim import play_random_rounds

    return _rates(
        lambda first: play_random_rounds(
            seats, batch, seed="bench", first=first, jobs=jobs, compiled=True
        ),
        LEAST_ROUNDS,
        seconds,
    )


def _random_interpreted(seconds: float) -> dict[str, Any]:
    from skyjo.sim import play_random_rounds

    return _rates(
        lambda first: play_random_rounds(
            2, INTERPRETED_BATCH, seed="bench", first=first, jobs=1, compiled=False
        ),
        INTERPRETED_BATCH,
        seconds,
    )


def _greedy(batch: int, jobs: int, seconds: float, *, compiled: bool) -> dict[str, Any]:
    from skyjo.sim import play_many_rounds

    return _rates(
        lambda first: play_many_rounds(
            ["greedy", "greedy"], batch, seed="bench", first=first, jobs=jobs, compiled=compiled
        ),
        batch,
        seconds,
    )


def _rates(play: Callable[[int], Rounds], least: int, seconds: float) -> dict[str, Any]:
    """Batch after batch, until there are enough rounds and the time is up."""
    play(0)
    rounds = decisions = 0
    points = 0.0
    begin = time.perf_counter()
    while (spent := time.perf_counter() - begin) < seconds or rounds < least:
        found = play(rounds)
        rounds += len(found)
        decisions += int(found.decisions.sum())
        points += float(found.scores.mean()) * len(found)
    return {
        "decisions_per_s": round(decisions / spent),
        "rounds_per_s": round(rounds / spent),
        "decisions_per_round": round(decisions / rounds, 3),
        "mean_score": round(points / rounds, 3),
        "rounds": rounds,
    }


def _environments(seconds: float) -> dict[str, int] | None:
    """Steps a second of the research environments, if they are installed."""
    if any(importlib.util.find_spec(name) is None for name in ("gymnasium", "pettingzoo", "PIL")):
        return None
    return {
        "vector_steps_per_s": _vector_steps(seconds),
        "pettingzoo_steps_per_s": _pettingzoo_steps(seconds),
    }


def _vector_steps(seconds: float) -> int:
    """Two seats, random legal actions of whoever is on turn, observations and masks in place."""
    from skyjo.env import SkyjoVectorEnv

    envs = SkyjoVectorEnv(ENV_TABLES, seats=2, compiled=True, copy=False)
    envs.reset(seed=1)
    envs.step(envs.sample_actions())
    steps = waiting = 0
    begin = time.perf_counter()
    while (spent := time.perf_counter() - begin) < seconds or not steps:
        ended = envs.step(envs.sample_actions())[2]
        # A table that had ended has only begun its next episode.
        steps += ENV_TABLES - waiting
        waiting = int(ended.sum())
    return round(steps / spent)


def _pettingzoo_steps(seconds: float) -> int:
    """Two seats, random legal actions, every observation and mask taken, without wrappers."""
    import random

    from skyjo.env import skyjo_v0

    env = skyjo_v0.raw_env(seats=2, compiled=True)
    env.reset(seed=1)
    choice = random.Random(1).choice
    steps = 0
    begin = time.perf_counter()
    while (spent := time.perf_counter() - begin) < seconds or not steps:
        for _ in range(ENV_STEPS):
            observation, _reward, ended, cut_off, _info = env.last()
            if ended or cut_off:
                env.reset()
                continue
            env.step(choice(observation["action_mask"].nonzero()[0]))
            steps += 1
    return round(steps / spent)


def _starts() -> dict[str, float]:
    """Seconds from nothing to the first rounds: compiled there and then, and from the cache."""
    with tempfile.TemporaryDirectory() as folder:
        return {name: round(_start(folder), 2) for name in ("cold", "cached")}


def _start(cache: str) -> float:
    begin = time.perf_counter()
    subprocess.run(  # noqa: S603 - our own interpreter and our own line
        [sys.executable, "-c", START],
        check=True,
        capture_output=True,
        env={**os.environ, "SKYJO_KERNEL_CACHE": cache},
    )
    return time.perf_counter() - begin


def _computer() -> dict[str, Any]:
    import skyjo
    from skyjo import jit

    versions = jit.versions()
    return {
        "processor": _processor() or versions["processor"],
        "cores": os.cpu_count(),
        "versions": {"skyjo": skyjo.__version__, **versions},
    }


def _processor() -> str:
    """What Linux calls the processor, empty elsewhere."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    return next((line.partition(":")[2].strip() for line in lines if "model name" in line), "")
