"""A record that is written while a game is played, cut off anywhere, and gone on with."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from tests.record.told import TAGS, fault, random_games, read_one, replayed, small_game

from skyjo.errors import RecordError
from skyjo.game import Game
from skyjo.record import RecordWriter, positions, record_json, record_text
from skyjo.record.writer import _publish
from skyjo.rules.plies import Entry

HEADER_LINES = 4


def test_every_entry_is_in_the_file_at_once(tmp_path: Path) -> None:
    path = tmp_path / "game.skyjo"
    game = small_game()
    with RecordWriter.create(path, Game(game.players, game.ruleset), TAGS) as writer:
        for entry, now in positions(game):
            writer.append(entry, now)
            assert path.read_text() == record_text(now, TAGS)
    assert [each.name for each in tmp_path.iterdir()] == ["game.skyjo"]


def test_a_record_may_begin_in_the_middle_of_a_game(tmp_path: Path) -> None:
    half = replayed(small_game(), 6)
    RecordWriter.create(tmp_path / "game.skyjo", half).close()
    assert (tmp_path / "game.skyjo").read_text() == record_text(half)


def test_every_prefix_of_lines_can_be_resumed(tmp_path: Path) -> None:
    game = small_game("official max_rounds=2 turn_limit=2")
    text = record_text(game)
    lines = text.splitlines(keepends=True)
    path = tmp_path / "game.skyjo"
    for count in range(HEADER_LINES, len(lines) + 1):
        path.write_text("".join(lines[:count]))
        resumed, tags, writer = RecordWriter.resume(path)
        with writer:
            assert not tags
            assert resumed == replayed(game, len(resumed.log))
            for entry, now in list(positions_from(game, len(resumed.log))):
                writer.append(entry, now)
        assert path.read_text().replace("\n\n\n", "\n\n") == text


def positions_from(game: Game, start: int) -> Iterator[tuple[Entry, Game]]:
    """The entries after the first ones, each with a game of its own."""
    for count in range(start, len(game.log)):
        yield game.log[count], replayed(game, count + 1)


@settings(max_examples=8)
@given(random_games)
def test_every_prefix_of_a_random_game_is_a_game(game: Game) -> None:
    lines = record_text(game).splitlines(keepends=True)
    start = 2 + len(game.players)
    step = max(1, len(lines) // 40)
    for count in range(start, len(lines) + 1, step):
        record = read_one("".join(lines[:count]))
        assert record.torn is None
        assert record.game == replayed(game, len(record.game.log))


def test_a_line_torn_at_any_byte_is_left_out(tmp_path: Path) -> None:
    game = small_game()
    text = record_text(game, {"Note": "Скайджо 🂡"}).encode()
    header = text.index(b"\n", text.index(b"[Ruleset")) + 1
    path = tmp_path / "game.skyjo"
    for size in range(len(text)):
        whole = text[: text.rfind(b"\n", 0, size) + 1]
        path.write_bytes(text[:size])
        if size < header:
            with pytest.raises(RecordError):
                RecordWriter.resume(path)
            assert path.read_bytes() == text[:size]
            continue
        record = read_one(text[:size])
        assert (record.torn is not None) == (whole != text[:size])
        if record.torn is not None:
            assert record.torn.line == whole.count(b"\n") + 1
        resumed, tags, writer = RecordWriter.resume(path)
        writer.close()
        assert path.read_bytes().startswith(whole)
        # What the whole lines made due, a round's line or its results, is written at once.
        expected = record_text(replayed(game, len(resumed.log)), tags)
        assert path.read_text() in (expected, whole.decode())
        assert resumed == record.game


def test_a_torn_last_line_is_told_with_its_place() -> None:
    text = record_text(small_game())
    torn = read_one(text[:-4]).torn
    assert str(torn) == (
        "a.skyjo:18:6: the last line is not complete: it does not end with a line break"
    )
    assert read_one(text + "# the end").torn is None
    assert read_one(text + "  ").torn is None
    assert "1:8: the last line is not complete" in fault("[Skyjo ")
    assert "the tags end here, but Player2 is missing" in fault('[Skyjo "1"]\n[Player1 "Ana"]\n[Pl')


def test_the_last_game_of_a_file_is_resumed(tmp_path: Path) -> None:
    path = tmp_path / "games.skyjo"
    first, half = record_text(small_game()), record_text(replayed(small_game(), 5), TAGS)
    path.write_text(f"{first}\n{half}1 dr")
    game, tags, writer = RecordWriter.resume(path)
    writer.close()
    assert (game, tags) == (replayed(small_game(), 5), TAGS)
    assert path.read_text() == f"{first}\n{half}"


def test_what_cannot_be_resumed(tmp_path: Path) -> None:
    path = tmp_path / "game.skyjo"
    for content, message in [
        ("", "this file holds no game"),
        (record_text(small_game()).replace("1 take: 8", "1 take: 9"), ":12:9: expected '8'"),
        (record_json(small_game()), ":1:1: this is a record in JSON"),
    ]:
        path.write_text(content)
        with pytest.raises(RecordError, match=r"game\.skyjo") as caught:
            RecordWriter.resume(path)
        assert message in str(caught.value)
        assert path.read_text() == content
    with pytest.raises(FileNotFoundError):
        RecordWriter.resume(tmp_path / "none.skyjo")


def test_an_existing_file_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "game.skyjo"
    path.write_text("mine")
    with pytest.raises(FileExistsError):
        RecordWriter.create(path, small_game())
    assert path.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [path]


def test_names_that_cannot_be_written_leave_no_file(tmp_path: Path) -> None:
    path = tmp_path / "game.skyjo"
    for players, tags in [
        (["Ana", "half \ud83c"], {}),
        (["Ana", "B" * 40_000], {}),
        (["Ana", "Ben"], {"Two words": ""}),
        (["Ana", "Ben"], {"Player1": "Cleo"}),
        (["Ana", "Ben"], {f"T{number}": "" for number in range(201)}),
    ]:
        with pytest.raises(RecordError):
            RecordWriter.create(path, Game(players), tags)
        with pytest.raises(RecordError):
            record_json(Game(players), tags)
    assert not list(tmp_path.iterdir())


def test_only_one_program_writes_a_record(tmp_path: Path) -> None:
    path = tmp_path / "game.skyjo"
    with (
        RecordWriter.create(path, replayed(small_game(), 3)),
        pytest.raises(RecordError, match="another program is writing this record"),
    ):
        RecordWriter.resume(path)
    RecordWriter.resume(path)[2].close()


def test_where_there_are_no_links_a_file_is_not_overwritten_either(tmp_path: Path) -> None:
    (tmp_path / "begun").mkdir()
    with pytest.raises(FileExistsError):
        _publish(tmp_path / "none", tmp_path / "begun")
    (tmp_path / "new").write_text("text")
    _publish(tmp_path / "new", tmp_path / "game")
    assert [each.name for each in sorted(tmp_path.iterdir())] == ["begun", "game"]


SCRIPT = """
import resource, signal, sys
from tests.record.told import small_game
from skyjo.game import Game
from skyjo.record import RecordWriter, positions
game = small_game()
writer = RecordWriter.create(sys.argv[1], Game(game.players, game.ruleset))
"""


def run(script: str, path: Path) -> subprocess.CompletedProcess[str]:
    code = SCRIPT + textwrap.dedent(script)
    return subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False
    )


@pytest.mark.skipif(os.name == "nt", reason="limits on the size of files")
def test_a_full_disk_leaves_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "game.skyjo"
    done = run(
        """
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        failed = 0
        for count, (entry, now) in enumerate(positions(game)):
            if count == 3:
                most = writer.path.stat().st_size + 5
                resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
            try:
                writer.append(entry, now)
            except OSError:
                failed += 1
                break
        print(failed)
        """,
        path,
    )
    assert done.stdout == "1\n", done.stderr
    assert path.read_text() == record_text(replayed(small_game(), 3))


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL")
def test_what_was_appended_survives_sigkill(tmp_path: Path) -> None:
    path = tmp_path / "game.skyjo"
    done = run(
        """
        import os
        for count, (entry, now) in enumerate(positions(game)):
            writer.append(entry, now)
            if count == 5:
                os.kill(os.getpid(), signal.SIGKILL)
        """,
        path,
    )
    assert done.returncode == -signal.SIGKILL
    game, _tags, writer = RecordWriter.resume(path)
    writer.close()
    assert game == replayed(small_game(), 6)
