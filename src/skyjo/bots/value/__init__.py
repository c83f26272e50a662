"""A value network that looks one turn ahead, or two, trained by its own play.

``evaluate`` tells what every action is expected to bring; ``points_bot`` plays for points.
``layout`` says how the network is made, ``look`` how it looks ahead, ``deep`` how it goes on from
there, ``skyjo.train`` how it is trained. Everything here needs NumPy; bulk play compiles the
kernels.
"""

from __future__ import annotations

import random

from skyjo.bots import DICE, Bot
from skyjo.bots.value.evaluation import Evaluation, evaluate
from skyjo.bots.value.familiar import unfamiliar
from skyjo.bots.value.kernel import act_by_utility, points_utility, value_action
from skyjo.bots.value.numpy_look import interpreted
from skyjo.bots.value.weights import load, numbers
from skyjo.rules.layout import View

__all__ = [
    "Evaluation",
    "act_by_utility",
    "evaluate",
    "interpreted",
    "load",
    "numbers",
    "points_bot",
    "points_utility",
    "unfamiliar",
    "value_action",
]


def points_bot(
    name: str = "value", weights: str = "main", *, exact: bool = True, deep: bool = True
) -> Bot:
    """A bot that plays for points with these weights.

    ``exact`` looks at every card that may be drawn before it decides whether to draw: stronger, and
    several times slower. ``deep`` looks two turns ahead where two are left and actions are close.
    Raises SkyjoError when there are no such weights.
    """
    act = interpreted(load(weights), points_utility, exact=exact, deep=deep)

    def policy(view: View, generator: random.Random) -> int:
        return act(view, generator.randrange(DICE))

    return Bot(name, policy, value_action, numbers(weights, exact=exact, deep=deep), act)
