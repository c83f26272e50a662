"""The game's facts, as bots play it: ``skyjo stats``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skyjo.arena.intervals import Z
from skyjo.rules.layout import NOBODY
from skyjo.rules.ruleset import Ruleset
from skyjo.sim import Games, Player, play_many_games


@dataclass(frozen=True, slots=True)
class Facts:
    """What happens with so many players at the table; every mean with half its 95 % interval.

    Points and turns are a seat's in one round. ``starter_points`` is what the starter of a round
    makes more than the mean of the others (negative: an advantage), ``seat_wins`` the share of
    games won by seat, ``seat_points`` points in a round by seat, ``reshuffled`` the share of rounds
    in which the draw pile runs out, ``limited`` of those that reach the turn limit, and ``closed``
    the share of closed rounds that the starter closes.
    """

    seats: int
    games: int
    rounds: int
    points: tuple[float, float]
    rounds_per_game: tuple[float, float]
    turns: tuple[float, float]
    columns: tuple[float, float]
    penalised: tuple[float, float]
    starter_points: tuple[float, float]
    closed: tuple[float, float]
    seat_wins: tuple[float, ...]
    seat_points: tuple[float, ...]
    reshuffled: float
    limited: float

    def as_json(self) -> dict[str, Any]:
        """All of it, by name."""
        return asdict(self)


def facts(
    players: Sequence[Player],
    seats: int,
    games: int,
    *,
    ruleset: Ruleset | None = None,
    seed: int | str = 0,
    jobs: int | None = None,
) -> Facts:
    """Let bots play games with so many seats; seat after seat is taken by the next of them."""
    table = [players[seat % len(players)] for seat in range(seats)]
    sets = -(-games // seats)
    played = play_many_games(
        table,
        sets * seats,
        seed=f"facts/{seed}",
        ruleset=ruleset,
        duplicate=True,
        jobs=jobs,
    )
    return facts_of(played)


def facts_of(games: Games) -> Facts:
    """The facts of these games."""
    rounds = games.rounds
    seats = rounds.scores.shape[1]
    closed = rounds.finisher != NOBODY
    scores = rounds.scores.astype(np.float64)
    starter = np.take_along_axis(scores, rounds.starter[:, None].astype(np.int64), axis=1)[:, 0]
    others = (scores.sum(axis=1) - starter) / (seats - 1)
    return Facts(
        seats=seats,
        games=len(games),
        rounds=len(rounds),
        points=_mean(scores.mean(axis=1)),
        rounds_per_game=_mean(games.length.astype(np.float64)),
        turns=_mean(rounds.turns.mean(axis=1)),
        columns=_mean(rounds.columns.mean(axis=1)),
        penalised=_mean(rounds.penalised[closed].astype(np.float64)),
        starter_points=_mean(starter - others),
        closed=_mean((rounds.finisher == rounds.starter)[closed].astype(np.float64)),
        seat_wins=tuple(float(value) for value in games.shares.mean(axis=0)),
        seat_points=tuple(float(value) for value in scores.mean(axis=0)),
        reshuffled=float((rounds.reshuffles > 0).mean()),
        limited=float((~closed).mean()),
    )


def _mean(values: NDArray[np.float64]) -> tuple[float, float]:
    if len(values) == 0:
        return 0.0, 0.0
    spread = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    return float(values.mean()), Z * spread / sqrt(len(values))
