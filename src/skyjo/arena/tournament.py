"""Plays a tournament: in batches, on this computer or many, to be stopped and resumed."""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import importlib.util
import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import skyjo
from skyjo import bots
from skyjo.arena.batch import Batch, Setting, Task, forget, load, play_batch, save
from skyjo.arena.lineups import LineUp, check_seats
from skyjo.arena.tally import Tally
from skyjo.bots import Bot
from skyjo.errors import MalformedError, SkyjoError
from skyjo.i18n import N_
from skyjo.locks import holding
from skyjo.rules.ruleset import Ruleset
from skyjo.sim import TURN_LIMIT, prepare

BACKENDS: Final = ("loky", "dask", "ray")
#: Games of one batch, at most: bots that are compiled, and all others.
FAST_GAMES: Final = 1000
SLOW_GAMES: Final = 40
#: Between two looks at the intervals (``until``) every line-up plays so many batches.
BATCHES: Final = 4
#: The process that plays a tournament holds this file in its folder.
LOCK: Final = "tournament.lock"
IN_USE: Final = N_(
    "Another process ({holder}) plays this tournament; its games are in {folder}. Wait for it or"
    " stop it, then --resume goes on with them; or give another --seed."
)
#: Where ``until`` gives up.
MOST_GAMES: Final = 1_000_000

#: Called with the tally and the number of all games, None when that is not known.
Progress = Callable[[Tally, int | None], None]


@dataclass(frozen=True, slots=True)
class Workers:
    """Who plays: so many processes, or those of a cluster at ``address``."""

    jobs: int = 1
    backend: str = "loky"
    address: str | None = None


def setting_of(
    players: Sequence[Bot | str],
    line_ups: Sequence[LineUp],
    *,
    ruleset: Ruleset | None = None,
    seed: int | str = 0,
    interpreted: bool = False,
) -> Setting:
    """What a tournament of these bots is played under.

    A ruleset without a ``turn_limit`` gets one of 200, so that every round ends. Raises
    MalformedError for a bot that does not exist or is named twice.
    """
    names = [player if isinstance(player, str) else player.name for player in players]
    for name in names:
        if names.count(name) > 1:
            raise MalformedError(N_("the bot {name} is named twice"), name=name)
    for player in players:
        if isinstance(player, str):
            bots.make(player)
    for line_up in line_ups:
        check_seats(len(line_up))
    ruleset = ruleset or Ruleset()
    return Setting(
        ruleset=ruleset if ruleset.turn_limit else replace(ruleset, turn_limit=TURN_LIMIT),
        seed=seed,
        line_ups=tuple(line_ups),
        players={player.name: player for player in players if isinstance(player, Bot)},
        interpreted=interpreted,
    )


def run(
    setting: Setting,
    games: int,
    *,
    until: float | None = None,
    workers: Workers | None = None,
    folder: Path | None = None,
    afresh: bool = False,
    progress: Progress | None = None,
) -> Tally:
    """Play so many games of every line-up, rounded up to whole duplicate sets.

    With ``until`` it stops as soon as half the interval of every share of wins is that narrow; it
    looks after fixed numbers of games, so that the outcome never depends on the workers. Batches
    that are kept in ``folder`` are not played again, unless it is to begin ``afresh``, and new ones
    are kept there. ``progress`` is called with the tally and the number of all games, None if that
    is not known.

    Whatever stops it (Ctrl-C), all finished batches are in the folder. Raises SkyjoError when
    another process plays with the same folder.
    """
    tally = Tally(setting)
    total = (
        None
        if until is not None
        else sum(_games(setting, number, games) for number in _all(setting))
    )
    with _kept(folder, afresh) as known, _pool(workers or Workers()) as played:
        for wave in _waves(setting, games, all_at_once=until is None):
            for batch in _batches(setting, wave, known, played):
                if folder is not None and batch.task not in known:
                    save(batch, folder)
                tally.add(batch)
                if progress is not None:
                    progress(tally, total)
            if until is not None and tally.widest() <= until:
                break
    return tally


def warm_up(setting: Setting) -> None:
    """Compile here what the line-ups need, before many processes want it at once."""
    for line_up in () if setting.interpreted else setting.line_ups:
        prepare(setting.bots_of(line_up))


def _all(setting: Setting) -> range:
    return range(len(setting.line_ups))


