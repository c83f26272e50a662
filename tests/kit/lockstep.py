"""The oracle and `skyjo.rules` play the same game; after every ply everything is compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any

from tests import oracle
from tests.kit import kernel
from tests.oracle import PLACES, Table

from skyjo.errors import IllegalActionError
from skyjo.game import Game
from skyjo.rules import deal, layout, scoring
from skyjo.rules.actions import action_name
from skyjo.rules.layout import HIDDEN, HIGHEST, LOWEST, NO_CARD, NOBODY, SLOTS, State
from skyjo.rules.ruleset import Ruleset

ACTIONS = oracle.all_actions()


class Disagreement(AssertionError):
    """Oracle and rules differ; the text holds the whole way to that point."""


class Pair:
    """One game played by both; raises Disagreement as soon as they differ (unless unchecked)."""

    def __init__(
        self,
        rules: oracle.Rules,
        ruleset: Ruleset,
        seats: int,
        rng: Random,
        *,
        checked: bool = True,
    ) -> None:
        names = [f"P{seat}" for seat in range(seats)]
        self.table = Table(rules, names)
        self.game = Game(names, ruleset)
        self.rng = rng
        self.checked = checked
        self.log: list[str] = []
        self.sheet: list[dict[str, Any]] = []
        self.plies = 0

    @property
    def state(self) -> State:
        return self.game.state

    def deal(self, deck: Sequence[int]) -> None:
        self.log.append(f"deal {list(deck)}")
        self.table.deal(deck)
        self.game.deal(deck)
        self._check()

    def act(self, seat: int, verb: str, where: str | None = None) -> None:
        """Play an action that is allowed, with a random reshuffle if one is needed."""
        shuffled = self.table.to_reshuffle() if verb == "draw" else None
        if shuffled is not None:
            self.rng.shuffle(shuffled)
            self.game.reshuffle(shuffled)
        self.log.append(f"{seat} {verb} {where or ''} {shuffled or ''}".rstrip())
        self.table.act(seat, verb, where, shuffled)
        self.game.play(_text(verb, where), seat)
        self.plies += 1
        scored = any(player.raw is not None for player in self.table.players)
        if scored and len(self.sheet) < self.table.round:
            self.sheet.append(self._row())
        self._check()

    def _row(self) -> dict[str, Any]:
        """The round just scored, as the score sheet should have it."""
        table, players = self.table, self.table.players
        return {
            "number": table.round,
            "starter": _seat(table.first_player),
            "finisher": None if table.finisher is None else table.finisher.seat,
            "penalised": table.penalised() is not None,
            "raw": tuple(player.raw for player in players),
            "points": tuple(player.final for player in players),
            "totals": tuple(player.total for player in players),
            "turns": tuple(player.turns for player in players),
            "lines": table.removed,
        }

    def _check(self) -> None:
        if not self.checked:
            return
        differing = [
            f"{name}: oracle {ours}, rules {theirs}"
            for name, (ours, theirs) in self.facts().items()
            if ours != theirs
        ]
        if differing:
            ruleset = f"ruleset: {self.game.ruleset.text()}"
            raise Disagreement("\n".join([*differing, ruleset, *self.log[-400:]]))

    def facts(self) -> dict[str, tuple[Any, Any]]:
        """Every fact by name, as the oracle and as the rules have it."""
        facts = piles(self.table, self.state)
        facts |= course(self.table, self.state)
        facts |= points(self.table, self.state)
        facts |= self.refusals()
        if self.game.rounds:
            last = {name: getattr(self.game.rounds[-1], name) for name in self.sheet[-1]}
            last["lines"] = [f"P{line.seat} {line.name}" for line in last["lines"]]
            facts["score sheet"] = (self.sheet[-1], last)
        facts["rounds"] = (len(self.sheet), len(self.game.rounds))
        return facts | views(self.table, self.game)

    def refusals(self) -> dict[str, tuple[Any, Any]]:
        """Legal actions of the seat on turn (or a random one), codes of random other actions."""
        facts: dict[str, tuple[Any, Any]] = {}
        turn = self.table.on_turn()
        seat = turn.seat if turn else self.rng.randrange(len(self.table.players))
        legal = [_text(*action) for action in self.table.legal(seat) if action[0] != "leave"]
        names = [action_name(action) for action in self.game.legal_actions(seat)]
        facts[f"legal {seat}"] = (sorted(legal), sorted(names))
        for _ in range(6):
            seat = self.rng.randrange(len(self.table.players))
            action = self.rng.choice(ACTIONS)
            code = self.table.refusal(seat, *action) or ""
            facts[f"refusal of {seat} {action}"] = (code, self.refused(seat, _text(*action), code))
        return facts

    def refused(self, seat: int, action: str, expected: str) -> str:
        """The code of the refusal; an action that is to be refused is really tried."""
        code = self.game.refusal(action, seat)
        if code and code == expected:
            before = self.state.values()
            try:
                self.game.play(action, seat)
            except IllegalActionError as error:
                code = error.code if self.state.values() == before else "changed something"
        return code


def _text(verb: str, where: str | None) -> str:
    return f"{verb} {where}" if where else verb


def piles(table: Table, s: State) -> dict[str, tuple[Any, Any]]:
    """Every card, wherever it is."""
    top_first = s.draw_pile[: s.draw_size][::-1]
    bottom = table.discard_pile[0] if table.discard_pile else None
    facts: dict[str, tuple[Any, Any]] = {
        "draw pile": ([card.value for card in table.draw_pile], top_first),
        "discard pile": (
            [card.value for card in table.discard_pile],
            s.discard_pile[: s.discard_size],
        ),
        "discard face down": (bottom is not None and bottom not in table.public, s.discard_down),
        "hand": (table.hand.value if table.hand else NO_CARD, s.hand),
    }
    for player in table.players:
        seat = player.seat
        facts[f"grid {seat}"] = (
            [_cell(table, player, place) for place in PLACES],
            s.cells[seat * SLOTS : seat * SLOTS + SLOTS],
        )
        facts[f"hidden {seat}"] = (len(table.hidden(player)), s.hidden[seat])
    return facts


def _cell(table: Table, player: oracle.Player, place: tuple[int, int]) -> int:
    if place not in player.cells:
        return layout.REMOVED
    card = player.cells[place]
    return card.value if card in table.public else card.value + HIDDEN


def course(table: Table, s: State) -> dict[str, tuple[Any, Any]]:
    """Phase, turn, finisher, who left, what went, who starts."""
    turn = table.on_turn()
    if table.phase == "turn":
        phase = kernel.STEPS[table.step]
    else:
        phase = layout.PHASE_NAMES.index(table.phase)
    gone = [s.gone[i] for i in range(s.lines_gone)]
    names = [table.players[n // layout.LINES].name for n in gone]
    lines = [f"c{n}" if n < layout.COLUMNS else f"r{n - layout.COLUMNS}" for n in range(7)]
    facts: dict[str, tuple[Any, Any]] = {
        "phase": (phase, s.phase),
        "round": (table.round, s.round),
        "turn": (turn.seat if turn else NOBODY, s.turn),
        "finisher": (_seat(table.finisher), s.finisher),
        "starter": (_seat(table.first_player), s.starter),
        "left": ([not player.present for player in table.players], _flags(s, s.left)),
        "removed": (
            table.removed,
            [f"{name} {lines[n % layout.LINES]}" for name, n in zip(names, gone, strict=True)],
        ),
        "turns": ([player.turns for player in table.players], s.turns[: s.seats]),
    }
    if table.phase != "game_over":
        facts["pending"] = (
            [player in table.pending for player in table.players],
            _flags(s, s.pending),
        )
    return facts


def points(table: Table, s: State) -> dict[str, tuple[Any, Any]]:
    """Points, totals, winners and the next starter."""
    raw = [player.raw or 0 for player in table.players]
    final = [player.final or 0 for player in table.players]
    facts: dict[str, tuple[Any, Any]] = {
        "raw": (raw, s.raw[: s.seats]),
        "final": (final, s.final[: s.seats]),
        "totals": ([player.total for player in table.players], s.totals[: s.seats]),
        "winners": (
            [player in table.winners for player in table.players],
            [scoring.is_winner(s, seat) for seat in range(s.seats)],
        ),
    }
    if table.phase == "round_over" and table.round:
        begins = s.next_starter
        if begins != NOBODY:
            begins = deal.first_remaining(s, begins)
        facts["next starter"] = (_seat(table.next_starter), begins)
    return facts


def views(table: Table, game: Game) -> dict[str, tuple[Any, Any]]:
    """What every seat, and nobody in particular, may know."""
    s, players = game.state, table.players
    hidden = layout.UNKNOWN
    cells = [
        hidden if card > HIGHEST and card != layout.REMOVED else card
        for player in players
        for card in (_cell(table, player, place) for place in PLACES)
    ]
    top = NO_CARD
    if table.discard_pile:
        card = table.discard_pile[-1]
        top = card.value if card in table.public else hidden
    public = {
        "cells": cells,
        "hidden": [len(table.hidden(player)) for player in players],
        "piles": (len(table.draw_pile), len(table.discard_pile), top),
        "finisher": _seat(table.finisher),
        "left": [not player.present for player in players],
        "totals": [player.total for player in players],
        "course": (s.phase, s.turn, s.pending, s.turns, s.raw, s.final),
    }
    facts: dict[str, tuple[Any, Any]] = {}
    for seat in [None, *range(len(players))]:
        v = game.view(seat)
        may_be_hidden, may_be_drawn = table.unseen(seat)
        hand = NO_CARD if table.hand is None else table.hand_seen_by(seat)
        facts[f"view {seat}"] = (
            {
                "may be hidden": _counts(may_be_hidden),
                "may be drawn": _counts(may_be_drawn),
                "hand": hidden if hand is None else hand,
                **public,
            },
            {
                "may be hidden": v.may_be_hidden,
                "may be drawn": v.may_be_drawn,
                "hand": v.hand,
                "cells": v.cells[: s.seats * SLOTS],
                "hidden": v.hidden[: s.seats],
                "piles": (v.draw_size, v.discard_size, v.discard_top),
                "finisher": v.finisher,
                "left": _flags(s, v.left),
                "totals": v.totals[: s.seats],
                "course": (v.phase, v.turn, v.pending, v.turns, v.raw, v.final),
            },
        )
    return facts


def _counts(values: Counter[int]) -> list[int]:
    return [values[value] for value in range(LOWEST, HIGHEST + 1)]


def _flags(s: State, row: list[int]) -> list[bool]:
    return [bool(flag) for flag in row[: s.seats]]


def _seat(player: oracle.Player | None) -> int:
    return NOBODY if player is None else player.seat
