"""Lets compiled play call one of several kernels by number."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from types import FunctionType
from typing import cast

from skyjo.bots import Kernel, takes_numbers
from skyjo.rules.layout import View


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
