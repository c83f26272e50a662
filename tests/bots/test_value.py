"""The value network: three ways to run the same kernels, and a slow check of what they compute."""

from __future__ import annotations

import gc
import io
import os
import random
import re
import weakref
import zipfile
from collections.abc import Iterator
from itertools import combinations_with_replacement, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.kit.rulesets import random_ruleset

from skyjo import jit, sim
from skyjo.bots.value import deep, evaluation, inputs, look, numpy_look, points_bot
from skyjo.bots.value.imagine import imagine
from skyjo.bots.value.kernel import points_utility, value_action
from skyjo.bots.value.layout import (
    ACTION_AT,
    COLUMN_KINDS,
    DEEPER_AT,
    FOUND_AT,
    HEADS,
    HIDDEN_AT,
    HIDDEN_SYMBOL,
    MERIT,
    MERIT_AT,
    NOTES,
    REPLY_AT,
    SHALLOW_AT,
    WANTED_AT,
    Array,
)
from skyjo.bots.value.weights import (
    Net,
    Weights,
    as_bytes,
    from_bytes,
    load,
    net_of,
    numbers,
    numbers_of,
    random_weights,
)
from skyjo.bots.value.winning import game_won
from skyjo.errors import SkyjoError
from skyjo.rules.actions import ACTIONS, DISCARD, DRAW, FLIP_FROM, REVEAL_FROM, SWAP_FROM
from skyjo.rules.layout import (
    CHOOSE,
    HIDDEN,
    HIGHEST,
    LOWEST,
    MAY_REMOVE,
    REMOVED,
    REVEAL,
    ROUND_OVER,
    SLOTS,
    UNKNOWN,
    VALUES,
    State,
    View,
)
from skyjo.rules.legality import legal_actions
from skyjo.rules.ruleset import PRESETS, Ruleset
from skyjo.rules.turns import apply
from skyjo.rules.view import fill_view
from skyjo.sim.dealer import Dealer, before_draw, deal_round
from skyjo.sim.loop import acting_seat, begin_game
from skyjo.train.loop import rows_after

SMALL = random_weights(16, 5)
NEVER = -1e8


def views(seed: int, rounds: int = 3) -> Iterator[View]:
    """What seats see when it is their turn, in random rounds under any rules."""
    rng = random.Random(seed)
    for number in range(rounds):
        ruleset = Ruleset.preset(*random_ruleset(rng)) if number else Ruleset()
        state, dealer = State(rng.choice((2, 2, 3, 5, 8)), ruleset), Dealer()
        begin_game(state)
        deal_round(state, dealer, seed, number)
        out = [0] * 16
        while state.phase < ROUND_OVER and max(state.turns) < 14:
            seat = acting_seat(state)
            view = View(ruleset)
            fill_view(state, seat, view)
            if state.phase != REVEAL:
                yield view
            action = out[rng.randrange(legal_actions(state, seat, out))]
            if action == 1:
                before_draw(state, dealer)
            apply(state, seat, action)


def prepared() -> Net:
    return net_of(SMALL)


def choose(view: View, net: Net, exact: bool, *, with_numpy: bool) -> int:
    points_utility(view, net.n)
    if with_numpy:
        return numpy_look.choose(view, 0, net, exact=exact)
    return look.choose_action(view, 0, exact, *net.parts())


def test_every_multiset_of_a_column_has_its_number() -> None:
    found = {
        inputs.kind(a | b << 4 | c << 8) for a, b, c in combinations_with_replacement(range(16), 3)
    }
    assert found == set(range(COLUMN_KINDS - 1))
    assert inputs.kind(inputs.GONE) == COLUMN_KINDS - 1
    for order in ((1, 7, 15), (15, 7, 1), (7, 15, 1), (7, 1, 15)):
        a, b, c = order
        assert inputs.kind(a | b << 4 | c << 8) == inputs.kind(1 | 7 << 4 | 15 << 8)


def test_it_opens_in_two_columns() -> None:
    state, dealer = State(2, Ruleset()), Dealer()
    begin_game(state)
    deal_round(state, dealer, 1, 1)
    view = View(state.rules)
    found = set()
    for chance in range(60):
        fill_view(state, 0, view)
        first = look.opening_action(view, chance) - REVEAL_FROM
        view.cells[first], view.hidden[0] = 3, 11
        second = look.opening_action(view, 7 * chance) - REVEAL_FROM
        found.add(first)
        assert second % 4 != first % 4
        assert 0 <= second < SLOTS
    assert found == set(range(SLOTS))


