"""Looking two turns ahead, where two are left: what the other's best answer leaves.

Kernels; arguments as in ``look``. The actions that look best one turn ahead are tried on a state
that looks like the view, once for every card that may turn up. Then the other seat looks one turn
ahead for itself, and what the network expects of its best action are its points and one's own. An
action is worth the mean of both opinions, one's own and the other's. Each of them is wrong about
the points of who does not move, in opposite directions: the mean is better than either. That holds
only while both players' points count alike: where the totals decide the game, one look is better.

Only the actions that end a turn of an open round are looked at again, not the choice of a source.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from skyjo.bots.features import remove_or_pass
from skyjo.bots.value.imagine import imagine
from skyjo.bots.value.inputs import ZERO
from skyjo.bots.value.layout import (
    ACTION_AT,
    DEEPER_AT,
    FOUND_AT,
    HEADS,
    HIDDEN_AT,
    OTHERS_POINTS,
    OURS_AT,
    OWN_POINTS,
    REPLY_AT,
    SHALLOW_AT,
    SHARES_AT,
    TURNS_LEFT,
    UTILITY_AT,
    WANTED_AT,
    Array,
    Float,
)
from skyjo.bots.value.look import NEVER_CHOSEN, choose_action, turn_cost
from skyjo.jit import new_states, new_views
from skyjo.rules.actions import ACTIONS, DISCARD, NO_SLOT, slot_of
from skyjo.rules.layout import (
    CHOOSE,
    FLIP,
    LOWEST,
    MAY_REMOVE,
    MUST_SWAP,
    NOBODY,
    PLACE_OR_DISCARD,
    SLOTS,
    UNKNOWN,
    VALUES,
    State,
    View,
)
from skyjo.rules.ruleset import OFF
from skyjo.rules.turns import apply
from skyjo.rules.view import fill_view

#: An action is looked at again if it is worth at most so much less than the best one (in units of
#: 20 points), and if there are not more than so many better ones.
MARGIN: Float = np.float32(0.2)
KEPT: Final = 6
#: Own and others' points count alike if their weights differ by at most so much (the larger is 1).
ALIKE: Float = np.float32(0.05)

#: No action.
NONE: Final = -1
HALF: Float = np.float32(0.5)


def choose_deeply(
    v: View, chance: int, exact: bool, w: Array, o: Array, b: Array, x: Array, f: Array, n: Array
) -> int:
    """``look.choose_action``, and what is close looked at again where two are left.

    Afterwards ``n`` holds the values of all legal actions from ``ACTION_AT`` on, but no heads.
    """
    action = choose_action(v, chance, exact, w, o, b, x, f, n)
    if not may_look_on(v) or not both_count_alike(n):
        return action
    note_shallow(n)
    if not is_close(action, n):
        return action
    return best_by_replies(v, action, new_states(v), new_views(v), w, o, b, x, f, n)


def may_look_on(v: View) -> bool:
    """Whether an action may end this seat's turn, and the only other one has another.

    Where columns never go nothing was gained by it (docs/training.md).
    """
    if v.rules.column_removal == OFF:
        return False
    seats = 0
    for seat in range(v.seats):
        if not v.left[seat]:
            seats += 1
    ends_turn = v.phase in (MUST_SWAP, PLACE_OR_DISCARD, FLIP)
    return ends_turn and seats == 2 and v.finisher == NOBODY


def both_count_alike(n: Array) -> bool:
    """Whether a point of the others is worth about as much as one's own."""
    apart = n[UTILITY_AT + OTHERS_POINTS] + n[UTILITY_AT + OWN_POINTS]
    return bool(-ALIKE <= apart <= ALIKE)


def note_shallow(n: Array) -> None:
    """Keep what the look at one turn has found, and what a card face down may be."""
    for head in range(HEADS):
        n[OURS_AT + head] = n[UTILITY_AT + head]
    for value in range(VALUES):
        n[SHARES_AT + value] = n[HIDDEN_AT + value]
    for action in range(ACTIONS):
        n[SHALLOW_AT + action] = n[ACTION_AT + action]
    forget_replies(n)


def is_close(best: int, n: Array) -> bool:
    """Whether another action is nearly as good as the best one."""
    for action in range(ACTIONS):
        if action != best and n[SHALLOW_AT + action] >= n[SHALLOW_AT + best] - MARGIN:
            return True
    return False


