"""A circle as JSON and CSV, and back."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Any, Final

from skyjo.errors import RecordError, SkyjoError
from skyjo.i18n import N_
from skyjo.rules.layout import MAX_SEATS, MIN_SEATS
from skyjo.rules.ruleset import Ruleset
from skyjo.scorepad.circle import Circle, entries_of
from skyjo.scorepad.circle_events import GameCounted
from skyjo.scorepad.decide import MOST_POINTS, MOST_ROUNDS
from skyjo.scorepad.entry import NOBODY, PENALISED, SPARED, Entry
from skyjo.scorepad.sheet_text import Cell, delimiter_of, guarded, number_of, split, unguarded
from skyjo.table.names import clean_name, folded, same_name

COLUMNS: Final = ("game", "date", "ruleset", "round", "player", "points", "closed", "penalty")
#: So many games, and people, a circle has room for.
MOST_GAMES: Final = 5_000
MOST_MEMBERS: Final = 300
#: After so many faults a file is not read on.
MOST_FAULTS: Final = 1_000
_YEARS: Final = range(1970, 2200)


@dataclass(slots=True)
class ImportedGame:
    """A game from a file: names by seat, and the rounds as entered."""

    ref: str
    played: float
    ruleset: str
    names: list[str]
    rounds: list[Entry]


@dataclass(slots=True)
class Imported:
    """What a file held, and its faults (not more than a thousand) with their places."""

    games: list[ImportedGame] = field(default_factory=list)
    faults: list[RecordError] = field(default_factory=list)


def names_of(circle: Circle, game: GameCounted) -> list[str]:
    """The names of a game's seats as they are today; bots are called so."""
    return [
        circle.members[circle.member(key)].name if key >= 0 else f"Bot {seat + 1}"
        for seat, key in enumerate(game.members)
    ]


def day(at: float) -> str:
    """The day of a time (UTC)."""
    return datetime.fromtimestamp(at, UTC).date().isoformat()


def circle_json(circle: Circle) -> str:
    """A whole circle as JSON text."""
    games = [
        {
            "id": game.ref,
            "kind": game.kind,
            "date": day(game.played),
            "ruleset": game.ruleset,
            "players": names_of(circle, game),
            "bots": [seat for seat, key in enumerate(game.members) if key < 0],
            "totals": game.totals,
            "ranks": game.ranks,
            "rounds": [
                {
                    "points": each.points,
                    "closer": each.closer if each.closer >= 0 else None,
                    "penalty": each.penalty == PENALISED,
                }
                for each in entries_of(game)
            ],
        }
        for game in circle.games.values()
    ]
    members = [member.name for member in circle.members.values()]
    values = {"skyjo": "circle", "format": 1, "name": circle.name, "members": members,
              "games": games}  # fmt: skip
    return json.dumps(values, ensure_ascii=False, separators=(",", ":")) + "\n"


def circle_csv(circle: Circle) -> str:
    """A whole circle as CSV: a line for every player in every round, before the penalty."""
    lines = [",".join(COLUMNS)]
    for game in circle.games.values():
        names = names_of(circle, game)
        head = f"{guarded(game.ref, ',')},{day(game.played)},{game.ruleset.replace(',', ' ')}"
        for number, entry in enumerate(entries_of(game), 1):
            for seat, points in enumerate(entry.points):
                closed = seat == entry.closer
                lines.append(
                    f"{head},{number},{guarded(names[seat], ',')},"
                    f"{'' if points is None else points},{'yes' if closed else ''},"
                    f"{'yes' if closed and entry.penalty == PENALISED else ''}"
                )
    return "\n".join(lines) + "\n"


# --- reading ----------------------------------------------------------------------------------


def read_circle(text: str, path: str = "") -> Imported:
    """Games from JSON or CSV as written above; ``faults`` names everything that is wrong."""
    found = Imported()
    plain = text.removeprefix("\ufeff")
    if plain.lstrip().startswith("{"):
        _read_json(plain, path, found)
    else:
        _read_csv(plain, path, found)
    if not found.games and not found.faults:
        found.faults.append(RecordError(N_("this file holds no game"), path=path, line=1, column=1))
    return found


