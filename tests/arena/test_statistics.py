"""Line-ups, intervals and ratings, on figures whose answer is known."""

from __future__ import annotations

from collections import Counter
from math import inf, isinf

import numpy as np
import pytest

from skyjo.arena.batch import SCORES, Batch, Setting, Task
from skyjo.arena.intervals import Estimate, difference, error_of_mean, ratio, share
from skyjo.arena.lineups import MOST, line_ups, read_line_up
from skyjo.arena.ratings import rate
from skyjo.arena.tally import Tally
from skyjo.errors import IllegalActionError, MalformedError
from skyjo.rules.ruleset import Ruleset

# --- Line-ups -------------------------------------------------------------------------------------


def test_with_two_seats_every_pair_meets() -> None:
    found = line_ups([f"bot{n}" for n in range(15)], 2)
    assert len(found) == len(set(found)) == 105


@pytest.mark.parametrize(
    ("bots", "seats"), [(3, 3), (4, 3), (2, 4), (3, 8), (5, 8), (12, 4), (20, 3), (9, 8)]
)
def test_with_more_seats_all_play_equally_often(bots: int, seats: int) -> None:
    names = [f"bot{n}" for n in range(bots)]
    found = line_ups(names, seats, seed=1)
    assert len(found) <= MOST
    assert all(len(line_up) == seats and len(set(line_up)) > 1 for line_up in found)
    counts = Counter(name for line_up in found for name in line_up)
    assert len(set(counts.values())) == 1
    assert len(counts) == bots
    if bots >= seats:
        assert all(len(set(line_up)) == seats for line_up in found)


def test_drawn_line_ups_come_from_the_seed() -> None:
    names = [f"bot{n}" for n in range(20)]
    found = [line_ups(names, 4, seed=seed) for seed in (1, 1, 2)]
    assert found[0] == found[1] != found[2]


def test_line_ups_that_make_no_sense() -> None:
    with pytest.raises(MalformedError, match="at least two"):
        line_ups(["a"], 2)
    with pytest.raises(IllegalActionError, match="2 to 8"):
        line_ups(["a", "b"], 9)
    with pytest.raises(MalformedError, match="names 'c'"):
        read_line_up("a,b,c", ["a", "b"])


# --- Intervals ------------------------------------------------------------------------------------


def test_the_interval_of_a_share_covers_it_as_often_as_it_says() -> None:
    generator = np.random.default_rng(1)
    covered = 0
    for _ in range(600):
        sets = generator.binomial(2, 0.3, size=80) / 2
        estimate = share([sets])
        covered += estimate.low <= 0.3 <= estimate.high
    assert 0.925 <= covered / 600 <= 0.985


def test_line_ups_of_different_strength_do_not_widen_the_interval() -> None:
    """Groups have means of their own; only what varies inside them counts."""
    generator = np.random.default_rng(2)
    groups = [generator.normal(mean, 1, 400) for mean in (0, 50)]
    assert error_of_mean(groups) == pytest.approx(1 / np.sqrt(800), rel=0.1)


def test_a_share_stays_inside_and_one_set_says_nothing() -> None:
    always = share([np.ones(50)])
    assert (always.value, always.high) == (1.0, 1.0)
    assert 0.9 < always.low < 1.0
    assert share([np.ones(1)]) == Estimate(1.0, 0.0, 1.0)
    assert share([]) == Estimate(0.5, 0.0, 1.0)
    assert isinf(difference([np.ones(1)]).high)


def test_the_interval_of_a_ratio() -> None:
    generator = np.random.default_rng(3)
    covered = 0
    for _ in range(400):
        rounds = generator.integers(5, 15, 100).astype(float)
        points = rounds * 20 + generator.normal(0, 30, 100)
        estimate = ratio([points], [rounds])
        covered += estimate.low <= 20 <= estimate.high
    assert 0.91 <= covered / 400 <= 0.985
    assert ratio([], []) == Estimate(0.0, -inf, inf)


# --- Adding up ------------------------------------------------------------------------------------


