"""Bots: policies that see what their seat may know and answer with an action.

>>> make("greedy").name
'greedy'

A policy never sees a game or a state, only a view and a generator of its own. The generator of
each decision comes from seed, round, ply and seat, so that a game that was interrupted goes on as
it would have.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import Final, TypeAlias, cast

from skyjo.bots.greedy import greedy_action
from skyjo.bots.uniform import random_action
from skyjo.chance import SeededChance
from skyjo.errors import MalformedError
from skyjo.i18n import N_, _
from skyjo.rules.layout import View

__all__ = ["DICE", "KERNELS", "Bot", "Kernel", "Policy", "from_kernel", "make", "names", "says"]

#: From the view of a seat that may act now, and a generator, to the id of a legal action.
Policy: TypeAlias = Callable[[View, random.Random], int]

#: A policy in the form that can be compiled: from the view, a chance (0 to ``DICE`` - 1) and, if it
#: takes a third argument, the numbers of its bot (a row of floats) to the id of a legal action.
Kernel: TypeAlias = Callable[..., int]

#: A decision part gets one number below this as its only chance. It is the least common multiple
#: of 1 to 13, so that ``chance % n`` is exactly uniform over up to 13 actions.
DICE: Final = 360_360


@dataclass(frozen=True, slots=True)
class Bot:
    """A named policy; one that can be compiled also has a ``kernel`` and its ``numbers``."""

    name: str
    policy: Policy
    kernel: Kernel | None = None
    numbers: tuple[float, ...] = ()

    def decide(self, view: View, seed: int | str, ply: int) -> int:
        """The action of the view's seat; ``ply`` is how many actions the game has seen before.

        >>> from skyjo.game import Game
        >>> game = Game(["Ana", "Ben"])
        >>> _ = game.deal(SeededChance(7).deck(1))
        >>> view = game.view(0)
        >>> make("random").decide(view, 7, ply=0) == make("random").decide(view, 7, ply=0)
        True
        """
        generator = SeededChance(seed).generator("bot", view.round, ply, view.seat)
        return self.policy(view, generator)


def from_kernel(name: str, kernel: Kernel, numbers: tuple[float, ...] = ()) -> Bot:
    """A bot whose policy is a kernel.

    >>> from_kernel("mine", random_action).kernel is random_action
    True
    """
    row = (numbers,) if takes_numbers(kernel) else ()

    def policy(view: View, generator: random.Random) -> int:
        return kernel(view, generator.randrange(DICE), *row)

    return Bot(name, policy, kernel, numbers)


def takes_numbers(kernel: Kernel) -> bool:
    """Whether a kernel wants the numbers of its bot."""
    return cast(FunctionType, kernel).__code__.co_argcount == 3


#: Every bot by name: its kernel, and a sentence for people.
_BOTS: Final[Mapping[str, tuple[Kernel, str]]] = {
    "random": (random_action, N_("Does anything that is allowed, without a thought.")),
    "greedy": (greedy_action, N_("Takes what is lower than its highest card.")),
}

#: The kernels of all bots, so that they can be compiled together.
KERNELS: Final[tuple[Kernel, ...]] = tuple(kernel for kernel, _says in _BOTS.values())


def names() -> tuple[str, ...]:
    """The names of all bots.

    >>> names()
    ('random', 'greedy')
    """
    return tuple(_BOTS)


def says(name: str) -> str:
    """What a bot does, in a sentence in the reader's language."""
    return _(_BOTS[name][1])


def make(spec: str) -> Bot:
    """The bot of that name; MalformedError names all of them when there is none.

    >>> make("genius")
    Traceback (most recent call last):
    ...
    skyjo.errors.MalformedError: there is no bot 'genius'; the bots are: random, greedy
    """
    name = spec.strip()
    if name not in _BOTS:
        raise MalformedError(
            N_("there is no bot '{name}'; the bots are: {names}"),
            name=name,
            names=", ".join(_BOTS),
        )
    return from_kernel(name, _BOTS[name][0])
