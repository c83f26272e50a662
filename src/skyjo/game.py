"""``Game``: one game of Skyjo as a friendly object, from the first deal to the winner.

It checks what the rules only carry out, remembers what happened, and shows every seat what it
may know. It draws no random numbers: decks and reshuffles are handed in.

>>> from skyjo.chance import SeededChance
>>> game = Game(["Ana", "Ben"])
>>> game.deal(SeededChance(7).deck(1)).round
1
>>> game.play("reveal r0c0", seat=0).seat
0
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from skyjo.errors import IllegalActionError, MalformedError, SkyjoError
from skyjo.i18n import N_
from skyjo.rules.actions import (
    ACTIONS,
    DISCARD,
    DRAW,
    FLIP_VERB,
    LEAVE,
    REVEAL_VERB,
    SWAP_VERB,
    TAKE,
    action_id,
    parse_action,
    place_of,
    slot_of,
    verb_of,
)
from skyjo.rules.board import board_text
from skyjo.rules.deal import DECK, deal, may_be_dealt, needs_reshuffle, reshuffle, reshuffled_cards
from skyjo.rules.layout import (
    CHOOSE,
    GAME_OVER,
    HIDDEN,
    HIGHEST,
    LOWEST,
    MAX_SEATS,
    MIN_SEATS,
    NO_CARD,
    NOBODY,
    ROUND_OVER,
    SLOTS,
    State,
    View,
)
from skyjo.rules.legality import ALLOWED, ALREADY_HOLDING, REASONS, legal_actions, refusal
from skyjo.rules.plies import Deal, Entry, Line, Ply, Reshuffle, TurnedUp
from skyjo.rules.ruleset import Ruleset
from skyjo.rules.scoring import forfeited, is_penalised, is_winner, ranks_before
from skyjo.rules.turns import apply
from skyjo.rules.view import fill_view, visible_log

_SORTED_DECK: Final = sorted(DECK)


@dataclass(frozen=True, slots=True)
class RoundResult:
    """One line of the score sheet: a scored round.

    By seat, None for who had left: ``raw`` points before and ``points`` after the penalty, and
    ``totals`` after the round (of leavers too, for display). ``finisher`` is None when nobody
    closed the round; ``penalised`` is whether the finisher was punished.
    """

    number: int
    starter: int
    finisher: int | None
    penalised: bool
    raw: tuple[int | None, ...]
    points: tuple[int | None, ...]
    totals: tuple[int, ...]
    turns: tuple[int, ...]
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class ScoreSheet:
    """The paper pad: rounds down, players across.

    ``leaders`` are the seats with the lowest total among those still in the game; ``winners``
    and ``ranks`` (1, 1, 3; None for leavers) are filled when the game is over.
    """

    players: tuple[str, ...]
    rounds: tuple[RoundResult, ...]
    totals: tuple[int, ...]
    left: tuple[bool, ...]
    leaders: tuple[int, ...]
    winners: tuple[int, ...]
    ranks: tuple[int | None, ...]
    by_forfeit: bool


class Game:
    """A game of 2 to 8 named players under a ruleset.

    Before every round ``deal`` wants a deck, before a draw from an empty pile ``reshuffle``
    wants an order (``needs_deal`` and ``needs_reshuffle`` tell), everything else is ``play``.
    Raises IllegalActionError with the code of rules 2.17 for what the rules refuse and
    MalformedError for what is no action at all; both change nothing.
    """

    def __init__(self, players: Sequence[str], ruleset: Ruleset | None = None) -> None:
        if not MIN_SEATS <= len(players) <= MAX_SEATS:
            raise IllegalActionError(
                "player_count",
                N_("Skyjo is played by 2 to 8 players, not by {count}."),
                count=len(players),
            )
        self.players: tuple[str, ...] = tuple(players)
        self.ruleset = ruleset or Ruleset()
        self.state = State(len(self.players), self.ruleset)
        self.state.phase = ROUND_OVER
        self.log: list[Entry] = []
        self.rounds: list[RoundResult] = []
        self._drawer = NOBODY

    @classmethod
    def from_state(cls, players: Sequence[str], state: State) -> Game:
        """A game that goes on from any position; its log begins there."""
        game = cls(players, state.rules)
        game.state = state.copy()
        return game

    # --- chance ---------------------------------------------------------------------------

    @property
    def needs_deal(self) -> bool:
        """Whether the next round can be dealt now."""
        return self.state.phase == ROUND_OVER and may_be_dealt(self.state)

    @property
    def needs_reshuffle(self) -> bool:
        """Whether ``reshuffle`` must come before the next draw."""
        return self.state.phase == CHOOSE and needs_reshuffle(self.state)

    @property
    def draw_is_due(self) -> bool:
        """Whether the seat on turn has a reshuffle behind it, and not yet the draw it was made for.

        Its source is chosen (rules 2.7, 2.14): it may not take the discard any more.
        """
        return self._drawer != NOBODY and self._drawer == self.state.turn

    @property
    def cards_to_reshuffle(self) -> list[int]:
        """The discards that ``reshuffle`` would take now, from the bottom of the pile."""
        return self.state.discard_pile[: reshuffled_cards(self.state)]

    def deal(self, deck: Sequence[int]) -> Deal:
        """Begin the next round with this deck, top card first.

        Raises MalformedError when these are not the 150 cards, IllegalActionError
        (``round_running`` or ``game_over``) when no round can begin now.
        """
        if self.is_over:
            raise _illegal("game_over")
        if not self.needs_deal:
            raise IllegalActionError("round_running", N_("The round is still being played."))
        if sorted(deck) != _SORTED_DECK:
            raise MalformedError(N_("these are not the 150 cards of the deck"))
        deal(self.state, deck)
        entry = Deal(self.state.round, tuple(deck))
        self.log.append(entry)
        return entry

    def reshuffle(self, order: Sequence[int]) -> Reshuffle:
        """Make a new draw pile for the draw of the seat on turn, top card first.

        Raises MalformedError when these are not the cards to reshuffle, IllegalActionError
        (``no_reshuffle``) when none is due.
        """
        if not self.needs_reshuffle:
            raise IllegalActionError("no_reshuffle", N_("No reshuffle is due now."))
        if sorted(order) != sorted(self.cards_to_reshuffle):
            raise MalformedError(N_("these are not the cards that are to be reshuffled"))
        reshuffle(self.state, order)
        entry = Reshuffle(tuple(order))
        self.log.append(entry)
        self._drawer = self.state.turn
        return entry

    # --- play -----------------------------------------------------------------------------

    def legal_actions(self, seat: int | None = None) -> list[int]:
        """The ids of what a seat (default: the one on turn) may do now, without ``leave``.

        >>> Game(["Ana", "Ben"]).legal_actions(0)
        []
        """
        seat = self._seat(seat)
        out = [0] * 16
        found = out[: legal_actions(self.state, seat, out)]
        return [DRAW] if found and self.draw_is_due else found

    def refusal(self, action: int | str, seat: int | None = None) -> str:
        """The code of rules 2.17 for why this action is refused now, "" if it is legal."""
        seat = self._seat(seat)
        verb, place = _verb_and_place(action)
        return REASONS[self._reason(seat, verb, place)][0]

    def _reason(self, seat: int, verb: int, place: int) -> int:
        reason = refusal(self.state, seat, verb, place)
        if reason == ALLOWED and verb == TAKE and self.draw_is_due:
            return ALREADY_HOLDING
        return reason

    def play(self, action: int | str, seat: int | None = None) -> Ply:
        """Carry out an action, by id or in notation ("swap r0c1"), of the seat on turn.

        >>> Game(["Ana", "Ben"]).play("draw", seat=0)
        Traceback (most recent call last):
        ...
        skyjo.errors.IllegalActionError: The round is over; the next one has not been dealt yet.
        """
        verb, place = _verb_and_place(action)
        seat = self._seat(seat)
        reason = self._reason(seat, verb, place)
        if reason != ALLOWED:
            raise _illegal(*REASONS[reason])
        if verb == DRAW and self.needs_reshuffle:
            raise SkyjoError(N_("the draw pile is empty: reshuffle first"))
        return self._carry_out(seat, action_id(verb, place))

    def _carry_out(self, seat: int, action: int) -> Ply:
        before = self.state.copy()
        apply(self.state, seat, action)
        if verb_of(action) != LEAVE:
            self._drawer = NOBODY
        ply = _describe(before, self.state, seat, action)
        self.log.append(ply)
        if self.state.phase in (ROUND_OVER, GAME_OVER) and before.turn != NOBODY:
            self._note_round(before)
        return ply

    def _note_round(self, before: State) -> None:
        s = self.state
        if forfeited(s):
            return
        present = [not left for left in s.left[: s.seats]]
        self.rounds.append(
            RoundResult(
                number=s.round,
                starter=s.starter,
                finisher=None if s.finisher == NOBODY else s.finisher,
                penalised=is_penalised(s),
                raw=tuple(s.raw[i] if present[i] else None for i in range(s.seats)),
                points=tuple(s.final[i] if present[i] else None for i in range(s.seats)),
                totals=tuple(s.totals[: s.seats]),
                turns=tuple(s.turns[: s.seats]),
                lines=tuple(Line.from_number(number) for number in s.gone[: s.lines_gone]),
            )
        )

    def _seat(self, seat: int | None) -> int:
        if seat is None:
            if self.turn is None:
                raise MalformedError(N_("say which seat acts: nobody is on turn"))
            return self.turn
        if not 0 <= seat < len(self.players):
            raise MalformedError(
                N_("there is no seat {seat}; the seats are 0 to {last}"),
                seat=seat,
                last=len(self.players) - 1,
            )
        return seat

    # --- what there is to see -------------------------------------------------------------

    def view(self, seat: int | None = None) -> View:
        """What a seat may know; without a seat what every onlooker may know."""
        seat = NOBODY if seat is None else self._seat(seat)
        view = View(self.ruleset)
        fill_view(self.state, seat, view)
        return view

    def visible_log(self, seat: int | None = None) -> Iterator[Entry]:
        """The log as a seat (without one: an onlooker) may know it."""
        return visible_log(self.state, NOBODY if seat is None else self._seat(seat), self.log)

    @property
    def turn(self) -> int | None:
        """The seat on turn; None between rounds and while opening cards are turned freely."""
        return None if self.state.turn == NOBODY else self.state.turn

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self.state.phase == GAME_OVER

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats that won, several when they share it; empty while the game runs."""
        return tuple(seat for seat in range(self.state.seats) if is_winner(self.state, seat))

    @property
    def plies(self) -> int:
        """How many actions have been played."""
        return sum(isinstance(entry, Ply) for entry in self.log)

    @property
    def score_sheet(self) -> ScoreSheet:
        """All rounds, totals, leaders and ranks so far."""
        s = self.state
        seats = range(s.seats)
        here = [seat for seat in seats if not s.left[seat]]
        lowest = min(s.totals[seat] for seat in here) if here else 0
        return ScoreSheet(
            players=self.players,
            rounds=tuple(self.rounds),
            totals=tuple(s.totals[: s.seats]),
            left=tuple(bool(left) for left in s.left[: s.seats]),
            leaders=tuple(seat for seat in here if s.totals[seat] == lowest),
            winners=self.winners,
            ranks=tuple(
                1 + sum(ranks_before(s, other, seat) for other in here)
                if self.is_over and not s.left[seat]
                else None
                for seat in seats
            ),
            by_forfeit=forfeited(s),
        )

    def __iter__(self) -> Iterator[RoundResult]:
        """The rounds scored so far."""
        return iter(self.rounds)

    def copy(self) -> Game:
        """An independent copy."""
        other = Game(self.players, self.ruleset)
        other.state = self.state.copy()
        other.log = list(self.log)
        other.rounds = list(self.rounds)
        other._drawer = self._drawer
        return other

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return (
            self.players == other.players
            and self.ruleset == other.ruleset
            and self.log == other.log
            and self.rounds == other.rounds
            and self.state.values() == other.state.values()
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Game {self.ruleset.text()}>\n{board_text(self.view(), self.players)}"


def _verb_and_place(action: int | str) -> tuple[int, int]:
    if isinstance(action, str):
        return parse_action(action)
    if isinstance(action, bool) or not 0 <= action < ACTIONS:
        raise MalformedError(
            N_("there is no action {action}; they are 0 to {last}"), action=action, last=ACTIONS - 1
        )
    return verb_of(action), place_of(action)


def _illegal(code: str, sentence: str = "") -> IllegalActionError:
    return IllegalActionError(
        code, sentence or next(text for name, text in REASONS if name == code)
    )


def _describe(before: State, after: State, seat: int, action: int) -> Ply:
    """What an action has shown, from the positions before and after it."""
    verb = verb_of(action)
    card: int | None = None
    replaced: int | None = None
    was_hidden = False
    if verb in (TAKE, DRAW):
        card = after.hand
    elif verb in (DISCARD, SWAP_VERB) or (verb == LEAVE and before.turn == seat):
        card = before.hand if before.hand != NO_CARD else None
    elif verb in (FLIP_VERB, REVEAL_VERB):
        card = before.cells[seat * SLOTS + slot_of(action)] - HIDDEN
    if verb == SWAP_VERB:
        replaced = before.cells[seat * SLOTS + slot_of(action)]
        was_hidden = replaced > HIGHEST
        replaced -= HIDDEN if was_hidden else 0
    ended = after.phase if after.phase != before.phase else CHOOSE
    return Ply(
        seat=seat,
        action=action,
        card=card,
        replaced=replaced,
        was_hidden=was_hidden,
        lines=tuple(
            Line.from_number(number) for number in after.gone[before.lines_gone : after.lines_gone]
        ),
        closed=before.finisher == NOBODY and after.finisher != NOBODY,
        turned_up=_turned_up(before, after, seat, action),
        ends={ROUND_OVER: "round", GAME_OVER: "game"}.get(ended, ""),
    )


def _turned_up(before: State, after: State, seat: int, action: int) -> tuple[TurnedUp, ...]:
    """The cards that the final reveal turned over (not the one that the action itself touched)."""
    own = seat * SLOTS + slot_of(action) if slot_of(action) >= 0 else -1
    return tuple(
        TurnedUp(cell // SLOTS, cell % SLOTS, before.cells[cell] - HIDDEN)
        for cell in range(before.seats * SLOTS)
        if cell != own
        and HIDDEN + LOWEST <= before.cells[cell] <= HIDDEN + HIGHEST
        and after.cells[cell] != before.cells[cell]
    )