def test_numpy_and_plain_kernels_agree() -> None:
    for number, view in enumerate(views(1)):
        if number % 7:
            continue
        plain, quick = prepared(), prepared()
        exact = number % 2 == 0
        found = choose(view, plain, exact, with_numpy=False)
        other = choose(view, quick, exact, with_numpy=True)
        assert np.allclose(
            plain.n[ACTION_AT:REPLY_AT], quick.n[ACTION_AT:REPLY_AT], rtol=1e-3, atol=1e-4
        )
        if found != other:
            assert abs(plain.n[ACTION_AT + found] - plain.n[ACTION_AT + other]) < 1e-3


def test_compiled_and_interpreted_kernels_agree() -> None:
    rows = [numbers_of(SMALL, exact=True, deep=deep) for deep in (False, True)]
    looked_on = 0
    kernel: Any = None
    for number, view in enumerate(views(2, rounds=2)):
        if number % 9:
            continue
        record, numbers = jit.to_record(view), rows[number % 2]
        if kernel is None:
            kernel = jit.compiled(on_first, record, 0, numbers)
        mine, theirs = numbers.copy(), numbers.copy()
        found, other = value_action(view, 0, mine), kernel(record, 0, theirs)
        values = [row[len(row) - NOTES + ACTION_AT :][:ACTIONS] for row in (mine, theirs)]
        assert np.allclose(values[0], values[1], rtol=1e-3, atol=1e-4)
        assert found == other or abs(values[0][found] - values[0][other]) < 1e-3
        looked_on += number % 2 and len(looked_at_again(view, mine[len(mine) - NOTES :]))
    assert looked_on > 3


def looked_at_again(view: View, n: Array) -> list[int]:
    """The actions that were looked at two turns ahead."""
    if not deep.may_look_on(view):
        return []
    return [action for action in range(ACTIONS) if n[DEEPER_AT + action] > NEVER]


def positions(
    seed: int, rounds: int, seats: tuple[int, ...] = (2, 3, 8)
) -> Iterator[tuple[State, View]]:
    """States of long random rounds, and what the seat on turn sees."""
    rng = random.Random(seed)
    for number in range(rounds):
        ruleset = Ruleset.preset(*random_ruleset(rng)) if number else Ruleset()
        state, dealer = State(rng.choice(seats), ruleset), Dealer()
        begin_game(state)
        deal_round(state, dealer, seed, number)
        out = [0] * 16
        while state.phase < ROUND_OVER and max(state.turns) < 60:
            seat = acting_seat(state)
            if state.phase != REVEAL:
                view = View(ruleset)
                fill_view(state, seat, view)
                yield state, view
            action = out[rng.randrange(legal_actions(state, seat, out))]
            if action == DRAW:
                before_draw(state, dealer)
            apply(state, seat, action)


def test_an_imagined_state_looks_like_the_view() -> None:
    reshuffled = 0
    for _state, view in positions(9, rounds=40):
        imagined, again = State(2, view.rules), View(view.rules)
        cells = [cell for cell in range(view.seats * SLOTS) if view.cells[cell] == UNKNOWN]
        cards = [value + LOWEST for value in range(VALUES) if view.may_be_hidden[value]]
        for cell in cells[:1]:
            imagine(imagined, view, cell, cards[-1])
            assert imagined.cells[cell] == cards[-1] + HIDDEN
            fill_view(imagined, view.seat, again)
            assert again.values() == view.values()
        imagine(imagined, view, -1, 0)
        fill_view(imagined, view.seat, again)
        assert again.values() == view.values()
        reshuffled += view.reshuffles > 0
    assert reshuffled


def turned_up(state: State, cell: int, card: int) -> State:
    """The state with another card face down in a cell, exchanged for one nobody has seen."""
    other = state.copy()
    old = other.cells[cell]
    for place in range(other.seats * SLOTS):
        if other.cells[place] == card + HIDDEN:
            other.cells[place], other.cells[cell] = old, card + HIDDEN
            return other
    place = other.draw_pile[: other.draw_size].index(card)
    other.draw_pile[place], other.cells[cell] = old - HIDDEN, card + HIDDEN
    return other


