"""Fits the probability to win the game and draws how well it fits (see scripts/equity).

Games of a strong bot against itself give totals after each round and who has won in the end. For
every number of seats, with and without columns that go, the three coefficients of
``skyjo.bots.equity`` are those under which the winners were most likely; games of other seeds, not
fitted, are drawn.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any, Final

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from rich.progress import Progress

from skyjo import __version__, sim
from skyjo.bots import equity
from skyjo.rules.ruleset import Ruleset

ROOT: Final = Path(__file__).resolve().parent.parent
OUT: Final = ROOT / "src" / "skyjo" / "bots" / "equity.json"
PICTURE: Final = ROOT / "docs" / "images" / "equity.svg"
FAMILIES: Final = {"columns": "official", "plain": "plain"}
#: The version of the file's form.
VERSION: Final = 1
#: What the coefficients are measured in while they are fitted.
SCALE: Final = np.array([100.0, 1.0, 0.01])

Floats = NDArray[np.float64]


def positions(bot: str, seats: int, games: int, seed: str, preset: str) -> tuple[Floats, Floats]:
    """Totals after every round but the last (and before the first), and each seat's later win."""
    played = sim.play_many_games([bot] * seats, games, seed=seed, ruleset=Ruleset.preset(preset))
    rounds = played.rounds
    last = np.flatnonzero(rounds.over)
    game = np.searchsorted(last, np.arange(len(rounds.over)))
    totals = np.concatenate([rounds.totals[~rounds.over], np.zeros((games, seats))])
    return totals, np.concatenate([played.shares[game[~rounds.over]], played.shares])


def probabilities(terms: Floats, totals: Floats) -> Floats:
    """The share of the win by seat (``equity.share_of_win`` for many positions at once)."""
    distance = Ruleset().target - totals.max(axis=1)
    square: Floats = terms @ np.stack([np.ones_like(distance), distance, distance**2])
    rest: Floats = np.maximum(equity.COLDEST, np.sqrt(np.maximum(0.0, square)))
    weights = np.exp((totals.min(axis=1, keepdims=True) - totals) / rest[:, None])
    found: Floats = weights / weights.sum(axis=1, keepdims=True)
    return found


def loss(terms: Floats, totals: Floats, shares: Floats) -> float:
    """How unlikely the winners were, in nats a position."""
    return float(-(shares * np.log(probabilities(terms, totals) + 1e-12)).sum(axis=1).mean())


def fitted(totals: Floats, shares: Floats) -> Floats:
    """The coefficients of the least loss, by Newton's method with differences."""
    terms, step = np.array([0.6, 3.0, 0.5]), 0.02 * np.eye(3)

    def at(point: Floats) -> float:
        return loss(point * SCALE, totals, shares)

    for _ in range(40):
        slope = np.array([at(terms + d) - at(terms - d) for d in step]) / 0.04
        bend = [
            [at(terms + d + e) - at(terms + d - e) - at(terms - d + e) + at(terms - d - e)
             for e in step] for d in step
        ]  # fmt: skip
        move = np.linalg.solve(np.array(bend) / 0.04**2 + 1e-5 * np.eye(3), slope)
        length = 1.0
        while at(terms - length * move) > at(terms) and length > 1e-3:
            length /= 2
        terms = terms - length * move
        if np.abs(length * move).max() < 1e-4:
            break
    found: Floats = terms * SCALE
    return found


def draw(curves: dict[str, tuple[Floats, Floats]]) -> None:
    """Said and real shares of the win, by number of seats."""
    figure = Figure(figsize=(5.2, 4.4), layout="constrained")
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], color="#999999", linewidth=1)
    for (name, (said, came)), mark in zip(curves.items(), "os^D", strict=False):
        axes.plot(said, came, mark, label=name, markersize=5)
    axes.set_xlabel("probability to win the game, as computed")
    axes.set_ylabel("share of games won")
    axes.legend()
    figure.savefig(PICTURE, metadata={"Date": None})


def calibration(said: Floats, came: Floats) -> tuple[Floats, Floats]:
    """Both means in twentieths of the probability."""
    place = np.minimum(19, (said.ravel() * 20).astype(int))
    count = np.bincount(place, minlength=20)
    some = count >= 50
    sums = [np.bincount(place, each.ravel(), 20)[some] / count[some] for each in (said, came)]
    return sums[0], sums[1]


def main() -> None:
    """Play, fit, write and draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bot", default="expert")
    parser.add_argument("--games", type=int, default=6000, help="games of two seats")
    parser.add_argument("--seed", default="equity")
    chosen = parser.parse_args()
    terms: dict[str, dict[str, list[float]]] = {family: {} for family in FAMILIES}
    curves = {}
    with Progress() as bar:
        task = bar.add_task("games", total=len(FAMILIES) * 7)
        for family, preset in FAMILIES.items():
            for seats in range(2, 9):
                games = 2 * chosen.games // seats
                seen = positions(chosen.bot, seats, games, f"{chosen.seed}/fit", preset)
                found = fitted(*seen)
                terms[family][str(seats)] = [float(f"{term:.5g}") for term in found]
                if family == "columns" and seats in (2, 4, 8):
                    new = positions(chosen.bot, seats, games, f"{chosen.seed}/new", preset)
                    curves[f"{seats} seats"] = calibration(probabilities(found, new[0]), new[1])
                bar.advance(task)
    about: dict[str, Any] = {"version": VERSION, "skyjo": __version__, **vars(chosen)}
    OUT.write_text(json.dumps({**about, "temperature": terms}, indent=1) + "\n", encoding="utf-8")
    draw(curves)


if __name__ == "__main__":
    main()
