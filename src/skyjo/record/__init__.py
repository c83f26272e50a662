"""Records of games: the ``.skyjo`` text format, its JSON form, and how a game is resumed.

A program that plays a game keeps its record like this; every entry is on the disk before
``append`` returns::

    with RecordWriter.create("evening.skyjo", game, tags={"Seed": "7"}) as writer:
        writer.append(game.deal(deck), game)           # each entry once, just after it happened
        writer.append(game.play("reveal r0c0", 0), game)

    game, tags, writer = RecordWriter.resume("evening.skyjo")   # drops a torn last line

Players are stored as they are in ``game.players`` ("bot:greedy" too), and ``tags`` may hold
whatever else is needed to go on, as texts; names of tags are one word of ASCII letters, digits
and underscores. After ``resume`` the game may need a deal or a reshuffle, or be in the middle of
a turn with the drawn card in hand: it is exactly where it was.

Others read with ``read_records(path)``, one ``Record`` (``game``, ``tags``) after the other, and
write with ``record_text(game, tags)`` or ``record_json(game, tags)``; ``visible_text(game, tags,
seat)`` is the record of a running game for a seat or onlookers. ``positions(game)`` goes through
a game again. All faults are ``RecordError`` with path, line and column.
"""

from __future__ import annotations

from skyjo.record.files import read_records
from skyjo.record.json_form import record_json
from skyjo.record.reader import Record, TextReader
from skyjo.record.replay import positions
from skyjo.record.writer import RecordWriter, record_text, visible_text

__all__ = [
    "Record",
    "RecordWriter",
    "TextReader",
    "positions",
    "read_records",
    "record_json",
    "record_text",
    "visible_text",
]
