"""Count every way to play on from small positions, ply by ply: with the oracle and with the rules.

Each `*.txt` beside this file holds a position and its counts: `ply sequences ended`, the number of
sequences of that many legal actions, and how many of them end the round or the game with their
last action. `python -m tests.perft.count --write` counts again by both and writes the files anew;
it refuses when they differ.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests import oracle
from tests.kit import kernel
from tests.oracle import Table

from skyjo.rules import deal, layout
from skyjo.rules.layout import State
from skyjo.rules.ruleset import Ruleset

FOLDER = Path(__file__).resolve().parent
Move = tuple[int, str, str | None]


@dataclass(frozen=True)
class Position:
    """What a file says: comments, ruleset, the position, how far to count, whether seats leave."""

    comments: tuple[str, ...]
    base: str
    overrides: dict[str, Any]
    start: dict[str, Any]
    depth: int
    leave: bool
    counts: tuple[tuple[int, int, int], ...]


def read(path: Path) -> Position:
    """Read a file; its lines are `key value`, grids `grid NAME cells`, counts three numbers."""
    comments, counts = [], []
    words: dict[str, str] = {}
    grids: dict[str, str] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        key, _, rest = line.partition(" ")
        if key == "#":
            comments.append(rest)
        elif key == "grid":
            name, _, cells = rest.partition(" ")
            grids[name] = cells
        elif key.isdecimal():
            counts.append((int(key), *map(int, rest.split())))
        elif key:
            words[key] = rest
    base, *knobs = words["ruleset"].split()
    start: dict[str, Any] = {
        "players": list(grids),
        "grids": grids,
        "discard": [int(card) for card in words["discard"].split()],
        "draw": [int(card) for card in words.get("draw", "").split()],
        "phase": words.get("phase", "turn"),
        "turn": words.get("turn"),
        "fixed_starter": words.get("starter"),
        "discard_face_down": words.get("face_down") == "yes",
    }
    return Position(
        comments=tuple(comments),
        base=base,
        overrides=dict(_knob(text) for text in knobs),
        start=start,
        depth=int(words["depth"]),
        leave=words.get("leave") == "yes",
        counts=tuple((a, b, c) for a, b, c in counts),
    )


def _knob(text: str) -> tuple[str, Any]:
    name, _, value = text.partition("=")
    if name in oracle.NUMBERS:
        return name, None if value == "none" else int(value)
    return name, {"true": True, "false": False}.get(value, value)


def by_oracle(position: Position) -> list[tuple[int, int, int]]:
    """The counts by the oracle."""
    table = Table.position(oracle.make_rules(position.base, **position.overrides), position.start)
    return _count(table, position, _oracle_moves, _after_in_oracle, lambda t: t.phase)


def by_rules(position: Position) -> list[tuple[int, int, int]]:
    """The counts by `skyjo.rules`."""
    state = kernel.state_from(Ruleset.preset(position.base, position.overrides), position.start)
    names = layout.PHASE_NAMES
    return _count(state, position, _rules_moves, _after_in_rules, lambda s: names[s.phase])


def _count(
    root: Any,
    position: Position,
    moves: Callable[[Any], Iterator[Move]],
    after: Callable[[Any, Move], Any],
    phase: Callable[[Any], str],
) -> list[tuple[int, int, int]]:
    sequences: Counter[int] = Counter()
    ended: Counter[int] = Counter()

    def visit(node: Any, ply: int) -> None:
        over = phase(node) in ("round_over", "game_over")
        sequences[ply] += 1
        ended[ply] += over
        if not over and ply < position.depth:
            for move in moves(node):
                if move[1] != "leave" or position.leave:
                    visit(after(node, move), ply + 1)

    visit(root, 0)
    return [(ply, sequences[ply], ended[ply]) for ply in range(1, position.depth + 1)]


def _oracle_moves(table: Table) -> Iterator[Move]:
    for player in table.players:
        for verb, where in table.legal(player.seat):
            yield player.seat, verb, where


def _after_in_oracle(table: Table, move: Move) -> Table:
    table = table.clone()
    loose = table.to_reshuffle() if move[1] == "draw" else None
    table.act(*move, None if loose is None else sorted(loose))
    return table


def _rules_moves(state: State) -> Iterator[Move]:
    for seat in range(state.seats):
        for verb, where in kernel.legal(state, seat):
            yield seat, verb, where
        if kernel.refusal(state, seat, "leave") is None:
            yield seat, "leave", None


def _after_in_rules(state: State, move: Move) -> State:
    state = state.copy()
    shuffled = None
    if move[1] == "draw" and deal.needs_reshuffle(state):
        shuffled = sorted(state.discard_pile[: deal.reshuffled_cards(state)])
    kernel.act(state, *move, shuffled)
    return state


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the counts into the files")
    options = parser.parse_args()
    for path in sorted(FOLDER.glob("*.txt")):
        position = read(path)
        counts = by_oracle(position)
        sys.stderr.write(f"{path.name}: {counts[-1]}\n")
        if counts != by_rules(position):
            sys.stderr.write("oracle and rules differ\n")
            return 1
        if options.write:
            lines = path.read_text(encoding="utf-8").splitlines()
            kept = [line for line in lines if not line.partition(" ")[0].isdecimal()]
            numbers = [" ".join(map(str, row)) for row in counts]
            path.write_text("\n".join([*kept, *numbers]) + "\n", encoding="utf-8")
        elif tuple(counts) != position.counts:
            sys.stderr.write("the file holds other counts\n")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
