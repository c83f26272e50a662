"""How one line of a record is read: words with their columns, and faults that say where.

>>> cursor = Cursor("1 draw: 13", at=Spot("a.skyjo", 4))
>>> cursor.seat(2), cursor.verb(), cursor.next_is(":"), cursor.card()
Traceback (most recent call last):
...
skyjo.errors.RecordError: a.skyjo:4:9: expected a card, -2 to 12; here stands: '13'
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from skyjo.errors import RecordError
from skyjo.i18n import N_, _
from skyjo.record.notation import TAG_NAME, escaped
from skyjo.rules.actions import (
    DRAW,
    LEAVE,
    REMOVE_VERB,
    REVEAL_FROM,
    VERBS,
    action_id,
)
from skyjo.rules.layout import COLUMNS, HIGHEST, LOWEST, SLOTS
from skyjo.rules.plies import Line, Ply, TurnedUp

_WORD: Final = re.compile(r"[:;]|[^\s:;]+")
_COMMENT: Final = re.compile(r"(?:^|\s)#.*")
_CARDS: Final = {str(card): card for card in range(LOWEST, HIGHEST + 1)}
_SLOTS: Final = {f"r{slot // COLUMNS}c{slot % COLUMNS}": slot for slot in range(SLOTS)}
_LINES: Final = {Line(0, line).name: line for line in range(7)}
_TURNED_UP: Final = re.compile(r"([1-8])(r[0-2]c[0-3])=(-?[0-9]{1,2})")
_GONE: Final = re.compile(r"([1-8])([cr][0-3])")
_TAG: Final = re.compile(r'\[\s*(\S+)\s+"((?:[^"\\]|\\.)*)"\s*\](.*)')
_ESCAPE: Final = re.compile(r'\\(?:(["\\nrt])|u([0-9A-Fa-f]{4})|(.?))')
_ESCAPES: Final = {'"': '"', "\\": "\\", "n": "\n", "r": "\r", "t": "\t"}


class Place(NamedTuple):
    """A place in a file, line and column from 1."""

    path: str
    line: int
    column: int

    def fault(self, message: str, **values: Any) -> RecordError:
        """A RecordError at this place."""
        return RecordError(message, path=self.path, line=self.line, column=self.column, **values)


class Spot(NamedTuple):
    """A line of a file."""

    path: str
    line: int

    def at(self, column: int) -> Place:
        """A column of this line."""
        return Place(self.path, self.line, column)

    def fault(self, column: int, message: str, **values: Any) -> RecordError:
        """A RecordError at this line and column (from 1)."""
        return self.at(column).fault(message, **values)


class Word(NamedTuple):
    """A word of a line and the column (from 1) where it begins; "" at the end of the line."""

    text: str
    column: int

    @property
    def shown(self) -> str:
        """The word in quotes, as messages quote it."""
        return quoted(self.text)


def quoted(text: str, most: int = 40) -> str:
    """A piece of a file as messages quote it: in quotes, short, without control characters.

    >>> quoted("draw"), quoted("")
    ("'draw'", 'nothing')
    """
    if not text:
        return _("nothing")
    return f"'{shortened(text, most)}'"


def shortened(text: str, most: int = 40) -> str:
    """The beginning of a text that may hold anything, without control characters."""
    safe = text[:most].encode("utf-8", "backslashreplace").decode()
    return f"{escaped(safe)}{'…' if len(text) > most else ''}"


def without_comment(text: str) -> str:
    """A line without its comment and the white space at its end.

    >>> without_comment("1 draw: 5  # lucky")
    '1 draw: 5'
    """
    if "#" in text:
        text = _COMMENT.sub("", text)
    return text.rstrip()


def words(text: str) -> list[Word]:
    """The words of a line; colons and semicolons are words of their own."""
    return [Word(found[0], found.start() + 1) for found in _WORD.finditer(text)]


def read_tag(text: str, at: Spot) -> tuple[str, str]:
    r"""Name and value of a tag.

    >>> read_tag(r'[Event "the \"cup\""]', Spot("", 1))
    ('Event', 'the "cup"')
    """
    found = _TAG.fullmatch(text.strip())
    start = text.index("[") + 1
    if not found:
        raise at.fault(start, N_('expected a tag such as [Name "value"]'))
    name, value, rest = found.groups()
    if not TAG_NAME.fullmatch(name):
        raise at.fault(
            start + found.start(1),
            N_(
                "expected the name of a tag, one word of letters, digits and underscores;"
                " here stands: {found}"
            ),
            found=quoted(name),
        )
    if without_comment(rest).strip():
        raise at.fault(
            start + found.end() - len(rest.lstrip()),
            N_("expected nothing after the tag; here stands: {found}"),
            found=quoted(rest.strip()),
        )
    return name, _unescaped(value, start + found.start(2), at)


def _unescaped(value: str, column: int, at: Spot) -> str:
    if "\\" not in value:
        return value

    def letter(found: re.Match[str]) -> str:
        code = int(found[2], 16) if found[2] else 0
        if found[3] is not None or 0xD800 <= code <= 0xDFFF:
            raise at.fault(
                column + found.start(),
                N_('expected one of \\" \\\\ \\n \\r \\t \\u0000; here stands: {found}'),
                found=quoted(found[0]),
            )
        return chr(code) if found[2] else _ESCAPES[found[1]]

    return _ESCAPE.sub(letter, value)


class Cursor:
    """Goes through the words of a line; what is not as expected raises RecordError there."""

    def __init__(self, text: str, at: Spot) -> None:
        self._words = words(text)
        self._end = Word("", len(text) + 1)
        self._next = 0
        self.at = at

    @property
    def word(self) -> Word:
        """The word that comes next."""
        return self._words[self._next] if self._next < len(self._words) else self._end

    @property
    def at_end(self) -> bool:
        """Whether no word is left."""
        return self._next >= len(self._words)

    @property
    def place(self) -> Place:
        """Where the next word stands."""
        return self.at.at(self.word.column)

    def fault(self, message: str, **values: Any) -> RecordError:
        """A RecordError at the next word, which ``{found}`` stands for."""
        return self.at.fault(self.word.column, message, found=self.word.shown, **values)

    def next_is(self, text: str) -> bool:
        """Whether this is the next word; if so it is passed."""
        if self.word.text != text:
            return False
        self._next += 1
        return True

    def expect(self, text: str) -> None:
        """Pass this word."""
        if not self.next_is(text):
            raise self.fault(N_("expected '{expected}'; here stands: {found}"), expected=text)

    def expect_end(self) -> None:
        """Nothing more may stand in the line."""
        if not self.at_end:
            raise self.fault(N_("expected the end of the line; here stands: {found}"))

    def expect_line(self, expected: str) -> None:
        """The rest of the line says exactly this, whatever the white space."""
        for word in words(expected):
            self.expect(word.text)
        self.expect_end()

    def card(self) -> int:
        """Pass a card."""
        card = _CARDS.get(self.word.text)
        if card is None:
            raise self.fault(N_("expected a card, -2 to 12; here stands: {found}"))
        self._next += 1
        return card

    def card_or_unknown(self) -> int | None:
        """Pass a card or ``?``, which is None."""
        return None if self.next_is("?") else self.card()

    def cards(self) -> list[tuple[int, Place]]:
        """Pass cards up to the end of the line: each with its place."""
        cards = []
        while not self.at_end:
            place = self.place
            cards.append((self.card(), place))
        return cards

    def number(self) -> int:
        """Pass the number of a round."""
        text = self.word.text
        if not re.fullmatch(r"[1-9][0-9]{0,8}", text, re.ASCII):
            raise self.fault(N_("expected the number of a round; here stands: {found}"))
        self._next += 1
        return int(text)

    def seat(self, seats: int) -> int:
        """Pass the number of a seat; returns its index from 0."""
        text = self.word.text
        if len(text) != 1 or text not in "12345678"[:seats]:
            raise self.fault(
                N_("expected the number of a seat, 1 to {seats}; here stands: {found}"),
                seats=seats,
            )
        self._next += 1
        return int(text) - 1

    def verb(self) -> int:
        """Pass a verb."""
        verb = VERBS.get(self.word.text)
        if verb is None:
            raise self.fault(
                N_("expected one of {verbs}; here stands: {found}"), verbs=", ".join(VERBS)
            )
        self._next += 1
        return verb

    def action(self) -> int:
        """Pass a verb with its place; returns the action's id."""
        verb = self.verb()
        if verb < REVEAL_FROM or verb == LEAVE:
            return verb
        if verb == REMOVE_VERB:
            place = _LINES.get(self.word.text, COLUMNS)
            if place >= COLUMNS:
                raise self.fault(N_("expected a column, c0 to c3; here stands: {found}"))
        else:
            place = _SLOTS.get(self.word.text, -1)
            if place < 0:
                raise self.fault(N_("expected a slot, r0c0 to r2c3; here stands: {found}"))
        self._next += 1
        return action_id(verb, place)

    def turned_up(self) -> TurnedUp:
        """Pass a card of the final reveal, such as 2r0c1=5."""
        found = _TURNED_UP.fullmatch(self.word.text)
        if not found or found[3] not in _CARDS:
            raise self.fault(
                N_("expected a seat, a slot and a card such as 2r0c1=5; here stands: {found}")
            )
        self._next += 1
        return TurnedUp(int(found[1]) - 1, _SLOTS[found[2]], _CARDS[found[3]])

    def line(self) -> Line:
        """Pass a column or row that went, such as 2c1."""
        found = _GONE.fullmatch(self.word.text)
        if not found or found[2] not in _LINES:
            raise self.fault(
                N_("expected a seat and a column or row such as 2c1; here stands: {found}")
            )
        self._next += 1
        return Line(int(found[1]) - 1, _LINES[found[2]])


