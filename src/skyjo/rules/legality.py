"""What may be done now, and why not (rules 2.17). The first reason that applies is the answer."""

from __future__ import annotations

from typing import Final

from skyjo.i18n import N_
from skyjo.rules.actions import (
    DISCARD,
    DRAW,
    FLIP_FROM,
    FLIP_VERB,
    LEAVE,
    NO_SLOT,
    PASS,
    REMOVE_FROM,
    REMOVE_VERB,
    REVEAL_FROM,
    REVEAL_VERB,
    SWAP_FROM,
    SWAP_VERB,
    TAKE,
    place_of,
    verb_of,
)
from skyjo.rules.deal import needs_reshuffle
from skyjo.rules.layout import (
    CHOOSE,
    COLUMNS,
    FLIP,
    GAME_OVER,
    HIGHEST,
    MAY_REMOVE,
    MUST_SWAP,
    NOBODY,
    PLACE_OR_DISCARD,
    REMOVED,
    REVEAL,
    ROUND_OVER,
    SLOTS,
    Position,
)
from skyjo.rules.ruleset import OPTIONAL, SEAT_ORDER
from skyjo.rules.turns import column_matches, has_revealed

ALLOWED: Final = 0
GAME_IS_OVER: Final = 1
ROUND_IS_OVER: Final = 2
NOT_IN_GAME: Final = 3
WRONG_PHASE: Final = 4
TOO_MANY_REVEALS: Final = 5
NOT_YOUR_TURN: Final = 6
ALREADY_HOLDING: Final = 7
NO_CARDS: Final = 8
NOT_HOLDING: Final = 9
SWAP_IS_DUE: Final = 10
PLACEMENT_IS_DUE: Final = 11
FLIP_IS_DUE: Final = 12
SOURCE_IS_DUE: Final = 13
NOT_ALLOWED_NOW: Final = 14
BAD_POSITION: Final = 15
REMOVED_SLOT: Final = 16
ALREADY_FACE_UP: Final = 17
NO_TRIPLET: Final = 18

#: The codes of rules 2.17 by number, each with a sentence that says what to do.
REASONS: Final[tuple[tuple[str, str], ...]] = (
    ("", ""),
    ("game_over", N_("The game is over.")),
    ("round_over", N_("The round is over; the next one has not been dealt yet.")),
    ("not_in_game", N_("This seat has left the game.")),
    ("wrong_phase", N_("Not now: opening cards are turned first, and only then the others play.")),
    ("too_many_reveals", N_("You have turned your two opening cards; wait for the others.")),
    ("not_your_turn", N_("It is not your turn.")),
    ("already_holding", N_("You have chosen already; finish this turn first.")),
    ("no_cards", N_("There is no card to take from there.")),
    ("not_holding", N_("You hold no card; take the discard or draw first.")),
    ("must_swap", N_("The card you took must go into your grid: choose a place for it.")),
    ("must_place_or_discard", N_("Put the drawn card on a place in your grid, or discard it.")),
    ("must_flip", N_("Turn over one of your hidden cards.")),
    ("must_choose_source", N_("Take the discard or draw a card.")),
    ("not_allowed_now", N_("That is not possible at this moment.")),
    ("bad_position", N_("There is no such place in the grid.")),
    ("removed_slot", N_("The cards of this place are gone; choose another one.")),
    ("already_face_up", N_("This card lies face up already; choose a hidden one.")),
    ("no_triplet", N_("The three cards of this column are not equal and face up.")),
)


def refusal(s: Position, seat: int, verb: int, place: int) -> int:
    """The number of the first reason against this action (index of ``REASONS``), 0 if allowed."""
    reason = refused_at_all(s, seat, verb)
    if reason == ALLOWED and verb == REVEAL_VERB:
        reason = refused_reveal(s, seat)
    elif reason == ALLOWED and verb != LEAVE:
        reason = refused_in_turn(s, seat, verb)
    if reason != ALLOWED or verb < REVEAL_FROM or verb == LEAVE:
        return reason
    return refused_place(s, seat, verb, place)


def refused_at_all(s: Position, seat: int, verb: int) -> int:
    """The game or the round is over, the seat has left, or it is not the time for this verb."""
    if s.phase == GAME_OVER:
        return GAME_IS_OVER
    if s.phase == ROUND_OVER and verb != LEAVE:
        return ROUND_IS_OVER
    if s.left[seat]:
        return NOT_IN_GAME
    if verb != LEAVE and (verb == REVEAL_VERB) != (s.phase == REVEAL):
        return WRONG_PHASE
    return ALLOWED


