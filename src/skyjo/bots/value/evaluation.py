"""What every action is expected to bring: the network's heads, in points."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from math import sqrt
from typing import Any

from skyjo import jit
from skyjo.bots.value import deep, look
from skyjo.bots.value.inputs import column_at, kind
from skyjo.bots.value.kernel import points_utility
from skyjo.bots.value.layout import (
    FOUND_AT,
    HEADS,
    LOWEST_POINTS,
    OTHERS_POINTS,
    OTHERS_SQUARE,
    OWN_POINTS,
    OWN_SQUARE,
    PRODUCT,
    REPLY_AT,
    ROUND_WON,
    STAGE_AT,
    SUM,
    TRIED_AT,
    TURNS_LEFT,
    UNITS,
    VALUE_AT,
    WANTED_AT,
    Array,
    Float,
)
from skyjo.bots.value.numpy_look import STAND_INS
from skyjo.bots.value.weights import Net, load, net_of
from skyjo.bots.value.winning import game_won
from skyjo.rules.actions import DISCARD, DRAW, FLIP_FROM, PASS, SWAP_FROM, TAKE, slot_of, verb_of
from skyjo.rules.layout import CHOOSE, COLUMNS, REVEAL, SLOTS, View
from skyjo.rules.legality import legal_actions


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What a legal action is expected to bring, if everybody plays well from then on.

    * ``own_points`` final points of one's own in this round, penalty included, and their standard
      deviation ``spread``; ``others_points`` the mean, ``lowest_points`` the lowest of the others';
    * ``round_won`` the probability to have strictly the lowest points, ``game_won`` that to win the
      game among players of equal strength (a win that is shared counts in part);
    * ``turns_left`` how many turns one will have until the round is over;
    * ``gain`` points of the others, on average, less one's own: what playing for points looks at;
    * ``heads`` all outputs of the network, in its units.
    """

    action: int
    own_points: float
    others_points: float
    lowest_points: float
    spread: float
    round_won: float
    game_won: float
    turns_left: float
    gain: float
    heads: tuple[float, ...]


def evaluate(view: View, weights: str = "main") -> list[Evaluation]:
    """Every legal action of the view's seat, the best one first.

    Opening cards and seats that are not on turn have nothing to evaluate: an empty list.

    >>> from skyjo.chance import SeededChance
    >>> from skyjo.game import Game
    >>> game = Game(["Ana", "Ben"])
    >>> _ = game.deal(SeededChance(7).deck(1))
    >>> evaluate(game.view(0))
    []
    """
    out = [0] * 16
    count = legal_actions(view, view.seat, out)
    if view.phase == REVEAL or count == 0:
        return []
    net = net_of(load(weights))
    points_utility(view, net.n)
    net.n[WANTED_AT] = 1
    found = _source_heads(view, net) if view.phase == CHOOSE else _other_heads(view, net)
    likes = {action: _like(view, action) for action in out[:count]}
    if deep.may_look_on(view):
        found = _looked_on(view, {like: found[like] for like in likes.values()}, net)
    known = {like: _evaluation(view, like, found[like]) for like in set(likes.values())}
    rated = [replace(known[like], action=action) for action, like in likes.items()]
    return sorted(rated, key=lambda each: -each.gain)


def _evaluation(view: View, action: int, heads: Array) -> Evaluation:
    values = [float(head) * unit for head, unit in zip(heads, UNITS, strict=True)]
    own = values[OWN_POINTS]
    return Evaluation(
        action=action,
        own_points=own,
        others_points=values[OTHERS_POINTS],
        lowest_points=values[LOWEST_POINTS],
        spread=sqrt(max(0.0, values[OWN_SQUARE] - own * own)),
        round_won=min(1.0, max(0.0, values[ROUND_WON])),
        game_won=game_won(view, values),
        turns_left=max(0.0, values[TURNS_LEFT]),
        gain=values[OTHERS_POINTS] - own,
        heads=tuple(float(head) for head in heads),
    )


