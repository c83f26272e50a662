"""Random play with a bias: pilots see everything and only ever choose what is legal."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from tests.oracle import COLUMNS, OPENING, PLACES, ROWS, Player, Table

Move = tuple[int, str, str | None]


@dataclass(frozen=True)
class Pilot:
    """Chances, each from 0 to 1, of the choices in a turn."""

    draw: float = 0.5
    discard: float = 0.4
    face_up: float = 0.3
    collect: float = 0.3
    decline: float = 0.5
    leave: float = 0.0

    def choose(self, rng: Random, table: Table) -> Move:
        """One legal move for somebody; the table must not be over."""
        if rng.random() < self.leave:
            return rng.choice(table.remaining()).seat, "leave", None
        if table.phase == "reveal":
            return self._reveal(rng, table)
        player = table.turn
        assert player is not None, "between rounds there is nothing to choose but leaving"
        verb, where = getattr(self, f"_{table.step}")(rng, table, player)
        return player.seat, verb, where

    def _reveal(self, rng: Random, table: Table) -> Move:
        player = table.on_turn() or rng.choice(
            [p for p in table.remaining() if len(table.opened(p)) < OPENING]
        )
        return player.seat, "reveal", _slot(rng.choice(table.hidden(player)))

    def _choose(self, rng: Random, table: Table, player: Player) -> tuple[str, str | None]:
        draw = table.refusal(player.seat, "draw") is None
        take = table.refusal(player.seat, "take") is None
        return ("draw" if draw and (not take or rng.random() < self.draw) else "take"), None

    def _must_swap(self, rng: Random, table: Table, player: Player) -> tuple[str, str | None]:
        assert table.hand is not None
        if rng.random() < self.collect:
            return "swap", _slot(_towards_column(table, player, table.hand.value))
        hidden = table.hidden(player)
        shown = [place for place in player.cells if place not in hidden]
        pile = shown if shown and (not hidden or rng.random() < self.face_up) else hidden
        return "swap", _slot(rng.choice(pile))

    def _place_or_discard(
        self, rng: Random, table: Table, player: Player
    ) -> tuple[str, str | None]:
        if rng.random() < self.discard:
            return "discard", None
        return self._must_swap(rng, table, player)

    def _must_flip(self, rng: Random, table: Table, player: Player) -> tuple[str, str | None]:
        if table.rules["flip_after_discard"] == "optional" and rng.random() < self.decline:
            return "pass", None
        hidden = table.hidden(player)
        if rng.random() < self.collect:
            hidden = [max(hidden, key=lambda place: _equals(player, place))]
        return "flip", _slot(rng.choice(hidden))

    def _choose_column(self, rng: Random, table: Table, player: Player) -> tuple[str, str | None]:
        if rng.random() < self.decline:
            return "pass", None
        return "remove", f"c{rng.choice(table.full_columns(player))}"


#: Pilots by name, from everyday play to the corners.
PILOTS = {
    "uniform": Pilot(),
    "collector": Pilot(draw=0.6, discard=0.3, collect=0.9, face_up=0.2),
    "drawer": Pilot(draw=1.0, discard=0.5, face_up=0.8, decline=0.9),
    "staller": Pilot(draw=0.9, discard=0.05, face_up=0.95, collect=0.1, decline=0.9),
    "taker": Pilot(draw=0.1, face_up=0.7),
    "leaver": Pilot(draw=0.7, leave=0.02),
    "deserter": Pilot(draw=0.8, leave=0.12),
}


def _slot(place: tuple[int, int]) -> str:
    return f"r{place[0]}c{place[1]}"


def _equals(player: Player, place: tuple[int, int]) -> int:
    """How many cards in this place's column have its value."""
    column = [player.cells.get((row, place[1])) for row in range(ROWS)]
    return sum(card is not None and card.value == player.cells[place].value for card in column)


def _towards_column(table: Table, player: Player, value: int) -> tuple[int, int]:
    """The slot that brings this value nearest to a full column."""
    best, place = -1, next(place for place in PLACES if place in player.cells)
    for column in range(COLUMNS):
        slots = [(row, column) for row in range(ROWS) if (row, column) in player.cells]
        other = [slot for slot in slots if player.cells[slot].value != value]
        shown = sum(
            player.cells[slot].value == value and player.cells[slot] in table.public
            for slot in slots
        )
        if other and shown > best:
            best, place = shown, other[0]
    return place
