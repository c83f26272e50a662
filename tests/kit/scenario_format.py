"""What a position may say: a slip in one would play another position than the one meant.

`faults` tells what is wrong with a scenario. Its further keys beside the four that are played
(`id`, `topic`, `what` ...) only describe it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from skyjo.errors import MalformedError
from skyjo.rules.actions import parse_action
from skyjo.rules.layout import COLUMNS, HIGHEST, LOWEST, ROWS
from skyjo.rules.legality import REASONS

PLAYED = ("rules", "start", "moves", "expect")
CHECKS = ("deck", "player_count")
#: `policy` tells in words what `moves = "policy"` plays.
START = frozenset(
    {"players", "grids", "discard", "draw", "turn", "phase", "finisher", "pending", "totals"}
    | {"round", "fixed_starter", "discard_face_down", "reshuffle_to", "deal", "deck"}
    | {"check", "policy"}
)
EXPECT = frozenset(
    {"phase", "turn", "grids", "finisher", "pending", "discard", "discard_top_visible"}
    | {"draw_left", "removed", "raw", "final", "totals", "next_starter", "winners", "left"}
    | {"first_player", "turns_played"}
)
DECK_EXPECT = frozenset(("counts", "size", "sum"))
CELL = re.compile(r"x|\??-?\d+")
CODES = {reason[0] for reason in REASONS if reason[0]}


def faults(scenario: Any) -> Iterator[str]:
    """What is wrong with the words of a scenario; nothing is played."""
    if not isinstance(scenario, Mapping):
        yield f"is {type(scenario).__name__}, not an object"
        return
    missing = [key for key in PLAYED if key not in scenario]
    if missing:
        yield f"has no {', '.join(missing)}"
        return
    start, expect = scenario["start"], scenario["expect"]
    if not isinstance(scenario["rules"], str | Mapping):
        yield "rules is neither a preset nor an object"
        return
    for name, part in (("start", start), ("expect", expect)):
        if not isinstance(part, Mapping):
            yield f"{name} is not an object"
            return
    yield from unknown("start", start, START)
    if "check" in start:
        yield from faults_of_check(start["check"], expect)
        return
    yield from unknown("expect", expect, EXPECT)
    seats = start.get("players")
    if not is_list(seats, str) or not seats:
        yield "start.players is not a list of names"
        return
    yield from faults_of_start(start, seats)
    yield from faults_of_moves(scenario["moves"], seats)
    yield from faults_of_expect(expect, seats)


def unknown(name: str, part: Mapping[str, Any], known: frozenset[str]) -> Iterator[str]:
    for key in part:
        if key not in known:
            yield f"{name}.{key} is not known"


def faults_of_check(check: Any, expect: Mapping[str, Any]) -> Iterator[str]:
    if check not in CHECKS:
        yield f"start.check is {check!r}, not one of {', '.join(CHECKS)}"
    elif check == "deck":
        yield from unknown("expect", expect, DECK_EXPECT)
    else:
        for count, answer in expect.items():
            if not count.isdigit() or answer not in ("ok", "rejected"):
                yield f"expect.{count} is {answer!r}; a number of seats is 'ok' or 'rejected'"


def faults_of_start(start: Mapping[str, Any], seats: list[str]) -> Iterator[str]:
    if "deal" not in start and "deck" not in start:
        grids = start.get("grids")
        if grids is None:
            yield "start has neither grids nor a deal"
        else:
            yield from (f"start.grids has none for {s!r}" for s in seats if s not in grids)
            yield from faults_of_grids("start", grids, seats)
    if start.get("deal", "ascending") != "ascending":
        yield f"start.deal is {start['deal']!r}, not 'ascending'"
    if start.get("phase", "turn") not in ("reveal", "turn"):
        yield f"start.phase is {start['phase']!r}, not 'reveal' or 'turn'"
    for key in ("discard", "draw", "deck", "reshuffle_to"):
        if key in start and not (is_list(start[key], int) and all(map(is_card, start[key]))):
            yield f"start.{key} is not a list of cards"
    for key in ("turn", "finisher", "fixed_starter"):
        if start.get(key) is not None and start[key] not in seats:
            yield f"start.{key} is {start[key]!r}, who does not play"
    for key in ("pending", "totals"):
        for name in start.get(key) or ():
            if name not in seats:
                yield f"start.{key} names {name!r}, who does not play"


def faults_of_grids(part: str, grids: Any, seats: list[str]) -> Iterator[str]:
    if not isinstance(grids, Mapping):
        yield f"{part}.grids is not an object"
        return
    for name, text in grids.items():
        if not isinstance(text, str):
            yield f"{part}.grids.{name} is not a text"
            continue
        if name not in seats:
            yield f"{part}.grids names {name!r}, who does not play"
            continue
        rows = [row.split() for row in text.split("/")]
        if [len(row) for row in rows] != [COLUMNS] * ROWS:
            yield f"{part}.grids.{name} is not {ROWS} rows of {COLUMNS}"
        for cell in (cell for row in rows for cell in row):
            if not CELL.fullmatch(cell) or (cell != "x" and not is_card(int(cell.strip("?")))):
                yield f"{part}.grids.{name} has {cell!r}, which is no card"


def faults_of_moves(moves: Any, seats: list[str]) -> Iterator[str]:
    if moves == "policy":
        return
    if not is_list(moves, str):
        yield "moves is neither 'policy' nor a list of moves"
        return
    for number, move in enumerate(moves, 1):
        text, refused, code = (part.strip() for part in move.partition("=> ILLEGAL"))
        name = seat_of(text, seats)
        if name is None:
            yield f"move {number}, {move!r}, does not begin with a seat's name"
            continue
        try:
            parse_action(text.removeprefix(name).strip())
        except MalformedError as problem:
            yield f"move {number}, {move!r}: {problem}"
        if refused and code not in CODES:
            yield f"move {number}, {move!r}: there is no code {code!r}"


def seat_of(move: str, seats: Sequence[str]) -> str | None:
    """Whose move it is; a name may begin with another one."""
    named = [name for name in seats if move.startswith(f"{name} ")]
    return max(named, key=len, default=None)


def faults_of_expect(expect: Mapping[str, Any], seats: list[str]) -> Iterator[str]:
    if "grids" in expect:
        yield from faults_of_grids("expect", expect["grids"], seats)
    for key in ("raw", "final", "totals", "winners", "left", "pending"):
        for name in expect.get(key) or ():
            if name not in seats:
                yield f"expect.{key} names {name!r}, who does not play"


def is_list(value: Any, kind: type) -> bool:
    return isinstance(value, list) and all(type(item) is kind for item in value)


def is_card(value: int) -> bool:
    return LOWEST <= value <= HIGHEST
