"""Compares what ``evaluate`` expects with what then happens, and draws it.

Rounds of self-play with two and with four seats, official rules. At every choice of a source the
expectation for the best action is noted, and when the round is over, what came out. Twenty groups
of equal size, from the lowest expectation to the highest: dots on the diagonal are right.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from skyjo import sim
from skyjo.arena import charts
from skyjo.bots.value import Evaluation, evaluate, load, points_bot
from skyjo.rules.layout import CHOOSE, View

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "images"
GROUPS = 20

Noted = tuple[int, Evaluation]


def noted_rounds(seats: int, rounds: int, seed: str, weights: str) -> np.ndarray[Any, Any]:
    """A line for every choice of a source: expected and actual own points, gain and win; spread."""
    noted: list[Noted] = []

    bot = points_bot("value", weights)

    def policy(view: View, generator: random.Random) -> int:
        action = bot.policy(view, generator)
        if view.phase == CHOOSE:
            rated = evaluate(view, weights)
            noted.append((view.seat, next(each for each in rated if each.action == action)))
        return action

    lines = []
    for number in range(rounds):
        noted.clear()
        played = sim.play_many_rounds([policy] * seats, 1, seed=seed, first=number, jobs=1)
        scores = played.scores[0]
        for seat, best in noted:
            others = [int(scores[other]) for other in range(seats) if other != seat]
            own = int(scores[seat])
            lines.append(
                (
                    best.own_points,
                    own,
                    best.gain,
                    np.mean(others) - own,
                    best.round_won,
                    own < min(others),
                    best.spread,
                )
            )
    return np.array(lines, float)


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
    parser.add_argument("--rounds", type=int, default=500)
    parser.add_argument("--seed", default="calibration")
    parser.add_argument("--weights", default="main")
    parser.add_argument("--out", type=Path, default=FOLDER)
    chosen = parser.parse_args()
    load(chosen.weights)
    points, wins = {}, {}
    for seats in (2, 4):
        lines = noted_rounds(seats, chosen.rounds, chosen.seed, chosen.weights)
        points[f"own points, {seats} seats"] = groups(lines[:, 0], lines[:, 1])
        wins[f"{seats} seats"] = groups(lines[:, 4], lines[:, 5])
        told(f"{seats} seats, own points", groups(lines[:, 0], lines[:, 1]), print)
        told(f"{seats} seats, gain", groups(lines[:, 2], lines[:, 3]), print)
        told(f"{seats} seats, round won", groups(lines[:, 4], lines[:, 5]), print)
        rest = lines[:, 1] - lines[:, 0]
        print(
            f"{seats} seats, {len(lines)} positions: standard deviation of own points"
            f" {rest.std():.2f}, expected {np.sqrt((lines[:, 6] ** 2).mean()):.2f}"
        )
    chosen.out.mkdir(parents=True, exist_ok=True)
    labels = ("Expected points of the round", "Points that came out")
    (chosen.out / "calibration-points.svg").write_text(drawn(points, labels), encoding="utf-8")
    labels = ("Expected probability to be strictly lowest", "Share that was")
    (chosen.out / "calibration-wins.svg").write_text(drawn(wins, labels), encoding="utf-8")


if __name__ == "__main__":
    main()
