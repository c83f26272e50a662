"""The network's kernels as bots need them: a view, a chance and one row of numbers."""

from __future__ import annotations

from skyjo.bots.value.deep import choose_deeply
from skyjo.bots.value.layout import (
    ACTIVE,
    DEEP_AT,
    EXACT_AT,
    HEADER,
    HEADS,
    NOTES,
    OTHERS_POINTS,
    OWN_POINTS,
    ROWS,
    SPACE_ROWS,
    STAGES,
    TURNS_LEFT,
    UTILITY_AT,
    WIDTH_AT,
    Array,
)
from skyjo.bots.value.look import choose_action, turn_cost
from skyjo.rules.layout import View


def value_action(v: View, chance: int, numbers: Array) -> int:
    """Plays for points: those of the others, on average, less one's own."""
    points_utility(v, numbers[len(numbers) - NOTES :])
    return act_by_utility(v, chance, numbers)


def act_by_utility(v: View, chance: int, numbers: Array) -> int:
    """The action of the highest utility; the last ``NOTES`` numbers hold its weights."""
    h = int(numbers[WIDTH_AT])
    end = HEADER + ROWS * h
    w = numbers[HEADER:end].reshape((ROWS, h))
    o = numbers[end : end + STAGES * HEADS * h].reshape((STAGES * HEADS, h))
    end += STAGES * HEADS * h
    b = numbers[end : end + STAGES * HEADS]
    end += STAGES * HEADS
    x = numbers[end : end + SPACE_ROWS * h].reshape((SPACE_ROWS, h))
    end += SPACE_ROWS * h
    f = numbers[end : end + 2 * ACTIVE].reshape((2, ACTIVE))
    n = numbers[end + 2 * ACTIVE :]
    exact = numbers[EXACT_AT] != 0
    if numbers[DEEP_AT] == 0:
        return choose_action(v, chance, exact, w, o, b, x, f, n)
    return choose_deeply(v, chance, exact, w, o, b, x, f, n)


def points_utility(v: View, n: Array) -> None:
    """Points of the others less one's own; a turn costs a little, and more in a long round.

    Without that cost two who wait for each other would swap discards for ever.
    """
    for head in range(HEADS):
        n[UTILITY_AT + head] = 0
    n[UTILITY_AT + OWN_POINTS] = -1
    n[UTILITY_AT + OTHERS_POINTS] = 1
    n[UTILITY_AT + TURNS_LEFT] = -turn_cost(v)
