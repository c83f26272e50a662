"""How much one server process carries: moves, latencies, memory. Prints JSON.

    python benchmarks/load.py                          # 1, 50 and 500 tables of four
    python benchmarks/load.py --tables 500 --rate 800 --seconds 60
    python benchmarks/load.py --soak 600 --tables 100 --out benchmarks/load-soak.json

The server runs as ``skyjo serve`` runs it, but without limits for addresses, in a process of its
own on core 0; everybody who plays is in this process, on the other cores. Every seat has its own
WebSocket (or polls over HTTP with ``--http``, or is a browser's live page with ``--pages``) and
sees every change. A player draws and places at random, or a bot of the server plays (``--bots``).
When a game is over, the same people play another one at another table; what nobody looks at any
more leaves the server's memory after a minute.

``act`` is the time from sending an action to its answer, which comes when it is stored; ``seen``
the time until the last of the other seats has the new table. Two phases are measured: ``paced``,
where moves are begun at ``--rate`` in all (but ten a second at one table), whether earlier ones are
answered or not, and ``flat_out``, where every table moves as fast as it can.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import json
import os
import platform
import random
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect

API = "/api/v1"
RULES = "official"
#: Version of what is printed.
FORMAT = 1


# --- the server --------------------------------------------------------------------------------


def serve(folder: str, port: int) -> None:
    """What ``skyjo serve`` does, without limits, on one core."""
    from skyjo.cli.serve import listening, run, settings_for
    from skyjo.web.limits import Limits

    with contextlib.suppress(AttributeError, OSError):
        os.sched_setaffinity(0, {0})
    with listening("127.0.0.1", port) as listener:
        run(listener, settings_for(Path(folder), limits=Limits.off()))


class Server:
    """A server process, and what it uses."""

    def __init__(self, folder: str) -> None:
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = int(probe.getsockname()[1])
        self.folder = folder
        command = [sys.executable, __file__, "--serve", folder, str(self.port)]
        self.process = subprocess.Popen(command)
        self.url = f"http://127.0.0.1:{self.port}"

    def wait(self) -> None:
        """Until it answers."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            with contextlib.suppress(httpx.HTTPError):
                if httpx.get(f"{self.url}/healthz").status_code == 200:
                    return
            time.sleep(0.1)
        raise SystemExit("the server does not answer")

    def sessions(self) -> Any:
        """What reads its tokens and makes its cookies."""
        from skyjo.web.keys import load_or_make
        from skyjo.web.session import Sessions
        from skyjo.web.settings import Settings

        folder = Path(self.folder)
        return Sessions(Settings(data=folder, key=load_or_make(folder)))

    def memory(self) -> int:
        """Bytes of memory that are its own."""
        text = Path(f"/proc/{self.process.pid}/smaps_rollup").read_text(encoding="ascii")
        lines = dict(line.split(":", 1) for line in text.splitlines()[1:])
        return 1024 * sum(int(lines[name].split()[0]) for name in ("Private_Dirty", "Swap"))

    def seconds(self) -> float:
        """Seconds of processor time used so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").split()
        return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")

    def stop(self) -> None:
        """End it."""
        self.process.terminate()
        self.process.wait(30)


# --- players -----------------------------------------------------------------------------------


@dataclass
class Seat:
    """One person: a token, a connection, the newest table that it has been shown."""

    token: str
    socket: ClientConnection | None = None
    text: str = ""
    version: int = -1
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    replies: dict[int, asyncio.Future[Any]] = field(default_factory=dict)
    cookie: str = ""

    @property
    def headers(self) -> dict[str, str]:
        """Who this is, for the server."""
        if self.cookie:
            return {"cookie": self.cookie, "authorization": f"Bearer {self.token}"}
        return {"authorization": f"Bearer {self.token}"}

    @property
    def has_to_move(self) -> bool:
        """Whether the game waits for this seat, as far as it has been shown."""
        if self.cookie:
            return 'name="action"' in self.text or '/ready"' in self.text
        return bool(self.text) and not (
            '"acting":null' in self.text and '"may_ready":[]' in self.text
        )

    @property
    def is_done(self) -> bool:
        """Whether the game is over."""
        return '"phase":"over"' in self.text or '/rematch"' in self.text

    def show(self, text: str) -> None:
        """Take the newest table that this seat was sent."""
        mark, end = ('data-version="', '"') if self.cookie else ('"version":', ",")
        start = text.index(mark) + len(mark)
        self.version = int(text[start : text.index(end, start)])
        self.text = text
        self.changed.set()

    async def read(self) -> None:
        """Take everything that comes."""
        if self.socket is None:
            raise ValueError("not connected")
        async for message in self.socket:
            text = str(message)
            if self.cookie or text.startswith('{"type":"table"'):
                self.show(text)
            else:
                told = json.loads(text)
                self.replies.pop(told["id"]).set_result(told)


@dataclass
class Figures:
    """What was measured."""

    act: list[float] = field(default_factory=list)
    seen: list[float] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    games: int = 0
    bytes_shown: int = 0

    def clear(self) -> None:
        """Begin anew."""
        self.act, self.seen, self.refused, self.games = [], [], Counter(), 0


class Table:
    """One table and the people who sit there."""

    def __init__(self, http: httpx.AsyncClient, url: str, number: int, figures: Figures) -> None:
        self.http = http
        self.url = url
        self.rng = random.Random(number)
        self.figures = figures
        self.seats: list[Seat] = []
        self.code = ""
        self.number = 0
        self.tasks: list[asyncio.Task[None]] = []

    async def make(self, people: int, bots: Sequence[str]) -> None:
        """Make the table, let everybody sit down and begin."""
        values = {"name": "P0", "ruleset": RULES, "pace": "none", "bots": list(bots)}
        made = (await self.http.post(f"{API}/tables", json=values)).raise_for_status().json()
        self.code = made["table"]["code"]
        self.seats.append(Seat(made["token"]))
        for place in range(1, people):
            path = f"{API}/tables/{self.code}/join"
            joined = (await self.http.post(path, json={"name": f"P{place}"})).raise_for_status()
            self.seats.append(Seat(joined.json()["token"]))
        await self.post(self.seats[0], "start", {})

    async def post(self, seat: Seat, verb: str, values: Any) -> httpx.Response:
        """One command over HTTP."""
        path = f"{API}/tables/{self.code}/{verb}"
        return await self.http.post(path, json=values, headers=seat.headers)

    async def connect(self) -> None:
        """A WebSocket for every seat."""
        address = f"ws{self.url[4:]}{API}/tables/{self.code}/live"
        for seat in self.seats:
            seat.socket = await connect(
                address, additional_headers=seat.headers, compression=None, max_queue=None
            )
            self.tasks.append(asyncio.create_task(seat.read()))

    async def close(self) -> None:
        """Leave without a word."""
        for seat in self.seats:
            if seat.socket is not None:
                await seat.socket.close()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        self.tasks.clear()

    async def rematch(self) -> None:
        """The game is over: the same people play another one, at another table."""
        path = f"{API}/tables/{self.code}/rematch"
        answer = await self.http.post(path, json={}, headers=self.seats[0].headers)
        self.code = answer.raise_for_status().json()["table"]["code"]
        live = self.seats[0].socket is not None
        await self.close()
        for seat in self.seats:
            seat.text, seat.version = "", -1
        await (self.connect() if live else self.look())
        self.figures.games += 1

    async def mover(self) -> tuple[Seat, dict[str, Any]]:
        """Whoever the game waits for, and the table as they see it."""
        while True:
            if self.seats[0].is_done:
                await self.rematch()
            for seat in self.seats:
                seat.changed.clear()
                if seat.has_to_move:
                    return seat, self.read(seat.text)
            waiting = [asyncio.create_task(seat.changed.wait()) for seat in self.seats]
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for task in waiting:
                task.cancel()

    def read(self, text: str) -> dict[str, Any]:
        """What is needed of a table that was shown."""
        table: dict[str, Any] = json.loads(text)["table"]
        return table

    def command(self, seen: dict[str, Any]) -> dict[str, Any]:
        """What somebody does."""
        if seen["acting"] is None:
            place = {"seat": seen["may_ready"][0], "version": seen["version"]}
            return {"command": "ready", **place}
        legal = seen["legal"]
        # Mostly as people play: draw, keep what is placed, turn cards over; rounds come to an end.
        choice = "draw" if "draw" in legal and self.rng.random() < 0.8 else self.rng.choice(legal)
        place = {"seat": seen["acting"], "version": seen["version"]}
        return {"command": "act", "action": choice, **place}

    async def move(self) -> None:
        """One action, and the time until it is answered and everybody has seen it."""
        seat, seen = await self.mover()
        command = self.command(seen)
        since = time.perf_counter()
        version = await (self.say(seat, command) if seat.socket else self.call(seat, command))
        if version is None:
            return
        self.figures.act.append(time.perf_counter() - since)
        if seat.socket is None:
            return
        for other in self.seats:
            while other.version < version:
                other.changed.clear()
                await other.changed.wait()
        self.figures.seen.append(time.perf_counter() - since)
        self.figures.bytes_shown = len(seat.text)

    async def say(self, seat: Seat, command: dict[str, Any]) -> int | None:
        """A command over WebSocket: the version afterwards, None if it was refused."""
        if seat.socket is None:
            raise ValueError("not connected")
        self.number += 1
        reply = seat.replies[self.number] = asyncio.get_running_loop().create_future()
        await seat.socket.send(json.dumps({"id": self.number, **command}))
        told = await reply
        if told["type"] == "error":
            self.figures.refused[told["error"]["code"]] += 1
            return None
        version: int = told["version"]
        return version

    async def call(self, seat: Seat, command: dict[str, Any]) -> int | None:
        """The same over HTTP; then everybody looks."""
        answer = await self.post(seat, command.pop("command"), command)
        for other in self.seats:
            look = await self.http.get(f"{API}/tables/{self.code}", headers=other.headers)
            other.show(f'{{"table":{look.text}}}')
        if not answer.is_success:
            self.figures.refused[answer.json()["error"]["code"]] += 1
            return None
        return self.seats[0].version

    async def look(self) -> None:
        """Over HTTP: what there is to see before the first move."""
        for seat in self.seats:
            answer = await self.http.get(f"{API}/tables/{self.code}", headers=seat.headers)
            seat.show(f'{{"table":{answer.text}}}')


class PageTable(Table):
    """The same with browsers: live pages, and forms for moves."""

    sessions: Any = None

    async def connect(self) -> None:
        """A live page for every seat; the cookie is made from the token's secret."""
        for seat in self.seats:
            secret = self.sessions.value("api", seat.token)
            seat.cookie = f"{self.sessions.cookie}={self.sessions.signed(secret)}"
            seat.socket = await connect(
                f"ws{self.url[4:]}/t/{self.code}/ws",
                additional_headers={"cookie": seat.cookie},
                max_queue=None,
            )
            self.tasks.append(asyncio.create_task(seat.read()))

    def read(self, text: str) -> dict[str, Any]:
        """What the page's forms hold."""
        found = re.search(r'name="seat" value="(\d+)"', text)
        version = re.search(r'data-version="(\d+)"', text)
        if version is None:
            raise ValueError("no table")
        actions = sorted(set(re.findall(r'name="action" value="([^"]+)"', text)))
        return {
            "acting": int(found[1]) if found and actions else None,
            "legal": actions,
            "version": int(version[1]),
            "may_ready": [0],
        }

    async def say(self, seat: Seat, command: dict[str, Any]) -> int | None:
        """A form, as a page with scripts sends it; the version that its answer promises."""
        verb = command.pop("command")
        headers = {"cookie": seat.cookie, "hx-request": "true"}
        answer = await self.http.post(f"/t/{self.code}/{verb}", data=command, headers=headers)
        if not answer.is_success:
            self.figures.refused[str(answer.status_code)] += 1
            return None
        return int(command["version"]) + 1