def batch(
    line_up: int, first: int, shares: list[list[float]], totals: list[list[int]], **more: object
) -> Batch:
    games, seats = len(shares), len(shares[0])
    values = {
        "shares": np.array(shares),
        "totals": np.array(totals),
        "points": np.array(totals),
        "penalties": np.zeros((games, seats), np.int64),
        "lengths": np.full(games, 5),
        "limited": np.zeros(games, np.int64),
        "scores": np.zeros((seats, SCORES), np.int64),
        "faults": tuple({} for _ in range(seats)),
        **more,
    }
    return Batch(task=Task(line_up, first, games // seats), **values)  # type: ignore[arg-type]


def tally(line_ups: list[tuple[str, ...]], *batches: Batch) -> Tally:
    found = Tally(Setting(Ruleset(), 0, tuple(line_ups), {}))
    for each in batches:
        found.add(each)
    return found


PAIR = batch(
    0,
    0,
    [[1, 0], [1, 0], [0.5, 0.5], [1, 0]],
    [[50, 110], [60, 100], [101, 101], [20, 130]],
    penalties=np.array([[0, 1], [0, 0], [1, 1], [0, 2]]),
)


def test_wins_points_and_penalties() -> None:
    result = tally([("a", "b")], PAIR).result()
    a, b = result.bot("a"), result.bot("b")
    assert (a.wins.value, b.wins.value) == (0.875, 0.125)
    assert a.games == b.games == result.games == 4
    assert a.points_per_round.value == pytest.approx(231 / 20)
    assert b.penalties_per_round.value == pytest.approx(4 / 20)
    assert result.pairs[0].difference.value == pytest.approx(0.75)
    assert [bot.name for bot in result.ranking] == ["a", "b"]
    assert result.lengths[5] == 4


def test_a_bot_in_several_seats_and_line_ups() -> None:
    table = batch(
        1,
        0,
        [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
        [[1, 2, 3], [3, 1, 2], [3, 2, 1]],
        scores=np.eye(3, SCORES, dtype=np.int64),
    )
    found = tally([("a", "b"), ("b", "b", "a")], PAIR, table)
    result = found.result()
    # In the second line-up b has two of three seats; a set weighs the same in every line-up.
    assert result.bot("b").wins.value == pytest.approx((0 + 0.25 + 1 / 3) / 3)
    assert result.bot("b").rounds == 4 * 5 + 2 * 3 * 5
    assert result.bot("b").scores.sum() == 2
    assert result.bot("a").scores.sum() == 1
    assert result.pairs[0].games == 7


def test_faults_are_added_by_name() -> None:
    one = batch(0, 0, [[1, 0], [1, 0]], [[1, 2], [1, 2]], faults=({"slow": 2}, {}))
    two = batch(0, 1, [[1, 0], [1, 0]], [[1, 2], [1, 2]], faults=({"slow": 1, "dead": 1}, {}))
    result = tally([("a", "b")], one, two).result()
    assert (result.bot("a").faults, result.bot("b").faults) == ({"slow": 3, "dead": 1}, {})


def test_the_order_in_which_batches_arrive_does_not_matter() -> None:
    batches = [batch(0, first, [[1, 0], [0, 1]], [[first, 9], [9, first]]) for first in range(5)]
    results = [tally([("a", "b")], *order).result() for order in (batches, batches[::-1])]
    assert results[0].bot("a").rating == results[1].bot("a").rating
    assert results[0].bot("a").wins == results[1].bot("a").wins


# --- Ratings --------------------------------------------------------------------------------------


def test_ratings_find_the_order_and_shrink_the_doubt() -> None:
    generator = np.random.default_rng(4)
    strengths = {"low": 0.0, "middle": 15.0, "high": 30.0}
    pairs = [("low", "middle"), ("low", "high"), ("middle", "high")]

    def played(games: int) -> list[Batch]:
        found = []
        for number, names in enumerate(pairs):
            totals = generator.normal(100, 20, (games, 2)) - [strengths[name] for name in names]
            shares = (totals == totals.min(axis=1, keepdims=True)).astype(float)
            found.append(batch(number, 0, shares.tolist(), totals.astype(int).tolist()))
        return found

    few, many = (rate(pairs, played(games), list(strengths)) for games in (20, 600))
    assert many["low"].value < many["middle"].value < many["high"].value
    assert all(many[name].half < few[name].half for name in strengths)


def test_more_games_than_are_rated_still_rate_every_line_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("skyjo.arena.ratings.MOST_GAMES", 40)
    line_ups = [("a", "b"), ("c", "d"), ("e", "f"), ("g", "h")]
    played = [batch(number, 0, [[1, 0]] * 40, [[10, 20]] * 40) for number in range(len(line_ups))]
    found = rate(line_ups, played, list("abcdefgh"))
    assert all(found[winner].value > 26 and found[loser].value < 24 for winner, loser in line_ups)


def test_a_rating_needs_somebody_else() -> None:
    alone = batch(0, 0, [[1, 0], [0, 1]], [[1, 2], [2, 1]])
    assert rate([("a", "a")], [alone], ["a"])["a"].value == 25
