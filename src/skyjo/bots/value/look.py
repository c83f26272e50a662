"""Looking one turn ahead: what every action is worth, exactly over all cards that may turn up.

Kernels. All take the same things: the view ``v``; the network's first layer ``w`` (rows by hidden
units), its output weights ``o`` (stage, head, hidden unit) and biases ``b`` (stage, head); the
working space ``x``, the active inputs ``f`` and the notes ``n`` (``layout``).

The hidden units of a position are a sum of rows, of which an action changes a few: one's column,
the top discard, the number of hidden cards. So the sums are kept without them, and every outcome
adds what it needs. Since the outputs are linear in the hidden units, the mean over outcomes is
taken of these.
"""

from __future__ import annotations

import numpy as np

from skyjo.bots.features import hidden_slot, may_draw
from skyjo.bots.value.inputs import (
    GONE,
    ONE,
    ZERO,
    column_at,
    column_rows,
    constant_rows,
    goes,
    hidden_in,
    hidden_mean,
    kind,
    look_around,
    own_rows,
    stage_after,
    stage_rows,
    top_rows,
    with_symbol,
)
from skyjo.bots.value.layout import (
    ACTION_AT,
    BASE,
    BEST,
    DOUBLE_AT,
    DRAWING,
    DRAWING_LAST,
    DRAWN_AT,
    FOUND_AT,
    FOUND_STAGE_AT,
    HEADS,
    HIDDEN_AT,
    HIDDEN_SYMBOL,
    LESS,
    MERIT,
    MERIT_AT,
    NOTHING,
    OWN,
    PATH,
    STAGE_AT,
    STAGES,
    SUM,
    SYMBOLS,
    TOPS,
    TRIED_AT,
    TURNED,
    UTILITY_AT,
    VALUE_AT,
    WANTED_AT,
    Array,
    Float,
)
from skyjo.rules.actions import (
    ACTIONS,
    DISCARD,
    DRAW,
    FLIP_FROM,
    PASS,
    REMOVE_FROM,
    REVEAL_FROM,
    SWAP_FROM,
    TAKE,
)
from skyjo.rules.layout import (
    CHOOSE,
    COLUMNS,
    FLIP,
    HIGHEST,
    LOWEST,
    MUST_SWAP,
    NOBODY,
    PLACE_OR_DISCARD,
    REMOVED,
    REVEAL,
    ROWS,
    SLOTS,
    UNKNOWN,
    VALUES,
    View,
)
from skyjo.rules.ruleset import OPTIONAL
from skyjo.rules.turns import column_matches

#: Below every value; what an action is worth that is not allowed.
NEVER_CHOSEN: Float = np.float32(-1e9)

#: From this turn on a seat must come nearer to the end of the round with every turn.
LATE_TURN = 30


def choose_action(
    v: View, chance: int, exact: bool, w: Array, o: Array, b: Array, x: Array, f: Array, n: Array
) -> int:
    """The action of the highest utility (``n`` from ``UTILITY_AT`` on weighs the heads).

    ``exact`` takes the mean over all cards that may be drawn instead of asking the network what
    drawing is worth. Afterwards ``n`` holds the value of every legal action from ``ACTION_AT`` on
    and, where ``n[WANTED_AT]`` is set, the heads of the best one from ``FOUND_AT`` on.
    """
    if v.phase == REVEAL:
        return opening_action(v, chance)
    n[VALUE_AT] = NEVER_CHOSEN
    for action in range(ACTIONS):
        n[ACTION_AT + action] = NEVER_CHOSEN
    prepare(v, w, o, b, x, f, n)
    if v.phase == CHOOSE:
        return best_source(v, exact, w, o, b, x, f, n)
    action = best_in_phase(v, w, x, f, n)
    note_heads(o, b, x, n)
    return action


def best_in_phase(v: View, w: Array, x: Array, f: Array, n: Array) -> int:
    """The best action of every phase but the first of a turn."""
    turn_columns(v, 0, VALUES, w, x, f, n)
    if v.phase in (MUST_SWAP, PLACE_OR_DISCARD):
        return best_place(v, v.hand - LOWEST, v.phase == PLACE_OR_DISCARD, w, x, f, n)
    if v.phase == FLIP:
        return best_flip(v, top_symbol(v), x, n)
    return best_removal(v, w, x, f, n)