# --- measuring ---------------------------------------------------------------------------------


def summary(times: list[float]) -> dict[str, float]:
    """Median, 95th and 99th percentile and the largest, in milliseconds."""
    if len(times) < 2:
        return {}
    parts = statistics.quantiles(times, n=100)
    values = {"median": parts[49], "p95": parts[94], "p99": parts[98], "max": max(times)}
    return {name: round(1000 * value, 2) for name, value in values.items()}


async def many(works: Sequence[Any], at_once: int = 20) -> None:
    """Carry all of these out, a few at a time."""
    free = asyncio.Semaphore(at_once)

    async def one(work: Any) -> None:
        async with free:
            await work

    await asyncio.gather(*map(one, works))


@contextlib.asynccontextmanager
async def opened(server: Server) -> AsyncIterator[httpx.AsyncClient]:
    limits = httpx.Limits(max_connections=64, max_keepalive_connections=64)
    async with httpx.AsyncClient(base_url=server.url, limits=limits, timeout=120) as http:
        yield http


async def flat_out(tables: list[Table], seconds: float) -> None:
    """Every table moves as fast as it can."""
    end = time.perf_counter() + seconds

    async def play(table: Table) -> None:
        while time.perf_counter() < end:
            await table.move()

    await asyncio.gather(*map(play, tables))


