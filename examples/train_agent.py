"""Train a small network at Skyjo, draw its learning curve, and let it meet bots in the arena.

    .venv/bin/python examples/train_agent.py --picture curve.png

The agent plays many tables at once against ``greedy``. A network of scikit-learn estimates for
every action what the round will bring from there: it is fitted to the returns of the rounds that
were played (no bootstrapping). The agent does what looks best, and something random now and then.
Three things keep its learning quick and steady:

* columns, and the cards of a column, are first put in order, which changes nothing in the game, so
  that there are fewer positions to learn (``in_order``);
* what a position is worth and what an action adds to it are learnt apart. Otherwise, when play gets
  a little worse, what is usually done looks bad, what is never done does not, and the agent does
  that: it gets worse still, and unlearns everything within some thousand rounds;
* it plays with an average of its latest weights, since every step that they take is mostly luck.

Needs skyjo[arena,env] and scikit-learn.
"""

from __future__ import annotations

import argparse
import copy
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import matplotlib as mpl
import numpy as np
from sklearn.neural_network import MLPRegressor

from skyjo import arena
from skyjo.bots import Bot
from skyjo.env import ENV_ACTIONS, SkyjoVectorEnv, observation_size, planes
from skyjo.env.observation import fill_observation
from skyjo.rules.layout import View
from skyjo.rules.legality import legal_actions

Array: TypeAlias = np.ndarray[Any, Any]

OPPONENT = "greedy"
#: Points are divided by this, so that what the network learns is about 1.
SCALE = 20.0
BATCH = 512
#: How much of the played weights is replaced by the learnt ones after every batch of rounds.
FRESH = 0.1
#: Something random is done in 30 % of all actions at first, in 3 % after so many rounds.
EXPLORING = 75_000
#: What is different in a game of many rounds, of which training in single rounds knows nothing.
LEFT_OUT = ("round", "rounds_left", "total", "on_turn", "starter", "left", "reshuffles")
#: Where the planes of an observation begin, and what each of its numbers is multiplied by.
START = {name: start for name, start, _plane in planes(2)}
WEIGHTS = np.concatenate(
    [
        np.full(plane.length, 0 if name.split(".")[-1] in LEFT_OUT else 1 / max(plane.high, 1))
        for name, _start, plane in planes(2)
    ]
).astype(np.float32)


def order(grids: Array) -> Array:
    """The slots of grids (n, 3 planes, 12) by columns, and in every column by cards (n, 1, 12)."""
    cards, face_down, gone = grids.reshape(-1, 3, 3, 4).transpose(1, 0, 2, 3)
    keys = np.select([gone > 0, face_down > 0], [16, 15], cards + 2).astype(np.int64)
    down = keys.argsort(axis=1, kind="stable")
    columns = (np.take_along_axis(keys, down, 1) * [[1], [32], [1024]]).sum(axis=1)
    across = columns.argsort(axis=1, kind="stable")[:, None, :]
    return np.take_along_axis(down * 4 + np.arange(4), across, 2).reshape(-1, 1, 12)


def in_order(observations: Array) -> tuple[Array, Array]:
    """The positions with all grids in order (n, 135).

    Then what every action is called in the position as it lies (n, 44).
    """
    rows = observations.copy()
    actions = np.tile(np.arange(ENV_ACTIONS), (len(rows), 1))
    for seat in range(2):
        start = START[f"seat{seat}.cards"]
        grids = rows[:, start : start + 36].reshape(-1, 3, 12)
        slots = order(grids)
        rows[:, start : start + 36] = np.take_along_axis(grids, slots, 2).reshape(-1, 36)
        if seat == 0:
            for first in (4, 16, 28):  # reveal, swap, flip
                actions[:, first : first + 12] = first + slots[:, 0]
    return rows, actions


def features(rows: Array) -> Array:
    """What the network sees (n, 159): the observation, and something about every slot.

    It is how many other cards of its column equal the card in hand, or else the top discard.
    """
    known = rows[:, START["hand_known"]] > 0
    card = np.where(known, rows[:, START["hand"]], rows[:, START["discard"]])[:, None]
    found = [rows * WEIGHTS]
    for seat in range(2):
        start = START[f"seat{seat}.cards"]
        face_up = (rows[:, start + 12 : start + 24] + rows[:, start + 24 : start + 36]) == 0
        equal = ((rows[:, start : start + 12] == card) & face_up).reshape(-1, 3, 4)
        others = equal.sum(axis=1, keepdims=True) - equal
        found.append(others.reshape(-1, 12).astype(np.float32) / 2)
    return np.concatenate(found, axis=1)


