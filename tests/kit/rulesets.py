"""Random rulesets, as a preset and its overrides in plain Python values."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import strategies as st
from tests import oracle

Chosen = tuple[str, dict[str, Any]]

#: Numbers worth trying: small enough that limits, targets and last rounds are reached.
NUMBERS: dict[str, tuple[int | None, ...]] = {
    "penalty_multiplier": (1, 2, 3),
    "penalty_flat": (0, 5, 10),
    "target": (1, 40, 100, 150),
    "max_rounds": (None, 1, 2, 3),
    "turn_limit": (None, 1, 3, 12),
}
KNOBS: dict[str, tuple[Any, ...]] = {**oracle.CHOICES, **NUMBERS}


def possible(overrides: dict[str, Any], base: str) -> bool:
    """Whether section 1 allows these overrides together."""
    try:
        oracle.make_rules(base, **overrides)
    except oracle.BadRules:
        return False
    return True


def random_ruleset(rng: Random) -> Chosen:
    """A preset with some, many or all knobs changed, never a refused combination."""
    while True:
        base = rng.choice(list(oracle.PRESETS))
        names = rng.sample(sorted(KNOBS), rng.choice((0, 1, 2, 4, 8, 12, len(KNOBS))))
        overrides = {name: rng.choice(KNOBS[name]) for name in names}
        if possible(overrides, base):
            return base, overrides


@st.composite
def rulesets(draw: st.DrawFn) -> Chosen:
    """A preset with any knobs changed; shrinks towards plain `official`."""
    base = draw(st.sampled_from(list(oracle.PRESETS)))
    names = draw(st.lists(st.sampled_from(sorted(KNOBS)), unique=True))
    overrides = {name: draw(st.sampled_from(KNOBS[name])) for name in names}
    if not possible(overrides, base):
        del overrides["row_removal"]
    return base, overrides if possible(overrides, base) else {}