@dataclass(slots=True)
class ToldPly:
    """An action as a record tells it, and the places where its parts stand.

    ``places`` has a place for "action" and for those of "card" and "replaced" that are told.
    """

    ply: Ply
    places: dict[str, Place]
    turned_up: list[Place]

    def place(self, part: str, index: int = 0) -> Place:
        """Where a part stands, or else the action."""
        if part == "turned_up":
            return self.turned_up[index]
        return self.places.get(part, self.places["action"])


def read_ply(text: str, seats: int, at: Spot) -> ToldPly:
    """The action of a line.

    >>> read_ply("2 swap r0c1: 7 for hidden 3", 2, Spot("", 1)).ply.replaced
    3
    """
    cursor = Cursor(text, at)
    seat = cursor.seat(seats)
    places = {"action": cursor.place}
    action = cursor.action()
    card = replaced = None
    was_hidden = False
    if cursor.next_is(":"):
        places["card"] = cursor.place
        card = cursor.card_or_unknown() if action == DRAW else cursor.card()
        if cursor.next_is("for"):
            was_hidden = cursor.next_is("hidden")
            places["replaced"] = cursor.place
            replaced = cursor.card()
    turned_up = _read_clauses(cursor)
    ply = Ply(
        seat,
        action,
        card,
        replaced,
        was_hidden,
        turned_up=tuple(turned for turned, _place in turned_up),
    )
    return ToldPly(ply, places, [place for _turned, place in turned_up])


def _read_clauses(cursor: Cursor) -> list[tuple[TurnedUp, Place]]:
    """What follows the semicolons. Only cards are returned: everything else follows from them."""
    turned_up: list[tuple[TurnedUp, Place]] = []
    while cursor.next_is(";"):
        if cursor.next_is("reveals"):
            while not cursor.at_end and cursor.word.text != ";":
                place = cursor.place
                turned_up.append((cursor.turned_up(), place))
        elif cursor.next_is("gone"):
            while not cursor.at_end and cursor.word.text != ";":
                cursor.line()
        elif cursor.next_is("ends"):
            if not cursor.next_is("game"):
                cursor.expect("round")
        elif not cursor.next_is("closes"):
            raise cursor.fault(
                N_("expected 'closes', 'reveals', 'gone' or 'ends'; here stands: {found}")
            )
    cursor.expect_end()
    return turned_up
