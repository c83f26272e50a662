"""What people type at a table in the terminal, and what they may type now.

Places are typed as the board shows them (``B2``); ``2B``, ``22`` (row, column) and the notation of
records (``r1c1``) are understood as well. Commands have a short key and a word, in English and in
the reader's language; two or more letters of the word are enough.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from skyjo.errors import MalformedError
from skyjo.i18n import N_, _, pgettext
from skyjo.rules.actions import (
    DISCARD,
    DRAW,
    FLIP_VERB,
    NO_SLOT,
    PASS,
    REMOVE_VERB,
    REVEAL_VERB,
    SWAP_VERB,
    TAKE,
    action_id,
    place_of,
)
from skyjo.rules.layout import (
    CHOOSE,
    COLUMNS,
    FLIP,
    MAY_REMOVE,
    MUST_SWAP,
    PLACE_OR_DISCARD,
    REVEAL,
    SLOTS,
    View,
)
from skyjo.rules.legality import legal_actions
from skyjo.words import COLUMN_LABELS, column_label, place_label

#: Commands that are actions, by their English word.
ACTION_WORDS: Final = {"take": TAKE, "draw": DRAW, "discard": DISCARD, "pass": PASS}
#: Verbs that may stand before a place.
PLACE_WORDS: Final = {
    "reveal": REVEAL_VERB,
    "swap": SWAP_VERB,
    "flip": FLIP_VERB,
    "remove": REMOVE_VERB,
}
KEYS: Final = {
    "take": "t",
    "draw": "d",
    "discard": "x",
    "pass": "p",
    "help": "?",
    "quit": "q",
    "scores": "s",
}
#: A place on its own means what the phase asks for.
_MEANT: Final = {
    REVEAL: REVEAL_VERB,
    MUST_SWAP: SWAP_VERB,
    PLACE_OR_DISCARD: SWAP_VERB,
    CHOOSE: SWAP_VERB,
    FLIP: FLIP_VERB,
    MAY_REMOVE: REMOVE_VERB,
}
#: Cyrillic letters that look or sound like those of places and keys, so that nobody has to switch
#: the keyboard.
_LIKE_COLUMNS: Final = str.maketrans("авсдАВСД", "abcdABCD")
_LIKE_KEYS: Final = str.maketrans("тдхпрс", "tdxpps")
LONGEST_QUOTE: Final = 40
_LETTER_FIRST: Final = re.compile(r"([a-z])([0-9]{1,2})", re.IGNORECASE)
_DIGIT_FIRST: Final = re.compile(r"([0-9])([a-z])", re.IGNORECASE)
_DIGITS: Final = re.compile(r"([0-9])([0-9])")
_RECORD: Final = re.compile(r"r([0-9])c([0-9])", re.IGNORECASE)
_COLUMN: Final = re.compile(r"[a-d]|[1-4]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Typed:
    """What was understood: an action by its verb and place, or a command such as ``help``.

    ``place`` is ``NO_SLOT`` where none belongs and where none exists; ``rest`` is what was typed
    behind it.
    """

    command: str = ""
    verb: int = -1
    place: int = NO_SLOT
    rest: tuple[str, ...] = ()

    @property
    def action(self) -> int | None:
        """The action's id; None for a command and for a place that does not exist."""
        needs_place = self.verb in PLACE_WORDS.values()
        if self.command or (needs_place and self.place == NO_SLOT):
            return None
        return action_id(self.verb, self.place)


def words() -> dict[str, str]:
    """The word of every command in the reader's language, by its English word."""
    return {
        "take": pgettext("typed", "take"),
        "draw": pgettext("typed", "draw"),
        "discard": pgettext("typed", "discard"),
        "pass": pgettext("typed", "pass"),
        "reveal": pgettext("typed", "reveal"),
        "swap": pgettext("typed", "swap"),
        "flip": pgettext("typed", "flip"),
        "remove": pgettext("typed", "remove"),
        "board": pgettext("typed", "board"),
        "scores": pgettext("typed", "scores"),
        "rules": pgettext("typed", "rules"),
        "help": pgettext("typed", "help"),
        "leave": pgettext("typed", "leave"),
        "quit": pgettext("typed", "quit"),
    }


def understand(tokens: Sequence[str], view: View) -> Typed:
    """The first thing that was typed, as it is meant in the view's phase.

    Raises MalformedError when it is nothing that anybody could mean.
    """
    token, rest = tokens[0], tuple(tokens[1:])
    column = token.translate(_LIKE_COLUMNS)
    if view.phase == MAY_REMOVE and _COLUMN.fullmatch(column):
        return Typed(verb=REMOVE_VERB, place=_column(column), rest=rest)
    slot = read_place(token)
    if slot is not None:
        verb = _MEANT.get(view.phase, SWAP_VERB)
        place = slot % COLUMNS if verb == REMOVE_VERB and slot != NO_SLOT else slot
        return Typed(verb=verb, place=place, rest=rest)
    word = _command(token)
    if word in ACTION_WORDS:
        return Typed(verb=ACTION_WORDS[word], rest=rest)
    if word in PLACE_WORDS:
        return _with_place(word, rest)
    return Typed(command=word, rest=rest)


def _with_place(word: str, rest: tuple[str, ...]) -> Typed:
    """A verb and the place behind it."""
    verb = PLACE_WORDS[word]
    place = rest[0].translate(_LIKE_COLUMNS) if rest else ""
    if verb == REMOVE_VERB and _COLUMN.fullmatch(place):
        return Typed(verb=verb, place=_column(place), rest=rest[1:])
    slot = read_place(place)
    if slot is None:
        if verb == REMOVE_VERB:
            raise MalformedError(N_("Say which column, for instance: {example}"), example="A")
        raise MalformedError(N_("Say which place, for instance: {example}"), example="B2")
    if verb == REMOVE_VERB and slot != NO_SLOT:
        slot %= COLUMNS
    return Typed(verb=verb, place=slot, rest=rest[1:])


