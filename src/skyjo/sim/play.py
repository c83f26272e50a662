"""Bulk play: which games to play, with which policies, on how many cores."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from skyjo import jit
from skyjo.bots import Bot, Kernel, Policy, kernels_with, make
from skyjo.errors import IllegalActionError, SkyjoError
from skyjo.i18n import N_
from skyjo.rules.actions import ACTIONS, action_name
from skyjo.rules.deal import DECK
from skyjo.rules.layout import GAME_OVER, MAX_SEATS, MIN_SEATS, NOBODY, State, View
from skyjo.rules.ruleset import Ruleset
from skyjo.rules.view import fill_view
from skyjo.sim import policies
from skyjo.sim.dealer import DEALER_FIELDS, Dealer
from skyjo.sim.dice import DICE_FIELDS, seed_number
from skyjo.sim.loop import PLAN_FIELDS, ROW_FIELDS, Plan, Row, choose, play_games, play_round
from skyjo.sim.results import Games, Rounds, games_from, joined, rounds_from
from skyjo.sim.uniform import play_round_uniformly

#: A bot, its name for ``skyjo.bots.make``, or any policy.
Player: TypeAlias = "Bot | str | Policy"

#: Rounds are cut off after this many turns of every seat where the ruleset knows no limit: nothing
#: in the rules ends a round in which everybody only swaps cards that lie face up (rules 1).
TURN_LIMIT: Final = 200
#: Rounds that are written down in one go; between two of them other threads have their chance.
_ROWS: Final = 1024
_INTERPRETED_ROWS: Final = 64


@dataclass(frozen=True, slots=True)
class Job:
    """Everything that the course of a game depends on, but its number.

    ``bots`` by seat; empty for uniformly random play.
    """

    seats: int
    bots: tuple[Bot, ...]
    ruleset: Ruleset
    seed: int
    rotations: int
    compiled: bool


def play_many_games(
    players: Sequence[Player],
    games: int,
    *,
    seed: int | str = 0,
    first: int = 0,
    ruleset: Ruleset | None = None,
    duplicate: bool = False,
    jobs: int | None = None,
    compiled: bool | None = None,
    progress: Callable[[int], None] | None = None,
) -> Games:
    """Play whole games of the given players, one for each seat.

    * ``seed`` and the number of a game (``first``, ``first`` + 1, ...) decide every card and every
      random choice in it, however many workers there are and whether it runs compiled or not;
    * ``duplicate``: games in groups of as many as there are seats have the same decks, and the
      line-up moves one seat to the left from each to the next, so that luck cancels;
    * ``jobs``: how many cores (default: all);
    * ``compiled``: whether to compile; by default if every player has a kernel and numba is there;
    * ``progress`` is called with the number of games that have been finished since the last call.

    A ruleset without a ``turn_limit`` is played with one of 200. Raises SkyjoError when a player
    answers with an illegal action, and IllegalActionError (``player_count``) for a wrong number of
    players.

    >>> games = play_many_games(["greedy", "random"], 4, seed=1, compiled=False)
    >>> games.won.sum(axis=0).tolist()
    [4, 0]
    """
    bots = tuple(_bot(player) for player in players)
    job = _job(len(bots), bots, ruleset, seed, compiled)
    job = replace(job, rotations=len(bots) if duplicate else 1)
    return games_from(_play(job, first, first + games, jobs, progress), job.rotations)


def play_many_rounds(
    players: Sequence[Player],
    rounds: int,
    *,
    seed: int | str = 0,
    first: int = 0,
    ruleset: Ruleset | None = None,
    jobs: int | None = None,
    compiled: bool | None = None,
    progress: Callable[[int], None] | None = None,
) -> Rounds:
    """Play single rounds, each the first one of a game of its own; as ``play_many_games``.

    >>> rounds = play_many_rounds(["greedy"] * 3, 5, seed=1, compiled=False)
    >>> rounds.scores.shape
    (5, 3)
    """
    bots = tuple(_bot(player) for player in players)
    job = _job(len(bots), bots, _single(ruleset), seed, compiled)
    return _play(job, first, first + rounds, jobs, progress)


def prepare(players: Sequence[Player]) -> None:
    """Load or compile what these players need, so that the next call begins to play at once."""
    bots = tuple(_bot(player) for player in players)
    job = _job(len(bots), bots, None, 0, None)
    if job.compiled:
        _kernel(job)


def play_random_rounds(
    seats: int,
    rounds: int,
    *,
    seed: int | str = 0,
    first: int = 0,
    ruleset: Ruleset | None = None,
    jobs: int | None = None,
    compiled: bool | None = None,
    progress: Callable[[int], None] | None = None,
) -> Rounds:
    """Play uniformly random rounds as rules 2.18 defines them, the measure of speed.

    They need no views, and no limit of turns. ``plies`` are not counted.

    >>> play_random_rounds(2, 100, seed=1, compiled=False).decisions.shape
    (100,)
    """
    ruleset = _single(ruleset)
    job = replace(_job(seats, (), ruleset, seed, compiled), ruleset=ruleset)
    return _play(job, first, first + rounds, jobs, progress)


# --- Before -------------------------------------------------------------------------------------


def _bot(player: Player) -> Bot:
    if isinstance(player, Bot):
        return player
    if isinstance(player, str):
        return make(player)
    return Bot(getattr(player, "__name__", "policy"), player)


def _single(ruleset: Ruleset | None) -> Ruleset:
    return replace(ruleset or Ruleset(), max_rounds=1)


def _job(
    seats: int,
    bots: tuple[Bot, ...],
    ruleset: Ruleset | None,
    seed: int | str,
    compiled: bool | None,
) -> Job:
    if not MIN_SEATS <= seats <= MAX_SEATS:
        raise IllegalActionError(
            "player_count",
            N_("Skyjo is played by 2 to 8 players, not by {count}."),
            count=seats,
        )
    ruleset = ruleset or Ruleset()
    if ruleset.turn_limit == 0:
        ruleset = replace(ruleset, turn_limit=TURN_LIMIT)
    slow = [bot.name for bot in bots if bot.kernel is None]
    if compiled and slow:
        raise SkyjoError(N_("{bot} cannot be compiled: it has no kernel"), bot=slow[0])
    if compiled is None:
        compiled = not slow and importlib.util.find_spec("numba") is not None
    return Job(seats, bots, ruleset, seed_number(seed), 1, compiled)


# --- Parts and workers --------------------------------------------------------------------------


def _play(
    job: Job, first: int, end: int, jobs: int | None, progress: Callable[[int], None] | None
) -> Rounds:
    """All rounds of the games first to end - 1, in their order."""
    workers = jobs or os.cpu_count() or 1
    least, most = (1024, 8192) if job.compiled else (16, 64)
    size = max(least, min(most, (end - first) // workers))
    parts = [(number, min(number + size, end)) for number in range(first, end, size)]
    rounds = [rounds_from(np.zeros(0, _row_dtype()), job.seats)]
    for (begin, stop), part in zip(parts, _played(job, parts, workers), strict=True):
        rounds += part
        if progress is not None:
            progress(stop - begin)
    return joined(rounds)


def _played(job: Job, parts: list[tuple[int, int]], workers: int) -> Iterable[list[Rounds]]:
    if workers == 1 or len(parts) < 2:
        return (play_part(job, begin, end) for begin, end in parts)
    if job.compiled:
        return _in_threads(job, parts, workers)
    from joblib import Parallel, delayed

    tasks = (delayed(play_part)(job, begin, end) for begin, end in parts)
    return cast(Iterable[list[Rounds]], Parallel(workers, return_as="generator")(tasks))


def _in_threads(job: Job, parts: list[tuple[int, int]], workers: int) -> Iterator[list[Rounds]]:
    """Compiled play does not hold the interpreter's lock."""
    _kernel(job)
    with ThreadPoolExecutor(workers) as pool:
        try:
            yield from pool.map(lambda part: play_part(job, *part), parts)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def play_part(job: Job, first: int, end: int) -> list[Rounds]:
    """The rounds of the games first to end - 1, played here and now."""
    desk = _records(job, first, end) if job.compiled else _objects(job, first, end)
    kernel = _kernel(job) if job.compiled else _interpreted(job)
    if any(hasattr(bot.policy, "finish") for bot in job.bots):
        return _play_and_tell(job, kernel, desk, end)
    return list(_rows(job, kernel, desk, end))


