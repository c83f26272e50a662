"""The line protocol: what is said between skyjo and a bot in any language (``docs/bots.md``).

Every message is one JSON object on a line of its own, in UTF-8. We speak first.

>>> hello()
{'type': 'hello', 'protocol': 1, 'skyjo': '0.1.0'}
"""

from __future__ import annotations

import json
from typing import Any, Final

import skyjo
from skyjo.errors import MalformedError
from skyjo.i18n import N_
from skyjo.rules.actions import SWAP_FROM, action_id, action_name, parse_action
from skyjo.rules.layout import (
    COLUMNS,
    HIGHEST,
    LOWEST,
    NOBODY,
    PHASE_NAMES,
    ROWS,
    SLOTS,
    UNKNOWN,
    View,
)
from skyjo.rules.legality import legal_actions
from skyjo.rules.ruleset import KNOBS
from skyjo.rules.scoring import is_winner

PROTOCOL: Final = 1
#: The longest line that is read, in bytes.
LONGEST: Final = 65_536

Message = dict[str, Any]


def line(message: Message) -> bytes:
    """A message as it is sent."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def read(raw: bytes) -> Message:
    """A message as it came. Raises MalformedError when it is none.

    >>> read(b'{"type": "action", "action": "draw"}')["action"]
    'draw'
    """
    try:
        message = json.loads(raw)
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        raise MalformedError(
            N_("expected a JSON object with a type on one line, not '{text}'"),
            text=raw[:80].decode(errors="replace").strip(),
        )
    return message


# --- What we say ----------------------------------------------------------------------------------


def hello() -> Message:
    """The first message of a process; it answers with a hello of its own."""
    return {"type": "hello", "protocol": PROTOCOL, "skyjo": skyjo.__version__}


def new_game(v: View) -> Message:
    """Before the first decision in a game; wants no answer."""
    return {
        "type": "new_game",
        "seat": v.seat,
        "seats": v.seats,
        "ruleset": v.rules.text(),
        "knobs": {knob.name: v.rules.value(knob.name) for knob in KNOBS},
    }


def question(v: View, number: int) -> Message:
    """What the seat sees, and what it may do; wants an action with the same number."""
    return {"type": "view", "id": number, "view": seen(v), "legal": legal(v)}


def result(v: View) -> Message:
    """After a game; wants no answer."""
    winners = [seat for seat in range(v.seats) if is_winner(v, seat)]
    return {"type": "result", "totals": list(v.totals[: v.seats]), "winners": winners}


def legal(v: View) -> list[str]:
    """The legal actions in notation."""
    out = [0] * 16
    return [action_name(action) for action in out[: legal_actions(v, v.seat, out)]]


def seen(v: View) -> Message:
    """A view: cards are numbers, "?" one that is not known, null none."""
    seats = range(v.seats)
    return {
        "seat": v.seat,
        "round": v.round,
        "phase": PHASE_NAMES[v.phase],
        "turn": _seat(v.turn),
        "hand": card(v.hand),
        "discard": card(v.discard_top),
        "discard_size": v.discard_size,
        "draw_size": v.draw_size,
        "grids": [_grid(v, seat) for seat in seats],
        "totals": list(v.totals[: v.seats]),
        "turns": list(v.turns[: v.seats]),
        "left": [seat for seat in seats if v.left[seat]],
        "last_turns": [seat for seat in seats if v.pending[seat]],
        "finisher": _seat(v.finisher),
        "starter": _seat(v.starter),
        "reshuffles": v.reshuffles,
        "may_be_hidden": _counts(v.may_be_hidden),
        "may_be_drawn": _counts(v.may_be_drawn),
    }


def card(value: int) -> int | str | None:
    """A card of a view.

    >>> from skyjo.rules.layout import NO_CARD, REMOVED
    >>> card(-2), card(UNKNOWN), card(REMOVED), card(NO_CARD)
    (-2, '?', None, None)
    """
    if value == UNKNOWN:
        return "?"
    return value if LOWEST <= value <= HIGHEST else None


def _grid(v: View, seat: int) -> list[list[int | str | None]]:
    cells = v.cells[seat * SLOTS : seat * SLOTS + SLOTS]
    return [
        [card(cells[row * COLUMNS + column]) for column in range(COLUMNS)] for row in range(ROWS)
    ]


def _counts(counts: list[int]) -> dict[str, int]:
    return {str(value + LOWEST): count for value, count in enumerate(counts) if count}


def _seat(seat: int) -> int | None:
    return None if seat == NOBODY else seat


# --- What we hear ---------------------------------------------------------------------------------


def action_in(message: Message, v: View, number: int) -> int:
    """The legal action that answers a question. Raises MalformedError for anything else."""
    if message["type"] != "action" or not isinstance(message.get("action"), str):
        raise MalformedError(N_("expected an action, not a '{kind}'"), kind=message["type"])
    if message.get("id", number) != number:
        raise MalformedError(N_("this answers another question"))
    verb, place = parse_action(message["action"])
    if place < 0 and verb >= SWAP_FROM:
        raise MalformedError(N_("'{action}' is not allowed now"), action=message["action"])
    action = action_id(verb, place)
    if action_name(action) not in legal(v):
        raise MalformedError(N_("'{action}' is not allowed now"), action=message["action"])
    return action
