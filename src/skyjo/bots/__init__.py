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
from typing import Final, TypeAlias

from skyjo.bots.greedy import greedy_action
from skyjo.bots.uniform import random_action
from skyjo.chance import SeededChance
from skyjo.errors import MalformedError
from skyjo.i18n import N_, _
from skyjo.rules.layout import View

__all__ = ["DICE", "Bot", "Policy", "make", "names", "says"]

#: From the view of a seat that may act now, and a generator, to the id of a legal action.
Policy: TypeAlias = Callable[[View, random.Random], int]

#: A decision part gets one number below this as its only chance. It is the least common multiple
#: of 1 to 13, so that ``chance % n`` is exactly uniform over up to 13 actions.
DICE: Final = 360_360


@dataclass(frozen=True, slots=True)
class Bot:
    """A named policy."""

    name: str
    policy: Policy

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


def _random(view: View, generator: random.Random) -> int:
    return random_action(view, generator.randrange(DICE))


def _greedy(view: View, generator: random.Random) -> int:
    return greedy_action(view, generator.randrange(DICE))


#: Every bot by name: its policy, and a sentence for people.
_BOTS: Final[Mapping[str, tuple[Policy, str]]] = {
    "random": (_random, N_("Does anything that is allowed, without a thought.")),
    "greedy": (_greedy, N_("Takes what is lower than its highest card.")),
}


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
    return Bot(name, _BOTS[name][0])
