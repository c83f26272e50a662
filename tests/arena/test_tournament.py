"""Whole tournaments: the same results wherever they are played, stopped and resumed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from skyjo import arena
from skyjo.arena import tournament as running
from skyjo.arena.batch import Task, load, play_batch
from skyjo.arena.report import as_json
from skyjo.bots import from_kernel
from skyjo.bots.greedy import greedy_action
from skyjo.errors import MalformedError
from skyjo.rules.ruleset import Ruleset

BOTS = ["greedy", "random", "threshold:3"]
PAIRS = arena.all_pairs(BOTS)


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several batches even for few games."""
    monkeypatch.setattr(running, "FAST_GAMES", 20)
    monkeypatch.setattr(running, "SLOW_GAMES", 10)


def setting(**more: Any) -> Any:
    return arena.setting_of(BOTS, PAIRS, ruleset=Ruleset(target=50), seed="s", **more)


@pytest.fixture(scope="module")
def wanted() -> dict[str, Any]:
    """What one process plays."""
    return as_json(arena.run(setting(), 60))


def test_every_bot_plays_its_games(wanted: dict[str, Any]) -> None:
    assert list(wanted["bots"]) == BOTS
    for figures in wanted["bots"].values():
        assert figures["games"] == 120
        assert 0 <= figures["wins_low"] <= figures["wins"] <= figures["wins_high"] <= 1
    assert sum(figures["wins"] for figures in wanted["bots"].values()) == pytest.approx(1.5)
    assert wanted["bots"]["random"]["wins"] < 0.1
    assert wanted["ruleset"] == "official target=50 turn_limit=200"
    assert wanted["games"] == 180


def test_the_same_in_several_processes(wanted: dict[str, Any]) -> None:
    assert as_json(arena.run(setting(), 60, workers=arena.Workers(2))) == wanted


def test_the_same_in_the_interpreter(wanted: dict[str, Any]) -> None:
    assert as_json(arena.run(setting(interpreted=True), 60)) == wanted


def test_the_same_on_a_dask_cluster(wanted: dict[str, Any]) -> None:
    workers = arena.Workers(2, "dask")
    assert as_json(arena.run(setting(), 60, workers=workers)) == wanted


def test_a_bot_that_is_handed_over_plays_like_its_name(wanted: dict[str, Any]) -> None:
    own = from_kernel("greedy", greedy_action)
    found = arena.setting_of(
        [own, "random", "threshold:3"], PAIRS, ruleset=Ruleset(target=50), seed="s"
    )
    assert as_json(arena.run(found, 60)) == wanted


class _Enough(Exception):
    pass


@pytest.mark.parametrize("more", [[], ["--resume"]])
def test_a_tournament_is_played_by_one_process_at_a_time(
    monkeypatch: Any, tmp_path: Path, wanted: dict[str, Any], more: list[str]
) -> None:
    """The real command while another process plays; what that one keeps is left alone."""
    monkeypatch.setenv("SKYJO_STATE", str(tmp_path))
    monkeypatch.setenv("LANG", "C.UTF-8")
    folder = arena.folder_of(setting())
    refused: list[subprocess.CompletedProcess[str]] = []
    words = ["arena", *BOTS, "--seed", "s", "--set", "target=50", "--jobs", "1", *more]

    def again(tally: arena.Tally, _total: int | None) -> None:
        if tally.games == 60:
            command = [sys.executable, "-m", "skyjo", *words]
            refused.append(subprocess.run(command, capture_output=True, text=True, check=False))
            assert len(load(folder)) >= 3

    assert as_json(arena.run(setting(), 60, folder=folder, progress=again)) == wanted
    assert refused[0].returncode == 1
    assert f"{os.getpid()}) plays this tournament" in refused[0].stderr
    assert f"games are in {folder}. Wait for it" in refused[0].stderr
    assert as_json(arena.run(setting(), 60, folder=folder)) == wanted


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_is_stopped_can_be_resumed(tmp_path: Path, wanted: dict[str, Any], jobs: int) -> None:
    def stop(tally: arena.Tally, total: int | None) -> None:
        assert total == 180
        if tally.games >= 80:
            raise _Enough

    workers = arena.Workers(jobs)
    with pytest.raises(_Enough):
        arena.run(setting(), 60, folder=tmp_path, progress=stop, workers=workers)
    kept = {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("*.npz")}
    assert kept
    found = arena.run(setting(), 60, folder=tmp_path, workers=workers)
    assert as_json(found) == wanted
    assert kept.items() <= {p.name: p.stat().st_mtime_ns for p in tmp_path.glob("*.npz")}.items()


