r"""Reads records from a stream of bytes, one game after the other.

Every line is read, played, and compared with what it should say: a record that is read without
a fault is right in every card and every result.

>>> from io import BytesIO
>>> text = b'[Skyjo "1"]\n[Player1 "Ana"]\n[Player2 "Ben"]\n[Ruleset "official"]\n1 draw: 5\n'
>>> next(TextReader(BytesIO(text), "a.skyjo").records())
Traceback (most recent call last):
...
skyjo.errors.RecordError: a.skyjo:5:3: this cannot be played: The round is over; the next one has
not been dealt yet.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, Final

from skyjo.errors import RecordError, RulesetError
from skyjo.game import Game
from skyjo.i18n import N_
from skyjo.record.notation import (
    MAX_ENTRIES,
    MAX_LINE,
    MAX_TAGS,
    OWN_TAG,
    VERSION,
    event_line,
    ply_line,
    result_lines,
)
from skyjo.record.parsing import (
    Cursor,
    Spot,
    quoted,
    read_ply,
    read_tag,
    shortened,
    without_comment,
)
from skyjo.record.told import ToldGame, rewritten
from skyjo.rules.layout import MAX_SEATS, MIN_SEATS
from skyjo.rules.ruleset import Ruleset

OnFault = Callable[[RecordError], None]

_CONTROL: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_FIRST_TAG: Final = re.compile(r"\ufeff?\s*\[\s*Skyjo(?![A-Za-z0-9_])")
_PLAYER: Final = re.compile(r"Player[1-8]")
_RESULTS: Final = ("score", "total", "winner")


@dataclass(slots=True)
class Record:
    """One game of a file: the game itself, its other tags, and the line where it begins.

    ``torn`` is the fault of a last line that is not complete and was left out.
    """

    game: Game
    tags: dict[str, str] = field(default_factory=dict)
    line: int = 1
    torn: RecordError | None = None


class TextReader:
    """Reads the games of a text and remembers where the last complete line ends.

    ``size`` is the number of bytes up to there; ``due`` the lines that the last game still lacks
    at that point, which whoever goes on with it writes first.
    """

    def __init__(self, stream: BinaryIO, path: str = "") -> None:
        self._stream = stream
        self._path = path
        self._line = 0
        self._waiting: str | None = None
        self._game: GameText | None = None
        self._torn: RecordError | None = None
        self._ended = False
        self.size = 0

    @property
    def due(self) -> list[str]:
        """The results or the event that the last game still lacks."""
        return list(self._game.due) if self._game else []

    def records(self, on_fault: OnFault | None = None) -> Iterator[Record]:
        """Every game in turn. A fault is raised; or told, and the next game is read."""
        while not self._ended:
            try:
                record = self._next_record()
            except RecordError as error:
                if on_fault is None:
                    raise
                on_fault(error)
                self._skip_to_next_game()
            else:
                if record is not None:
                    yield record

    def _next_record(self) -> Record | None:
        self._game = game = None
        while (text := self._next_line()) is not None:
            if _FIRST_TAG.match(text):
                if game is not None:
                    self._waiting = text
                    return game.record(self._spot)
                self._game = game = GameText(self._spot)
            if game is not None:
                game.enter(text, self._spot)
            elif without_comment(text).strip():
                raise self._spot.fault(
                    1,
                    N_('expected the first tag of a game, [Skyjo "1"]; here stands: {found}'),
                    found=quoted(text),
                )
        self._ended = True
        if game is not None:
            record = game.record(Spot(self._path, self._line + 1))
            record.torn = self._torn
            return record
        if self._torn is not None:
            raise self._torn
        return None

    def _skip_to_next_game(self) -> None:
        while True:
            try:
                text = self._next_line()
            except RecordError:
                continue
            if text is None:
                self._ended = True
                return
            if _FIRST_TAG.match(text):
                self._waiting = text
                return

    @property
    def _spot(self) -> Spot:
        return Spot(self._path, self._line)

    def _next_line(self) -> str | None:
        """The next complete line, None at the end of the file."""
        if self._waiting is not None:
            text, self._waiting = self._waiting, None
            return text
        raw = self._stream.readline(MAX_LINE + 1)
        if not raw:
            return None
        self._line += 1
        length, end = len(raw), raw
        while len(end) > MAX_LINE and not end.endswith(b"\n"):
            end = self._stream.readline(MAX_LINE + 1)
            length += len(end)
        if not end.endswith(b"\n"):
            self._note_torn(raw)
            return None
        self.size += length
        return self._decoded(raw, length)

    def _note_torn(self, raw: bytes) -> None:
        rest = raw.strip()
        if rest and not rest.startswith(b"#"):
            self._torn = self._spot.fault(
                len(raw.decode("utf-8", "replace")) + 1,
                N_("the last line is not complete: it does not end with a line break"),
            )

    def _decoded(self, raw: bytes, length: int) -> str:
        if length > MAX_LINE:
            raise self._spot.fault(
                1,
                N_("the line is longer than {most} bytes, more than any record needs"),
                most=MAX_LINE,
            )
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            column = len(raw[: error.start].decode("utf-8")) + 1
            raise self._spot.fault(column, N_("this is no text in UTF-8")) from error
        text = text.removesuffix("\n").removesuffix("\r")
        if self._line == 1:
            text = text.removeprefix("\ufeff")
        if control := _CONTROL.search(text):
            raise self._spot.fault(
                control.start() + 1,
                N_("a control character cannot stand here: {found}"),
                found=quoted(control[0]),
            )
        return text


class GameText:
    """One game while it is read: first its tags, then its entries."""

    def __init__(self, at: Spot) -> None:
        self.at = at
        self.due: deque[str] = deque()
        self._first_line = at.line
        self._tags: dict[str, str] = {}
        self._own: dict[str, str] = {}
        self._told: ToldGame | None = None

    def enter(self, text: str, at: Spot) -> None:
        """Read a line."""
        self.at = at
        if text.lstrip("\ufeff \t").startswith("["):
            self._tag(text.replace("\ufeff", " ", 1) if text.startswith("\ufeff") else text)
            return
        text = without_comment(text)
        if text and not text.isspace():
            self._entry(text, self._started())

    def record(self, at: Spot) -> Record:
        """The game as far as it was read; ``at`` is where its lines have ended."""
        self.at = at
        return Record(self._started().game, self._tags, self._first_line)

    # --- tags -----------------------------------------------------------------------------

    def _tag(self, text: str) -> None:
        name, value = read_tag(text, self.at)
        column = text.index("[") + 1
        if self._told is not None:
            raise self.at.fault(column, N_("tags stand before the first entry of a game"))
        if name in self._tags or name in self._own:
            raise self.at.fault(column, N_("the tag {name} stands here twice"), name=name)
        if len(self._tags) >= MAX_TAGS:
            raise self.at.fault(column, N_("a game has at most {most} tags"), most=MAX_TAGS)
        if not OWN_TAG.fullmatch(name):
            self._tags[name] = value
            return
        if name == "Skyjo" and value != VERSION:
            raise self.at.fault(
                column,
                N_("this is a record of version {found}; known is version {version}"),
                found=quoted(value),
                version=VERSION,
            )
        if name.startswith("Player") and not _PLAYER.fullmatch(name):
            raise self.at.fault(
                column, N_("expected Player1 to Player8; here stands: {found}"), found=quoted(name)
            )
        if name == "Ruleset":
            self._check_ruleset(value, column)
        self._own[name] = value

    def _check_ruleset(self, value: str, column: int) -> None:
        try:
            Ruleset.parse(value)
        except RulesetError as error:
            raise self.at.fault(
                column, N_("there is no such ruleset: {reason}"), reason=shortened(str(error), 300)
            ) from error

    def _started(self) -> ToldGame:
        if self._told is None:
            count = sum(name.startswith("Player") for name in self._own)
            count = min(max(count, MIN_SEATS), MAX_SEATS)
            names = [f"Player{number}" for number in range(1, count + 1)]
            for name in [*names, "Ruleset"]:
                if name not in self._own:
                    raise self.at.fault(
                        1, N_("the tags end here, but {name} is missing"), name=name
                    )
            ruleset = Ruleset.parse(self._own["Ruleset"])
            self._told = ToldGame([self._own[name] for name in names], ruleset)
        return self._told

    # --- entries --------------------------------------------------------------------------

    def _entry(self, text: str, told: ToldGame) -> None:
        cursor = Cursor(text, self.at)
        if len(told.game.log) >= MAX_ENTRIES:
            raise cursor.fault(N_("this game is longer than any record may be"))
        first = cursor.word.text
        if self.due:
            cursor.expect_line(self.due[0])
            self.due.popleft()
        elif first[:1].isdigit():
            self._ply(text, told)
        elif first == "deck":
            self._deck(cursor, told)
        elif first in ("round", "reshuffle"):
            self._event(text, told)
        elif first in _RESULTS:
            raise cursor.fault(N_("no result is due here; here stands: {found}"))
        else:
            raise cursor.fault(
                N_(
                    "expected an action such as '1 draw: 5', or 'round', 'deck' or 'reshuffle';"
                    " here stands: {found}"
                )
            )

    def _deck(self, cursor: Cursor, told: ToldGame) -> None:
        start = cursor.place
        cursor.expect("deck")
        entry = told.deck(cursor.cards(), start, cursor.place)
        self.due.append(event_line(entry, told.game))

    def _event(self, text: str, told: ToldGame) -> None:
        cursor = Cursor(text, self.at)
        start = cursor.place
        is_deal = cursor.next_is("round")
        if is_deal:
            cursor.number()
        else:
            cursor.expect("reshuffle")
        cursor.expect("discard")
        place = cursor.place
        discard = cursor.card_or_unknown()
        cursor.expect_end()
        entry = told.event(is_deal, discard, start, place)
        Cursor(text, self.at).expect_line(event_line(entry, told.game))

    def _ply(self, text: str, told: ToldGame) -> None:
        action = read_ply(text, len(told.game.players), self.at)
        ply = told.ply(action)
        line = ply_line(ply)
        if line != text:
            Cursor(text, self.at).expect_line(line)
        try:
            self.due.extend(result_lines(ply, told.game))
        except RecordError as error:
            raise rewritten(error, action.place("action")) from error
