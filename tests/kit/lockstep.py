"""The oracle and `skyjo.rules` play the same game; after every ply everything is compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any

from tests import oracle
from tests.kit import kernel
from tests.oracle import PLACES, Table

from skyjo.rules import deal, layout, scoring, view
from skyjo.rules.layout import HIDDEN, HIGHEST, LOWEST, NO_CARD, NOBODY, SLOTS, State, View

ACTIONS = oracle.all_actions()


class Disagreement(AssertionError):
    """Oracle and rules differ; the text holds the whole way to that point."""


class Pair:
    """One game played by both; raises Disagreement as soon as they differ."""

    def __init__(self, rules: oracle.Rules, names: Sequence[str], rng: Random) -> None:
        self.table = Table(rules, names)
        self.state = State(len(names), kernel.ruleset(rules))
        self.rng = rng
        self.log: list[str] = []
        self.plies = 0

    @classmethod
    def at(cls, rules: oracle.Rules, start: dict[str, Any], rng: Random) -> Pair:
        """Both in a position in the words of the scenario format."""
        pair = cls(rules, start["players"], rng)
        pair.table = Table.position(rules, start)
        pair.state = kernel.state_from(pair.state.rules, start)
        pair.log.append(f"position {start}")
        return pair

    def deal(self, deck: Sequence[int]) -> None:
        self.log.append(f"deal {list(deck)}")
        self.table.deal(deck)
        deal.deal(self.state, deck)
        self.check()

    def act(self, seat: int, verb: str, where: str | None = None) -> None:
        """Play an action that is allowed, with a random reshuffle if one is needed."""
        shuffled = self.table.to_reshuffle() if verb == "draw" else None
        if shuffled is not None:
            self.rng.shuffle(shuffled)
        self.log.append(f"{seat} {verb} {where or ''} {shuffled or ''}".rstrip())
        self.table.act(seat, verb, where, shuffled)
        kernel.act(self.state, seat, verb, where, shuffled)
        self.plies += 1
        self.check()

    def check(self) -> None:
        differing = {
            name: (ours, theirs) for name, (ours, theirs) in self.facts().items() if ours != theirs
        }
        if differing:
            text = [f"{name}: oracle {a}, rules {b}" for name, (a, b) in differing.items()]
            rules = self.state.rules.text()
            raise Disagreement("\n".join([*text, f"ruleset: {rules}", *self.log[-400:]]))

    def facts(self) -> dict[str, tuple[Any, Any]]:
        """Every fact by name, as the oracle and as the rules have it."""
        facts = piles(self.table, self.state)
        facts |= course(self.table, self.state)
        facts |= points(self.table, self.state)
        facts |= self.refusals()
        for seat in [None, *range(len(self.table.players))]:
            facts |= views(self.table, self.state, seat)
        return facts

    def refusals(self) -> dict[str, tuple[Any, Any]]:
        """Legal actions of the seat on turn (or a random one), codes of random other actions."""
        facts: dict[str, tuple[Any, Any]] = {}
        turn = self.table.on_turn()
        seat = turn.seat if turn else self.rng.randrange(len(self.table.players))
        legal = [action for action in self.table.legal(seat) if action[0] != "leave"]
        facts[f"legal {seat}"] = (sorted(map(str, legal)), sorted(map(str, self.legal(seat))))
        for _ in range(6):
            seat = self.rng.randrange(len(self.table.players))
            action = self.rng.choice(ACTIONS)
            facts[f"refusal of {seat} {action}"] = (
                self.table.refusal(seat, *action),
                kernel.refusal(self.state, seat, *action),
            )
        return facts

    def legal(self, seat: int) -> list[tuple[str, str | None]]:
        return kernel.legal(self.state, seat)


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


def views(table: Table, s: State, seat: int | None) -> dict[str, tuple[Any, Any]]:
    """What one seat, or nobody in particular, may know."""
    v = View(s.rules)
    view.fill_view(s, NOBODY if seat is None else seat, v)
    hidden, drawn = table.unseen(seat)
    hand: int | None = NO_CARD
    if table.hand is not None:
        hand = table.hand_seen_by(seat)
    cells = [
        layout.UNKNOWN if card > HIGHEST and card != layout.REMOVED else card
        for player in table.players
        for card in (_cell(table, player, place) for place in PLACES)
    ]
    top: int | None = NO_CARD
    if table.discard_pile:
        card = table.discard_pile[-1]
        top = card.value if card in table.public else layout.UNKNOWN
    who = f"view {seat}: "
    return {
        who + "may be hidden": (sorted(hidden.elements()), _values(v.may_be_hidden)),
        who + "may be drawn": (sorted(drawn.elements()), _values(v.may_be_drawn)),
        who + "hand": (layout.UNKNOWN if hand is None else hand, v.hand),
        who + "cells": (cells, v.cells[: s.seats * SLOTS]),
        who + "discard": ((len(table.discard_pile), top), (v.discard_size, v.discard_top)),
        who + "draw pile": (len(table.draw_pile), v.draw_size),
        who + "public": (
            [_seat(table.finisher), [len(table.hidden(p)) for p in table.players]],
            [v.finisher, v.hidden[: s.seats]],
        ),
    }


def _values(counts: list[int]) -> list[int]:
    return sorted(Counter({i + LOWEST: n for i, n in enumerate(counts)}).elements())


def _flags(s: State, row: list[int]) -> list[bool]:
    return [bool(flag) for flag in row[: s.seats]]


def _seat(player: oracle.Player | None) -> int:
    return NOBODY if player is None else player.seat
