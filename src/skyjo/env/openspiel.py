"""Skyjo for OpenSpiel: one round, with explicit chance nodes (extra ``skyjo[openspiel]``).

>>> import pyspiel
>>> from skyjo.env import openspiel
>>> state = pyspiel.load_game("python_skyjo(players=2,ruleset=official)").new_initial_state()
>>> state.is_chance_node(), len(state.chance_outcomes())
(True, 15)

Nobody knows a card that lies face down, not even its owner. So a card gets its value when it is
turned up or drawn, at a chance node with the values of all cards that may lie there: as many
outcomes as there are values, 15 at most, instead of the orders of a deck. The rules play on a deck
in any order; a chosen value is exchanged into its place with an unseen card of that value.

Returns are the mean points of the other seats less one's own. A ruleset without a ``turn_limit``
is played with one, so that every game ends.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final, TypeAlias

import numpy as np
import pyspiel

from skyjo.env.given import seats_of
from skyjo.env.observation import fill_observation, observation_size
from skyjo.env.steps import ENV_ACTIONS
from skyjo.game import Game
from skyjo.rules.actions import DRAW, TAKE, action_name, slot_of
from skyjo.rules.deal import DECK
from skyjo.rules.layout import (
    HIDDEN,
    HIGHEST,
    LOWEST,
    MAX_SEATS,
    MIN_SEATS,
    REMOVED,
    ROUND_OVER,
    SLOTS,
    VALUES,
    View,
)
from skyjo.rules.plies import Ply
from skyjo.rules.ruleset import RESHUFFLE_ALL_FLIP_TOP, SEAT_ORDER, Ruleset
from skyjo.rules.scoring import with_penalty
from skyjo.rules.turns import apply
from skyjo.rules.view import fill_view

__all__ = ["SkyjoGame", "SkyjoState"]

TURN_LIMIT: Final = 60
#: The most actions of one turn: source, placement, flip, four columns one by one, pass.
LONGEST_TURN: Final = 8
#: Numbers of every ply in the tensor of an information state: the action and the card, from 1.
PLY_SIZE: Final = 2

#: A row of the state and a place in it.
Place: TypeAlias = tuple[str, int]
#: A chance node of its own: the card that is turned up by a reshuffle of all discards.
TURNED: Final[Place] = ("turned", 0)

_TYPE: Final = pyspiel.GameType(
    short_name="python_skyjo",
    long_name="Skyjo",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=MAX_SEATS,
    min_num_players=MIN_SEATS,
    provides_information_state_string=True,
    provides_information_state_tensor=True,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={"players": MIN_SEATS, "ruleset": "official"},
)


class SkyjoGame(pyspiel.Game):  # type: ignore[misc]
    """One round of Skyjo.

    Parameters are ``players`` (2 to 8) and ``ruleset``, its text with ``:`` for ``=``, which
    OpenSpiel keeps for itself: ``python_skyjo(players=3,ruleset=family turn_limit:30)``.
    """

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = params or {}
        self.seats = seats_of(int(given.get("players", MIN_SEATS)))
        rules = Ruleset.parse(str(given.get("ruleset", "official")).replace(":", "="))
        limit = rules.turn_limit or TURN_LIMIT
        self.ruleset = replace(rules, reveal_order=SEAT_ORDER, max_rounds=1, turn_limit=limit)
        self.longest = self.seats * (2 + limit * LONGEST_TURN)
        most = float(with_penalty(self.ruleset, SLOTS * HIGHEST) - SLOTS * LOWEST)
        info = pyspiel.GameInfo(
            num_distinct_actions=ENV_ACTIONS,
            max_chance_outcomes=VALUES,
            num_players=self.seats,
            min_utility=-most,
            max_utility=most,
            utility_sum=0.0,
            max_game_length=self.longest,
        )
        super().__init__(_TYPE, info, given)

    def new_initial_state(self) -> SkyjoState:
        """Before the first card is seen."""
        return SkyjoState(self)

    def max_chance_nodes_in_history(self) -> int:
        """Every card is seen once, drawn cards again after reshuffles."""
        return self.longest + len(DECK)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> SkyjoObserver:
        """The observer of states; with perfect recall it has the history, too."""
        if params:
            raise ValueError(f"there are no parameters of observations: {params}")
        recall = iig_obs_type is not None and iig_obs_type.perfect_recall
        return SkyjoObserver(self, perfect_recall=recall)


class Hand:
    """A game, the action that waits for chance, and the place that chance is to decide.

    ``fixed`` are places that are decided already, although nobody has seen them yet.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.action: int | None = None
        self.place: Place | None = None
        self.fixed: set[Place] = set()
        self.turned = 0

    def __deepcopy__(self, memo: dict[int, Any]) -> Hand:
        other = Hand(self.game.copy())
        other.action, other.place = self.action, self.place
        other.fixed, other.turned = set(self.fixed), self.turned
        return other

    def play(self, action: int) -> None:
        """An action of the seat on turn; chance may have to decide cards first."""
        self.action = action
        self.advance()

    def decide(self, value: int) -> None:
        """A value for the place that was asked for."""
        if self.place is None:
            raise ValueError("chance has nothing to decide")
        if self.place == TURNED:
            self.turned = value
        else:
            donors = [place for place in self.candidates() if self.card(place) == value]
            if not donors:
                raise ValueError(f"no card {value} may lie here")
            donor = donors[0]
            mine = self.card(self.place)
            self.put(self.place, value)
            self.put(donor, mine)
        self.fixed.add(self.place)
        self.place = None
        self.advance()

    def advance(self) -> None:
        """Ask for the next card that the action shows, or carry it out."""
        if self.action is None:
            self.fixed.clear()
            return
        self.place = next((each for each in self.shown() if each not in self.fixed), None)
        if self.place is None:
            self.game.play(self.action)
            self.action = None
            self.fixed.clear()

    def shown(self) -> Iterator[Place]:
        """The places whose cards the waiting action needs, one after the other."""
        s = self.game.state
        action = -1 if self.action is None else self.action
        cell = s.turn * SLOTS + slot_of(action)
        if action == DRAW:
            if self.game.needs_reshuffle:
                yield from self.before_reshuffle()
                self.reshuffle()
            yield "draw_pile", s.draw_size - 1
        elif action == TAKE and s.discard_down and s.discard_size == 1:
            yield "discard_pile", 0
        elif slot_of(action) >= 0 and HIGHEST < s.cells[cell] < REMOVED:
            yield "cells", cell
        after = s.copy()
        apply(after, s.turn, action)
        if after.phase >= ROUND_OVER:
            yield from (("cells", at) for at in range(s.seats * SLOTS) if is_hidden(s.cells[at]))

    def before_reshuffle(self) -> Iterator[Place]:
        """A discard that nobody has seen, and the one that is turned up."""
        if self.game.state.discard_down:
            yield "discard_pile", 0
        if self.game.ruleset.empty_draw == RESHUFFLE_ALL_FLIP_TOP:
            yield TURNED

    def reshuffle(self) -> None:
        """The discards become the draw pile; their order is decided card by card."""
        cards = sorted(self.game.cards_to_reshuffle)
        if TURNED in self.fixed:
            cards.remove(self.turned)
            cards.insert(0, self.turned)
        self.game.reshuffle(cards)
        self.fixed.clear()

    def candidates(self) -> list[Place]:
        """The places that may hold any of the unseen cards that this place may hold."""
        s = self.game.state
        if self.place == TURNED:
            return [("discard_pile", at) for at in range(s.discard_size)]
        hidden = [("cells", at) for at in range(s.seats * SLOTS) if is_hidden(s.cells[at])]
        piled = [("draw_pile", at) for at in range(s.draw_size)]
        bottom: list[Place] = [("discard_pile", 0)]
        if s.reshuffles == 0:
            unseen = s.discard_down or self.place in bottom
            found = hidden + piled + bottom * bool(unseen)
        else:
            found = piled if self.place == ("draw_pile", s.draw_size - 1) else hidden
        return [place for place in found if place not in self.fixed]

    def outcomes(self) -> list[tuple[int, float]]:
        """Value (from 0) and probability of the card that is asked for."""
        counts = Counter(self.card(place) for place in self.candidates())
        every = counts.total()
        return [(value - LOWEST, count / every) for value, count in sorted(counts.items())]

    def card(self, place: Place) -> int:
        """The card that lies in a place now, decided or not."""
        name, number = place
        card: int = getattr(self.game.state, name)[number]
        return card - HIDDEN if name == "cells" else card

    def put(self, place: Place, card: int) -> None:
        """Another card in that place."""
        name, number = place
        getattr(self.game.state, name)[number] = card + HIDDEN if name == "cells" else card


