"""What one move costs at a table that is young and at one that is old. Prints JSON.

    python benchmarks/moves.py [--moves 1200] [--seats 4] [--out FILE]

One table on a SQLite file, without HTTP: somebody acts, the event is stored, and the board is
drawn for that seat, as a server does it for each viewer. The costs of the moves around the 10th,
100th and 1,000th are set side by side, in processor time, so that other work on the machine
counts little, and in time on the clock.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import random
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from starlette.requests import Request

from skyjo.rules.actions import action_name
from skyjo.table import commands as ask
from skyjo.table.ports import Settings as TableSettings
from skyjo.web.app import create_app
from skyjo.web.settings import Settings
from skyjo.web.site import Visit
from skyjo.web.tablepage import live

MARKS = (10, 100, 1000)
AROUND = 9


async def play(folder: Path, moves: int, seats: int) -> list[tuple[float, float, float, float]]:
    """For every move: processor and clock seconds of the move, and of the drawing."""
    quick = TableSettings(paces={"slow": 0.0, "normal": 0.0, "none": 0.0}, continue_after=3600.0)
    app = create_app(Settings(data=folder, key="0" * 64), settings=quick)
    costs: list[tuple[float, float, float, float]] = []
    rng = random.Random(7)
    async with app.router.lifespan_context(app):
        authority = app.state.site.authority
        people = [f"{seat:043d}" for seat in range(seats)]
        joined = await authority.create(people[0], "Player 1", ruleset="official target=1000000")
        table = joined.table_id
        for seat in range(1, seats):
            await authority.do(table, people[seat], ask.Join(f"Player {seat + 1}"))
        await authority.do(table, people[0], ask.Start())
        scope = {"type": "http", "method": "GET", "path": "/", "headers": [], "query_string": b"",
                 "scheme": "http", "server": ("127.0.0.1", 80)}  # fmt: skip
        while len(costs) < moves:
            for secret in people:
                scene = await authority.scene(table, secret)
                if scene.between_rounds:
                    for seat in scene.may_ready:
                        await authority.do(table, secret, ask.Ready(seat, scene.version))
                elif scene.acting is not None:
                    visit = Visit(app.state.site, Request(scope), secret)
                    costs.append(await one_move(visit, scene, rng))
    return costs


async def one_move(
    visit: Visit, scene: Any, rng: random.Random
) -> tuple[float, float, float, float]:
    action = action_name(rng.choice(scene.legal))
    command = ask.Act(scene.acting, action, scene.version)
    clock, processor = time.perf_counter(), time.process_time()
    await visit.authority.do(scene.table_id, visit.secret or "", command)
    clock, processor = time.perf_counter() - clock, time.process_time() - processor
    drawing_clock, drawing = time.perf_counter(), time.process_time()
    live(visit, await visit.authority.scene(scene.table_id, visit.secret))
    drawing_clock, drawing = time.perf_counter() - drawing_clock, time.process_time() - drawing
    return processor, clock, drawing, drawing_clock


def median_ms(costs: list[tuple[float, float, float, float]], column: int) -> float:
    return round(statistics.median(cost[column] for cost in costs) * 1000, 3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--moves", type=int, default=1200)
    parser.add_argument("--seats", type=int, default=4)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        costs = asyncio.run(play(Path(folder), options.moves, options.seats))
    columns = ("move_cpu_ms", "move_clock_ms", "drawing_cpu_ms", "drawing_clock_ms")
    results = {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        "load_before": round(os.getloadavg()[0], 2),
        "seats": options.seats,
        "moves": {
            str(mark): {
                name: median_ms(costs[max(0, mark - AROUND) : mark + AROUND], column)
                for column, name in enumerate(columns)
            }
            for mark in MARKS
            if mark + AROUND <= len(costs)
        },
    }
    text = json.dumps(results, indent=2)
    print(text)
    if options.out:
        options.out.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
