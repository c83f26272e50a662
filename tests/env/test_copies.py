"""Environments that are copied or pickled go on exactly as the one they were taken from."""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest

from skyjo.env import SkyjoEnv, SkyjoVectorEnv, skyjo_v0

Step = Callable[[Any, random.Random], Any]


def play(env: Any, rng: random.Random) -> Any:
    """One step of a Gymnasium environment, with random legal actions; what came of it."""
    masks = np.atleast_2d(env.unwrapped.action_masks())
    actions = [rng.choice(np.flatnonzero(mask).tolist() or [0]) for mask in masks]
    if isinstance(env.unwrapped, SkyjoVectorEnv):
        rows, rewards, ended, cut_off, _infos = env.step(actions)
        return rows.tobytes(), rewards.tolist(), ended.tolist(), cut_off.tolist()
    row, reward, over, late, _info = env.step(actions[0])
    if over or late:
        env.reset()
    return row.tobytes(), reward, over, late


def turn(env: Any, rng: random.Random) -> Any:
    """One step of a PettingZoo environment."""
    if not env.agents:
        env.reset()
    seen, reward, over, late, _info = env.last()
    legal = np.flatnonzero(seen["action_mask"]).tolist()
    env.step(None if over or late else rng.choice(legal))
    return seen["observation"].tobytes(), reward, over, late


KINDS: dict[str, tuple[Callable[..., Any], Step]] = {
    "single": (lambda **k: SkyjoEnv(["greedy", "threshold:5"], seat="rotate", **k), play),
    "made": (lambda **k: gymnasium.make("skyjo/Round-v0", **k), play),
    "vector": (lambda **k: SkyjoVectorEnv(3, opponents=["greedy"], **k), play),
    "self-play": (lambda **k: SkyjoVectorEnv(3, autoreset_mode="SameStep", **k), play),
    "raw": (skyjo_v0.raw_env, turn),
    "wrapped": (skyjo_v0.env, turn),
}


def pickled(env: Any) -> Any:
    return pickle.loads(pickle.dumps(env))


@pytest.mark.parametrize("copied", [copy.deepcopy, pickled])
@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_a_copy_goes_on_alike_and_by_itself(
    kind: str, compiled: bool, copied: Callable[[Any], Any]
) -> None:
    make, step = KINDS[kind]
    env = make(compiled=compiled)
    fresh = copied(env)
    for each in (env, fresh):
        each.reset(seed=5)
    rng, again = random.Random(1), random.Random(1)
    assert [step(env, rng) for _ in range(60)] == [step(fresh, again) for _ in range(60)]
    other = copied(env)
    lines = [step(env, random.Random(number)) for number in range(60)]
    assert lines == [step(other, random.Random(number)) for number in range(60)]


def test_a_copy_asks_the_same_policy() -> None:
    """A network that plays at another seat is not copied with every position."""
    asked = []

    class Network:
        def __call__(self, view: Any, _generator: Any) -> int:
            asked.append(id(self))
            return 4 if view.phase == 0 and view.hidden[view.seat] == 12 else 5

    env = SkyjoEnv([Network()])
    env.reset(seed=1)
    other = copy.deepcopy(env)
    for each in (env, other):
        each.step(4)
        each.step(5)
    assert len(asked) == 4
    assert len(set(asked)) == 1