async def paced(tables: list[Table], seconds: float, rate: float) -> int:
    """Begin moves at a rate, at one table after the other; how many could not be begun in time."""
    began = time.perf_counter()
    busy: set[Table] = set()
    running: set[asyncio.Task[None]] = set()
    late = 0

    async def move(table: Table) -> None:
        try:
            await table.move()
        finally:
            busy.discard(table)

    for number in range(int(seconds * rate)):
        pause = began + number / rate - time.perf_counter()
        if pause > 0:
            await asyncio.sleep(pause)
        table = tables[number % len(tables)]
        if table in busy:
            late += 1
            continue
        busy.add(table)
        task = asyncio.create_task(move(table))
        running.add(task)
        task.add_done_callback(running.discard)
    await asyncio.gather(*running)
    return late


async def phase(
    server: Server, tables: list[Table], figures: Figures, seconds: float, rate: float
) -> dict[str, Any]:
    """Moves for so long, at a rate or (0) as fast as they go; what was measured meanwhile."""
    figures.clear()
    used, since, late = server.seconds(), time.perf_counter(), 0
    if rate:
        late = await paced(tables, seconds, rate)
    else:
        await flat_out(tables, seconds)
    took = time.perf_counter() - since
    return {
        "seconds": round(took, 1),
        "wished_moves_per_second": rate or None,
        "moves_per_second": round(len(figures.act) / took, 1),
        "not_begun_in_time": late,
        "refused": dict(figures.refused),
        "games_ended": figures.games,
        "act_ms": summary(figures.act),
        "seen_ms": summary(figures.seen),
        "server_cpu": round((server.seconds() - used) / took, 3),
    }