def _read_json(text: str, path: str, found: Imported) -> None:
    def fault(message: str, line: int = 1, column: int = 1, **values: Any) -> None:
        found.faults.append(RecordError(message, path=path, line=line, column=column, **values))

    try:
        values = json.loads(text)
    except ValueError as error:
        at = error if isinstance(error, json.JSONDecodeError) else None
        fault(N_("this is no JSON"), at.lineno if at else 1, at.colno if at else 1)
        return
    except RecursionError:
        fault(N_("this is no JSON"))
        return
    games = values.get("games")
    if values.get("skyjo") != "circle" or not isinstance(games, list):
        fault(N_("this is JSON, but no circle"))
        return
    if len(games) > MOST_GAMES:
        fault(N_("a circle has room for {most} games; this file holds more"), most=MOST_GAMES)
        return
    for number, game in enumerate(games, 1):
        try:
            found.games.append(_game_of_json(game))
        except (SkyjoError, ArithmeticError, ValueError, TypeError, LookupError, AttributeError):
            fault(N_("game {number} cannot be read"), number=number)


def _game_of_json(game: dict[str, Any]) -> ImportedGame:
    if len(game["players"]) > MAX_SEATS:
        raise ValueError(len(game["players"]))
    bots = {int(seat) for seat in game.get("bots", [])}
    rounds = []
    for each in game["rounds"]:
        closer = NOBODY if each["closer"] is None else int(each["closer"])
        points = tuple(None if one is None else int(one) for one in each["points"])
        rounds.append(Entry(points, closer, PENALISED if each["penalty"] else SPARED))
    names = [
        "" if seat in bots else clean_name(str(name)) for seat, name in enumerate(game["players"])
    ]
    made = ImportedGame(
        _ref(str(game["id"])), _time(game["date"]), Ruleset.parse(game["ruleset"]).text(), names,
        rounds,
    )  # fmt: skip
    _check(made)
    return made


def _check(game: ImportedGame) -> None:
    """ValueError for a game that no pad could have made."""
    seats = len(game.names)
    right = MIN_SEATS <= seats <= MAX_SEATS and len(game.rounds) <= MOST_ROUNDS
    for entry in game.rounds:
        right = right and len(entry.points) == seats and NOBODY <= entry.closer < seats
        right = right and all(abs(points or 0) <= MOST_POINTS for points in entry.points)
        right = right and sum(points is not None for points in entry.points) >= MIN_SEATS
        right = right and (entry.closer == NOBODY or entry.points[entry.closer] is not None)
    people = [folded(name) for name in game.names if name]
    if not right or not game.rounds or len(people) != len({*people}):
        raise ValueError(game.ref)


def _ref(text: str) -> str:
    if not (text and len(text) <= 40 and text.isprintable()):
        raise ValueError(text)
    return text


def _time(text: str) -> float:
    played = date.fromisoformat(text)
    if played.year not in _YEARS:
        raise ValueError(text)
    return datetime(played.year, played.month, played.day, 12, tzinfo=UTC).timestamp()


@lru_cache(maxsize=64)
def _ruleset(text: str) -> str:
    return Ruleset.parse(text).text()


