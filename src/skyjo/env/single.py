"""The Gymnasium environment: one agent plays, given bots sit at the other seats."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, ClassVar, SupportsFloat

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from skyjo.env.given import SEEDS, Player, bots_of, one_of, penalty_of, reset_needed, seed_of
from skyjo.env.observation import bounds
from skyjo.env.steps import ENV_ACTIONS, ILLEGAL, ILLEGAL_REWARD, RUNNING, TRUNCATED
from skyjo.env.tables import Learner, Setting, Tables
from skyjo.rules.board import board_text
from skyjo.rules.layout import NOBODY
from skyjo.rules.ruleset import Ruleset
from skyjo.sim import TURN_LIMIT

__all__ = ["SkyjoEnv"]


class SkyjoEnv(gym.Env[NDArray[np.int8], np.int64]):
    """One agent against ``opponents``: bots, their names, or policies, clockwise from the agent.

    * ``seat`` the agent's seat, or "rotate": one further with every episode;
    * ``duplicate``: as many episodes as there are seats have the same decks, so that with "rotate"
      every seat plays the same cards and luck cancels;
    * ``ruleset``, ``episode``, ``reward``, ``turn_limit``, ``compiled`` as in
      ``skyjo.env.Setting``;
    * ``illegal_reward``: an illegal action ends the episode with this reward; with None it raises
      IllegalActionError or MalformedError and changes nothing;
    * ``render_mode``: "ansi", "rgb_array" or "human" (prints the text).

    An observation is a row of signed bytes (``skyjo.env.observation``). ``action_masks()`` has a
    True for every legal action, as MaskablePPO of sb3-contrib asks for it; ``info`` has the same as
    ``action_mask`` of 0 and 1, the agent's ``seat``, ``totals`` by seat, and ``illegal`` after an
    illegal action.

    >>> env = SkyjoEnv(["greedy"], compiled=False)
    >>> observation, info = env.reset(seed=7)
    >>> observation.shape, int(env.action_masks().sum())
    ((135,), 12)
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": ["ansi", "rgb_array", "human"],
        "render_fps": 2,
    }

    def __init__(
        self,
        opponents: Sequence[Player] = ("greedy",),
        *,
        seat: int | str = 0,
        duplicate: bool = False,
        ruleset: Ruleset | str = "official",
        episode: str = "round",
        reward: str = "difference",
        turn_limit: int = TURN_LIMIT,
        compiled: bool | None = None,
        illegal_reward: float | None = ILLEGAL_REWARD,
        render_mode: str | None = None,
    ) -> None:
        bots = bots_of(opponents)
        one_of("render_mode", render_mode, (*self.metadata["render_modes"], None))
        setting = Setting(len(bots) + 1, ruleset, episode, reward, turn_limit, compiled)
        self.setting = setting
        self.render_mode = render_mode
        self._tables = Tables(
            1,
            setting,
            learner=Learner(bots, seat, duplicate),
            illegal_reward=penalty_of(illegal_reward),
        )
        self.observation_space = observation_space(setting.seats)
        self.action_space = spaces.Discrete(ENV_ACTIONS)
        self._seeded = False
        self._runs = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Begin episode 0 of a seed, or without one the next episode."""
        super().reset(seed=seed)
        if seed is not None or not self._seeded:
            seed = int(self.np_random.integers(SEEDS)) if seed is None else seed_of(seed)
            self._tables.begin([seed])
            self._seeded = True
        else:
            self._tables.begin_next()
        self._runs = True
        return self._observation(), self._info()

    def step(
        self, action: np.int64 | int
    ) -> tuple[NDArray[np.int8], SupportsFloat, bool, bool, dict[str, Any]]:
        """Play, and let the others play up to the agent's next action.

        An ended episode wants ``reset`` before the next ``step``, as Gymnasium rules; raises
        gymnasium.error.ResetNeeded without it.
        """
        if not self._runs:
            raise reset_needed()
        tables = self._tables
        seat = int(tables.seats[0])
        tables.step(action)
        end = int(tables.ends[0])
        self._runs = end == RUNNING
        reward = float(tables.rewards[0, seat])
        if self.render_mode == "human":
            self.render()
        info = self._info()
        if end == ILLEGAL:
            info["illegal"] = True
        return self._observation(), reward, end not in (RUNNING, TRUNCATED), end == TRUNCATED, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal now (44)."""
        mask: NDArray[np.bool_] = self._tables.masks[0].astype(np.bool_)
        return mask

    def render(self) -> Any:
        """The table as an onlooker sees it, as text or as a picture of (height, width, 3)."""
        if self.render_mode is None:
            gym.logger.warn("render() without a render_mode shows nothing")
            return None
        view = self._tables.view(NOBODY)
        names = [f"seat_{seat}" for seat in range(self.setting.seats)]
        if self.render_mode == "rgb_array":
            from skyjo.env.pictures import board_picture

            return board_picture(view, names)
        text = board_text(view, names)
        if self.render_mode == "human":
            sys.stdout.write(f"{text}\n")
            return None
        return text

    def _observation(self) -> NDArray[np.int8]:
        row: NDArray[np.int8] = self._tables.observations[0].copy()
        return row

    def _info(self) -> dict[str, Any]:
        return {
            "action_mask": self._tables.masks[0].copy(),
            "seat": int(self._tables.seats[0]),
            "totals": self._tables.totals(),
        }


def observation_space(seats: int) -> spaces.Space[NDArray[np.int8]]:
    """The space of the observations of so many seats.

    >>> observation_space(2).shape
    (135,)
    """
    low, high = bounds(seats)
    return spaces.Box(np.array(low, np.int8), np.array(high, np.int8), dtype=np.int8)
