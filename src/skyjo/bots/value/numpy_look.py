"""Looking ahead in the interpreter: the same kernels, with NumPy in their innermost loops.

What takes a loop over all hidden units, or over all outcomes of a flip, is done here by one
operation of NumPy; everything else is the kernels themselves (``look``). The results are the same
up to the rounding of single precision.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from skyjo import jit
from skyjo.bots.value import deep as ahead
from skyjo.bots.value import look
from skyjo.bots.value.inputs import column_at, goes, stage_after, with_symbol
from skyjo.bots.value.layout import (
    HIDDEN_AT,
    SUM,
    TOPS,
    TURNED,
    Array,
    Float,
)
from skyjo.bots.value.weights import Net, Weights, net_of
from skyjo.rules.layout import VALUES, View


def clear(x: Array, row: int) -> None:
    """All zero."""
    x[row] = 0


def copy(x: Array, row: int, to: int) -> None:
    """The same numbers in another row."""
    x[to] = x[row]


def add(w: Array, row: int, amount: Float, x: Array, to: int) -> None:
    """A multiple of a row of one table to a row of another."""
    x[to] += np.float32(amount) * w[row]


def add_inputs(w: Array, f: Array, count: int, sign: Float, x: Array, to: int) -> None:
    """The rows of all active inputs."""
    x[to] += (sign * f[1, :count]) @ w[f[0, :count].astype(np.intp)]


def add_units(x: Array, one: int, other: int, share: Float) -> None:
    """The hidden units of a sum of two parts, with a share of all outcomes."""
    x[SUM] += share * np.maximum(x[one] + x[other], 0)


def product(x: Array, row: int, w: Array, other: int) -> Float:
    """The sum of products of two rows."""
    return x[row] @ w[other]


def worth_of_flip(v: View, column: int, top: int, x: Array, n: Array) -> Float:
    """A hidden card of the column is turned up, this card lies on the discard pile."""
    cards, row = column_at(v, v.seat, column), look.hidden_row(v, column)
    first = TURNED + 15 * column
    shares = n[HIDDEN_AT : HIDDEN_AT + VALUES]
    units = x[first : first + VALUES] + x[TOPS + top]
    for card in range(VALUES):
        if goes(v, with_symbol(cards, row, card)):
            units[card] = x[first + card] + x[TOPS + card]
    x[SUM] = shares @ np.maximum(units, 0)
    return look_worth()(stage_after(v, v.hidden[v.seat] - 1), x, n)


def worth_of_covering(v: View, column: int, card: int, x: Array, n: Array) -> Float:
    """The card replaces a hidden card of the column, which goes to the discard pile."""
    after = with_symbol(column_at(v, v.seat, column), look.hidden_row(v, column), card)
    path = x[TURNED + 15 * column + card]
    if goes(v, after):
        x[SUM] = np.maximum(path + x[TOPS + card], 0)
    else:
        shares = n[HIDDEN_AT : HIDDEN_AT + VALUES]
        x[SUM] = shares @ np.maximum(path + x[TOPS : TOPS + VALUES], 0)
    return look_worth()(stage_after(v, v.hidden[v.seat] - 1), x, n)


_INNER: dict[Callable[..., Any], Callable[..., Any]] = {
    look.clear: clear,
    look.copy: copy,
    look.add: add,
    look.add_inputs: add_inputs,
    look.add_units: add_units,
    look.product: product,
}


@cache
def look_worth() -> Callable[..., Any]:
    """``look.worth`` with NumPy inside."""
    return jit.rebuilt(look.worth, _INNER)


STAND_INS: dict[Callable[..., Any], Callable[..., Any]] = {
    **_INNER,
    look.worth_of_flip: worth_of_flip,
    look.worth_of_covering: worth_of_covering,
}


@cache
def chooser(*, deep: bool = False) -> Callable[..., int]:
    """``look.choose_action`` or ``deep.choose_deeply`` with NumPy inside."""
    return jit.rebuilt(ahead.choose_deeply if deep else look.choose_action, STAND_INS)


def choose(view: View, chance: int, net: Net, *, exact: bool, deep: bool = False) -> int:
    """The action of the highest utility, whose weights are in ``net.n``."""
    return chooser(deep=deep)(view, chance, exact, *net.parts())


def interpreted(
    weights: Weights,
    utility: Callable[[View, Array], None],
    *,
    exact: bool,
    deep: bool = False,
) -> Callable[[View, int], int]:
    """From a view and a chance to the action of the highest utility; for ``Bot.interpreted``.

    ``utility`` writes the weights of the heads into the notes. Needs no compiler.
    """

    def act(view: View, chance: int) -> int:
        net = net_of(weights)
        utility(view, net.n)
        return choose(view, chance, net, exact=exact, deep=deep)

    return act