def reply_from_scratch(state: State, seat: int, action: int) -> Array:
    """The heads of the other seat's best answer, once the action has happened to this state."""
    state = state.copy()
    apply(state, seat, action)
    view, net = View(state.rules), prepared()
    fill_view(state, state.turn, view)
    points_utility(view, net.n)
    net.n[WANTED_AT] = 1
    look.choose_action(view, 0, False, *net.parts())
    return net.n[FOUND_AT : FOUND_AT + HEADS]


def test_answers_are_those_of_the_other_seat() -> None:
    seen = set()
    for number, (state, view) in enumerate(positions(11, rounds=1, seats=(2,))):
        if number % 6 or not deep.may_look_on(view) or view.hidden[view.seat] < 2:
            continue
        net = prepared()
        choose(view, net, False, with_numpy=True)
        deep.note_shallow(net.n)
        states, others = jit.new_states(view), jit.new_views(view)
        for action in range(SWAP_FROM, FLIP_FROM + SLOTS):
            if net.n[SHALLOW_AT + action] <= NEVER:
                continue
            assert deep.look_at_replies(view, action, states, others, *net.parts())
            cell = view.seat * SLOTS + (action - SWAP_FROM) % SLOTS
            hidden = view.cells[cell] == UNKNOWN
            expected = np.zeros(HEADS)
            if hidden:
                for value, count in enumerate(view.may_be_hidden):
                    if count:
                        other = turned_up(state, cell, value + LOWEST)
                        share = count / sum(view.may_be_hidden)
                        expected += share * reply_from_scratch(other, view.seat, action)
            else:
                expected += reply_from_scratch(state, view.seat, action)
            assert np.allclose(net.n[REPLY_AT : REPLY_AT + HEADS], expected, rtol=1e-3, atol=1e-4)
            seen.add((hidden, action >= FLIP_FROM))
    assert seen == {(True, False), (False, False), (True, True)}


def test_close_actions_are_worth_the_mean_of_both_looks() -> None:
    looked_on = 0
    for number, (_state, view) in enumerate(positions(12, rounds=1, seats=(2,))):
        if number % 5:
            continue
        net, once = prepared(), prepared()
        points_utility(view, net.n)
        action = numpy_look.choose(view, 0, net, exact=False, deep=True)
        first = choose(view, once, False, with_numpy=True)
        tried = looked_at_again(view, net.n)
        if not tried:
            assert action == first
            continue
        looked_on += 1
        assert first in tried
        assert action == max(tried, key=lambda each: float(net.n[ACTION_AT + each]))
        assert len(tried) <= deep.KEPT
        least = once.n[ACTION_AT + first] - deep.MARGIN
        assert all(once.n[ACTION_AT + each] >= least for each in tried)
    assert looked_on


def on_first(records: Any, chance: int, numbers: Array) -> int:
    """The kernel for a view in an array."""
    return value_action(records[0], chance, numbers)


def position_after(view: View, slot: int, card: int) -> View:
    """The view with a card (as symbol) in a slot of one's own; a column may go."""
    other = View(view.rules)
    for name, length, _kind in View.FIELDS:
        value = getattr(view, name)
        setattr(other, name, list(value) if length else value)
    cells = other.cells
    cells[view.seat * SLOTS + slot] = card + LOWEST
    column = slot % 4
    if inputs.goes(other, inputs.column_at(other, view.seat, column)):
        for row in range(3):
            cells[view.seat * SLOTS + row * 4 + column] = REMOVED
    return other


def worth_from_scratch(view: View, top: int, net: Net) -> float:
    """The utility of a position at the end of a turn, with nothing kept from before."""
    hidden = sum(view.cells[view.seat * SLOTS + slot] == UNKNOWN for slot in range(SLOTS))
    stage = inputs.stage_after(view, hidden)
    f = np.zeros_like(net.f)
    count = rows_after(view, stage, top, net.n, f, inputs.constant_rows(view, net.n, f))
    units = np.maximum(0, f[1, :count] @ net.w[f[0, :count].astype(int)])
    return float(net.n[MERIT_AT + stage] + units @ net.x[MERIT + stage])


