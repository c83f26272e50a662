"""Lets bots choose, away from the event loop."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping
from typing import TypeAlias

from skyjo.rules.layout import View

#: What ``skyjo.bots`` calls a policy: a view and a generator in, an action out.
Policy: TypeAlias = Callable[[View, random.Random], int]


class PolicyDriver:
    """Bots by name, each in a thread of its own for as long as it thinks.

    >>> driver = PolicyDriver({"first": lambda view, generator: 1})
    >>> driver.names
    ('first',)
    """

    def __init__(self, policies: Mapping[str, Policy]) -> None:
        self._policies = dict(policies)

    @property
    def names(self) -> tuple[str, ...]:
        """The bots that there are, the weakest first."""
        return tuple(self._policies)

    async def choose(self, bot: str, view: View, generator: random.Random) -> int:
        """What this bot does when it sees this view; KeyError for one that there is not."""
        return await asyncio.to_thread(self._policies[bot], view, generator)