def _rows(job: Job, kernel: Callable[..., int], desk: Any, end: int) -> Iterator[Rounds]:
    """Whatever the loop has written down, until all games before ``end`` are done."""
    plan, rows = desk[3], desk[-1]
    while _plan_number(plan, "game") < end:
        count = kernel(*desk)
        if _plan_number(plan, "fault") != NOBODY:
            raise _fault(job, plan)
        written = rows[:count] if job.compiled else _as_array(rows[:count])
        yield rounds_from(written, job.seats)


def _play_and_tell(job: Job, kernel: Callable[..., int], desk: Any, end: int) -> list[Rounds]:
    """Game by game: a policy with a method ``finish`` is shown how each of them has ended."""
    state, view, plan = desk[0][0], desk[1][0], desk[3][0]
    done: list[Rounds] = []
    for game in range(plan.game, end):
        plan.end = game + 1
        done += _rows(job, kernel, desk, plan.end)
        for seat in range(job.seats):
            bot = job.bots[(seat + game % job.rotations) % job.seats]
            if hasattr(bot.policy, "finish"):
                fill_view(state, seat, view)
                bot.policy.finish(view)
    return done


def _plan_number(plan: Any, name: str) -> int:
    return plan[0].__getattribute__(name) if isinstance(plan, list) else int(plan[name][0])


