"""Names of people and bots at a table."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Final

from skyjo.errors import MalformedError
from skyjo.i18n import N_

LONGEST_NAME: Final = 24
#: What only the names of bots begin with, so that no person is taken for one.
BOT_PREFIX: Final = "bot:"

#: Invisible, but needed inside emoji and some scripts.
_JOINERS: Final = "\u200c\u200d\ufe0e\ufe0f"
#: Letters and symbols of Unicode that show nothing but room: they are blanks.
_BLANKS: Final = dict.fromkeys(map(ord, "\u115f\u1160\u2800\u3164\uffa0"), " ")
#: Marks that show nothing by themselves: joiners, and those that choose the form of what is before.
_UNSEEN: Final = dict.fromkeys(
    [
        *map(ord, _JOINERS),
        *(0x034F, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F),
        *range(0xFE00, 0xFE0E),
        *range(0xE0100, 0xE01F0),
    ]
)


def clean_name(text: str) -> str:
    r"""A name as it is stored: without control marks and needless blanks.

    Raises MalformedError when nothing visible is left, or more than 24 characters are, and for a
    name that begins like a bot's.

    >>> clean_name("  Ana \u202e Maria \u3164")
    'Ana Maria'
    """
    if len(text) <= 20 * LONGEST_NAME:
        shown = unicodedata.normalize("NFC", text).translate(_BLANKS)
        kept = "".join(mark if _is_kept(mark) else " " * mark.isspace() for mark in shown)
        name = " ".join(kept.split())
        if len(name) <= LONGEST_NAME:
            if not any(_is_visible(mark) for mark in name):
                raise MalformedError(N_("A name needs at least one letter or digit."))
            if folded(name).replace(" ", "").startswith(BOT_PREFIX):
                raise MalformedError(
                    N_("A name cannot begin with {prefix} because bots are called like that."),
                    prefix=BOT_PREFIX,
                )
            return name
    raise MalformedError(
        N_("This name is too long; a name has at most {most} characters."), most=LONGEST_NAME
    )


def same_name(name: str, other: str) -> bool:
    """Whether two names would be taken for the same one.

    >>> same_name("ANA", "ana")
    True
    """
    return folded(name) == folded(other)


def free_name(wish: str, taken: Iterable[str]) -> str:
    """The wish itself, or the wish with the first number that is free.

    >>> free_name("Greedy", ["Greedy", "greedy 2"])
    'Greedy 3'
    """
    used = {folded(name) for name in taken}
    name = wish
    number = 1
    while folded(name) in used:
        number += 1
        name = f"{wish} {number}"
    return name


def folded(name: str) -> str:
    r"""What all names that would be taken for this one have in common.

    >>> folded("ANA") == folded("ana") == folded("ana\u200d")
    True
    """
    return unicodedata.normalize("NFKC", name.translate(_UNSEEN)).casefold()


def _is_kept(mark: str) -> bool:
    return mark in _JOINERS or unicodedata.category(mark)[0] != "C"


def _is_visible(mark: str) -> bool:
    return mark not in _JOINERS and unicodedata.category(mark)[0] not in "CZM"
