"""A slow second referee, written from docs/rules.md alone; it shares no code with `skyjo.rules`.

Cards are objects with an identity, grids are dicts from (row, column) to a card, players are
objects, a ruleset is a read-only mapping of knob names, a refused action is an exception with its
code. Chance is passed in: decks and reshuffles are lists of values, top first.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

ROWS, COLUMNS, OPENING, SEATS = 3, 4, 2, range(2, 9)
PLACES = tuple((row, column) for row in range(ROWS) for column in range(COLUMNS))
DECK = (-2,) * 5 + (-1,) * 10 + (0,) * 15 + tuple(v for v in range(1, 13) for _ in range(10))
VERBS = ("reveal", "take", "draw", "swap", "discard", "flip", "remove", "pass", "leave")
SLOT_VERBS = ("reveal", "swap", "flip")

# Section 1 -----------------------------------------------------------------------------------

CHOICES: dict[str, tuple[Any, ...]] = {
    "column_removal": ("mandatory", "off", "player_choice"),
    "columns_at_final_reveal": (True, False),
    "next_starter": ("finisher", "round_winner", "highest_sum"),
    "flip_after_discard": ("mandatory", "optional"),
    "penalty_when": ("not_strictly_lowest", "not_lowest", "never"),
    "penalty_nonpositive": ("exempt", "apply"),
    "reveal_order": ("free", "seat_order"),
    "first_discard": ("face_up", "face_down"),
    "starter_tiebreak": ("highest_card_then_seat", "seat"),
    "final_turns": ("one_each", "none", "finish_circle"),
    "penalty_order": ("multiply_then_add", "add_then_multiply"),
    "penalty_scope": ("round", "total"),
    "game_tie": ("shared", "last_round_lowest"),
    "empty_draw": ("reshuffle_keep_top", "reshuffle_all_flip_top"),
    "row_removal": ("off", "on"),
}
NUMBERS: dict[str, tuple[int, int | None]] = {  # lowest value, default
    "penalty_multiplier": (1, 2),
    "penalty_flat": (0, 0),
    "target": (1, 100),
    "max_rounds": (1, None),
    "turn_limit": (1, None),
}
_FAMILY = {
    "column_removal": "off",
    "columns_at_final_reveal": False,
    "next_starter": "round_winner",
    "flip_after_discard": "optional",
    "penalty_when": "not_lowest",
    "penalty_nonpositive": "apply",
}
PRESETS: dict[str, dict[str, Any]] = {
    "official": {},
    "official-fr": {"next_starter": "highest_sum"},
    "plain": {"column_removal": "off", "columns_at_final_reveal": False},
    "family": _FAMILY,
    "family-columns": _FAMILY | {"column_removal": "mandatory", "columns_at_final_reveal": True},
    "family-facedown": _FAMILY | {"first_discard": "face_down"},
    "lenient": {"penalty_when": "not_lowest"},
}
Rules = Mapping[str, Any]


class BadRules(Exception):
    """A ruleset that section 1 refuses."""


class Refused(Exception):
    """An action that section 2.17 refuses."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def make_rules(base: str = "official", **overrides: Any) -> Rules:
    if base not in PRESETS:
        raise BadRules(f"no preset {base}")
    rules = {name: values[0] for name, values in CHOICES.items()}
    rules |= {name: default for name, (_, default) in NUMBERS.items()}
    rules |= PRESETS[base]
    for name, value in overrides.items():
        if name in CHOICES:
            if not any(value is v or (isinstance(v, str) and value == v) for v in CHOICES[name]):
                raise BadRules(f"{name} cannot be {value!r}")
        elif name in NUMBERS:
            lowest, default = NUMBERS[name]
            whole = isinstance(value, int) and not isinstance(value, bool)
            if not (value is None and default is None) and not (whole and value >= lowest):
                raise BadRules(f"{name} cannot be {value!r}")
        else:
            raise BadRules(f"no knob {name}")
        rules[name] = value
    if rules["column_removal"] == "player_choice" and rules["row_removal"] == "on":
        raise BadRules("column_removal=player_choice with row_removal=on")
    if rules["penalty_scope"] == "total" and rules["penalty_multiplier"] > 10:
        raise BadRules("penalty_multiplier above 10 with penalty_scope=total")
    return MappingProxyType(rules)


