"""Which house rules the network has never played by in training."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from skyjo.rules.ruleset import FACE_DOWN, ON, Ruleset

_STRANGE: Final[dict[str, Callable[[Ruleset], bool]]] = {
    "row_removal": lambda rules: rules.row_removal == ON,
    "first_discard": lambda rules: rules.first_discard == FACE_DOWN,
    "penalty_multiplier": lambda rules: rules.penalty_multiplier > 3,
    "penalty_flat": lambda rules: rules.penalty_flat > 10,
}


def unfamiliar(rules: Ruleset) -> tuple[str, ...]:
    """The knobs of a ruleset that the network does not know; it plays on with what it knows.

    >>> unfamiliar(Ruleset(row_removal=ON, penalty_flat=5))
    ('row_removal',)
    """
    return tuple(name for name, strange in _STRANGE.items() if strange(rules))
