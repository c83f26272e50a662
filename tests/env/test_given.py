"""What a caller may do wrong: arguments, actions, seeds, and steps outside an episode."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from skyjo.env import SkyjoEnv, SkyjoVectorEnv, skyjo_v0
from skyjo.errors import IllegalActionError, MalformedError, RulesetError, SkyjoError

Make = Callable[..., Any]


def aec(**settings: Any) -> Any:
    return skyjo_v0.raw_env(**{"compiled": False, **settings})


def single(**settings: Any) -> Any:
    return SkyjoEnv(**{"compiled": False, **settings})


def vector(**settings: Any) -> Any:
    return SkyjoVectorEnv(**{"num_envs": 2, "compiled": False, **settings})


def against(**settings: Any) -> Any:
    return vector(**{"opponents": ["greedy"], **settings})


every = pytest.mark.parametrize("make", [aec, single, vector, against])
with_opponents = pytest.mark.parametrize("make", [single, against])


@every
@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("ruleset", 5, "a ruleset is a Ruleset or its text, not '5'"),
        ("ruleset", None, "a ruleset is a Ruleset or its text"),
        ("ruleset", "nobody's", "there is no preset"),
        ("ruleset", "official target=0", "target is at least 1"),
        ("episode", None, "episode is one of: round, game"),
        ("reward", 1, "reward is one of: difference, points, win"),
        ("turn_limit", -1, "turn_limit is at least 0"),
        ("turn_limit", "5", "turn_limit is a whole number, not '5'"),
        ("turn_limit", 1.5, "turn_limit is a whole number, not '1.5'"),
        ("turn_limit", None, "turn_limit is a whole number"),
        ("turn_limit", True, "turn_limit is a whole number"),
        ("turn_limit", 10**30, "turn_limit is at most 1000000"),
        ("compiled", "yes", "compiled is one of: True, False, None"),
        ("render_mode", "x", "render_mode is one of: ansi, rgb_array"),
        ("render_mode", 5, "render_mode is one of"),
    ],
)
def test_a_wrong_setting_is_told_in_words(make: Make, name: str, value: Any, says: str) -> None:
    with pytest.raises(RulesetError, match=says):
        make(**{name: value})


@pytest.mark.parametrize("make", [aec, vector])
@pytest.mark.parametrize("seats", [1, 9, 0, -1])
def test_seats_are_2_to_8(make: Make, seats: int) -> None:
    with pytest.raises(IllegalActionError, match=f"not by {seats}"):
        make(seats=seats)


@pytest.mark.parametrize("make", [aec, vector])
@pytest.mark.parametrize("seats", ["2", 2.0, True, [2]])
def test_seats_are_a_whole_number(make: Make, seats: Any) -> None:
    with pytest.raises(RulesetError, match="seats is a whole number"):
        make(seats=seats)


def test_numbers_of_numpy_are_numbers() -> None:
    env = aec(seats=np.int64(3), turn_limit=np.int32(5))
    env.reset(seed=np.int64(4))
    assert len(env.agents) == 3
    assert vector(num_envs=np.int64(3)).reset(seed=np.int16(4))[0].shape == (3, 135)
    assert single(seat=np.int8(1), duplicate=np.bool_(True)).reset(seed=1)[1]["seat"] == 1


@with_opponents
@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("opponents", "greedy", "opponents are a list"),
        ("opponents", 5, "opponents are a list"),
        ("opponents", ["nobody"], "there is no bot 'nobody'"),
        ("opponents", [5], "an opponent is a bot, the name of one or a policy, not '5'"),
        ("opponents", [], "not by 1"),
        ("opponents", ["greedy"] * 8, "not by 9"),
        ("seat", -1, "seat is one of: 0, 1, rotate"),
        ("seat", 2, "seat is one of: 0, 1, rotate"),
        ("seat", "spin", "seat is one of: 0, 1, rotate"),
        ("duplicate", "no", "duplicate is one of: True, False"),
        ("duplicate", None, "duplicate is one of: True, False"),
        ("illegal_reward", "x", "illegal_reward is a number"),
        ("illegal_reward", float("nan"), "illegal_reward is a number"),
        ("illegal_reward", float("-inf"), "illegal_reward is a number"),
    ],
)
def test_a_wrong_opponent_seat_or_cost_is_told(
    make: Make, name: str, value: Any, says: str
) -> None:
    with pytest.raises(SkyjoError, match=says):
        make(**{name: value})


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"num_envs": 0}, "num_envs is at least 1"),
        ({"num_envs": -1}, "num_envs is at least 1"),
        ({"num_envs": 1.5}, "num_envs is a whole number"),
        ({"num_envs": "3"}, "num_envs is a whole number"),
        ({"copy": "no"}, "copy is one of: True, False"),
        ({"render_mode": "human"}, "render_mode is one of: ansi, rgb_array, None"),
        ({"autoreset_mode": 3}, "autoreset_mode is one of: NextStep, SameStep"),
        ({"seats": 3, "opponents": ["greedy"]}, "3 seats have 2 opponents and the agent"),
    ],
    ids=str,
)
def test_a_wrong_vector_is_told(settings: dict[str, Any], says: str) -> None:
    with pytest.raises(RulesetError, match=says):
        vector(**settings)


def test_seats_may_be_named_beside_as_many_opponents() -> None:
    assert vector(seats=3, opponents=["greedy"] * 2).setting.seats == 3


@every
@pytest.mark.parametrize(
    "wrong",
    [None, "4", "x", 4.0, 4.7, np.float32(4), True, float("nan"), [4.5], 10**30, [[4], [5]]],
)
def test_an_action_that_is_no_whole_number_is_refused(make: Make, wrong: Any) -> None:
    env = make()
    env.reset(seed=1)
    seen = env._tables.observations.copy()
    with pytest.raises(MalformedError, match="one whole number is wanted"):
        env.step([wrong] * len(seen) if len(seen) > 1 else wrong)
    assert np.array_equal(env._tables.observations, seen)


@pytest.mark.parametrize("wrong", [4, [4], [4, 5, 6], [], np.array([[4], [5]])])
def test_a_vector_wants_an_action_for_each_table(wrong: Any) -> None:
    envs = vector()
    envs.reset(seed=1)
    with pytest.raises(MalformedError, match="each of 2 tables"):
        envs.step(wrong)


@pytest.mark.parametrize("make", [aec, single])
@pytest.mark.parametrize("action", [4, np.int64(4), np.uint8(4), np.array(4), np.array([4]), [4]])
def test_one_table_takes_one_number_in_any_form(make: Make, action: Any) -> None:
    env = make()
    env.reset(seed=1)
    env.step(action)
    assert env._tables.state().cells[0] <= 12


@pytest.mark.parametrize("seed", [-1, "x", 1.5, True, [1]])
def test_a_seed_is_a_whole_number(seed: Any) -> None:
    for make in (aec, vector):
        with pytest.raises((SkyjoError, gymnasium.error.Error)):
            make().reset(seed=seed)
    with pytest.raises((SkyjoError, gymnasium.error.Error)):
        single().reset(seed=seed)


@pytest.mark.parametrize("seeds", [[1], [1, 2, 3], [], [1, "x"], [1, -1], [1, 2.5]])
def test_a_vector_wants_a_seed_for_each_table(seeds: Any) -> None:
    with pytest.raises(SkyjoError, match=r"one whole number is wanted|seed is"):
        vector().reset(seed=seeds)


def test_seeds_of_tables_in_every_form() -> None:
    envs = vector()

    def decks(seed: Any) -> list[list[int]]:
        envs.reset(seed=seed)
        return [envs._tables.state(number).draw_pile for number in range(2)]

    one = decks(5)
    assert one == decks([5, 6]) == decks((5, 6)) == decks(np.array([5, 6])) == decks(np.int64(5))
    first, second = decks([5, None]), decks([5, None])
    assert first[0] == second[0] == one[0]
    assert first[1] != second[1]
    assert decks(None)[0] != one[0]
    assert vector().reset()[0].shape == (2, 135)


@pytest.mark.parametrize("make", [single, vector, against])
def test_a_step_before_the_first_reset_is_told(make: Make) -> None:
    env = make()
    with pytest.raises(ResetNeeded, match="reset"):
        env.step([4, 4] if make is not single else 4)


@pytest.mark.parametrize("settings", [{}, {"turn_limit": 1}, {"illegal_reward": -1}], ids=str)
def test_a_step_after_the_end_is_told(settings: dict[str, Any]) -> None:
    env = single(**settings)
    env.reset(seed=1)
    ended = False
    while not ended:
        legal = np.flatnonzero(env.action_masks()).tolist()
        action = 43 if "illegal_reward" in settings else legal[-1]
        ended = any(env.step(action)[2:4])
    for _ in range(2):
        with pytest.raises(ResetNeeded, match="no episode is running"):
            env.step(4)
    assert env._tables.episode() == 0
    env.reset()
    env.step(4)
    assert env._tables.episode() == 1


@pytest.mark.parametrize("answer", ["x", None, 4.0])
def test_a_policy_that_answers_no_number_is_named(answer: Any) -> None:
    def odd(_view: Any, _generator: Any) -> Any:
        return answer

    env = SkyjoEnv([odd], seat=1)
    with pytest.raises(SkyjoError, match=f"odd answered '{answer}', which is not the number"):
        env.reset(seed=1)
    number: Any = np.int64(4)
    fine = SkyjoEnv([lambda _view, _generator: number], seat=1)
    with pytest.raises(SkyjoError, match="which is not allowed at that moment"):
        fine.reset(seed=1)


@pytest.mark.parametrize("compiled", [False, True])
def test_an_illegal_action_may_cost_a_fraction(compiled: bool) -> None:
    env = SkyjoEnv(illegal_reward=-0.25, compiled=compiled)
    env.reset(seed=1)
    assert env.step(0)[1] == -0.25


def test_closing_twice_and_rendering_without_a_mode() -> None:
    for make in (aec, single, vector):
        env = make()
        env.close()
        env.close()
    env = single()
    env.reset(seed=1)
    with pytest.warns(UserWarning, match="render_mode shows nothing"):
        assert env.render() is None
