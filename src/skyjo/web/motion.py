"""What moved with the last ply: for classes and hints that style sheet and script turn into motion.

Nothing here changes what is shown, only how it gets there; a page without scripts ignores it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from skyjo.rules.actions import (
    DISCARD,
    DRAW,
    FLIP_VERB,
    REVEAL_VERB,
    SWAP_VERB,
    TAKE,
    slot_of,
    verb_of,
)
from skyjo.rules.layout import COLUMNS, REMOVED, ROWS, SLOTS, View
from skyjo.rules.plies import Line, Ply


@dataclass(slots=True)
class Motion:
    """What is new on the board.

    By (seat, slot): ``classes`` of the slot, ``leaving`` the cards that have just gone; ``fly``
    what flies from where to where by element id ("a|b>c": from a, or from b if there is no a);
    ``discard`` whether the top of the discard pile is new.
    """

    classes: dict[tuple[int, int], str] = field(default_factory=dict)
    leaving: dict[tuple[int, int], int] = field(default_factory=dict)
    fly: str = ""
    discard: bool = False
    hand: bool = False


def motion_of(ply: Ply | None, view: View | None) -> Motion:
    """The motion of the last ply of a round.

    >>> motion_of(Ply(1, DRAW), None).fly
    'draw>hand'
    """
    motion = Motion()
    if ply is None:
        return motion
    verb = verb_of(ply.action)
    spot = (ply.seat, slot_of(ply.action))
    at = f"g{ply.seat}-{spot[1]}"
    if verb == SWAP_VERB:
        motion.classes[spot] = "fresh"
        motion.fly = f"hand|discard>{at} {at}>discard"
        motion.discard = True
    elif verb in (FLIP_VERB, REVEAL_VERB):
        motion.classes[spot] = "fresh turned"
    elif verb == DISCARD:
        motion.fly = "hand>discard"
        motion.discard = True
    elif verb in (TAKE, DRAW):
        motion.fly = "discard>hand" if verb == TAKE else "draw>hand"
        motion.hand = True
    waves = {seat: wave for wave, seat in enumerate(dict.fromkeys(t.seat for t in ply.turned_up))}
    for turned in ply.turned_up:
        motion.classes[turned.seat, turned.slot] = f"turned w{waves[turned.seat]}"
    if view is not None:
        for line in ply.lines:
            _leave(motion, line, ply, view)
    return motion


def _leave(motion: Motion, line: Line, ply: Ply, view: View) -> None:
    """The cards of a column or row that went: all have the same value."""
    spots = [(line.seat, slot) for slot in slots_of(line)]
    faces = {(t.seat, t.slot): t.card for t in ply.turned_up}
    if ply.card is not None and verb_of(ply.action) in (SWAP_VERB, FLIP_VERB):
        faces[ply.seat, slot_of(ply.action)] = ply.card
    known = next((faces[spot] for spot in spots if spot in faces), view.discard_top)
    for seat, slot in spots:
        if view.cells[seat * SLOTS + slot] == REMOVED:
            motion.leaving[seat, slot] = known
    motion.discard = True


def slots_of(line: Line) -> list[int]:
    """The slots of a column or a row.

    >>> slots_of(Line(0, 1)), slots_of(Line(0, 6))
    ([1, 5, 9], [8, 9, 10, 11])
    """
    if line.is_column:
        return [row * COLUMNS + line.index for row in range(ROWS)]
    return [line.index * COLUMNS + column for column in range(COLUMNS)]
