"""One round as somebody enters it, before anything is reckoned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

#: Nobody, as a seat.
NOBODY: Final = -1
#: Whether the penalty follows the rules, or somebody has overruled them.
BY_RULES: Final = "rules"
PENALISED: Final = "yes"
SPARED: Final = "no"
PENALTIES: Final = (BY_RULES, PENALISED, SPARED)

#: Twelve places of a grid, row by row: a card's value, or None where nothing lies (any more).
Cards: TypeAlias = tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """A round by hand: ``points`` before the penalty by seat, None for who had left.

    ``closer`` is the seat that closed the round or ``NOBODY``; ``penalty`` one of ``PENALTIES``;
    ``cards`` by seat the grid that was counted card by card, () where a sum was typed.

    >>> Entry((5, 12), closer=0).points
    (5, 12)
    """

    points: tuple[int | None, ...]
    closer: int = NOBODY
    penalty: str = BY_RULES
    cards: tuple[Cards, ...] = ()

    def cards_of(self, seat: int) -> Cards:
        """The cards that were counted for a seat, () if a sum was typed."""
        return self.cards[seat] if self.cards else ()
