"""Whole games as readable text, one per preset; `scripts/playthroughs` writes them anew.

A line per action: its number, who, what, and what became visible by it. After every turn the grid
of whoever played it, the top discard and the sizes of both piles. The oracle follows every ply.
"""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.kit.games import Setup, plies

from skyjo.game import Game
from skyjo.rules import layout
from skyjo.rules.actions import action_name
from skyjo.rules.board import card_text, grid_rows
from skyjo.rules.plies import Deal, Ply, Reshuffle

FOLDER = Path(__file__).resolve().parent

#: Number of seats, pilot and seed of each preset's game.
GAMES = {
    "official": (3, "collector", 4),
    "official-fr": (2, "collector", 6),
    "plain": (4, "uniform", 4),
    "family": (3, "drawer", 11),
    "family-columns": (4, "collector", 9),
    "family-facedown": (3, "collector", 10),
    "lenient": (5, "leaver", 11),
}


def playthrough(preset: str) -> str:
    """The text of a preset's game."""
    return "\n".join(_lines(preset)) + "\n"


def _lines(preset: str) -> Iterator[str]:
    seats, pilot, seed = GAMES[preset]
    yield f"# A random game under {preset}, pilot {pilot}, seed {seed}."
    yield "# Written by scripts/playthroughs, never by hand; the changelog explains every change."
    told = 0
    for pair in plies(Setup((preset, {}), seats, pilot, seed), rounds=1000):
        for entry in pair.game.log[told:]:
            yield from _told(pair.game, entry)
        told = len(pair.game.log)
        if pair.game.is_over:
            yield f"winners: {' '.join(pair.game.players[seat] for seat in pair.game.winners)}"


def _told(game: Game, entry: Deal | Reshuffle | Ply) -> Iterator[str]:
    if isinstance(entry, Deal):
        yield f"\nround {entry.round}"
        yield f"deck {_cards(entry.deck)}"
    elif isinstance(entry, Reshuffle):
        yield f"     reshuffle {_cards(entry.order)}"
    else:
        name = game.players[entry.seat]
        yield f"{game.plies:4} {name} {action_name(entry.action):11} {_shown(entry)}".rstrip()
        if game.state.phase in (layout.CHOOSE, layout.ROUND_OVER, layout.GAME_OVER):
            yield from _position(game, entry.seat)
        if entry.ends:
            yield from _sheet(game)


def _cards(cards: tuple[int, ...]) -> str:
    return " ".join(map(str, cards))


def _shown(ply: Ply) -> str:
    words = []
    if ply.card is not None:
        words.append(f"{ply.card}")
    if ply.replaced is not None:
        words.append(f"for {'hidden ' if ply.was_hidden else ''}{ply.replaced}")
    words += [f"{line.name} goes" for line in ply.lines]
    if ply.closed:
        words.append("closes the round")
    for up in ply.turned_up:
        words.append(f"P{up.seat} r{up.slot // 4}c{up.slot % 4} turns up {up.card}")
    return ", ".join(words)


def _position(game: Game, seat: int) -> Iterator[str]:
    view = game.view()
    rows = " / ".join(" ".join(row) for row in grid_rows(view, seat))
    piles = f"discard {card_text(view.discard_top)} ({view.discard_size}), draw {view.draw_size}"
    yield f"     {game.players[seat]}: {rows} | {piles}"


def _sheet(game: Game) -> Iterator[str]:
    if not game.rounds or game.rounds[-1].number != game.state.round:
        return
    row = game.rounds[-1]
    for seat, name in enumerate(game.players):
        points, raw = row.points[seat], row.raw[seat]
        doubled = f" (from {raw})" if raw != points else ""
        total = f"total {row.totals[seat]}"
        yield f"     {name} {'-' if points is None else points}{doubled}, {total}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only show what would change")
    options = parser.parse_args()
    changed = False
    for preset in GAMES:
        path = FOLDER / f"{preset}.txt"
        old = path.read_text(encoding="utf-8") if path.exists() else ""
        new = playthrough(preset)
        changed |= old != new
        if options.check:
            diff = difflib.unified_diff(old.splitlines(True), new.splitlines(True), path.name)
            sys.stdout.writelines(diff)
        else:
            path.write_text(new, encoding="utf-8")
    return 1 if options.check and changed else 0


if __name__ == "__main__":
    sys.exit(main())
