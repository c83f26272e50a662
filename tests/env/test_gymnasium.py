"""The Gymnasium environments: the library's checks, equal to each other, resets, rewards."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv

from skyjo.bots import Bot
from skyjo.bots.greedy import greedy_action
from skyjo.env import ENV_ACTIONS, SkyjoEnv, SkyjoVectorEnv, skyjo_v0
from skyjo.env.registration import IDS, SELF_PLAY
from skyjo.env.steps import ILLEGAL_REWARD
from skyjo.errors import IllegalActionError, MalformedError, RulesetError, SkyjoError
from skyjo.rules.layout import View
from skyjo.rules.legality import legal_actions


def last_legal(view: View, rng: random.Random) -> int:
    """A policy in plain Python, that cannot be compiled."""
    out = [0] * 16
    return out[legal_actions(view, view.seat, out) - 1]


#: The first and the last are compiled.
LINE_UPS: list[dict[str, Any]] = [
    {"opponents": ["greedy"]},
    {"opponents": [last_legal, "threshold:5"], "seat": "rotate", "reward": "win"},
    {"opponents": ["greedy", "random", "random"], "seat": 2, "episode": "game", "compiled": False},
    {"opponents": ["greedy"] * 3, "seat": "rotate", "duplicate": True, "reward": "points"},
]


@pytest.mark.parametrize("settings", LINE_UPS, ids=["compiled", "mixed", "interpreted", "even"])
def test_the_check_of_gymnasium_passes(settings: dict[str, Any]) -> None:
    check_env(gymnasium.make("skyjo/Round-v0", **settings, render_mode="ansi").unwrapped)


@pytest.mark.parametrize("name", IDS)
def test_the_ids_make_environments(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    env = gymnasium.make(name, opponents=["greedy"] * 2, render_mode="human")
    observation, info = env.reset(seed=1)
    assert observation in env.observation_space
    env.step(int(np.argmax(info["action_mask"])))
    assert "draw pile" in capsys.readouterr().out
    env.close()
    for mode, copies in ((None, 3), ("sync", 2), ("vector_entry_point", 2)):
        envs = gymnasium.make_vec(name, num_envs=copies, vectorization_mode=mode)
        observations, infos = envs.reset(seed=1)
        assert observations in envs.observation_space
        assert infos["action_mask"].shape == (copies, ENV_ACTIONS)
        envs.close()


def test_self_play_has_an_id() -> None:
    envs = gymnasium.make_vec(SELF_PLAY, num_envs=2, seats=3)
    assert isinstance(envs.unwrapped, SkyjoVectorEnv)
    assert envs.reset(seed=1)[0].shape == (2, 179)


@pytest.mark.parametrize("settings", LINE_UPS, ids=["compiled", "mixed", "interpreted", "even"])
def test_a_vector_is_so_many_single_environments(settings: dict[str, Any]) -> None:
    envs = SkyjoVectorEnv(3, **settings)
    singles = [SkyjoEnv(**{**settings, "compiled": False}) for _ in range(3)]
    observations, infos = envs.reset(seed=20)
    for number, single in enumerate(singles):
        observation, info = single.reset(seed=20 + number)
        assert np.array_equal(observations[number], observation)
        assert np.array_equal(infos["action_mask"][number], info["action_mask"])
    ended = [False] * 3
    for _ in range(250):
        actions = envs.sample_actions()
        observations, rewards, terminated, truncated, infos = envs.step(actions)
        for number, single in enumerate(singles):
            if ended[number]:
                found: tuple[Any, ...] = (single.reset()[0], 0.0, False, False)
            else:
                found = single.step(actions[number])[:4]
            assert np.array_equal(observations[number], found[0])
            assert found[1:] == (rewards[number], terminated[number], truncated[number])
            assert np.array_equal(infos["action_mask"][number], single.action_masks())
            ended[number] = found[2] or found[3]
    assert np.array_equal(envs.totals(), [single._tables.totals() for single in singles])


@pytest.mark.parametrize("episode", ["round", "game"])
def test_self_play_is_the_pettingzoo_environment(episode: str) -> None:
    envs = SkyjoVectorEnv(2, seats=3, episode=episode, ruleset="family target=20")
    aecs = [skyjo_v0.raw_env(3, "family target=20", episode) for _ in range(2)]
    observations, infos = envs.reset(seed=4)
    for number, aec in enumerate(aecs):
        aec.reset(seed=4 + number)
    for _ in range(600):
        actions = envs.sample_actions()
        over = [any(aec.terminations.values()) for aec in aecs]
        observations, rewards, terminated, _truncated, infos = envs.step(actions)
        for number, aec in enumerate(aecs):
            if over[number]:
                aec.reset()
                assert rewards[number] == 0
                assert not infos["rewards"][number].any()
            else:
                acted = aec.agent_selection
                aec.step(actions[number])
                assert rewards[number] == aec.rewards[acted]
                assert infos["rewards"][number].tolist() == list(aec.rewards.values())
            assert terminated[number] == all(aec.terminations.values())
            seat = infos["seat"][number]
            assert aec.possible_agents[seat] == aec.agent_selection
            seen = aec.observe(aec.agent_selection)
            assert np.array_equal(observations[number], seen["observation"])
            assert np.array_equal(infos["action_mask"][number], seen["action_mask"])


def test_the_same_step_or_the_next_one_begins_the_next_episode() -> None:
    later = SkyjoVectorEnv(4, seats=2)
    sooner = SkyjoVectorEnv(4, seats=2, autoreset_mode=AutoresetMode.SAME_STEP)
    assert later.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert sooner.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert np.array_equal(later.reset(seed=1)[0], sooner.reset(seed=1)[0])
    waiting = np.zeros(4, np.bool_)
    plans: list[list[int]] = [[] for _ in range(4)]
    last: list[list[Any]] = [[] for _ in range(4)]
    for _ in range(400):
        actions = later.sample_actions()
        observations, rewards, ended, _, infos = later.step(actions)
        assert "final_obs" not in infos
        for number in range(4):
            if waiting[number]:
                assert not ended[number]
                assert rewards[number] == 0
            else:
                plans[number].append(int(actions[number]))
            if ended[number]:
                assert not infos["action_mask"][number].any()
                last[number].append((observations[number].tobytes(), rewards[number]))
        waiting = ended
    met = 0
    for place in range(min(len(plan) for plan in plans)):
        _, rewards, ended, _, infos = sooner.step([plan[place] for plan in plans])
        assert infos["action_mask"].any(axis=1).all()
        for number in np.flatnonzero(ended).tolist():
            assert infos["_final_obs"][number]
            wanted = last[number].pop(0)
            assert wanted == (infos["final_obs"][number].tobytes(), rewards[number])
            met += 1
    assert met >= 4


def test_rotating_seats_have_the_same_cards_and_another_place() -> None:
    env = SkyjoEnv(["greedy"] * 2, seat="rotate", duplicate=True)
    cells, seats = [], []
    for episode in range(6):
        _observation, info = env.reset(seed=9 if episode == 0 else None)
        seats.append(info["seat"])
        cells.append([card % 32 for card in env._tables.state().cells[:36]])
    assert seats == [0, 1, 2, 0, 1, 2]
    assert cells[0] == cells[1] == cells[2] != cells[3] == cells[4] == cells[5]


def test_it_deals_the_decks_of_bulk_play() -> None:
    """Seed and number of a game decide the same deck there and here."""
    from skyjo.sim import play_many_rounds

    env = SkyjoEnv()
    env.reset(seed=31)
    card = env._tables.state().discard_pile[0]
    seen = []

    def spy(view: View, rng: random.Random) -> int:
        seen.append(view.discard_top)
        return last_legal(view, rng)

    play_many_rounds([spy, spy], 1, seed=31, jobs=1)
    assert seen[0] == card


@pytest.mark.parametrize("compiled", [False, True])
def test_illegal_actions_end_an_episode_or_are_refused(compiled: bool) -> None:
    env = SkyjoEnv(compiled=compiled)
    env.reset(seed=1)
    _, reward, terminated, truncated, info = env.step(0)
    assert (reward, terminated, truncated) == (ILLEGAL_REWARD, True, False)
    assert info["illegal"]
    env.reset(seed=1)
    assert env.step(43)[2]
    strict = SkyjoVectorEnv(3, compiled=compiled, illegal_reward=None)
    before, infos = strict.reset(seed=1)
    good = infos["action_mask"].argmax(axis=1)
    for wrong, error in ((0, IllegalActionError), (44, MalformedError), (-1, MalformedError)):
        with pytest.raises(error):
            strict.step([good[0], wrong, good[2]])
    # Nothing has been played at the other tables either.
    assert np.array_equal(strict._tables.observations, before)
    assert strict.step(good)[4]["seat"].tolist() == [0, 0, 0]
    kind = SkyjoVectorEnv(2, compiled=compiled)
    kind.reset(seed=1)
    _, rewards, terminations, _, infos = kind.step([4, 44])
    assert rewards.tolist() == [0, ILLEGAL_REWARD]
    assert terminations.tolist() == infos["illegal"].tolist() == [False, True]


def test_a_bot_that_breaks_the_rules_is_named() -> None:
    env = SkyjoEnv([Bot("cheat", lambda _view, _rng: 3)], seat=1)
    with pytest.raises(SkyjoError, match=r"cheat chose pass in game 0"):
        env.reset(seed=1)


def test_what_cannot_be_compiled_is_told() -> None:
    with pytest.raises(SkyjoError, match="last_legal cannot be compiled"):
        SkyjoEnv([last_legal], compiled=True)
    with pytest.raises(RulesetError, match="seat is one of: 0, 1, rotate"):
        SkyjoEnv(seat=2)
    with pytest.raises(RulesetError, match="autoreset_mode is one of: NextStep, SameStep"):
        SkyjoVectorEnv(2, autoreset_mode="Disabled")
    with pytest.raises(IllegalActionError):
        SkyjoEnv([])


def test_a_missing_library_is_told(tmp_path: Path) -> None:
    (tmp_path / "gymnasium.py").write_text("raise ModuleNotFoundError(name='gymnasium')")
    done = subprocess.run(
        [sys.executable, "-c", "import skyjo.env"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(tmp_path), "LC_ALL": "C"},
    )
    assert done.stderr.splitlines()[-1].endswith("in a checkout of skyjo: pip install '.[env]'")


def test_masks_are_as_maskable_ppo_wants_them() -> None:
    """sb3-contrib calls ``action_masks`` of the environment behind all wrappers."""
    env = gymnasium.make("skyjo/Round-v0")
    env.reset(seed=1)
    masks = env.get_wrapper_attr("action_masks")()
    assert masks.dtype == np.bool_
    assert masks.shape == (env.action_space.n,)  # type: ignore[attr-defined]
    assert np.flatnonzero(masks).tolist() == list(range(4, 16))


def test_observations_are_copies_or_written_in_place() -> None:
    for copy in (True, False):
        envs = SkyjoVectorEnv(2, copy=copy)
        first, infos = envs.reset(seed=1)
        before, mask = first.copy(), infos["action_mask"].copy()
        second = envs.step(envs.sample_actions())[0]
        assert (first is second) is not copy
        assert np.array_equal(first, before) is copy
        assert np.array_equal(infos["action_mask"], mask) is copy


def test_sampled_actions_are_legal_and_uniform() -> None:
    envs = SkyjoVectorEnv(2000)
    _, infos = envs.reset(seed=1)
    actions = envs.sample_actions()
    assert infos["action_mask"][np.arange(2000), actions].all()
    counts = np.bincount(actions, minlength=16)[4:16]
    assert counts.sum() == 2000
    # Twelve equal chances: six standard deviations around the mean of 167.
    assert (abs(counts - 2000 / 12) < 6 * (2000 / 12) ** 0.5).all()
    assert not np.array_equal(actions, envs.sample_actions())


def test_pictures_and_texts_of_all_tables() -> None:
    for mode, kind in (("ansi", str), ("rgb_array", np.ndarray)):
        envs = SkyjoVectorEnv(3, seats=2, render_mode=mode)
        envs.reset(seed=1)
        frames = envs.render()
        assert frames is not None
        assert [type(frame) for frame in frames] == [kind] * 3
    assert SkyjoVectorEnv(1).render() is None


def test_greedy_against_itself_is_even() -> None:
    """The agent plays as ``greedy`` does; over duplicate deals neither side gains."""
    env = SkyjoEnv(["greedy"], seat="rotate", duplicate=True)
    rng = random.Random(1)
    total = 0.0
    for episode in range(200):
        _, info = env.reset(seed=3 if episode == 0 else None)
        ended = False
        while not ended:
            view = env._tables.view(info["seat"])
            action = greedy_action(view, rng.randrange(360_360))
            _, reward, terminated, truncated, info = env.step(action)
            ended = terminated or truncated
            total += float(reward)
    assert abs(total / 200) < 6


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("settings", [{"opponents": ["greedy"], "seat": "rotate"}, {"seats": 3}])
def test_the_end_of_an_episode_is_told_whole(settings: dict[str, Any], compiled: bool) -> None:
    """``final_info`` under SameStep is the info that NextStep gives with the last observation."""
    both: list[list[tuple[Any, ...]]] = []
    for mode in ("NextStep", "SameStep"):
        envs = SkyjoVectorEnv(4, turn_limit=4, compiled=compiled, autoreset_mode=mode, **settings)
        envs.reset(seed=2)
        found: list[tuple[Any, ...]] = []
        generators = [random.Random(number) for number in range(4)]
        kept = np.zeros(4, np.bool_)
        while len(found) < 12:
            actions = [
                43
                if not kept[number] and generators[number].random() < 0.01
                else generators[number].choice(np.flatnonzero(mask).tolist())
                if mask.any() and not kept[number]
                else 0
                for number, mask in enumerate(envs.action_masks())
            ]
            rows, _rewards, over, late, infos = envs.step(actions)
            ended = over | late
            names = ("action_mask", "seat", "rewards", "illegal")
            if mode == "SameStep" and ended.any():
                assert infos["_final_info"].tolist() == ended.tolist()
                assert infos["final_info"]["_seat"].tolist() == ended.tolist()
                rows, infos = infos["final_obs"], infos["final_info"]
            for number in np.flatnonzero(ended).tolist():
                told = [np.array(infos[name][number]).tolist() for name in names]
                found.append((number, bool(late[number]), rows[number].tolist(), told))
            kept = ended if mode == "NextStep" else kept
        both.append(sorted(found[:12]))
    # The tables of NextStep wait a step, so that only what both have seen of each is compared.
    later, sooner = ([each for each in one if each[0] == 0] for one in both)
    count = min(len(later), len(sooner))
    assert count > 0
    assert later[:count] == sooner[:count]


def test_a_vector_names_its_frames_a_second() -> None:
    """HumanRendering and RecordVideo of gymnasium.wrappers.vector ask for it."""
    envs = SkyjoVectorEnv(2, compiled=False, render_mode="rgb_array")
    assert envs.metadata["render_fps"] == SkyjoEnv.metadata["render_fps"]


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("kind", [SyncVectorEnv, AsyncVectorEnv])
def test_gymnasium_may_vectorise_the_single_environment(kind: Any, mode: AutoresetMode) -> None:
    envs = kind([partial(SkyjoEnv, compiled=False) for _ in range(2)], autoreset_mode=mode)
    generator = random.Random(1)
    observations, infos = envs.reset(seed=3)
    masks = infos["action_mask"]
    ends = 0
    for _ in range(120):
        actions = [generator.choice(np.flatnonzero(mask).tolist() or [0]) for mask in masks]
        observations, _, over, late, infos = envs.step(np.array(actions))
        assert observations in envs.observation_space
        masks = infos["action_mask"].copy()
        ended = over | late
        ends += int(ended.sum())
        if mode is AutoresetMode.DISABLED and ended.any():
            _, infos = envs.reset(options={"reset_mask": ended})
            masks[ended] = infos["action_mask"][ended]
    envs.close()
    assert ends >= 2
