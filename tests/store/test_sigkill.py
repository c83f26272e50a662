"""A real process is killed with SIGKILL in the middle of play, again and again."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time

from tests.conftest import ROOT
from tests.kit.tables import Room, asynchronous

from skyjo.store import open_store
from skyjo.table import commands as co
from skyjo.table import events as ev


def play_and_kill(url: str, table_id: str, moves: int, moment: float) -> tuple[str, list[str]]:
    """Start the process, let it make so many moves and a bit, kill it: the table, what it said."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.store.mover", url, table_id],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert process.stdout is not None
    said = [process.stdout.readline() for _ in range(moves)]
    time.sleep(moment)
    process.send_signal(signal.SIGKILL)
    rest, _ = process.communicate()
    assert process.returncode == -signal.SIGKILL
    # A last line that is torn was not told to anybody.
    said += [line for line in rest.splitlines(keepends=True) if line.endswith("\n")]
    return (table_id or said.pop(0).strip()), said


@asynchronous
async def test_every_move_that_was_told_is_there_and_nothing_is_torn(url: str) -> None:
    rng = random.Random(7)
    table_id = ""
    for _ in range(4):
        table_id, said = play_and_kill(url, table_id, rng.randrange(5, 40), rng.random() / 50)
        store = await open_store(url)
        room = Room(store)
        room.table_id = table_id
        table = await room.table()
        stored = [event for _at, event in await room.stored()]
        for line in said:
            before, after, command = line.split(maxsplit=2)
            done = stored[int(before) : int(after)]
            if command.startswith("Act("):
                seat, action = (int(part.split("=")[1]) for part in command[4:-1].split(", ")[:2])
                assert ev.Acted(seat, action, "person") in done
            else:
                assert any(isinstance(event, ev.Readied) for event in done)
        (head,) = await store.heads([table_id])
        assert head.version == table.version == len(stored) >= int(said[-1].split()[1])
        seen = await room.see("Ana")
        assert seen.phase == "playing"
        room.clock.now = table.changed_at
        await room.touch("Ana", "Ben")
        await room.settle()
        for name in ("Ana", "Ben"):
            if (await room.see(name)).legal:
                await room.act(name)
                break
        await store.close()


def test_the_mover_says_actions_by_number() -> None:
    """What the test above reads from its lines."""
    assert str(co.Act(0, 5, 3)) == "Act(seat=0, action=5, version=3)"