def opening_action(v: View, chance: int) -> int:
    """A hidden card of a column without an open one: two columns are worth more than one."""
    count = 0
    for slot in range(SLOTS):
        if hidden_in(v, slot % COLUMNS) == ROWS:
            count += 1
    if count == 0:
        return REVEAL_FROM + hidden_slot(v, chance)
    left = chance % count
    for slot in range(SLOTS):
        if hidden_in(v, slot % COLUMNS) == ROWS:
            if left == 0:
                return REVEAL_FROM + slot
            left -= 1
    return REVEAL_FROM


# --- Sums of rows ---------------------------------------------------------------------------------


def clear(x: Array, row: int) -> None:
    """All zero."""
    for unit in range(x.shape[1]):
        x[row, unit] = ZERO


def copy(x: Array, row: int, to: int) -> None:
    """The same numbers in another row."""
    for unit in range(x.shape[1]):
        x[to, unit] = x[row, unit]


def add(w: Array, row: int, amount: Float, x: Array, to: int) -> None:
    """A multiple of a row of one table to a row of another."""
    for unit in range(x.shape[1]):
        x[to, unit] += amount * w[row, unit]


def add_inputs(w: Array, f: Array, count: int, sign: Float, x: Array, to: int) -> None:
    """The rows of all active inputs."""
    for place in range(count):
        add(w, int(f[0, place]), sign * f[1, place], x, to)


def add_units(x: Array, one: int, other: int, share: Float) -> None:
    """The hidden units of a sum of two parts, with a share of all outcomes."""
    for unit in range(x.shape[1]):
        x[SUM, unit] += share * max(ZERO, x[one, unit] + x[other, unit])


def product(x: Array, row: int, w: Array, other: int) -> Float:
    """The sum of products of two rows, whose length is a multiple of eight."""
    a = b = c = d = e = f = g = h = ZERO
    for unit in range(0, x.shape[1], 8):
        a += x[row, unit] * w[other, unit]
        b += x[row, unit + 1] * w[other, unit + 1]
        c += x[row, unit + 2] * w[other, unit + 2]
        d += x[row, unit + 3] * w[other, unit + 3]
        e += x[row, unit + 4] * w[other, unit + 4]
        f += x[row, unit + 5] * w[other, unit + 5]
        g += x[row, unit + 6] * w[other, unit + 6]
        h += x[row, unit + 7] * w[other, unit + 7]
    return ((a + b) + (c + d)) + ((e + f) + (g + h))


def prepare(v: View, w: Array, o: Array, b: Array, x: Array, f: Array, n: Array) -> None:
    """All that the actions have in common."""
    look_around(v, n)
    weigh_heads(o, b, x, n)
    clear(x, BASE)
    add_inputs(w, f, constant_rows(v, n, f), ONE, x, BASE)
    add_inputs(w, f, own_rows(v, n, f, 0), ONE, x, BASE)
    copy(x, BASE, BASE + 1)
    hidden = v.hidden[v.seat]
    add_inputs(w, f, stage_rows(v, hidden, stage_after(v, hidden), n, f, 0), ONE, x, BASE)
    if hidden > 0:
        stage = stage_after(v, hidden - 1)
        add_inputs(w, f, stage_rows(v, hidden - 1, stage, n, f, 0), ONE, x, BASE + 1)
    for top in range(SYMBOLS):
        clear(x, TOPS + top)
        add_inputs(w, f, top_rows(v, top, n, f, 0), ONE, x, TOPS + top)
    for column in range(COLUMNS):
        prepare_column(v, column, w, x, f, n)


def weigh_heads(o: Array, b: Array, x: Array, n: Array) -> None:
    """One row of output weights for each stage: the heads as the utility weighs them."""
    for stage in range(STAGES):
        clear(x, MERIT + stage)
        n[MERIT_AT + stage] = ZERO
        for head in range(HEADS):
            weight = n[UTILITY_AT + head]
            if weight != 0:
                add(o, stage * HEADS + head, weight, x, MERIT + stage)
                n[MERIT_AT + stage] += weight * b[stage * HEADS + head]


