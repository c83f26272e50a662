"""How a record is written: tags, and one line for every entry of a game's log.

>>> from skyjo.rules.actions import SWAP_FROM
>>> ply_line(Ply(seat=0, action=SWAP_FROM + 1, card=7, replaced=3, was_hidden=True))
'1 swap r0c1: 7 for hidden 3'
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from skyjo.errors import RecordError
from skyjo.game import Game, RoundResult
from skyjo.i18n import N_
from skyjo.record.replay import knows_all
from skyjo.rules.actions import action_name, slot_name
from skyjo.rules.layout import UNKNOWN
from skyjo.rules.plies import Deal, Entry, Line, Ply, TurnedUp
from skyjo.rules.ruleset import Ruleset
from skyjo.rules.view import visible_discard

VERSION: Final = "1"
#: Bytes of the longest line that is read or written.
MAX_LINE: Final = 65_536
#: Deals, reshuffles and actions of the longest game that is read.
MAX_ENTRIES: Final = 1_000_000
#: Tags beyond those of the game itself.
MAX_TAGS: Final = 200
#: Points are written up to this size; only absurd house rules get there.
MAX_POINTS: Final = 10**18

TAG_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
#: Tags that say what the game itself says.
OWN_TAG: Final = re.compile(r"Skyjo|Ruleset|Player[0-9]+")

_SHORT_ESCAPES: Final = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def escaped(text: str) -> str:
    r"""A text for a tag's value: quotes, backslashes and control characters escaped.

    >>> print(escaped('Ana "the\n\x1bcat"'))
    Ana \"the\n\u001bcat\"
    """
    if text.isprintable() and '"' not in text and "\\" not in text:
        return text
    return "".join(_SHORT_ESCAPES.get(letter) or _escaped_control(letter) for letter in text)


def _escaped_control(letter: str) -> str:
    if unicodedata.category(letter) in {"Cc", "Zl", "Zp"}:
        return f"\\u{ord(letter):04x}"
    return letter


def tag_line(name: str, value: str) -> str:
    """One tag.

    >>> tag_line("Date", "2026-11-29")
    '[Date "2026-11-29"]'
    """
    return f'[{name} "{escaped(value)}"]'


def header_lines(
    players: Sequence[str], ruleset: Ruleset, tags: Mapping[str, str]
) -> Iterator[str]:
    """All tags of a game. Raises RecordError for tags that cannot be."""
    check_tags(players, tags)
    yield tag_line("Skyjo", VERSION)
    for number, name in enumerate(players, 1):
        yield tag_line(f"Player{number}", name)
    yield tag_line("Ruleset", ruleset.text())
    for name, value in tags.items():
        yield tag_line(name, value)


def check_tags(players: Sequence[str], tags: Mapping[str, str]) -> None:
    """Raise RecordError when a record cannot hold these names and tags.

    >>> check_tags(["Ana", "Ben"], {"Round table": "4"})
    Traceback (most recent call last):
    ...
    skyjo.errors.RecordError: 'Round table' cannot be the name of a tag: one word of letters,
    digits and underscores
    """
    if len(tags) > MAX_TAGS:
        raise RecordError(N_("a game has at most {most} tags"), most=MAX_TAGS)
    for name, value in tags.items():
        if not TAG_NAME.fullmatch(name):
            raise RecordError(
                N_(
                    "'{name}' cannot be the name of a tag: one word of letters, digits and"
                    " underscores"
                ),
                name=escaped(name),
            )
        if OWN_TAG.fullmatch(name):
            raise RecordError(N_("the tag {name} is taken by the game itself"), name=name)
        check_text(value)
    for player in players:
        check_text(player)


def check_text(text: str) -> None:
    """Raise RecordError when a text is too long for a line or is no Unicode text."""
    try:
        size = len(escaped(text).encode())
    except UnicodeEncodeError as error:
        raise RecordError(N_("a name or tag holds half a character (a surrogate)")) from error
    if size > MAX_LINE // 2:
        raise RecordError(N_("a name or tag is too long for a record"))


def entry_lines(entry: Entry, game: Game) -> Iterator[str]:
    """The lines of an entry and of the results it brings; ``game`` stands just after it.

    A deck or an order is left out where cards of it are ``UNKNOWN``.
    """
    if isinstance(entry, Ply):
        yield ply_line(entry)
        yield from result_lines(entry, game)
        return
    cards = entry.deck if isinstance(entry, Deal) else entry.order
    if isinstance(entry, Deal):
        yield ""
    if knows_all(cards):
        yield deck_line(cards)
    yield event_line(entry, game)


def deck_line(cards: Sequence[int]) -> str:
    """The order of a deck or a reshuffle, top card first.

    >>> deck_line([5, -2, 11])
    'deck 5 -2 11'
    """
    return " ".join(["deck", *map(str, cards)])


def event_line(entry: Entry, game: Game) -> str:
    """What everybody saw of a deal or a reshuffle: which card lies open after it."""
    top = card_text(visible_discard(game.state))
    if isinstance(entry, Deal):
        return f"round {entry.round} discard {top}"
    return f"reshuffle discard {top}"


def card_text(card: int | None) -> str:
    """A card, ``?`` if it is not known."""
    return "?" if card is None or card == UNKNOWN else str(card)


def ply_line(ply: Ply) -> str:
    """An action of a seat (from 1) with everything it showed.

    >>> from skyjo.rules.actions import DRAW, TAKE
    >>> ply_line(Ply(seat=1, action=TAKE, card=-2)), ply_line(Ply(seat=1, action=DRAW))
    ('2 take: -2', '2 draw: ?')
    """
    text = f"{ply.seat + 1} {action_name(ply.action)}"
    if ply.card is not None or text.endswith(" draw"):
        text += f": {card_text(ply.card)}"
    if ply.replaced is not None:
        text += f" for{' hidden' if ply.was_hidden else ''} {ply.replaced}"
    return "; ".join([text, *_clauses(ply)])


def _clauses(ply: Ply) -> Iterator[str]:
    if ply.closed:
        yield "closes"
    if ply.turned_up:
        yield " ".join(["reveals", *map(turned_up_text, ply.turned_up)])
    if ply.lines:
        yield " ".join(["gone", *map(line_text, ply.lines)])
    if ply.ends:
        yield f"ends {ply.ends}"


def turned_up_text(turned: TurnedUp) -> str:
    """A card of the final reveal.

    >>> turned_up_text(TurnedUp(seat=1, slot=5, card=-1))
    '2r1c1=-1'
    """
    return f"{turned.seat + 1}{slot_name(turned.slot)}={turned.card}"


def line_text(line: Line) -> str:
    """A column or row that went.

    >>> line_text(Line(seat=1, line=3))
    '2c3'
    """
    return f"{line.seat + 1}{line.name}"


def result_lines(ply: Ply, game: Game) -> Iterator[str]:
    """The results that an action brings: of the round, of the game, or none."""
    if not ply.ends:
        return
    by_forfeit = game.score_sheet.by_forfeit
    if not by_forfeit:
        result = game.rounds[-1]
        yield score_line(result)
        yield " ".join(["total", *(str(checked_points(total)) for total in result.totals)])
    if ply.ends == "game":
        winners = " ".join(str(seat + 1) for seat in game.winners)
        yield f"winner {winners} by forfeit" if by_forfeit else f"winner {winners}"


def score_line(result: RoundResult) -> str:
    """The points of a round by seat: ``-`` who had left, ``*`` the finisher who was punished."""
    texts = ["-" if each is None else str(checked_points(each)) for each in result.points]
    if result.penalised and result.finisher is not None:
        texts[result.finisher] += "*"
    return " ".join(["score", *texts])


def checked_points(points: int) -> int:
    """Points as they are, or RecordError when they are beyond what a record holds."""
    if abs(points) > MAX_POINTS:
        raise RecordError(N_("the points have grown beyond what a record can hold"))
    return points