class _Rows:
    """Collects the lines of a CSV into games."""

    def __init__(self, path: str, found: Imported) -> None:
        self.path = path
        self.found = found
        self.games: dict[
            str, tuple[ImportedGame, dict[int, dict[str, tuple[int | None, bool, bool]]]]
        ] = {}

    def fault(self, line: int, cell: Cell, message: str, **values: Any) -> None:
        self.found.faults.append(
            RecordError(message, path=self.path, line=line, column=cell.column, **values)
        )

    def row(self, line: int, cells: dict[str, Cell]) -> None:
        before = len(self.found.faults)
        ref = self.read(
            line, cells["game"], lambda text: _ref(unguarded(text)),
            N_("here must be the id of a game"),
        )  # fmt: skip
        played = self.read(line, cells["date"], _time, N_("'{text}' is no day like 2026-11-29"))
        rules = self.read(line, cells["ruleset"], _ruleset, N_("'{text}' is no ruleset"))
        number = self.read(line, cells["round"], _round, N_("'{text}' is no round"))
        name = self.read(
            line, cells["player"], lambda text: clean_name(unguarded(text)),
            N_("'{text}' is no name of a player"),
        )  # fmt: skip
        points = self.read(line, cells["points"], _points, N_("'{text}' is no number of points"))
        if len(self.found.faults) > before:
            return
        if ref not in self.games and len(self.games) >= MOST_GAMES:
            message = N_("a circle has room for {most} games; this file holds more")
            self.fault(line, cells["game"], message, most=MOST_GAMES)
            return
        if ref not in self.games:
            self.games[ref] = (ImportedGame(ref, played, rules, [], []), {})
        game, rounds = self.games[ref]
        if not any(same_name(name, other) for other in game.names):
            if len(game.names) > MAX_SEATS:
                return  # it is told in the end that the game cannot be read
            game.names.append(name)
        one = rounds.setdefault(number, {})
        if name in one:
            self.fault(line, cells["player"], N_("{name} is in this round twice"), name=name)
        one[name] = (points, cells["closed"].text == "yes", cells["penalty"].text == "yes")

    def read(self, line: int, cell: Cell, how: Callable[[str], Any], message: str) -> Any:
        try:
            return how(cell.text)
        except (SkyjoError, ValueError, OverflowError):
            self.fault(line, cell, message, text=cell.text[:30])
            return None

    def finish(self) -> None:
        for game, rounds in self.games.values():
            for number in sorted(rounds):
                by_name = rounds[number]
                points = tuple(by_name.get(name, (None, False, False))[0] for name in game.names)
                closers = [
                    n for n, name in enumerate(game.names) if by_name.get(name, (0, 0, 0))[1]
                ]
                closer = closers[0] if closers else NOBODY
                penalised = closer >= 0 and by_name[game.names[closer]][2]
                game.rounds.append(Entry(points, closer, PENALISED if penalised else SPARED))
            # A bot's name is no member's.
            game.names = ["" if _is_bot(name) else name for name in game.names]
            try:
                _check(game)
            except ValueError:
                self.found.faults.append(
                    RecordError(N_("game {ref} cannot be read"), path=self.path, ref=game.ref)
                )
            else:
                self.found.games.append(game)


def _is_bot(name: str) -> bool:
    return name.startswith("Bot ") and name[4:].isdecimal()


def _read_csv(text: str, path: str, found: Imported) -> None:
    lines = text.splitlines()
    filled = [line for line in lines if line.strip()]
    delimiter = delimiter_of(filled) if filled else ","
    rows = _Rows(path, found)
    header: list[str] = []
    for number, line in enumerate(lines, 1):
        if len(found.faults) >= MOST_FAULTS:
            return
        if not line.strip():
            continue
        try:
            cells = list(split(line, delimiter))
        except ValueError as error:
            rows.fault(number, Cell("", int(str(error))), N_("a quotation mark is not closed"))
            continue
        if not header:
            header = [cell.text.casefold() for cell in cells]
            missing = [name for name in COLUMNS if name not in header]
            if missing:
                message = N_("columns are missing in the first line: {names}")
                rows.fault(number, cells[0], message, names=", ".join(missing))
                return
            continue
        if len(cells) != len(header):
            rows.fault(
                number, cells[-1], N_("fields in this line: {n}; in the first line: {most}"),
                n=len(cells), most=len(header),
            )  # fmt: skip
            continue
        rows.row(number, dict(zip(header, cells, strict=True)))
    rows.finish()


def _round(text: str) -> int:
    number = int(text)
    if not 1 <= number <= MOST_ROUNDS:
        raise ValueError(text)
    return number


def _points(text: str) -> int | None:
    if not text:
        return None
    number = number_of(text)
    if number is None or number != int(number) or abs(number) > MOST_POINTS:
        raise ValueError(text)
    return int(number)