async def measure(wish: argparse.Namespace, count: int, seconds: float) -> dict[str, Any]:
    """One server, so many tables: memory idle and live, then moves."""
    with tempfile.TemporaryDirectory(prefix="skyjo-load-") as folder:
        server = Server(folder)
        try:
            server.wait()
            async with opened(server) as http:
                return await _measure(wish, server, http, count, seconds)
        finally:
            server.stop()


async def _measure(
    wish: argparse.Namespace, server: Server, http: httpx.AsyncClient, count: int, seconds: float
) -> dict[str, Any]:
    figures = Figures()
    bots = ["greedy"] * wish.bots
    people = wish.seats - wish.bots
    kind = PageTable if wish.pages else Table
    if wish.pages:
        PageTable.sessions = server.sessions()
    warm = [kind(http, server.url, -number, figures) for number in range(1, 4)]
    await many([table.make(people, bots) for table in warm])
    await asyncio.sleep(1)
    empty = server.memory()
    tables = [kind(http, server.url, number, figures) for number in range(count)]
    await many([table.make(people, bots) for table in tables])
    await asyncio.sleep(1)
    idle = server.memory()
    if wish.http:
        await many([table.look() for table in tables])
    else:
        await many([table.connect() for table in tables])
    await asyncio.sleep(1)
    samples: list[int] = []

    async def watch() -> None:
        while True:
            samples.append(server.memory())
            await asyncio.sleep(max(1.0, seconds / 60))

    watching = asyncio.create_task(watch())
    # Nobody moves more often than ten times a second, so that one table is not a race.
    rate = min(wish.rate, 10.0 * count)
    result: dict[str, Any] = {
        "tables": count,
        "seats": wish.seats,
        "bots": wish.bots,
        "over": "pages" if wish.pages else "http" if wish.http else "websocket",
        "paced": await phase(server, tables, figures, seconds, rate),
    }
    if not wish.soak:
        result["flat_out"] = await phase(server, tables, figures, seconds, 0.0)
    live = server.memory()
    watching.cancel()
    result |= {
        "bytes_per_view": figures.bytes_shown,
        "memory": {
            "empty_mb": round(empty / 1e6, 1),
            "idle_table_kb": round((idle - empty) / count / 1000, 1),
            "live_table_kb": round((live - empty) / count / 1000, 1),
            "over_time_mb": [round(sample / 1e6, 1) for sample in samples],
        },
    }
    await many([table.close() for table in tables])
    return result


def machine() -> dict[str, Any]:
    import skyjo

    model = ""
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "skyjo": skyjo.__version__,
        "python": platform.python_version(),
        "cpu": model,
        "cores": os.cpu_count(),
        "load_before": [round(each, 2) for each in os.getloadavg()],
    }


async def run(wish: argparse.Namespace) -> dict[str, Any]:
    runs = []
    for count in wish.tables:
        print(f"{count} tables ...", file=sys.stderr, flush=True)
        runs.append(await measure(wish, count, wish.soak or wish.seconds))
    return {"format": FORMAT, **machine(), "runs": runs}


def main() -> None:
    if sys.argv[1:2] == ["--serve"]:
        serve(sys.argv[2], int(sys.argv[3]))
        return
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", type=int, nargs="+", default=[1, 50, 500])
    parser.add_argument("--seats", type=int, default=4)
    parser.add_argument("--bots", type=int, default=0, help="seats of every table that bots play")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--soak", type=float, default=0.0, help="seconds, with memory over time")
    parser.add_argument("--rate", type=float, default=500.0, help="moves a second in all")
    parser.add_argument("--pages", action="store_true", help="browsers' live pages and forms")
    parser.add_argument("--http", action="store_true", help="poll instead of listening")
    parser.add_argument("--out", type=Path, help="write the JSON here, too")
    wish = parser.parse_args()
    with contextlib.suppress(AttributeError, OSError):
        others = os.sched_getaffinity(0) - {0}
        os.sched_setaffinity(0, others or {0})
    # What this process does for its own sake must not be measured as the server's.
    gc.disable()
    result = json.dumps(asyncio.run(run(wish)), indent=1)
    print(result)
    if wish.out:
        wish.out.write_text(result + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
