"""Tournaments of bots: who is better, by how much, and how sure one can be.

Every sequence of decks is played in all seat rotations, so that luck cancels; whatever is played is
reproducible from one seed, however many workers there are and wherever they are.

>>> from skyjo import arena
>>> setting = arena.setting_of(["greedy", "random"], arena.line_ups(["greedy", "random"], 2))
>>> arena.run(setting, 10).games  # doctest: +SKIP
10
"""

from __future__ import annotations

from skyjo.arena.intervals import Estimate
from skyjo.arena.lineups import all_pairs, line_ups, read_line_up
from skyjo.arena.tally import ArenaResult, BotResult, PairResult, Tally
from skyjo.arena.tournament import BACKENDS, Workers, folder_of, run, setting_of, warm_up

__all__ = [
    "BACKENDS",
    "ArenaResult",
    "BotResult",
    "Estimate",
    "PairResult",
    "Tally",
    "Workers",
    "all_pairs",
    "folder_of",
    "line_ups",
    "read_line_up",
    "run",
    "setting_of",
    "warm_up",
]
