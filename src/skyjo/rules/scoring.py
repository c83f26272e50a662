"""Points, penalty, the next starter and the end of the game (rules 2.6, 2.11 to 2.13)."""

from __future__ import annotations

from skyjo.rules.deal import clockwise, first_remaining, remaining_seats
from skyjo.rules.layout import GAME_OVER, HIGHEST, NOBODY, ROUND_OVER, SLOTS, Position, State
from skyjo.rules.ruleset import (
    ADD_THEN_MULTIPLY,
    EXEMPT,
    FARTHEST_TOTAL,
    HIGHEST_SUM,
    LAST_ROUND_LOWEST,
    NEVER,
    NOT_STRICTLY_LOWEST,
    ROUND_WINNER,
    TOTAL,
    Ruleset,
)


def score_round(s: State) -> None:
    """Add up the round, punish the finisher if due, and end the round or the game."""
    for seat in range(s.seats):
        if not s.left[seat]:
            s.raw[seat] = grid_sum(s, seat)
    settle(s, is_penalised(s))


def settle(s: State, penalised: bool) -> None:
    """End a round whose points before the penalty are known, as a score pad knows them."""
    for seat in range(s.seats):
        if not s.left[seat]:
            s.final[seat] = s.raw[seat]
            add_points(s, seat, penalised and seat == s.finisher)
    s.next_starter = starter_of_next_round(s)
    s.phase = GAME_OVER if game_is_over(s) else ROUND_OVER


def grid_sum(s: State, seat: int) -> int:
    """The sum of the cards that are left in a grid after the final reveal (rules 2.11)."""
    total = 0
    for cell in range(seat * SLOTS, seat * SLOTS + SLOTS):
        if s.cells[cell] <= HIGHEST:
            total += s.cells[cell]
    return total


def is_penalised(s: State) -> bool:
    """Whether the finisher's points are doubled (or what the knobs make of it), rules 2.12."""
    if s.finisher == NOBODY or s.left[s.finisher]:
        return False
    lowest_other = 0
    found = False
    for seat in range(s.seats):
        if seat != s.finisher and not s.left[seat] and (not found or s.raw[seat] < lowest_other):
            lowest_other = s.raw[seat]
            found = True
    return found and penalty_is_due(s.rules, s.raw[s.finisher], lowest_other)


def penalty_is_due(rules: Ruleset, points: int, lowest_other: int) -> bool:
    """Whether a finisher with these points is punished, beside the lowest of all others."""
    if rules.penalty_when == NEVER or (rules.penalty_nonpositive == EXEMPT and points <= 0):
        return False
    if rules.penalty_when == NOT_STRICTLY_LOWEST:
        return lowest_other <= points
    return lowest_other < points


def with_penalty(rules: Ruleset, points: int) -> int:
    """Points after the penalty: doubled, unless the knobs say otherwise.

    >>> with_penalty(Ruleset(), 10), with_penalty(Ruleset(penalty_flat=5), 10)
    (20, 25)
    """
    if rules.penalty_order == ADD_THEN_MULTIPLY:
        return (points + rules.penalty_flat) * rules.penalty_multiplier
    return points * rules.penalty_multiplier + rules.penalty_flat


def add_points(s: State, seat: int, penalised: bool) -> None:
    """Add the round to a seat's total, with the penalty on the round or on the total."""
    if not penalised:
        s.totals[seat] += s.final[seat]
    elif s.rules.penalty_scope == TOTAL:
        total = with_penalty(s.rules, s.totals[seat] + s.final[seat])
        s.totals[seat] = max(-FARTHEST_TOTAL, min(FARTHEST_TOTAL, total))
    else:
        s.final[seat] = with_penalty(s.rules, s.final[seat])
        s.totals[seat] += s.final[seat]


def starter_of_next_round(s: State) -> int:
    """Who begins the next round (rules 2.6), ``NOBODY`` when its opening cards decide."""
    if s.rules.next_starter == HIGHEST_SUM:
        return NOBODY
    if s.rules.next_starter == ROUND_WINNER:
        return round_winner(s)
    if s.finisher == NOBODY:
        return first_remaining(s, clockwise(s, s.starter))
    return first_remaining(s, s.finisher)


def round_winner(s: State) -> int:
    """The lowest points of the round; of several the finisher, else the next clockwise.

    In a round that nobody closed, the first player takes the finisher's place (rules 1).
    """
    seat = s.starter if s.finisher == NOBODY else s.finisher
    seat = first_remaining(s, seat)
    best = seat
    for _ in range(s.seats - 1):
        seat = clockwise(s, seat)
        if not s.left[seat] and s.final[seat] < s.final[best]:
            best = seat
    return best


def game_is_over(s: State) -> bool:
    """Whether somebody has reached the target, or the last round is played (rules 2.13)."""
    if s.rules.max_rounds > 0 and s.round >= s.rules.max_rounds:
        return True
    for seat in range(s.seats):
        if not s.left[seat] and s.totals[seat] >= s.rules.target:
            return True
    return False


def is_winner(s: Position, seat: int) -> bool:
    """Whether this seat has won (or shares in winning) a game that is over (rules 2.13, 2.15)."""
    if s.phase != GAME_OVER or s.left[seat]:
        return False
    for other in range(s.seats):
        if not s.left[other] and ranks_before(s, other, seat):
            return False
    return True


def ranks_before(s: Position, seat: int, other: int) -> bool:
    """Whether a seat stands strictly better than another one by its total."""
    if s.totals[seat] != s.totals[other]:
        return s.totals[seat] < s.totals[other]
    return s.rules.game_tie == LAST_ROUND_LOWEST and s.final[seat] < s.final[other]


def winner_count(s: State) -> int:
    """How many seats share the win."""
    count = 0
    for seat in range(s.seats):
        if is_winner(s, seat):
            count += 1
    return count


def forfeited(s: State) -> bool:
    """Whether the game ended because fewer than two players were left."""
    return s.phase == GAME_OVER and remaining_seats(s) < 2
