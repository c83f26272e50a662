"""Uniformly random play without a view: the measure of speed of rules 2.18."""

from __future__ import annotations

from collections.abc import Sequence

from skyjo.rules.deal import needs_reshuffle
from skyjo.rules.layout import (
    COLUMNS,
    HIDDEN,
    HIGHEST,
    LOWEST,
    MAY_REMOVE,
    REMOVED,
    ROUND_OVER,
    SLOTS,
    State,
    View,
)
from skyjo.rules.turns import (
    column_matches,
    discard,
    draw,
    end_turn,
    flip,
    remove,
    reveal,
    swap,
    take,
)
from skyjo.sim.dealer import Dealer, before_draw
from skyjo.sim.dice import below, roll
from skyjo.sim.loop import Plan


def play_round_uniformly(
    s: State, v: View, d: Dealer, p: Plan, numbers: Sequence[float], table: Sequence[int]
) -> None:
    """Stands for ``loop.play_round``: two uniform opening cards a seat, then uniform turns."""
    for seat in range(s.seats):
        first = below(d.play, SLOTS)
        second = below(d.play, SLOTS - 1)
        reveal(s, seat, first)
        reveal(s, seat, second + 1 if second >= first else second)
    while s.phase < ROUND_OVER:
        play_turn_uniformly(s, d, s.turn)


def play_turn_uniformly(s: State, d: Dealer, seat: int) -> None:
    """Take or draw with even chance, then a uniform placement."""
    if takes(s, d):
        take(s)
        swap(s, seat, any_card(s, d, seat))
    else:
        before_draw(s, d)
        draw(s)
        place_anywhere(s, d, seat)
    while s.phase == MAY_REMOVE:
        remove_or_pass(s, d, seat)


def takes(s: State, d: Dealer) -> bool:
    """Even chances, as long as there is a card on either side."""
    if s.discard_size == 0:
        return False
    if s.draw_size == 0 and not needs_reshuffle(s):
        return True
    return roll(d.play) & 1 == 1


def any_card(s: State, d: Dealer, seat: int) -> int:
    """One of the slots that have not gone."""
    while True:
        slot = below(d.play, SLOTS)
        if s.cells[seat * SLOTS + slot] != REMOVED:
            return slot


def place_anywhere(s: State, d: Dealer, seat: int) -> None:
    """Swap the drawn card in anywhere, or discard it and flip any hidden card."""
    while True:
        choice = below(d.play, 2 * SLOTS)
        if choice < SLOTS:
            if s.cells[seat * SLOTS + choice] != REMOVED:
                swap(s, seat, choice)
                return
        elif HIDDEN + LOWEST <= s.cells[seat * SLOTS + choice - SLOTS] <= HIDDEN + HIGHEST:
            discard(s, seat)
            flip(s, seat, choice - SLOTS)
            return


def remove_or_pass(s: State, d: Dealer, seat: int) -> None:
    """Let go one of the matching columns, or none (``column_removal=player_choice``)."""
    while True:
        choice = below(d.play, COLUMNS + 1)
        if choice == COLUMNS:
            end_turn(s, seat)
            return
        if column_matches(s, seat, choice):
            remove(s, seat, choice)
            return
