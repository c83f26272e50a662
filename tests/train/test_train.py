"""Training: its targets and gradients, and that a run can be repeated and interrupted."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.kit import terminal

from skyjo import sim
from skyjo.bots.value import points_bot
from skyjo.bots.value.layout import HEADS, OWN_POINTS, SPACE_ROWS, TURNS_LEFT, Array
from skyjo.bots.value.weights import from_bytes, random_weights
from skyjo.cli.main import main
from skyjo.errors import SkyjoError
from skyjo.rules.layout import State
from skyjo.rules.ruleset import Ruleset
from skyjo.train import loop, run
from skyjo.train.diet import Course, all_courses, first_courses
from skyjo.train.work import Task, learn_task, watch

PATIENCE = 240.0


def sample_tables(rng: np.random.Generator, inputs: int) -> tuple[Array, Array, Array, Array]:
    """One sample with so many random inputs, and a random target."""
    rows = np.zeros((1, loop.INPUTS), np.int64)
    amounts = np.zeros((1, loop.INPUTS), np.float32)
    facts = np.zeros((1, loop.FACTS), np.int64)
    heads = rng.normal(0, 1, (1, 2 * HEADS)).astype(np.float32)
    rows[0, :inputs] = rng.choice(3000, inputs, replace=False)
    amounts[0, :inputs] = rng.normal(1, 0.3, inputs)
    facts[0, loop.STAGE] = 1
    facts[0, loop.ACTIVE] = inputs
    return rows, amounts, facts, heads


def loss(w: Array, o: Array, b: Array, tables: tuple[Array, Array, Array, Array]) -> float:
    """Half the weighted squared errors, in double precision."""
    rows, amounts, facts, heads = tables
    count = facts[0, loop.ACTIVE]
    units = np.maximum(0, amounts[0, :count] @ w[rows[0, :count]])
    lines = slice(HEADS * facts[0, loop.STAGE], HEADS * (facts[0, loop.STAGE] + 1))
    errors = b[lines] + o[lines] @ units - heads[0, HEADS:]
    weights = np.array([loop.head_weight(head) for head in range(HEADS)])
    return float(0.5 * (weights * errors**2).sum())


def test_steps_follow_the_gradient() -> None:
    rng = np.random.default_rng(3)
    start = random_weights(16, 2)
    tables = sample_tables(rng, 9)
    before = [table.astype(np.float64) for table in (start.w, start.o, start.b)]
    after = (start.w.copy(), start.o.copy(), start.b.copy())
    rate = np.float32(1e-3)
    x = np.zeros((SPACE_ROWS, 16), np.float32)
    w, o, b = after
    loop.learn(0, rate, w, o, b, x, *tables)
    moved = 0
    for number, table in enumerate(before):
        found = (table - after[number]) / rate
        places = np.argwhere(np.abs(found) > 0.01)
        moved += len(places)
        assert (found[np.abs(found) < 0.01] < 0.01).all()
        for place in map(tuple, rng.permutation(places)[:40]):
            slopes = []
            for step in (-1e-4, 1e-4):
                changed = [each.copy() for each in before]
                changed[number][place] += step
                slopes.append(loss(changed[0], changed[1], changed[2], tables))
            assert found[place] == pytest.approx((slopes[1] - slopes[0]) / 2e-4, rel=0.02, abs=5e-3)
    assert moved > 60


def test_targets_go_backwards_from_the_final_points() -> None:
    state = State(2, Ruleset())
    state.final, state.turns = [10, 30] + [0] * 6, [5, 5] + [0] * 6
    facts = np.zeros((4, loop.FACTS), np.int64)
    heads = np.zeros((4, 2 * HEADS), np.float32)
    for sample, (seat, turn, explored) in enumerate([(0, 1, 0), (1, 1, 0), (0, 4, 0), (0, 5, 1)]):
        facts[sample, [loop.SEAT, loop.TURN, loop.EXPLORED]] = seat, turn, explored
        heads[sample, OWN_POINTS] = sample + 1
    loop.set_targets(state, 4, np.float32(0.5), facts, heads)
    targets = heads[:, HEADS:]
    assert targets[3, OWN_POINTS] == pytest.approx(0.5)
    # What came after was an exploration: only what had been expected before it counts.
    assert targets[2, OWN_POINTS] == pytest.approx(4)
    assert targets[0, OWN_POINTS] == pytest.approx((4 + 3) / 2)
    assert targets[1, OWN_POINTS] == pytest.approx(1.5)
    assert targets[3, TURNS_LEFT] == 0
    assert targets[2, TURNS_LEFT] == pytest.approx(0.1)
    assert targets[1, TURNS_LEFT] == pytest.approx(0.4)


def test_compiled_and_interpreted_learning_agree() -> None:
    start = random_weights(16, 1)
    settings = run.Plan().settings_of(0)
    family = replace(Ruleset.preset("family-columns"), turn_limit=60)
    courses = [*(replace(each, share=500) for each in first_courses()), Course(4, family, 500)]
    task = Task(courses, 7, 0, 2, settings, start.w, start.o, start.b)
    one, two = learn_task(task), learn_task(replace(task, compiled=False))
    assert one.sums[loop.ROUNDS] == two.sums[loop.ROUNDS] == 2
    assert one.sums[loop.LEARNT] == two.sums[loop.LEARNT]
    assert np.allclose(one.w, two.w, atol=1e-3)
    assert np.allclose(one.o, two.o, atol=1e-3)


def smoke(folder: Path, jobs: int = 1, seed: str = "7") -> run.Training:
    return run.train(run.smoke_plan(seed, jobs), folder)


def same(one: run.Training, other: run.Training) -> bool:
    return all(np.array_equal(getattr(one.mean, name), getattr(other.mean, name)) for name in "wob")


def test_the_same_seed_gives_the_same_weights(tmp_path: Path) -> None:
    first, again = smoke(tmp_path / "a"), smoke(tmp_path / "b")
    assert same(first, again)
    assert not same(first, smoke(tmp_path / "c", seed="8"))


def test_two_workers_give_the_same_weights_again(tmp_path: Path) -> None:
    first, again = smoke(tmp_path / "a", jobs=2), smoke(tmp_path / "b", jobs=2)
    assert same(first, again)
    assert not same(first, smoke(tmp_path / "c", jobs=1))


def command(folder: Path, *more: str) -> list[str]:
    return [sys.executable, "-m", "skyjo", "train", str(folder), "--smoke", "--jobs", "1", *more]


def wait_for_checkpoint(folder: Path, training: subprocess.Popen[bytes]) -> None:
    """Until the first generation is over, or the process has ended."""
    until = time.monotonic() + PATIENCE
    while not (folder / run.CHECKPOINT).exists() and training.poll() is None:
        assert time.monotonic() < until
        time.sleep(0.01)


def test_a_killed_training_goes_on(tmp_path: Path) -> None:
    """The real command, killed hard after its first checkpoint."""
    long = ["--generations", "12", "--seed", "5"]
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    done = subprocess.run(command(whole, *long), capture_output=True, text=True, check=True)
    assert "weights.npz" in done.stdout
    killed = subprocess.Popen(
        command(cut, *long), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    wait_for_checkpoint(cut, killed)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    assert (cut / run.CHECKPOINT).exists()
    subprocess.run(command(cut, *long), capture_output=True, check=True)
    one, two = (from_bytes((folder / "weights.npz").read_bytes()) for folder in (whole, cut))
    assert all(np.array_equal(getattr(one, name), getattr(two, name)) for name in "wob")
    assert one.about["seed"] == "5"
    assert one.about["generations"] == 12
    assert (cut / "curve.svg").read_text(encoding="utf-8").startswith("<svg")
    other = subprocess.run(command(cut, "--seed", "6"), capture_output=True, text=True, check=False)
    assert other.returncode == 1
    assert "other settings" in other.stderr


def test_a_folder_is_for_one_training_at_a_time(tmp_path: Path) -> None:
    """The real command while another process trains there; it leaves everything as it is."""
    folder = tmp_path / "here"
    refused: list[subprocess.CompletedProcess[str]] = []

    def again(_training: run.Training) -> None:
        before = sorted((path.name, path.stat().st_mtime_ns) for path in folder.iterdir())
        if not refused:
            told = subprocess.run(command(folder), capture_output=True, text=True, check=False)
            refused.append(told)
        assert before == sorted((path.name, path.stat().st_mtime_ns) for path in folder.iterdir())

    run.train(run.smoke_plan("7", 1), folder, progress=again)
    assert refused[0].returncode == 1
    assert f"{os.getpid()}) trains in {folder}. Name another folder" in refused[0].stderr
    assert "Traceback" not in refused[0].stderr
    assert smoke(folder).done


def workers_of(parent: int) -> set[int]:
    """The processes that this one has started to work for it."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            started_by = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if started_by == parent and b"LokyProcess" in (folder / "cmdline").read_bytes():
                found.add(int(folder.name))
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes in /proc")
def test_workers_end_with_a_training_that_is_killed(tmp_path: Path) -> None:
    arguments = ["--jobs", "2", "--generations", "5000"]
    training = subprocess.Popen(
        command(tmp_path, *arguments), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    wait_for_checkpoint(tmp_path, training)
    workers = workers_of(training.pid)
    training.kill()
    training.wait()
    assert len(workers) == 2
    until = time.monotonic() + PATIENCE
    while any(Path(f"/proc/{worker}").exists() for worker in workers):
        assert time.monotonic() < until
        time.sleep(0.05)


def test_ctrl_c_in_a_terminal_stops_with_a_sentence(tmp_path: Path) -> None:
    """In front of the bar, which shows what has been learnt so far; compiled code stays at home."""
    child = terminal.spawn(
        tmp_path, *command(tmp_path / "cut", "--generations", "5000")[3:], HOME=os.environ["HOME"]
    )
    child.expect(r"1/5000.*rounds? a second; points: \d", timeout=PATIENCE)
    child.sendintr()
    child.expect(r"\n[^\r\n;]*Stopped; the same command goes on from here", timeout=PATIENCE)
    assert terminal.ended(child) == 130
    assert run.load_checkpoint(tmp_path / "cut", replace(run.smoke_plan("0", 1), generations=5000))


@pytest.mark.parametrize(
    "damage",
    [
        lambda _text: b"nothing of that kind",
        lambda text: text[: len(text) // 2],
        lambda text: text[:5000] + b"\x00\xff" + text[5002:],
    ],
    ids=["foreign", "cut off", "wrong bytes"],
)
def test_a_broken_checkpoint_is_told(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    path = tmp_path / run.CHECKPOINT
    run.save_checkpoint(run.begin(run.smoke_plan("7", 1)), tmp_path)
    text = path.read_bytes()
    assert damage(text) != text
    path.write_bytes(damage(text))
    with pytest.raises(SkyjoError, match="no checkpoint"):
        smoke(tmp_path)


def test_a_checkpoint_that_finds_no_room_is_told_and_the_one_before_stays(tmp_path: Path) -> None:
    """A small limit for files stands for a full disk."""
    training = run.begin(run.smoke_plan("7", 1))
    run.save_checkpoint(training, tmp_path)
    before = (tmp_path / run.CHECKPOINT).read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limits[1]))
    try:
        with pytest.raises(OSError, match="checkpoint"):
            run.save_checkpoint(training, tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert [path.name for path in tmp_path.iterdir()] == [run.CHECKPOINT]
    assert (tmp_path / run.CHECKPOINT).read_bytes() == before


def test_a_checkpoint_of_other_settings_is_told(tmp_path: Path) -> None:
    """Also that of another network, though it calls itself the same."""
    plan = run.smoke_plan("7", 1)
    for begun in (replace(plan, rounds=41), plan):
        training = run.begin(begun)
        if begun == plan:
            wider = random_weights(24, 1)
            training = replace(training, weights=wider, mean=training.mean)
            training.weights = replace(wider, o=training.mean.o)
        run.save_checkpoint(training, tmp_path)
        with pytest.raises(SkyjoError, match="other settings"):
            run.train(plan, tmp_path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--start", "main", "--against", "main"], "do not go together"),
        (["--start", "main", "--width", "64"], "leave --width out"),
        (["--start", "nothing"], "cannot read the weights nothing"),
        (["--width", "20"], "multiple of 8"),
    ],
)
def test_what_cannot_be_trained_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["train", str(tmp_path / "new"), "--smoke", "--lang", "en", *options])
    assert ended.value.code in {1, 2}
    assert message in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_what_comes_out_plays(tmp_path: Path) -> None:
    training = smoke(tmp_path)
    path = tmp_path / "weights.npz"
    run.save_result(training, path)
    rounds = sim.play_many_rounds(
        [points_bot("trained", str(path), exact=False)] * 3, 20, seed=1, compiled=True, jobs=1
    )
    assert not rounds.limited.any()
    assert json.loads(json.dumps(training.result().about))["width"] == 16


