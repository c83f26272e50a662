"""Ratings from games of any number of players, by the Plackett-Luce model of openskill.

R. Weng and C.-J. Lin, "A Bayesian approximation method for online ranking", 2011. Bots do not get
better while they play, so that their uncertainty only shrinks (``tau=0``). A rating is the model's
mean, 25 for an average bot; its interval comes from the model's standard deviation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from skyjo.arena.batch import Batch
from skyjo.arena.intervals import Estimate, around
from skyjo.arena.lineups import LineUp

#: So many games say enough; more are left out, of every line-up as many.
MOST_GAMES: Final = 20_000


def rate(
    line_ups: Sequence[LineUp], batches: Sequence[Batch], names: Sequence[str]
) -> dict[str, Estimate]:
    """The rating of every bot from the totals of all games, however they are cut into batches.

    A bot that sits at a table more than once plays there with its first seat only; games that it
    plays against nobody else are left out.
    """
    from openskill.models import PlackettLuce

    model = PlackettLuce(tau=0.0)
    ratings: dict[str, Any] = {name: model.rating() for name in names}
    games = sorted(
        (
            (_number(batch, game), batch.task.line_up, batch, game)
            for batch in batches
            for game in range(len(batch.lengths))
        ),
        key=lambda found: found[:2],
    )
    for _game, _line_up, batch, game in _mixed(games)[:MOST_GAMES]:
        line_up = line_ups[batch.task.line_up]
        players = {name: seat for seat, name in reversed(list(enumerate(line_up)))}
        if len(players) < 2:
            continue
        teams = [[ratings[name]] for name in players]
        totals = [float(batch.totals[game, seat]) for seat in players.values()]
        for name, (new,) in zip(players, model.rate(teams, ranks=totals), strict=True):
            ratings[name] = new
    return {name: around(rating.mu, rating.sigma) for name, rating in ratings.items()}


def _number(batch: Batch, game: int) -> int:
    """The number of a game in its line-up."""
    return batch.task.first * int(batch.totals.shape[1]) + game


def _mixed(games: list[tuple[int, int, Batch, int]]) -> list[tuple[int, int, Batch, int]]:
    """The games in another order, always the same, in which all line-ups take turns."""
    stride = next(n for n in range(7919, 10**9) if _coprime(n, len(games))) if games else 1
    return [games[place * stride % len(games)] for place in range(len(games))]


def _coprime(number: int, other: int) -> bool:
    while other:
        number, other = other, number % other
    return number == 1
