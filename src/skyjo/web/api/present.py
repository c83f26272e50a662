"""A scene as JSON: the same scene that the pages show, so that the two cannot differ.

Everything here is a plain rewriting of ``skyjo.table.scene.Scene``: numbers become names, and
nothing is looked up anywhere else. ``schemas`` describes the result; a test holds both together.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from skyjo.game import RoundResult, ScoreSheet
from skyjo.rules.actions import ACTIONS, action_name, slot_name
from skyjo.rules.layout import (
    COLUMNS,
    HIGHEST,
    LOWEST,
    NO_CARD,
    NOBODY,
    PHASE_NAMES,
    REMOVED,
    ROWS,
    SLOTS,
    UNKNOWN,
    View,
)
from skyjo.rules.plies import Line, Ply
from skyjo.rules.ruleset import Ruleset
from skyjo.table.scene import Scene, SeatScene
from skyjo.web.api.answers import dumps

HIDDEN: Final = "hidden"
GONE: Final = "gone"

_CELLS: Final[dict[int, int | str]] = {
    **{value: value for value in range(LOWEST, HIGHEST + 1)},
    UNKNOWN: HIDDEN,
    REMOVED: GONE,
}
_CARDS: Final[dict[int, int | str | None]] = {
    **{value: value for value in range(LOWEST, HIGHEST + 1)},
    UNKNOWN: HIDDEN,
    NO_CARD: None,
}
_ACTIONS: Final = tuple(action_name(action) for action in range(ACTIONS))
_SLOTS: Final = tuple(slot_name(slot) for slot in range(SLOTS))
_SEAT_FIELDS: Final = SeatScene.__slots__


def table_text(scene: Scene) -> str:
    """What a viewer may see of a table as JSON text."""
    return with_time(still(scene), scene.now)


def still(scene: Scene) -> str:
    """The same without the time at which it was made: equal texts, nothing new to see.

    Actions and scored rounds never change, and are most of the text: theirs are kept.
    """
    recent = ",".join(map(_ply_text, scene.recent))
    sheet = "null" if scene.sheet is None else _sheet_text(scene.sheet)
    return f'{dumps(table_form(scene))[:-1]},"recent":[{recent}],"sheet":{sheet}}}'


def with_time(text: str, now: float) -> str:
    """A ``still`` text with its time.

    >>> with_time('{"id":"x"}', 1.5)
    '{"now":1.5,"id":"x"}'
    """
    return f'{{"now":{now!r},{text[1:]}'


def table_form(scene: Scene) -> dict[str, Any]:
    """A scene as JSON can hold it, but for ``now``, ``recent`` and ``sheet``."""
    return {
        "id": scene.table_id,
        "code": scene.code,
        "version": scene.version,
        "phase": scene.phase,
        "abandoned": scene.abandoned,
        "ruleset": _ruleset_text(scene.ruleset),
        "pace": scene.pace,
        "seats": [seat_form(seat) for seat in scene.seats],
        "open_seats": scene.open_seats,
        "mine": scene.mine,
        "onlooker": scene.onlooker,
        "acting": scene.acting,
        "legal": [_ACTIONS[action] for action in scene.legal],
        "game": None if scene.view is None else game_form(scene.view),
        "round_plies": scene.round_plies,
        "between_rounds": scene.between_rounds,
        "continue_at": scene.continue_at,
        "may_ready": scene.may_ready,
        "is_host": scene.is_host,
        "may_start": scene.may_start,
        "may_choose_rules": scene.may_choose_rules,
        "may_take_host": scene.may_take_host,
        "may_join": scene.may_join,
        "may_rematch": scene.may_rematch,
        "rematch_absent": scene.rematch_absent,
        "next_table": scene.next_table or None,
        "previous_table": scene.previous_table or None,
        "may_delete": scene.may_delete,
    }


@lru_cache(maxsize=256)
def _ruleset_text(ruleset: Ruleset) -> str:
    return ruleset.text()


def seat_form(seat: SeatScene) -> dict[str, Any]:
    """One seat."""
    return {name: getattr(seat, name) for name in _SEAT_FIELDS}


def game_form(view: View) -> dict[str, Any]:
    """The cards and counters that the viewer may know."""
    seats = range(view.seats)
    return {
        "seat": _seat(view.seat),
        "round": view.round,
        "phase": PHASE_NAMES[view.phase],
        "turn": _seat(view.turn),
        "starter": _seat(view.starter),
        "next_starter": _seat(view.next_starter),
        "finisher": _seat(view.finisher),
        "hand": _CARDS[view.hand],
        "draw_size": view.draw_size,
        "discard_size": view.discard_size,
        "discard_top": _CARDS[view.discard_top],
        "reshuffles": view.reshuffles,
        "grids": [grid(view, seat) for seat in seats],
        "hidden": view.hidden[: view.seats],
        "pending": [bool(view.pending[seat]) for seat in seats],
        "left": [bool(view.left[seat]) for seat in seats],
        "turns": view.turns[: view.seats],
        "raw": view.raw[: view.seats],
        "final": view.final[: view.seats],
        "totals": view.totals[: view.seats],
        "may_be_hidden": view.may_be_hidden[:],
        "may_be_drawn": view.may_be_drawn[:],
    }


def grid(view: View, seat: int) -> list[list[int | str]]:
    """The three rows of a seat's cards."""
    first = seat * SLOTS
    cells = [_CELLS[cell] for cell in view.cells[first : first + SLOTS]]
    return [cells[row * COLUMNS : (row + 1) * COLUMNS] for row in range(ROWS)]


def ply_form(ply: Ply) -> dict[str, Any]:
    """What an action has shown."""
    return {
        "seat": ply.seat,
        "action": _ACTIONS[ply.action],
        "card": ply.card,
        "replaced": ply.replaced,
        "was_hidden": ply.was_hidden,
        "lines": [line_form(line) for line in ply.lines],
        "closed": ply.closed,
        "turned_up": [
            {"seat": turned.seat, "slot": _SLOTS[turned.slot], "card": turned.card}
            for turned in ply.turned_up
        ],
        "ends": ply.ends,
    }


def line_form(line: Line) -> dict[str, Any]:
    """A column or row that went."""
    return {"seat": line.seat, "line": line.name}


def sheet_form(sheet: ScoreSheet) -> dict[str, Any]:
    """The score sheet, but for its rounds."""
    return {
        "totals": sheet.totals,
        "left": sheet.left,
        "leaders": sheet.leaders,
        "winners": sheet.winners,
        "ranks": sheet.ranks,
        "by_forfeit": sheet.by_forfeit,
    }


def round_form(result: RoundResult) -> dict[str, Any]:
    """One line of the score sheet."""
    return {
        "number": result.number,
        "starter": result.starter,
        "finisher": result.finisher,
        "penalised": result.penalised,
        "raw": result.raw,
        "points": result.points,
        "totals": result.totals,
        "turns": result.turns,
        "lines": [line_form(line) for line in result.lines],
    }


@lru_cache(maxsize=8192)
def _ply_text(ply: Ply) -> str:
    return dumps(ply_form(ply))


@lru_cache(maxsize=512)
def _round_text(result: RoundResult) -> str:
    return dumps(round_form(result))


def _sheet_text(sheet: ScoreSheet) -> str:
    rounds = ",".join(map(_round_text, sheet.rounds))
    return f'{dumps(sheet_form(sheet))[:-1]},"rounds":[{rounds}]}}'


def _seat(seat: int) -> int | None:
    return None if seat == NOBODY else seat