def test_a_torn_file_is_played_again(tmp_path: Path, wanted: dict[str, Any]) -> None:
    arena.run(setting(), 60, folder=tmp_path)
    for path in list(tmp_path.glob("*.npz"))[:2]:
        path.write_bytes(path.read_bytes()[:100])
    assert len(load(tmp_path)) == 7
    assert as_json(arena.run(setting(), 60, folder=tmp_path)) == wanted


def test_more_games_can_be_asked_for_later(tmp_path: Path, wanted: dict[str, Any]) -> None:
    arena.run(setting(), 40, folder=tmp_path)
    before = len(list(tmp_path.glob("*.npz")))
    assert as_json(arena.run(setting(), 60, folder=tmp_path)) == wanted
    assert before < len(list(tmp_path.glob("*.npz"))) == 9


def test_kept_batches_belong_to_one_tournament(monkeypatch: Any, tmp_path: Path) -> None:
    monkeypatch.setenv("SKYJO_STATE", str(tmp_path))
    same = arena.folder_of(setting())
    arena.run(setting(), 20, folder=same)
    assert arena.folder_of(setting()) == same
    assert len(load(same)) == 3
    others = [
        arena.setting_of(BOTS, PAIRS, ruleset=Ruleset(target=50), seed="t"),
        arena.setting_of(BOTS, PAIRS, ruleset=Ruleset(target=51), seed="s"),
        arena.setting_of(BOTS, PAIRS[:2], ruleset=Ruleset(target=50), seed="s"),
    ]
    assert same not in [arena.folder_of(other) for other in others]
    assert arena.run(setting(), 6, folder=same, afresh=True).games == 18
    assert len(load(same)) == 3
    assert sum(len(batch.lengths) for batch in load(same)) == 18


@pytest.mark.parametrize("jobs", [1, 2])
def test_until_goes_on_to_the_same_game_whoever_plays(jobs: int) -> None:
    pair = arena.setting_of(["greedy", "random"], [("greedy", "random")], seed=1)
    totals: list[int | None] = []
    tally = arena.run(
        pair,
        5000,
        until=0.025,
        workers=arena.Workers(jobs),
        progress=lambda _tally, total: totals.append(total),
    )
    assert tally.widest() <= 0.025
    assert tally.games == 80 * len(totals) / running.BATCHES
    assert tally.games < 5000
    assert set(totals) == {None}
    assert arena.run(pair, 40, until=0.0001).games == 40


def test_games_are_rounded_up_to_whole_sets() -> None:
    three = arena.setting_of(["greedy", "random"], [("greedy", "random", "random")])
    assert arena.run(three, 4).games == 6


def test_luck_cancels_between_equal_bots() -> None:
    """Two that answer alike win equally often, to the last half game, in every duplicate set."""
    own = from_kernel("twin", greedy_action)
    twins = arena.setting_of(["greedy", own], [("greedy", "twin")], seed=3)
    found = play_batch(twins, Task(0, 0, 20))
    by_set = found.shares.reshape(20, 2, 2).mean(axis=1)
    assert by_set.mean() == 0.5
    assert by_set[:, 0].std() < 0.36  # of independent games it would be 0.35 or more


def test_a_limit_of_turns_is_set_and_its_own_is_kept() -> None:
    assert setting().ruleset.turn_limit == 200
    own = arena.setting_of(["greedy", "random"], PAIRS[:1], ruleset=Ruleset(turn_limit=30))
    assert own.ruleset.turn_limit == 30


def test_bots_that_cannot_play() -> None:
    with pytest.raises(MalformedError, match="named twice"):
        arena.setting_of(["greedy", "greedy"], [("greedy", "greedy")])
    with pytest.raises(MalformedError, match="no bot 'genius'"):
        arena.setting_of(["greedy", "genius"], [("greedy", "genius")])


@pytest.fixture(autouse=True, scope="module")
def _no_workers_left() -> Iterator[None]:
    """Processes that joblib keeps for later are not wanted any more."""
    yield
    from joblib.externals.loky import get_reusable_executor

    get_reusable_executor().shutdown(wait=True, kill_workers=True)
