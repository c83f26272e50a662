"""Train a small network at Skyjo, draw its learning curve, and let it meet bots in the arena.

    python examples/train_agent.py --minutes 5 --picture curve.png

The agent plays many tables at once against ``greedy``. A network of scikit-learn estimates for
every action what the round will bring from there: it is fitted to the returns of the rounds that
were played (no bootstrapping). The agent does what looks best, and something random now and then.
Needs skyjo[arena,env] and scikit-learn.
"""

from __future__ import annotations

import argparse
import random
import time
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from sklearn.neural_network import MLPRegressor

from skyjo import arena
from skyjo.bots import Bot
from skyjo.env import ENV_ACTIONS, SkyjoVectorEnv, observation_size, planes
from skyjo.env.observation import fill_observation
from skyjo.rules.layout import View
from skyjo.rules.legality import legal_actions

OPPONENT = "greedy"
#: Points are divided by this, so that what the network learns is about 1.
SCALE = 20.0
BATCH = 256
#: What is different in a game of many rounds, of which training in single rounds knows nothing.
LEFT_OUT = ("round", "rounds_left", "total", "on_turn", "starter", "left", "reshuffles")


def weights_of_planes() -> np.ndarray[Any, Any]:
    """What every number of an observation is multiplied by: 0 leaves it out."""
    found = []
    for name, _start, plane in planes(2):
        left_out = name.split(".")[-1] in LEFT_OUT
        found += [0.0 if left_out else 1.0 / max(plane.high, 1)] * plane.length
    return np.array(found, np.float32)


