"""Bots that are programs of their own: ``cmd:./mybot`` (``docs/bots.md``).

A program that is slow, dies or answers nonsense loses that decision to a default action; the fault
is counted, and the game goes on. One that has failed several times in a row is not asked again
before the next game.
"""

from __future__ import annotations

import contextlib
import queue
import random
import re
import shlex
import subprocess
import threading
from collections import Counter
from collections.abc import Mapping
from typing import IO, Any, Final

from skyjo.bots import lines
from skyjo.bots.features import first_hidden, worst
from skyjo.errors import MalformedError
from skyjo.i18n import N_, _
from skyjo.rules.actions import DISCARD, DRAW, FLIP_FROM, PASS, REVEAL_FROM, SWAP_FROM, TAKE
from skyjo.rules.layout import CHOOSE, FLIP, MUST_SWAP, PLACE_OR_DISCARD, REVEAL, SLOTS, View
from skyjo.rules.legality import legal_actions

#: Seconds for an answer, and for the first one after the start.
ANSWER_SECONDS: Final = 5.0
START_SECONDS: Final = 20.0
#: After so many faults in a row a bot is not asked again in this game.
PATIENCE: Final = 3

SLOW: Final = "slow"
DEAD: Final = "dead"
NONSENSE: Final = "nonsense"
SKIPPED: Final = "skipped"


class Fault(Exception):
    """A decision that the program has lost: ``kind`` is one of SLOW, DEAD, NONSENSE."""

    def __init__(self, kind: str, detail: str = "") -> None:
        super().__init__(detail or kind)
        self.kind = kind
        self.detail = detail


def default_action(v: View) -> int:
    """What is played for a bot that does not answer: it draws, lays off and turns cards up."""
    out = [0] * 16
    actions = out[: legal_actions(v, v.seat, out)]
    wanted = {
        REVEAL: REVEAL_FROM + first_hidden(v),
        CHOOSE: DRAW if DRAW in actions else TAKE,
        MUST_SWAP: SWAP_FROM + worst(v),
        PLACE_OR_DISCARD: DISCARD,
        FLIP: FLIP_FROM + first_hidden(v),
    }.get(v.phase, PASS)
    return wanted if wanted in actions else actions[0]


