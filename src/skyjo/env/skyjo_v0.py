"""The PettingZoo environment: agents take turns, each sees what its seat may know.

>>> from skyjo.env import skyjo_v0
>>> env = skyjo_v0.env(seats=2, ruleset="official", compiled=False)
>>> env.reset(seed=7)
>>> observation, reward, termination, truncation, info = env.last()
>>> env.agent_selection, observation["observation"].shape, int(observation["action_mask"].sum())
('seat_0', (135,), 12)
>>> env.step(4)

``env`` is wrapped as PettingZoo recommends: an illegal action ends the game for its agent. Without
wrappers (``raw_env``) it raises IllegalActionError and changes nothing.
"""

from __future__ import annotations

import sys
from typing import Any, ClassVar, TypeAlias

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from skyjo.env.given import SEEDS, one_of, seed_of
from skyjo.env.observation import bounds
from skyjo.env.pictures import board_picture
from skyjo.env.steps import ENV_ACTIONS, ILLEGAL_REWARD, RUNNING, TRUNCATED
from skyjo.env.tables import Setting, Tables
from skyjo.rules.board import board_text
from skyjo.rules.layout import NOBODY
from skyjo.rules.ruleset import Ruleset
from skyjo.sim import TURN_LIMIT

__all__ = ["env", "raw_env"]

Observation: TypeAlias = dict[str, NDArray[np.int8]]


def env(**settings: Any) -> AECEnv:
    """The wrapped environment; takes what ``raw_env`` takes."""
    wrapped = wrappers.TerminateIllegalWrapper(raw_env(**settings), illegal_reward=ILLEGAL_REWARD)
    wrapped = wrappers.AssertOutOfBoundsWrapper(wrapped)
    return wrappers.OrderEnforcingWrapper(wrapped)


class raw_env(AECEnv):  # type: ignore[misc]  # noqa: N801 - PettingZoo's name for it
    """Skyjo for 2 to 8 agents, "seat_0" and so on.

    Keywords are those of ``skyjo.env.Setting`` (``seats``, ``ruleset``, ``episode``, ``reward``,
    ``turn_limit``, ``compiled``), and ``render_mode``: "ansi" for text, "rgb_array" for a picture,
    "human" prints the text. An observation is a dictionary of ``observation``, a row of signed
    bytes (``skyjo.env.observation``), and ``action_mask``, 1 for every legal action of the agent
    that is to act. Actions are the numbers of ``skyjo.rules.actions``.

    ``terminations`` are true when the round (or the game) is over, ``truncations`` when the
    environment's ``turn_limit`` cut it off.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "skyjo_v0",
        "render_modes": ["ansi", "rgb_array", "human"],
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(
        self,
        seats: int = 2,
        ruleset: Ruleset | str = "official",
        episode: str = "round",
        reward: str = "difference",
        turn_limit: int = TURN_LIMIT,
        compiled: bool | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        one_of("render_mode", render_mode, (*self.metadata["render_modes"], None))
        self.setting = Setting(seats, ruleset, episode, reward, turn_limit, compiled)
        self.render_mode = render_mode
        self.possible_agents = [f"seat_{seat}" for seat in range(seats)]
        self.agents: list[str] = []
        low, high = bounds(seats)
        self.state_space = spaces.Box(
            np.array(low * seats, np.int8), np.array(high * seats, np.int8), dtype=np.int8
        )
        self._observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(
                        np.array(low, np.int8), np.array(high, np.int8), dtype=np.int8
                    ),
                    "action_mask": spaces.Box(0, 1, (ENV_ACTIONS,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self._action_spaces = {
            agent: spaces.Discrete(ENV_ACTIONS) for agent in self.possible_agents
        }
        self._tables = Tables(1, self.setting)
        self._no_mask = np.zeros(ENV_ACTIONS, np.int8)
        self._random = np.random.default_rng()
        self._seeded = False
        self._rewarded = False

    def observation_space(self, agent: str) -> spaces.Dict:
        """The space of an agent's observations; always the same object."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The space of an agent's actions; always the same object."""
        return self._action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal the first round.

        The seed decides all decks of this and the coming episodes; without one the next episode of
        the last seed begins.
        """
        if seed is not None or not self._seeded:
            seed = int(self._random.integers(SEEDS)) if seed is None else seed_of(seed)
            self._tables.begin([seed])
            self._seeded = True
        else:
            self._tables.begin_next()
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self._rewarded = False
        self._acting = int(self._tables.seats[0])
        self.agent_selection = self.possible_agents[self._acting]

    def observe(self, agent: str) -> Observation:
        """What an agent sees now; the mask is empty unless it is to act."""
        if agent == self.agent_selection and self.agents and not self._is_over(agent):
            return {
                "observation": self._tables.observations[0].copy(),
                "action_mask": self._tables.masks[0].copy(),
            }
        seat = self.possible_agents.index(agent)
        return {
            "observation": self._tables.observe(seat),
            "action_mask": self._no_mask.copy(),
        }

    def step(self, action: int | None) -> None:
        """Carry out an action of ``agent_selection``; None removes an agent whose game is over.

        Raises IllegalActionError or MalformedError for an action that the mask does not allow.
        """
        agent = self.agent_selection
        if self._is_over(agent):
            self._was_dead_step(action)
            return
        self._tables.step(action)
        self._cumulative_rewards[agent] = 0.0
        if self._rewarded:
            self._clear_rewards()
            self._rewarded = False
        if self._tables.rewards.any():
            self._rewarded = True
            self.rewards = dict(zip(self.agents, self._tables.rewards[0].tolist(), strict=True))
            self._accumulate_rewards()
        if (end := self._tables.ends[0]) != RUNNING:
            ended = self.truncations if end == TRUNCATED else self.terminations
            ended.update(dict.fromkeys(self.agents, True))
        self.agent_selection = self.possible_agents[self._tables.seats[0]]
        if self.render_mode == "human":
            self.render()

    def _is_over(self, agent: str) -> bool:
        return self.terminations[agent] or self.truncations[agent]

    def render(self) -> str | NDArray[np.uint8] | None:
        """The table as an onlooker sees it, as text or as a picture of (height, width, 3)."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() without a render_mode shows nothing")
            return None
        view = self._tables.view(NOBODY)
        if self.render_mode == "rgb_array":
            return board_picture(view, self.possible_agents)
        text = board_text(view, self.possible_agents)
        if self.render_mode == "human":
            sys.stdout.write(f"{text}\n")
            return None
        return text

    def state(self) -> NDArray[np.int8]:
        """What all seats together may know: every observation, one after the other.

        It is for training only (PettingZoo's ``state``); ``state_space`` is its space.
        """
        return np.concatenate([self._tables.observe(seat) for seat in range(self.setting.seats)])

    def close(self) -> None:
        """Nothing to release."""
