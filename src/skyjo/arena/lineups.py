"""Who meets whom."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations, combinations_with_replacement, islice
from typing import Final

from skyjo.bots.process import parts_of
from skyjo.errors import IllegalActionError, MalformedError
from skyjo.i18n import N_
from skyjo.rules.layout import MAX_SEATS, MIN_SEATS

LineUp = tuple[str, ...]

#: More line-ups than these are not played when they are not asked for one by one.
MOST: Final = 60


def all_pairs(names: Sequence[str]) -> list[LineUp]:
    """Every pair.

    >>> all_pairs(["a", "b", "c"])
    [('a', 'b'), ('a', 'c'), ('b', 'c')]
    """
    return list(combinations(names, 2))


def line_ups(names: Sequence[str], seats: int, seed: int | str = 0) -> list[LineUp]:
    """Line-ups of so many seats in which every bot plays equally often.

    With more bots than seats all choices without repetition, otherwise all those in which nobody
    plays only against itself; when that makes more than 60, so many as give every bot the same
    number of seats are drawn.

    >>> line_ups(["a", "b"], 3)
    [('a', 'a', 'b'), ('a', 'b', 'b')]
    """
    check_seats(seats)
    if len(names) < 2:
        raise MalformedError(N_("an arena needs at least two bots"))
    if seats == 2:
        return all_pairs(names)
    if len(names) >= seats:
        every = list(islice(combinations(names, seats), MOST + 1))
    else:
        mixed = combinations_with_replacement(names, seats)
        every = list(islice((each for each in mixed if len(set(each)) > 1), MOST + 1))
    return every if len(every) <= MOST else drawn(names, seats, seed)


def drawn(names: Sequence[str], seats: int, seed: int | str) -> list[LineUp]:
    """Line-ups dealt from one shuffled set of names after the other, as cards from a deck."""
    generator = random.Random(f"line-ups/{seed}")
    count = max(1, MOST // len(names)) * len(names)
    cards: list[str] = []
    found: list[LineUp] = []
    while len(found) < count:
        while len(cards) < seats:
            more = list(names)
            generator.shuffle(more)
            cards += more
        found.append(tuple(cards[:seats]))
        del cards[:seats]
    return found


def read_line_up(text: str, names: Sequence[str]) -> LineUp:
    """A line-up as a person types it. Raises MalformedError for a bot that does not take part.

    >>> read_line_up("a, b,b", ["a", "b"])
    ('a', 'b', 'b')
    """
    parts = tuple(parts_of(text))
    check_seats(len(parts))
    for part in parts:
        if part not in names:
            raise MalformedError(
                N_("the line-up '{text}' names '{name}', which is not one of the bots"),
                text=text,
                name=part,
            )
    return parts


def check_seats(seats: int) -> None:
    """Raises IllegalActionError (``player_count``) unless there are 2 to 8."""
    if not MIN_SEATS <= seats <= MAX_SEATS:
        raise IllegalActionError(
            "player_count", N_("Skyjo is played by 2 to 8 players, not by {count}."), count=seats
        )
