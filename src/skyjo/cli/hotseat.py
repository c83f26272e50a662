"""One terminal, several seats: people at the keyboard and bots, one decision after the other.

Every entry is in the record before anything else happens, so that a game may be stopped anywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from skyjo import words
from skyjo.chance import SeededChance
from skyjo.cli import typed
from skyjo.cli.players import Player
from skyjo.cli.records import printable
from skyjo.cli.screen import Screen, board_view
from skyjo.errors import MalformedError, SkyjoError
from skyjo.game import Game
from skyjo.i18n import N_, _
from skyjo.rules.actions import DRAW, LEAVE
from skyjo.rules.layout import CHOOSE, REVEAL, View
from skyjo.rules.plies import Entry, Ply
from skyjo.rules.ruleset import ADD_THEN_MULTIPLY, Ruleset
from skyjo.table.names import same_name

if TYPE_CHECKING:
    from skyjo.record import RecordWriter

#: Separates things that are typed in one line.
COMMA: Final = ","
#: The code of an action that needs a card in hand (rules 2.17).
NOT_HOLDING: Final = "not_holding"


class Stopped(Exception):
    """The people want to stop, or the input has ended (``ended``)."""

    def __init__(self, ended: bool = False) -> None:
        super().__init__()
        self.ended = ended


class HotSeat:
    """A game at one terminal, from where it stands to its end.

    ``seed`` gives the decks and the bots' choices; with ``auto`` nobody is asked and only the
    ends of rounds are told. ``writer`` may be None: then nothing is recorded.
    """

    def __init__(
        self,
        game: Game,
        players: Sequence[Player],
        *,
        seed: str,
        screen: Screen,
        writer: RecordWriter | None,
        auto: bool = False,
    ) -> None:
        self.game = game
        self.players = tuple(players)
        #: A record may come from anybody: its names must not steer the terminal.
        self.names = tuple(printable(name) for name in game.players)
        self.seed = seed
        self.chance = SeededChance(seed)
        self.screen = screen
        self.writer = writer
        self.auto = auto
        self.plies = game.plies
        self._typed: tuple[str, ...] = ()
        self._shown_to: tuple[int, int, bool] | None = None
        self._told: list[str] = []

    def run(self) -> None:
        """Play to the end. Raises Stopped when the people stop before."""
        if self.game.draw_is_due:  # stopped in between
            self._play(DRAW, self._seat_to_move())
        while not self.game.is_over:
            if self.game.needs_deal:
                self._deal()
            else:
                self._move(self._seat_to_move())

    def _deal(self) -> None:
        number = self.game.state.round + 1
        if number > 1 and not self.auto:
            self._pause()
            if self.game.is_over:
                return
        self._note(self.game.deal(self.chance.deck(number)))
        self._shown_to = None
        if not self.auto and self.players[self._seat_to_move()].bot is not None:
            # A person sees the board with the round's number at once.
            self.screen.say(_("Round {round} is dealt.", round=number))

    def _seat_to_move(self) -> int:
        """The seat on turn; while opening cards are turned freely, the first that has to."""
        if self.game.turn is not None:
            return self.game.turn
        seats = range(len(self.players))
        return next(seat for seat in seats if self.game.legal_actions(seat))

    def _move(self, seat: int) -> None:
        bot = self.players[seat].bot
        if bot is not None:
            self._play(bot.decide(self.game.view(seat), self.seed, self.plies), seat)
        else:
            self._ask(seat)

    def _play(self, action: int, seat: int) -> None:
        """Carry out an action, with the reshuffle that it may need; record it, then tell it."""
        if action == DRAW and self.game.needs_reshuffle and not self.game.refusal(action, seat):
            self._reshuffle()
        ply = self.game.play(action, seat)
        self.plies += 1
        self._note(ply)
        self._tell(ply)

    def _reshuffle(self) -> None:
        state, cards = self.game.state, self.game.cards_to_reshuffle
        order = self.chance.reshuffle(cards, state.round, state.reshuffles + 1)
        self._note(self.game.reshuffle(order))
        if not self.auto:
            self._told.append(_("The discards are shuffled into a new draw pile."))

    def _note(self, entry: Entry) -> None:
        if self.writer is not None:
            self.writer.append(entry, self.game)

    # --- telling --------------------------------------------------------------------------

    def _tell(self, ply: Ply) -> None:
        """A bot's turn is told in one line when it is over, a person's actions one by one."""
        if not self.auto:
            self._told.append(words.tell(ply, self.names))
            goes_on = self.game.turn == ply.seat and self.players[ply.seat].bot is not None
            if not goes_on or ply.ends:
                self._flush()
        if ply.ends:
            self._tell_end()

    def _flush(self) -> None:
        if self._told:
            self.screen.say(" ".join(self._told))
            self._told.clear()

    def _tell_end(self) -> None:
        sheet = self.game.score_sheet
        if not sheet.by_forfeit:
            if not self.auto:
                self.screen.board(board_view(self.game), self.names)
            result = self.game.rounds[-1]
            ended = words.tell_round(result, self.names)
            self.screen.say(_("Round {round}: {sentence}", round=result.number, sentence=ended))
        if not self.auto or self.game.is_over:
            self.screen.sheet(sheet, penalty_mark(self.game.ruleset))

    # --- asking ---------------------------------------------------------------------------

    def _read(self, prompt: str) -> tuple[str, ...]:
        try:
            line = self.screen.ask(prompt)
        except EOFError:
            raise Stopped(ended=True) from None
        return tuple(line.replace(COMMA, " ").split())

    def _ask(self, seat: int) -> None:
        """One decision of a person; what cannot be is answered with what can."""
        view = self.game.view(seat)
        if not self._typed:
            self._show_board(seat)
            self.screen.say(words.status(view, self.names))
            self._typed = self._read(f"{self.names[seat]} [{typed.keys(view)}]:")
            if not self._typed:
                self.screen.say(typed.possible(view))
                return
        try:
            understood = typed.understand(self._typed, view)
            self._typed = understood.rest
            self._do(understood, seat)
        except SkyjoError as error:
            self._typed = ()
            if not _is_beside_the_point(error, view):
                self.screen.say(str(error))
            self.screen.say(typed.possible(view))
            return
        if self._seat_changes(seat):
            self._typed = ()

    def _seat_changes(self, seat: int) -> bool:
        running = not self.game.is_over and not self.game.needs_deal
        return not running or self._seat_to_move() != seat

    def _show_board(self, seat: int) -> None:
        """Once at the beginning of the seat's turn, and of its opening."""
        state = self.game.state
        key = (seat, state.turns[seat], state.phase == REVEAL)
        at_start = state.phase in (CHOOSE, REVEAL) or self._shown_to is None
        if at_start and key != self._shown_to:
            self.screen.board(board_view(self.game, seat), self.names)
            self._shown_to = key

    def _do(self, understood: typed.Typed, seat: int) -> None:
        if understood.command:
            self._command(understood, seat)
            return
        action = understood.action
        if action is None:
            raise MalformedError(N_("There is no such place in the grid."))
        self._play(action, seat)

    def _command(self, understood: typed.Typed, seat: int) -> None:
        name = understood.command
        if name == "quit":
            raise Stopped
        if name == "help":
            for line in typed.help_lines(self.game.view(seat)):
                self.screen.say(line)
        elif name == "board":
            self.screen.board(board_view(self.game, seat), self.names)
        elif name == "leave":
            self._typed = ()
            self._leave(understood.rest, seat)
        else:
            self._show(name)

    def _show(self, name: str) -> None:
        if name == "scores":
            self.screen.sheet(self.game.score_sheet, penalty_mark(self.game.ruleset))
        elif name == "rules":
            title = _("The rules of this game")
            self.screen.text(title, words.rules_in_words(self.game.ruleset))

    def _leave(self, name: tuple[str, ...], seat: int | None) -> None:
        """The seat, or the player named behind the command, leaves after a second yes."""
        if name:
            seat = self._seat_called(" ".join(name))
        if seat is None:
            raise MalformedError(N_("Say who leaves, for instance: {example}"), example="leave Ana")
        word = typed.words()["leave"]
        self.screen.say(
            _(
                "{player} will leave the game for good. Type {word} once more to confirm.",
                player=self.names[seat],
                word=word,
            )
        )
        again = " ".join(self._read(">")).casefold()
        if again in ("leave", word.casefold()):
            self._play(LEAVE, seat)
        else:
            self.screen.say(_("Nobody leaves."))

    def _seat_called(self, name: str) -> int:
        for seat, player in enumerate(self.names):
            if same_name(player, name):
                return seat
        raise MalformedError(
            N_("nobody here is called {name}; the players are: {names}"),
            name=typed.quotable(name),
            names=", ".join(self.names),
        )

    def _pause(self) -> None:
        """Between two rounds: look at the score sheet, go on, stop or leave."""
        self.screen.say(words.status(self.game.view(), self.names))
        while not self.game.is_over:
            tokens = self._read(_("Press Enter for the next round ({key} stops):", key="q"))
            if not tokens:
                return
            try:
                self._between_rounds(typed.understand(tokens, self.game.view()))
            except SkyjoError as error:
                self.screen.say(str(error))

    def _between_rounds(self, understood: typed.Typed) -> None:
        if understood.command == "quit":
            raise Stopped
        if understood.command == "leave":
            self._leave(understood.rest, None)
        elif understood.command == "board":
            self.screen.board(board_view(self.game), self.names)
        elif understood.command in ("scores", "rules"):
            self._show(understood.command)
        else:
            self.screen.say(
                _("Between rounds you may press Enter or type: {words}", words=_between_words())
            )


def _is_beside_the_point(error: SkyjoError, view: View) -> bool:
    """Whether somebody is told to get a card who may not: what is possible then says it all."""
    return error.code == NOT_HOLDING and view.phase != CHOOSE


def _between_words() -> str:
    local = typed.words()
    return ", ".join(local[word] for word in ("board", "scores", "rules", "leave", "quit"))


def penalty_mark(ruleset: Ruleset) -> str:
    """What stands beside punished points, after what the penalty does.

    >>> penalty_mark(Ruleset()), penalty_mark(Ruleset(penalty_flat=5))
    ('x2', 'x2+5')
    >>> penalty_mark(Ruleset(penalty_flat=5, penalty_order=ADD_THEN_MULTIPLY))
    '+5x2'
    """
    factor = f"x{ruleset.penalty_multiplier}" if ruleset.penalty_multiplier != 1 else ""
    flat = f"+{ruleset.penalty_flat}" if ruleset.penalty_flat else ""
    if ruleset.penalty_order == ADD_THEN_MULTIPLY:
        return flat + factor
    return factor + flat
