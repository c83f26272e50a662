"""One of skyjo's own bots at somebody else's table.

    .venv/bin/python examples/house_bot.py http://192.168.1.5:8000 ABCD1234 --bot greedy --name Robo

A server has these bots already; this shows how a policy of one's own, written for ``skyjo.bots``
and tried in the simulator, plays at a live table.
"""

from __future__ import annotations

import argparse
import random

from skyjo import bots
from skyjo.client import Client, Game, Table
from skyjo.client.models import Cell, Shown
from skyjo.rules.actions import action_name
from skyjo.rules.layout import (
    MAX_SEATS,
    NO_CARD,
    NOBODY,
    PHASE_NAMES,
    REMOVED,
    UNKNOWN,
    View,
)
from skyjo.rules.ruleset import Ruleset

NOT_SHOWN = {"hidden": UNKNOWN, "gone": REMOVED}
BY_SEAT = ("hidden", "pending", "left", "turns", "raw", "final", "totals")
PLAIN = ("round", "draw_size", "discard_size", "reshuffles")
SEATS = ("seat", "turn", "starter", "next_starter", "finisher")


def view_of_game(game: Game, ruleset: Ruleset) -> View:
    """The view that policies read, from the API's ``game``."""
    view = View(ruleset)
    view.seats = len(game.grids)
    view.phase = PHASE_NAMES.index(game.phase)
    for name in PLAIN:
        setattr(view, name, getattr(game, name))
    for name in SEATS:
        seat = getattr(game, name)
        setattr(view, name, NOBODY if seat is None else seat)
    view.hand, view.discard_top = card_number(game.hand), card_number(game.discard_top)
    for name in BY_SEAT:
        values = [int(value) for value in getattr(game, name)]
        setattr(view, name, values + [0] * (MAX_SEATS - len(values)))
    cells = [card_number(cell) for grid in game.grids for row in grid for cell in row]
    view.cells[: len(cells)] = cells
    view.may_be_hidden[:] = game.may_be_hidden
    view.may_be_drawn[:] = game.may_be_drawn
    return view


def card_number(shown: Shown | Cell) -> int:
    """A card as views write it."""
    if shown is None:
        return NO_CARD
    return shown if isinstance(shown, int) else NOT_SHOWN[shown]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("code")
    parser.add_argument("--bot", default="greedy", choices=bots.names())
    parser.add_argument("--name", default="Robo")
    wish = parser.parse_args()
    policy, generator = bots.make(wish.bot).policy, random.Random()

    def choose(table: Table) -> str:
        if table.game is None:
            raise ValueError("the game has not begun")
        view = view_of_game(table.game, Ruleset.parse(table.ruleset))
        return action_name(policy(view, generator))

    with Client(wish.url) as client:
        table = client.join(wish.code, wish.name).play(choose)
    print("The game is over:", {seat.name: seat.total for seat in table.seats})


if __name__ == "__main__":
    main()