def best_by_replies(
    v: View,
    best: int,
    states: Sequence[State],
    views: Sequence[View],
    w: Array,
    o: Array,
    b: Array,
    x: Array,
    f: Array,
    n: Array,
) -> int:
    """The best of the actions that are close; ``best`` if the round may be over after one."""
    first = best
    least = n[SHALLOW_AT + best] - MARGIN
    found = NEVER_CHOSEN
    wanted = n[WANTED_AT]
    for _ in range(KEPT):
        action = next_to_try(least, n)
        if action == NONE:
            break
        if not look_at_replies(v, action, states, views, w, o, b, x, f, n):
            forget_replies(n)
            best = first
            break
        value = HALF * (n[SHALLOW_AT + action] + worth_of_replies(n))
        n[DEEPER_AT + action] = value
        if value > found:
            found = value
            best = action
    for action in range(ACTIONS):
        tried = n[DEEPER_AT + action] > NEVER_CHOSEN
        n[ACTION_AT + action] = n[(DEEPER_AT if tried else SHALLOW_AT) + action]
    n[WANTED_AT] = wanted
    return best


def next_to_try(least: Float, n: Array) -> int:
    """The best action that has not been tried, ``NONE`` if it is worth less than ``least``."""
    best = NONE
    for action in range(ACTIONS):
        value = n[SHALLOW_AT + action]
        if value < least or n[DEEPER_AT + action] > NEVER_CHOSEN:
            continue
        if best == NONE or value > n[SHALLOW_AT + best]:
            best = action
    return best


def forget_replies(n: Array) -> None:
    """No action has been tried."""
    for action in range(ACTIONS):
        n[DEEPER_AT + action] = NEVER_CHOSEN


def worth_of_replies(n: Array) -> Float:
    """One's own utility of what the other seat expects: its points are the others'."""
    value = n[OURS_AT + OWN_POINTS] * n[REPLY_AT + OTHERS_POINTS]
    value += n[OURS_AT + OTHERS_POINTS] * n[REPLY_AT + OWN_POINTS]
    return value + n[OURS_AT + TURNS_LEFT] * n[REPLY_AT + TURNS_LEFT]


def look_at_replies(
    v: View,
    action: int,
    states: Sequence[State],
    views: Sequence[View],
    w: Array,
    o: Array,
    b: Array,
    x: Array,
    f: Array,
    n: Array,
) -> bool:
    """Note the mean heads of the other seat's best answers; whether it has one in any case.

    After ``note_shallow``. A discard is followed by the flip that looks best one turn ahead.
    """
    for head in range(HEADS):
        n[REPLY_AT + head] = ZERO
    if action != DISCARD:
        return add_replies(v, action, states, views, w, o, b, x, f, n)
    s, own = states[0], views[1]
    imagine(s, v, NO_SLOT, 0)
    apply(s, v.seat, DISCARD)
    if s.phase != FLIP:
        return add_reply(s, v.seat, 1, views, w, o, b, x, f, n)
    fill_view(s, v.seat, own)
    for head in range(HEADS):
        n[UTILITY_AT + head] = n[OURS_AT + head]
    flip = choose_action(own, 0, False, w, o, b, x, f, n)
    return add_replies(own, flip, states, views, w, o, b, x, f, n)


def add_replies(
    v: View,
    action: int,
    states: Sequence[State],
    views: Sequence[View],
    w: Array,
    o: Array,
    b: Array,
    x: Array,
    f: Array,
    n: Array,
) -> bool:
    """The answers to an action that ends the turn, for every card that may lie in its slot."""
    s = states[0]
    cell = v.seat * SLOTS + slot_of(action)
    if slot_of(action) == NO_SLOT or v.cells[cell] != UNKNOWN:
        imagine(s, v, NO_SLOT, 0)
        apply(s, v.seat, action)
        return add_reply(s, v.seat, 1, views, w, o, b, x, f, n)
    for value in range(VALUES):
        share = n[SHARES_AT + value]
        if share > 0:
            imagine(s, v, cell, value + LOWEST)
            apply(s, v.seat, action)
            if not add_reply(s, v.seat, share, views, w, o, b, x, f, n):
                return False
    return True


def add_reply(
    s: State,
    seat: int,
    share: Float,
    views: Sequence[View],
    w: Array,
    o: Array,
    b: Array,
    x: Array,
    f: Array,
    n: Array,
) -> bool:
    """The heads of the best answer in a state where this seat has just moved; whether there is one.

    The other one wants the opposite of what this one wants.
    """
    v = views[0]
    while s.phase == MAY_REMOVE:
        fill_view(s, seat, v)
        apply(s, seat, remove_or_pass(v))
    if s.phase != CHOOSE:
        return False
    fill_view(s, s.turn, v)
    for head in range(HEADS):
        n[UTILITY_AT + head] = ZERO
    n[UTILITY_AT + OWN_POINTS] = -n[OURS_AT + OTHERS_POINTS]
    n[UTILITY_AT + OTHERS_POINTS] = -n[OURS_AT + OWN_POINTS]
    n[UTILITY_AT + TURNS_LEFT] = -turn_cost(v)
    n[WANTED_AT] = 1
    choose_action(v, 0, False, w, o, b, x, f, n)
    for head in range(HEADS):
        n[REPLY_AT + head] += share * n[FOUND_AT + head]
    return True
