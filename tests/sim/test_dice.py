"""The generator: same numbers in both modes, and fair ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from skyjo import jit
from skyjo.rules.deal import DECK
from skyjo.rules.layout import ROUND_OVER, State
from skyjo.rules.ruleset import Ruleset
from skyjo.sim.dealer import Dealer, before_draw, deal_round
from skyjo.sim.dice import FACTOR, MASK, Dice, below, mixed, roll, seed_number, stream


def rolls(dice: Sequence[Dice], out: Sequence[int]) -> int:
    """A kernel: fill ``out`` with numbers below 2**32."""
    for place in range(len(out)):
        out[place] = roll(dice[0])  # type: ignore[index]
    return 0


def compiled_rolls(state: int, count: int) -> np.ndarray:
    dice = np.zeros(1, jit.record_dtype(Dice.FIELDS))
    dice["state"] = state
    out = np.zeros(count, np.int64)
    jit.compiled(rolls, dice, out)(dice, out)
    return out


@pytest.mark.parametrize("state", [1, 2**32, MASK, FACTOR * 2**32 - 2, stream(5, 1, 7)])
def test_the_same_numbers_compiled(state: int) -> None:
    plain = [0] * 500
    rolls([Dice(state)], plain)
    assert compiled_rolls(state, 500).tolist() == plain


@pytest.mark.parametrize("number", [0, 1, 2**31, 2**32 - 1, 2**57, MASK])
def test_the_same_streams_compiled(number: int) -> None:
    compiled: Callable[[int], int] = jit.compiled(mixed, 1)
    assert compiled(number) == mixed(number)
    assert 0 <= mixed(number) <= MASK


def test_every_bit_is_fair_and_independent_of_the_last_number() -> None:
    found = compiled_rolls(stream(seed_number("bits"), 0, 0), 200_000)
    bits = found[:, None] >> np.arange(32) & 1
    assert np.abs(bits.mean(axis=0) - 0.5).max() < 0.006
    for gap in (1, 2, 3, 12):
        same = bits[gap:] == bits[:-gap]
        assert np.abs(same.mean(axis=0) - 0.5).max() < 0.006


def test_neighbouring_streams_have_nothing_in_common() -> None:
    seed = seed_number(1)
    firsts = np.array([roll(Dice(stream(seed, 1, number))) for number in range(20_000)])
    bits = firsts[:, None] >> np.arange(32) & 1
    assert np.abs(bits.mean(axis=0) - 0.5).max() < 0.015
    assert np.abs((bits[1:] == bits[:-1]).mean(axis=0) - 0.5).max() < 0.015


def test_streams_differ_by_seed_purpose_and_number() -> None:
    starts = {stream(seed, purpose, n) for seed in (1, 2) for purpose in range(4) for n in (0, 1)}
    assert len(starts) == 16


def test_dice_fall_evenly() -> None:
    dice = Dice(stream(seed_number(3), 1, 1))
    found = Counter(below(dice, 12) for _ in range(60_000))
    assert set(found) == set(range(12))
    assert all(abs(count - 5000) < 350 for count in found.values())


def test_a_lazy_shuffle_is_a_shuffle() -> None:
    """Every card comes to every place equally often; dealt and drawn, the deck is complete."""
    dealer, seen = Dealer(), Counter[tuple[int, int]]()
    for number in range(3000):
        state = State(2, Ruleset())
        state.phase = ROUND_OVER
        deal_round(state, dealer, 77, number)
        order = [cell - 32 for cell in state.cells[:24]] + [state.discard_pile[0]]
        while state.draw_size:
            before_draw(state, dealer)
            state.draw_size -= 1
            order.append(state.draw_pile[state.draw_size])
        assert sorted(order) == sorted(DECK)
        seen.update((place, order[place]) for place in (0, 11, 24, 25, 80, 149))
    for place in (0, 11, 24, 25, 80, 149):
        assert abs(seen[place, 0] / 3000 - 0.1) < 0.025
        assert abs(seen[place, 12] / 3000 - 1 / 15) < 0.02


def test_the_deck_does_not_depend_on_how_many_cards_are_drawn_when() -> None:
    orders = []
    for pause in (False, True):
        dealer, state = Dealer(), State(3, Ruleset())
        deal_round(state, dealer, 5, 9)
        order = []
        for _ in range(40):
            if pause:
                roll(dealer.play)
            before_draw(state, dealer)
            state.draw_size -= 1
            order.append(state.draw_pile[state.draw_size])
        orders.append(order)
    assert orders[0] == orders[1]