def test_an_action_is_worth_the_mean_of_its_outcomes() -> None:
    seen = set()
    for number, view in enumerate(views(3, rounds=6)):
        if view.phase in {CHOOSE, MAY_REMOVE} or number % 5:
            continue
        net = prepared()
        choose(view, net, False, with_numpy=False)
        shares = net.n[HIDDEN_AT : HIDDEN_AT + VALUES]
        for action in range(SWAP_FROM, FLIP_FROM + SLOTS):
            value = float(net.n[ACTION_AT + action])
            if value < -1e8:
                continue
            slot = (action - SWAP_FROM) % SLOTS
            card = view.cells[view.seat * SLOTS + slot]
            expected = 0.0
            for laid in range(VALUES):
                share = float(shares[laid]) if card == UNKNOWN else float(laid + LOWEST == card)
                if share == 0:
                    continue
                put = view.hand - LOWEST if action < FLIP_FROM else laid
                top = laid if action < FLIP_FROM else view.discard_top - LOWEST
                after = position_after(view, slot, put)
                if after.cells[view.seat * SLOTS + slot] == REMOVED:
                    top = put
                expected += share * worth_from_scratch(after, top, net)
            assert value == pytest.approx(expected, rel=1e-3, abs=1e-4)
            seen.add(("hidden" if card > HIGHEST else "open", action >= FLIP_FROM))
    assert seen == {("hidden", False), ("open", False), ("hidden", True)}


def test_discarding_is_worth_the_best_flip() -> None:
    found = 0
    for view in views(4, rounds=2):
        net = prepared()
        choose(view, net, False, with_numpy=True)
        value = net.n[ACTION_AT + DISCARD]
        if value > -1e8 and view.hidden[view.seat] > 0:
            top = view.hand - LOWEST
            flips = [
                sum(
                    float(net.n[HIDDEN_AT + card])
                    * worth_from_scratch(
                        (after := position_after(view, slot, card)),
                        card if after.cells[view.seat * SLOTS + slot] == REMOVED else top,
                        net,
                    )
                    for card in range(VALUES)
                )
                for slot in range(SLOTS)
                if view.cells[view.seat * SLOTS + slot] == UNKNOWN
            ]
            if view.rules.flip_after_discard:
                assert value == pytest.approx(max(flips), rel=1e-3, abs=1e-4)
                found += 1
    assert found


def test_evaluations_cover_all_legal_actions(trained: str) -> None:
    out = [0] * 16
    for number, view in enumerate(views(6, rounds=4)):
        if number % 6:
            continue
        if number % 4 == 0:
            view.turns[view.seat] += look.LATE_TURN
        rated = evaluation.evaluate(view, trained)
        count = legal_actions(view, view.seat, out)
        assert sorted(each.action for each in rated) == sorted(out[:count])
        assert all(np.isfinite(each.heads).all() and len(each.heads) == HEADS for each in rated)
        assert [each.gain for each in rated] == sorted((each.gain for each in rated), reverse=True)
        assert all(0 <= each.round_won <= 1 and each.spread >= 0 for each in rated)
        assert all(0 <= each.game_won <= 1 for each in rated)


def test_who_is_far_ahead_wins_the_game() -> None:
    view = next(view for view in views(8, rounds=1) if view.seats == 2)
    heads = [20.0, 20.0, 20.0, 0.4, 8.0, 500.0, 500.0, 400.0]
    found = []
    for totals in ([0, 90], [40, 60], [50, 50], [60, 40], [90, 0]):
        view.totals[:2] = totals if view.seat == 0 else totals[::-1]
        found.append(game_won(view, heads))
    assert found == sorted(found, reverse=True)
    assert found[0] > 0.95
    assert found[2] == pytest.approx(0.5, abs=0.02)
    assert found[4] < 0.05


@pytest.fixture
def trained(tmp_path: Path) -> str:
    path = tmp_path / "small.npz"
    path.write_bytes(as_bytes(SMALL))
    return str(path)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("seats", [2, 5, 8])
def test_it_plays_everything_and_comes_to_an_end(preset: str, seats: int, trained: str) -> None:
    bot = points_bot("small", trained, exact=False)
    rounds = sim.play_many_rounds(
        [bot] * seats, 20, seed=3, ruleset=Ruleset.preset(preset), compiled=True, jobs=1
    )
    assert not rounds.limited.any()
    assert rounds.turns.max() <= look.LATE_TURN + 13


def test_it_plays_interpreted(trained: str) -> None:
    bot = points_bot("small", trained, exact=True)
    rounds = sim.play_many_rounds([bot, "greedy"], 1, seed=3, compiled=False, jobs=1)
    assert not rounds.limited.any()


