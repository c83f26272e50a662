"""Compares what the network expects with what then happens, and draws it.

Rounds of self-play with two and with four seats, official rules. Before every decision that ends a
turn, or that is to draw, the expectation for the best action is noted, and when the round is over,
what came out. Fifteen groups of equal size, from the lowest expectation to the highest: dots on the
diagonal are right. In whole games the same is done for the probability to win the game, at one in
ten turns.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from skyjo import sim
from skyjo.arena import charts
from skyjo.bots.value import evaluate, load, points_bot
from skyjo.bots.value.layout import OTHERS_POINTS, OWN_POINTS, OWN_SQUARE, ROUND_WON
from skyjo.rules.layout import CHOOSE, View
from skyjo.rules.scoring import is_winner
from skyjo.sim.dice import seed_number
from skyjo.train.diet import first_courses
from skyjo.train.work import watch

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "images"
GROUPS = 15


class Watcher:
    """Plays for points, and notes now and then how likely it seems to win the game."""

    def __init__(self, weights: str) -> None:
        self.bot = points_bot("value", weights)
        self.weights = weights
        self.noted: list[tuple[int, float]] = []
        self.lines: list[tuple[float, float]] = []

    def __call__(self, view: View, generator: random.Random) -> int:
        """The action of the view's seat."""
        action = self.bot.policy(view, generator)
        if view.phase == CHOOSE and generator.random() < 0.1:
            rated = evaluate(view, self.weights)
            found = next(each for each in rated if each.action == action)
            self.noted.append((view.seat, found.game_won))
        return action

    def finish(self, view: View) -> None:
        """The game is over, as one of the seats sees it; noted once for each of them."""
        winners = sum(is_winner(view, seat) for seat in range(view.seats))
        share = is_winner(view, view.seat) / max(1, winners)
        self.lines += [(won, share) for seat, won in self.noted if seat == view.seat]
        self.noted = [each for each in self.noted if each[0] != view.seat]


def watched_games(seats: int, games: int, seed: str, weights: str) -> np.ndarray[Any, Any]:
    """A line for one in ten turns: expected and actual share of the win."""
    watcher = Watcher(weights)
    sim.play_many_games([watcher] * seats, games, seed=seed, jobs=1)
    return np.array(watcher.lines)


def groups(expected: np.ndarray[Any, Any], actual: np.ndarray[Any, Any]) -> list[tuple[float, ...]]:
    """Means of the expectation and of what happened, and half an interval of 95 %, by group."""
    order = np.array_split(np.argsort(expected), GROUPS)
    return [
        (
            float(expected[part].mean()),
            float(actual[part].mean()),
            float(1.96 * actual[part].std() / np.sqrt(len(part))),
        )
        for part in order
    ]


def drawn(found: dict[str, list[tuple[float, ...]]], labels: Sequence[str]) -> str:
    """Dots with intervals beside the diagonal."""

    def draw(axes: Any) -> None:
        for number, (name, parts) in enumerate(found.items()):
            expected, actual, half = zip(*parts, strict=True)
            axes.errorbar(
                expected,
                actual,
                yerr=half,
                fmt="os^"[number],
                markersize=4,
                label=name,
                color=charts.COLOURS[number],
            )
        ends = axes.get_xlim()
        axes.plot(ends, ends, color="#888888", linewidth=1)
        axes.set_xlabel(labels[0])
        axes.set_ylabel(labels[1])
        axes.grid(alpha=0.3)
        axes.legend(frameon=False)

    return charts.drawn(draw, height=4.2)


def told(name: str, parts: Sequence[tuple[float, ...]], tell: Callable[[str], Any]) -> None:
    """The mean distance from the diagonal, and the largest one."""
    off = [abs(expected - actual) for expected, actual, _half in parts]
    tell(f"{name}: off by {np.mean(off):.3f} on average, {max(off):.3f} at most")


def main() -> None:
    """Play, draw and tell."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5000)
    parser.add_argument("--seed", default="calibration")
    parser.add_argument("--weights", default="main")
    parser.add_argument("--out", type=Path, default=FOLDER)
    parser.add_argument("--games", type=int, default=200)
    chosen = parser.parse_args()
    points, wins, shares = {}, {}, {}
    for seats in (2, 4):
        course = replace(first_courses()[0], seats=seats)
        expected, actual = watch(
            load(chosen.weights), course, chosen.rounds, seed_number(chosen.seed)
        )
        own = groups(expected[:, OWN_POINTS], actual[:, OWN_POINTS])
        won = groups(expected[:, ROUND_WON], actual[:, ROUND_WON])
        gains = [heads[:, OTHERS_POINTS] - heads[:, OWN_POINTS] for heads in (expected, actual)]
        points[f"{seats} seats"], wins[f"{seats} seats"] = own, won
        told(f"{seats} seats, own points", own, print)
        told(f"{seats} seats, gain", groups(*gains), print)
        told(f"{seats} seats, round won", won, print)
        rest = actual[:, OWN_POINTS] - expected[:, OWN_POINTS]
        spread = np.maximum(0, expected[:, OWN_SQUARE] - expected[:, OWN_POINTS] ** 2)
        print(
            f"{seats} seats, {len(rest)} positions: standard deviation of own points"
            f" {rest.std():.2f}, expected {np.sqrt(spread.mean()):.2f}"
        )
        games = watched_games(seats, chosen.games, chosen.seed, chosen.weights)
        shares[f"{seats} seats"] = groups(games[:, 0], games[:, 1])
        told(f"{seats} seats, {len(games)} positions, game won", shares[f"{seats} seats"], print)
    chosen.out.mkdir(parents=True, exist_ok=True)
    labels = ("Expected points of the round", "Points that came out")
    (chosen.out / "calibration-points.svg").write_text(drawn(points, labels), encoding="utf-8")
    labels = ("Expected probability to be strictly lowest", "Share that was")
    (chosen.out / "calibration-wins.svg").write_text(drawn(wins, labels), encoding="utf-8")
    labels = ("Expected probability to win the game", "Share of the win")
    (chosen.out / "calibration-games.svg").write_text(drawn(shares, labels), encoding="utf-8")


if __name__ == "__main__":
    main()
