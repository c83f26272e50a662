"""How software of this kind has failed at the rules; one test per line of that list, by number."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest
from tests.kit import kernel
from tests.kit.answers import HIDDEN_A, HIDDEN_B, A, B, C, check, last_turn

from skyjo.bots import make
from skyjo.chance import SeededChance
from skyjo.errors import IllegalActionError
from skyjo.game import Game
from skyjo.rules import layout
from skyjo.rules.actions import action_name
from skyjo.rules.deal import DECK
from skyjo.rules.ruleset import Ruleset

CLOSED = "3 1 0 2 / 0 2 1 -1 / 1 0 3 0"
CHOICE = {"base": "official", "column_removal": "player_choice"}


def cards_of(game: Game) -> Counter[int]:
    """Every card wherever it lies."""
    s = game.state
    cells = [card for card in s.cells[: 12 * s.seats] if card != layout.REMOVED]
    cards = [card - layout.HIDDEN if card > layout.HIGHEST else card for card in cells]
    cards += s.draw_pile[: s.draw_size] + s.discard_pile[: s.discard_size]
    return Counter(cards + ([] if s.hand == layout.NO_CARD else [s.hand]))


@pytest.mark.parametrize("columns", [(0, 1), (0, 3), (1, 2), (2, 3), (0, 1, 2, 3)])
def test_failure_01_all_columns_of_one_final_reveal_go(columns: tuple[int, ...]) -> None:
    cells = [[1, 2, 3, 4], [2, 3, 4, 5], [3, 4, 5, 6]]
    for column in columns:
        for row in cells:
            row[column] = 7 + column
    grid = " / ".join(" ".join(f"?{value}" for value in row) for row in cells)
    left = sum(sum(row) for row in cells) - sum(3 * (7 + column) for column in columns)
    moves = ["B draw", "B discard", "B flip r0c0"]
    start = {"turn": "B", "finisher": "A", "pending": ["B"]}
    expect = {"removed": [f"B c{column}" for column in columns], "raw": {"A": 12, "B": left}}
    check("official", {"A": CLOSED, "B": grid}, moves, expect, **start)


def test_failure_02_turning_a_visible_card_is_refused_and_passes_no_turn() -> None:
    moves = ["A draw", "A discard", "A flip r0c0 => ILLEGAL already_face_up", "A flip r0c1"]
    check("official", {"A": A, "B": B}, moves, {"turn": "B"})
    start: dict[str, Any] = {"phase": "reveal", "turn": None}
    moves = ["A reveal r0c0", "A reveal r0c0 => ILLEGAL already_face_up"]
    check("official", {"A": HIDDEN_A, "B": HIDDEN_B}, moves, {"phase": "reveal"}, **start)


def test_failure_03_the_finisher_starts_the_next_round_whatever_is_turned() -> None:
    game = Game(["Ana", "Ben"], Ruleset.parse("official target=10000"))
    chance, rng = SeededChance(4), Random(4)
    starters, expected = [], []
    for number in range(1, 8):
        game.deal(chance.deck(number))
        while game.state.phase != layout.ROUND_OVER:
            seat = game.turn if game.turn is not None else rng.randrange(2)
            actions = game.legal_actions(seat)
            if not actions:
                continue
            action = rng.choice(actions)
            if game.needs_reshuffle and action_name(action) == "draw":
                game.reshuffle(game.cards_to_reshuffle)
            game.play(action, seat)
        starters.append(game.rounds[-1].starter)
        expected.append(game.rounds[-1].finisher)
    assert starters[1:] == expected[:-1]
    assert len(set(starters)) == 2


def test_failure_04_no_penalty_on_zero_or_less() -> None:
    for points in (0, -1, -5):
        for flat in (0, 10):
            rules = {"base": "official", "penalty_flat": flat}
            final = {"A": points, "B": -6}
            last_turn(rules, final, {"final": final})


def test_failure_05_no_value_is_missing_from_the_deck_or_has_a_wrong_count() -> None:
    assert Counter(DECK) == {-2: 5, -1: 10, 0: 15} | dict.fromkeys(range(1, 13), 10)
    assert Counter(SeededChance(1).deck(1)) == Counter(DECK)


@pytest.mark.parametrize("seats", range(2, 9))
def test_failure_06_every_seat_but_the_finishers_has_a_last_turn(seats: int) -> None:
    names = "ABCDEFGH"[:seats]
    for finisher in names:
        grids = dict.fromkeys(names, B)
        grids[finisher] = "3 1 4 0 / 5 2 6 1 / 8 0 7 ?2"
        at = names.index(finisher)
        others = names[at + 1 :] + names[:at]
        moves = [f"{finisher} {move}" for move in ("draw", "discard", "flip r2c3")]
        moves += [f"{name} {move}" for name in others for move in ("take", "swap r0c0")]
        expect: dict[str, Any] = {"turn": others[-1], "pending": [others[-1]]}
        check("official", grids, moves[:-2], expect, turn=finisher)
        expect = {"phase": "round_over", "finisher": finisher, "turns_played": seats}
        check("official", grids, moves, expect, turn=finisher)


def test_failure_07_a_second_one_without_hidden_cards_is_no_finisher() -> None:
    nearly = "3 1 4 0 / 5 2 6 1 / 8 0 7 ?2"
    grids = {"A": nearly, "B": nearly, "C": nearly}
    moves = [f"{seat} {move}" for seat in "ABC" for move in ("take", "swap r2c3")]
    expect = {"finisher": "A", "phase": "round_over", "next_starter": "A"}
    check("official", grids, moves, expect)


def test_failure_08_a_column_is_found_after_others_have_gone() -> None:
    grid = "x 4 7 ?8 / x 4 7 ?9 / x ?4 ?7 ?1"
    moves = ["A draw", "A swap r2c1", "B take", "B swap r0c0", "A draw", "A swap r2c2"]
    expect = {
        "removed": ["A c1", "A c2"],
        "grids": {"A": "x x x ?8 / x x x ?9 / x x x ?1", "B": B.replace("1", "4", 1)},
        "discard": [6, 4, 4, 4, 1, 7, 7, 7, 7],
    }
    check("official", {"A": grid, "B": B}, moves, expect, draw=[4, 7])


def test_failure_09_a_tie_is_doubled_and_nobody_ties_with_themselves() -> None:
    last_turn("official", {"A": 10, "B": 10}, {"final": {"A": 20, "B": 10}})
    last_turn("official", {"A": 10, "B": 11}, {"final": {"A": 10, "B": 11}})
    points = {"A": 11, "B": 10, "C": 12}
    last_turn("official", points, {"final": points}, finisher="B")


def test_failure_10_somebody_starts_when_all_opening_sums_are_negative() -> None:
    low = "?-2 ?-2 ?3 ?1 / ?6 ?7 ?0 ?4 / ?6 ?2 ?9 ?8"
    for better, starter in (("?-2 ?-1", "B"), ("?-2 ?-2", "A")):
        other = f"{better} ?3 ?1 / ?6 ?7 ?0 ?4 / ?6 ?2 ?9 ?8"
        moves = [f"{seat} reveal {slot}" for seat in "ABC" for slot in ("r0c0", "r0c1")]
        grids = {"A": low, "B": other, "C": low}
        check("official", grids, moves, {"turn": starter}, phase="reveal", turn=None)


def test_failure_11_a_total_of_zero_wins() -> None:
    expect = {"phase": "game_over", "winners": ["A"], "totals": {"A": 0, "B": 3, "C": 105}}
    totals = {"A": -5, "B": -4, "C": 95}
    last_turn("official", {"A": 5, "B": 7, "C": 10}, expect, totals=totals)
    game = Game(["Ana", "Ben"])
    game.state.totals[:2] = [0, 1]
    assert game.score_sheet.leaders == (0,)


def test_failure_12_the_draw_pile_runs_out_and_the_top_discard_stays() -> None:
    start = {"discard": [4, 7, 9, 2], "draw": [], "reshuffle_to": [7, 9, 4]}
    moves = ["A draw", "A discard", "A flip r0c1", "B draw", "B swap r0c0"]
    expect = {"discard": [2, 7, 1], "draw_left": 1}
    check("official", {"A": A, "B": B}, moves, expect, **start)
    # The order is the one that was handed in, not the pile's.
    rules = Ruleset.preset("official")
    state = kernel.state_from(
        rules, {"players": ["A", "B"], "grids": {"A": A, "B": B}, "turn": "A"} | start
    )
    game = Game.from_state(["A", "B"], state)
    game.reshuffle([7, 9, 4])
    assert state.draw_size == 0
    assert game.state.draw_pile[:3][::-1] == [7, 9, 4]


def test_failure_12_who_had_the_pile_made_anew_has_chosen_to_draw() -> None:
    start = {"discard": [4, 7, 9, 2], "draw": []}
    grids = {"players": ["A", "B", "C"], "grids": {"A": A, "B": B, "C": B}, "turn": "A"}
    game = Game.from_state("ABC", kernel.state_from(Ruleset(), grids | start))
    assert game.refusal("take") == ""
    game.reshuffle([7, 9, 4])
    assert game.refusal("take") == "already_holding"
    with pytest.raises(IllegalActionError, match="chosen already"):
        game.play("take")
    # Somebody else may leave in between; the draw stays due, also in a copy.
    game.play("leave", seat=2)
    for each in (game.copy(), game):
        assert [action_name(action) for action in each.legal_actions()] == ["draw"]
        assert each.legal_actions(1) == []
        assert each.play("draw").card == 7
        assert not each.draw_is_due
        assert "discard" in [action_name(action) for action in each.legal_actions()]


def test_failure_12_the_next_seat_is_free_when_the_one_who_had_it_made_leaves() -> None:
    start = {"discard": [4, 7, 9, 2], "draw": []}
    grids = {"players": ["A", "B", "C"], "grids": {"A": A, "B": B, "C": B}, "turn": "A"}
    game = Game.from_state("ABC", kernel.state_from(Ruleset(), grids | start))
    game.reshuffle([7, 9, 4])
    game.play("leave")
    assert [action_name(action) for action in game.legal_actions()] == ["take", "draw"]
    assert game.play("take").card == 2


def test_failure_13_a_column_lands_on_top_of_the_swapped_card_with_its_values() -> None:
    grid = "9 ?3 8 ?0 / 9 ?2 ?6 ?4 / -1 ?1 ?7 ?12"
    expect = {"discard": [6, -1, 9, 9, 9], "removed": ["A c0"]}
    check("official", {"A": grid, "B": B}, ["A draw", "A swap r2c0"], expect, draw=[9])


@pytest.mark.parametrize("text", ["official", "family", "official column_removal=player_choice"])
def test_failure_14_150_cards_after_every_discard_and_flip(text: str) -> None:
    game = Game(["Ana", "Ben", "Cem"], Ruleset.parse(text))
    game.deal(SeededChance(9).deck(1))
    rng = Random(9)
    flips = 0
    while game.state.phase not in (layout.ROUND_OVER, layout.GAME_OVER):
        seat = game.turn if game.turn is not None else rng.randrange(3)
        if actions := game.legal_actions(seat):
            action = actions[0] if action_name(actions[0]) == "discard" else rng.choice(actions)
            if game.needs_reshuffle and action_name(action) == "draw":
                game.reshuffle(game.cards_to_reshuffle)
            flips += action_name(action).startswith("flip")
            game.play(action, seat)
            assert cards_of(game) == Counter(DECK)
    assert flips > 3


def test_failure_15_a_turn_limit_ends_a_round_of_endless_swapping() -> None:
    rules = {"base": "official", "turn_limit": 200}
    open_slots = {"A": "r0c0", "B": "r1c1", "C": "r0c1"}
    moves = [
        f"{seat} {move}"
        for _ in range(200)
        for seat, slot in open_slots.items()
        for move in ("take", f"swap {slot}")
    ]
    grids = {"A": A, "B": B, "C": C}
    expect: dict[str, Any] = {"phase": "turn", "turn": "C"}
    check(rules, grids, moves[:-2], expect)
    expect = {"phase": "round_over", "finisher": None, "turns_played": 600, "next_starter": "B"}
    check(rules, grids, moves, expect)


@pytest.mark.parametrize(
    ("value", "answer"), [(12, "remove c0"), (5, "remove c0"), (-1, "pass"), (-2, "pass")]
)
def test_failure_16_bots_keep_negative_columns_and_let_the_others_go(
    value: int, answer: str
) -> None:
    """Where columns go by themselves no bot is asked; where the owner chooses, it chooses well."""
    grid = f"{value} ?3 8 ?0 / {value} ?2 ?6 ?4 / {value} ?1 ?7 ?12"
    state = kernel.state_from(
        Ruleset.preset("official", {"column_removal": "player_choice"}),
        {"players": ["A", "B"], "grids": {"A": grid, "B": B}, "turn": "A", "discard": [5]},
    )
    game = Game.from_state(["A", "B"], state)
    game.play("take")
    game.play("swap r0c1")
    action = make("greedy").decide(game.view(0), 1, game.plies)
    assert action_name(action) == answer
    with pytest.raises(IllegalActionError):
        game.play("remove c1")