class Program:
    """A running program, to which lines are written and from which lines are read."""

    def __init__(self, words: list[str]) -> None:
        try:
            self._process = subprocess.Popen(  # noqa: S603 - the command of whoever runs it
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
        except OSError as error:
            raise Fault(DEAD, f"{words[0]}: {error.strerror}") from error
        self._heard: queue.Queue[bytes] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        output = self._pipe(self._process.stdout)
        with contextlib.suppress(OSError, ValueError):
            while heard := output.readline(lines.LONGEST):
                self._heard.put(heard)
        self._heard.put(b"")

    @staticmethod
    def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
        if stream is None:
            raise Fault(DEAD)
        return stream

    def say(self, message: lines.Message) -> None:
        """Send a message; a Fault (DEAD) when nobody listens."""
        pipe = self._pipe(self._process.stdin)
        try:
            pipe.write(lines.line(message))
            pipe.flush()
        except (OSError, ValueError) as error:
            raise Fault(DEAD) from error

    def hear(self, seconds: float) -> lines.Message:
        """The next message; a Fault when there is none in time, none at all, or not a message."""
        try:
            heard = self._heard.get(timeout=seconds)
        except queue.Empty:
            raise Fault(SLOW) from None
        if not heard:
            raise Fault(DEAD)
        try:
            return lines.read(heard)
        except MalformedError as error:
            raise Fault(NONSENSE, str(error)) from error

    def stop(self, patience: float = 0.2) -> None:
        """End the program, whatever it does after so many seconds."""
        with contextlib.suppress(Fault, OSError, ValueError):
            self._pipe(self._process.stdin).close()
        try:
            self._process.wait(patience)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        with contextlib.suppress(OSError, ValueError):
            self._pipe(self._process.stdout).close()


class ProcessPolicy:
    """A policy that asks a program; started with its first decision, and again when it has died.

    ``faults`` counts the decisions that it has lost, by kind. The policy may be copied to another
    process, where it starts a program of its own.
    """

    def __init__(self, command: str, seconds: float = ANSWER_SECONDS) -> None:
        self.words = words_of(command)
        self.seconds = seconds
        self.faults: Counter[str] = Counter()
        self._program: Program | None = None
        self._game_is_known = False
        self._in_a_row = 0
        self._number = 0

    def __getstate__(self) -> dict[str, Any]:
        return {"command": shlex.join(self.words), "seconds": self.seconds}

    def __setstate__(self, state: dict[str, Any]) -> None:
        ProcessPolicy.__init__(self, state["command"], state["seconds"])

    def __call__(self, view: View, generator: random.Random) -> int:
        """The program's answer, or the default action."""
        if is_first_decision(view):
            self.forget_game()
        if self._in_a_row < PATIENCE:
            try:
                action = self.ask(view)
            except Fault as fault:
                self._in_a_row += 1
                self._lose(fault.kind)
            else:
                self._in_a_row = 0
                return action
        else:
            self.faults[SKIPPED] += 1
        return default_action(view)

    def start(self) -> None:
        """Start the program now, should it not run. Raises Fault."""
        self._running()

    def forget_game(self) -> None:
        """What comes next belongs to another game, in which the program is asked again."""
        self._game_is_known = False
        self._in_a_row = 0

    def ask(self, view: View) -> int:
        """The program's legal answer. Raises Fault."""
        program = self._running()
        if not self._game_is_known:
            program.say(lines.new_game(view))
            self._game_is_known = True
        self._number += 1
        program.say(lines.question(view, self._number))
        answer = program.hear(self.seconds)
        try:
            return lines.action_in(answer, view, self._number)
        except MalformedError as error:
            raise Fault(NONSENSE, str(error)) from error

    def _running(self) -> Program:
        if self._program is None:
            program = Program(self.words)
            try:
                self._greet(program)
            except Fault:
                program.stop()
                raise
            self._program = program
            self._game_is_known = False
        return self._program

    def _greet(self, program: Program) -> None:
        program.say(lines.hello())
        answer = program.hear(max(self.seconds, START_SECONDS))
        if answer["type"] != "hello" or answer.get("protocol") != lines.PROTOCOL:
            raise Fault(NONSENSE, _("the first answer is no hello of protocol 1"))

    def _lose(self, kind: str) -> None:
        """A late answer would be taken for the next one: after a fault the program starts anew."""
        self.faults[kind] += 1
        if kind != NONSENSE:
            self.close()

    def finish(self, view: View) -> None:
        """Tell the program how a game has ended."""
        if self._program is not None and self._game_is_known:
            try:
                self._program.say(lines.result(view))
            except Fault:
                self.close()
        self._game_is_known = False

    def close(self, patience: float = 0.2) -> None:
        """End the program; it has so many seconds to end by itself."""
        if self._program is not None:
            self._program.stop(patience)
            self._program = None

    def __del__(self) -> None:
        with contextlib.suppress(Exception):
            self.close()


class SharedProgram:
    """One program that plays at many tables at once, each decision as if it joined the game there.

    Every question is preceded by a ``new_game``, and questions come one at a time: what the table's
    bot driver needs, which knows a bot by its name only.
    """

    def __init__(self, command: str, seconds: float = ANSWER_SECONDS) -> None:
        self.policy = ProcessPolicy(command, seconds)
        self._lock = threading.Lock()

    def __call__(self, view: View, generator: random.Random) -> int:
        """The program's answer, or the default action."""
        with self._lock:
            self.policy.forget_game()
            return self.policy(view, generator)


def is_first_decision(view: View) -> bool:
    """Whether the view's seat has not done anything yet in this game."""
    return view.round == 1 and view.phase == REVEAL and view.hidden[view.seat] == SLOTS


def in_words(fault: Fault, seconds: float) -> str:
    """What was wrong, for the program's author."""
    if fault.kind == SLOW:
        limit = f"{seconds:g}"
        return _("no answer within {seconds} s", seconds=limit)
    if fault.kind == DEAD:
        return fault.detail or _("the program has ended")
    return fault.detail or _("no legal answer")


def lost_in_words(faults: Mapping[str, int]) -> str:
    """The decisions that a program has lost, for a person.

    >>> lost_in_words({SLOW: 2, DEAD: 1})
    'too slow: 2, ended: 1'
    """
    kinds = {
        SLOW: _("too slow"),
        DEAD: _("ended"),
        NONSENSE: _("no legal answer"),
        SKIPPED: _("not asked any more"),
    }
    return ", ".join(f"{kinds.get(kind, kind)}: {count}" for kind, count in faults.items())


#: A part of a list with commas, up to the next one: of a program, and of anybody else. A quote that
#: nobody closes goes to the end, where ``words_of`` complains about it.
_BEGINS: Final = re.compile(r"\s*(bot:)?\s*cmd:", re.IGNORECASE)
_COMMAND: Final = re.compile(
    r"""(?:[^,'"\\]|\\.|'[^']*(?:'|\Z)|"(?:[^"\\]|\\.)*(?:"|\Z)|\\\Z)*""", re.DOTALL
)
_PLAIN: Final = re.compile(r"[^,]*")


def words_of(command: str) -> list[str]:
    """The words of a command line. Raises MalformedError when there are none.

    >>> words_of("./mybot --fast 'two words'")
    ['./mybot', '--fast', 'two words']
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise MalformedError(
            N_("'{command}' is not a command line: {why}"), command=command, why=str(error)
        ) from error
    if not words:
        raise MalformedError(N_("after cmd: comes the command that starts the bot"))
    return words


def parts_of(text: str) -> list[str]:
    r"""The parts of a list with commas; in a program's command, quoted ones belong to it.

    Quotes and the backslash mean there what they mean to a shell, which ``words_of`` does anyway.
    Elsewhere they are letters of a name.

    >>> parts_of("O'Ana, bot:cmd:./mybot --cards '1,2' --more 3\\,4, bot:greedy")
    ["O'Ana", "bot:cmd:./mybot --cards '1,2' --more 3\\,4", 'bot:greedy']
    """
    parts = []
    while True:
        found = (_COMMAND if _BEGINS.match(text) else _PLAIN).match(text)
        end = found.end() if found else len(text)
        parts.append(text[:end].strip())
        if end >= len(text):
            return parts
        text = text[end + 1 :]