def _column(text: str) -> int:
    return int(text) - 1 if text.isdigit() else COLUMN_LABELS.index(text.upper())


def read_place(text: str) -> int | None:
    """The slot of a place as typed; ``NO_SLOT`` if there is no such place, None if it is none.

    >>> read_place("b2"), read_place("2B"), read_place("22"), read_place("r1c1")
    (5, 5, 5, 5)
    >>> read_place("e5"), read_place("hello")
    (-1, None)
    """
    text = text.translate(_LIKE_COLUMNS)
    if found := _RECORD.fullmatch(text):
        return _slot(int(found[1]), int(found[2]))
    if found := _LETTER_FIRST.fullmatch(text):
        return _slot(int(found[2]) - 1, ord(found[1].upper()) - ord("A"))
    if found := _DIGIT_FIRST.fullmatch(text):
        return _slot(int(found[1]) - 1, ord(found[2].upper()) - ord("A"))
    if found := _DIGITS.fullmatch(text):
        return _slot(int(found[1]) - 1, int(found[2]) - 1)
    return None


def _slot(row: int, column: int) -> int:
    inside = 0 <= row < SLOTS // COLUMNS and 0 <= column < COLUMNS
    return row * COLUMNS + column if inside else NO_SLOT


def _command(token: str) -> str:
    """The English word of the command that a key, a word or its beginning stands for."""
    typed = token.casefold()
    local = words()
    for word, key in KEYS.items():
        if typed.translate(_LIKE_KEYS) == key or (word == "help" and typed == "h"):
            return word
    known = {word: {word, local[word].casefold()} for word in local}
    for word, spellings in known.items():
        if typed in spellings:
            return word
    begun = [
        word
        for word, spellings in known.items()
        if len(typed) > 1 and any(spelling.startswith(typed) for spelling in spellings)
    ]
    if len(begun) != 1:
        raise MalformedError(N_("'{text}' is not understood."), text=quotable(token))
    return begun[0]


def quotable(text: str) -> str:
    r"""What somebody typed, short and without control characters, to be quoted in a sentence.

    >>> quotable("abc\x1b[2J")
    'abc?[2J'
    """
    shown = "".join(mark if mark.isprintable() else "?" for mark in text[:LONGEST_QUOTE])
    return shown + "..." if len(text) > LONGEST_QUOTE else shown


# --- What may be typed now --------------------------------------------------------------------


def places(view: View) -> list[str]:
    """The places, or the columns, that may be typed now, as labels."""
    out = [0] * 16
    legal = out[: legal_actions(view, view.seat, out)]
    label = column_label if view.phase == MAY_REMOVE else place_label
    return [label(place_of(action)) for action in legal if place_of(action) != NO_SLOT]


def keys(view: View) -> str:
    """The shortest hint of what may be typed now, for the prompt."""
    out = [0] * 16
    legal = out[: legal_actions(view, view.seat, out)]
    short = [KEYS[word] for word, action in ACTION_WORDS.items() if action in legal]
    labels = places(view)
    if labels:
        short.insert(0, labels[0] if len(labels) == 1 else f"{labels[0]}-{labels[-1]}")
    return "/".join([*short, KEYS["help"]])


def possible(view: View) -> str:
    """What may be typed now, in a sentence."""
    labels = ", ".join(places(view))
    out = [0] * 16
    legal = out[: legal_actions(view, view.seat, out)]
    if view.phase == CHOOSE:
        return _possible_sources(TAKE in legal, DRAW in legal)
    if view.phase == PLACE_OR_DISCARD:
        return _(
            "Type the place for the card ({places}), or {key} to discard it.",
            places=labels,
            key=KEYS["discard"],
        )
    if view.phase == MUST_SWAP:
        return _("Type the place for the card: {places}.", places=labels)
    if PASS in legal:
        sentence = (
            N_("Type the column to remove ({places}), or {key} to pass.")
            if view.phase == MAY_REMOVE
            else N_("Type the place to turn over ({places}), or {key} to pass.")
        )
        return _(sentence, places=labels, key=KEYS["pass"])
    return _("Type the place to turn over: {places}.", places=labels)


def _possible_sources(take: bool, draw: bool) -> str:
    if take and draw:
        return _(
            "Type {take} to take the top discard, or {draw} to draw a card.",
            take=KEYS["take"],
            draw=KEYS["draw"],
        )
    if take:
        return _("Type {key} to take the top discard.", key=KEYS["take"])
    return _("Type {key} to draw a card.", key=KEYS["draw"])


def help_lines(view: View) -> list[str]:
    """All that one may type, in a few lines."""
    local = words()
    return [
        possible(view),
        _("A place is a column letter and a row number, as on the board: A1 to D3."),
        _("Several things may stand in one line, for instance: {example}", example="x B2"),
        _("{key} or {word}: this help", key=KEYS["help"], word=local["help"]),
        _("{word}: the board again", word=local["board"]),
        _("{key} or {word}: the score sheet", key=KEYS["scores"], word=local["scores"]),
        _("{word}: the rules of this game", word=local["rules"]),
        _("{word}: leave the game for good; the others play on", word=local["leave"]),
        _("{key} or {word}: stop; the game can be resumed", key=KEYS["quit"], word=local["quit"]),
    ]
