"""Two fast taps on one button are one wish: what was just begun is not begun twice."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final, Generic, TypeVar

T = TypeVar("T")

#: Seconds in which a second tap belongs to the first.
A_MOMENT: Final = 2.0


class Once(Generic[T]):
    """Remembers for a moment what has been begun, by the name of each wish.

    >>> async def begin() -> str: return "table"
    >>> async def taps(once: Once[str]) -> list[str]:
    ...     return list(await asyncio.gather(once("me", begin), once("me", begin)))
    >>> asyncio.run(taps(Once()))
    ['table', 'table']
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._begun: dict[str, tuple[float, asyncio.Future[T]]] = {}

    def let_go(self, is_gone: Callable[[T], bool]) -> None:
        """Forget what was begun and has been deleted since."""
        for wish, (_at, each) in list(self._begun.items()):
            failed = each.done() and (each.cancelled() or each.exception() is not None)
            if each.done() and not failed and is_gone(each.result()):
                del self._begun[wish]

    async def __call__(self, wish: str | None, begin: Callable[[], Awaitable[T]]) -> T:
        """What ``begin`` gives, or gave for this wish a moment ago; None is a wish of its own."""
        if wish is None:
            return await begin()
        now = self._clock()
        self._begun = {
            key: (at, each) for key, (at, each) in self._begun.items() if now - at < A_MOMENT
        }
        if wish not in self._begun:
            self._begun[wish] = (now, asyncio.ensure_future(begin()))
        future = self._begun[wish][1]
        try:
            return await asyncio.shield(future)
        except BaseException:
            # What was refused may be tried again at once.
            if future.done():
                self._begun.pop(wish, None)
            raise
