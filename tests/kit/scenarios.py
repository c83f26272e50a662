"""The scenario format: set up a position, play its moves, compare what is listed.

A scenario is a dict with `rules`, `start`, `moves` and `expect`; the files of `OWN` hold the
project's own. Everything is played through `skyjo.game.Game`, as programs play it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.kit import kernel
from tests.kit.scenario_format import faults, seat_of

from skyjo.errors import IllegalActionError, MalformedError, RulesetError, SkyjoError
from skyjo.game import Game
from skyjo.rules import layout
from skyjo.rules.actions import action_name
from skyjo.rules.deal import DECK
from skyjo.rules.layout import NOBODY, SLOTS, UNKNOWN
from skyjo.rules.ruleset import Ruleset

Scenario = Mapping[str, Any]
RULES = Path(__file__).resolve().parent.parent / "rules"
#: Both are files of the same format; the second one holds combinations of the rules.
OWN = (RULES / "scenarios.json", RULES / "scenarios_combined.json")
IN_TURN = layout.PHASE_NAMES[layout.CHOOSE : layout.ROUND_OVER]


class ScenarioError(ValueError):
    """A file or a position that cannot be played; says which one and why."""


def load(path: Path) -> list[Scenario]:
    """All scenarios of a file; the broken ones tell their faults when they are run."""
    try:
        scenarios = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise ScenarioError(f"no scenarios can be read from {path}: {problem}") from problem
    if not isinstance(scenarios, list) or not scenarios:
        raise ScenarioError(f"{path} holds no list of scenarios")
    return scenarios


def own() -> list[Scenario]:
    """The project's own scenarios."""
    return [scenario for path in OWN for scenario in load(path)]


def named(scenarios: Sequence[Any]) -> list[tuple[str, Any]]:
    """Each with its name: its id, or its place in the file if it has none."""
    ids = [s.get("id") if isinstance(s, Mapping) else None for s in scenarios]
    names = [str(name or f"position-{number}") for number, name in enumerate(ids, 1)]
    return list(zip(names, scenarios, strict=True))


def run(scenario: Scenario, name: str = "position") -> None:
    """Play a scenario; an AssertionError tells what differs from what it expects.

    Raises ScenarioError if the position does not say what is to be played.
    """
    wrong = list(faults(scenario))
    if wrong:
        raise ScenarioError(f"{name}: {'; '.join(wrong)}")
    try:
        _run(scenario)
    except (MalformedError, RulesetError) as problem:
        raise ScenarioError(f"{name}: {problem}") from problem


def _run(scenario: Scenario) -> None:
    rules = _ruleset(scenario["rules"])
    start, expect = scenario["start"], scenario["expect"]
    check = start.get("check")
    if check == "deck":
        _check_deck(expect)
    elif check == "player_count":
        _check_player_count(rules, expect)
    else:
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
            assert _seats(names, rules) == int(count)
        else:
            assert _seats(names, rules) == "player_count"


def _seats(names: Sequence[str], rules: Ruleset) -> int | str:
    """How many seats a new game has, or with which code it is refused."""
    try:
        return len(Game(names, rules).players)
    except IllegalActionError as refused:
        return refused.code


# --- setting up -----------------------------------------------------------------------------


def _begin(rules: Ruleset, start: Mapping[str, Any]) -> Game:
    players = start["players"]
    if "deal" not in start and "deck" not in start:
        return Game.from_state(players, kernel.state_from(rules, _with_defaults(start)))
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
    name = seat_of(text, game.players)
    assert name is not None
    seat, action = game.players.index(name), text.removeprefix(name).strip()
    if code:
        before, log = game.state.values(), list(game.log)
        found = _refused(game, action, seat)
        assert found == code, f"{move}: {f'refused as {found}' if found else 'not refused'}"
        assert (game.state.values(), game.log) == (before, log), f"{move}: changed something"
        return
    if action == "draw" and game.needs_reshuffle and not game.refusal(action, seat):
        stubbed = start.get("reshuffle_to") if game.state.reshuffles == 0 else None
        game.reshuffle(stubbed or game.cards_to_reshuffle)
    try:
        game.play(action, seat)
    except IllegalActionError as problem:
        raise AssertionError(f"{move}: refused as {problem.code}") from problem


def _refused(game: Game, action: str, seat: int) -> str | None:
    """Try an action; the code of its refusal, None if it is legal."""
    try:
        game.play(action, seat)
    except IllegalActionError as refused:
        return refused.code
    except SkyjoError:  # legal, but a reshuffle comes first
        return None
    return None


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
        elif name in ("left", "pending", "winners"):
            assert sorted(found[name]) == sorted(value or []), name
        else:
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
