"""What every action does (rules 2.4 to 2.11, 2.15). Nothing is checked here: see ``legality``."""

from __future__ import annotations

from skyjo.rules.actions import (
    DISCARD,
    DRAW,
    FLIP_VERB,
    LEAVE,
    PASS,
    REMOVE_VERB,
    REVEAL_VERB,
    SWAP_VERB,
    TAKE,
    column_of,
    slot_of,
    verb_of,
)
from skyjo.rules.deal import clockwise, first_remaining, now_public, remaining_seats
from skyjo.rules.layout import (
    CHOOSE,
    COLUMNS,
    FLIP,
    GAME_OVER,
    HIDDEN,
    HIGHEST,
    LINES,
    LOWEST,
    MAY_REMOVE,
    MUST_SWAP,
    NO_CARD,
    NOBODY,
    OPENING_CARDS,
    PLACE_OR_DISCARD,
    REMOVED,
    REVEAL,
    ROUND_OVER,
    ROWS,
    SLOTS,
    Position,
    State,
)
from skyjo.rules.ruleset import (
    FINISH_CIRCLE,
    HIGHEST_CARD_THEN_SEAT,
    HIGHEST_SUM,
    MANDATORY,
    NO_FINAL_TURNS,
    OFF,
    PLAYER_CHOICE,
    SEAT_ORDER,
)
from skyjo.rules.scoring import score_round


def apply(s: State, seat: int, action: int) -> None:
    """Carry out an action that ``legality.refusal`` does not refuse.

    Before a ``draw`` for which ``deal.needs_reshuffle`` is true, ``deal.reshuffle`` comes first.
    """
    verb = verb_of(action)
    if verb == TAKE:
        take(s)
    elif verb == DRAW:
        draw(s)
    elif verb == SWAP_VERB:
        swap(s, seat, slot_of(action))
    elif verb == DISCARD:
        discard(s, seat)
    elif verb == FLIP_VERB:
        flip(s, seat, slot_of(action))
    elif verb == REVEAL_VERB:
        reveal(s, seat, slot_of(action))
    elif verb == REMOVE_VERB:
        remove(s, seat, column_of(action))
    elif verb == PASS:
        decline(s, seat)
    elif verb == LEAVE:
        leave(s, seat)


# --- The opening (rules 2.4 to 2.6) ---------------------------------------------------------


def reveal(s: State, seat: int, slot: int) -> None:
    """Turn one of the two opening cards; when all have turned theirs, the first turn begins."""
    turn_up(s, seat, slot)
    go_on_with_opening(s)


def go_on_with_opening(s: State) -> None:
    """Wait for the next opening card, or begin the first turn when all are turned."""
    for seat in range(s.seats):
        if not s.left[seat] and not has_revealed(s, seat):
            if s.rules.reveal_order == SEAT_ORDER:
                s.turn = seat
            return
    s.starter = first_player(s)
    begin_turn(s, s.starter)


def has_revealed(s: Position, seat: int) -> bool:
    """Whether the seat has turned its opening cards."""
    return s.hidden[seat] <= SLOTS - OPENING_CARDS


def first_player(s: State) -> int:
    """Who begins this round (rules 2.5, 2.6)."""
    if s.next_starter == NOBODY or s.rules.next_starter == HIGHEST_SUM:
        return highest_opening(s)
    return first_remaining(s, s.next_starter)


def highest_opening(s: State) -> int:
    """The seat that shows the highest sum; ties by highest single card, then by seat."""
    best = NOBODY
    best_sum = 0
    best_card = 0
    for seat in range(s.seats):
        if s.left[seat]:
            continue
        total = open_sum(s, seat)
        card = highest_open_card(s, seat)
        by_card = s.rules.starter_tiebreak == HIGHEST_CARD_THEN_SEAT and card > best_card
        if best == NOBODY or total > best_sum or (total == best_sum and by_card):
            best = seat
            best_sum = total
            best_card = card
    return best


def open_sum(s: State, seat: int) -> int:
    """The sum of a seat's face-up cards."""
    total = 0
    for cell in range(seat * SLOTS, seat * SLOTS + SLOTS):
        if s.cells[cell] <= HIGHEST:
            total += s.cells[cell]
    return total


def highest_open_card(s: State, seat: int) -> int:
    """The highest face-up card of a seat."""
    best = LOWEST
    for cell in range(seat * SLOTS, seat * SLOTS + SLOTS):
        if best < s.cells[cell] <= HIGHEST:
            best = s.cells[cell]
    return best


# --- A turn (rules 2.7) ---------------------------------------------------------------------