def prepare_column(v: View, column: int, w: Array, x: Array, f: Array, n: Array) -> None:
    """The sums without this column, and whether it is like one before it."""
    cards = column_at(v, v.seat, column)
    count = column_rows(v, OWN, cards, ONE, n, f, 0)
    for less in range(2):
        copy(x, BASE + less, LESS + 4 * less + column)
        add_inputs(w, f, count, -ONE, x, LESS + 4 * less + column)
    n[DOUBLE_AT + column] = ZERO
    for before in range(column):
        if kind(column_at(v, v.seat, before)) == kind(cards):
            n[DOUBLE_AT + column] = ONE


def turn_columns(v: View, first: int, end: int, w: Array, x: Array, f: Array, n: Array) -> None:
    """The sums when a hidden card of a column becomes one of these symbols."""
    for column in range(COLUMNS):
        if hidden_in(v, column) == 0 or n[DOUBLE_AT + column] != 0:
            continue
        cards = column_at(v, v.seat, column)
        row = hidden_row(v, column)
        for card in range(first, end):
            after = with_symbol(cards, row, card)
            to = TURNED + 15 * column + card
            copy(x, LESS + 4 + column, to)
            after = GONE if goes(v, after) else after
            add_inputs(w, f, column_rows(v, OWN, after, ONE, n, f, 0), ONE, x, to)


def hidden_row(v: View, column: int) -> int:
    """The first row of one's own column whose card lies face down."""
    for row in range(ROWS):
        if v.cells[v.seat * SLOTS + row * COLUMNS + column] == UNKNOWN:
            return row
    return 0


# --- The worth of outcomes ------------------------------------------------------------------------


def worth(stage: int, x: Array, n: Array) -> Float:
    """The utility of the hidden units in ``x[SUM]``."""
    n[STAGE_AT] = stage
    return n[MERIT_AT + stage] + product(x, SUM, x, MERIT + stage)


def note_heads(o: Array, b: Array, x: Array, n: Array) -> None:
    """All heads of the action that was found best, if they are wanted."""
    if n[WANTED_AT] == 0:
        return
    stage = int(n[FOUND_STAGE_AT])
    for head in range(HEADS):
        n[FOUND_AT + head] = b[stage * HEADS + head] + product(x, BEST, o, stage * HEADS + head)


def consider(action: int, value: Float, x: Array, n: Array) -> bool:
    """Note what an action is worth; whether it is the best so far."""
    n[ACTION_AT + action] = value
    if value <= n[VALUE_AT]:
        return False
    n[VALUE_AT] = value
    if n[WANTED_AT] != 0:
        n[FOUND_STAGE_AT] = n[STAGE_AT]
        copy(x, SUM, BEST)
    return True


def worth_of_flip(v: View, column: int, top: int, x: Array, n: Array) -> Float:
    """A hidden card of the column is turned up, this card lies on the discard pile."""
    cards = column_at(v, v.seat, column)
    row = hidden_row(v, column)
    clear(x, SUM)
    for card in range(VALUES):
        share = n[HIDDEN_AT + card]
        if share > 0:
            shown = card if goes(v, with_symbol(cards, row, card)) else top
            add_units(x, TURNED + 15 * column + card, TOPS + shown, share)
    return worth(stage_after(v, v.hidden[v.seat] - 1), x, n)


def worth_of_covering(v: View, column: int, card: int, x: Array, n: Array) -> Float:
    """The card replaces a hidden card of the column, which goes to the discard pile."""
    after = with_symbol(column_at(v, v.seat, column), hidden_row(v, column), card)
    clear(x, SUM)
    if goes(v, after):
        add_units(x, TURNED + 15 * column + card, TOPS + card, ONE)
    else:
        for laid in range(VALUES):
            share = n[HIDDEN_AT + laid]
            if share > 0:
                add_units(x, TURNED + 15 * column + card, TOPS + laid, share)
    return worth(stage_after(v, v.hidden[v.seat] - 1), x, n)


