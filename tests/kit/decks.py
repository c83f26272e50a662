"""Orders of the 150 cards, some of them arranged so that rare things happen."""

from __future__ import annotations

from collections import Counter
from random import Random

from tests import oracle

STYLES = ("shuffled", "columns", "rows", "clumped", "low_first", "high_first")


def random_deck(rng: Random, style: str, seats: int) -> list[int]:
    """A permutation of the deck, top first.

    `columns` and `rows` deal lines of equal cards, `clumped` lays equal cards behind one another,
    `low_first` and `high_first` deal nearly sorted.
    """
    deck = list(oracle.DECK)
    rng.shuffle(deck)
    if style == "clumped":
        order = {value: rng.random() for value in set(deck)}
        deck.sort(key=lambda value: order[value])
        for _ in range(10):
            i, j = rng.randrange(150), rng.randrange(150)
            deck[i], deck[j] = deck[j], deck[i]
    elif style in ("low_first", "high_first"):
        sign = 1 if style == "low_first" else -1
        deck.sort(key=lambda value: sign * value + rng.uniform(0, 4))
    elif style in ("columns", "rows"):
        deck = _lines(rng, deck, style, seats)
    return deck


def _lines(rng: Random, deck: list[int], style: str, seats: int) -> list[int]:
    left = Counter(deck)
    columns = [[column + 4 * row for row in range(3)] for column in range(4)]
    rows = [[4 * row + column for column in range(4)] for row in range(3)]
    dealt: dict[int, int] = {}
    for seat in range(seats):
        for line in columns if style == "columns" else rows:
            values = [value for value in left if left[value] >= len(line)]
            if rng.random() < 0.7 and values:
                value = rng.choice(values)
                left[value] -= len(line)
                dealt |= {12 * seat + place: value for place in line}
    rest = list(left.elements())
    rng.shuffle(rest)
    return [dealt[i] if i in dealt else rest.pop() for i in range(150)]