# The table -----------------------------------------------------------------------------------


class Card:
    """One piece of cardboard; equal only to itself."""

    __slots__ = ("value",)

    def __init__(self, value: int) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"<{self.value}>"


@dataclass(eq=False)
class Player:
    name: str
    seat: int
    total: int = 0
    cells: dict[tuple[int, int], Card] = field(default_factory=dict)
    present: bool = True
    turns: int = 0
    raw: int | None = None
    final: int | None = None


def parse_slot(text: str) -> tuple[int, int]:
    row, _, column = text.removeprefix("r").partition("c")
    return int(row), int(column)


def all_actions() -> list[tuple[str, str | None]]:
    """Every verb with every slot it could name, some of them outside the grid."""
    slots = [f"r{r}c{c}" for r, c in PLACES] + ["r3c0", "r0c4"]
    actions: list[tuple[str, str | None]] = []
    for verb in VERBS:
        if verb in SLOT_VERBS:
            actions += [(verb, slot) for slot in slots]
        elif verb == "remove":
            actions += [(verb, f"c{c}") for c in range(COLUMNS + 1)]
        else:
            actions.append((verb, None))
    return actions


class Table:
    """A whole game; `act` plays, `deal` begins a round, everything else looks."""

    def __init__(self, rules: Rules, names: Sequence[str]) -> None:
        if len(names) not in SEATS:
            raise Refused("player_count")
        self.rules = rules
        self.players = [Player(name, seat) for seat, name in enumerate(names)]
        self.round = 0
        self.phase = "round_over"
        self.next_starter: Player | None = None
        self._clear()

    def _clear(self) -> None:
        self.draw_pile: list[Card] = []  # first = top
        self.discard_pile: list[Card] = []  # last = top
        self.public: set[Card] = set()
        self.hand: Card | None = None
        self.step = "choose"
        self.turn: Player | None = None
        self.finisher: Player | None = None
        self.pending: list[Player] = []
        self.first_player: Player | None = None
        self.fixed_starter: Player | None = None
        self.removed: list[str] = []
        self.reshuffled = False
        self.pool: Counter[int] = Counter()
        self.winners: list[Player] = []
        for player in self.players:
            player.cells = {}
            player.turns = 0
            player.raw = player.final = None

    # Dealing (2.2, 2.3)

    def deal(self, deck: Sequence[int]) -> None:
        assert self.phase == "round_over"
        starter = self.next_starter
        self._clear()
        self.fixed_starter = starter
        self.next_starter = None
        self.round += 1
        cards = [Card(value) for value in deck]
        for player in self.remaining():
            for place in PLACES:
                player.cells[place] = cards.pop(0)
        first = cards.pop(0)
        self.discard_pile = [first]
        if self.rules["first_discard"] == "face_up":
            self.public.add(first)
        self.draw_pile = cards
        self.phase = "reveal"

    @classmethod
    def position(cls, rules: Rules, start: Mapping[str, Any]) -> Table:
        """A position in the words of the scenario format."""
        table = cls(rules, start["players"])
        by_name = {player.name: player for player in table.players}
        for name, text in start["grids"].items():
            for r, row in enumerate(text.split("/")):
                for c, cell in enumerate(row.split()):
                    if cell != "x":
                        card = Card(int(cell.removeprefix("?")))
                        by_name[name].cells[r, c] = card
                        if not cell.startswith("?"):
                            table.public.add(card)
        table.discard_pile = [Card(value) for value in start["discard"]]
        table.public.update(table.discard_pile)
        if start.get("discard_face_down"):
            table.public.discard(table.discard_pile[0])
        table.draw_pile = [Card(value) for value in start["draw"]]
        table.phase = start.get("phase", "turn")
        table.round = start.get("round", 1)
        for name, total in start.get("totals", {}).items():
            by_name[name].total = total
        table.pending = [by_name[name] for name in start.get("pending") or []]
        for key in ("finisher", "turn", "fixed_starter"):
            if start.get(key) is not None:
                setattr(table, key, by_name[start[key]])
        if table.phase == "turn":
            table.first_player = table.fixed_starter or table.turn
        return table

    def clone(self) -> Table:
        """An independent table with the same cards."""
        shared: list[Any] = [*self.all_cards(), self.rules]
        return copy.deepcopy(self, {id(thing): thing for thing in shared})

    # Looking

    def remaining(self) -> list[Player]:
        return [player for player in self.players if player.present]

    def clockwise(self, start: int) -> list[Player]:
        """All players, beginning with seat `start` (which may run over the last seat)."""
        count = len(self.players)
        return [self.players[(start + i) % count] for i in range(count)]

    def next_remaining(self, start: int) -> Player:
        return next(player for player in self.clockwise(start) if player.present)

    def hidden(self, player: Player) -> list[tuple[int, int]]:
        return [p for p in PLACES if p in player.cells and player.cells[p] not in self.public]

    def opened(self, player: Player) -> list[Card]:
        return [card for card in player.cells.values() if card in self.public]

    def all_cards(self) -> list[Card]:
        cards = [card for player in self.players for card in player.cells.values()]
        cards += self.draw_pile + self.discard_pile
        return cards + ([self.hand] if self.hand else [])

    def on_turn(self) -> Player | None:
        """Who must act; nobody in particular in a free opening."""
        if self.phase == "turn":
            return self.turn
        if self.phase == "reveal" and self.rules["reveal_order"] == "seat_order":
            return next(p for p in self.remaining() if len(self.opened(p)) < OPENING)
        return None

    def full_columns(self, player: Player) -> list[int]:
        return [c for c in range(COLUMNS) if self._matches(player, [(r, c) for r in range(ROWS)])]

    def full_rows(self, player: Player) -> list[int]:
        return [r for r in range(ROWS) if self._matches(player, [(r, c) for c in range(COLUMNS)])]

    def _matches(self, player: Player, line: list[tuple[int, int]]) -> bool:
        cards = [player.cells.get(place) for place in line]
        return (
            all(card is not None and card in self.public for card in cards)
            and len({card.value for card in cards if card is not None}) == 1
        )

    def to_reshuffle(self) -> list[int] | None:
        """The values that a draw would have to shuffle now; None if it needs no shuffle."""
        if self.draw_pile or len(self.discard_pile) < 2:
            return None
        if self.rules["empty_draw"] == "reshuffle_keep_top":
            return [card.value for card in self.discard_pile[:-1]]
        return [card.value for card in self.discard_pile]

    # Refusals (2.17), line by line

    def refusal(self, seat: int, verb: str, where: str | None = None) -> str | None:
        try:
            self._check(self.players[seat], verb, where)
        except Refused as refused:
            return refused.code
        return None

    def legal(self, seat: int) -> list[tuple[str, str | None]]:
        return [a for a in all_actions() if self.refusal(seat, *a) is None]

    def _check(self, player: Player, verb: str, where: str | None) -> None:
        assert verb in VERBS
        if self.phase == "game_over":
            raise Refused("game_over")
        if self.phase == "round_over" and verb != "leave":
            raise Refused("round_over")
        if not player.present:
            raise Refused("not_in_game")
        if verb == "leave":
            return
        if (verb == "reveal") != (self.phase == "reveal"):
            raise Refused("wrong_phase")
        if verb == "reveal" and len(self.opened(player)) >= OPENING:
            raise Refused("too_many_reveals")
        if self.on_turn() not in (None, player):
            raise Refused("not_your_turn")
        if verb != "reveal":
            self._check_step(verb)
        self._check_slot(player, verb, where)

    def _check_step(self, verb: str) -> None:
        step = self.step
        if verb in ("take", "draw"):
            self._check_source(verb)
        elif verb in ("swap", "discard") and self.hand is None:
            raise Refused("not_holding")
        elif verb in ("discard", "flip", "pass") and step == "must_swap":
            raise Refused("must_swap")
        elif verb in ("flip", "pass") and step == "place_or_discard":
            raise Refused("must_place_or_discard")
        elif verb == "pass" and step == "choose":
            raise Refused("must_choose_source")
        elif verb == "pass" and step == "must_flip":
            if self.rules["flip_after_discard"] == "mandatory":
                raise Refused("must_flip")
        elif verb in ("flip", "remove"):
            due = "must_flip" if verb == "flip" else "choose_column"
            if step != due:
                raise Refused("not_allowed_now")

    def _check_source(self, verb: str) -> None:
        if self.step != "choose":
            raise Refused("already_holding")
        if verb == "take" and not self.discard_pile:
            raise Refused("no_cards")
        if verb == "draw" and not self.draw_pile and self.to_reshuffle() is None:
            raise Refused("no_cards")

    def _check_slot(self, player: Player, verb: str, where: str | None) -> None:
        if verb in SLOT_VERBS:
            assert where is not None
            place = parse_slot(where)
            if place not in PLACES:
                raise Refused("bad_position")
            if place not in player.cells:
                raise Refused("removed_slot")
            if verb != "swap" and player.cells[place] in self.public:
                raise Refused("already_face_up")
        elif verb == "remove":
            assert where is not None
            column = int(where.removeprefix("c"))
            if column not in range(COLUMNS):
                raise Refused("bad_position")
            if column not in self.full_columns(player):
                raise Refused("no_triplet")

    # Acting

    def act(
        self, seat: int, verb: str, where: str | None = None, shuffled: Sequence[int] | None = None
    ) -> None:
        """Play one action; `shuffled` is the reshuffle's order, top first, if one is needed."""
        player = self.players[seat]
        self._check(player, verb, where)
        if verb == "reveal":
            self.public.add(player.cells[parse_slot(where or "")])
            self._end_opening_if_done()
        elif verb == "take":
            self.hand = self.discard_pile.pop()
            self.public.add(self.hand)
            self.step = "must_swap"
        elif verb == "draw":
            if not self.draw_pile:
                self._reshuffle(shuffled)
            self.hand = self.draw_pile.pop(0)
            self.step = "place_or_discard"
        elif verb == "swap":
            place = parse_slot(where or "")
            assert self.hand is not None
            replaced, card = player.cells[place], self.hand
            self._show_hand()
            player.cells[place] = card
            self._lay(replaced)
            self._columns(player)
        elif verb == "discard":
            assert self.hand is not None
            card = self.hand
            self._show_hand()
            self._lay(card)
            self.step = "must_flip"
        elif verb == "flip":
            self.public.add(player.cells[parse_slot(where or "")])
            self._columns(player)
        elif verb == "remove":
            self._remove_column(player, int((where or "").removeprefix("c")))
            self._columns(player)
        elif verb == "pass" and self.step == "must_flip":
            self._columns(player)
        elif verb == "pass":
            self._end_turn(player)
        elif verb == "leave":
            self._leave(player)

    def _show_hand(self) -> None:
        """The card in hand leaves the hand and is seen by everybody."""
        card = self.hand
        assert card is not None
        self.hand = None
        if card not in self.public:
            self.public.add(card)
            self._seen_drawn(card)

    def _seen_drawn(self, card: Card) -> None:
        if self.pool[card.value] > 0:
            self.pool[card.value] -= 1

    def _lay(self, card: Card) -> None:
        self.public.add(card)
        self.discard_pile.append(card)

    def _reshuffle(self, shuffled: Sequence[int] | None) -> None:
        keep_top = self.rules["empty_draw"] == "reshuffle_keep_top"
        kept = [self.discard_pile.pop()] if keep_top else []
        loose = self.discard_pile
        self.discard_pile = kept
        assert shuffled is not None, "this draw needs a reshuffle"
        assert Counter(shuffled) == Counter(card.value for card in loose)
        self.pool = Counter(card.value for card in loose if card in self.public)
        self.reshuffled = True
        self.public.difference_update(loose)
        for value in shuffled:
            card = next(card for card in loose if card.value == value)
            loose.remove(card)
            self.draw_pile.append(card)
        if not keep_top:
            card = self.draw_pile.pop(0)
            self._seen_drawn(card)
            self._lay(card)

    # Opening (2.4, 2.5, 2.6)

    def _end_opening_if_done(self) -> None:
        if any(len(self.opened(player)) < OPENING for player in self.remaining()):
            return
        starter = self.fixed_starter
        if starter is None or self.rules["next_starter"] == "highest_sum":
            starter = self._highest_opening()
        self.first_player = self.turn = self.next_remaining(starter.seat)
        self.phase = "turn"
        self.step = "choose"

    def _highest_opening(self) -> Player:
        def strength(player: Player) -> tuple[int, int, int]:
            values = [card.value for card in self.opened(player)]
            by_card = self.rules["starter_tiebreak"] == "highest_card_then_seat"
            return sum(values), max(values) if by_card else 0, -player.seat

        return max(self.remaining(), key=strength)

    # The end of a turn (2.8 to 2.10)

    def _columns(self, player: Player) -> None:
        """Step 3, and the end of the turn unless a choice is due."""
        if self.rules["column_removal"] == "player_choice":
            if self.full_columns(player):
                self.step = "choose_column"
                return
        else:
            self._remove_lines(player)
        self._end_turn(player)

    def _remove_lines(self, player: Player) -> None:
        columns = self.full_columns(player) if self.rules["column_removal"] == "mandatory" else []
        rows = self.full_rows(player) if self.rules["row_removal"] == "on" else []
        for column in columns:
            self._remove_column(player, column)
        for row in rows:
            self.removed.append(f"{player.name} r{row}")
            for column in range(COLUMNS):
                if (row, column) in player.cells:
                    self._lay(player.cells.pop((row, column)))

    def _remove_column(self, player: Player, column: int) -> None:
        self.removed.append(f"{player.name} c{column}")
        for row in range(ROWS):
            self._lay(player.cells.pop((row, column)))

    def _end_turn(self, player: Player) -> None:
        player.turns += 1
        if self.finisher is not None:
            self.pending.remove(player)
        elif not self.hidden(player):
            self.finisher = player
            self.pending = self._last_turns(player)
        self._pass_on(player)

    def _last_turns(self, finisher: Player) -> list[Player]:
        others = self.clockwise(finisher.seat + 1)[:-1]
        if self.rules["final_turns"] == "none":
            others = []
        elif self.rules["final_turns"] == "finish_circle" and self.first_player in others:
            others = others[: others.index(self.first_player)]
        return [player for player in others if player.present]

    def _pass_on(self, player: Player) -> None:
        self.step = "choose"
        limit = self.rules["turn_limit"]
        if self.finisher is not None:
            if self.pending:
                self.turn = self.pending[0]
            else:
                self._final_reveal()
        elif limit is not None and all(p.turns >= limit for p in self.remaining()):
            self._final_reveal()
        else:
            self.turn = self.next_remaining(player.seat + 1)

    # Scoring (2.11 to 2.13)

    def _final_reveal(self) -> None:
        for player in self.remaining():
            self.public.update(player.cells.values())
        if self.rules["columns_at_final_reveal"]:
            for player in self.remaining():
                if self.rules["column_removal"] == "player_choice":
                    for column in self.full_columns(player):
                        if player.cells[0, column].value > 0:
                            self._remove_column(player, column)
                else:
                    self._remove_lines(player)
        self.turn = None
        for player in self.remaining():
            player.raw = player.final = sum(card.value for card in player.cells.values())
        penalised = self.penalised()
        for player in self.remaining():
            assert player.raw is not None
            if player is not penalised:
                player.total += player.raw
            elif self.rules["penalty_scope"] == "total":
                punished = self._punish(player.total + player.raw)
                player.total = sorted((-(10**15), punished, 10**15))[1]
            else:
                player.final = self._punish(player.raw)
                player.total += player.final
        self._after_scoring()

    def penalised(self) -> Player | None:
        """The finisher, if the round that has been counted is to be punished."""
        finisher, when = self.finisher, self.rules["penalty_when"]
        if finisher is None or not finisher.present or when == "never":
            return None
        own = finisher.raw or 0
        if own <= 0 and self.rules["penalty_nonpositive"] == "exempt":
            return None
        others = [p.raw or 0 for p in self.remaining() if p is not finisher]
        best = min(others)
        bad = best <= own if when == "not_strictly_lowest" else best < own
        return finisher if bad else None

    def _punish(self, points: int) -> int:
        multiplier, flat = self.rules["penalty_multiplier"], self.rules["penalty_flat"]
        if self.rules["penalty_order"] == "multiply_then_add":
            return int(points * multiplier + flat)
        return int((points + flat) * multiplier)

    def _after_scoring(self) -> None:
        rounds = self.rules["max_rounds"]
        if any(p.total >= self.rules["target"] for p in self.remaining()) or (
            rounds is not None and self.round >= rounds
        ):
            self.phase = "game_over"
            best = min(p.total for p in self.remaining())
            self.winners = [p for p in self.remaining() if p.total == best]
            if self.rules["game_tie"] == "last_round_lowest":
                last = min(p.final or 0 for p in self.winners)
                self.winners = [p for p in self.winners if p.final == last]
            return
        self.phase = "round_over"
        self.next_starter = self._choose_next_starter()

    def _choose_next_starter(self) -> Player | None:
        rule = self.rules["next_starter"]
        if rule == "highest_sum":
            return None
        assert self.first_player is not None
        origin = self.finisher or self.first_player
        if rule == "round_winner":
            best = min(p.final or 0 for p in self.remaining())
            around = [p for p in self.clockwise(origin.seat) if p.present]
            return next(p for p in around if p.final == best)
        if self.finisher is None:
            return self.next_remaining(origin.seat + 1)
        return self.next_remaining(origin.seat)

    # Leaving (2.15)

    def _leave(self, player: Player) -> None:
        player.present = False
        acting = self.phase == "turn" and self.turn is player
        if acting and self.hand is not None:
            card = self.hand
            self._show_hand()
            self._lay(card)
        if player in self.pending:
            self.pending.remove(player)
        if len(self.remaining()) < 2:
            self.phase = "game_over"
            self.turn = self.next_starter = None
            self.pending = []
            self.winners = self.remaining()
            if self.hand is not None:
                self.public.discard(self.hand)  # never placed, so nobody is shown it
        elif self.phase == "reveal":
            self._end_opening_if_done()
        elif self.phase == "round_over":
            if self.next_starter is player:
                self.next_starter = self.next_remaining(player.seat)
        elif acting:
            self._pass_on(player)

    # What a seat may know (2.16)

    def unseen(self, seat: int | None) -> tuple[Counter[int], Counter[int]]:
        """The values that may lie face down, and those that may be drawn, for a seat or nobody."""
        own_hand = seat is not None and self.holder() == seat
        drawn_by_other = self.hand is not None and self.hand not in self.public and not own_hand
        unknown = Counter(
            card.value
            for card in self.all_cards()
            if card not in self.public and not (own_hand and card is self.hand)
        )
        if not self.reshuffled:
            return unknown, Counter(unknown)
        pool = +self.pool
        if own_hand and self.hand is not None and self.hand not in self.public:
            pool -= Counter([self.hand.value])
        accounted = pool.total() == len(self.draw_pile) + drawn_by_other
        return unknown - pool, pool if accounted else Counter(unknown)

    def hand_seen_by(self, seat: int | None) -> int | None:
        if self.hand is None:
            return None
        own = seat is not None and self.holder() == seat
        return self.hand.value if own or self.hand in self.public else None

    def holder(self) -> int | None:
        """The seat with a card in its hand; nobody any more when the game is over."""
        return self.turn.seat if self.turn is not None and self.hand is not None else None

    # Text

    def grid_text(self, player: Player) -> str:
        def cell(place: tuple[int, int]) -> str:
            if place not in player.cells:
                return "x"
            card = player.cells[place]
            return f"{card.value}" if card in self.public else f"?{card.value}"

        rows: Iterable[str] = (" ".join(cell((r, c)) for c in range(COLUMNS)) for r in range(ROWS))
        return " / ".join(rows)
