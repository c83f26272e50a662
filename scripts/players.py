"""Plays the ladder's cross table, writes it into docs/players.md and draws it (scripts/players)."""

from __future__ import annotations

import argparse
from itertools import combinations
from pathlib import Path
from typing import Final

from matplotlib.figure import Figure
from rich.progress import Progress

from skyjo import bots, sim

ROOT: Final = Path(__file__).resolve().parent.parent
PAGE: Final = ROOT / "docs" / "players.md"
PICTURE: Final = ROOT / "docs" / "images" / "players.svg"
BEGIN: Final = "<!-- cross table: written by scripts/players -->\n"
END: Final = "<!-- end -->\n"
NAMES: Final = (*bots.LADDER[:2], "greedy", *bots.LADDER[2:])

Shares = dict[tuple[str, str], float]


def played(games: int, seed: str) -> Shares:
    """The share of games that the first wins of the second, for every pair."""
    shares: Shares = {}
    pairs = list(combinations(NAMES, 2))
    with Progress() as bar:
        for one, other in bar.track(pairs, description="pairs"):
            found = sim.play_many_games([one, other], games, seed=seed, duplicate=True)
            share = float(found.by_player(found.shares)[:, 0].mean())
            shares[one, other], shares[other, one] = share, 1 - share
    return shares


def table(shares: Shares) -> str:
    """Who (row) wins how much of whom (column), in per cent."""
    lines = [f"| | {' | '.join(f'`{name}`' for name in NAMES)} |", "|---|" + "---:|" * len(NAMES)]
    for one in reversed(NAMES):
        row = ["" if one == other else f"{100 * shares[one, other]:.1f}" for other in NAMES]
        lines.append(f"| `{one}` | {' | '.join(row)} |")
    return "\n".join(lines) + "\n"


def draw(shares: Shares) -> None:
    """The same as a picture, light where the row wins."""
    figure = Figure(figsize=(6.2, 4.6), layout="constrained")
    axes = figure.subplots()
    rows = list(reversed(NAMES))
    cells = [[shares.get((one, other), 0.5) for other in NAMES] for one in rows]
    axes.imshow(cells, cmap="cividis", vmin=0, vmax=1)
    for row, line in enumerate(cells):
        for column, share in enumerate(line):
            if rows[row] != NAMES[column]:
                colour = "black" if share > 0.5 else "white"
                axes.text(column, row, f"{100 * share:.0f}", ha="center", va="center", color=colour)
    axes.set_xticks(range(len(NAMES)), NAMES, rotation=30, ha="right")
    axes.set_yticks(range(len(NAMES)), rows)
    axes.set_title("games won by the row, per cent")
    figure.savefig(PICTURE, metadata={"Date": None})


def main() -> None:
    """Play, write and draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=2000, help="of every pair")
    parser.add_argument("--seed", default="players")
    chosen = parser.parse_args()
    shares = played(chosen.games, chosen.seed)
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    after = rest.split(END, 1)[1]
    PAGE.write_text(before + BEGIN + table(shares) + END + after, encoding="utf-8")
    draw(shares)


if __name__ == "__main__":
    main()
