"""The oracle plays a scenario: a second answer to every position that the tests write down."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tests import oracle
from tests.kit.scenarios import Scenario
from tests.oracle import Table


def run(scenario: Scenario) -> None:
    """Play a scenario with the oracle; an AssertionError tells what it sees differently."""
    rules, start, expect = _rules(scenario["rules"]), scenario["start"], scenario["expect"]
    if start.get("check") == "deck":
        counts = {str(value): count for value, count in Counter(oracle.DECK).items()}
        deck = {"counts": counts, "size": len(oracle.DECK), "sum": sum(oracle.DECK)}
        assert {name: deck[name] for name in expect} == expect
        return
    if start.get("check") == "player_count":
        allowed = {n: "ok" if int(n) in oracle.SEATS else "rejected" for n in expect}
        assert allowed == expect
        return
    table = _begin(rules, start)
    before = {player.name: table.grid_text(player) for player in table.players}
    if scenario["moves"] == "policy":
        _play_policy(table, start)
    else:
        for move in scenario["moves"]:
            _play(table, start, move)
    found = _found(table)
    for name, value in expect.items():
        if name == "grids":
            wanted = before | {p: " / ".join(_rows(text)) for p, text in value.items()}
            assert {p.name: table.grid_text(p) for p in table.players} == wanted
        elif name in ("raw", "final", "totals"):
            points = {player: None if n == "-" else n for player, n in value.items()}
            assert {player: found[name][player] for player in value} == points, name
        else:
            assert found[name] == ([] if name == "pending" and value is None else value), name


def _rules(rules: Any) -> oracle.Rules:
    if isinstance(rules, str):
        return oracle.make_rules(rules)
    return oracle.make_rules(rules["base"], **{k: v for k, v in rules.items() if k != "base"})


def _rows(text: str) -> list[str]:
    return [" ".join(row.split()) for row in text.split("/")]


def _begin(rules: oracle.Rules, start: dict[str, Any]) -> Table:
    if "deal" not in start and "deck" not in start:
        return Table.position(rules, start)
    table = Table(rules, start["players"])
    table.round = start.get("round", 1) - 1
    for player in table.players:
        player.total = start.get("totals", {}).get(player.name, 0)
        if player.name == start.get("fixed_starter"):
            table.next_starter = player
    table.deal(start.get("deck", oracle.DECK))
    return table


def _play(table: Table, start: dict[str, Any], move: str) -> None:
    text, _, code = (part.strip() for part in move.partition("=> ILLEGAL"))
    name, verb, *where = text.split()
    seat = next(player.seat for player in table.players if player.name == name)
    slot = where[0] if where else None
    assert (table.refusal(seat, verb, slot) or "") == code, move
    if not code:
        table.act(seat, verb, slot, start.get("reshuffle_to"))


def _play_policy(table: Table, start: dict[str, Any]) -> None:
    for player in table.players:
        table.act(player.seat, "reveal", "r0c0")
        table.act(player.seat, "reveal", "r0c1")
    while table.turn is not None:
        player = table.turn
        table.act(player.seat, "draw", None, start.get("reshuffle_to"))
        table.act(player.seat, "discard")
        row, column = table.hidden(player)[0]
        table.act(player.seat, "flip", f"r{row}c{column}")


def _found(table: Table) -> dict[str, Any]:
    players, turn = table.players, table.on_turn()
    starts = table.next_starter.name if table.next_starter else "by_reveal"
    return {
        "phase": table.phase,
        "turn": turn.name if turn else None,
        "finisher": table.finisher.name if table.finisher else None,
        "pending": [player.name for player in table.pending],
        "discard": [card.value for card in table.discard_pile],
        "draw_left": len(table.draw_pile),
        "removed": table.removed,
        "raw": {player.name: player.raw for player in players},
        "final": {player.name: player.final for player in players},
        "totals": {player.name: player.total for player in players},
        "winners": [player.name for player in table.winners],
        "left": [player.name for player in players if not player.present],
        "next_starter": starts if table.phase == "round_over" else None,
        "discard_top_visible": any(card in table.public for card in table.discard_pile[-1:]),
        "first_player": table.first_player.name if table.first_player else None,
        "turns_played": sum(player.turns for player in players),
    }
