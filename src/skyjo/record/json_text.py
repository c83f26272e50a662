r"""Reads JSON with the place of every value, one document after the other.

The standard library's parser tells places only for faults of syntax; here a fault of content is
found, too. It takes what records need: no fractions, no deep nesting, no endless documents.

>>> from io import BytesIO
>>> document = next(JsonText(BytesIO(b'{"skyjo": "1",\n "players": []}'), "a.json").documents())
>>> document.field("players", list).place.line
2
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, Final, TypeVar

from skyjo.errors import RecordError
from skyjo.i18n import N_
from skyjo.record.parsing import Place, quoted, shortened

#: Limits of one document; a game of a thousand plies has about 70,000 bytes and 8,000 values.
MAX_BYTES: Final = 16 * 1024 * 1024
MAX_VALUES: Final = 1_000_000
MAX_DEPTH: Final = 8

_TOKEN: Final = re.compile(
    r'[ \t\r\n]+|[{}\[\],:]|"(?:[^"\\\x00-\x1f]|\\.){0,65536}"|[-+.\w]+|.', re.DOTALL
)
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,19})", re.ASCII)
_WORDS: Final = {"true": True, "false": False, "null": None}
_NEXT_GAME: Final = re.compile(rb'\s*\{\s*"skyjo"')
_Kind = TypeVar("_Kind", str, int, dict[str, Any], list[Any])


@dataclass(slots=True)
class Node:
    """A value and where it begins; the values of objects and arrays are nodes again."""

    value: Any
    place: Place

    @property
    def shown(self) -> str:
        """The value as messages quote it."""
        if isinstance(self.value, dict | list):
            return "{…}" if isinstance(self.value, dict) else "[…]"
        return quoted(json.dumps(self.value, ensure_ascii=False))

    def fault(self, message: str, **values: Any) -> RecordError:
        """A RecordError at this value, which ``{found}`` stands for."""
        return self.place.fault(message, found=self.shown, **values)

    def field(self, name: str, kind: type[_Kind]) -> Node:
        """A field of this object, which must be there and of this kind."""
        node = self.value.get(name)
        if node is None:
            raise self.place.fault(N_("the field '{name}' is missing here"), name=name)
        if not isinstance(node.value, kind) or isinstance(node.value, bool):
            raise node.fault(_EXPECTED[kind])
        found: Node = node
        return found


_EXPECTED: Final[dict[type, str]] = {
    str: N_("expected a text; here stands: {found}"),
    int: N_("expected a whole number; here stands: {found}"),
    dict: N_("expected an object; here stands: {found}"),
    list: N_("expected an array; here stands: {found}"),
}


@dataclass(slots=True)
class _Token:
    text: str
    place: Place


class JsonText:
    """The JSON documents of a stream of bytes."""

    def __init__(self, stream: BinaryIO, path: str = "") -> None:
        self._stream = stream
        self._path = path
        self._line = 0
        self._bytes = 0
        self._values = 0
        self._tokens: Iterator[re.Match[str]] = iter(())
        self._waiting: _Token | None = None

    def documents(self) -> Iterator[Node]:
        """Every document in turn; RecordError at the first fault of syntax."""
        while (document := self.document()) is not None:
            yield document

    def document(self) -> Node | None:
        """The next document, None at the end."""
        self._values = 0
        self._bytes = 0
        if self._peek() is None:
            return None
        node = self._value(0)
        if not isinstance(node.value, dict):
            raise node.fault(_EXPECTED[dict])
        return node

    def skip(self) -> None:
        """Go on at the next line that begins a game."""
        self._waiting = None
        self._tokens = iter(())
        while line := self._stream.readline(MAX_BYTES):
            self._line += 1
            if _NEXT_GAME.match(line):
                self._tokenize(line)
                return

    # --- values ---------------------------------------------------------------------------

    def _value(self, depth: int) -> Node:
        token = self._next()
        self._values += 1
        if self._values > MAX_VALUES:
            raise token.place.fault(N_("this game is longer than any record may be"))
        if depth > MAX_DEPTH:
            raise token.place.fault(N_("this is nested deeper than any record is"))
        if token.text == "{":
            return Node(self._members(depth), token.place)
        if token.text == "[":
            return Node(self._items(depth), token.place)
        return Node(_scalar(token), token.place)

    def _members(self, depth: int) -> dict[str, Node]:
        members: dict[str, Node] = {}
        if self._passes("}"):
            return members
        while True:
            key = self._next()
            if not key.text.startswith('"'):
                raise _unexpected(key, N_("expected the name of a field; here stands: {found}"))
            name = _string(key)
            if name in members:
                raise key.place.fault(
                    N_("the field '{name}' stands here twice"), name=shortened(name)
                )
            self._expect(":")
            members[name] = self._value(depth + 1)
            if self._passes("}"):
                return members
            self._expect(",")

    def _items(self, depth: int) -> list[Node]:
        items: list[Node] = []
        if self._passes("]"):
            return items
        while True:
            items.append(self._value(depth + 1))
            if self._passes("]"):
                return items
            self._expect(",")

    # --- tokens ---------------------------------------------------------------------------

    def _next(self) -> _Token:
        token = self._peek()
        if token is None:
            raise Place(self._path, self._line + 1, 1).fault(
                N_("the text ends here in the middle of a game")
            )
        self._waiting = None
        return token

    def _passes(self, text: str) -> bool:
        token = self._peek()
        if token is None or token.text != text:
            return False
        self._waiting = None
        return True

    def _expect(self, text: str) -> None:
        token = self._next()
        if token.text != text:
            raise token.place.fault(
                N_("expected '{expected}'; here stands: {found}"),
                expected=text,
                found=quoted(token.text),
            )

    def _peek(self) -> _Token | None:
        """The next token, None at the end of the stream."""
        while self._waiting is None:
            for found in self._tokens:
                if not found[0].isspace():
                    place = Place(self._path, self._line, found.start() + 1)
                    self._waiting = _Token(found[0], place)
                    break
            else:
                raw = self._stream.readline(MAX_BYTES + 1)
                if not raw:
                    return None
                self._line += 1
                self._tokenize(raw)
        return self._waiting

    def _tokenize(self, raw: bytes) -> None:
        """Begin with the tokens of a line."""
        self._bytes += len(raw)
        if self._bytes > MAX_BYTES:
            raise Place(self._path, self._line, 1).fault(
                N_("this game is longer than any record may be")
            )
        if raw.isspace():
            return
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            column = len(raw[: error.start].decode("utf-8")) + 1
            raise Place(self._path, self._line, column).fault(
                N_("this is no text in UTF-8")
            ) from error
        if self._line == 1 and text.startswith("\ufeff"):
            text = f" {text[1:]}"
        self._tokens = _TOKEN.finditer(text)


def _scalar(token: _Token) -> str | int | bool | None:
    text = token.text
    if text.startswith('"'):
        return _string(token)
    if text in _WORDS:
        return _WORDS[text]
    if _NUMBER.fullmatch(text):
        return int(text)
    raise _unexpected(token, N_("expected a value; here stands: {found}"))


def _string(token: _Token) -> str:
    try:
        text: str = json.loads(token.text)
        text.encode()
    except ValueError as error:
        raise _unexpected(token, N_("this is no text in JSON: {found}")) from error
    return text


def _unexpected(token: _Token, message: str) -> RecordError:
    return token.place.fault(message, found=quoted(token.text))
