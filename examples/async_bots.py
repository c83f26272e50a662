"""Four programs at one table on one asyncio loop; its argument is the server's address."""

from __future__ import annotations

import asyncio
import sys

from skyjo.client import AsyncClient, Table


def lowest_first(table: Table) -> str:
    """Take what is low, put it where a high card lies, else draw and turn cards over."""
    game, seat = table.game, table.acting
    if game is None or seat is None:
        raise ValueError("the game has not begun")
    if game.phase == "choose":
        top = game.discard_top
        return "take" if isinstance(top, int) and top <= 3 else "draw"
    if game.phase == "place_or_discard" and isinstance(game.hand, int) and game.hand > 4:
        return "discard"
    worth = {
        f"r{row}c{column}": 5 if cell == "hidden" else cell
        for row, cells in enumerate(game.grids[seat])
        for column, cell in enumerate(cells)
        if cell != "gone"
    }
    return max(table.legal, key=lambda action: worth.get(action.partition(" ")[2], -3))


async def main(url: str) -> None:
    async with AsyncClient(url) as client:
        host = await client.create("Ana", ruleset="official max_rounds=1", pace="none")
        guests = [await client.join(host.table, name) for name in ("Ben", "Cleo", "Dan")]
        await host.start()
        ends = await asyncio.gather(*(seat.play(lowest_first) for seat in (host, *guests)))
    print({seat.name: seat.total for seat in ends[0].seats})


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