def test_one_that_learns_only_to_beat_another(tmp_path: Path) -> None:
    path = tmp_path / "weights.npz"
    run.save_result(smoke(tmp_path / "first"), path)
    plan = run.plan_against(run.smoke_plan("3", 1), str(path))
    training = run.train(plan, tmp_path / "second")
    assert training.done
    task = run.tasks_of(training)[0]
    assert [(course.seats, course.share) for course in task.courses] == [(2, 1000)]
    # One seat learns: about half as many samples as when both do.
    both = learn_task(
        replace(task, rival=None, settings=run.Plan(pool=0).settings_of(0), end=20, first=0)
    )
    one = learn_task(replace(task, end=20, first=0))
    assert 0.3 < one.sums[loop.LEARNT] / both.sums[loop.LEARNT] < 0.7


def test_watching_learns_nothing_and_tells_what_came_out() -> None:
    weights = random_weights(16, 4)
    before = weights.w.copy()
    expected, actual = watch(weights, first_courses()[0], 6, 9)
    assert np.array_equal(weights.w, before)
    assert expected.shape == actual.shape
    assert expected.shape[0] > 6 * 20
    assert np.isfinite(expected).all()
    # What came out is the same in all positions of a seat in a round, but the turns left.
    assert len({tuple(line) for line in actual[:, :TURNS_LEFT].tolist()}) <= 12
    assert np.array_equal(actual[:, OWN_POINTS] % 1, np.zeros(len(actual)))
    again, _actual = watch(weights, first_courses()[0], 6, 9)
    assert np.array_equal(expected, again)


def test_training_plays_all_sizes_and_presets() -> None:
    courses = all_courses()
    assert {course.seats for course in courses} == set(range(2, 9))
    assert len({course.ruleset for course in courses}) > 12
    assert sum(course.share for course in courses) == 1000