def is_hidden(card: int) -> bool:
    """Whether a card of a grid lies face down."""
    return HIGHEST < card < REMOVED


class SkyjoState(pyspiel.State):  # type: ignore[misc]
    """A position of one round."""

    def __init__(self, game: SkyjoGame) -> None:
        super().__init__(game)
        self.seats = game.seats
        self.hand = Hand(Game([f"seat_{seat}" for seat in range(game.seats)], game.ruleset))
        self.hand.game.deal(DECK)
        if not self.hand.game.state.discard_down:
            self.hand.place = ("discard_pile", 0)

    @property
    def table(self) -> Game:
        """The game that is played; nobody who plays may see it."""
        return self.hand.game

    def current_player(self) -> int:
        """The seat on turn, or chance, or that the round is over."""
        if self.table.is_over:
            return int(pyspiel.PlayerId.TERMINAL)
        if self.hand.place is not None:
            return int(pyspiel.PlayerId.CHANCE)
        return self.table.state.turn

    def _legal_actions(self, player: int) -> list[int]:
        return sorted(self.table.legal_actions(player))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Value (0 stands for -2) and probability of the card that is shown next."""
        return self.hand.outcomes()

    def _apply_action(self, action: int) -> None:
        if self.is_chance_node():
            self.hand.decide(action + LOWEST)
        else:
            self.hand.play(action)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"card {action + LOWEST}"
        return action_name(action)

    def is_terminal(self) -> bool:
        """Whether the round is over."""
        return self.table.is_over

    def returns(self) -> list[float]:
        """The mean points of the others less one's own, 0 while the round goes on."""
        if not self.table.is_over:
            return [0.0] * self.seats
        points = self.table.state.totals[: self.seats]
        return [(sum(points) - own) / (self.seats - 1) - own for own in points]

    def __str__(self) -> str:
        moves = " ".join(str(move) for move in self.history())
        return f"{moves}\n{self.table!r}"


