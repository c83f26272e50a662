"""What bulk play gives: NumPy arrays, one row a round or a game, one column a seat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skyjo.rules.layout import NOBODY

__all__ = ["Games", "Rounds"]

#: The type of every array made from a field of a row.
TYPES = {
    "game": np.int64,
    "round": np.int32,
    "starter": np.int8,
    "finisher": np.int8,
    "penalised": np.bool_,
    "reshuffles": np.int32,
    "plies": np.int32,
    "turns": np.int32,
    "columns": np.int8,
    "rows": np.int8,
    "raw": np.int16,
    "scores": np.int64,
    "totals": np.int64,
    "over": np.bool_,
    "won": np.bool_,
}


@dataclass(frozen=True, slots=True)
class Rounds:
    """Many rounds, in the order of their games.

    Of n rounds of s seats:

    * ``game`` (n) the number of the game, from 0; ``round`` (n) its number in the game, from 1;
    * ``starter`` (n) who played first; ``finisher`` (n) who closed the round, -1 when nobody did
      before the turn limit; ``penalised`` (n) whether the finisher was punished;
    * ``reshuffles`` (n); ``plies`` (n) actions, 0 where they are not counted;
    * ``turns`` (n, s) taken; ``columns`` and ``rows`` (n, s) laid down;
    * ``raw`` (n, s) points before and ``scores`` (n, s) after the penalty; ``totals`` (n, s) after
      the round;
    * ``over`` (n) whether the game ended with it, ``won`` (n, s) who won it then.
    """

    game: NDArray[np.int64]
    round: NDArray[np.int32]
    starter: NDArray[np.int8]
    finisher: NDArray[np.int8]
    penalised: NDArray[np.bool_]
    reshuffles: NDArray[np.int32]
    plies: NDArray[np.int32]
    turns: NDArray[np.int32]
    columns: NDArray[np.int8]
    rows: NDArray[np.int8]
    raw: NDArray[np.int16]
    scores: NDArray[np.int64]
    totals: NDArray[np.int64]
    over: NDArray[np.bool_]
    won: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.game)

    @property
    def winner(self) -> NDArray[np.bool_]:
        """Who had the fewest points in the round, several in a tie (n, s)."""
        lowest: NDArray[np.bool_] = self.scores == self.scores.min(axis=1, keepdims=True)
        return lowest

    @property
    def penalties(self) -> NDArray[np.int64]:
        """Points that the penalty added (n, s); none where it changes the total instead."""
        return np.subtract(self.scores, self.raw, dtype=np.int64)

    @property
    def decisions(self) -> NDArray[np.int64]:
        """Decisions in the sense of rules 2.18, two a turn (n)."""
        turns: NDArray[np.int64] = self.turns.sum(axis=1, dtype=np.int64)
        return turns * 2

    @property
    def limited(self) -> NDArray[np.bool_]:
        """Whether the turn limit ended the round (n)."""
        limited: NDArray[np.bool_] = self.finisher == NOBODY
        return limited


@dataclass(frozen=True, slots=True)
class Games:
    """Many games.

    Of g games of s seats:

    * ``totals`` (g, s) final points; ``won`` (g, s) who won, several in a tie;
    * ``length`` (g) how many rounds it took;
    * ``players`` (g, s) which entry of the line-up sat at each seat;
    * ``rounds`` all rounds of all games, by seat.
    """

    totals: NDArray[np.int64]
    won: NDArray[np.bool_]
    length: NDArray[np.int64]
    players: NDArray[np.int64]
    rounds: Rounds

    def __len__(self) -> int:
        return len(self.totals)

    @property
    def shares(self) -> NDArray[np.float64]:
        """The share of the win that every seat has: 1, or a part of it in a tie (g, s)."""
        shares: NDArray[np.float64] = self.won / self.won.sum(axis=1, keepdims=True)
        return shares

    def by_player(self, values: NDArray[Any]) -> NDArray[Any]:
        """A row for each game with columns by seat, as columns by entry of the line-up."""
        return _by_player(values, self.players)

    def rounds_by_player(self, values: NDArray[Any]) -> NDArray[Any]:
        """Same for a row for each round, as ``games.rounds.scores`` is."""
        return _by_player(values, self.players[self.rounds.game - self.rounds.game[0]])


def _by_player(values: NDArray[Any], players: NDArray[np.int64]) -> NDArray[Any]:
    sorted_values = np.empty_like(values)
    np.put_along_axis(sorted_values, players, values, axis=1)
    return sorted_values


def rounds_from(rows: NDArray[Any], seats: int) -> Rounds:
    """The rounds in an array of rows (``loop.ROW_FIELDS``)."""
    columns: dict[str, NDArray[Any]] = {}
    for name, kind in TYPES.items():
        column = rows["final" if name == "scores" else name]
        columns[name] = (column if column.ndim == 1 else column[:, :seats]).astype(kind)
    return Rounds(**columns)


def joined(parts: Sequence[Rounds]) -> Rounds:
    """All rounds of these parts, one after the other."""
    return Rounds(**{name: np.concatenate([getattr(p, name) for p in parts]) for name in TYPES})


def games_from(rounds: Rounds, rotations: int) -> Games:
    """The games that these rounds make."""
    last = np.flatnonzero(rounds.over)
    seats = rounds.scores.shape[1]
    games = rounds.game[last]
    players = (np.arange(seats)[None, :] + games[:, None] % rotations) % seats
    return Games(
        totals=rounds.totals[last],
        won=rounds.won[last],
        length=rounds.round[last].astype(np.int64),
        players=players,
        rounds=rounds,
    )