def refused_reveal(s: Position, seat: int) -> int:
    """Two opening cards each, with ``seat_order`` one seat after the other (rules 2.4)."""
    if has_revealed(s, seat):
        return TOO_MANY_REVEALS
    if s.rules.reveal_order == SEAT_ORDER and s.turn != seat:
        return NOT_YOUR_TURN
    return ALLOWED


def refused_in_turn(s: Position, seat: int, verb: int) -> int:
    """The state machine of a turn (rules 2.7)."""
    if s.turn != seat:
        return NOT_YOUR_TURN
    if verb in (TAKE, DRAW):
        return refused_source(s, verb)
    if verb in (SWAP_VERB, DISCARD) and not is_holding(s):
        return NOT_HOLDING
    if s.phase == MUST_SWAP and verb in (DISCARD, FLIP_VERB, PASS):
        return SWAP_IS_DUE
    if s.phase == PLACE_OR_DISCARD and verb in (FLIP_VERB, PASS):
        return PLACEMENT_IS_DUE
    if verb == PASS:
        return refused_pass(s)
    if (verb == FLIP_VERB and s.phase != FLIP) or (verb == REMOVE_VERB and s.phase != MAY_REMOVE):
        return NOT_ALLOWED_NOW
    return ALLOWED


def refused_source(s: Position, verb: int) -> int:
    """Take or draw: once a turn, and only where a card is (rules 2.7, 2.14)."""
    if s.phase != CHOOSE:
        return ALREADY_HOLDING
    if verb == TAKE:
        return NO_CARDS if s.discard_size == 0 else ALLOWED
    return NO_CARDS if s.draw_size == 0 and not needs_reshuffle(s) else ALLOWED


def refused_pass(s: Position) -> int:
    """Passing: instead of an optional flip, or to keep a column."""
    if s.phase == FLIP and s.rules.flip_after_discard != OPTIONAL:
        return FLIP_IS_DUE
    return SOURCE_IS_DUE if s.phase == CHOOSE else ALLOWED


def refused_place(s: Position, seat: int, verb: int, place: int) -> int:
    """The slot exists, is not gone, and is hidden where a card is to be turned."""
    if place == NO_SLOT or place < 0 or place >= (COLUMNS if verb == REMOVE_VERB else SLOTS):
        return BAD_POSITION
    if verb == REMOVE_VERB:
        return ALLOWED if column_matches(s, seat, place) else NO_TRIPLET
    card = s.cells[seat * SLOTS + place]
    if card == REMOVED:
        return REMOVED_SLOT
    if verb != SWAP_VERB and card <= HIGHEST:
        return ALREADY_FACE_UP
    return ALLOWED


def is_holding(s: Position) -> bool:
    """Whether the seat on turn has a card in its hand."""
    return s.phase in (MUST_SWAP, PLACE_OR_DISCARD)


def legal_actions(s: Position, seat: int, out: list[int]) -> int:
    """Write the ids of all actions open to a seat into ``out`` (16 places); returns their number.

    ``leave``, which is always open to a seat in a running game, is not among them.
    """
    count = 0
    if s.left[seat] or s.turn not in (seat, NOBODY):
        return count
    if s.phase == CHOOSE:
        count = add_if_legal(s, seat, TAKE, 2, out, count)
    elif s.phase == MUST_SWAP:
        count = add_if_legal(s, seat, SWAP_FROM, SLOTS, out, count)
    elif s.phase == PLACE_OR_DISCARD:
        count = add_if_legal(s, seat, DISCARD, 1, out, count)
        count = add_if_legal(s, seat, SWAP_FROM, SLOTS, out, count)
    elif s.phase == FLIP:
        count = add_if_legal(s, seat, PASS, 1, out, count)
        count = add_if_legal(s, seat, FLIP_FROM, SLOTS, out, count)
    elif s.phase == MAY_REMOVE:
        count = add_if_legal(s, seat, PASS, 1, out, count)
        count = add_if_legal(s, seat, REMOVE_FROM, COLUMNS, out, count)
    elif s.phase == REVEAL:
        count = add_if_legal(s, seat, REVEAL_FROM, SLOTS, out, count)
    return count


def add_if_legal(s: Position, seat: int, first: int, many: int, out: list[int], count: int) -> int:
    """Append those of the actions ``first`` to ``first + many - 1`` that are not refused."""
    for action in range(first, first + many):
        if refusal(s, seat, verb_of(action), place_of(action)) == ALLOWED:
            out[count] = action
            count += 1
    return count
