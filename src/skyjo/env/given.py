"""What a caller gives to an environment, checked before anything is built or played.

All environments take their arguments through here, so that a wrong one is told in the same words
everywhere, and when it is given instead of many steps later.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from skyjo.bots import Bot, Policy, make
from skyjo.errors import IllegalActionError, MalformedError, RulesetError
from skyjo.i18n import N_, _
from skyjo.rules.layout import MAX_SEATS, MIN_SEATS
from skyjo.rules.ruleset import LARGEST, Ruleset

#: A bot, its name for ``skyjo.bots.make``, or any policy.
Player: TypeAlias = "Bot | str | Policy"

#: Seeds that an environment draws when none is given are below this.
SEEDS: Final = 2**31


def one_of(name: str, value: Any, allowed: Sequence[Any]) -> None:
    """RulesetError for what is not allowed.

    >>> one_of("episode", "year", ("round", "game"))
    Traceback (most recent call last):
    ...
    skyjo.errors.RulesetError: episode is one of: round, game; not 'year'
    """
    if not any(value is each or (type(value) is type(each) and value == each) for each in allowed):
        raise RulesetError(
            N_("{knob} is one of: {names}; not '{text}'"),
            knob=name,
            names=", ".join(map(str, allowed)),
            text=value,
        )


def flag(name: str, value: Any) -> bool:
    """A yes or no. Raises RulesetError for anything else: the word "no" would be true.

    >>> flag("duplicate", True)
    True
    """
    found = bool(value) if isinstance(value, np.bool_) else value
    one_of(name, found, (True, False))
    return bool(found)


def whole(name: str, value: Any, least: int, most: int | None = LARGEST) -> int:
    """A whole number in a range, of Python or NumPy. Raises RulesetError.

    >>> whole("turn_limit", 1.5, 0)
    Traceback (most recent call last):
    ...
    skyjo.errors.RulesetError: turn_limit is a whole number, not '1.5'
    """
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise RulesetError(N_("{knob} is a whole number, not '{text}'"), knob=name, text=value)
    found = int(value)
    if found < least:
        raise RulesetError(
            N_("{knob} is at least {least}, not '{text}'"), knob=name, least=least, text=found
        )
    if most is not None and found > most:
        raise RulesetError(
            N_("{knob} is at most {most}, not '{text}'"), knob=name, most=most, text=found
        )
    return found


def seats_of(value: Any) -> int:
    """A number of seats. Raises RulesetError, and IllegalActionError (``player_count``).

    >>> seats_of(9)
    Traceback (most recent call last):
    ...
    skyjo.errors.IllegalActionError: Skyjo is played by 2 to 8 players, not by 9.
    """
    found = whole("seats", value, -LARGEST)
    if not MIN_SEATS <= found <= MAX_SEATS:
        raise IllegalActionError(
            "player_count",
            N_("Skyjo is played by 2 to 8 players, not by {count}."),
            count=found,
        )
    return found


def ruleset_of(value: Any) -> Ruleset:
    """A ruleset, or what its text means. Raises RulesetError.

    >>> ruleset_of("family").value("next_starter")
    'round_winner'
    """
    if isinstance(value, Ruleset):
        return value
    if not isinstance(value, str):
        raise RulesetError(N_("a ruleset is a Ruleset or its text, not '{text}'"), text=value)
    return Ruleset.parse(value)


def penalty_of(value: Any) -> float | None:
    """What an illegal action costs, or None. Raises RulesetError.

    >>> penalty_of(-1)
    -1.0
    """
    if value is None:
        return None
    if isinstance(value, (int, float, np.integer, np.floating)) and math.isfinite(value):
        return float(value)
    raise RulesetError(N_("{knob} is a number, not '{text}'"), knob="illegal_reward", text=value)


def bot_of(player: Player) -> Bot:
    """The bot that is meant. Raises MalformedError.

    >>> bot_of("greedy").name
    'greedy'
    """
    if isinstance(player, Bot):
        return player
    if isinstance(player, str):
        return make(player)
    if not callable(player):
        raise MalformedError(
            N_("an opponent is a bot, the name of one or a policy, not '{text}'"), text=player
        )
    return Bot(getattr(player, "__name__", "policy"), player)


def bots_of(opponents: Any, seats: int | None = None) -> tuple[Bot, ...]:
    """The bots at all seats but the agent's. Raises MalformedError and IllegalActionError.

    >>> [bot.name for bot in bots_of(["greedy", "random"])]
    ['greedy', 'random']
    >>> bots_of("greedy")
    Traceback (most recent call last):
    ...
    skyjo.errors.MalformedError: opponents are a list, ["greedy"] for instance, not 'greedy'
    """
    if isinstance(opponents, str) or not isinstance(opponents, Sequence):
        raise MalformedError(
            N_("opponents are a list, [\"greedy\"] for instance, not '{text}'"), text=opponents
        )
    seats_of(len(opponents) + 1)
    if seats is not None and seats_of(seats) != len(opponents) + 1:
        raise RulesetError(
            N_("{seats} seats have {wanted} opponents and the agent; {given} are given"),
            seats=seats,
            wanted=seats - 1,
            given=len(opponents),
        )
    return tuple(bot_of(player) for player in opponents)


def actions_of(given: Any, number: int) -> NDArray[np.integer[Any]]:
    """One action for each table (n). Raises MalformedError.

    >>> actions_of([4, 5], 2).tolist()
    [4, 5]
    >>> actions_of(4.7, 1)
    Traceback (most recent call last):
    ...
    skyjo.errors.MalformedError: one whole number is wanted for each of 1 tables, not '4.7'
    """
    try:
        found = np.asarray(given)
    except ValueError:
        found = np.array("?")
    if found.dtype.kind in "iu":
        if found.shape == (number,):
            return found
        if number == 1 and not found.shape:
            return found.reshape(1)
    raise MalformedError(
        N_("one whole number is wanted for each of {number} tables, not '{text}'"),
        number=number,
        text=given,
    )


def seed_of(value: Any) -> int:
    """A seed. Raises RulesetError.

    >>> seed_of(7)
    7
    """
    return whole("seed", value, 0, None)


def seeds_of(given: Any, number: int, random: np.random.Generator) -> list[int]:
    """A seed for each table: ``given`` + i, or one by one, where None is drawn from ``random``.

    Raises MalformedError and RulesetError.

    >>> seeds_of(7, 2, np.random.default_rng(1))
    [7, 8]
    """
    if given is None:
        given = [None] * number
    if not isinstance(given, (Sequence, np.ndarray)) or isinstance(given, str):
        return [seed_of(given) + table for table in range(number)]
    if len(given) != number:
        raise MalformedError(
            N_("one whole number is wanted for each of {number} tables, not '{text}'"),
            number=number,
            text=given,
        )
    return [int(random.integers(SEEDS)) if one is None else seed_of(one) for one in given]


def reset_needed() -> ResetNeeded:
    """What a step raises before the first ``reset``, and after the end of an episode."""
    return ResetNeeded(_("no episode is running: reset() begins one"))
