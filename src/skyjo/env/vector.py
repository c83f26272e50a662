"""The Gymnasium vector environment: many tables in one step, by the compiled rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

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
from skyjo.env.tables import Learner, Player, Setting, Tables, bot_of, one_of
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

    * ``autoreset_mode`` "NextStep" (the step after the end begins the next episode and ignores its
      action) or "SameStep" (the observation is already that of the next episode, the last one is
      in ``infos["final_obs"]``), as Gymnasium defines them;
    * ``copy=False`` returns the arrays that the next step writes into, instead of copies.

    ``infos`` has arrays by table: ``action_mask`` (n, 44), ``seat`` that is observed, ``rewards``
    (n, seats) of all seats, ``illegal``, and under "SameStep" ``final_obs`` (n, size) where
    ``_final_obs`` is True. The reward of a table is that of the seat that has acted.

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
        seats: int = 2,
        opponents: Sequence[Player] | None = None,
        seat: int | str = 0,
        duplicate: bool = False,
        ruleset: Ruleset | str = "official",
        episode: str = "round",
        reward: str = "difference",
        turn_limit: int = TURN_LIMIT,
        compiled: bool | None = None,
        illegal_reward: int | None = ILLEGAL_REWARD,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        render_mode: str | None = None,
    ) -> None:
        learner = None
        if opponents is not None:
            bots = tuple(bot_of(player) for player in opponents)
            learner = Learner(bots, seat, duplicate)
            seats = len(bots) + 1
        mode = autoreset_mode.value if isinstance(autoreset_mode, AutoresetMode) else autoreset_mode
        one_of("autoreset_mode", mode, tuple(_AUTORESET))
        self.setting = Setting(seats, ruleset, episode, reward, turn_limit, compiled)
        self.num_envs = num_envs
        self.metadata = {
            "render_modes": ["ansi", "rgb_array"],
            "autoreset_mode": AutoresetMode(mode),
        }
        self.render_mode = render_mode
        self.single_observation_space = observation_space(seats)
        self.single_action_space = spaces.Discrete(ENV_ACTIONS)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._copy = copy
        self._tables = Tables(
            num_envs,
            self.setting,
            learner=learner,
            illegal_reward=illegal_reward,
            autoreset=_AUTORESET[mode],
        )
        self._numbers = np.arange(num_envs)
        self._all = np.ones(num_envs, np.bool_)
        self._seeded = False

    def reset(
        self,
        *,
        seed: int | Sequence[int] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Begin episode 0 of these seeds (``seed`` + i for table i), or the next one everywhere."""
        given = [seed + i for i in range(self.num_envs)] if isinstance(seed, int) else seed
        super().reset(seed=None if given is None else given[0])
        if given is None and not self._seeded:
            given = [int(number) for number in self.np_random.integers(2**31, size=self.num_envs)]
        if given is None:
            self._tables.begin_next()
        else:
            self._tables.begin(given)
            self._seeded = True
        return self._given(self._tables.observations), self._infos()

    def step(
        self, actions: Any
    ) -> tuple[
        NDArray[np.int8], NDArray[Any], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]
    ]:
        """One action at every table (n)."""
        tables = self._tables
        acting = tables.seats.copy()
        tables.step(actions)
        infos = self._infos()
        rewards = tables.rewards[self._numbers, acting]
        truncations = tables.ends == TRUNCATED
        ended = tables.ends != RUNNING
        if self.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP and ended.any():
            infos |= {"final_obs": self._given(tables.final), "_final_obs": ended}
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
        """A uniformly random legal action for every table (n), 0 where an episode has ended."""
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
        tables = self._tables
        infos = {
            "action_mask": self._given(tables.masks),
            "seat": self._given(tables.seats),
            "rewards": self._given(tables.rewards),
            "illegal": tables.ends == ILLEGAL,
        }
        return infos | {f"_{name}": self._all for name in infos}
