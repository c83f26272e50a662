"""The loop that trains: rounds of self-play, and steps of gradient descent after each of them.

Kernels, interpreted or compiled. A seat that learns notes the position after each of its decisions
(a *sample*: active inputs and stage) and what it expected of the best action before. When the round
is over, targets go backwards from the final points: a sample's target is a mixture of what the seat
expected at its next decision and of that decision's own target (temporal differences, TD(lambda):
R. Sutton, 1988; self-play as in G. Tesauro's TD-Gammon, 1995).

The network is ``w``, ``o``, ``b``; ``x``, ``f``, ``n`` are its working space (``bots.value.look``).
Samples lie in four tables, one line each: ``rows`` and ``amounts`` of the active inputs, ``facts``
(below), ``heads`` (what was expected, then the target).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from skyjo.bots import DICE
from skyjo.bots.value.inputs import (
    ONE,
    ZERO,
    column_at,
    constant_rows,
    goes,
    own_rows,
    stage_after,
    stage_rows,
    top_rows,
)
from skyjo.bots.value.kernel import points_utility
from skyjo.bots.value.layout import (
    FOUND_AT,
    HEADS,
    LOWEST_POINTS,
    NOTHING,
    OTHERS_POINTS,
    OTHERS_SQUARE,
    OWN_POINTS,
    OWN_SQUARE,
    PATH,
    PRODUCT,
    ROUND_WON,
    SUM,
    TURNS_LEFT,
    WANTED_AT,
    Array,
    Float,
)
from skyjo.bots.value.look import (
    add,
    add_units,
    choose_action,
    clear,
    drawing_stage,
    product,
    top_symbol,
)
from skyjo.rules.actions import (
    DISCARD,
    DRAW,
    FLIP_VERB,
    REMOVE_VERB,
    SWAP_VERB,
    column_of,
    slot_of,
    verb_of,
)
from skyjo.rules.layout import (
    CHOOSE,
    COLUMNS,
    HIDDEN,
    HIGHEST,
    LOWEST,
    MAX_SEATS,
    REMOVED,
    REVEAL,
    ROUND_OVER,
    ROWS,
    SLOTS,
    UNKNOWN,
    State,
    View,
)
from skyjo.rules.legality import legal_actions
from skyjo.rules.turns import apply
from skyjo.rules.view import fill_view
from skyjo.sim.dealer import PLAY, Dealer, before_draw, deal_round
from skyjo.sim.dice import below, stream
from skyjo.sim.loop import acting_seat, begin_game
from skyjo.sim.policies import act

#: The most samples of a round (eight seats, each at most 44 turns of two), and inputs of a sample.
SAMPLES: Final = 1024
INPUTS: Final = 224

#: What is noted of a sample: whose it is, its stage, the seat's turns so far, whether the decision
#: that led to it was explored, its number of active inputs.
SEAT: Final = 0
STAGE: Final = 1
TURN: Final = 2
EXPLORED: Final = 3
ACTIVE: Final = 4
FACTS: Final = 5

#: Settings.
RATE: Final = 0
TRACE: Final = 1
EXPLORE: Final = 2
POOL: Final = 3
POOL_SIZE: Final = 4
EXACT: Final = 5  # 1: the mean over all cards when it is to be decided whether to draw
SETTINGS: Final = 6

#: Sums that are counted: rounds, points and turns of a seat, samples, squared errors of own points.
ROUNDS: Final = 0
POINTS: Final = 1
TURNS: Final = 2
LEARNT: Final = 3
ERRORS: Final = 4
SUMS: Final = 5

TENTH: Float = np.float32(0.1)
TWENTIETH: Float = np.float32(0.05)
FIFTIETH: Float = np.float32(0.02)
HALF: Float = np.float32(0.5)


def learn_rounds(
    states: Sequence[State],
    views: Sequence[View],
    dealers: Sequence[Dealer],
    plan: Sequence[int],
    settings: Array,
    shares: Sequence[int],
    pool: Array,
    w: Array,
    o: Array,
    b: Array,
    x: Array,
    f: Array,
    n: Array,
    rows: Array,
    amounts: Array,
    facts: Array,
    heads: Array,
    sums: Array,
) -> None:
    """Play and learn the rounds ``plan[0]`` to ``plan[1]`` - 1 of seed ``plan[2]``.

    ``states`` and ``views`` are those of several numbers of seats and rulesets, of which each is
    picked by its part of ``shares`` (summed up, of 1000).
    """
    d = dealers[0]
    for number in range(plan[0], plan[1]):
        d.play.state = stream(plan[2], PLAY, number)
        part = below(d.play, 1000)
        kind = 0
        while part >= shares[kind]:
            kind += 1
        s, v = states[kind], views[kind]
        begin_game(s)
        deal_round(s, d, plan[2], number)
        samples = play_round(s, v, d, settings, pool, w, o, b, x, f, n, rows, amounts, facts, heads)
        set_targets(s, samples, settings[TRACE], facts, heads)
        for sample in range(samples):
            error = learn(sample, settings[RATE], w, o, b, x, rows, amounts, facts, heads)
            sums[ERRORS] += error * error
        count_round(s, samples, sums)


def count_round(s: State, samples: int, sums: Array) -> None:
    """Add a round to the sums."""
    sums[ROUNDS] += 1
    sums[LEARNT] += samples
    for seat in range(s.seats):
        sums[POINTS] += s.final[seat] / s.seats
        sums[TURNS] += s.turns[seat] / s.seats


# --- Playing --------------------------------------------------------------------------------------


def play_round(
    s: State,
    v: View,
    d: Dealer,
    settings: Array,
    pool: Array,
    w: Array,
    o: Array,
    b: Array,
    x: Array,
    f: Array,
    n: Array,
    rows: Array,
    amounts: Array,
    facts: Array,
    heads: Array,
) -> int:
    """Play a round, some seats by a player of the pool; the number of samples."""
    samples = 0
    kinds = np.zeros(MAX_SEATS, np.int64)
    explored = np.zeros(MAX_SEATS, np.int64)
    expected = np.zeros((MAX_SEATS, HEADS), np.float32)
    seat_players(s, d, settings, kinds)
    while s.phase < ROUND_OVER:
        seat = acting_seat(s)
        fill_view(s, seat, v)
        if kinds[seat] > 0:
            carry_out(s, d, seat, act(kinds[seat] - 1, v, below(d.play, DICE), pool))
            continue
        if s.phase == REVEAL:
            carry_out(s, d, seat, any_action(v, d, seat))
            continue
        action = decide(v, d, settings, explored, expected, w, o, b, x, f, n)
        count = constant_rows(v, n, f)
        if action == DRAW and s.phase == CHOOSE:
            count = rows_of_drawing(v, n, f, count)
            note(samples, v, drawing_stage(v), count, explored, f, rows, amounts, facts)
            note_expected(samples, seat, expected, explored, heads)
            samples += 1
            count = constant_rows(v, n, f)
        turns = s.turns[seat]
        top = own_grid_after(s, v, seat, action)
        carry_out(s, d, seat, action)
        if s.turns[seat] != turns:
            v.turns[seat] = s.turns[seat]
            stage = stage_after(v, hidden_now(v))
            count = rows_after(v, stage, top, n, f, count)
            note(samples, v, stage, count, explored, f, rows, amounts, facts)
            note_expected(samples, seat, expected, explored, heads)
            samples += 1
    return samples


def seat_players(s: State, d: Dealer, settings: Array, kinds: Array) -> None:
    """In some rounds, each seat may be taken by a player of the pool (from 1; 0 learns).

    A share of 1 stands for one seat that learns against the pool, in every round.
    """
    alone = settings[POOL] >= 1
    learner = below(d.play, s.seats) if alone else -1
    with_pool = alone or below(d.play, 100_000) < settings[POOL] * 100_000
    for seat in range(s.seats):
        kinds[seat] = 0
        if seat != learner and with_pool and (alone or below(d.play, 2) == 0):
            kinds[seat] = 1 + below(d.play, int(settings[POOL_SIZE]))


def carry_out(s: State, d: Dealer, seat: int, action: int) -> None:
    """Let an action happen."""
    if action == DRAW:
        before_draw(s, d)
    apply(s, seat, action)


def any_action(v: View, d: Dealer, seat: int) -> int:
    """One of the legal actions."""
    out = [0] * 16
    return out[below(d.play, legal_actions(v, seat, out))]


def decide(
    v: View,
    d: Dealer,
    settings: Array,
    explored: Array,
    expected: Array,
    w: Array,
    o: Array,
    b: Array,
    x: Array,
    f: Array,
    n: Array,
) -> int:
    """The best action, or sometimes any; what was expected of the best one is kept."""
    seat = v.seat
    points_utility(v, n)
    n[WANTED_AT] = ONE
    action = choose_action(v, below(d.play, DICE), settings[EXACT] != 0, w, o, b, x, f, n)
    if explored[seat] == 0:
        for head in range(HEADS):
            expected[seat, head] = n[FOUND_AT + head]
    if below(d.play, 100_000) < settings[EXPLORE] * 100_000:
        other = any_action(v, d, seat)
        if other != action:
            explored[seat] = 1
            return other
    return action


def own_grid_after(s: State, v: View, seat: int, action: int) -> int:
    """Change the own grid of the view as the action will change it; the top discard as symbol."""
    verb = verb_of(action)
    cell = seat * SLOTS + slot_of(action)
    column = slot_of(action) % COLUMNS
    top = top_symbol(v)
    if verb == DISCARD:
        return s.hand - LOWEST
    if verb == SWAP_VERB:
        top = (s.cells[cell] if s.cells[cell] <= HIGHEST else s.cells[cell] - HIDDEN) - LOWEST
        v.cells[cell] = s.hand
    elif verb == FLIP_VERB:
        v.cells[cell] = s.cells[cell] - HIDDEN
    elif verb == REMOVE_VERB:
        column = column_of(action)
    else:
        return top
    if verb == REMOVE_VERB or goes(v, column_at(v, seat, column)):
        top = v.cells[seat * SLOTS + column] - LOWEST
        for row in range(ROWS):
            v.cells[seat * SLOTS + row * COLUMNS + column] = REMOVED
    return top


def hidden_now(v: View) -> int:
    """Hidden cards in the own grid of a view that ``own_grid_after`` has changed."""
    count = 0
    for cell in range(v.seat * SLOTS, v.seat * SLOTS + SLOTS):
        if v.cells[cell] == UNKNOWN:
            count += 1
    return count


def rows_of_drawing(v: View, n: Array, f: Array, count: int) -> int:
    """The inputs that are added to the constant ones when one has decided to draw."""
    count = own_rows(v, n, f, count)
    return stage_rows(v, v.hidden[v.seat], drawing_stage(v), n, f, count)


def rows_after(v: View, stage: int, top: int, n: Array, f: Array, count: int) -> int:
    """The inputs that are added to the constant ones when the turn is over."""
    count = own_rows(v, n, f, count)
    count = stage_rows(v, hidden_now(v), stage, n, f, count)
    return top_rows(v, top, n, f, count)


def note(
    sample: int,
    v: View,
    stage: int,
    count: int,
    explored: Array,
    f: Array,
    rows: Array,
    amounts: Array,
    facts: Array,
) -> None:
    """Write down the inputs of a sample, and what it is."""
    for place in range(count):
        rows[sample, place] = int(f[0, place])
        amounts[sample, place] = f[1, place]
    facts[sample, SEAT] = v.seat
    facts[sample, STAGE] = stage
    facts[sample, TURN] = v.turns[v.seat]
    facts[sample, EXPLORED] = explored[v.seat]
    facts[sample, ACTIVE] = count


def note_expected(sample: int, seat: int, expected: Array, explored: Array, heads: Array) -> None:
    """Write down what was expected before the sample."""
    for head in range(HEADS):
        heads[sample, head] = expected[seat, head]
    explored[seat] = 0


# --- Learning -------------------------------------------------------------------------------------


def set_targets(s: State, samples: int, trace: Float, facts: Array, heads: Array) -> None:
    """Write down the targets, from the last sample to the first."""
    later = np.zeros((MAX_SEATS, HEADS), np.float32)
    expected = np.zeros((MAX_SEATS, HEADS), np.float32)
    weight = np.ones(MAX_SEATS, np.float32)
    turns = np.zeros(MAX_SEATS, np.int64)
    for seat in range(s.seats):
        final_heads(s, seat, later)
        turns[seat] = s.turns[seat]
    for back in range(samples):
        sample = samples - 1 - back
        seat = facts[sample, SEAT]
        passed = np.float32(turns[seat] - facts[sample, TURN]) * TENTH
        for head in range(HEADS):
            target = weight[seat] * later[seat, head]
            target += (ONE - weight[seat]) * expected[seat, head]
            if head == TURNS_LEFT:
                target += passed
            later[seat, head] = target
            expected[seat, head] = heads[sample, head]
            heads[sample, HEADS + head] = target
        turns[seat] = facts[sample, TURN]
        weight[seat] = ZERO if facts[sample, EXPLORED] else trace


def final_heads(s: State, seat: int, to: Array) -> None:
    """What the heads should have said about a round that is over."""
    own = np.float32(s.final[seat]) * TWENTIETH
    total = ZERO
    lowest = np.float32(1000)
    for other in range(s.seats):
        if other != seat:
            points = np.float32(s.final[other]) * TWENTIETH
            total += points
            lowest = min(lowest, points)
    others = total / np.float32(s.seats - 1)
    to[seat, OWN_POINTS] = own
    to[seat, OTHERS_POINTS] = others
    to[seat, LOWEST_POINTS] = lowest
    to[seat, ROUND_WON] = ONE if own < lowest else ZERO
    to[seat, TURNS_LEFT] = ZERO
    to[seat, OWN_SQUARE] = own * own
    to[seat, OTHERS_SQUARE] = others * others
    to[seat, PRODUCT] = own * others


def head_weight(head: int) -> Float:
    """How much an error of a head counts."""
    if head in (OWN_POINTS, OTHERS_POINTS):
        return ONE
    if head in (LOWEST_POINTS, ROUND_WON):
        return HALF
    return TENTH if head == TURNS_LEFT else FIFTIETH


def learn(
    sample: int,
    rate: Float,
    w: Array,
    o: Array,
    b: Array,
    x: Array,
    rows: Array,
    amounts: Array,
    facts: Array,
    heads: Array,
) -> Float:
    """One step of gradient descent on half the weighted squared errors of a sample.

    The error of one's own points before the step.
    """
    count, stage = facts[sample, ACTIVE], facts[sample, STAGE]
    clear(x, NOTHING)
    clear(x, PATH)
    for place in range(count):
        add(w, rows[sample, place], amounts[sample, place], x, PATH)
    clear(x, SUM)
    add_units(x, PATH, NOTHING, ONE)
    clear(x, PATH)
    first = ZERO
    for head in range(HEADS):
        line = stage * HEADS + head
        error = b[line] + product(x, SUM, o, line) - heads[sample, HEADS + head]
        if head == OWN_POINTS:
            first = error
        error *= head_weight(head)
        add(o, line, error, x, PATH)
        add(x, SUM, -rate * error, o, line)
        b[line] -= rate * error
    for unit in range(x.shape[1]):
        x[PATH, unit] = x[PATH, unit] if x[SUM, unit] > 0 else ZERO
    for place in range(count):
        add(x, PATH, -rate * amounts[sample, place], w, rows[sample, place])
    return first