def begin_turn(s: State, seat: int) -> None:
    """It is this seat's turn to choose a source."""
    s.turn = seat
    s.phase = CHOOSE


def take(s: State) -> None:
    """The top discard into the hand; it must be swapped in."""
    s.discard_size -= 1
    s.hand = s.discard_pile[s.discard_size]
    if s.discard_size == 0:
        s.discard_down = 0
    s.phase = MUST_SWAP


def draw(s: State) -> None:
    """The top of the draw pile into the hand; it may be swapped in or laid off."""
    s.draw_size -= 1
    s.hand = s.draw_pile[s.draw_size]
    s.phase = PLACE_OR_DISCARD


def swap(s: State, seat: int, slot: int) -> None:
    """The card in the hand into the grid; what lay there on the discard pile."""
    cell = seat * SLOTS + slot
    replaced = s.cells[cell]
    if replaced > HIGHEST:
        replaced -= HIDDEN
        s.hidden[seat] -= 1
    s.cells[cell] = hand_out(s)
    lay_off(s, replaced)
    after_action(s, seat)


def discard(s: State, seat: int) -> None:
    """The drawn card on the discard pile; a flip is due, as long as there is a card to turn."""
    lay_off(s, hand_out(s))
    s.phase = FLIP
    if s.hidden[seat] == 0:
        after_action(s, seat)


def flip(s: State, seat: int, slot: int) -> None:
    """Turn one of one's own hidden cards face up."""
    turn_up(s, seat, slot)
    after_action(s, seat)


def decline(s: State, seat: int) -> None:
    """No flip: a column that still stands is offered again; or that column stays, too."""
    if s.phase == FLIP:
        after_action(s, seat)
    else:
        end_turn(s, seat)


def hand_out(s: State) -> int:
    """The card leaves the hand, where everybody sees it."""
    card = s.hand
    s.hand = NO_CARD
    if s.reshuffles > 0 and s.phase == PLACE_OR_DISCARD:
        now_public(s, card)
    return card


def lay_off(s: State, card: int) -> None:
    """A card on top of the discard pile."""
    s.discard_pile[s.discard_size] = card
    s.discard_size += 1


def turn_up(s: State, seat: int, slot: int) -> None:
    """A hidden card of the grid face up."""
    s.cells[seat * SLOTS + slot] -= HIDDEN
    s.hidden[seat] -= 1


# --- Columns and rows (rules 2.8 step 3, 2.9) -----------------------------------------------


def after_action(s: State, seat: int) -> None:
    """Columns go, or their owner is asked; then the turn is over."""
    if s.rules.column_removal == PLAYER_CHOICE:
        if matching_columns(s, seat) != 0:
            s.phase = MAY_REMOVE
            return
    else:
        clear_lines(s, seat)
    end_turn(s, seat)


def remove(s: State, seat: int, column: int) -> None:
    """The owner lets a column go (``column_removal=player_choice``)."""
    lay_down_column(s, seat, column)
    after_action(s, seat)


def clear_lines(s: State, seat: int) -> None:
    """All matching columns go, left to right, then all matching rows, top to bottom."""
    columns = matching_columns(s, seat) if s.rules.column_removal == MANDATORY else 0
    rows = matching_rows(s, seat) if s.rules.row_removal != OFF else 0
    if columns:
        lay_down_columns(s, seat, columns)
    if rows:
        lay_down_rows(s, seat, rows)


def column_matches(s: Position, seat: int, column: int) -> bool:
    """Whether three equal cards lie face up in this column."""
    cell = seat * SLOTS + column
    card = s.cells[cell]
    return (
        card == s.cells[cell + COLUMNS] and card == s.cells[cell + 2 * COLUMNS] and card <= HIGHEST
    )


def row_matches(s: State, seat: int, row: int) -> bool:
    """Whether four equal cards lie face up in this row."""
    cell = seat * SLOTS + row * COLUMNS
    card = s.cells[cell]
    return (
        card == s.cells[cell + 1]
        and card == s.cells[cell + 2]
        and card == s.cells[cell + 3]
        and card <= HIGHEST
    )


def matching_columns(s: State, seat: int) -> int:
    """The matching columns as bits: 1 for column 0, 2, 4, 8."""
    columns = 0
    for column in range(COLUMNS):
        if column_matches(s, seat, column):
            columns |= 1 << column
    return columns


def matching_rows(s: State, seat: int) -> int:
    """The matching rows as bits: 1 for row 0, 2, 4."""
    rows = 0
    for row in range(ROWS):
        if row_matches(s, seat, row):
            rows |= 1 << row
    return rows