def worth_of_swap(v: View, slot: int, card: int, w: Array, x: Array, f: Array, n: Array) -> Float:
    """The card replaces an open card, which goes to the discard pile."""
    column = slot % COLUMNS
    laid = v.cells[v.seat * SLOTS + slot] - LOWEST
    after = with_symbol(column_at(v, v.seat, column), slot // COLUMNS, card)
    if goes(v, after):
        after = GONE
        laid = card
    return worth_of_change(v, column, after, laid, w, x, f, n)


def worth_of_change(
    v: View, column: int, after: int, top: int, w: Array, x: Array, f: Array, n: Array
) -> Float:
    """A column without a hidden card becomes another one, and another discard is on top."""
    copy(x, LESS + column, PATH)
    add_inputs(w, f, column_rows(v, OWN, after, ONE, n, f, 0), ONE, x, PATH)
    clear(x, SUM)
    add_units(x, PATH, TOPS + top, ONE)
    return worth(stage_after(v, v.hidden[v.seat]), x, n)


def worth_of_rest(v: View, top: int, x: Array, n: Array) -> Float:
    """Nothing changes but the top discard."""
    clear(x, SUM)
    add_units(x, BASE, TOPS + top, ONE)
    return worth(stage_after(v, v.hidden[v.seat]), x, n)


def worth_before_card(v: View, w: Array, x: Array, f: Array, n: Array) -> Float:
    """What the network says about drawing, before it sees the card."""
    hidden = v.hidden[v.seat]
    copy(x, BASE, PATH)
    add_inputs(w, f, stage_rows(v, hidden, stage_after(v, hidden), n, f, 0), -ONE, x, PATH)
    add_inputs(w, f, stage_rows(v, hidden, drawing_stage(v), n, f, 0), ONE, x, PATH)
    clear(x, SUM)
    clear(x, NOTHING)
    add_units(x, PATH, NOTHING, ONE)
    return worth(drawing_stage(v), x, n)


def drawing_stage(v: View) -> int:
    """Drawing in the last turn, or in an ordinary one."""
    return DRAWING if v.finisher == NOBODY else DRAWING_LAST


# --- The best action of each phase ----------------------------------------------------------------


def is_late(v: View) -> bool:
    """Whether the round must come to an end: this seat has had so many turns."""
    return v.turns[v.seat] >= LATE_TURN and v.finisher == NOBODY


def turn_cost(v: View) -> Float:
    """What ten turns cost, in units of 20 points."""
    return np.float32(0.015) + np.float32(0.02) * np.float32(max(0, v.turns[v.seat] - 10))


def top_symbol(v: View) -> int:
    """The top discard as a symbol, 15 for none or an unknown one."""
    return v.discard_top - LOWEST if v.discard_top <= HIGHEST else HIDDEN_SYMBOL


def best_source(
    v: View, exact: bool, w: Array, o: Array, b: Array, x: Array, f: Array, n: Array
) -> int:
    """Take the discard, or draw."""
    take = NEVER_CHOSEN
    draws = may_draw(v)
    if v.discard_size > 0 and not (draws and is_late(v)):
        card = taken_symbol(v, n)
        turn_columns(v, card, card + 1, w, x, f, n)
        best_place(v, card, False, w, x, f, n)
        note_heads(o, b, x, n)
        take = n[VALUE_AT]
    n[ACTION_AT + TAKE] = take
    if draws:
        draw = worth_of_drawing(v, exact, w, o, b, x, f, n)
        n[ACTION_AT + DRAW] = draw
        if draw > take:
            for head in range(HEADS):
                n[FOUND_AT + head] = n[TRIED_AT + head]
    for action in range(DISCARD, ACTIONS):
        n[ACTION_AT + action] = NEVER_CHOSEN
    n[VALUE_AT] = max(n[ACTION_AT + TAKE], n[ACTION_AT + DRAW])
    return DRAW if n[ACTION_AT + DRAW] > take else TAKE


def taken_symbol(v: View, n: Array) -> int:
    """The top discard; one that lies face down counts as the mean."""
    if v.discard_top <= HIGHEST:
        return v.discard_top - LOWEST
    return int(hidden_mean(n) + np.float32(2.5))


def worth_of_drawing(
    v: View, exact: bool, w: Array, o: Array, b: Array, x: Array, f: Array, n: Array
) -> Float:
    """What drawing is worth; its heads are noted as those that were tried."""
    take = n[FOUND_AT : FOUND_AT + HEADS].copy()
    n[VALUE_AT] = NEVER_CHOSEN
    if exact:
        worth_of_any_card(v, w, o, b, x, f, n)
    else:
        consider(DRAW, worth_before_card(v, w, x, f, n), x, n)
        note_heads(o, b, x, n)
        for head in range(HEADS):
            n[TRIED_AT + head] = n[FOUND_AT + head]
    for head in range(HEADS):
        n[FOUND_AT + head] = take[head]
    return n[VALUE_AT]


def worth_of_any_card(v: View, w: Array, o: Array, b: Array, x: Array, f: Array, n: Array) -> None:
    """Note the mean over all cards that may be drawn of the best use of each."""
    for head in range(HEADS):
        n[TRIED_AT + head] = ZERO
    total = ZERO
    turn_columns(v, 0, VALUES, w, x, f, n)
    for card in range(VALUES):
        share = n[DRAWN_AT + card]
        if share > 0:
            n[VALUE_AT] = NEVER_CHOSEN
            best_place(v, card, True, w, x, f, n)
            total += share * n[VALUE_AT]
            note_heads(o, b, x, n)
            for head in range(HEADS):
                n[TRIED_AT + head] += share * n[FOUND_AT + head]
    n[VALUE_AT] = total


def best_place(
    v: View, card: int, may_discard: bool, w: Array, x: Array, f: Array, n: Array
) -> int:
    """Swap this card into the grid, or discard it and turn up another."""
    best = SWAP_FROM
    hurry = is_late(v) and may_discard
    for slot in range(SLOTS):
        there = v.cells[v.seat * SLOTS + slot]
        if there == REMOVED or is_repeated(v, slot, n) or (hurry and there != UNKNOWN):
            continue
        if there == UNKNOWN:
            value = worth_of_covering(v, slot % COLUMNS, card, x, n)
        else:
            value = worth_of_swap(v, slot, card, w, x, f, n)
        if consider(SWAP_FROM + slot, value, x, n):
            best = SWAP_FROM + slot
    if may_discard:
        before = n[VALUE_AT]
        best_flip(v, card, x, n)
        n[ACTION_AT + DISCARD] = best_turned(n)
        if n[VALUE_AT] > before:
            return DISCARD
    return best


def best_turned(n: Array) -> Float:
    """The value of the best flip, or of none; takes them back."""
    best = n[ACTION_AT + PASS]
    n[ACTION_AT + PASS] = NEVER_CHOSEN
    for action in range(FLIP_FROM, FLIP_FROM + SLOTS):
        best = max(best, n[ACTION_AT + action])
        n[ACTION_AT + action] = NEVER_CHOSEN
    return best


def is_repeated(v: View, slot: int, n: Array) -> bool:
    """Whether the same card stands in the same column, or in an equal one, before this slot."""
    if n[DOUBLE_AT + slot % COLUMNS] != 0:
        return True
    cell = v.seat * SLOTS + slot
    for row in range(slot // COLUMNS):
        if v.cells[cell - (row + 1) * COLUMNS] == v.cells[cell]:
            return True
    return False


def best_flip(v: View, top: int, x: Array, n: Array) -> int:
    """Turn up a hidden card, or none if that is allowed."""
    best = PASS
    if v.hidden[v.seat] == 0 or (v.rules.flip_after_discard == OPTIONAL and not is_late(v)):
        consider(PASS, worth_of_rest(v, top, x, n), x, n)
    for column in range(COLUMNS):
        if hidden_in(v, column) == 0 or n[DOUBLE_AT + column] != 0:
            continue
        action = FLIP_FROM + hidden_row(v, column) * COLUMNS + column
        if consider(action, worth_of_flip(v, column, top, x, n), x, n):
            best = action
    return best


def best_removal(v: View, w: Array, x: Array, f: Array, n: Array) -> int:
    """Let a column go, or keep it."""
    best = PASS
    consider(PASS, worth_of_rest(v, top_symbol(v), x, n), x, n)
    for column in range(COLUMNS):
        if column_matches(v, v.seat, column):
            card = v.cells[v.seat * SLOTS + column] - LOWEST
            value = worth_of_change(v, column, GONE, card, w, x, f, n)
            if consider(REMOVE_FROM + column, value, x, n):
                best = REMOVE_FROM + column
    return best
