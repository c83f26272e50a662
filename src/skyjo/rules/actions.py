"""Actions: one small number for each verb with its slot, and back (rules 2.18).

==========  ==========================================
0           take the top discard
1           draw from the draw pile
2           discard the drawn card
3           pass
4 .. 15     reveal an opening card, slot 0 .. 11
16 .. 27    swap the card in hand into slot 0 .. 11
28 .. 39    flip the hidden card in slot 0 .. 11
40 .. 43    remove column 0 .. 3
44          leave the game
==========  ==========================================

These numbers are stable: records, bots and research environments use them.
"""

from __future__ import annotations

import re
from typing import Final

from skyjo.errors import MalformedError
from skyjo.i18n import N_
from skyjo.rules.layout import COLUMNS, SLOTS

TAKE: Final = 0
DRAW: Final = 1
DISCARD: Final = 2
PASS: Final = 3
REVEAL_FROM: Final = 4
SWAP_FROM: Final = 16
FLIP_FROM: Final = 28
REMOVE_FROM: Final = 40
LEAVE: Final = 44
ACTIONS: Final = 45

# A verb with slots is named by its first action.
REVEAL_VERB: Final = REVEAL_FROM
SWAP_VERB: Final = SWAP_FROM
FLIP_VERB: Final = FLIP_FROM
REMOVE_VERB: Final = REMOVE_FROM

#: Slot of an action that has none, and of one that names a slot which does not exist.
NO_SLOT: Final = -1

VERBS: Final = {
    "take": TAKE,
    "draw": DRAW,
    "discard": DISCARD,
    "pass": PASS,
    "reveal": REVEAL_VERB,
    "swap": SWAP_VERB,
    "flip": FLIP_VERB,
    "remove": REMOVE_VERB,
    "leave": LEAVE,
}
_VERB_NAMES: Final = {number: name for name, number in VERBS.items()}
_SLOT = re.compile(r"r(-?[0-9]{1,3})c(-?[0-9]{1,3})")
_COLUMN = re.compile(r"c(-?[0-9]{1,3})")


def verb_of(action: int) -> int:
    """The verb of an action.

    >>> verb_of(SWAP_FROM + 5) == SWAP_VERB
    True
    """
    if action < REVEAL_FROM or action == LEAVE:
        return action
    if action < SWAP_FROM:
        return REVEAL_VERB
    if action < FLIP_FROM:
        return SWAP_VERB
    if action < REMOVE_FROM:
        return FLIP_VERB
    return REMOVE_VERB


def slot_of(action: int) -> int:
    """The slot of a reveal, swap or flip; ``NO_SLOT`` for other verbs.

    >>> slot_of(SWAP_FROM + 5), slot_of(TAKE)
    (5, -1)
    """
    if REVEAL_FROM <= action < REMOVE_FROM:
        return (action - REVEAL_FROM) % SLOTS
    return NO_SLOT


def column_of(action: int) -> int:
    """The column of a ``remove``.

    >>> column_of(REMOVE_FROM + 2)
    2
    """
    return action - REMOVE_FROM


def place_of(action: int) -> int:
    """The slot or column of an action, ``NO_SLOT`` when it has none."""
    if REMOVE_FROM <= action < LEAVE:
        return column_of(action)
    return slot_of(action)


def slot_name(slot: int) -> str:
    """``r0c0`` for the first slot.

    >>> slot_name(5)
    'r1c1'
    """
    return f"r{slot // COLUMNS}c{slot % COLUMNS}"


def action_name(action: int) -> str:
    """An action in the notation of records, without the seat.

    >>> action_name(SWAP_FROM + 5), action_name(REMOVE_FROM + 3), action_name(DRAW)
    ('swap r1c1', 'remove c3', 'draw')
    """
    verb = verb_of(action)
    if verb == REMOVE_VERB:
        return f"remove c{column_of(action)}"
    if verb >= REVEAL_FROM and verb != LEAVE:
        return f"{_VERB_NAMES[verb]} {slot_name(slot_of(action))}"
    return _VERB_NAMES[verb]


def parse_action(text: str) -> tuple[int, int]:
    """Verb and slot (or column) of an action in notation.

    The slot is ``NO_SLOT`` when the verb takes none or the slot does not exist (which the rules
    refuse, when nothing else is wrong).

    Raises MalformedError for anything that is not of that form.

    >>> parse_action("swap r1c1") == (SWAP_VERB, 5)
    True
    >>> parse_action("swap r3c0") == (SWAP_VERB, NO_SLOT)
    True
    """
    words = text.split()
    if not words or words[0] not in VERBS:
        raise MalformedError(
            N_("'{text}' is not an action; it begins with one of: {verbs}"),
            text=text,
            verbs=", ".join(VERBS),
        )
    verb = VERBS[words[0]]
    if verb < REVEAL_FROM or verb == LEAVE:
        if len(words) > 1:
            raise MalformedError(N_("'{verb}' stands alone"), verb=words[0])
        return verb, NO_SLOT
    place = words[1] if len(words) == 2 else ""
    if verb == REMOVE_VERB:
        if not (found := _COLUMN.fullmatch(place)):
            raise MalformedError(N_("'{verb}' needs a column, c0 to c3"), verb=words[0])
        column = int(found[1])
        return verb, column if 0 <= column < COLUMNS else NO_SLOT
    if not (found := _SLOT.fullmatch(place)):
        raise MalformedError(N_("'{verb}' needs a slot, r0c0 to r2c3"), verb=words[0])
    row, column = int(found[1]), int(found[2])
    inside = 0 <= row * COLUMNS < SLOTS and 0 <= column < COLUMNS
    return verb, row * COLUMNS + column if inside else NO_SLOT


def action_id(verb: int, place: int) -> int:
    """The action for a verb and its existing slot or column.

    >>> action_name(action_id(SWAP_VERB, 5))
    'swap r1c1'
    """
    return verb + place if REVEAL_FROM <= verb < LEAVE else verb