def _fault(job: Job, plan: Any) -> SkyjoError:
    game, seat = _plan_number(plan, "game"), _plan_number(plan, "fault")
    action = _plan_number(plan, "action")
    return SkyjoError(
        N_("{bot} chose {action} in game {game}, which is not allowed at that moment"),
        bot=job.bots[(seat + game % job.rotations) % job.seats].name,
        action=action_name(action) if 0 <= action < ACTIONS else action,
        game=game,
    )


# --- Compiled -----------------------------------------------------------------------------------


def _kernel(job: Job) -> Callable[..., int]:
    return _loop(_kernels(job)) if job.bots else _random_loop()


@cache
def _loop(kernels: tuple[Kernel, ...]) -> Callable[..., int]:
    instead = {policies.act: policies.chain(kernels)}
    return jit.compiled(play_games, *_example(), instead=instead, inline=("skyjo.rules.view",))


@cache
def _random_loop() -> Callable[..., int]:
    return jit.compiled(
        play_games, *_example(), instead={play_round: play_round_uniformly}, inline=("skyjo",)
    )


def _example() -> tuple[Any, ...]:
    return _records(Job(MIN_SEATS, (), Ruleset(), 0, 1, compiled=True), 0, 0)


def _kernels(job: Job) -> tuple[Kernel, ...]:
    """The kernels that the loop is compiled with: all of ours, or those of the line-up."""
    return kernels_with(dict.fromkeys(cast(Kernel, bot.kernel) for bot in job.bots))


@cache
def _row_dtype() -> np.dtype[Any]:
    return jit.record_dtype(ROW_FIELDS, small=True)


def _records(job: Job, first: int, end: int) -> tuple[Any, ...]:
    """The arguments of the loop as arrays of records."""
    state = jit.to_record(_state(job))
    view = jit.to_record(View(job.ruleset))
    dice = jit.record_dtype(DICE_FIELDS)
    dealer = np.zeros(1, jit.record_dtype(DEALER_FIELDS, {"cards": dice, "play": dice}))
    dealer["fresh"][0] = DECK
    plan = np.zeros(1, jit.record_dtype(PLAN_FIELDS))
    for name, value in _plan_values(job, first, end).items():
        plan[name][0] = value
    numbers, table = _numbers(job)
    return (
        state,
        view,
        dealer,
        plan,
        np.array(numbers, np.float32),
        np.array(table, np.int64),
        np.zeros(_ROWS, _row_dtype()),
    )


# --- Interpreted --------------------------------------------------------------------------------


def _interpreted(job: Job) -> Callable[..., int]:
    if not job.bots:
        return jit.rebuilt(play_games, {play_round: play_round_uniformly})
    return jit.rebuilt(play_games, {choose: policies.asking(job.bots)})


def _objects(job: Job, first: int, end: int) -> tuple[Any, ...]:
    """The arguments of the loop as plain objects."""
    plan = Plan()
    for name, value in _plan_values(job, first, end).items():
        setattr(plan, name, value)
    numbers, table = _numbers(job)
    rows = [Row() for _ in range(_INTERPRETED_ROWS)]
    single = [float(number) for number in np.array(numbers, np.float32)]
    return [_state(job)], [View(job.ruleset)], [Dealer()], [plan], single, table, rows


def _as_array(rows: Sequence[Row]) -> NDArray[Any]:
    found = np.zeros(len(rows), _row_dtype())
    for name, _length, _kind in ROW_FIELDS:
        found[name] = [getattr(row, name) for row in rows]
    return found


# --- Both ---------------------------------------------------------------------------------------


def _state(job: Job) -> State:
    state = State(job.seats, job.ruleset)
    state.phase = GAME_OVER
    return state


def _plan_values(job: Job, first: int, end: int) -> dict[str, Any]:
    return {
        "seed": job.seed,
        "game": first,
        "end": end,
        "rotations": job.rotations,
        "plies": 0,
        "fault": NOBODY,
        "action": 0,
        "lineup": [seat if seat < job.seats else 0 for seat in range(MAX_SEATS)],
    }


def _numbers(job: Job) -> tuple[list[float], list[int]]:
    return policies.numbers_of(job.bots, _kernels(job) if job.compiled else ())
