"""The line chart of the totals, laid out as numbers; a template draws it as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

WIDTH: Final = 340
HEIGHT: Final = 190
TOP: Final = 10
BOTTOM: Final = 20
LEFT: Final = 34
RIGHT: Final = 94
#: Names at the ends of the lines are kept at least this far apart.
LABEL_STEP: Final = 15
TICK_STEPS: Final = (5, 10, 20, 25, 50, 100, 200, 500)
MOST_TICKS: Final = 6


@dataclass(frozen=True, slots=True)
class Line:
    """One player's totals: the points of a polyline, the end, and where the name stands."""

    seat: int
    name: str
    total: int
    points: str
    x: float
    y: float
    label_y: float


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark on an axis."""

    at: float
    value: int


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart in units of its view box, ``width`` by ``height``."""

    width: int
    height: int
    left: float
    right: float
    bottom: float
    zero: float
    target: int
    target_y: float | None
    rounds: tuple[Tick, ...]
    values: tuple[Tick, ...]
    lines: tuple[Line, ...]


def totals_chart(
    players: Sequence[str], totals: Sequence[Sequence[int]], target: int = 100
) -> Chart:
    """Lay out the totals after each round, by round and then by seat.

    Every line begins at 0 before the first round. The target is on the chart when a total has come
    half way to it.

    >>> chart = totals_chart(["Ana", "Ben"], [[10, 20], [30, 101]])
    >>> len(chart.lines), chart.lines[1].total, chart.target_y is not None
    (2, 101, True)
    """
    rows = [[0] * len(players), *totals]
    highest = max(map(max, rows))
    lowest = min(map(min, rows))
    shows_target = highest * 2 >= target
    top = max(highest, target if shows_target else 0, 10)
    step = tick_step(top - lowest)
    top = -(-(top + (1 if top == target else 0)) // step) * step
    low = lowest // step * step

    def x(number: int) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * number / max(1, len(rows) - 1), 1)

    def y(points: float) -> float:
        return round(TOP + (HEIGHT - TOP - BOTTOM) * (top - points) / (top - low), 1)

    ends = {seat: y(rows[-1][seat]) for seat in range(len(players))}
    labels = spread(ends)
    every = -(-(len(rows) - 1) // 8) or 1
    return Chart(
        width=WIDTH,
        height=HEIGHT,
        left=LEFT,
        right=WIDTH - RIGHT,
        bottom=HEIGHT - BOTTOM,
        zero=y(0),
        target=target,
        target_y=y(target) if shows_target else None,
        rounds=tuple(Tick(x(n), n) for n in range(len(rows)) if n and n % every == 0),
        values=tuple(Tick(y(v), v) for v in range(low, top + 1, step)),
        lines=tuple(
            Line(
                seat=seat,
                name=name,
                total=rows[-1][seat],
                points=" ".join(f"{x(n)},{y(row[seat])}" for n, row in enumerate(rows)),
                x=x(len(rows) - 1),
                y=ends[seat],
                label_y=labels[seat],
            )
            for seat, name in enumerate(players)
        ),
    )


def tick_step(span: int, scale: int = 1) -> int:
    """How far apart ticks are, so that there are few of them however far an axis goes.

    >>> tick_step(130), tick_step(10**15)
    (25, 200000000000000)
    """
    for step in TICK_STEPS:
        if span / (step * scale) <= MOST_TICKS:
            return step * scale
    return tick_step(span, 100 * scale)


def spread(ends: dict[int, float]) -> dict[int, float]:
    """Move labels apart that would cover each other, keeping their order and staying inside.

    >>> spread({0: 50.0, 1: 52.0, 2: 120.0})
    {0: 43.5, 1: 58.5, 2: 120.0}
    """
    order = sorted(ends, key=lambda seat: ends[seat])
    groups: list[tuple[list[int], float]] = []
    for seat in order:
        groups.append(([seat], ends[seat]))
        while len(groups) > 1 and overlap(groups[-2], groups[-1]):
            (later, b), (earlier, a) = groups.pop(), groups.pop()
            seats = earlier + later
            groups.append((seats, inside(seats, (a * len(earlier) + b * len(later)) / len(seats))))
    return {
        seat: round(middle + (place - (len(seats) - 1) / 2) * LABEL_STEP, 1)
        for seats, middle in groups
        for place, seat in enumerate(seats)
    }


def overlap(above: tuple[list[int], float], below: tuple[list[int], float]) -> bool:
    """Whether two groups of labels come too close."""
    between = (len(above[0]) + len(below[0])) / 2 * LABEL_STEP
    return below[1] - above[1] < between


def inside(seats: list[int], middle: float) -> float:
    """The middle of a group of labels, moved so that all of them are on the chart."""
    half = (len(seats) - 1) / 2 * LABEL_STEP
    return max(TOP + half, min(middle, HEIGHT - 6 - half))
