"""Whole random games under any ruleset, ply by ply: the shared source of the property tests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from hypothesis import strategies as st
from tests import oracle
from tests.kit.decks import STYLES, random_deck
from tests.kit.lockstep import Pair
from tests.kit.pilots import PILOTS
from tests.kit.rulesets import Chosen, random_ruleset, rulesets

from skyjo.rules.ruleset import Ruleset


@dataclass(frozen=True)
class Setup:
    """Everything that decides a random game."""

    chosen: Chosen
    seats: int
    pilot: str
    seed: int

    def pair(self, *, checked: bool = True) -> Pair:
        """A game before its first deal."""
        base, overrides = self.chosen
        return Pair(
            oracle.make_rules(base, **overrides),
            Ruleset.preset(base, overrides),
            self.seats,
            Random(self.seed),
            checked=checked,
        )


def setups(pilot: str | None = None) -> st.SearchStrategy[Setup]:
    """Random games for Hypothesis; eight seats often, as only they empty the draw pile."""
    return st.builds(
        Setup,
        chosen=rulesets(),
        seats=st.sampled_from((2, 3, 4, 5, 6, 7, 8, 8, 8)),
        pilot=st.sampled_from([pilot] if pilot else list(PILOTS)),
        seed=st.integers(0, 2**32),
    )


def random_setup(seed: int, base: str | None = None) -> Setup:
    """The random game of this number; under a preset as it stands if one is named."""
    rng = Random(seed)
    chosen = random_ruleset(rng) if base is None else (base, {})
    return Setup(chosen, rng.choice((2, 3, 4, 5, 6, 7, 8, 8)), rng.choice(list(PILOTS)), seed)


def plies(setup: Setup, *, rounds: int = 3, checked: bool = True) -> Iterator[Pair]:
    """Play, and hand out the game after every deal and every ply; stop after some rounds."""
    pair = setup.pair(checked=checked)
    pilot, rng, table = PILOTS[setup.pilot], pair.rng, pair.table
    while table.phase != "game_over":
        if table.phase != "round_over":
            pair.act(*pilot.choose(rng, table))
        elif table.round and rng.random() < 3 * pilot.leave:
            pair.act(rng.choice(table.remaining()).seat, "leave")
        elif table.round < rounds:
            pair.deal(random_deck(rng, rng.choice(STYLES), len(table.remaining())))
        else:
            return
        yield pair
