"""Short ways to write a scenario, played by the project and by the oracle alike."""

from __future__ import annotations

from typing import Any

from tests.kit import oracle_scenarios, scenarios

#: Ordinary grids in the middle of a round, without any pair in a column.
A = "5 ?3 8 ?0 / ?11 ?2 ?6 ?4 / ?1 ?9 ?7 ?12"
B = "1 ?4 ?7 ?2 / ?6 3 ?0 ?5 / ?8 ?1 ?9 ?3"
C = "?10 2 ?0 ?6 / ?5 ?12 ?4 ?1 / ?3 ?7 -1 ?11"
#: The same before the opening: everything hidden.
HIDDEN_A = "?12 ?5 ?3 ?1 / ?-2 ?7 ?0 ?4 / ?6 ?2 ?9 ?8"
HIDDEN_B = "?4 ?1 ?6 ?0 / ?3 ?2 ?8 ?5 / ?11 ?7 ?10 ?-1"
HIDDEN_C = "?2 ?9 ?6 ?0 / ?3 ?1 ?8 ?5 / ?11 ?7 ?10 ?-1"


def check(
    rules: Any, grids: dict[str, str], moves: list[str], expect: dict[str, Any], **start: Any
) -> None:
    """A scenario in one call: seats are the grids in order, A is on turn."""
    full = {"players": list(grids), "grids": grids, "turn": "A", "discard": [6], "draw": [9, 2, 1]}
    scenario = {"rules": rules, "start": full | start, "moves": moves, "expect": expect}
    scenarios.run(scenario)
    oracle_scenarios.run(scenario)


def grid_of(points: int, *, last_hidden: bool = False) -> str:
    """An open grid with this sum and no equal line; its last card may be hidden."""
    cells = [0, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 1]
    missing = points - sum(cells)
    for place in (0, 5, 2, 7, 8, 1, 6, 3):
        step = max(-2 - cells[place], min(12 - cells[place], missing))
        cells[place] += step
        missing -= step
    assert missing == 0
    texts = [str(cell) for cell in cells]
    if last_hidden:
        texts[-1] = f"?{texts[-1]}"
    return " / ".join(" ".join(texts[row : row + 4]) for row in (0, 4, 8))


def last_turn(
    rules: Any, points: dict[str, int], expect: dict[str, Any], *, finisher: str = "A", **start: Any
) -> None:
    """The round's very last turn: everybody will have exactly these points before the penalty.

    The seat before the finisher draws a 12, lays it off and turns its last card.
    """
    names = list(points)
    last = names[names.index(finisher) - 1]
    grids = {name: grid_of(n, last_hidden=name == last) for name, n in points.items()}
    moves = [f"{last} draw", f"{last} discard", f"{last} flip r2c3"]
    more = {"turn": last, "finisher": finisher, "pending": [last], "draw": [12]}
    check(rules, grids, moves, {"raw": points, "removed": []} | expect, **(more | start))
