"""Whatever stands in a file, reading it ends soon, and with nothing worse than a RecordError."""

from __future__ import annotations

import json
import re
import resource
from dataclasses import replace
from io import BufferedReader, BytesIO, RawIOBase
from random import Random
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.kit.games import Setup
from tests.record.told import TAGS, played, read_one, small_game, without_decks

from skyjo.errors import RecordError
from skyjo.record import read_records, record_json, record_text, visible_text
from skyjo.record.json_text import MAX_DEPTH
from skyjo.record.notation import result_lines
from skyjo.rules.plies import Ply

GAME = played(Setup(("family-facedown", {"target": 30}), 8, "leaver", 5))
TEXT = record_text(GAME, TAGS)
TEXTS = [
    TEXT.encode(),
    without_decks(TEXT).encode(),
    record_text(small_game(), TAGS).encode(),
    visible_text(small_game("official turn_limit=4")).encode(),
    (record_text(small_game()) + "\n" + without_decks(record_text(small_game()))).encode(),
]
JSONS = [record_json(read_one(text).game, TAGS).encode() for text in TEXTS[:4]]

#: Pieces that mean something somewhere.
PIECES = [
    *(b"\n", b"\r\n", b" ", b"#", b'"', b"\\", b"[", b"]", b"{", b"}", b":", b";", b",", b"?"),
    *(b"-2", b"12", b"13", b"-", b"0", b"1", b"2", b"9", b"99999999999999999999", b"1e9", b"*"),
    *(b"draw", b"take", b"swap r0c0", b"flip r2c3", b"reveal", b"leave", b"pass", b"remove c0"),
    *(b"deck", b"round", b"reshuffle", b"discard", b"hidden", b"for", b"closes", b"reveals"),
    *(b"gone 1c0", b"ends game", b"ends round", b"score", b"total", b"winner", b"by forfeit"),
    *(b"\xef\xbb\xbf", b"\xff", b"\x00", b"\xf0\x9f", b"\\ud800", b"\\u0000", b"null", b"true"),
    *(b'[Skyjo "1"]\n', b'[Player8 "x"]\n', b'"card": 5,', b'"seat": 1,', b'{"skyjo": "1"}\n'),
]


def mutated(data: bytes, rng: Random) -> bytes:
    """A few cuts, copies and insertions."""
    for _ in range(rng.choice((1, 1, 2, 5))):
        start = rng.randrange(len(data) + 1)
        end = min(len(data), start + rng.choice((0, 1, 2, 5, 30, 300)))
        part = data[start:end]
        other = rng.randrange(len(data) + 1)
        data = rng.choice(
            (
                data[:start] + data[end:],
                data[:start] + rng.choice(PIECES) + data[end:],
                data[:start] + part + part + data[end:],
                data[:other] + part + data[other:],
                data[:start] + bytes([rng.randrange(256)]) + data[start + 1 :],
            )
        )
    return data


def with_lines_mixed(data: bytes, rng: Random) -> bytes:
    """Lines left out, doubled, exchanged."""
    lines = data.splitlines(keepends=True)
    for _ in range(rng.choice((1, 1, 2, 4))):
        one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
        change = rng.randrange(3)
        if change == 0:
            lines.insert(other, lines[one])
        elif change == 1 and len(lines) > 1:
            del lines[one]
        else:
            lines[one], lines[other] = lines[other], lines[one]
    return b"".join(lines)


def read_somehow(data: bytes) -> None:
    """Read, refused or not; what is read can be written and read again."""
    faults: list[RecordError] = []
    records = list(read_records(BytesIO(data), "x", faults.append))
    for error in faults:
        assert re.match(r"x:[1-9]\d*:[1-9]\d*: \S", str(error))
        assert "\n" not in str(error)
    if faults:
        with pytest.raises(RecordError, match=re.escape(str(faults[0]))):
            list(read_records(BytesIO(data), "x"))
    for record in records:
        text = record_text(record.game, record.tags)
        assert record_text(read_one(text).game, record.tags) == text


@settings(max_examples=300)
@given(st.sampled_from(TEXTS), st.randoms(use_true_random=False))
def test_mutated_texts(data: bytes, rng: Random) -> None:
    read_somehow(mutated(data, rng))


@settings(max_examples=150)
@given(st.sampled_from(TEXTS), st.randoms(use_true_random=False))
def test_mixed_lines(data: bytes, rng: Random) -> None:
    read_somehow(with_lines_mixed(data, rng))


@settings(max_examples=200)
@given(st.sampled_from(JSONS), st.randoms(use_true_random=False))
def test_mutated_json(data: bytes, rng: Random) -> None:
    read_somehow(mutated(data, rng))


HEADS = [
    b"",
    b"\xef\xbb\xbf",
    TEXTS[2].split(b"\n\n")[0] + b"\n",
    b'{"skyjo": "1", ',
    b'[Skyjo "1"]\n',
]


@settings(max_examples=200)
@given(st.sampled_from(HEADS), st.one_of(st.binary(), st.text().map(str.encode)))
@example(b"", b"\x00")
def test_random_bytes(head: bytes, data: bytes) -> None:
    read_somehow(head + data)


@settings(max_examples=150)
@given(st.sampled_from(HEADS), st.lists(st.sampled_from([*PIECES, b"1 ", b"2 "]), max_size=40))
def test_random_pieces(head: bytes, pieces: list[bytes]) -> None:
    read_somehow(head + b"".join(pieces))


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda values: st.one_of(
        st.lists(values, max_size=4), st.dictionaries(st.text(max_size=5), values, max_size=4)
    ),
    max_leaves=8,
)