class Agent:
    """A network from an observation to what every action adds to the value of the position.

    The last output is that value; an action that is no better than what the agent did so far
    adds 0. ``learner`` is fitted, ``player`` is its running average and decides.
    """

    def __init__(self, seed: int) -> None:
        self.learner = MLPRegressor(
            hidden_layer_sizes=(128,), batch_size=BATCH, learning_rate_init=1e-3, random_state=seed
        )
        nothing = np.zeros((BATCH, observation_size(2)), np.int8)
        outputs = np.zeros((BATCH, ENV_ACTIONS + 1), np.float32)
        self.learner.partial_fit(features(nothing), outputs)
        self.player = copy.deepcopy(self.learner)

    def best(self, observations: Array, masks: Array) -> Array:
        """The legal actions that look best (n)."""
        rows, actions = in_order(observations)
        values = self.player.predict(features(rows))[:, :ENV_ACTIONS]
        legal = np.take_along_axis(masks, actions, 1) > 0
        chosen = np.where(legal, values, -np.inf).argmax(axis=1)
        best: Array = actions[np.arange(len(rows)), chosen]
        return best

    def learn(self, observations: Array, actions: Array, returns: Array) -> None:
        """Move what was done and where it was done to what came of it; all other actions stay."""
        rows, ordered = in_order(observations)
        done = np.arange(len(rows)), (ordered == actions[:, None]).argmax(axis=1)
        seen = features(rows)
        value = self.player.predict(seen)[:, ENV_ACTIONS]
        wanted = self.learner.predict(seen)
        wanted[:, ENV_ACTIONS] = returns / SCALE
        wanted[done] = returns / SCALE - value
        self.learner.partial_fit(seen, wanted)
        for mean, latest in zip(weights(self.player), weights(self.learner), strict=True):
            np.copyto(mean, mean + FRESH * (latest - mean))

    def policy(self, view: View, generator: random.Random) -> int:
        """The agent as a bot: from what a seat may know to an action."""
        row = np.zeros((1, observation_size(view.seats)), np.int8)
        fill_observation(view, row, 0)
        legal = [0] * 16
        mask = np.zeros((1, ENV_ACTIONS), np.int8)
        mask[0, legal[: legal_actions(view, view.seat, legal)]] = 1
        return int(self.best(row, mask)[0])


def weights(net: MLPRegressor) -> list[Array]:
    """All weights of a network."""
    return [*net.coefs_, *net.intercepts_]


class Experience:
    """What was seen and done in rounds, and how those rounds ended."""

    def __init__(self, tables: int) -> None:
        self.round = np.arange(tables)  # which round is played at each table
        self.waiting = np.zeros(tables, np.bool_)  # the next step only begins a round there
        self.results = np.full(tables, np.nan)  # by round
        self.steps: list[tuple[Array, Array, Array]] = []

    def note(self, observations: Array, actions: Array, rewards: Array, ended: Array) -> None:
        """Remember a step of all tables."""
        acting = ~self.waiting
        self.steps.append((observations[acting], actions[acting], self.round[acting]))
        self.results[self.round[ended]] = rewards[ended]
        self.round[ended] = len(self.results) + np.arange(ended.sum())
        self.results = np.append(self.results, np.full(ended.sum(), np.nan))
        self.waiting = ended

    def taken(self) -> tuple[Array, Array, Array]:
        """Observations, actions and returns of all rounds that have ended since the last call."""
        seen, actions, rounds = (np.concatenate(part) for part in zip(*self.steps, strict=True))
        returns = self.results[rounds]
        over = ~np.isnan(returns)
        # Rounds that go on are counted from 0 again, by their tables.
        table_of = np.zeros(len(self.results), np.int64)
        table_of[self.round] = np.arange(len(self.round))
        self.steps = [(seen[~over], actions[~over], table_of[rounds[~over]])]
        self.round = np.arange(len(self.round))
        self.results = np.full(len(self.round), np.nan)
        return seen[over], actions[over], returns[over].astype(np.float32)


def train(agent: Agent, rounds: int, tables: int, seed: int) -> list[tuple[int, float]]:
    """Train in so many rounds; the mean difference of every batch, by the rounds so far."""
    envs = SkyjoVectorEnv(tables, opponents=[OPPONENT], seat="rotate", ruleset="official")
    observations, infos = envs.reset(seed=seed)
    generator = np.random.default_rng(seed)
    experience = Experience(tables)
    curve: list[tuple[int, float]] = []
    batch: list[float] = []
    played = told = 0
    begin = time.process_time()
    while played < rounds:
        exploring = max(0.03, 0.3 - 0.27 * played / EXPLORING)
        actions = agent.best(observations, infos["action_mask"])
        chosen = generator.random(tables) < exploring
        actions[chosen] = envs.sample_actions()[chosen]
        before = observations
        observations, rewards, terminated, truncated, infos = envs.step(actions)
        ended = terminated | truncated
        experience.note(before, actions, rewards, ended)
        batch += rewards[ended].tolist()
        if len(batch) >= 2 * tables:
            agent.learn(*experience.taken())
            played += len(batch)
            curve.append((played, float(np.mean(batch))))
            batch = []
            if played >= told + rounds / 20 or played >= rounds:
                told = played
                spent = time.process_time() - begin
                print(f"{played:,} rounds, {spent:.0f} s: {curve[-1][1]:+.1f} points", flush=True)
    return curve


def draw(curve: list[tuple[int, float]], path: Path) -> None:
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


def meet(agent: Agent, games: int, rivals: Sequence[str]) -> None:
    """Duplicate games against bots, as the arena plays them, with 95 % intervals."""
    pupil = Bot("pupil", agent.policy)
    for rival in rivals:
        setting = arena.setting_of([pupil, rival], [(pupil.name, rival)], seed=1)
        result = arena.run(setting, games).result()
        won = result.bot(pupil.name).wins
        print(f"{rival}: {won.value:.1%} of {result.games} games won", end=" ")
        print(f"({won.low:.1%} to {won.high:.1%}), points a round:", end=" ")
        points = {bot.name: bot.points_per_round for bot in result.bots}
        print(", ".join(f"{name} {p.value:.1f} ± {p.half:.1f}" for name, p in points.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=500_000, help="five minutes of one core")
    parser.add_argument("--tables", type=int, default=256)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--games", type=int, default=100, help="games against each bot afterwards")
    parser.add_argument("--picture", type=Path, default=Path("curve.png"))
    given = parser.parse_args()
    agent = Agent(given.seed)
    curve = train(agent, given.rounds, given.tables, given.seed)
    draw(curve, given.picture)
    meet(agent, given.games, ["random", "novice", OPPONENT])


if __name__ == "__main__":
    main()
