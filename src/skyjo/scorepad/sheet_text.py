"""A sheet as CSV: written for spreadsheets, read from wherever people kept theirs.

Players are columns and rounds are rows. The delimiter (comma, semicolon, tabulator, bar) and the
decimal habits are recognised. Columns called "closed" and "penalty", as we write them, are
understood; without them the points are taken as they stand, with nobody who closed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from skyjo.errors import RecordError, SkyjoError
from skyjo.i18n import N_
from skyjo.rules.layout import MAX_SEATS, MIN_SEATS
from skyjo.scorepad.decide import MOST_POINTS, MOST_ROUNDS
from skyjo.scorepad.entry import BY_RULES, NOBODY, PENALISED, SPARED, Entry
from skyjo.table.names import clean_name, same_name

DELIMITERS: Final = (";", "\t", ",", "|")
#: Words in the first column, in the four languages; anything else there is a player's name.
ROUND_WORDS: Final = frozenset(
    {
        "round",
        "#",
        "no",
        "no.",
        "nr",
        "nr.",
        "runde",
        "manche",
        "tour",
        "раунд",
        "коло",
        "n",
        "№",
        "",
    }
)
TOTAL_WORDS: Final = frozenset(
    {"total", "totals", "sum", "summe", "gesamt", "somme", "разом", "сума", "усього", "σ", "∑", "="}
)
CLOSED_WORDS: Final = frozenset({"closed", "closer", "beendet", "fermé", "закрив", "finisher"})
PENALTY_WORDS: Final = frozenset({"penalty", "strafe", "pénalité", "штраф"})
#: What some spreadsheets would take for a formula and carry out, with what guards it.
_FORMULA: Final = re.compile(r"'*[=+\-@＝＋－＠]")
_EMPTY: Final = frozenset({"", "-", "–", "—", "\N{MINUS SIGN}", "x", "/"})
_YES: Final = frozenset({"yes", "1", "x2", "×2", "ja", "oui", "так"})
_NO: Final = frozenset({"no", "0", "waived", "nein", "non", "ні"})


@dataclass(frozen=True, slots=True)
class Cell:
    """A field of a line: its text and the column at which it begins, from 1."""

    text: str
    column: int


@dataclass(slots=True)
class Sheet:
    """What a file held: names, rounds, and every fault with its place."""

    names: list[str] = field(default_factory=list)
    rounds: list[Entry] = field(default_factory=list)
    faults: list[RecordError] = field(default_factory=list)


def read_sheet(text: str, path: str = "") -> Sheet:
    """Read a sheet; ``faults`` names everything that is wrong, and nothing is guessed.

    >>> sheet = read_sheet("Round;Ana;Ben" + chr(10) + "1;12;-3" + chr(10) + "Total;12;-3")
    >>> sheet.names, [entry.points for entry in sheet.rounds], sheet.faults
    (['Ana', 'Ben'], [(12, -3)], [])
    """
    return _Reader(path).read(text)


class _Reader:
    def __init__(self, path: str) -> None:
        self.path = path
        self.sheet = Sheet()
        self.columns: list[tuple[str, int]] = []  # what each column is, and whose
        self.line = 0
        self.sums: list[int] = []

    def fault(self, message: str, column: int = 1, **values: object) -> None:
        fault = RecordError(message, path=self.path, line=self.line, column=column, **values)
        self.sheet.faults.append(fault)

    def read(self, text: str) -> Sheet:
        lines = text.removeprefix("\ufeff").splitlines()
        filled = [line for line in lines if line.strip()]
        if not filled:
            self.line = 1
            self.fault(N_("this file holds no sheet"))
            return self.sheet
        delimiter = delimiter_of(filled)
        for number, line in enumerate(lines, 1):
            self.line = number
            if not line.strip():
                continue
            cells = self.cells(line, delimiter)
            if cells is None:
                continue
            if not self.columns:
                self.header(cells)
            else:
                self.row(cells)
        if not self.sheet.rounds and not self.sheet.faults:
            self.fault(N_("there are names, but no rounds"))
        return self.sheet

    def cells(self, line: str, delimiter: str) -> list[Cell] | None:
        try:
            return list(split(line, delimiter))
        except ValueError as error:
            self.fault(N_("a quotation mark is not closed"), column=int(str(error)))
            return None

    # --- the first line -----------------------------------------------------------------------

    def header(self, cells: Sequence[Cell]) -> None:
        for place, cell in enumerate(cells):
            self.columns.append(self.kind_of(cell, place, last=place == len(cells) - 1))
        found = len(self.sheet.names)
        self.sums = [0] * found
        if found < MIN_SEATS:
            self.fault(N_("players in the first line: {n}; a sheet needs at least two"), n=found)
        elif found > MAX_SEATS:
            self.fault(N_("players in the first line: {n}; a sheet has room for eight"), n=found)

    def kind_of(self, cell: Cell, place: int, *, last: bool) -> tuple[str, int]:
        word = cell.text.casefold()
        if place == 0 and word in ROUND_WORDS:
            return "round", 0
        if word in CLOSED_WORDS:
            return "closed", 0
        if word in PENALTY_WORDS:
            return "penalty", 0
        if not word:
            if not last:
                self.fault(N_("a player without a name"), column=cell.column)
            return "", 0
        try:
            name = clean_name(unguarded(cell.text))
        except SkyjoError as error:
            self.fault(error.message, column=cell.column, **error.values)
            name = cell.text[:20]
        if any(same_name(name, other) for other in self.sheet.names):
            self.fault(N_("the name {name} stands here twice"), column=cell.column, name=name)
        if number_of(cell.text) is not None:
            self.fault(
                N_("the first line must name the players, but here is the number {text}"),
                column=cell.column,
                text=cell.text,
            )
        self.sheet.names.append(name)
        return "player", len(self.sheet.names) - 1

    # --- the rounds ---------------------------------------------------------------------------

    def row(self, cells: Sequence[Cell]) -> None:
        if self.columns[0][0] == "round" and cells[0].text.casefold().rstrip(":") in TOTAL_WORDS:
            self.totals(cells)
            return
        if len(self.sheet.rounds) >= MOST_ROUNDS:
            self.fault(N_("a sheet has at most {most} rounds"), most=MOST_ROUNDS)
            return
        before = len(self.sheet.faults)
        entry = self.entry(cells)
        needed = 1 + max(
            (n for n, (kind, _) in enumerate(self.columns) if kind == "player"), default=0
        )
        if len(cells) < needed:
            end = cells[-1].column + len(cells[-1].text)
            self.fault(N_("fewer fields than there are players"), column=end)
        elif (
            sum(each is not None for each in entry.points) < MIN_SEATS
            and len(self.sheet.faults) == before
            and len(self.sheet.names) >= MIN_SEATS
        ):
            self.fault(N_("a round needs the points of at least two players"))
        self.sheet.rounds.append(entry)
        for seat, each in enumerate(entry.points):
            self.sums[seat] += each or 0

    def entry(self, cells: Sequence[Cell]) -> Entry:
        points: list[int | None] = [None] * len(self.sheet.names)
        closer, penalty = NOBODY, BY_RULES
        for place, cell in enumerate(cells):
            kind, seat = self.columns[place] if place < len(self.columns) else ("more", 0)
            if kind == "player":
                points[seat] = self.points(cell)
            elif kind == "closed":
                closer = self.closer(cell)
            elif kind == "penalty":
                penalty = self.penalty(cell)
            elif kind == "more" and cell.text:
                self.fault(N_("more fields than the first line has"), column=cell.column)
        if closer != NOBODY and points[closer] is None:
            closer = NOBODY
        return Entry(tuple(points), closer, penalty)

    def points(self, cell: Cell) -> int | None:
        if cell.text.casefold() in _EMPTY:
            return None
        number = number_of(cell.text)
        if number is None:
            self.fault(
                N_("'{text}' is no number of points"), column=cell.column, text=cell.text[:30]
            )
        elif number != int(number):
            self.fault(N_("'{text}' is no whole number"), column=cell.column, text=cell.text[:30])
        elif abs(number) > MOST_POINTS:
            self.fault(
                N_("'{text}' points are not possible"), column=cell.column, text=cell.text[:30]
            )
        else:
            return int(number)
        return None

    def closer(self, cell: Cell) -> int:
        if cell.text.casefold() in _EMPTY:
            return NOBODY
        for seat, name in enumerate(self.sheet.names):
            if same_name(name, unguarded(cell.text)):
                return seat
        self.fault(
            N_("nobody on this sheet is called {name}"), column=cell.column, name=cell.text[:30]
        )
        return NOBODY

    def penalty(self, cell: Cell) -> str:
        word = cell.text.casefold()
        if word in _YES:
            return PENALISED
        if word in _NO:
            return SPARED
        if word not in _EMPTY:
            self.fault(
                N_("the penalty is 'yes', 'no' or empty (by the rules), not '{text}'"),
                column=cell.column,
                text=cell.text[:30],
            )
        return BY_RULES

    def totals(self, cells: Sequence[Cell]) -> None:
        """The last line of many sheets: it must be right, where nothing else changes totals."""
        if any(kind == "closed" for kind, _ in self.columns):
            return
        for place, cell in enumerate(cells[: len(self.columns)]):
            kind, seat = self.columns[place]
            number = number_of(cell.text)
            if kind == "player" and number is not None and number != self.sums[seat]:
                self.fault(
                    N_("the rounds of {name} add up to {sum}, but here stands {text}"),
                    column=cell.column,
                    name=self.sheet.names[seat],
                    sum=self.sums[seat],
                    text=cell.text[:30],
                )


def delimiter_of(lines: Sequence[str]) -> str:
    """The delimiter of a file: the one that the first lines have equally often, and most.

    >>> delimiter_of(["Ana;Ben", "1,0;2,5"])
    ';'
    """

    def worth(delimiter: str) -> tuple[bool, int]:
        counts = [line.count(delimiter) for line in lines[:5]]
        return len(set(counts)) == 1 and counts[0] > 0, counts[0]

    return max(DELIMITERS, key=worth)


def split(line: str, delimiter: str) -> Iterator[Cell]:
    """The fields of a line, with quotation marks as spreadsheets write them.

    ValueError, with the column, when a quotation mark is not closed.

    >>> [cell.text for cell in split('"Ana, B.", 3', ",")]
    ['Ana, B.', '3']
    """
    at = 0
    while True:
        start = at + len(line[at:]) - len(line[at:].lstrip(" "))
        if line[start : start + 1] == '"':
            end = start + 1
            while True:
                end = line.find('"', end)
                if end < 0:
                    raise ValueError(start + 1)
                if line[end + 1 : end + 2] != '"':
                    break
                end += 2
            text = line[start + 1 : end].replace('""', '"')
            following = line.find(delimiter, end)
        else:
            following = line.find(delimiter, at)
            text = line[at:] if following < 0 else line[at:following]
        yield Cell(text.strip(), min(start, len(line)) + 1)
        if following < 0:
            return
        at = following + 1


def number_of(text: str) -> float | None:
    """A number as spreadsheets write it, None for anything else.

    >>> number_of("−12"), number_of("12,0"), number_of("(3)"), number_of("1.5"), number_of("x")
    (-12.0, 12.0, -3.0, 1.5, None)
    """
    plain = text.strip().replace("\N{MINUS SIGN}", "-").replace("\N{EN DASH}", "-")
    plain = plain.replace("\N{NO-BREAK SPACE}", "").replace(" ", "")
    if plain.startswith("(") and plain.endswith(")"):
        plain = "-" + plain[1:-1]
    sign, digits = (-1, plain[1:]) if plain.startswith("-") else (1, plain.removeprefix("+"))
    whole, _mark, part = digits.replace(",", ".").partition(".")
    if not (whole.isdecimal() and (not part or part.isdecimal()) and len(digits) <= 12):
        return None
    return sign * float(f"{whole}.{part or 0}")


def write_sheet(names: Sequence[str], entries: Sequence[Entry], delimiter: str = ",") -> str:
    """A sheet as CSV that ``read_sheet`` reads back: the points as entered, and who closed.

    >>> print(write_sheet(["Ana", "Ben"], [Entry((10, 7), 0)]), end="")
    round,Ana,Ben,closed,penalty
    1,10,7,Ana,
    """
    words = {BY_RULES: "", PENALISED: "yes", SPARED: "no"}
    shown = [guarded(name, delimiter) for name in names]
    rows = [["round", *shown, "closed", "penalty"]]
    for number, entry in enumerate(entries, 1):
        points = ["" if each is None else str(each) for each in entry.points]
        closer = shown[entry.closer] if entry.closer >= 0 else ""
        rows.append([str(number), *points, closer, words[entry.penalty]])
    return "".join(delimiter.join(row) + "\n" for row in rows)


def unguarded(text: str) -> str:
    """What ``guarded`` was given: without the apostrophe before what could be a formula.

    >>> unguarded("'=SUM(A1)"), unguarded("'Ana")
    ('=SUM(A1)', "'Ana")
    """
    return text[1:] if text[:1] == "'" and _FORMULA.match(text) else text


def guarded(text: str, delimiter: str) -> str:
    """A text, such as a name, as a field of which no spreadsheet makes a formula.

    >>> guarded("-1+2", ","), guarded("Ana, B.", ",")
    ("'-1+2", '"Ana, B."')
    """
    # An apostrophe that was there before needs one more, so that it comes back.
    return quoted(f"'{text}" if _FORMULA.match(text) else text, delimiter)


def quoted(text: str, delimiter: str) -> str:
    """A field with the quotation marks that it needs."""
    if any(mark in text for mark in (delimiter, '"', "\n", "\r")):
        doubled = text.replace('"', '""')
        return f'"{doubled}"'
    return text