def lay_down_columns(s: State, seat: int, columns: int) -> None:
    """These columns (as bits) on the discard pile, left to right."""
    for column in range(COLUMNS):
        if columns >> column & 1:
            lay_down_column(s, seat, column)


def lay_down_column(s: State, seat: int, column: int) -> None:
    """One column on the discard pile, top to bottom; its slots stay empty for good."""
    for row in range(ROWS):
        lay_down_card(s, seat, row * COLUMNS + column)
    note_line(s, seat, column)


def lay_down_rows(s: State, seat: int, rows: int) -> None:
    """What is left of these rows (as bits) on the discard pile, left to right."""
    for row in range(ROWS):
        if rows >> row & 1:
            for column in range(COLUMNS):
                lay_down_card(s, seat, row * COLUMNS + column)
            note_line(s, seat, COLUMNS + row)


def lay_down_card(s: State, seat: int, slot: int) -> None:
    """A card of the grid on the discard pile, unless it has gone already."""
    cell = seat * SLOTS + slot
    if s.cells[cell] != REMOVED:
        lay_off(s, s.cells[cell])
        s.cells[cell] = REMOVED


def note_line(s: State, seat: int, line: int) -> None:
    """Remember that this line has gone."""
    s.gone[s.lines_gone] = seat * LINES + line
    s.lines_gone += 1


# --- The end of a turn and of the round (rules 2.10, 2.11) ----------------------------------


def end_turn(s: State, seat: int) -> None:
    """Close the round if this seat has no hidden card left, then the next seat is on turn."""
    s.turns[seat] += 1
    s.pending[seat] = 0
    if s.finisher == NOBODY and s.hidden[seat] == 0:
        close(s, seat)
    pass_turn(s, seat)


def close(s: State, seat: int) -> None:
    """The seat is the finisher; mark who still has a last turn."""
    s.finisher = seat
    if s.rules.final_turns == NO_FINAL_TURNS:
        return
    last = s.starter if s.rules.final_turns == FINISH_CIRCLE else seat
    other = clockwise(s, seat)
    while other not in (last, seat):
        if not s.left[other]:
            s.pending[other] = 1
        other = clockwise(s, other)


def pass_turn(s: State, seat: int) -> None:
    """The next seat clockwise that still has a turn begins it; without one the round ends."""
    if turns_are_over(s):
        final_reveal(s)
        return
    other = clockwise(s, seat)
    while s.left[other] or (s.finisher != NOBODY and not s.pending[other]):
        other = clockwise(s, other)
    begin_turn(s, other)


def turns_are_over(s: State) -> bool:
    """Whether nobody has a turn left: last turns all played, or ``turn_limit`` reached."""
    if s.finisher != NOBODY:
        for seat in range(s.seats):
            if s.pending[seat]:
                return False
        return True
    if s.rules.turn_limit == 0:
        return False
    for seat in range(s.seats):
        if not s.left[seat] and s.turns[seat] < s.rules.turn_limit:
            return False
    return True


def final_reveal(s: State) -> None:
    """All hidden cards are turned together, matching columns go, the round is scored."""
    s.turn = NOBODY
    for seat in range(s.seats):
        if not s.left[seat]:
            turn_up_all(s, seat)
    for seat in range(s.seats):
        if not s.left[seat]:
            clear_at_reveal(s, seat)
    score_round(s)


def turn_up_all(s: State, seat: int) -> None:
    """All hidden cards of a seat face up."""
    for slot in range(SLOTS):
        if HIDDEN + LOWEST <= s.cells[seat * SLOTS + slot] <= HIDDEN + HIGHEST:
            turn_up(s, seat, slot)


def clear_at_reveal(s: State, seat: int) -> None:
    """Matching lines go; where columns are the owner's choice, those that cost points do."""
    if not s.rules.columns_at_final_reveal:
        return
    if s.rules.column_removal != PLAYER_CHOICE:
        clear_lines(s, seat)
        return
    for column in range(COLUMNS):
        if column_matches(s, seat, column) and s.cells[seat * SLOTS + column] > 0:
            lay_down_column(s, seat, column)


# --- Leaving (rules 2.15) -------------------------------------------------------------------


def leave(s: State, seat: int) -> None:
    """The seat leaves for good: its grid is set aside, its turns lapse, play goes on."""
    s.left[seat] = 1
    s.pending[seat] = 0
    if s.turn == seat and s.hand != NO_CARD:
        lay_off(s, hand_out(s))
    if remaining_seats(s) < 2:
        s.phase = GAME_OVER
        s.turn = NOBODY
    elif s.phase == REVEAL:
        go_on_with_opening(s)
    elif s.phase != ROUND_OVER and s.turn == seat:
        pass_turn(s, seat)
