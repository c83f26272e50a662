"""The scenario format: set up a position, play its moves, compare what is listed.

A scenario is a dict with `rules`, `start`, `moves` and `expect`; `tests/rules/scenarios.json` holds
the project's own. Everything is played through `skyjo.game.Game`, as programs play it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.kit import kernel

from skyjo.errors import IllegalActionError
from skyjo.game import Game
from skyjo.rules import layout
from skyjo.rules.actions import action_name
from skyjo.rules.deal import DECK
from skyjo.rules.layout import NOBODY, SLOTS, UNKNOWN
from skyjo.rules.ruleset import Ruleset

Scenario = Mapping[str, Any]
OWN = Path(__file__).resolve().parent.parent / "rules" / "scenarios.json"
IN_TURN = layout.PHASE_NAMES[layout.CHOOSE : layout.ROUND_OVER]


def load(path: Path) -> list[Scenario]:
    """All scenarios of a file."""
    scenarios: list[Scenario] = json.loads(path.read_text(encoding="utf-8"))
    return scenarios


def run(scenario: Scenario) -> None:
    """Play a scenario; an AssertionError tells what differs from what it expects."""
    rules = _ruleset(scenario["rules"])
    start, expect = scenario["start"], scenario["expect"]
    check = start.get("check")
    if check == "deck":
        _check_deck(expect)
    elif check == "player_count":
        _check_player_count(rules, expect)
    else:
        assert check is None, f"unknown check {check!r}"
        game = _begin(rules, start)
        before = _grids(game)
        if scenario["moves"] == "policy":
            _play_policy(game, start)
        else:
            for move in scenario["moves"]:
                _play(game, start, move)
        _compare(game, expect, before)


def _ruleset(rules: str | Mapping[str, Any]) -> Ruleset:
    if isinstance(rules, str):
        return Ruleset.preset(rules)
    overrides = {knob: value for knob, value in rules.items() if knob != "base"}
    return Ruleset.preset(rules.get("base", "official"), overrides)


def _check_deck(expect: Mapping[str, Any]) -> None:
    found = {
        "counts": {str(value): count for value, count in Counter(DECK).items()},
        "size": len(DECK),
        "sum": sum(DECK),
    }
    assert {name: found[name] for name in expect} == dict(expect)


def _check_player_count(rules: Ruleset, expect: Mapping[str, str]) -> None:
    for count, answer in expect.items():
        names = [f"P{seat}" for seat in range(int(count))]
        if answer == "ok":
            assert len(Game(names, rules).players) == int(count)
        else:
            with pytest.raises(IllegalActionError) as refused:
                Game(names, rules)
            assert refused.value.code == "player_count"


# --- setting up -----------------------------------------------------------------------------


def _begin(rules: Ruleset, start: Mapping[str, Any]) -> Game:
    players = start["players"]
    if "deal" not in start and "deck" not in start:
        return Game.from_state(players, kernel.state_from(rules, _with_defaults(start)))
    assert start.get("deal", "ascending") == "ascending", f"unknown deal {start['deal']!r}"
    deck = start.get("deck", sorted(DECK))
    game = Game(players, rules)
    game.state.round = start.get("round", 1) - 1
    for name, total in start.get("totals", {}).items():
        game.state.totals[players.index(name)] = total
    if start.get("fixed_starter") is not None:
        game.state.next_starter = players.index(start["fixed_starter"])
    game.deal(deck)
    return game


def _with_defaults(start: Mapping[str, Any]) -> dict[str, Any]:
    """The position with the turn and the last turns that follow from the rest of it."""
    players, finisher = start["players"], start.get("finisher")
    full = dict(start)
    if full.get("turn") is None:
        full["turn"] = (start.get("pending") or [start.get("fixed_starter")])[0] or players[0]
    if finisher is not None and "pending" not in start:
        around = _clockwise(players, full["turn"])
        full["pending"] = around[: around.index(finisher)]
    return full


def _clockwise(players: Sequence[str], first: str) -> list[str]:
    seat = players.index(first)
    return [*players[seat:], *players[:seat]]


# --- playing --------------------------------------------------------------------------------


def _play(game: Game, start: Mapping[str, Any], move: str) -> None:
    text, _, code = (part.strip() for part in move.partition("=> ILLEGAL"))
    name = next(p for p in sorted(game.players, key=len)[::-1] if text.startswith(f"{p} "))
    seat, action = game.players.index(name), text.removeprefix(name).strip()
    if code:
        before, log = game.state.values(), list(game.log)
        with pytest.raises(IllegalActionError) as refused:
            game.play(action, seat)
        assert refused.value.code == code, f"{move}: refused as {refused.value.code}"
        assert (game.state.values(), game.log) == (before, log), f"{move}: changed something"
        return
    if action == "draw" and game.needs_reshuffle and not game.refusal(action, seat):
        game.reshuffle(start.get("reshuffle_to", game.cards_to_reshuffle))
    game.play(action, seat)


def _play_policy(game: Game, start: Mapping[str, Any]) -> None:
    for name in game.players:
        _play(game, start, f"{name} reveal r0c0")
        _play(game, start, f"{name} reveal r0c1")
    while game.turn is not None:
        name = game.players[game.turn]
        _play(game, start, f"{name} draw")
        _play(game, start, f"{name} discard")
        flips = [action_name(a) for a in game.legal_actions() if "flip" in action_name(a)]
        _play(game, start, f"{name} {flips[0]}")
        while game.state.phase == layout.MAY_REMOVE:
            _play(game, start, f"{name} pass")


# --- comparing ------------------------------------------------------------------------------


def _compare(game: Game, expect: Mapping[str, Any], before: Mapping[str, str]) -> None:
    found = _found(game)
    for name, value in expect.items():
        if name == "grids":
            wanted = {**before, **{player: _spaced(text) for player, text in value.items()}}
            assert _grids(game) == wanted
        elif name in ("raw", "final", "totals"):
            scored = {player: p for player, p in value.items() if p not in (None, "-")}
            assert {player: found[name][player] for player in value} == {
                player: scored.get(player) for player in value
            }, name
        elif name == "left":
            assert sorted(found["left"]) == sorted(value or []), name
        else:
            assert name in found, f"nothing is known about {name!r}"
            none: Any = [] if isinstance(found[name], list) else None
            assert found[name] == (none if value is None else value), name


def _found(game: Game) -> dict[str, Any]:
    s, seats = game.state, range(game.state.seats)
    phase = layout.PHASE_NAMES[s.phase]
    last = game.rounds[-1] if game.rounds else None
    nobody = (None,) * s.seats
    around = [(s.finisher + step) % s.seats for step in seats] if s.finisher != NOBODY else []
    lines = [(n // layout.LINES, n % layout.LINES) for n in s.gone[: s.lines_gone]]
    return {
        "phase": "turn" if phase in IN_TURN else phase,
        "turn": None if game.turn is None else game.players[game.turn],
        "finisher": _name(game, s.finisher),
        "pending": [game.players[seat] for seat in around if s.pending[seat]],
        "discard": s.discard_pile[: s.discard_size],
        "draw_left": s.draw_size,
        "removed": [
            f"{game.players[seat]} {f'c{n}' if n < layout.COLUMNS else f'r{n - layout.COLUMNS}'}"
            for seat, n in lines
        ],
        "raw": dict(zip(game.players, last.raw if last else nobody, strict=True)),
        "final": dict(zip(game.players, last.points if last else nobody, strict=True)),
        "totals": dict(zip(game.players, s.totals, strict=False)),
        "next_starter": _next_starter(game),
        "winners": [game.players[seat] for seat in game.winners],
        "left": [game.players[seat] for seat in seats if s.left[seat]],
        "discard_top_visible": s.discard_size > 0 and game.view().discard_top != UNKNOWN,
        "first_player": _name(game, s.starter),
        "turns_played": sum(s.turns),
    }


def _next_starter(game: Game) -> str | None:
    """Who begins the next round; `by_reveal` if its opening cards decide."""
    if game.state.phase != layout.ROUND_OVER:
        return None
    return _name(game, game.view().next_starter) or "by_reveal"


def _name(game: Game, seat: int) -> str | None:
    return None if seat == NOBODY else game.players[seat]


def _grids(game: Game) -> dict[str, str]:
    return {
        name: " / ".join(
            " ".join(
                _cell(game.state.cells[seat * SLOTS + row * 4 + column]) for column in range(4)
            )
            for row in range(3)
        )
        for seat, name in enumerate(game.players)
    }


def _cell(card: int) -> str:
    if card == layout.REMOVED:
        return "x"
    return str(card) if card <= layout.HIGHEST else f"?{card - layout.HIDDEN}"


def _spaced(grid: str) -> str:
    return " / ".join(" ".join(row.split()) for row in grid.split("/"))
