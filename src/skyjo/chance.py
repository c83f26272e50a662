"""Where shuffles come from. The rules take an order of cards; this module makes one.

Two sources: ``SeededChance``, the same decks from the same seed on every machine, and
``SystemChance`` from the operating system, for tables where somebody might want to know the deck.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Protocol

from skyjo.rules.deal import DECK


class Chance(Protocol):
    """Gives every order of cards that a game asks for."""

    def deck(self, round_number: int) -> list[int]:
        """All 150 cards for a round (from 1), the top one first."""
        ...

    def reshuffle(self, cards: Sequence[int], round_number: int, number: int) -> list[int]:
        """These cards in a new order, the top one first; ``number`` counts from 1 in the round."""
        ...


class SeededChance:
    """Orders that depend on nothing but the seed, the round and the number of the reshuffle.

    >>> SeededChance(7).deck(1) == SeededChance(7).deck(1) != SeededChance(8).deck(1)
    True
    """

    def __init__(self, seed: int | str) -> None:
        self.seed = seed

    def deck(self, round_number: int) -> list[int]:
        """All 150 cards for a round, the top one first."""
        return _shuffled(DECK, self.generator("deck", round_number))

    def reshuffle(self, cards: Sequence[int], round_number: int, number: int) -> list[int]:
        """These cards in a new order, the top one first."""
        return _shuffled(sorted(cards), self.generator("reshuffle", round_number, number))

    def generator(self, *purpose: int | str) -> random.Random:
        """A generator for one purpose, for instance a bot's decision in a round at a ply."""
        return random.Random("/".join(str(part) for part in (self.seed, *purpose)))


class SystemChance:
    """Orders that nobody can foresee or repeat.

    >>> sorted(SystemChance().deck(1)) == sorted(DECK)
    True
    """

    def __init__(self) -> None:
        self._random = random.SystemRandom()

    def deck(self, round_number: int) -> list[int]:
        """All 150 cards, the top one first."""
        return _shuffled(DECK, self._random)

    def reshuffle(self, cards: Sequence[int], round_number: int, number: int) -> list[int]:
        """These cards in a new order, the top one first."""
        return _shuffled(cards, self._random)


def _shuffled(cards: Sequence[int], generator: random.Random) -> list[int]:
    order = list(cards)
    generator.shuffle(order)
    return order
