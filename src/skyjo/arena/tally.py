"""Adds up what has been played, and says how sure one can be."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from skyjo.arena.batch import LOWEST_SCORE, SCORES, Batch, Setting
from skyjo.arena.intervals import Estimate, difference, ratio, share
from skyjo.arena.ratings import rate

#: The longest game that is counted by its length; longer ones in the last place.
LONGEST: Final = 60


@dataclass(frozen=True, slots=True)
class BotResult:
    """One bot: ``wins`` the share of games won, ties split; penalties per round."""

    name: str
    games: int
    rounds: int
    wins: Estimate
    points_per_round: Estimate
    penalties_per_round: Estimate
    rating: Estimate
    scores: NDArray[np.int64]
    faults: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class PairResult:
    """Two bots in the same games: the first one's share of the win less the second one's."""

    first: str
    second: str
    games: int
    difference: Estimate


@dataclass(frozen=True, slots=True)
class ArenaResult:
    """Everything that a tournament has shown.

    ``lengths`` counts games by their number of rounds; ``limited`` rounds reached the turn limit.
    """

    bots: tuple[BotResult, ...]
    pairs: tuple[PairResult, ...]
    games: int
    rounds: int
    limited: int
    lengths: NDArray[np.int64]

    def bot(self, name: str) -> BotResult:
        """The result of one bot."""
        return next(bot for bot in self.bots if bot.name == name)

    @property
    def ranking(self) -> list[BotResult]:
        """The bots, the highest share of wins first."""
        return sorted(self.bots, key=lambda bot: -bot.wins.value)


@dataclass(slots=True)
class Tally:
    """The batches of a tournament so far."""

    setting: Setting
    batches: list[Batch] = field(default_factory=list)

    def add(self, batch: Batch) -> None:
        """One more batch, in any order."""
        self.batches.append(batch)

    @property
    def games(self) -> int:
        """How many games there are."""
        return sum(len(batch.lengths) for batch in self.batches)

    def names(self) -> list[str]:
        """Every bot once, in the order of the line-ups."""
        return list(dict.fromkeys(name for line_up in self.setting.line_ups for name in line_up))

    def in_order(self) -> list[Batch]:
        """The batches in an order that does not depend on who was ready first."""
        return sorted(self.batches, key=lambda batch: (batch.task.first, batch.task.line_up))

    def widest(self) -> float:
        """Half the widest interval of a share of wins."""
        parts = self._by_line_up()
        return max(self._wins(name, parts).half for name in self.names())

    def result(self) -> ArenaResult:
        """All figures."""
        parts = self._by_line_up()
        ratings = rate(self.setting.line_ups, self.in_order(), self.names())
        lengths = np.zeros(LONGEST + 1, np.int64)
        for batch in self.batches:
            lengths += np.bincount(np.minimum(batch.lengths, LONGEST), minlength=LONGEST + 1)
        return ArenaResult(
            bots=tuple(self._bot(name, parts, ratings[name]) for name in self.names()),
            pairs=tuple(
                self._pair(first, second, parts) for first, second in combinations(self.names(), 2)
            ),
            games=self.games,
            rounds=sum(int(batch.lengths.sum()) for batch in self.batches),
            limited=sum(int(batch.limited.sum()) for batch in self.batches),
            lengths=lengths,
        )

    # --- By line-up, set by set -------------------------------------------------------------------

    def _by_line_up(self) -> dict[int, _Sets]:
        batches: dict[int, list[Batch]] = defaultdict(list)
        for batch in self.in_order():
            batches[batch.task.line_up].append(batch)
        return {number: _sets(found) for number, found in batches.items()}

    def _entries(self, number: int, name: str) -> list[int]:
        line_up = self.setting.line_ups[number]
        return [entry for entry, other in enumerate(line_up) if other == name]

    def _wins(self, name: str, parts: Mapping[int, _Sets]) -> Estimate:
        return share(
            [
                sets.shares[:, entries].mean(axis=1)
                for number, sets in parts.items()
                if (entries := self._entries(number, name))
            ]
        )

    def _bot(self, name: str, parts: Mapping[int, _Sets], rating: Estimate) -> BotResult:
        mine = {number: entries for number in parts if (entries := self._entries(number, name))}
        rounds = [parts[number].rounds * len(entries) for number, entries in mine.items()]
        batches = [batch for batch in self.batches if batch.task.line_up in mine]
        scores = np.zeros(SCORES, np.int64)
        faults: Counter[str] = Counter()
        for batch in batches:
            for entry in mine[batch.task.line_up]:
                scores += batch.scores[entry]
                faults.update(batch.faults[entry])
        return BotResult(
            name=name,
            games=sum(len(batch.lengths) for batch in batches),
            rounds=int(sum(part.sum() for part in rounds)),
            wins=self._wins(name, parts),
            points_per_round=ratio(
                [parts[number].points[:, entries].sum(axis=1) for number, entries in mine.items()],
                rounds,
            ),
            penalties_per_round=ratio(
                [
                    parts[number].penalties[:, entries].sum(axis=1)
                    for number, entries in mine.items()
                ],
                rounds,
            ),
            rating=rating,
            scores=scores,
            faults=dict(faults),
        )

    def _pair(self, first: str, second: str, parts: Mapping[int, _Sets]) -> PairResult:
        found = []
        games = 0
        for number, sets in parts.items():
            mine, others = self._entries(number, first), self._entries(number, second)
            if mine and others:
                found.append(
                    sets.shares[:, mine].mean(axis=1) - sets.shares[:, others].mean(axis=1)
                )
                games += len(sets.rounds) * len(self.setting.line_ups[number])
        return PairResult(first, second, games, difference(found))


@dataclass(frozen=True, slots=True)
class _Sets:
    """One line-up, a row a duplicate set, a column a player: means of shares, sums of the rest."""

    shares: NDArray[np.float64]
    points: NDArray[np.float64]
    penalties: NDArray[np.float64]
    rounds: NDArray[np.float64]


def _sets(batches: Iterable[Batch]) -> _Sets:
    shares, points, penalties, rounds = [], [], [], []
    for batch in batches:
        seats = batch.shares.shape[1]
        shape = (-1, seats, seats)
        shares.append(batch.shares.reshape(shape).mean(axis=1))
        points.append(batch.points.reshape(shape).sum(axis=1, dtype=np.float64))
        penalties.append(batch.penalties.reshape(shape).sum(axis=1, dtype=np.float64))
        rounds.append(batch.lengths.reshape(-1, seats).sum(axis=1, dtype=np.float64))
    return _Sets(*(np.concatenate(each) for each in (shares, points, penalties, rounds)))


def score_axis() -> NDArray[np.int64]:
    """The score that every place of ``BotResult.scores`` counts."""
    return np.arange(LOWEST_SCORE, LOWEST_SCORE + SCORES)
