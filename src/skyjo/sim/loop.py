"""The loop that plays: kernels over states, views and policies, interpreted or compiled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from skyjo.bots import DICE
from skyjo.rules.actions import DRAW, LEAVE, place_of, verb_of
from skyjo.rules.layout import (
    COLUMNS,
    GAME_OVER,
    LINES,
    MAX_SEATS,
    NOBODY,
    ROUND_OVER,
    State,
    View,
)
from skyjo.rules.legality import ALLOWED, refusal
from skyjo.rules.scoring import is_penalised, is_winner
from skyjo.rules.turns import apply, has_revealed
from skyjo.rules.view import fill_view
from skyjo.sim.dealer import PLAY, Dealer, before_draw, deal_round
from skyjo.sim.dice import Dice, below, stream
from skyjo.sim.policies import act

#: Places for the decks of one game in the numbering of all decks.
ROUNDS_OF_GAME: Final = 1 << 16

PLAN_FIELDS: Final[tuple[tuple[str, int, str], ...]] = (
    ("seed", 0, "points"),
    ("game", 0, "points"),
    ("end", 0, "points"),
    ("rotations", 0, "points"),
    ("plies", 0, "points"),
    ("fault", 0, "points"),
    ("action", 0, "points"),
    ("lineup", MAX_SEATS, "points"),
)

ROW_FIELDS: Final[tuple[tuple[str, int, str], ...]] = (
    ("game", 0, "points"),
    ("round", 0, "points"),
    ("over", 0, "small"),
    ("starter", 0, "small"),
    ("finisher", 0, "small"),
    ("penalised", 0, "small"),
    ("reshuffles", 0, "many"),
    ("plies", 0, "points"),
    ("turns", MAX_SEATS, "many"),
    ("columns", MAX_SEATS, "small"),
    ("rows", MAX_SEATS, "small"),
    ("raw", MAX_SEATS, "count"),
    ("final", MAX_SEATS, "points"),
    ("totals", MAX_SEATS, "points"),
    ("won", MAX_SEATS, "small"),
)


class Plan:
    """Which games to play: numbers ``game`` to ``end`` - 1 of a seed.

    ``lineup`` says by player which policy plays; in game number n player p sits at seat
    p - n % ``rotations``, and the games of one full rotation have the same decks. ``fault`` is
    ``NOBODY`` until a policy answers with an illegal ``action``; then it is its seat.
    """

    __slots__ = tuple(name for name, _, _ in PLAN_FIELDS)
    FIELDS = PLAN_FIELDS

    seed: int
    game: int
    end: int
    rotations: int
    plies: int
    fault: int
    action: int
    lineup: list[int]


class Row:
    """What is noted of a finished round; the fields of ``sim.Rounds`` explain it."""

    __slots__ = tuple(name for name, _, _ in ROW_FIELDS)
    FIELDS = ROW_FIELDS

    game: int
    round: int
    over: int
    starter: int
    finisher: int
    penalised: int
    reshuffles: int
    plies: int
    turns: list[int]
    columns: list[int]
    rows: list[int]
    raw: list[int]
    final: list[int]
    totals: list[int]
    won: list[int]

    def __init__(self) -> None:
        for name, length, _ in ROW_FIELDS:
            setattr(self, name, [0] * length if length else 0)


def choose(number: int, v: View, dice: Dice, numbers: Sequence[float], table: Sequence[int]) -> int:
    """The action of bot ``number``.

    ``table`` holds for every bot its kernel, and where its ``numbers`` begin and end.
    """
    row = numbers[table[3 * number + 1] : table[3 * number + 2]]
    return act(table[3 * number], v, below(dice, DICE), row)


def play_games(
    states: Sequence[State],
    views: Sequence[View],
    dealers: Sequence[Dealer],
    plans: Sequence[Plan],
    numbers: Sequence[float],
    table: Sequence[int],
    rows: Sequence[Row],
) -> int:
    """Play on until the plan is done, the rows are full or a policy fails; the rows written.

    A game that has not ended goes on with the next call. Of all sequences but ``numbers``,
    ``table`` and ``rows`` the first entry counts.
    """
    s, v, d, p = states[0], views[0], dealers[0], plans[0]
    count = 0
    while count < len(rows) and p.game < p.end:
        if s.phase == GAME_OVER:
            begin_game(s)
            d.play.state = stream(p.seed, PLAY, p.game)
        deal_round(s, d, p.seed, p.game // p.rotations * ROUNDS_OF_GAME + s.round)
        p.plies = 0
        play_round(s, v, d, p, numbers, table)
        if p.fault != NOBODY:
            break
        note_round(s, p, rows[count])
        count += 1
        if s.phase == GAME_OVER:
            p.game += 1
    return count


def begin_game(s: State) -> None:
    """Before the first round."""
    for seat in range(MAX_SEATS):
        s.totals[seat] = 0
    s.round = 0
    s.phase = ROUND_OVER
    s.next_starter = NOBODY


def play_round(
    s: State, v: View, d: Dealer, p: Plan, numbers: Sequence[float], table: Sequence[int]
) -> None:
    """Ask the policies until the round is over."""
    while s.phase < ROUND_OVER:
        seat = acting_seat(s)
        fill_view(s, seat, v)
        player = (seat + p.game % p.rotations) % s.seats
        action = choose(p.lineup[player], v, d.play, numbers, table)
        if not may_play(s, seat, action):
            p.fault = seat
            p.action = action
            return
        if action == DRAW:
            before_draw(s, d)
        apply(s, seat, action)
        p.plies += 1


def may_play(s: State, seat: int, action: int) -> bool:
    """Whether this is an action, and allowed; nobody leaves in bulk play."""
    if action < 0 or action >= LEAVE:
        return False
    return refusal(s, seat, verb_of(action), place_of(action)) == ALLOWED


def acting_seat(s: State) -> int:
    """The seat on turn; while opening cards are turned freely the first that has to."""
    if s.turn != NOBODY:
        return s.turn
    for seat in range(s.seats):
        if not s.left[seat] and not has_revealed(s, seat):
            return seat
    return NOBODY


def note_round(s: State, p: Plan, row: Row) -> None:
    """Write down the round that has just been scored."""
    row.game = p.game
    row.plies = p.plies
    row.round = s.round
    row.over = s.phase == GAME_OVER
    row.starter = s.starter
    row.finisher = s.finisher
    row.penalised = is_penalised(s)
    row.reshuffles = s.reshuffles
    for seat in range(s.seats):
        row.turns[seat] = s.turns[seat]
        row.raw[seat] = s.raw[seat]
        row.final[seat] = s.final[seat]
        row.totals[seat] = s.totals[seat]
        row.won[seat] = is_winner(s, seat)
        row.columns[seat] = 0
        row.rows[seat] = 0
    for number in range(s.lines_gone):
        seat = s.gone[number] // LINES
        if s.gone[number] % LINES < COLUMNS:
            row.columns[seat] += 1
        else:
            row.rows[seat] += 1
