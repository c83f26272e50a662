"""Research environments: PettingZoo, Gymnasium and OpenSpiel over the one source of rules.

They come with ``pip install skyjo[env]``; ``docs/research.md`` explains what is observed and
rewarded. Nothing here is a rule: tables are played by ``skyjo.rules``, compiled where numba is
there.

>>> from skyjo.env import OBSERVATION_VERSION, Setting
>>> OBSERVATION_VERSION, Setting(3).rules.text()
(1, 'official reveal_order=seat_order max_rounds=1')
"""

from __future__ import annotations

from skyjo.env import needed as needed
from skyjo.env.observation import OBSERVATION_VERSION, observation_size, planes
from skyjo.env.registration import register
from skyjo.env.single import SkyjoEnv
from skyjo.env.steps import ENV_ACTIONS
from skyjo.env.tables import Setting
from skyjo.env.vector import SkyjoVectorEnv

__all__ = [
    "ENV_ACTIONS",
    "OBSERVATION_VERSION",
    "Setting",
    "SkyjoEnv",
    "SkyjoVectorEnv",
    "observation_size",
    "planes",
]

register()
