"""The PettingZoo environment passes the library's own tests, and is the game of the rules."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, seed_test
from pettingzoo.test.render_test import render_test
from pettingzoo.test.state_test import test_state as check_state
from pettingzoo.test.state_test import test_state_space as check_state_space
from pettingzoo.utils import turn_based_aec_to_parallel
from tests.kit.rulesets import random_ruleset

from skyjo import Game
from skyjo.env import skyjo_v0
from skyjo.env.observation import fill_observation, observation_size
from skyjo.env.steps import ENV_ACTIONS, ILLEGAL_REWARD
from skyjo.env.tables import Setting, Tables
from skyjo.errors import IllegalActionError, MalformedError, RulesetError
from skyjo.rules.actions import DRAW
from skyjo.rules.deal import DECK
from skyjo.rules.layout import State
from skyjo.rules.ruleset import PRESETS, Ruleset
from skyjo.sim.dice import seed_number

#: PettingZoo's test remarks that nothing is legal at the end of an episode, and that observations
#: are dictionaries (as in its own card games).
remarked = pytest.mark.filterwarnings(
    "ignore:Action mask numpy array is all zeros",
    "ignore:Observation is not a NumPy array",
    "ignore:Observation space for each agent probably should be",
)
SETTINGS: list[dict[str, Any]] = [
    {"seats": 2},
    {"seats": 3, "episode": "game", "ruleset": "family target=40"},
    {"seats": 8, "reward": "points", "ruleset": "official column_removal=player_choice"},
    {"seats": 4, "episode": "game", "reward": "win", "ruleset": "official-fr max_rounds=2"},
    {"seats": 2, "turn_limit": 2},
]


def play(env: Any, rng: random.Random, first: int = 0) -> list[tuple[Any, ...]]:
    """Random play to the end of an episode; agent, action, reward, ended, cut off by line."""
    lines = []
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _info = env.last()
        action = None
        if not terminated and not truncated:
            action = rng.choice(np.flatnonzero(observation["action_mask"]).tolist())
        lines.append((agent, action, reward, terminated, truncated))
        env.step(action)
    return lines


@remarked
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_the_api_test_of_pettingzoo_passes(settings: dict[str, Any]) -> None:
    for make in (skyjo_v0.env, skyjo_v0.raw_env):
        api_test(make(**settings), num_cycles=300)


@pytest.mark.parametrize("name", PRESETS)
@remarked
def test_the_api_test_passes_under_every_preset_interpreted(name: str) -> None:
    api_test(skyjo_v0.env(seats=3, ruleset=name, compiled=False), num_cycles=20)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_the_seed_test_of_pettingzoo_passes(settings: dict[str, Any]) -> None:
    seed_test(lambda: skyjo_v0.env(**settings), num_cycles=300)


def test_the_render_test_of_pettingzoo_passes(capsys: pytest.CaptureFixture[str]) -> None:
    render_test(skyjo_v0.env)
    assert "draw pile" in capsys.readouterr().out


def test_text_and_picture_show_what_an_onlooker_sees() -> None:
    env = skyjo_v0.env(seats=5, render_mode="ansi", compiled=False)
    env.reset(seed=1)
    env.step(4)
    text = env.render()
    assert text.startswith("round 1, reveal, seat_0 on turn")
    assert text.count("?") == 5 * 12 - 1
    shown = skyjo_v0.env(seats=5, render_mode="rgb_array", compiled=False)
    shown.reset(seed=1)
    before = shown.render()
    shown.step(4)
    after = shown.render()
    assert before.shape == after.shape
    changed = np.argwhere((before != after).any(axis=2))
    # One card was turned, nothing else is drawn anew.
    assert 0 < len(changed) <= 45 * 61


@pytest.mark.parametrize("seed", range(8))
def test_it_is_the_game_of_the_rules(seed: int) -> None:
    """``Game`` plays every action as well, with the card that was drawn: the same position."""
    rng = random.Random(seed)
    ruleset = Ruleset.preset(*random_ruleset(rng))
    seats = rng.randint(2, 8)
    env = skyjo_v0.raw_env(seats, ruleset, "game", "points", compiled=seed % 2 == 0)
    env.reset(seed=seed)
    players = env.possible_agents
    total = [0.0] * seats
    while not any(env.terminations.values()) and not any(env.truncations.values()):
        game = Game.from_state(players, env._tables.state())
        legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"]).tolist()
        assert env.agent_selection == players[game.turn or 0]
        assert legal == game.legal_actions()
        action = rng.choice(legal)
        reshuffles = game.needs_reshuffle
        env.step(action)
        after = env._tables.state()
        if action == DRAW and not reshuffles:
            pile, top = game.state.draw_pile, game.state.draw_size - 1
            place = pile.index(after.hand)
            pile[place], pile[top] = pile[top], pile[place]
        if action != DRAW or not reshuffles:
            game.play(action)
            if not game.needs_deal:
                assert position(game.state) == position(after)
        for seat, agent in enumerate(players):
            total[seat] += env.rewards[agent]
    if all(env.terminations.values()):
        assert [-points for points in total] == env._tables.state().totals[:seats]


def position(state: State) -> tuple[Any, ...]:
    """All of a state but the order of its draw pile, which is decided when a card is drawn."""
    found = state.copy()
    found.draw_pile = sorted(found.draw_pile[: found.draw_size])
    found.discard_pile = found.discard_pile[: found.discard_size]
    found.gone = found.gone[: found.lines_gone]
    return found.values()


def test_rewards_add_up_and_only_the_end_terminates() -> None:
    env = skyjo_v0.env(seats=3, episode="game", ruleset="official target=30")
    env.reset(seed=3)
    lines = play(env, random.Random(3))
    last = lines[-3:]
    assert [line[1] for line in last] == [None] * 3
    assert all(terminated and not truncated for _, _, _, terminated, truncated in last)
    assert not any(line[3] or line[4] for line in lines[:-3])
    assert abs(sum(line[2] for line in lines)) < 1e-9


def test_a_won_game_is_worth_one() -> None:
    env = skyjo_v0.env(seats=4, reward="win")
    env.reset(seed=3)
    rewards = sorted(line[2] for line in play(env, random.Random(1))[-4:])
    assert rewards == pytest.approx([-1 / 3, -1 / 3, -1 / 3, 1])


def test_the_turn_limit_truncates_and_a_limit_of_the_ruleset_does_not() -> None:
    env = skyjo_v0.env(seats=2, turn_limit=3)
    env.reset(seed=1)
    lines = play(env, random.Random(1))
    assert [line[3:] for line in lines[-2:]] == [(False, True)] * 2
    assert all(line[2] == 0 for line in lines)
    env = skyjo_v0.env(seats=2, ruleset="official turn_limit=3")
    env.reset(seed=1)
    lines = play(env, random.Random(1))
    assert [line[3:] for line in lines[-2:]] == [(True, False)] * 2
    assert any(line[2] != 0 for line in lines)


def test_opening_cards_are_turned_in_seat_order() -> None:
    env = skyjo_v0.env(seats=4, compiled=False)
    env.reset(seed=1)
    seen = []
    for _ in range(8):
        seen.append(env.agent_selection)
        env.step(int(np.argmax(env.observe(env.agent_selection)["action_mask"])))
    assert seen == [f"seat_{seat}" for seat in (0, 0, 1, 1, 2, 2, 3, 3)]


@pytest.mark.parametrize("compiled", [False, True])
def test_what_is_not_allowed_changes_nothing(compiled: bool) -> None:
    env = skyjo_v0.raw_env(compiled=compiled)
    env.reset(seed=1)
    before = env.observe("seat_0")
    with pytest.raises(IllegalActionError, match="opening cards") as refused:
        env.step(0)
    assert refused.value.code == "wrong_phase"
    for action in (ENV_ACTIONS, -1):
        with pytest.raises(MalformedError, match="0 to 43"):
            env.step(action)
    after = env.observe("seat_0")
    assert all(np.array_equal(before[name], after[name]) for name in before)
    assert env.agent_selection == "seat_0"


def test_an_illegal_action_ends_the_wrapped_game(caplog: pytest.LogCaptureFixture) -> None:
    env = skyjo_v0.env()
    env.reset(seed=1)
    env.step(0)
    assert "Illegal move" in caplog.text
    assert env.terminations == {"seat_0": True, "seat_1": True}
    assert env.rewards["seat_0"] == ILLEGAL_REWARD


def test_episodes_follow_each_other_and_a_seed_repeats_them() -> None:
    env = skyjo_v0.env()

    def episode(seed: int | None) -> list[tuple[Any, ...]]:
        env.reset(seed=seed)
        return play(env, random.Random(1))

    first, second, again = episode(5), episode(None), episode(5)
    assert first == again != second


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"seats": 1}, IllegalActionError),
        ({"seats": 9}, IllegalActionError),
        ({"episode": "week"}, RulesetError),
        ({"reward": "money"}, RulesetError),
        ({"turn_limit": -1}, RulesetError),
        ({"ruleset": "nobody's"}, RulesetError),
    ],
    ids=str,
)
def test_wrong_settings_are_told(wrong: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        skyjo_v0.env(**wrong)


def test_the_first_deck_is_a_shuffle_of_the_deck_and_depends_on_the_seed() -> None:
    tables = Tables(2, Setting(2, compiled=False))
    tables.begin([1, 2])
    for number in range(2):
        state = tables.state(number)
        cards = [card - 32 for card in state.cells[:24]]
        cards += state.draw_pile[: state.draw_size] + state.discard_pile[:1]
        assert sorted(cards) == sorted(DECK)
    assert tables.state(0).cells != tables.state(1).cells
    assert seed_number(1) != seed_number(2)


def test_what_every_agent_observes_is_its_view() -> None:
    env = skyjo_v0.raw_env(seats=3)
    env.reset(seed=4)
    rng = random.Random(4)
    while not all(env.terminations.values()):
        for seat, agent in enumerate(env.possible_agents):
            row = np.zeros((1, observation_size(3)), np.int8)
            fill_observation(env._tables.view(seat), row, 0)
            assert np.array_equal(env.observe(agent)["observation"], row[0])
        legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"]).tolist()
        env.step(rng.choice(legal))


@pytest.mark.parametrize("seats", [2, 8])
def test_the_state_test_of_pettingzoo_passes(seats: int) -> None:
    env = skyjo_v0.env(seats=seats, compiled=False)
    check_state_space(env)
    check_state(env, 30)
    assert env.state().shape == env.state_space.shape == (seats * observation_size(seats),)


@remarked
def test_it_can_be_wrapped_as_a_parallel_environment() -> None:
    """Turns are kept: only the action of the agent whose mask is not empty counts."""
    parallel_api_test(turn_based_aec_to_parallel(skyjo_v0.env(compiled=False)), num_cycles=100)
    env = turn_based_aec_to_parallel(skyjo_v0.env(seats=3, compiled=False))
    observations, _ = env.reset(seed=1)
    generator = random.Random(1)
    total = dict.fromkeys(env.possible_agents, 0.0)
    while env.agents:
        masks = {agent: seen["action_mask"] for agent, seen in observations.items()}
        assert sum(bool(mask.any()) for mask in masks.values()) == 1
        actions = {
            agent: generator.choice(np.flatnonzero(mask).tolist() or [0])
            for agent, mask in masks.items()
        }
        observations, rewards, _, _, _ = env.step(actions)
        for agent, reward in rewards.items():
            total[agent] += reward
    assert any(total.values())
    assert abs(sum(total.values())) < 1e-9


def test_a_finished_agent_may_only_be_removed() -> None:
    env = skyjo_v0.raw_env(turn_limit=1, compiled=False)
    env.reset(seed=1)
    while not any(env.truncations.values()):
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(int(np.flatnonzero(mask)[-1]))
    with pytest.raises(ValueError, match="only valid action is None"):
        env.step(0)
    for left in (1, 0):
        env.step(None)
        assert len(env.agents) == left