def test_weights_that_come_with_the_package() -> None:
    weights = load()
    assert len(as_bytes(weights)) <= 1_000_000
    assert weights.about["seed"]


@pytest.mark.parametrize("text", [b"", b"PK", b"nothing of that kind"])
def test_a_file_that_is_something_else(text: bytes) -> None:
    with pytest.raises(SkyjoError, match="no file of weights"):
        from_bytes(text)


def test_damaged_weights_are_told(tmp_path: Path) -> None:
    """Cut off and with wrong bytes anywhere, in the archive and in what it holds."""
    text, rng = as_bytes(random_weights(8, 1)), random.Random(1)
    damaged = [text[: rng.randrange(len(text))] for _ in range(40)]
    places = [*range(0, 240, 3), *range(300, len(text), 999), *range(len(text) - 400, len(text), 5)]
    damaged += [text[:at] + bytes([text[at] ^ 0x55]) + text[at + 1 :] for at in places]
    with zipfile.ZipFile(io.BytesIO(text)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    for name, place in product(members, range(8, 118, 2)):
        written, member = io.BytesIO(), bytearray(members[name])
        member[place] = 0x7B
        with zipfile.ZipFile(written, "w") as archive:
            for each, content in (members | {name: bytes(member)}).items():
                archive.writestr(each, content)
        damaged.append(written.getvalue())
    refused = 0
    for broken in damaged:
        try:
            from_bytes(broken)
        except SkyjoError:
            refused += 1
    assert refused > 300
    path = tmp_path / "weights.npz"
    path.write_bytes(damaged[0])
    with pytest.raises(SkyjoError, match=re.escape(f"{path}: this is no file of weights, or")):
        points_bot("mine", str(path))


def test_a_file_that_was_written_anew_is_read_again(tmp_path: Path) -> None:
    """By the same process, also when it is as long and as old as the one before."""
    path = tmp_path / "weights.npz"
    path.write_bytes(as_bytes(random_weights(8, 1)))
    first, row = load(str(path)), numbers(str(path))
    assert load(str(path)) is first
    assert numbers(str(path)) is row
    old = path.stat()
    new = path.with_name("new.npz")
    new.write_bytes(as_bytes(random_weights(8, 2)))
    os.utime(new, ns=(old.st_atime_ns, old.st_mtime_ns))
    new.replace(path)
    assert not np.array_equal(load(str(path)).w, first.w)
    assert numbers(str(path)) != row
    path.write_bytes(as_bytes(random_weights(16, 3)))
    assert load(str(path)).width == 16
    assert len(numbers(str(path))) > len(row)
    path.unlink()
    with pytest.raises(SkyjoError, match="cannot read"):
        load(str(path))


def test_the_same_name_in_another_folder_is_another_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in (1, 2):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "weights.npz").write_bytes(as_bytes(random_weights(8 * number, 1)))
        monkeypatch.chdir(folder)
        assert load("weights.npz").width == 8 * number


def test_few_files_are_kept_in_memory(tmp_path: Path) -> None:
    kept = []
    for number in range(20):
        path = tmp_path / f"{number}.npz"
        path.write_bytes(as_bytes(random_weights(8, number)))
        kept.append(weakref.ref(load(str(path)).w))
        numbers(str(path))
    gc.collect()
    assert sum(each() is not None for each in kept) < 10


def test_weights_that_are_no_numbers_are_refused() -> None:
    lost = Weights(SMALL.w * np.float32(np.nan), SMALL.o, SMALL.b, {})
    with pytest.raises(SkyjoError, match="damaged"):
        from_bytes(as_bytes(lost))


def test_weights_of_another_layout_are_refused() -> None:
    other = Weights(SMALL.w[:-1], SMALL.o, SMALL.b, {})
    with pytest.raises(SkyjoError, match="another version"):
        from_bytes(as_bytes(other))
    with pytest.raises(SkyjoError, match="cannot read"):
        load("missing.npz")
    with pytest.raises(SkyjoError, match="multiple of 8"):
        random_weights(12, 1)


def test_numbers_of_half_precision_come_back() -> None:
    again = from_bytes(as_bytes(SMALL))
    assert np.allclose(again.w, SMALL.w, rtol=1e-3, atol=1e-6)
    assert HIDDEN_SYMBOL == VALUES
