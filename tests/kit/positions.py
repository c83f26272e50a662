"""Positions of two players for the tests of bots: Ana is on turn."""

from __future__ import annotations

from typing import Any

from tests.kit import kernel

from skyjo.bots import Kernel
from skyjo.rules.actions import action_name
from skyjo.rules.layout import State, View
from skyjo.rules.ruleset import Ruleset
from skyjo.rules.view import fill_view

OTHER = "?1 ?1 ?1 ?1 / ?2 ?2 ?2 ?2 / 3 3 ?4 ?4"
#: Nothing turned up yet.
CLOSED = " / ".join([" ".join(["?5"] * 4)] * 3)


def position(grid: str, ruleset: str = "official", **more: Any) -> State:
    """Ana's grid and what else is to be different, in the words of the scenario format."""
    start = {
        "players": ["Ana", "Ben"],
        "grids": {"Ana": grid, "Ben": more.pop("other", OTHER)},
        "discard": [5],
        "draw": [7, 8, 9],
        "turn": "Ana",
        **more,
    }
    return kernel.state_from(Ruleset.parse(ruleset), start)


def seen(state: State, seat: int = 0) -> View:
    """What a seat may know."""
    view = View(state.rules)
    fill_view(state, seat, view)
    return view


def after(state: State, *names: str) -> State:
    """The position after these actions of Ana."""
    for name in names:
        verb, _space, where = name.partition(" ")
        kernel.act(state, 0, verb, where or None, None)
    return state


def answers(policy: Kernel, state: State, numbers: tuple[float, ...] = ()) -> set[str]:
    """Every action that the policy may choose here, over all chances."""
    row = (numbers,) if numbers else ()
    view = seen(state)
    return {action_name(policy(view, chance, *row)) for chance in range(0, 360_360, 2730)} | {
        action_name(policy(view, chance, *row)) for chance in range(132)
    }
