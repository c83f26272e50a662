"""Bulk play: thousands to millions of rounds and games of given policies, as NumPy arrays.

>>> from skyjo import sim
>>> games = sim.play_many_games(["greedy", "greedy", "random"], 3, seed=7, compiled=False)
>>> games.shares.sum(axis=1).tolist()
[1.0, 1.0, 1.0]

``docs/simulation.md`` explains how to play fast, how to repeat a run, and how to write a policy
that can be compiled.
"""

from __future__ import annotations

from skyjo.sim.play import (
    TURN_LIMIT,
    Player,
    play_many_games,
    play_many_rounds,
    play_random_rounds,
    prepare,
)
from skyjo.sim.results import Games, Rounds

__all__ = [
    "TURN_LIMIT",
    "Games",
    "Player",
    "Rounds",
    "play_many_games",
    "play_many_rounds",
    "play_random_rounds",
    "prepare",
]
