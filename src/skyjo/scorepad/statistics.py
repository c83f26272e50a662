"""What a circle's games come to: a season table, who beats whom, and how it went over time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from skyjo.scorepad.circle import Circle, year_of
from skyjo.scorepad.circle_events import GameCounted

#: A chart has at most so many places from left to right.
MOST_POINTS = 60


@dataclass(slots=True)
class Standing:
    """One member in a season.

    ``wins`` shared ones included, ``shared`` how many of them were; ``rounds`` played, ``points``
    in them after penalties; ``best`` and ``worst`` round; ``closed`` rounds, ``penalties`` got.
    """

    key: int
    name: str
    games: int = 0
    wins: int = 0
    shared: int = 0
    rounds: int = 0
    points: int = 0
    best: int | None = None
    worst: int | None = None
    closed: int = 0
    penalties: int = 0

    @property
    def per_round(self) -> float | None:
        """Mean points of a round."""
        return self.points / self.rounds if self.rounds else None

    @property
    def rate(self) -> float:
        """The share of games won."""
        return self.wins / self.games if self.games else 0.0


@dataclass(slots=True)
class Duel:
    """Two members in the games that both played: who was better how often."""

    better: int = 0
    equal: int = 0
    worse: int = 0


@dataclass(slots=True)
class Season:
    """A year of a circle, or all years.

    ``table`` is ordered by wins, then by the share of games won, then by points per round;
    ``duels`` by (member, other); ``wins`` for a chart: how many wins each member of ``charted``
    had after some of the games, of which ``steps`` tells the numbers.
    """

    years: tuple[int, ...]
    games: int
    table: list[Standing]
    duels: dict[tuple[int, int], Duel] = field(default_factory=dict)
    charted: list[str] = field(default_factory=list)
    wins: list[list[int]] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)


def season(circle: Circle, year: int | None = None) -> Season:
    """The season table of a year, of all games without one."""
    years = tuple(sorted({year_of(game) for game in circle.games.values()}, reverse=True))
    games = sorted(
        (game for game in circle.games.values() if year is None or year_of(game) == year),
        key=lambda game: game.played,
    )
    standings = {key: Standing(key, member.name) for key, member in circle.members.items()}
    duels: dict[tuple[int, int], Duel] = {}
    for game in games:
        seats = seats_of(circle, game)
        _count_game(standings, game, seats)
        _count_duels(duels, game, seats)
    table = [each for each in standings.values() if each.games]
    table.sort(key=lambda each: (-each.wins, -each.rate, each.per_round or 0.0, each.name))
    found = Season(years, len(games), table, duels)
    _chart(circle, found, games)
    return found


def seats_of(circle: Circle, game: GameCounted) -> dict[int, int]:
    """The members of a game with their seats; who sat there twice counts once."""
    seats: dict[int, int] = {}
    for seat, key in enumerate(game.members):
        if key >= 0:
            seats.setdefault(circle.member(key), seat)
    return seats


def _count_game(standings: dict[int, Standing], game: GameCounted, seats: dict[int, int]) -> None:
    winners = sum(rank == 1 for rank in game.ranks)
    for key, seat in seats.items():
        one = standings[key]
        one.games += 1
        if game.ranks[seat] == 1:
            one.wins += 1
            one.shared += winners > 1
        for raw, closer, penalised, after in game.rounds:
            points = raw[seat]
            if points is None:
                continue
            if closer == seat:
                points = after
                one.closed += 1
                one.penalties += penalised
            one.rounds += 1
            one.points += points
            one.best = points if one.best is None else min(one.best, points)
            one.worst = points if one.worst is None else max(one.worst, points)


def _count_duels(
    duels: dict[tuple[int, int], Duel], game: GameCounted, seats: dict[int, int]
) -> None:
    for key, seat in seats.items():
        for other, place in seats.items():
            mine, theirs = game.ranks[seat], game.ranks[place]
            if key == other or mine is None or theirs is None:
                continue
            duel = duels.setdefault((key, other), Duel())
            duel.better += mine < theirs
            duel.equal += mine == theirs
            duel.worse += mine > theirs


def _chart(circle: Circle, found: Season, games: Sequence[GameCounted]) -> None:
    """The wins of the first eight of the table over time, thinned out."""
    keys = [each.key for each in found.table[:8]]
    found.charted = [circle.members[key].name for key in keys]
    so_far = dict.fromkeys(keys, 0)
    shown = set(_steps(len(games)))
    for number, game in enumerate(games, 1):
        for key, seat in seats_of(circle, game).items():
            if key in so_far and game.ranks[seat] == 1:
                so_far[key] += 1
        if number in shown:
            found.wins.append([so_far[key] for key in keys])
            found.steps.append(number)


def _steps(games: int) -> Iterable[int]:
    if games <= MOST_POINTS:
        return range(1, games + 1)
    return {round(place * games / MOST_POINTS) for place in range(1, MOST_POINTS + 1)}
