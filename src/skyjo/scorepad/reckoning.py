"""What entered rounds come to: points, penalties, totals, the next starter, the end.

Nothing is decided here. The rounds are handed to ``rules.scoring`` one after the other, in the flat
state that it works on, and what it has made of them is read back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from skyjo.game import RoundResult, ScoreSheet
from skyjo.rules.layout import GAME_OVER, REMOVED, SLOTS, State
from skyjo.rules.layout import NOBODY as NO_SEAT
from skyjo.rules.ruleset import Ruleset
from skyjo.rules.scoring import (
    forfeited,
    grid_sum,
    is_penalised,
    is_winner,
    ranks_before,
    settle,
)
from skyjo.rules.turns import clear_at_reveal
from skyjo.scorepad.entry import BY_RULES, PENALISED, Cards, Entry


@dataclass(frozen=True, slots=True)
class Reckoning:
    """A pad's rounds, reckoned.

    ``sheet`` has a line for every round; ``due`` by round whether the rules ask for the penalty,
    ``overruled`` whether somebody decided otherwise. ``starter`` begins the next round, None when
    the opening cards decide or it is not known. ``is_over`` by the rules or because it was ended.
    """

    sheet: ScoreSheet
    due: tuple[bool, ...]
    overruled: tuple[bool, ...]
    starter: int | None
    is_over: bool


def reckon(
    names: Sequence[str],
    ruleset: Ruleset,
    entries: Sequence[Entry],
    left: Sequence[bool] = (),
    *,
    ended: bool = False,
) -> Reckoning:
    """Reckon all rounds of a pad (rules 2.6, 2.11 to 2.13).

    >>> found = reckon(["Ana", "Ben"], Ruleset(), [Entry((10, 7), closer=0)])
    >>> found.sheet.totals, found.starter, found.is_over
    ((20, 7), 0, False)
    """
    state = State(len(names), ruleset)
    rounds: list[RoundResult] = []
    due: list[bool] = []
    overruled: list[bool] = []
    for entry in entries:
        state.round += 1
        state.starter = state.next_starter
        due.append(_put(state, entry))
        penalised = due[-1] if entry.penalty == BY_RULES else entry.penalty == PENALISED
        penalised = penalised and entry.closer >= 0
        overruled.append(penalised != due[-1])
        settle(state, penalised)
        if state.finisher == NO_SEAT and state.starter == NO_SEAT:
            state.next_starter = NO_SEAT  # nobody has written down who began
        rounds.append(_result(state, penalised))
    for seat in range(state.seats):
        state.left[seat] = int(bool(left) and left[seat])
    over = (bool(rounds) and state.phase == GAME_OVER) or ended
    if ended or state.left.count(0) - (len(state.left) - state.seats) < 2:
        state.phase = GAME_OVER
        over = True
    return Reckoning(
        _sheet(state, tuple(names), rounds, over),
        tuple(due),
        tuple(overruled),
        _starter(state) if rounds and not over else None,
        over,
    )


def _put(state: State, entry: Entry) -> bool:
    """Write a round into the state; whether the rules ask for the penalty."""
    for seat in range(state.seats):
        points = entry.points[seat]
        state.left[seat] = int(points is None)
        state.raw[seat] = points or 0
    state.finisher = NO_SEAT if entry.closer < 0 else entry.closer
    return is_penalised(state)


def _result(state: State, penalised: bool) -> RoundResult:
    seats = range(state.seats)
    return RoundResult(
        number=state.round,
        starter=state.starter,
        finisher=None if state.finisher == NO_SEAT else state.finisher,
        penalised=penalised,
        raw=tuple(None if state.left[seat] else state.raw[seat] for seat in seats),
        points=tuple(None if state.left[seat] else state.final[seat] for seat in seats),
        totals=tuple(state.totals[: state.seats]),
        turns=(),
        lines=(),
    )


def _starter(state: State) -> int | None:
    seat = state.next_starter
    if seat == NO_SEAT:
        return None
    while state.left[seat]:
        seat = (seat + 1) % state.seats
    return seat


def _sheet(
    state: State, names: tuple[str, ...], rounds: Sequence[RoundResult], over: bool
) -> ScoreSheet:
    seats = range(state.seats)
    here = [seat for seat in seats if not state.left[seat]]
    lowest = min((state.totals[seat] for seat in here), default=0)
    return ScoreSheet(
        players=names,
        rounds=tuple(rounds),
        totals=tuple(state.totals[: state.seats]),
        left=tuple(bool(state.left[seat]) for seat in seats),
        leaders=tuple(seat for seat in here if rounds and state.totals[seat] == lowest),
        winners=tuple(seat for seat in seats if over and is_winner(state, seat)),
        ranks=tuple(
            1 + sum(ranks_before(state, other, seat) for other in here)
            if over and seat in here
            else None
            for seat in seats
        ),
        by_forfeit=over and forfeited(state),
    )


@dataclass(frozen=True, slots=True)
class Counted:
    """A grid counted card by card: its sum, and by slot whether the card still counts."""

    points: int
    counts: tuple[bool, ...]


def count_cards(ruleset: Ruleset, cards: Cards) -> Counted:
    """The points of a grid whose cards lie open; None is a place without a card (rules 2.11).

    Three equal cards in a column count nothing where the rules say so.

    >>> row = (5, 1, 2, None)
    >>> count_cards(Ruleset(), row * 2 + (5, 3, 2, None)).points
    5
    """
    state = State(1, ruleset)
    for slot in range(SLOTS):
        card = cards[slot] if slot < len(cards) else None
        state.cells[slot] = REMOVED if card is None else card
    clear_at_reveal(state, 0)
    gone = tuple(state.cells[slot] != REMOVED for slot in range(SLOTS))
    return Counted(grid_sum(state, 0), gone)
