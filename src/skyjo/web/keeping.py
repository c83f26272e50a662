"""Deletes by itself what nobody has touched for as long as the hoster has said (``--keep``).

A computer whose clock is wrong, as many are until they have reached a time server, would make
everything look old. So nothing is deleted unless the clock has gone on evenly since the last look,
and there is none in the first minutes of a server.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Final

from skyjo.table.errors import TableError
from skyjo.table.upkeep import Upkeep

_log = logging.getLogger("skyjo.web")

#: Seconds until the first look: a clock that is set after the start has been set by then.
FIRST_AFTER: Final = 900.0
#: Seconds between two looks.
EVERY: Final = 3600.0
#: Seconds by which a clock may be put right meanwhile without being doubted.
EVENLY: Final = 300.0
_DAY: Final = 86_400.0


@asynccontextmanager
async def keeping(
    upkeep: Upkeep, days: float | None, clock: Callable[[], float] = time.time
) -> AsyncIterator[None]:
    """While the context is open, delete what is older than so many days; None: nothing."""
    if days is None:
        yield
        return
    task = asyncio.create_task(_run(upkeep, days, clock))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _run(upkeep: Upkeep, days: float, clock: Callable[[], float]) -> None:
    wait = FIRST_AFTER
    while True:
        if not await _passes_evenly(wait, clock):
            _log.warning("the clock was set; nothing old is deleted before the next look")
            wait = EVERY
            continue
        wait = EVERY
        try:
            deleted = await delete_old(upkeep, days, clock)
        except TableError:
            _log.exception("old tables could not be deleted, trying again later")
        else:
            if deleted:
                _log.info("old tables deleted", extra={"fields": {"tables": deleted}})


async def _passes_evenly(seconds: float, clock: Callable[[], float]) -> bool:
    """Wait; whether the clock then shows about so much more than before.

    A computer that slept makes it show more as well, which only means to look later.
    """
    before = clock() - time.monotonic()
    await asyncio.sleep(seconds)
    return abs(clock() - time.monotonic() - before) <= EVENLY


async def delete_old(upkeep: Upkeep, days: float, clock: Callable[[], float] = time.time) -> int:
    """Delete everything that was not touched for so many days; how much it was."""
    deleted = 0
    while found := await upkeep.delete_untouched(clock() - days * _DAY):
        deleted += found
    return deleted
