"""Opens files of records, text or JSON, whatever they are called."""

from __future__ import annotations

import os
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO, cast

from skyjo.record.json_form import JsonReader
from skyjo.record.reader import OnFault, Record, TextReader


def read_records(
    source: str | os.PathLike[str] | BinaryIO,
    name: str | None = None,
    on_fault: OnFault | None = None,
) -> Iterator[Record]:
    """Every game of a file or a binary stream in turn, from text or JSON.

    ``name`` stands for the file in faults (default: its path). A fault is raised as RecordError,
    or told to ``on_fault``, after which the next game is read. Raises OSError when the file
    cannot be read.

    >>> from io import BytesIO
    >>> games = (b'{"skyjo": "1", "players": ["Ana", "Ben"], "ruleset": "official",'
    ...          b' "tags": {}, "log": []}')
    >>> [record.game.players for record in read_records(BytesIO(games))]
    [('Ana', 'Ben')]
    """
    if isinstance(source, str | os.PathLike):
        with Path(source).open("rb") as stream:
            path = os.fspath(source) if name is None else name
            yield from reader(stream, path).records(on_fault)
    else:
        yield from reader(source, name or "").records(on_fault)


def reader(stream: BinaryIO, name: str) -> TextReader | JsonReader:
    """The reader for what stands in the stream: JSON begins with a brace."""
    peekable = stream if isinstance(stream, BufferedReader) else _buffered(stream)
    beginning = peekable.peek(1).removeprefix(b"\xef\xbb\xbf").lstrip()
    kind = JsonReader if beginning.startswith(b"{") else TextReader
    return kind(cast(BinaryIO, peekable), name)


def _buffered(stream: BinaryIO) -> BufferedReader:
    return BufferedReader(stream)  # type: ignore[arg-type]  # whatever has readinto will do