def _games(setting: Setting, number: int, games: int) -> int:
    seats = len(setting.line_ups[number])
    return -(-games // seats) * seats


def _tasks(setting: Setting, number: int, games: int) -> list[Task]:
    """The batches of one line-up."""
    line_up = setting.line_ups[number]
    compiled = (
        not setting.interpreted
        and importlib.util.find_spec("numba") is not None
        and all(bot.kernel is not None for bot in setting.bots_of(line_up))
    )
    size = max(1, (FAST_GAMES if compiled else SLOW_GAMES) // len(line_up))
    sets = -(-games // len(line_up))
    return [Task(number, first, min(size, sets - first)) for first in range(0, sets, size)]


def _waves(setting: Setting, games: int, *, all_at_once: bool) -> Iterator[list[Task]]:
    """Batches of all line-ups in turn."""
    by_line_up = [_tasks(setting, number, games) for number in _all(setting)]
    longest = max(len(tasks) for tasks in by_line_up)
    in_turn = [
        [tasks[place] for tasks in by_line_up if place < len(tasks)] for place in range(longest)
    ]
    step = longest if all_at_once else BATCHES
    for place in range(0, longest, step):
        yield [task for tasks in in_turn[place : place + step] for task in tasks]


Played = Callable[[Setting, list[Task]], Iterator[Batch]]


def _batches(
    setting: Setting, wave: list[Task], known: dict[Task, Batch], played: Played
) -> Iterator[Batch]:
    yield from (known[task] for task in wave if task in known)
    yield from played(setting, [task for task in wave if task not in known])


# --- Workers --------------------------------------------------------------------------------------


@contextlib.contextmanager
def _pool(workers: Workers) -> Iterator[Played]:
    """A function that plays tasks somewhere."""
    if workers.backend == "loky" and workers.jobs == 1:
        yield _played_here
        return
    import joblib

    with backend(workers), joblib.Parallel(n_jobs=workers.jobs) as parallel:

        def played(setting: Setting, tasks: list[Task]) -> Iterator[Batch]:
            step = 4 * max(1, workers.jobs)
            for place in range(0, len(tasks), step):
                yield from parallel(
                    joblib.delayed(play_batch)(setting, task)
                    for task in tasks[place : place + step]
                )

        yield played


def _played_here(setting: Setting, tasks: list[Task]) -> Iterator[Batch]:
    return (play_batch(setting, task) for task in tasks)


@contextlib.contextmanager
def backend(workers: Workers) -> Iterator[None]:
    """Make joblib use processes here, a Dask or a Ray cluster."""
    import joblib

    try:
        if workers.backend == "dask":
            with _dask(workers), joblib.parallel_config("dask"):
                yield
        elif workers.backend == "ray":
            _ray(workers)
            with joblib.parallel_config("ray"):
                yield
        else:
            with joblib.parallel_config("loky"):
                yield
    except ModuleNotFoundError as missing:
        raise SkyjoError(
            N_("this needs the package {name}; in a checkout of skyjo: pip install '.[{extra}]'"),
            name=missing.name,
            extra=workers.backend,
        ) from missing


def _dask(workers: Workers) -> Any:
    distributed: Any = importlib.import_module("dask.distributed")
    if workers.address:
        return distributed.Client(workers.address)
    cluster = distributed.LocalCluster(
        n_workers=workers.jobs, threads_per_worker=1, dashboard_address=None
    )
    return _closing_both(distributed.Client(cluster), cluster)


@contextlib.contextmanager
def _closing_both(client: Any, cluster: Any) -> Iterator[None]:
    with cluster, client:
        yield


def _ray(workers: Workers) -> None:
    import ray
    from ray.util.joblib import register_ray

    ray.init(
        address=workers.address,
        num_cpus=None if workers.address else workers.jobs,
        include_dashboard=False,
        ignore_reinit_error=True,
    )
    register_ray()


# --- Progress that is kept ------------------------------------------------------------------------


def folder_of(setting: Setting) -> Path:
    """Where the batches of a tournament are kept: the same bots, line-ups, ruleset and seed.

    How many games are played does not matter, so that one may ask for more of them later.
    """
    told = [skyjo.__version__, setting.ruleset.text(), str(setting.seed), setting.line_ups]
    digest = hashlib.blake2b(json.dumps(told).encode(), digest_size=12).hexdigest()
    return _state_folder() / "arena" / digest


@contextlib.contextmanager
def _kept(folder: Path | None, afresh: bool) -> Iterator[dict[Task, Batch]]:
    """What is kept in a folder, which no other process uses meanwhile."""
    if folder is None:
        yield {}
        return
    folder.mkdir(parents=True, exist_ok=True)
    with holding(folder / LOCK, IN_USE, folder=folder):
        if afresh:
            forget(folder)
        yield {batch.task: batch for batch in load(folder)}


def _state_folder() -> Path:
    if named := os.environ.get("SKYJO_STATE"):
        return Path(named)
    import platformdirs

    return Path(platformdirs.user_state_dir("skyjo", appauthor=False))
