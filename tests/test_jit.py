"""The compiled rules are the interpreted ones; their cache never lies and is never made twice."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba.core import event
from tests.conftest import ROOT
from tests.kit.compiled import APPLY, DEAL, RESHUFFLE, Compiled, interpreted_look
from tests.kit.rulesets import random_ruleset

from skyjo import jit
from skyjo.rules.actions import DRAW, LEAVE
from skyjo.rules.deal import DECK, deal, needs_reshuffle, reshuffle, reshuffled_cards
from skyjo.rules.layout import GAME_OVER, NOBODY, ROUND_OVER, State, View
from skyjo.rules.legality import legal_actions
from skyjo.rules.ruleset import FARTHEST_TOTAL, LARGEST, PRESETS, Ruleset
from skyjo.rules.scoring import add_points
from skyjo.rules.turns import apply
from skyjo.sim.loop import ROW_FIELDS
from skyjo.sim.results import TYPES


class Pair:
    """The same game twice; every step is compared field by field."""

    def __init__(self, seats: int, ruleset: Ruleset, rng: random.Random) -> None:
        self.state = State(seats, ruleset)
        self.state.phase = ROUND_OVER
        self.compiled = Compiled(self.state)
        self.rng = rng
        self.plies = 0
        self.reshuffles = 0

    def compare(self) -> None:
        assert self.compiled.values() == self.state.values()
        for seat in (NOBODY, self.rng.randrange(self.state.seats)):
            assert self.compiled.look(seat) == interpreted_look(self.state, seat)

    def shuffled(self, cards: list[int]) -> list[int]:
        self.rng.shuffle(cards)
        return cards

    def deal(self) -> None:
        deck = self.shuffled(list(DECK))
        deal(self.state, deck)
        self.compiled.act(DEAL, cards=deck)
        self.compare()

    def play(self, seat: int, action: int) -> None:
        if action == DRAW and needs_reshuffle(self.state):
            order = self.shuffled(self.state.discard_pile[: reshuffled_cards(self.state)])
            reshuffle(self.state, order)
            self.compiled.act(RESHUFFLE, cards=order)
            self.reshuffles += 1
            self.compare()
        apply(self.state, seat, action)
        self.compiled.act(APPLY, seat, action)
        self.plies += 1
        self.compare()

    def choose(self, drawing: float, leaving: float) -> tuple[int, int]:
        """Any action of any seat that may act; sometimes somebody leaves."""
        out = [0] * 16
        here = [seat for seat in range(self.state.seats) if not self.state.left[seat]]
        if self.rng.random() < leaving:
            return self.rng.choice(here), LEAVE
        able = [seat for seat in here if legal_actions(self.state, seat, out)]
        seat = self.rng.choice(able)
        actions = out[: legal_actions(self.state, seat, out)]
        if DRAW in actions and self.rng.random() < drawing:
            return seat, DRAW
        return seat, self.rng.choice(actions)

    def play_game(self, plies: int, drawing: float = 0.0, leaving: float = 0.0) -> None:
        while self.state.phase != GAME_OVER and self.plies < plies:
            if self.state.phase == ROUND_OVER:
                self.deal()
            self.play(*self.choose(drawing, leaving))


@pytest.mark.parametrize("seats", range(2, 9))
@pytest.mark.parametrize("preset", PRESETS)
def test_equal_after_every_ply(preset: str, seats: int) -> None:
    pair = Pair(seats, Ruleset.preset(preset, {"target": 200}), random.Random(f"{preset} {seats}"))
    pair.play_game(plies=300)
    assert pair.plies == 300 or pair.state.phase == GAME_OVER


@pytest.mark.parametrize("seed", range(40))
def test_equal_under_any_house_rules_with_leavers(seed: int) -> None:
    rng = random.Random(seed)
    base, overrides = random_ruleset(rng)
    pair = Pair(rng.randint(2, 8), Ruleset.preset(base, overrides), rng)
    pair.play_game(plies=250, drawing=rng.random(), leaving=rng.choice((0.0, 0.01)))


@pytest.mark.parametrize("empty_draw", ["reshuffle_keep_top", "reshuffle_all_flip_top"])
@pytest.mark.parametrize("preset", ["official", "family-facedown"])
def test_equal_through_reshuffles(preset: str, empty_draw: str) -> None:
    rng = random.Random(5)
    pair = Pair(8, Ruleset.preset(preset, {"empty_draw": empty_draw}), rng)
    pair.play_game(plies=900, drawing=1.0)
    assert pair.reshuffles > 0


def punish(states: Sequence[State], times: int) -> None:
    s = states[0]
    for _ in range(times):
        s.final[0] = -17
        add_points(s, 0, True)


def test_equal_after_more_penalties_on_the_total_than_64_bits_hold() -> None:
    rules = Ruleset.parse("family penalty_scope=total penalty_multiplier=10")
    plain, record = [State(2, rules)], jit.to_record(State(2, rules))
    punish(plain, 40)
    jit.compiled(punish, record, 40)(record, 40)
    assert record["totals"][0, 0] == plain[0].totals[0] == -FARTHEST_TOTAL


def test_a_wrong_index_is_found() -> None:
    """The tests compile with bounds checking; without it this would read foreign memory."""
    compiled = Compiled(State(2, Ruleset()))
    with pytest.raises(IndexError):
        compiled.act(APPLY, seat=90, action=16)


def test_records_hold_what_states_and_views_hold() -> None:
    state = State(5, Ruleset.preset("family", {"target": 1_000_000}))
    state.totals[3] = -(10**12)
    found = jit.from_record(jit.to_record(state))
    assert isinstance(found, State)
    assert (found.values(), found.rules) == (state.values(), state.rules)
    assert isinstance(jit.from_record(jit.to_record(View(Ruleset()))), View)
    state.cells[0] = 200
    with pytest.raises((OverflowError, ValueError)):
        jit.to_record(state)


# --- Rebuilding -----------------------------------------------------------------------------------


def double(number: int) -> int:
    return 2 * number


def half(number: int) -> int:
    return number // 2


def outer(number: int) -> int:
    return double(number) + 1


def test_other_functions_can_take_a_place() -> None:
    assert jit.rebuilt(outer, {double: half})(10) == 6
    assert jit.compiled(outer, 1, instead={double: half})(10) == 6
    assert jit.compiled(outer, 1)(10) == outer(10) == 21


def test_the_original_is_left_alone() -> None:
    before = dict(apply.__globals__)
    jit.rebuilt(apply, {})
    assert apply.__globals__ == before


# --- The cache ------------------------------------------------------------------------------------

INNER = "FACTOR = {factor}\ndef inner(number):\n    return number * FACTOR\n"
OUTER = "from inner import inner\ndef outer(number):\n    return inner(number) + 1\n"
CALL = """
import sys
sys.path.insert(0, {folder!r})
from outer import outer
from skyjo import jit
print(jit.compiled(outer, 1)(10))
"""


class Sandbox:
    """Two small modules and a cache of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment: dict[str, Any] = {
            **os.environ,
            "SKYJO_KERNEL_CACHE": str(folder / "cache"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": str(ROOT / "src"),
        }
        (folder / "outer.py").write_text(OUTER)

    def start(self, factor: int = 3) -> subprocess.Popen[str]:
        (self.folder / "inner.py").write_text(INNER.format(factor=factor))
        return subprocess.Popen(
            [sys.executable, "-c", CALL.format(folder=str(self.folder))],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, factor: int = 3) -> tuple[str, str]:
        process = self.start(factor)
        out, err = process.communicate()
        assert process.returncode == 0, err
        return out.strip(), err

    def code(self) -> list[Path]:
        return sorted((self.folder / "cache").rglob("*.nbc"))


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    return Sandbox(tmp_path)


class Interrupting(event.Listener):
    """Presses Ctrl-C so many times when the first function is being compiled."""

    def __init__(self, times: int) -> None:
        self.times = times

    def on_start(self, event: event.Event) -> None:
        while self.times:
            self.times -= 1
            os.kill(os.getpid(), signal.SIGINT)

    def on_end(self, event: event.Event) -> None:
        pass


@pytest.mark.parametrize("times", [1, 2])
def test_an_interrupt_is_not_lost_among_the_compiler(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, times: int
) -> None:
    """It ends the compiling between two functions; a second one at once. Nothing is left torn."""
    monkeypatch.setenv("SKYJO_KERNEL_CACHE", str(tmp_path))

    def number_of_times(number: int) -> int:
        return number + times

    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    listener = Interrupting(times)
    with event.install_listener("numba:compile", listener), pytest.raises(KeyboardInterrupt):
        jit.compiled(outer, 1, instead={double: number_of_times})
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert not list(tmp_path.rglob("*.nbc"))
    assert jit.compiled(outer, 1, instead={double: number_of_times})(10) == 11 + times


def test_an_edit_in_another_file_is_noticed(sandbox: Sandbox) -> None:
    assert sandbox.run(factor=3)[0] == "31"
    assert sandbox.run(factor=4)[0] == "41"
    assert len(sandbox.code()) == 2


def test_the_second_start_compiles_nothing_and_says_nothing(sandbox: Sandbox) -> None:
    assert "Compiling" in sandbox.run()[1]
    before = [path.stat().st_mtime_ns for path in sandbox.code()]
    assert sandbox.run() == ("31", "")
    assert [path.stat().st_mtime_ns for path in sandbox.code()] == before


def test_workers_that_start_together_compile_once(sandbox: Sandbox) -> None:
    processes = [sandbox.start() for _ in range(3)]
    told = [process.communicate() for process in processes]
    assert [out.strip() for out, _err in told] == ["31"] * 3
    assert sum("Compiling" in err for _out, err in told) == 1
    assert len(sandbox.code()) == 1


def test_bounds_checks_have_a_cache_of_their_own(sandbox: Sandbox) -> None:
    for value in ("1", "0"):
        sandbox.environment["NUMBA_BOUNDSCHECK"] = value
        sandbox.run()
    assert len(sandbox.code()) == 2


def test_a_damaged_cache_is_made_again(sandbox: Sandbox) -> None:
    sandbox.run()
    sandbox.code()[0].unlink()
    assert sandbox.run()[0] == "31"


def test_old_code_is_forgotten(sandbox: Sandbox) -> None:
    sandbox.run(factor=3)
    folder = sandbox.code()[0].parent
    while folder.parent.name != "cache":
        folder = folder.parent
    os.utime(folder, (0, 0))
    sandbox.run(factor=4)
    assert not folder.exists()


def test_without_numba_a_sentence_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "numba.py").write_text("raise ModuleNotFoundError(name='numba')")
    call = (
        "from skyjo import jit\nfrom skyjo.rules.turns import take\n"
        "try: jit.compiled(take)\nexcept Exception as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", call],
        env={**os.environ, "PYTHONPATH": f"{tmp_path}:{ROOT / 'src'}"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "pip install '.[sim]'" in done.stdout


def test_importing_jit_loads_neither_numpy_nor_numba() -> None:
    call = "import skyjo.jit, sys; print({'numba', 'numpy'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", call], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.strip() == "set()"


def test_fields_are_as_wide_as_their_kind() -> None:
    fields = jit.state_dtype().fields
    assert fields is not None
    assert fields["cells"][0].base == np.int8
    assert fields["turns"][0].base == np.int32
    assert fields["totals"][0].base == np.int64


def test_turns_and_rounds_fit_as_far_as_a_ruleset_lets_them_run() -> None:
    """``turn_limit`` and ``max_rounds`` go up to LARGEST; two bytes would begin below 0 again."""
    state = State(2, Ruleset(turn_limit=LARGEST, max_rounds=LARGEST))
    state.turns[1] = state.reshuffles = state.round = LARGEST
    assert jit.from_record(jit.to_record(state)).values() == state.values()
    row = np.zeros(1, jit.record_dtype(ROW_FIELDS, small=True))
    for name in ("turns", "reshuffles", "round"):
        row[name] = LARGEST
        assert row[name].astype(TYPES[name]).min() == LARGEST
