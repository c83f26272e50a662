"""Deletes by itself what nobody has touched for as long as the hoster has said (``--keep``)."""

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

#: Seconds between two looks.
EVERY: Final = 3600.0
_DAY: Final = 86_400.0


@asynccontextmanager
async def keeping(upkeep: Upkeep, days: float | None) -> AsyncIterator[None]:
    """While the context is open, delete what is older than so many days; None: nothing."""
    if days is None:
        yield
        return
    task = asyncio.create_task(_run(upkeep, days))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _run(upkeep: Upkeep, days: float) -> None:
    while True:
        try:
            deleted = await delete_old(upkeep, days)
        except TableError:
            _log.exception("old tables could not be deleted, trying again later")
        else:
            if deleted:
                _log.info("old tables deleted", extra={"fields": {"tables": deleted}})
        await asyncio.sleep(EVERY)


async def delete_old(upkeep: Upkeep, days: float, clock: Callable[[], float] = time.time) -> int:
    """Delete everything that was not touched for so many days; how much it was."""
    deleted = 0
    while found := await upkeep.delete_untouched(clock() - days * _DAY):
        deleted += found
    return deleted