class SkyjoObserver:
    """What a seat sees, as numbers and as text; with perfect recall, what it has seen."""

    def __init__(self, game: SkyjoGame, *, perfect_recall: bool) -> None:
        size = observation_size(game.seats)
        self.recall = perfect_recall
        self.tensor = np.zeros(size + PLY_SIZE * game.longest * perfect_recall, np.float32)
        self.dict = {"observation": self.tensor[:size]}
        if perfect_recall:
            self.dict["plies"] = self.tensor[size:].reshape(game.longest, PLY_SIZE)
        self._row = np.zeros((1, size), np.int8)

    def set_from(self, state: SkyjoState, player: int) -> None:
        """Write what ``player`` sees into ``tensor``."""
        view = View(state.table.ruleset)
        fill_view(state.table.state, player, view)
        fill_observation(view, self._row, 0)
        self.dict["observation"][:] = self._row[0]
        if self.recall:
            rows = self.dict["plies"]
            rows[:] = 0
            for number, ply in enumerate(plies_of(state, player)):
                card = 0 if ply.card is None else ply.card - LOWEST + 1
                rows[number] = ply.action + 1, card

    def string_from(self, state: SkyjoState, player: int) -> str:
        """What ``player`` sees as text; different positions have different texts."""
        self.set_from(state, player)
        lines = [f"seat {player}", " ".join(f"{number:g}" for number in self.dict["observation"])]
        if self.recall:
            lines += [
                f"{ply.seat} {action_name(ply.action)} {'' if ply.card is None else ply.card}"
                for ply in plies_of(state, player)
            ]
        return "\n".join(lines)


def plies_of(state: SkyjoState, player: int) -> Iterator[Ply]:
    """The plies so far, as a seat may know them."""
    return (entry for entry in state.table.visible_log(player) if isinstance(entry, Ply))


pyspiel.register_game(_TYPE, SkyjoGame)
