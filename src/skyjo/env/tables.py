"""``Tables``: a batch of games under the same terms, compiled or interpreted.

The environments of ``skyjo.env`` are thin layers over it.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from skyjo import jit
from skyjo.bots import Bot, Kernel
from skyjo.env import steps
from skyjo.env.given import actions_of, flag, one_of, ruleset_of, seats_of, whole
from skyjo.env.observation import observation_size
from skyjo.env.steps import (
    COURSE_FIELDS,
    DIFFERENCE,
    ENV_ACTIONS,
    NEXT_STEP,
    POINTS,
    TERMINATED,
    TERMS_FIELDS,
    WIN,
    Course,
    Terms,
)
from skyjo.errors import IllegalActionError, MalformedError, SkyjoError
from skyjo.i18n import N_
from skyjo.rules.actions import ACTIONS, action_name, place_of, verb_of
from skyjo.rules.deal import DECK
from skyjo.rules.layout import NOBODY, State, View
from skyjo.rules.legality import REASONS, refusal
from skyjo.rules.ruleset import SEAT_ORDER, Ruleset
from skyjo.rules.view import fill_view
from skyjo.sim import TURN_LIMIT, policies
from skyjo.sim.dealer import DEALER_FIELDS, Dealer
from skyjo.sim.dice import DICE_FIELDS, Dice, seed_number
from skyjo.sim.loop import choose

REWARDS: Final = {"difference": DIFFERENCE, "points": POINTS, "win": WIN}
EPISODES: Final = ("round", "game")
#: The seat of the learner that moves on by one with every episode.
ROTATE: Final = "rotate"


@dataclass(frozen=True, slots=True)
class Setting:
    """What is played and rewarded; the same words in every environment.

    * ``seats`` 2 to 8;
    * ``ruleset`` a ``Ruleset`` or its text, "official target=50";
    * ``episode`` "round" (each the first one of a game) or "game";
    * ``reward`` after every round: "difference", the mean points of the others less one's own;
      "points", one's own points, negative; or "win", only at the end: 1 for winning alone, and as
      little for the others that all rewards add up to 0;
    * ``turn_limit``: after so many turns of every seat in a round that nobody has closed the
      episode is truncated, 0 for never. A ``turn_limit`` of the ruleset is a rule and no
      truncation;
    * ``compiled``: whether to compile; by default if numba is there and every bot has a kernel.

    Raises RulesetError, and IllegalActionError (``player_count``).

    >>> Setting(3, "family", "game").rules.value("next_starter")
    'round_winner'
    """

    seats: int = 2
    ruleset: Ruleset | str = "official"
    episode: str = "round"
    reward: str = "difference"
    turn_limit: int = TURN_LIMIT
    compiled: bool | None = None

    def __post_init__(self) -> None:
        seats_of(self.seats)
        ruleset_of(self.ruleset)
        one_of("episode", self.episode, EPISODES)
        one_of("reward", self.reward, tuple(REWARDS))
        whole("turn_limit", self.turn_limit, 0)
        one_of("compiled", self.compiled, (True, False, None))

    @property
    def rules(self) -> Ruleset:
        """The ruleset of the tables: opening cards in seat order, single rounds end the game."""
        found = replace(ruleset_of(self.ruleset), reveal_order=SEAT_ORDER)
        return replace(found, max_rounds=1) if self.episode == "round" else found


@dataclass(frozen=True, slots=True)
class Learner:
    """One seat for the caller, and who plays the others, clockwise from it.

    ``seat`` is a number or "rotate"; with ``duplicate`` as many episodes as there are seats have
    the same decks, so that with "rotate" every seat is played with the same cards.
    """

    opponents: tuple[Bot, ...]
    seat: int | str = 0
    duplicate: bool = False


class Tables:
    """A number of games that go on together, one action at a time.

    ``observations`` (n, size), ``masks`` (n, 44), ``rewards`` (n, seats), ``seats`` (n) that are
    observed, ``ends`` (n), ``final`` (n, size), ``final_masks`` (n, 44) and ``final_seats`` (n) are
    written in place by ``begin`` and ``step``: ``steps.step_all`` describes them. Without a
    ``learner`` the caller acts for every seat.

    >>> tables = Tables(2, Setting(compiled=False))
    >>> tables.begin([7, 8])
    >>> tables.seats.tolist(), tables.masks.sum(axis=1).tolist()
    ([0, 0], [12, 12])
    """

    def __init__(
        self,
        number: int,
        setting: Setting,
        *,
        learner: Learner | None = None,
        illegal_reward: float | None = None,
        autoreset: int = NEXT_STEP,
    ) -> None:
        self.number = number
        self.setting = setting
        self.ruleset = setting.rules
        self.bots = learner.opponents if learner is not None else ()
        self.compiled = _may_compile(setting.compiled, self.bots)
        seats = setting.seats
        size = observation_size(seats)
        self.observations = np.zeros((number, size), np.int8)
        self.masks = np.zeros((number, ENV_ACTIONS), np.int8)
        self.rewards = np.zeros((number, seats), np.float64)
        self.seats = np.zeros(number, np.int64)
        self.ends = np.zeros(number, np.int8)
        self.final = np.zeros((number, size), np.int8)
        self.final_masks = np.zeros((number, ENV_ACTIONS), np.int8)
        self.final_seats = np.zeros(number, np.int64)
        self.actions = np.zeros(number, np.int64)
        self._row = np.zeros((1, size), np.int8)
        terms: dict[str, float] = {
            "learner": NOBODY,
            "rotates": 0,
            "duplicates": 0,
            "turn_limit": setting.turn_limit,
            "reward": REWARDS[setting.reward],
            "illegal": illegal_reward or 0,
            "ends_illegal": illegal_reward is not None,
            "autoreset": autoreset,
        }
        if learner is not None:
            terms |= _places(learner, seats)
        self._make(terms)

    def begin(self, seeds: Sequence[int | str]) -> None:
        """Begin episode 0 of these seeds, one for each table."""
        for number, seed in enumerate(seeds):
            self._set_course(number, seed=seed_number(seed), episode=-1)
        self.begin_next()
        self._dice_set(seed_number(f"sample {seeds[0]}"))

    def begin_next(self) -> None:
        """Begin the next episode everywhere."""
        for number in range(self.number):
            self._set_course(number, over=TERMINATED, fault=NOBODY)
        self.actions[:] = 0
        self._play()
        self.ends[:] = 0

    def step(self, actions: Any) -> None:
        """One action at every table (n); a table whose episode has ended begins its next one.

        Raises MalformedError for anything but so many whole numbers. Raises IllegalActionError or
        MalformedError when an action is refused and ``illegal_reward`` is None: then nothing has
        changed.
        """
        self.actions[:] = actions_of(actions, self.number)
        self._play()

    def sample(self) -> NDArray[np.int64]:
        """A uniformly random legal action for every table, 0 where none is left (n)."""
        actions = np.zeros(self.number, np.int64)
        self._sample(self._courses, self._dice, actions)
        return actions

    def observe(self, seat: int, number: int = 0) -> NDArray[np.int8]:
        """What any seat of a table sees, as a new row."""
        self._look(self._states, self._views, number, seat, self._row)
        row: NDArray[np.int8] = self._row[0].copy()
        return row

    def state(self, number: int = 0) -> State:
        """A copy of the full truth of a table; nobody who plays may see it."""
        if self.compiled:
            return cast(State, jit.from_record(self._states, number))
        return cast(State, self._states[number]).copy()

    def view(self, seat: int, number: int = 0) -> View:
        """What a seat (or ``NOBODY``, an onlooker) may know."""
        view = View(self.ruleset)
        fill_view(self.state(number), seat, view)
        return view

    def totals(self, number: int = 0) -> list[int]:
        """The points of every seat after the last round that was scored in this episode."""
        return [int(points) for points in self._course(number, "before")[: self.setting.seats]]

    def episode(self, number: int = 0) -> int:
        """The number of the episode since the table was seeded, from 0."""
        return int(self._course(number, "episode"))

    def __deepcopy__(self, memo: dict[int, Any]) -> Tables:
        """Tables of their own that go on from here; both ask the same bots."""
        other = object.__new__(Tables)
        memo[id(self)] = other
        for name, each in self.__dict__.items():
            shared = name in _SHARED or name in _FUNCTIONS
            setattr(other, name, each if shared else deepcopy(each, memo))
        return other

    def __getstate__(self) -> dict[str, Any]:
        """All but the functions, which are made anew where a copy is unpickled."""
        return {name: each for name, each in self.__dict__.items() if name not in _FUNCTIONS}

    def __setstate__(self, found: dict[str, Any]) -> None:
        self.__dict__.update(found)
        self._functions()

    # --- Behind it ------------------------------------------------------------------------------

    def _make(self, terms: dict[str, float]) -> None:
        numbers, table = policies.numbers_of(
            self.bots, _kernels(self.bots) if self.compiled else ()
        )
        make_all = _records if self.compiled else _objects
        self._states, self._views, dealers, self._courses, rules, self._dice = make_all(
            self.number, self.setting.seats, self.ruleset, terms
        )
        row: Any = np.array(numbers, np.float32)
        self._desk = (
            self._states,
            self._views,
            dealers,
            self._courses,
            rules,
            row if self.compiled else [float(each) for each in row],
            np.array(table, np.int64) if self.compiled else table,
            self.actions,
            self.observations,
            self.masks,
            self.rewards,
            self.seats,
            self.ends,
            self.final,
            self.final_masks,
            self.final_seats,
        )
        self._functions()

    def _functions(self) -> None:
        if self.compiled:
            kernels = _kernels(self.bots)
            self._step, self._look, self._sample = _compiled(kernels)
        else:
            self._step = jit.rebuilt(steps.step_all, {choose: policies.asking(self.bots)})
            self._look, self._sample = steps.look_at, steps.sample_all

    def _play(self) -> None:
        number = self._step(*self._desk)
        if number >= 0:
            raise self._fault(number)

    def _fault(self, number: int) -> SkyjoError:
        state = self.state(number)
        if (seat := int(self._course(number, "fault"))) != NOBODY:
            learner, action = self._course(number, "learner"), int(self._course(number, "action"))
            return SkyjoError(
                N_("{bot} chose {action} in game {game}, which is not allowed at that moment"),
                bot=self.bots[(seat - learner - 1) % self.setting.seats].name,
                action=action_name(action) if 0 <= action < ACTIONS else action,
                game=self.episode(number),
            )
        action = int(self.actions[number])
        if not 0 <= action < ENV_ACTIONS:
            return MalformedError(
                N_("there is no action {action}; they are 0 to {last}"),
                action=action,
                last=ENV_ACTIONS - 1,
            )
        seat = int(self.seats[number])
        code, sentence = REASONS[refusal(state, seat, verb_of(action), place_of(action))]
        return IllegalActionError(code, sentence)

    def _course(self, number: int, name: str) -> Any:
        if self.compiled:
            return self._courses[name][number]
        return getattr(self._courses[number], name)

    def _set_course(self, number: int, **values: int) -> None:
        for name, value in values.items():
            if self.compiled:
                self._courses[name][number] = value
            else:
                setattr(self._courses[number], name, value)

    def _dice_set(self, state: int) -> None:
        if self.compiled:
            self._dice["state"][0] = state + 1
        else:
            self._dice[0].state = state + 1


def _may_compile(wanted: bool | None, bots: Sequence[Bot]) -> bool:
    slow = [bot.name for bot in bots if bot.kernel is None]
    if wanted and slow:
        raise SkyjoError(N_("{bot} cannot be compiled: it has no kernel"), bot=slow[0])
    if wanted is None:
        return not slow and importlib.util.find_spec("numba") is not None
    return wanted


def _places(learner: Learner, seats: int) -> dict[str, int]:
    rotates = learner.seat == ROTATE
    if not rotates:
        one_of("seat", str(learner.seat), [*map(str, range(seats)), ROTATE])
    return {
        "learner": 0 if rotates else int(learner.seat),
        "rotates": rotates,
        "duplicates": flag("duplicate", learner.duplicate),
    }


def _kernels(bots: Sequence[Bot]) -> tuple[Kernel, ...]:
    """The kernels that the step is compiled with; every choice of bots is compiled once."""
    return tuple(dict.fromkeys(cast(Kernel, bot.kernel) for bot in bots))


#: What of a ``Tables`` is compiled code and cannot be pickled.
_FUNCTIONS: Final = ("_step", "_look", "_sample")
#: What copies in the same process have in common.
_SHARED: Final = ("setting", "ruleset", "bots")

Made: TypeAlias = tuple[Any, Any, Any, Any, Any, Any]


def _objects(number: int, seats: int, ruleset: Ruleset, terms: dict[str, float]) -> Made:
    """States, views, dealers, courses, terms and dice as plain objects."""
    rules = Terms()
    for name, value in terms.items():
        setattr(rules, name, value)
    states = [State(seats, ruleset) for _ in range(number)]
    courses = [Course() for _ in range(number)]
    return states, [View(ruleset)], [Dealer()], courses, [rules], [Dice()]


def _records(number: int, seats: int, ruleset: Ruleset, terms: dict[str, float]) -> Made:
    """The same as arrays of records."""
    dice = jit.record_dtype(DICE_FIELDS)
    dealer = np.zeros(1, jit.record_dtype(DEALER_FIELDS, {"cards": dice, "play": dice}))
    dealer["fresh"][0] = DECK
    rules = np.zeros(1, jit.record_dtype(TERMS_FIELDS, {"illegal": np.float64}))
    for name, value in terms.items():
        rules[name][0] = value
    return (
        np.repeat(jit.to_record(State(seats, ruleset)), number),
        jit.to_record(View(ruleset)),
        dealer,
        np.zeros(number, jit.record_dtype(COURSE_FIELDS)),
        rules,
        np.zeros(1, dice),
    )


@cache
def _compiled(kernels: tuple[Kernel, ...]) -> tuple[Callable[..., Any], ...]:
    """The three kernels of a table, compiled with these bots."""
    states, views, dealers, courses, terms, dice = _records(1, 2, Ruleset(), {})
    rows = np.zeros((1, observation_size(2)), np.int8)
    masks = np.zeros((1, ENV_ACTIONS), np.int8)
    rewards, one = np.zeros((1, 2)), np.zeros(1, np.int64)
    desk = (states, views, dealers, courses, terms, np.zeros(0, np.float32), one, one, rows, masks)
    ours: tuple[str, ...] = ("skyjo.rules", "skyjo.env", "skyjo.sim")
    instead: dict[Callable[..., Any], Callable[..., Any]] = {}
    if kernels:
        ours = ("skyjo.rules.view", "skyjo.env.observation")
        instead[policies.act] = policies.chain(kernels)
    else:
        instead[steps.play_bots] = steps.no_bots
    step = jit.compiled(
        steps.step_all,
        *desk,
        rewards,
        one,
        np.zeros(1, np.int8),
        rows,
        masks,
        one,
        instead=instead,
        inline=ours,
    )
    look = jit.compiled(steps.look_at, states, views, 0, 0, rows)
    sample = jit.compiled(steps.sample_all, courses, dice, one)
    return step, look, sample
