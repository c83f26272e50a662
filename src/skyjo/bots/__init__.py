"""Bots: policies that see what their seat may know and answer with an action.

>>> make("greedy").name
'greedy'

A policy never sees a game or a state, only a view and a generator of its own. The generator of
each decision comes from seed, round, ply and seat, so that a game that was interrupted goes on as
it would have.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from types import FunctionType
from typing import Final, TypeAlias, cast

from skyjo.bots.casual import casual_action
from skyjo.bots.expected import expected_action
from skyjo.bots.greedy import greedy_action
from skyjo.bots.judge import judge_action
from skyjo.bots.novice import novice_action
from skyjo.bots.opportunist import opportunist_action
from skyjo.bots.prudent import prudent_action
from skyjo.bots.statistician import statistician_action
from skyjo.bots.threshold import threshold_action
from skyjo.bots.uniform import random_action
from skyjo.chance import SeededChance
from skyjo.errors import MalformedError, SkyjoError
from skyjo.i18n import N_, _
from skyjo.rules.layout import View
from skyjo.rules.ruleset import Ruleset, knob

__all__ = [
    "DICE",
    "KERNELS",
    "LADDER",
    "Bot",
    "Kernel",
    "Policy",
    "doubts",
    "from_kernel",
    "kernels_with",
    "label",
    "make",
    "names",
    "says",
]

#: What the name of a bot begins with that is a program of its own.
PROGRAM: Final = "cmd:"

#: After ``master:``, for points instead of the game.
POINTS: Final = "points"

#: From the view of a seat that may act now, and a generator, to the id of a legal action.
Policy: TypeAlias = Callable[[View, random.Random], int]

#: A policy in the form that can be compiled: from the view, a chance (0 to ``DICE`` - 1) and, if it
#: takes a third argument, the numbers of its bot (a row of floats) to the id of a legal action.
Kernel: TypeAlias = Callable[..., int]

#: A decision part gets one number below this as its only chance. It is the least common multiple
#: of 1 to 13, so that ``chance % n`` is exactly uniform over up to 13 actions.
DICE: Final = 360_360


@dataclass(frozen=True, slots=True)
class Bot:
    """A named policy; one that can be compiled also has a ``kernel`` and its ``numbers``.

    ``interpreted`` stands for a kernel that is too slow for the interpreter: from view and chance
    to the same action (up to rounding).
    """

    name: str
    policy: Policy
    kernel: Kernel | None = None
    numbers: tuple[float, ...] = ()
    interpreted: Callable[[View, int], int] | None = None

    def decide(self, view: View, seed: int | str, ply: int) -> int:
        """The action of the view's seat; ``ply`` is how many actions the game has seen before.

        >>> from skyjo.game import Game
        >>> game = Game(["Ana", "Ben"])
        >>> _ = game.deal(SeededChance(7).deck(1))
        >>> view = game.view(0)
        >>> make("random").decide(view, 7, ply=0) == make("random").decide(view, 7, ply=0)
        True
        """
        generator = SeededChance(seed).generator("bot", view.round, ply, view.seat)
        return self.policy(view, generator)


def from_kernel(name: str, kernel: Kernel, numbers: tuple[float, ...] = ()) -> Bot:
    """A bot whose policy is a kernel; it can be pickled if the kernel can be imported.

    >>> from_kernel("mine", random_action).kernel is random_action
    True
    """
    row = (numbers,) if takes_numbers(kernel) else ()
    return Bot(name, partial(_ask_kernel, kernel, row), kernel, numbers)


def _ask_kernel(
    kernel: Kernel, row: tuple[tuple[float, ...], ...], view: View, generator: random.Random
) -> int:
    """The policy of ``from_kernel``."""
    return kernel(view, generator.randrange(DICE), *row)


def takes_numbers(kernel: Kernel) -> bool:
    """Whether a kernel wants the numbers of its bot."""
    return cast(FunctionType, kernel).__code__.co_argcount == 3


@dataclass(frozen=True, slots=True)
class _Entry:
    """A kernel, what people call it, what it does in a sentence.

    ``default`` is the number that the name may carry, ``numbers`` those of a bot without one. What
    needs NumPy has no kernel here: it is loaded when it is asked for.
    """

    kernel: Kernel | None
    label: str
    says: str
    default: float | None = None
    numbers: tuple[float, ...] = ()


#: The ladder from the weakest to the strongest, then other people's bots, as our arena has them.
_BOTS: Final[Mapping[str, _Entry]] = {
    "novice": _Entry(
        novice_action,
        N_("Novice"),
        N_("Likes to turn cards over, and swaps only very high ones."),
    ),
    "casual": _Entry(
        casual_action,
        N_("Casual"),
        N_("Lowers its cards, and completes a column when the card comes."),
    ),
    "skilled": _Entry(
        judge_action,
        N_("Skilled"),
        N_("Reckons with every card that may come, but plans no columns."),
        numbers=(0.0, 0.0, 0.0),
    ),
    "expert": _Entry(
        judge_action,
        N_("Expert"),
        N_("Counts cards, plans columns and watches the others, all by rule of thumb."),
        numbers=(1.0, 1.0, 1.0),
    ),
    "master": _Entry(
        None,
        N_("Master"),
        N_("Has learnt from millions of its own rounds, and plays for the whole game."),
    ),
    "random": _Entry(
        random_action, N_("Clueless"), N_("Does anything that is allowed, without a thought.")
    ),
    "expected": _Entry(
        expected_action,
        N_("Counter"),
        N_("Counts every hidden card 5 and goes for the largest gain."),
    ),
    "opportunist": _Entry(
        opportunist_action,
        N_("Collector"),
        N_("Collects low cards, and closes when that looks good."),
    ),
    "prudent": _Entry(
        prudent_action,
        N_("Careful"),
        N_("Lowers its high cards, and closes only when it should be ahead."),
    ),
    "greedy": _Entry(greedy_action, N_("Greedy"), N_("Takes what is lower than its highest card.")),
    "statistician": _Entry(
        statistician_action,
        N_("Statistician"),
        N_("Weighs every slot, and what its discard is worth to the next."),
    ),
    "threshold": _Entry(
        threshold_action,
        N_("Thrifty"),
        N_("Takes and keeps what is not higher than its number."),
        3,
    ),
}

#: The levels that tables offer, from the weakest to the strongest; the others are for measuring.
LADDER: Final = ("novice", "casual", "skilled", "expert", "master")

#: The kernels of all bots but ``master``, so that they can be compiled together.
KERNELS: Final[tuple[Kernel, ...]] = tuple(
    dict.fromkeys(entry.kernel for entry in _BOTS.values() if entry.kernel is not None)
)


def kernels_with(own: Collection[Kernel]) -> tuple[Kernel, ...]:
    """The kernels to compile together, so that the same machine code serves many line-ups.

    All of ours if these are among them (those of ``master`` only if they are needed, they take
    long), else these alone.

    >>> kernels_with([random_action]) == KERNELS
    True
    """
    if set(own) <= set(KERNELS):
        return KERNELS
    if any(kernel.__module__.startswith("skyjo.bots.") for kernel in own):
        from skyjo.bots.master import KERNELS as MASTERS

        if set(own) <= {*KERNELS, *MASTERS}:
            return (*KERNELS, *MASTERS)
    return tuple(own)


def names() -> tuple[str, ...]:
    """The names of all bots, first the ladder; one that carries a number has its usual one.

    >>> names()[0], names()[-1]
    ('novice', 'threshold:3')
    """
    return tuple(
        name if entry.default is None else f"{name}:{entry.default:g}"
        for name, entry in _BOTS.items()
    )


def label(name: str) -> str:
    """What people call a bot, in the reader's language.

    >>> label("threshold:3")
    'Thrifty'
    """
    return _(_BOTS[name.partition(":")[0]].label)


def says(name: str) -> str:
    """What a bot does, in a sentence in the reader's language."""
    return _(_BOTS[name.partition(":")[0]].says)


