"""A scene laid out for the table's page: who sits where, what can be pressed, what has moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from skyjo.i18n import _
from skyjo.rules.actions import (
    DISCARD,
    DRAW,
    FLIP_FROM,
    PASS,
    REMOVE_FROM,
    REVEAL_FROM,
    SWAP_FROM,
    TAKE,
    action_name,
)
from skyjo.rules.layout import (
    CHOOSE,
    COLUMNS,
    NO_CARD,
    NOBODY,
    PLACE_OR_DISCARD,
    ROUND_OVER,
    SLOTS,
    UNKNOWN,
    View,
)
from skyjo.rules.plies import Ply
from skyjo.table.scene import Scene, SeatScene
from skyjo.web.cards import card_words, is_open, number
from skyjo.web.motion import Motion, motion_of
from skyjo.web.words import isolate

_ON_SLOTS: Final = (REVEAL_FROM, SWAP_FROM, FLIP_FROM)


@dataclass(frozen=True, slots=True)
class Slot:
    """One of the front seat's slots.

    ``action`` is what pressing it does now, ``later`` once the discard has been chosen.
    """

    id: str
    card: int
    action: str
    later: str
    css: str


@dataclass(frozen=True, slots=True)
class Board:
    """What ``_board.html`` draws.

    ``front`` is the seat whose grid is large, ``others`` the rest clockwise from there; ``css`` the
    classes that tell the moment of a turn; ``picked`` whether the discard has been chosen, ``pick``
    whether it can be; ``take``, ``draw``, ``lay_off`` the actions of the piles ("" when there is
    none), ``choices`` further actions with their labels; ``turn`` the seat on turn or -1; ``chime``
    changes when it is the viewer's turn anew; ``wave`` how long the final reveal takes.
    """

    front: int
    others: tuple[int, ...]
    css: str
    slots: tuple[Slot, ...]
    motion: Motion
    pick: bool
    picked: bool
    take: str
    draw: str
    lay_off: str
    choices: tuple[tuple[str, str], ...]
    draw_words: str
    discard_words: str
    turn: int
    hand: int
    chime: str
    wave: int


def board_of(scene: Scene, take: bool = False) -> Board:
    """Lay out a scene whose game has begun; ``take`` that the discard was chosen on the page."""
    view = scene.view
    if view is None:
        raise ValueError("the game of this table has not begun")
    front = view.seat if view.seat != NOBODY else 0
    last = scene.recent[-1] if scene.round_plies and scene.recent else None
    legal = scene.legal if scene.acting is not None else ()
    pick = TAKE in legal and view.discard_top != UNKNOWN
    motion = motion_of(last, view)
    return Board(
        front=front,
        others=clockwise(front, len(scene.seats)),
        css=moment(scene, view, picked=take and pick),
        slots=tuple(
            _slot(view, (front, slot), legal, pick, motion.classes.get((front, slot), ""))
            for slot in range(SLOTS)
        ),
        motion=motion,
        pick=pick,
        picked=take and pick,
        take="" if pick or TAKE not in legal else action_name(TAKE),
        draw=action_name(DRAW) if DRAW in legal else "",
        lay_off=action_name(DISCARD) if DISCARD in legal else "",
        choices=_choices(view, legal),
        draw_words=_("Draw a card") if DRAW in legal else _("Draw pile"),
        discard_words=_discard_words(view, legal),
        turn=view.turn,
        hand=view.hand,
        chime=_chime(scene, view),
        wave=_wave(last),
    )


def clockwise(front: int, seats: int) -> tuple[int, ...]:
    """The other seats as they sit around the table.

    >>> clockwise(2, 4)
    (3, 0, 1)
    """
    return tuple((front + step) % seats for step in range(1, seats))


def moment(scene: Scene, view: View, *, picked: bool) -> str:
    """The classes of the board: how many others there are, and the moment of the turn."""
    classes = [f"n{len(scene.seats) - 1}"]
    if scene.acting is not None:
        classes.append("yours")
        classes.append("source" if view.phase == CHOOSE and not picked else "placing")
    if scene.onlooker:
        classes.append("onlooker")
    if scene.phase == "over" or view.phase >= ROUND_OVER:
        classes.append("ended")
    return " ".join(classes)


def _slot(view: View, place: tuple[int, int], legal: Sequence[int], pick: bool, css: str) -> Slot:
    front, slot = place
    card = view.cells[front * SLOTS + slot]
    action = next((action_name(first + slot) for first in _ON_SLOTS if first + slot in legal), "")
    if not action and REMOVE_FROM + slot % COLUMNS in legal:
        action = action_name(REMOVE_FROM + slot % COLUMNS)
    there = is_open(card) or card == UNKNOWN
    return Slot(
        id=f"g{front}-{slot}",
        card=card,
        action=action,
        later=f"take, {action_name(SWAP_FROM + slot)}" if pick and there else "",
        css=css,
    )


def _choices(view: View, legal: Sequence[int]) -> tuple[tuple[str, str], ...]:
    choices = []
    if DISCARD in legal:
        label = _("Discard the {card}", card=number(view.hand))
        choices.append((action_name(DISCARD), label))
    for column in range(COLUMNS):
        if REMOVE_FROM + column in legal:
            label = _("Remove column {number}", number=column + 1)
            choices.append((action_name(REMOVE_FROM + column), label))
    if PASS in legal:
        choices.append((action_name(PASS), _("Pass")))
    return tuple(choices)


def _discard_words(view: View, legal: Sequence[int]) -> str:
    if view.discard_top == NO_CARD:
        return _("Discard pile: empty")
    if view.phase == PLACE_OR_DISCARD and DISCARD in legal:
        return _("Discard the {card}", card=number(view.hand))
    card = card_words(view.discard_top)
    if TAKE in legal:
        return _("Take from the discard pile: {card}", card=card)
    return _("Discard pile: {card}", card=card)


def _chime(scene: Scene, view: View) -> str:
    if scene.acting is None:
        return ""
    return f"{view.round}.{scene.acting}.{view.turns[scene.acting]}"


def _wave(ply: Ply | None) -> int:
    return len({turned.seat for turned in ply.turned_up}) if ply is not None else 0


def cells_of(view: View, seat: int) -> list[int]:
    """The twelve slots of a seat."""
    return view.cells[seat * SLOTS : seat * SLOTS + SLOTS]


def open_sum(view: View, seat: int) -> int:
    """The sum of the cards that lie open."""
    return sum(card for card in cells_of(view, seat) if is_open(card))


def marks(seat: SeatScene, view: View) -> list[tuple[str, str]]:
    """What is to be seen about a seat at a glance: icon and words."""
    found = []
    if view.turn == seat.seat or seat.decides:
        found.append(("turn", _("on turn")))
    if seat.left:
        found.append(("left", _("has left")))
    elif seat.stand_in:
        found.append(("bot", _("a bot plays")))
    elif seat.away_since is not None:
        found.append(("away", _("away")))
    elif seat.idle_since is not None:
        found.append(("idle", _("has not moved for long")))
    if view.finisher == seat.seat:
        found.append(("closed", _("closed the round")))
    elif view.pending[seat.seat] and view.finisher != NOBODY:
        found.append(("last", _("has a last turn")))
    return found


def standing(scene: Scene) -> list[tuple[int, str, int, bool]]:
    """Rank (0 without one), name, total and whether it is the viewer, best first."""
    sheet = scene.sheet
    if sheet is None:
        return []
    rows = [
        (sheet.ranks[seat] or 0, isolate(name), sheet.totals[seat], seat in scene.mine)
        for seat, name in enumerate(sheet.players)
    ]
    return sorted(rows, key=lambda row: (row[0] == 0, row[0], row[2]))
