"""A process that plays at a table as fast as it can, and says what it was told was done.

``python mover.py URL TABLE_ID``; without a table it makes one and says its id first. The clock and
the decks are the world's.
"""

from __future__ import annotations

import asyncio
import sys
import time

from tests.kit.tables import Room

from skyjo.store import open_store
from skyjo.table import commands as co


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


async def move(url: str, table_id: str) -> None:
    room = Room(await open_store(url), clock=time.time)  # type: ignore[arg-type]
    room.table_id = table_id
    if not table_id:
        await room.playing("Ana", "Ben", bots=["any"], ruleset="official target=1000000")
        say(room.table_id)
    while True:
        await room.authority.tick()
        for name in ("Ana", "Ben"):
            seen = await room.see(name)
            command: co.Command | None = None
            if seen.acting is not None:
                chosen = seen.legal[seen.version % len(seen.legal)]
                command = co.Act(seen.acting, chosen, seen.version)
            elif seen.may_ready:
                command = co.Ready(seen.may_ready[0], seen.version)
            if command is not None:
                done = await room.do(name, command)
                say(f"{seen.version} {done.version} {command}")


if __name__ == "__main__":
    asyncio.run(move(sys.argv[1], sys.argv[2]))
