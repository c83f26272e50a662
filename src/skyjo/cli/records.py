"""What the commands on records share: files to read, ``-`` for standard input, warnings."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterator
from typing import Final

import click

from skyjo.i18n import _, pgettext
from skyjo.record import Record, read_records
from skyjo.record.reader import OnFault

STANDARD_INPUT: Final = "-"
#: Characters that would change how the rest of the line is shown.
_MARKS: Final = frozenset(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)


def records_of(file: str, on_fault: OnFault | None = None) -> Iterator[Record]:
    """The games of a file or of standard input, as ``read_records`` reads them."""
    source = sys.stdin.buffer if file == STANDARD_INPUT else file
    return read_records(source, name_of(file), on_fault)


def name_of(file: str) -> str:
    """How messages call the file."""
    return pgettext("a file", "standard input") if file == STANDARD_INPUT else file


def with_warnings(records: Iterator[Record]) -> Iterator[Record]:
    """The same records; a torn last line is told on standard error."""
    for record in records:
        if record.torn is not None:
            click.echo(
                _("{fault}; it was left out", fault=str(record.torn)),
                err=True,
            )
        yield record


def printable(text: str) -> str:
    r"""A name as it may be shown in a terminal, whatever somebody has written in a file.

    >>> printable("Ana\x1b[2J")
    'Ana�[2J'
    """
    return "".join(
        "\N{REPLACEMENT CHARACTER}"
        if letter in _MARKS or unicodedata.category(letter) in {"Cc", "Zl", "Zp"}
        else letter
        for letter in text
    )
