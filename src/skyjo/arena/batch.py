"""The unit of work of an arena: some duplicate sets of one line-up, played anywhere."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Final
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from skyjo import bots
from skyjo.arena.lineups import LineUp
from skyjo.arena.orphans import end_with_parent
from skyjo.bots import Bot
from skyjo.rules.ruleset import Ruleset
from skyjo.sim import Games, play_many_games

#: Round scores are counted from LOWEST_SCORE on, one by one; beyond the ends in the last bins.
LOWEST_SCORE: Final = -30
SCORES: Final = 230


@dataclass(frozen=True, slots=True)
class Setting:
    """What every batch of an arena has in common.

    ``players`` holds those bots that have no name to ``make`` them by. With ``interpreted`` nothing
    is compiled: slower, and the same results.
    """

    ruleset: Ruleset
    seed: int | str
    line_ups: tuple[LineUp, ...]
    players: Mapping[str, Bot]
    interpreted: bool = False

    def bots_of(self, line_up: LineUp) -> list[Bot]:
        """A bot for every seat, none of them twice."""
        return [replace(self.players[n]) if n in self.players else bots.make(n) for n in line_up]


@dataclass(frozen=True, slots=True)
class Task:
    """Sets ``first`` to ``first + sets - 1`` of line-up number ``line_up``."""

    line_up: int
    first: int
    sets: int


@dataclass(frozen=True, slots=True)
class Batch:
    """The outcome of a task: g games, a set of duplicates one after the other, s players.

    * ``shares`` (g, s) of the win, ``totals`` (g, s), ``points`` (g, s) of all rounds,
      ``penalties`` (g, s) how many, ``lengths`` (g) in rounds, ``limited`` (g) rounds that reached
      the turn limit;
    * ``scores`` (s, SCORES) how many rounds with each score, from LOWEST_SCORE;
    * ``faults`` by player: decisions that its program has lost, by kind.
    """

    task: Task
    shares: NDArray[np.float64]
    totals: NDArray[np.int64]
    points: NDArray[np.int64]
    penalties: NDArray[np.int64]
    lengths: NDArray[np.int64]
    limited: NDArray[np.int64]
    scores: NDArray[np.int64]
    faults: tuple[Mapping[str, int], ...]


def play_batch(setting: Setting, task: Task) -> Batch:
    """Play a task; the same outcome wherever and whenever."""
    end_with_parent()
    line_up = setting.line_ups[task.line_up]
    seats = len(line_up)
    players = setting.bots_of(line_up)
    games = play_many_games(
        players,
        task.sets * seats,
        seed=f"{setting.seed}/{','.join(line_up)}",
        first=task.first * seats,
        ruleset=setting.ruleset,
        duplicate=True,
        jobs=1,
        compiled=False if setting.interpreted else None,
    )
    return _outcome(task, games, tuple(_faults(player) for player in players))


def _faults(bot: Bot) -> Mapping[str, int]:
    """The faults of a program, which has done its work here."""
    if hasattr(bot.policy, "close"):
        bot.policy.close()
    return dict(getattr(bot.policy, "faults", Counter[str]()))


def _outcome(task: Task, games: Games, faults: tuple[Mapping[str, int], ...]) -> Batch:
    rounds = games.rounds
    seats = games.totals.shape[1]
    begins = np.cumsum(games.length) - games.length
    scores = games.rounds_by_player(rounds.scores)
    finished = rounds.finisher[:, None] == np.arange(seats)
    punished = games.rounds_by_player((finished & rounds.penalised[:, None]).astype(np.int64))
    bins = np.clip(scores - LOWEST_SCORE, 0, SCORES - 1)
    return Batch(
        task=task,
        shares=games.by_player(games.shares),
        totals=games.by_player(games.totals),
        points=np.add.reduceat(scores, begins),
        penalties=np.add.reduceat(punished, begins),
        lengths=games.length,
        limited=np.add.reduceat(rounds.limited.astype(np.int64), begins),
        scores=np.stack([np.bincount(bins[:, p], minlength=SCORES) for p in range(seats)]),
        faults=faults,
    )


# --- Keeping them ---------------------------------------------------------------------------------


def save(batch: Batch, folder: Path) -> None:
    """Keep a batch in a folder; a file is there completely or not at all."""
    arrays: dict[str, Any] = {
        field.name: getattr(batch, field.name)
        for field in fields(Batch)
        if field.name not in {"task", "faults"}
    }
    task = batch.task
    path = folder / f"{task.line_up:04}-{task.first:09}-{task.sets}.npz"
    unfinished = path.with_suffix(".unfinished")
    with unfinished.open("wb") as file:
        np.savez_compressed(file, faults=np.array(json.dumps(batch.faults)), **arrays)
    unfinished.replace(path)


def forget(folder: Path) -> None:
    """Delete all batches that are kept in a folder."""
    for path in [*folder.glob("*.npz"), *folder.glob("*.unfinished")]:
        path.unlink()


def load(folder: Path) -> list[Batch]:
    """All batches that are kept in a folder; one that cannot be read is left out."""
    found = []
    for path in sorted(folder.glob("*.npz")):
        try:
            with path.open("rb") as raw, np.load(raw) as file:
                arrays = {name: file[name] for name in file.files}
        except (OSError, ValueError, EOFError, KeyError, BadZipFile, zlib.error):
            continue
        faults = tuple(json.loads(str(arrays.pop("faults"))))
        line_up, first, sets = (int(part) for part in path.stem.split("-"))
        found.append(Batch(task=Task(line_up, first, sets), faults=faults, **arrays))
    return found