@settings(max_examples=200)
@given(st.data())
def test_json_with_any_value_anywhere(data: st.DataObject) -> None:
    document = json.loads(data.draw(st.sampled_from(JSONS)))
    places: list[tuple[Any, Any]] = [(document, key) for key in document]
    places += [(entry, key) for entry in document["log"] for key in entry]
    places += [(document["log"], index) for index in range(len(document["log"]))]
    last = document["log"][-1]
    places += [(each, key) for each in last.get("reveals", []) for key in each]
    where, key = data.draw(st.sampled_from(places))
    where[key] = data.draw(VALUES)
    read_somehow(json.dumps(document).encode())


# --- meant to hurt ----------------------------------------------------------------------------


class Endless(RawIOBase):
    """A long stream of the same bytes that is never in memory."""

    def __init__(self, head: bytes, piece: bytes, size: int) -> None:
        self.head, self.piece, self.left = head, piece, size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self.head:
            data, self.head = self.head, b""
        else:
            data = self.piece[: min(len(buffer), self.left)]
            self.left -= len(data)
        buffer[: len(data)] = data
        return len(data)


SIZE = 1_000_000_000
HEAD = TEXTS[2].split(b"\n\n")[0] + b"\n"


@pytest.mark.parametrize(
    ("head", "piece", "message"),
    [
        (b"", b"1" * 8192, "x:1:65538: the last line is not complete"),
        (HEAD, b"1 " * 4096, "x:8:65538: the last line is not complete"),
        (b"# ", b"\xff" * 8192, ""),
        (b"", b" " * 60_000 + b"\n", ""),
        (b'{"a": "', b"x" * 8192, "x:1:1: this game is longer than any record may be"),
        (b'{"a": ', b"[" * 8192, "x:1:1: this game is longer than any record may be"),
        (b'{"a": [', b"\n1," * 2048, "this game is longer than any record may be"),
        (b"{", b"\n" * 8192, "this game is longer than any record may be"),
    ],
)
def test_gigabytes_are_not_kept_in_memory(head: bytes, piece: bytes, message: str) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    fault = ""
    try:
        records = list(read_records(BufferedReader(Endless(head, piece, SIZE)), "x"))
        fault = str(records[0].torn) if records else ""
    except RecordError as error:
        fault = str(error)
    assert message in fault
    assert bool(message) == bool(fault)
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert kilobytes < SIZE / 1024 / 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": ' + "[" * 100_000, f"x:1:{7 + MAX_DEPTH}: this is nested deeper than any"),
        ("[" * 60_000 + "\n", "expected the first tag of a game"),
        ('{"a": ' + "9" * 1_000_000 + "}", "expected a value; here stands: '9999999999999999999"),
        ('{"a": -' + "9" * 1_000_000 + "}", "expected a value; here stands: '-9999"),
        ('{"a": "' + "x" * 1_000_000 + '"}', "this is no text in JSON"),
        ('{"a": "' + "\\" * 1_000_000 + '"}', "this is no text in JSON"),
        ('{"' + "a" * 60_000 + '": 1}', "the field 'aaaaa"),
        (
            '{"skyjo": "1", "players": ["a", "b"], "ruleset": "' + "x=1 " * 9000 + '", "log": []}',
            "",
        ),
        ("[Skyjo" + " " * 60_000 + "\n", "expected a tag such as"),
        ("[" + " " * 60_000 + "Skyjo" + " " * 5000 + "\n", "expected a tag such as"),
        ('[Skyjo "' + "\\\\" * 30_000 + "\n", "expected a tag such as"),
        ("x" * 70_000 + "\n", "x:1:1: the line is longer than 65536 bytes"),
        ("\ud7ff" * 30_000 + "\n", "x:1:1: the line is longer than 65536 bytes"),
        (HEAD.decode() + "round " + "9" * 60_000 + "\n", "expected the number of a round"),
        (
            HEAD.decode() + "deck " + "5 " * 30_000 + "\n",
            "one card of the value 5 too many; how many there are here: 10",
        ),
        (HEAD.decode() + ":" * 60_000 + "\n", "expected an action such as"),
        (HEAD.decode() + "1 take" + "; closes" * 7000 + "\n", "this cannot be played"),
        (HEAD.decode() + "١ draw: 5\n", "expected "),
        ('[Skyjo "1"]\n' + "".join(f'[T{n} ""]\n' for n in range(500)), "x:202:1: a game has at"),
    ],
)
def test_hostile_texts(text: str, message: str) -> None:
    with pytest.raises(RecordError) as caught:
        list(read_records(BytesIO(text.encode()), "x"))
    assert message in str(caught.value)
    assert len(str(caught.value)) < 600


def test_points_beyond_all_measure_are_refused() -> None:
    """House rules that multiply a negative total could let it grow without end."""
    game = small_game()
    game.rounds[-1] = replace(game.rounds[-1], totals=(-(10**19), 5))
    last = game.log[-1]
    assert isinstance(last, Ply)
    with pytest.raises(RecordError, match="beyond what a record can hold"):
        list(result_lines(last, game))


def test_a_game_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A million actions take minutes to make: the limit is lowered for this test."""
    monkeypatch.setattr("skyjo.record.reader.MAX_ENTRIES", 5)
    with pytest.raises(RecordError, match="x:12:1: this game is longer than any record may be"):
        list(read_records(BytesIO(record_text(small_game()).encode()), "x"))