class Agent:
    """A network from an observation to the value of every action."""

    def __init__(self, seed: int) -> None:
        self.scale = weights_of_planes()
        self.net = MLPRegressor(
            hidden_layer_sizes=(128,), batch_size=BATCH, learning_rate_init=1e-3, random_state=seed
        )
        rows = np.zeros((BATCH, len(self.scale)), np.float32)
        self.net.partial_fit(rows, np.zeros((BATCH, ENV_ACTIONS)))

    def values(self, observations: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """What every action is worth, in points divided by SCALE (n, 44)."""
        found: np.ndarray[Any, Any] = self.net.predict(observations * self.scale)
        return found

    def best(
        self, observations: np.ndarray[Any, Any], masks: np.ndarray[Any, Any]
    ) -> np.ndarray[Any, Any]:
        """The legal actions that look best (n)."""
        best: np.ndarray[Any, Any] = np.where(masks > 0, self.values(observations), -1e9).argmax(1)
        return best

    def learn(
        self,
        observations: np.ndarray[Any, Any],
        actions: np.ndarray[Any, Any],
        returns: np.ndarray[Any, Any],
    ) -> None:
        """The value of what was done becomes what came of it; all others stay."""
        wanted = self.values(observations)
        wanted[np.arange(len(actions)), actions] = returns / SCALE
        self.net.partial_fit(observations * self.scale, wanted)

    def policy(self, view: View, generator: random.Random) -> int:
        """The agent as a bot: from what a seat may know to an action."""
        row = np.zeros((1, observation_size(view.seats)), np.int8)
        fill_observation(view, row, 0)
        legal = [0] * 16
        mask = np.zeros((1, ENV_ACTIONS), np.int8)
        mask[0, legal[: legal_actions(view, view.seat, legal)]] = 1
        return int(self.best(row, mask)[0])


class Experience:
    """What was seen and done at every table since its round began."""

    def __init__(self, tables: int) -> None:
        self.rounds: list[list[tuple[Any, int]]] = [[] for _ in range(tables)]
        self.finished: list[tuple[Any, int, float]] = []

    def note(self, observations: Any, actions: Any, rewards: Any, ended: Any, waiting: Any) -> None:
        """Remember a step; a table that was waiting has only begun its next round."""
        for table in np.flatnonzero(~waiting):
            self.rounds[table].append((observations[table], int(actions[table])))
        for table in np.flatnonzero(ended):
            points = float(rewards[table])
            self.finished += [(seen, action, points) for seen, action in self.rounds[table]]
            self.rounds[table] = []

    def taken(self) -> tuple[np.ndarray[Any, Any], ...]:
        """Observations, actions and returns of all rounds that have ended since the last call."""
        seen, actions, points = zip(*self.finished, strict=True)
        self.finished = []
        return np.array(seen), np.array(actions), np.array(points, np.float32)


def train(agent: Agent, seconds: float, tables: int, seed: int) -> list[tuple[float, float]]:
    """Train for so long; the mean difference of every batch, by the number of rounds so far."""
    envs = SkyjoVectorEnv(tables, opponents=[OPPONENT], seat="rotate", ruleset="official")
    observations, infos = envs.reset(seed=seed)
    generator = np.random.default_rng(seed)
    experience = Experience(tables)
    waiting = np.zeros(tables, np.bool_)
    curve: list[tuple[float, float]] = []
    rounds: list[float] = []
    played = 0
    begin = time.monotonic()
    while (spent := time.monotonic() - begin) < seconds or not curve:
        exploring = max(0.05, 0.5 * (1 - 2 * spent / seconds)) if seconds else 1.0
        actions = agent.best(observations, infos["action_mask"])
        chosen = generator.random(tables) < exploring
        actions[chosen] = envs.sample_actions()[chosen]
        before = observations
        observations, rewards, terminated, truncated, infos = envs.step(actions)
        ended = terminated | truncated
        experience.note(before, actions, rewards, ended, waiting)
        waiting = ended
        rounds += rewards[ended].tolist()
        if len(rounds) >= 2 * tables:
            agent.learn(*experience.taken())
            played += len(rounds)
            curve.append((float(played), float(np.mean(rounds))))
            rounds = []
    return curve


def draw(curve: list[tuple[float, float]], path: Path) -> None:
    """The learning curve: how many points fewer than the opponent, by rounds played."""
    mpl.use("Agg")
    from matplotlib import pyplot as plt

    played, points = np.array(curve).T
    width = max(1, len(points) // 40)
    smooth = np.convolve(points, np.ones(width) / width, "valid")
    figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
    axes.plot(played, points, color="0.8", linewidth=1, label="each batch, exploring")
    middle = played[width // 2 :][: len(smooth)]
    axes.plot(middle, smooth, linewidth=2, label=f"mean of {width} batches")
    axes.axhline(0, color="0.5", linewidth=1, linestyle="--")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.set_xlabel("rounds played")
    axes.set_ylabel(f"points a round better than {OPPONENT}")
    axes.legend()
    figure.savefig(path, dpi=120)
    plt.close(figure)


def meet(agent: Agent, games: int, rivals: list[str]) -> None:
    """Duplicate games against bots, as the arena plays them."""
    pupil = Bot("pupil", agent.policy)
    setting = arena.setting_of([pupil, *rivals], [("pupil", rival) for rival in rivals], seed=1)
    result = arena.run(setting, games).result()
    for rival in rivals:
        pair = next(each for each in result.pairs if rival in (each.first, each.second))
        won = 0.5 + (0.5 if pair.first == pupil.name else -0.5) * pair.difference.value
        print(f"{won:.0%} of {pair.games} games won against {rival}")
    for bot in result.bots:
        print(f"{bot.name}: {bot.points_per_round.value:.1f} points a round")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--tables", type=int, default=256)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--games", type=int, default=40, help="games against each bot afterwards")
    parser.add_argument("--picture", type=Path, default=Path("curve.png"))
    given = parser.parse_args()
    agent = Agent(given.seed)
    curve = train(agent, given.minutes * 60, given.tables, given.seed)
    print(f"{curve[-1][0]:.0f} rounds, from {curve[0][1]:+.1f} to {curve[-1][1]:+.1f} points")
    draw(curve, given.picture)
    meet(agent, given.games, ["random", OPPONENT])


if __name__ == "__main__":
    main()
