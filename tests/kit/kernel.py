"""States of `skyjo.rules` made from positions in words, and actions in words played on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.oracle import Rules

from skyjo.rules import actions, deal, layout, legality, turns
from skyjo.rules.layout import State
from skyjo.rules.ruleset import Ruleset

STEPS = {
    "choose": layout.CHOOSE,
    "must_swap": layout.MUST_SWAP,
    "place_or_discard": layout.PLACE_OR_DISCARD,
    "must_flip": layout.FLIP,
    "choose_column": layout.MAY_REMOVE,
}


def ruleset(rules: Rules) -> Ruleset:
    """The project's ruleset for the oracle's."""
    return Ruleset.preset("official", dict(rules))


def state_from(rules: Ruleset, start: Mapping[str, Any]) -> State:
    """The state for a position in the words of the scenario format (names are seats in order)."""
    names: Sequence[str] = start["players"]
    state = State(len(names), rules)
    for name, text in start["grids"].items():
        cells = [cell for row in text.split("/") for cell in row.split()]
        for slot, cell in enumerate(cells):
            state.cells[names.index(name) * layout.SLOTS + slot] = _cell(cell)
        state.hidden[names.index(name)] = sum(cell.startswith("?") for cell in cells)
    draw, discard = start.get("draw", []), start.get("discard", [])
    state.draw_size = len(draw)
    state.draw_pile[: state.draw_size] = list(reversed(draw))
    state.discard_size = len(discard)
    state.discard_pile[: state.discard_size] = list(discard)
    state.discard_down = 1 if start.get("discard_face_down") else 0
    state.round = start.get("round", 1)
    for name, total in start.get("totals", {}).items():
        state.totals[names.index(name)] = total
    for name in start.get("pending") or []:
        state.pending[names.index(name)] = 1
    if start.get("finisher") is not None:
        state.finisher = names.index(start["finisher"])
    if start.get("fixed_starter") is not None:
        state.next_starter = names.index(start["fixed_starter"])
    if start.get("phase", "turn") == "reveal":
        state.phase = layout.REVEAL
        turns.go_on_with_opening(state)
    else:
        state.turn = names.index(start["turn"])
        state.starter = state.turn if state.next_starter < 0 else state.next_starter
        state.phase = layout.CHOOSE
    return state


def _cell(text: str) -> int:
    if text == "x":
        return layout.REMOVED
    if text.startswith("?"):
        return int(text[1:]) + layout.HIDDEN
    return int(text)


def refusal(state: State, seat: int, verb: str, where: str | None = None) -> str | None:
    """The code of the refusal of an action in words, None if it is allowed."""
    number, place = actions.parse_action(f"{verb} {where or ''}")
    return legality.REASONS[legality.refusal(state, seat, number, place)][0] or None


def act(
    state: State, seat: int, verb: str, where: str | None, shuffled: Sequence[int] | None
) -> None:
    """Play an action that is allowed; `shuffled` is the reshuffle's order if one is needed."""
    assert refusal(state, seat, verb, where) is None
    if verb == "draw" and deal.needs_reshuffle(state):
        assert shuffled is not None
        deal.reshuffle(state, shuffled)
    number, place = actions.parse_action(f"{verb} {where or ''}")
    turns.apply(state, seat, actions.action_id(number, place))


def legal(state: State, seat: int) -> list[tuple[str, str | None]]:
    """The legal actions of a seat in words, without `leave`."""
    out = [0] * 16
    names = [actions.action_name(out[i]) for i in range(legality.legal_actions(state, seat, out))]
    return [(name.split()[0], name.split()[1] if " " in name else None) for name in names]
