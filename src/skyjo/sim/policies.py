"""Asks bots for their actions: compiled, one of several kernels by number; else themselves."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import cache
from operator import index
from types import FunctionType
from typing import Any, cast

from skyjo.bots import DICE, Bot, Kernel, takes_numbers
from skyjo.errors import SkyjoError
from skyjo.i18n import N_
from skyjo.rules.layout import View
from skyjo.sim.dice import Dice, below, roll


def act(kind: int, v: View, chance: int, row: Sequence[float]) -> int:
    """Stands for a chain: the action that kernel number ``kind`` chooses."""
    raise NotImplementedError


def kernel(v: View, chance: int, row: Sequence[float]) -> int:
    """Stands for one kernel of a chain."""
    raise NotImplementedError


def _first(kind: int, v: View, chance: int, row: Sequence[float]) -> int:
    if kind == 0:
        return kernel(v, chance, row)
    return act(kind - 1, v, chance, row)


def _first_without_numbers(kind: int, v: View, chance: int, row: Sequence[float]) -> int:
    if kind == 0:
        return kernel(v, chance)  # type: ignore[call-arg]
    return act(kind - 1, v, chance, row)


def _none(kind: int, v: View, chance: int, row: Sequence[float]) -> int:
    return -1


@cache
def chain(kernels: tuple[Kernel, ...]) -> Kernel:
    """One kernel that asks kernel number ``kind`` of these, and answers -1 when there is none.

    >>> chain((lambda v, chance: 7, lambda v, chance, row: 8))(1, None, 0, ())
    8
    """
    found: Kernel = _none
    for each in reversed(kernels):
        link = cast(FunctionType, _first if takes_numbers(each) else _first_without_numbers)
        names = {**link.__globals__, "kernel": each, "act": found}
        found = FunctionType(link.__code__, names, link.__name__)
    return found


def numbers_of(bots: Sequence[Bot], kernels: Sequence[Kernel]) -> tuple[list[float], list[int]]:
    """The numbers of all bots in one row, and a table: kernel, begin and end for each of them.

    ``kernels`` are those of the chain, none where nothing is compiled.
    """
    numbers: list[float] = []
    table: list[int] = []
    for bot in bots:
        kind = kernels.index(cast(Kernel, bot.kernel)) if kernels else 0
        table += [kind, len(numbers), len(numbers) + len(bot.numbers)]
        numbers += bot.numbers
    return numbers, table


def asking(bots: Sequence[Bot]) -> Callable[..., int]:
    """Stands for ``loop.choose`` in the interpreter: asks the bot itself."""

    def answer(
        number: int, v: View, dice: Dice, numbers: Sequence[float], table: Sequence[int]
    ) -> int:
        bot = bots[number]
        if bot.kernel is None:
            return answer_of(bot, bot.policy(v, random.Random(roll(dice) << 32 | roll(dice))))
        if bot.interpreted is not None:
            return bot.interpreted(v, below(dice, DICE))
        row = (numbers[table[3 * number + 1] : table[3 * number + 2]],)
        return bot.kernel(v, below(dice, DICE), *(row if takes_numbers(bot.kernel) else ()))

    return answer


def answer_of(bot: Bot, action: Any) -> int:
    """The action that a bot has chosen. Raises SkyjoError if it is not a number at all.

    >>> from skyjo.bots import make
    >>> answer_of(make("greedy"), 4)
    4
    """
    try:
        return index(action)
    except TypeError:
        raise SkyjoError(
            N_("{bot} answered '{text}', which is not the number of an action"),
            bot=bot.name,
            text=action,
        ) from None