def doubts(name: str, rules: Ruleset) -> str:
    """What is to be told of a bot under these rules, in the reader's language; "" is nothing.

    ``master`` plays on with what it knows where it was not trained by a rule.

    >>> doubts("master", Ruleset()), doubts("greedy", Ruleset.parse("official row_removal=on"))
    ('', '')
    >>> doubts("master", Ruleset.parse("official penalty_flat=15"))
    'Master was never trained by these rules and plays on with what it knows: “Penalty points”.'
    """
    if name.partition(":")[0] != "master":
        return ""
    try:
        from skyjo.bots.value import unfamiliar
    except ModuleNotFoundError:
        return ""
    strange = [_("“{knob}”", knob=_(knob(each).label)) for each in unfamiliar(rules)]
    if not strange:
        return ""
    return _(
        "{bot} was never trained by these rules and plays on with what it knows: {rules}.",
        bot=label(name),
        rules=", ".join(strange),
    )


def make(spec: str) -> Bot:
    """The bot of that name, or the program of ``cmd:COMMAND``.

    Raises MalformedError, which names all bots when there is none of that name.

    >>> make("threshold:5").name
    'threshold:5'
    >>> make("genius")
    Traceback (most recent call last):
    ...
    skyjo.errors.MalformedError: there is no bot 'genius'; the bots are: novice, casual, ...
    """
    if spec.strip().startswith(PROGRAM):
        from skyjo.bots.process import ProcessPolicy

        return Bot(spec.strip(), ProcessPolicy(spec.strip().removeprefix(PROGRAM)))
    name, colon, number = spec.strip().partition(":")
    if name == "master" and number in ("", POINTS):
        return _master(spec.strip(), points=number == POINTS)
    entry = _BOTS.get(name)
    if entry is None or (colon and entry.default is None and entry.kernel is not None):
        raise MalformedError(
            N_("there is no bot '{name}'; the bots are: {names}"),
            name=spec.strip(),
            names=", ".join(names()),
        )
    if entry.kernel is None:
        raise MalformedError(
            N_("after '{name}:' comes '{option}', not '{text}'"),
            name=name,
            option=POINTS,
            text=number,
        )
    if entry.default is None:
        return from_kernel(name, entry.kernel, entry.numbers)
    if colon and not re.fullmatch(r"-?[0-9]{1,3}", number):
        raise MalformedError(
            N_("after '{name}:' comes a whole number, not '{text}'"), name=name, text=number
        )
    value = float(number) if colon else entry.default
    return from_kernel(f"{name}:{value:g}", entry.kernel, (value,))


def _master(name: str, *, points: bool) -> Bot:
    """The bot that needs NumPy. Raises SkyjoError without it."""
    try:
        from skyjo.bots.master import master_bot
    except ModuleNotFoundError as missing:
        raise SkyjoError(
            N_(
                "the bot '{bot}' needs the package {name};"
                " in a checkout of skyjo: pip install '.[sim]'"
            ),
            bot=name,
            name=missing.name,
        ) from missing
    return master_bot(name, points=points)
