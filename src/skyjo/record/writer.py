"""Writes records: as a whole, or entry by entry while a game is played."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Final, NoReturn, Self

from skyjo.errors import RecordError
from skyjo.game import Game
from skyjo.i18n import N_
from skyjo.locks import take
from skyjo.record.notation import entry_lines, header_lines
from skyjo.record.reader import Record, TextReader
from skyjo.record.replay import positions, public_entry
from skyjo.rules.plies import Entry, Ply
from skyjo.rules.view import chance_is_public

#: Tags from which decks that are still to be hidden can be found out.
SECRET_TAGS: Final = ("Seed",)


def record_lines(game: Game, tags: Mapping[str, str] | None = None) -> Iterator[str]:
    """The lines of a game's record, with everything that is known."""
    yield from header_lines(game.players, game.ruleset, tags or {})
    for entry, now in positions(game):
        yield from entry_lines(entry, now)


def record_text(game: Game, tags: Mapping[str, str] | None = None) -> str:
    """A game's record with all decks: for its keeper, not for the players while it runs.

    ``tags`` are further tags in their order. Raises RecordError when a name or tag cannot be
    written.

    >>> print(record_text(Game(["Ana", "Ben"]), {"Date": "2026-11-29"}), end="")
    [Skyjo "1"]
    [Player1 "Ana"]
    [Player2 "Ben"]
    [Ruleset "official"]
    [Date "2026-11-29"]
    """
    return _text(record_lines(game, tags))


def visible_text(game: Game, tags: Mapping[str, str] | None = None, seat: int | None = None) -> str:
    """A game's record as a seat (without one: an onlooker) may know it.

    While the game runs it has no decks, no seed, and ``?`` for a card that somebody else has
    just drawn; every card that everybody saw is there.
    """
    kept = dict(tags or {})
    if not chance_is_public(game.state):
        kept = {name: value for name, value in kept.items() if name not in SECRET_TAGS}
    return _text([*header_lines(game.players, game.ruleset, kept), *_visible_lines(game, seat)])


def _visible_lines(game: Game, seat: int | None) -> Iterator[str]:
    visible = game.visible_log(seat)
    chance_is_shown = chance_is_public(game.state)
    for entry, now in positions(game):
        shown = next(visible) if chance_is_shown or isinstance(entry, Ply) else entry
        if not chance_is_shown:
            shown = public_entry(shown, now)
        yield from entry_lines(shown, now)


def _text(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


class RecordWriter:
    """Writes the record of a running game; what was appended is on the disk.

    Only one program at a time can hold a record open for writing.

    >>> import tempfile
    >>> from skyjo.chance import SeededChance
    >>> path = Path(tempfile.mkdtemp()) / "evening.skyjo"
    >>> game = Game(["Ana", "Ben"])
    >>> with RecordWriter.create(path, game, {"Seed": "7"}) as writer:
    ...     writer.append(game.deal(SeededChance(7).deck(1)), game)
    >>> game, tags, writer = RecordWriter.resume(path)
    >>> game.state.round, tags["Seed"]
    (1, '7')
    >>> writer.close()
    """

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self._file = file
        self.path = path

    @classmethod
    def create(
        cls, path: str | os.PathLike[str], game: Game, tags: Mapping[str, str] | None = None
    ) -> RecordWriter:
        """Begin a new record with everything that has happened in the game so far.

        The file appears complete with its tags or not at all. Raises FileExistsError when there
        is one of that name, RecordError when a name or tag cannot be written.
        """
        path = Path(path)
        begun = path.with_name(f".{path.name}.{os.getpid()}.new")
        text = record_text(game, tags).encode()
        file = _begin(begun, path)
        try:
            _lock(file, path)
            file.write(text)
            os.fsync(file.fileno())
            _publish(begun, path)
        except BaseException as error:
            file.close()
            begun.unlink(missing_ok=True)
            if isinstance(error, OSError):
                error.filename = str(path)
            raise
        return cls(file, path)

    @classmethod
    def resume(cls, path: str | os.PathLike[str]) -> tuple[Game, dict[str, str], RecordWriter]:
        """Go on with the last game of a record: the game, its other tags, and its writer.

        A torn last line is cut off and results that were still due are added. Raises RecordError
        when the record has another fault or holds no game, OSError when it cannot be opened.
        """
        path = Path(path)
        file = path.open("r+b")
        try:
            _lock(file, path)
            if file.peek(1).lstrip().startswith(b"{"):
                raise_json(str(path))
            reader = TextReader(file, str(path))
            record = last_record(reader.records(), str(path))
            file.seek(reader.size)
            file.truncate()
            writer = cls(file, path)
            writer._write(reader.due)
        except BaseException:
            file.close()
            raise
        return record.game, record.tags, writer

    def append(self, entry: Entry, game: Game) -> None:
        """Write an entry, just after it has happened, and wait until it is on the disk.

        Raises OSError when that fails (a full disk); the record then ends as before.
        """
        self._write(entry_lines(entry, game))

    def _write(self, lines: Iterable[str]) -> None:
        text = memoryview(_text(lines).encode())
        end = self._file.tell()
        try:
            while text:
                text = text[self._file.write(text) :]
            self._file.flush()
            os.fsync(self._file.fileno())
        except BaseException as error:
            with suppress(OSError):
                self._file.seek(end)
                self._file.truncate()
            if isinstance(error, OSError) and error.filename is None:
                error.filename = str(self.path)
            raise

    def close(self) -> None:
        """Close the file; others may write it now."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def raise_json(path: str) -> NoReturn:
    """Tell that a game goes on in the text form only."""
    raise RecordError(
        N_("this is a record in JSON; turn it into text with 'skyjo convert' to go on"),
        path=path,
        line=1,
        column=1,
    )


def last_record(records: Iterable[Record], path: str) -> Record:
    """The last of these records; RecordError when there is none."""
    last = deque(records, maxlen=1)
    if not last:
        raise RecordError(N_("this file holds no game"), path=path)
    return last[0]


def _begin(begun: Path, path: Path) -> FileIO:
    """A new file that will be called ``path``; errors are about that name."""
    try:
        return begun.open("xb", buffering=0)
    except OSError as error:
        where = path.parent if isinstance(error, FileNotFoundError) else path
        raise type(error)(error.errno, error.strerror, str(where)) from None


def _publish(begun: Path, path: Path) -> None:
    """Give a finished file its name, unless the name is taken."""
    try:
        path.hardlink_to(begun)
    except FileExistsError:
        raise FileExistsError(17, os.strerror(17), str(path)) from None
    except OSError:
        # Some file systems have no links.
        if path.exists():
            raise FileExistsError(17, os.strerror(17), str(path)) from None
        begun.rename(path)
    else:
        begun.unlink()
    if sys.platform != "win32":
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _lock(file: BinaryIO, path: Path) -> None:
    """Keep other programs from writing the same record."""
    with suppress(OSError):  # some network file systems have no locks
        if not take(file):
            raise RecordError(N_("another program is writing this record"), path=str(path))