def _source_heads(view: View, net: Net) -> dict[int, Array]:
    """Take and draw, as far as there are cards."""
    w, o, b, x, f, n = net.parts()
    found = {}
    look_at = _rebuilt(look.prepare)
    look_at(view, w, o, b, x, f, n)
    if view.discard_size > 0:
        card = look.taken_symbol(view, n)
        n[VALUE_AT] = look.NEVER_CHOSEN
        _rebuilt(look.turn_columns)(view, card, card + 1, w, x, f, n)
        _rebuilt(look.best_place)(view, card, False, w, x, f, n)
        _rebuilt(look.note_heads)(o, b, x, n)
        found[TAKE] = n[FOUND_AT : FOUND_AT + HEADS].copy()
    _rebuilt(look.worth_of_drawing)(view, True, w, o, b, x, f, n)
    found[DRAW] = n[TRIED_AT : TRIED_AT + HEADS].copy()
    return found


def _other_heads(view: View, net: Net) -> dict[int, Array]:
    """All actions of the later phases of a turn."""
    w, o, b, x, _f, n = net.parts()
    tried: dict[int, tuple[Float, Array]] = {}

    def consider(action: int, value: Float, x: Array, n: Array) -> bool:
        stage = int(n[STAGE_AT])
        heads = b[stage * HEADS : (stage + 1) * HEADS] + o[stage * HEADS :][:HEADS] @ x[SUM]
        tried[action] = value, heads
        return look.consider(action, value, x, n)

    _chooser_with(consider)(view, 0, True, w, o, b, x, _f, n)
    found = {action: heads for action, (_value, heads) in tried.items()}
    turned = [tried[action] for action in tried if action == PASS or action >= FLIP_FROM]
    if turned:
        found[DISCARD] = max(turned, key=lambda each: each[0])[1]
    return found


def _looked_on(view: View, found: Mapping[int, Array], net: Net) -> dict[int, Array]:
    """The mean of these heads and of what the other seat expects of its best answers."""
    _rebuilt(deep.note_shallow)(net.n)
    states, views = jit.new_states(view), jit.new_views(view)
    both = {}
    for action, heads in found.items():
        if not _replier()(view, action, states, views, *net.parts()):
            return dict(found)
        both[action] = (heads + _mirrored(heads, net.n[REPLY_AT : REPLY_AT + HEADS])) / 2
    return both


@cache
def _replier() -> Callable[..., bool]:
    return jit.rebuilt(deep.look_at_replies, STAND_INS)


def _mirrored(heads: Array, reply: Array) -> Array:
    """The other seat's heads as one's own; what they do not say stays as it is."""
    mine = heads.copy()
    mine[[OWN_POINTS, OTHERS_POINTS]] = reply[[OTHERS_POINTS, OWN_POINTS]]
    mine[[OWN_SQUARE, OTHERS_SQUARE]] = reply[[OTHERS_SQUARE, OWN_SQUARE]]
    mine[[LOWEST_POINTS, PRODUCT, TURNS_LEFT]] = reply[[OWN_POINTS, PRODUCT, TURNS_LEFT]]
    return mine


def _never(v: View) -> bool:
    """Nothing is left out because the round lasts long."""
    return False


_ALL_ACTIONS = {**STAND_INS, look.is_late: _never}


def _chooser_with(consider: Callable[..., bool]) -> Callable[..., int]:
    return jit.rebuilt(look.choose_action, {**_ALL_ACTIONS, look.consider: consider})


@cache
def _rebuilt(kernel: Callable[..., Any]) -> Callable[..., Any]:
    return jit.rebuilt(kernel, _ALL_ACTIONS)


def _like(view: View, action: int) -> int:
    """The action that stands for this one: equal cards of equal columns are looked at once."""
    verb = verb_of(action)
    if verb not in {SWAP_FROM, FLIP_FROM}:
        return action
    slot = slot_of(action)
    card = view.cells[view.seat * SLOTS + slot]
    wanted = kind(column_at(view, view.seat, slot % COLUMNS))
    for other in sorted(range(SLOTS), key=lambda each: (each % COLUMNS, each)):
        same = view.cells[view.seat * SLOTS + other] == card
        if same and kind(column_at(view, view.seat, other % COLUMNS)) == wanted:
            return verb + other
    return action
