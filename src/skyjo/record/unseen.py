"""Cards that nobody has seen yet, in a game that is told without its decks.

Such a game is played with an arbitrary deck. When the record shows a card, the card is put where
it was seen, in exchange for one that has not been seen. All exchanges together find a deck that
agrees with everything shown, exactly when there is one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

from skyjo.rules.layout import (
    HIDDEN,
    HIGHEST,
    LOWEST,
    PLACE_OR_DISCARD,
    SLOTS,
    State,
)

CELL: Final = "cell"
DRAW_PILE: Final = "draw pile"
FIRST_DISCARD: Final = "first discard"
HAND: Final = "hand"

#: Where a card lies: the kind of place, and its index there.
Place: TypeAlias = tuple[str, int]


class Unseen:
    """The unseen cards of a position, while one line of a record is read.

    Cards in one group of places (``lying``: hidden cells and a first discard that lies face
    down; ``drawable``: the draw pile and a drawn card that was not shown) may change places
    freely. After a reshuffle everybody knows the cards of ``State.pool`` to be drawable, so that
    only what is drawable beyond them may change places with what lies (``rules.view`` counts
    the same way).
    """

    def __init__(
        self, state: State, pile_is_known: bool = False, hand_is_unknown: bool = False
    ) -> None:
        self._state = state
        self._pile_is_known = pile_is_known
        self._hand_is_unknown = hand_is_unknown
        self._settled: set[Place] = set()

    def put(self, place: Place, card: int) -> bool:
        """Let this card lie at an unseen place; False when it cannot lie there.

        The place is settled from then on.
        """
        if self._card(place) == card:
            self._settled.add(place)
            return True
        if place in self._settled or not self._bring(place, card):
            return False
        self._settled.add(place)
        return True

    def _bring(self, place: Place, card: int) -> bool:
        drawn = place[0] in (DRAW_PILE, HAND)
        for other in self._drawable() if drawn else self._lying():
            if self._card(other) == card:
                self._exchange(place, other)
                return True
        if not drawn:
            beyond = (p for p in self._beyond_pool() if self._card(p) == card)
            return self._exchange_with_first(place, beyond)
        for other in self._lying():
            if self._card(other) == card:
                passage = place if self._is_beyond_pool(place) else next(self._beyond_pool(), None)
                if passage is None:
                    return False
                self._exchange(passage, other)
                if passage != place:
                    self._exchange(passage, place)
                return True
        return False

    def _exchange_with_first(self, place: Place, others: Iterator[Place]) -> bool:
        other = next(others, None)
        if other is None:
            return False
        self._exchange(place, other)
        return True

    def _lying(self) -> Iterator[Place]:
        s = self._state
        for cell in range(s.seats * SLOTS):
            if HIDDEN + LOWEST <= s.cells[cell] <= HIDDEN + HIGHEST:
                yield from self._open((CELL, cell))
        if s.discard_down:
            yield from self._open((FIRST_DISCARD, 0))

    def _drawable(self) -> Iterator[Place]:
        for index in range(0 if self._pile_is_known else self._state.draw_size):
            yield from self._open((DRAW_PILE, index))
        if self._hand_is_unknown:
            yield from self._open((HAND, 0))

    def _open(self, place: Place) -> Iterator[Place]:
        if place not in self._settled:
            yield place

    def _beyond_pool(self) -> Iterator[Place]:
        return (place for place in self._drawable() if self._is_beyond_pool(place))

    def _is_beyond_pool(self, place: Place) -> bool:
        """Whether more of this card are drawable than everybody knows to be."""
        s = self._state
        card = self._card(place)
        count = s.draw_pile[: s.draw_size].count(card)
        if s.phase == PLACE_OR_DISCARD and s.hand == card:
            count += 1
        return count > s.pool[card - LOWEST]

    def _card(self, place: Place) -> int:
        kind, index = place
        if kind == CELL:
            return self._state.cells[index] - HIDDEN
        if kind == DRAW_PILE:
            return self._state.draw_pile[index]
        return self._state.discard_pile[0] if kind == FIRST_DISCARD else self._state.hand

    def _lay(self, place: Place, card: int) -> None:
        kind, index = place
        if kind == CELL:
            self._state.cells[index] = card + HIDDEN
        elif kind == DRAW_PILE:
            self._state.draw_pile[index] = card
        elif kind == FIRST_DISCARD:
            self._state.discard_pile[0] = card
        else:
            self._state.hand = card

    def _exchange(self, one: Place, other: Place) -> None:
        card = self._card(one)
        self._lay(one, self._card(other))
        self._lay(other, card)
