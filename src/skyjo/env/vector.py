"""The Gymnasium vector environment: many tables in one step, by the compiled rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from skyjo.env.given import (
    Player,
    bots_of,
    flag,
    one_of,
    penalty_of,
    reset_needed,
    seats_of,
    seeds_of,
    whole,
)
from skyjo.env.single import observation_space
from skyjo.env.steps import (
    ENV_ACTIONS,
    ILLEGAL,
    ILLEGAL_REWARD,
    NEXT_STEP,
    RUNNING,
    SAME_STEP,
    TRUNCATED,
)
from skyjo.env.tables import Learner, Setting, Tables
from skyjo.rules.board import board_text
from skyjo.rules.layout import NOBODY
from skyjo.rules.ruleset import Ruleset
from skyjo.sim import TURN_LIMIT

__all__ = ["SkyjoVectorEnv"]

_AUTORESET: Final = {
    AutoresetMode.NEXT_STEP.value: NEXT_STEP,
    AutoresetMode.SAME_STEP.value: SAME_STEP,
}


class SkyjoVectorEnv(VectorEnv[NDArray[np.int8], NDArray[np.int64], NDArray[Any]]):
    """``num_envs`` tables that go on together.

    With ``opponents`` table number i is ``SkyjoEnv(opponents, ...)`` with the seed ``seed`` + i.
    Without them the caller acts for all ``seats``: a step is one action of whichever seat is on
    turn at each table, and the observation is that of the seat which is on turn then.

    Keywords are those of ``SkyjoEnv``, and

    * ``seats``, 2 by default; with ``opponents`` it may be left out;
    * ``autoreset_mode`` "NextStep" (the step after the end begins the next episode and ignores its
      action) or "SameStep" (the observation is already that of the next episode, the last one is
      in ``infos["final_obs"]``, what belongs to it in ``infos["final_info"]``), as Gymnasium
      defines them;
    * ``copy=False`` returns the arrays that the next step writes into, instead of copies.

    ``infos`` has arrays by table: ``action_mask`` (n, 44), ``seat`` that is observed, ``rewards``
    (n, seats) of all seats, ``illegal``, and under "SameStep" ``final_obs`` (n, size) and
    ``final_info``, the same words about the episode that has ended, where ``_final_obs`` and
    ``_final_info`` are True. The reward of a table is that of the seat that has acted.

    >>> envs = SkyjoVectorEnv(3, seats=4, compiled=False)
    >>> observations, infos = envs.reset(seed=7)
    >>> observations.shape, infos["action_mask"].sum(axis=1).tolist()
    ((3, 223), [12, 12, 12])
    >>> envs.step(envs.sample_actions())[1].tolist()
    [0.0, 0.0, 0.0]
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        seats: int | None = None,
        opponents: Sequence[Player] | None = None,
        seat: int | str = 0,
        duplicate: bool = False,
        ruleset: Ruleset | str = "official",
        episode: str = "round",
        reward: str = "difference",
        turn_limit: int = TURN_LIMIT,
        compiled: bool | None = None,
        illegal_reward: float | None = ILLEGAL_REWARD,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        render_mode: str | None = None,
    ) -> None:
        learner = None
        if opponents is None:
            seats = seats_of(2 if seats is None else seats)
        else:
            learner = Learner(bots_of(opponents, seats), seat, duplicate)
            seats = len(learner.opponents) + 1
        mode = autoreset_mode.value if isinstance(autoreset_mode, AutoresetMode) else autoreset_mode
        one_of("autoreset_mode", mode, tuple(_AUTORESET))
        one_of("render_mode", render_mode, ("ansi", "rgb_array", None))
        num_envs = whole("num_envs", num_envs, 1)
        self.setting = Setting(seats, ruleset, episode, reward, turn_limit, compiled)
        self.num_envs = num_envs
        self.metadata = {
            "render_modes": ["ansi", "rgb_array"],
            "render_fps": 2,
            "autoreset_mode": AutoresetMode(mode),
        }
        self.render_mode = render_mode
        self.single_observation_space = observation_space(seats)
        self.single_action_space = spaces.Discrete(ENV_ACTIONS)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._copy = flag("copy", copy)
        self._tables = Tables(
            num_envs,
            self.setting,
            learner=learner,
            illegal_reward=penalty_of(illegal_reward),
            autoreset=_AUTORESET[mode],
        )
        self._numbers = np.arange(num_envs)
        self._all = np.ones(num_envs, np.bool_)
        self._seeded = False

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Begin episode 0 of these seeds (``seed`` + i for table i), or the next one everywhere.

        Instead of one seed there may be one for each table; None there is a random one.
        """
        if seed is None and self._seeded:
            self._tables.begin_next()
        else:
            if isinstance(seed, int):
                super().reset(seed=seed)
            self._tables.begin(seeds_of(seed, self.num_envs, self.np_random))
            self._seeded = True
        return self._given(self._tables.observations), self._infos()

    def step(
        self, actions: Any
    ) -> tuple[
        NDArray[np.int8], NDArray[Any], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]
    ]:
        """One action at every table (n); gymnasium.error.ResetNeeded before the first ``reset``."""
        if not self._seeded:
            raise reset_needed()
        tables = self._tables
        acting = tables.seats.copy()
        tables.step(actions)
        infos = self._infos()
        rewards = tables.rewards[self._numbers, acting]
        truncations = tables.ends == TRUNCATED
        ended = tables.ends != RUNNING
        if self.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP and ended.any():
            infos |= self._final(ended)
        return (
            self._given(tables.observations),
            rewards,
            ended & ~truncations,
            truncations,
            infos,
        )

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal now (n, 44)."""
        return self._tables.masks.astype(np.bool_)

    def sample_actions(self) -> NDArray[np.int64]:
        """A uniformly random legal action for every table (n), 0 where none is left."""
        return self._tables.sample()

    def totals(self) -> NDArray[np.int64]:
        """Points of all seats after the last round that was scored in each episode (n, seats)."""
        found = [self._tables.totals(number) for number in range(self.num_envs)]
        return np.array(found, np.int64)

    def render(self) -> tuple[Any, ...] | None:
        """Every table as an onlooker sees it, as text or as a picture."""
        if self.render_mode is None:
            return None
        names = [f"seat_{seat}" for seat in range(self.setting.seats)]
        views = [self._tables.view(NOBODY, number) for number in range(self.num_envs)]
        if self.render_mode == "ansi":
            return tuple(board_text(view, names) for view in views)
        from skyjo.env.pictures import board_picture

        return tuple(board_picture(view, names) for view in views)

    def _given(self, rows: NDArray[Any]) -> NDArray[Any]:
        return rows.copy() if self._copy else rows

    def _infos(self) -> dict[str, Any]:
        infos = self._told(self._tables.masks, self._tables.seats)
        return infos | {f"_{name}": self._all for name in infos}

    def _told(self, masks: NDArray[np.int8], seats: NDArray[np.int64]) -> dict[str, Any]:
        tables = self._tables
        return {
            "action_mask": self._given(masks),
            "seat": self._given(seats),
            "rewards": self._given(tables.rewards),
            "illegal": tables.ends == ILLEGAL,
        }

    def _final(self, ended: NDArray[np.bool_]) -> dict[str, Any]:
        """What "SameStep" tells about the episodes that have ended with this step."""
        tables = self._tables
        info = self._told(tables.final_masks, tables.final_seats)
        return {
            "final_obs": self._given(tables.final),
            "_final_obs": ended,
            "final_info": info | {f"_{name}": ended for name in info},
            "_final_info": ended,
        }
