"""Counting unseen cards in bulk: the numbers of ``rules.view``, several times as fast compiled.

``skyjo.rules.view`` decides what may be counted; this stands for its ``count_unseen`` in compiled
tables only, and tests compare every observation of both. All counters are kept in one number, four
bits each (no value has more than 15 cards), instead of in fifteen places of memory that each card
waits for.
"""

from __future__ import annotations

from skyjo.rules.layout import HIDDEN, HIGHEST, LOWEST, SLOTS, UNKNOWN, VALUES, State, View
from skyjo.rules.view import split_unseen


def count_unseen_at_once(s: State, v: View) -> None:
    """Stands for ``rules.view.count_unseen``, for tables that play with the deck of 150 cards."""
    counters = 0
    for cell in range(s.seats * SLOTS):
        card = s.cells[cell] - HIDDEN
        if LOWEST <= card <= HIGHEST:
            counters += 1 << 4 * (card - LOWEST)
    for place in range(s.draw_size):
        counters += 1 << 4 * (s.draw_pile[place] - LOWEST)
    if s.discard_down:
        counters += 1 << 4 * (s.discard_pile[0] - LOWEST)
    in_draw_pile = s.draw_size
    if v.hand == UNKNOWN:
        counters += 1 << 4 * (s.hand - LOWEST)
        in_draw_pile += 1
    for value in range(VALUES):
        v.may_be_hidden[value] = counters >> 4 * value & 15
    if s.reshuffles > 0:
        split_unseen(s, v, in_draw_pile)
        return
    for value in range(VALUES):
        v.may_be_drawn[value] = v.may_be_hidden[value]
