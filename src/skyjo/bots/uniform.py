"""``random``: every legal action with the same chance."""

from __future__ import annotations

from skyjo.rules.layout import View
from skyjo.rules.legality import legal_actions


def random_action(v: View, chance: int) -> int:
    """One of the legal actions of the view's seat, picked by ``chance`` (0 to ``DICE`` - 1)."""
    out = [0] * 16
    return out[chance % legal_actions(v, v.seat, out)]
