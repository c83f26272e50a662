"""The rules point by point, one test or more per section, named by its number.

Every position is answered by the project and by the oracle.
"""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest
from tests import oracle
from tests.kit import kernel
from tests.kit.answers import HIDDEN_A, HIDDEN_B, HIDDEN_C, A, B, C, check, last_turn
from tests.kit.pilots import PILOTS
from tests.oracle import Table

from skyjo.chance import SeededChance
from skyjo.errors import IllegalActionError, MalformedError, SkyjoError
from skyjo.game import Game
from skyjo.rules import layout
from skyjo.rules.actions import ACTIONS, action_id, action_name, parse_action
from skyjo.rules.deal import DECK
from skyjo.rules.legality import REASONS
from skyjo.rules.plies import Ply
from skyjo.rules.ruleset import Ruleset

AB = {"A": A, "B": B}
ABC = {"A": A, "B": B, "C": C}
NEARLY = "3 1 4 0 / 5 2 6 1 / 8 0 7 ?2"


def started(players: int = 2, text: str = "official", seed: int = 1) -> Game:
    """A dealt game whose opening cards are turned."""
    game = Game([f"P{seat}" for seat in range(players)], Ruleset.parse(text))
    game.deal(SeededChance(seed).deck(1))
    for seat in range(players):
        game.play("reveal r0c0", seat)
        game.play("reveal r0c1", seat)
    return game


# --- 2.1 to 2.3 -----------------------------------------------------------------------------


def test_rules_2_1_the_deck_has_150_cards() -> None:
    counts = Counter(DECK)
    assert counts == {-2: 5, -1: 10, 0: 15, **dict.fromkeys(range(1, 13), 10)}
    assert (len(DECK), sum(DECK)) == (150, 760)


@pytest.mark.parametrize("players", range(12))
def test_rules_2_1_two_to_eight_players(players: int) -> None:
    names = [f"P{seat}" for seat in range(players)]
    if 2 <= players <= 8:
        assert len(Game(names).players) == players
    else:
        with pytest.raises(IllegalActionError) as refused:
            Game(names)
        assert refused.value.code == "player_count"


@pytest.mark.parametrize("players", range(2, 9))
def test_rules_2_2_the_deal_goes_seat_by_seat_and_row_by_row(players: int) -> None:
    deck = SeededChance(players).deck(1)
    game = Game([f"P{seat}" for seat in range(players)])
    game.deal(deck)
    cards = [card - layout.HIDDEN for card in game.state.cells[: 12 * players]]
    assert cards == deck[: 12 * players]
    assert game.state.discard_pile[: game.state.discard_size] == [deck[12 * players]]
    assert game.state.draw_size == 149 - 12 * players
    drawn = [game.state.draw_pile[game.state.draw_size - 1 - n] for n in range(3)]
    assert drawn == deck[12 * players + 1 :][:3]


def test_rules_2_2_only_the_whole_deck_is_dealt() -> None:
    game = Game(["Ana", "Ben"])
    for deck in (DECK[1:], [*DECK, 5], [12, *DECK[1:]], []):
        with pytest.raises(MalformedError):
            game.deal(deck)
    assert game.state.round == 0
    game.deal(DECK)
    with pytest.raises(IllegalActionError):
        game.deal(DECK)


def test_rules_2_2_who_has_left_is_dealt_no_cards() -> None:
    game = Game(["Ana", "Ben", "Cem"])
    game.play("leave", 1)
    deck = SeededChance(3).deck(1)
    game.deal(deck)
    cells = game.state.cells
    assert [card - layout.HIDDEN for card in cells[:12] + cells[24:36]] == deck[:24]
    assert cells[12:24] == [layout.REMOVED] * 12
    assert game.state.draw_size == 125


def test_rules_2_3_the_first_discard_lies_face_up() -> None:
    check("official", AB, [], {"discard": [0], "discard_top_visible": True}, deal="ascending")


def test_rules_2_3_face_down_until_it_is_taken_or_reshuffled() -> None:
    start = {"discard": [11], "discard_face_down": True, "draw": [4]}
    round_trip = ["A draw", "A discard", "A flip r0c1", "B take", "B swap r0c0"]
    expect = {"discard": [11, 1], "discard_top_visible": True}
    check("family-facedown", AB, round_trip, expect, **start)
    # 1 stays, the unseen 11 is shuffled in and drawn.
    moves = [*round_trip, "A draw", "A discard"]
    expect = {"discard": [1, 11], "discard_top_visible": True, "draw_left": 0}
    check("family-facedown", AB, moves, expect, **start, reshuffle_to=[11])


# --- 2.4 to 2.6 -----------------------------------------------------------------------------


def test_rules_2_4_everybody_turns_two_in_any_order() -> None:
    opening: dict[str, Any] = {"phase": "reveal", "turn": None}
    grids = {"A": HIDDEN_A, "B": HIDDEN_B, "C": HIDDEN_C}
    moves = [
        "C reveal r2c3",
        "A reveal r0c0",
        "C reveal r2c3 => ILLEGAL already_face_up",
        "C reveal r0c0",
        "C reveal r0c1 => ILLEGAL too_many_reveals",
        "B reveal r1c1",
        "A take => ILLEGAL wrong_phase",
        "B reveal r1c2",
    ]
    check("official", grids, moves, {"phase": "reveal", "turn": None}, **opening)
    moves += ["A reveal r0c1", "A reveal r0c2 => ILLEGAL wrong_phase"]
    check("official", grids, moves, {"phase": "turn", "turn": "A"}, **opening)


def test_rules_2_5_the_highest_opening_sum_starts_the_first_round() -> None:
    opening: dict[str, Any] = {"phase": "reveal", "turn": None}
    moves = ["A reveal r0c0", "A reveal r1c0", "B reveal r0c0", "B reveal r1c1"]
    expect = {"turn": "A", "first_player": "A"}
    check("official", {"A": HIDDEN_A, "B": HIDDEN_B}, moves, expect, **opening)
    moves = ["A reveal r1c0", "A reveal r1c2", "B reveal r0c0", "B reveal r1c1"]
    expect = {"turn": "B", "first_player": "B"}
    check("official", {"A": HIDDEN_A, "B": HIDDEN_B}, moves, expect, **opening)


def test_rules_2_5_all_sums_negative() -> None:
    low = "?-2 ?-1 ?-1 ?0 / ?-2 ?2 ?8 ?5 / ?11 ?7 ?10 ?1"
    moves = ["A reveal r0c0", "A reveal r0c1", "B reveal r0c1", "B reveal r0c2"]
    expect = {"turn": "B", "first_player": "B"}
    check("official", {"A": low, "B": low}, moves, expect, phase="reveal", turn=None)


def test_rules_2_6_the_finisher_starts_the_next_round_also_when_doubled() -> None:
    points = {"A": 9, "B": 20, "C": 14}
    expect = {"next_starter": "B", "final": points | {"B": 40}}
    last_turn("official", points, expect, finisher="B")
    last_turn("official-fr", points, {"next_starter": "by_reveal"}, finisher="B")
    last_turn("family", points, {"next_starter": "A"}, finisher="B")


# --- 2.7 to 2.9 -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("moves", "grid", "discard"),
    [
        (["take", "swap r0c0"], A.replace("5 ", "6 ", 1), [2, 5]),
        (["take", "swap r0c1"], A.replace("?3", "6"), [2, 3]),
        (["draw", "swap r0c2"], A.replace("8", "9", 1), [2, 6, 8]),
        (["draw", "swap r2c3"], A.replace("?12", "9"), [2, 6, 12]),
        (["draw", "discard", "flip r0c3"], A.replace("?0", "0"), [2, 6, 9]),
    ],
)
def test_rules_2_7_the_ways_through_a_turn(moves: list[str], grid: str, discard: list[int]) -> None:
    moves = [f"A {move}" for move in moves]
    expect = {"turn": "B", "grids": {"A": grid}, "discard": discard, "removed": []}
    check("official", AB, moves, expect, discard=[2, 6])


def test_rules_2_7_only_the_grid_after_the_exchange_is_judged() -> None:
    grid = "9 ?3 8 ?0 / 9 ?2 ?6 ?4 / ?9 ?1 ?7 ?12"
    expect = {"removed": [], "discard": [6, 9], "turn": "B"}
    check("family-columns", {"A": grid, "B": B}, ["A take", "A swap r2c0"], expect, discard=[6, 5])


def test_rules_2_8_the_refused_card_lies_below_the_column() -> None:
    grid = "7 ?3 8 ?0 / 7 ?2 ?6 ?5 / ?7 ?9 ?1 ?12"
    moves = ["A draw", "A discard", "A flip r2c0"]
    expect = {"discard": [6, 10, 7, 7, 7], "removed": ["A c0"], "turn": "B"}
    check("official", {"A": grid, "B": B}, moves, expect, draw=[10])


def test_rules_2_8_the_round_ends_only_after_the_column_went() -> None:
    grid = "3 1 4 8 / 5 2 6 8 / 9 0 7 ?2"
    expect = {"finisher": "A", "discard": [6, 2, 8, 8, 8], "pending": ["B"], "removed": ["A c3"]}
    check("official", {"A": grid, "B": B}, ["A draw", "A swap r2c3"], expect, draw=[8])


@pytest.mark.parametrize("value", [-2, -1, 0, 12])
def test_rules_2_9_every_value_makes_a_column_that_must_go(value: int) -> None:
    grid = f"{value} ?3 8 ?5 / ?{value} ?2 ?6 ?4 / {value} ?9 ?7 ?12"
    gone = "x ?3 8 ?5 / x ?2 ?6 ?4 / x ?9 ?7 ?12"
    moves = ["A draw", "A discard", "A flip r1c0"]
    expect = {"grids": {"A": gone}, "discard": [6, 11, value, value, value], "turn": "B"}
    check("official", {"A": grid, "B": B}, moves, expect, draw=[11])


def test_rules_2_9_the_next_player_may_take_the_last_card_of_the_column() -> None:
    grid = "7 ?3 8 ?0 / 7 ?2 ?6 ?5 / ?7 ?9 ?1 ?12"
    moves = ["A draw", "A discard", "A flip r2c0", "B take", "B swap r0c0"]
    expect = {"discard": [6, 10, 7, 7, 1], "grids": {"A": grid_without(0, grid), "B": put(7, B)}}
    check("official", {"A": grid, "B": B}, moves, expect, draw=[10])


def grid_without(column: int, grid: str) -> str:
    rows = [row.split() for row in grid.split("/")]
    return " / ".join(
        " ".join("x" if i == column else cell for i, cell in enumerate(row)) for row in rows
    )


def put(value: int, grid: str) -> str:
    return " ".join([str(value), *grid.split()[1:]])


def test_rules_2_9_a_hidden_equal_card_does_not_count() -> None:
    grid = "6 ?3 8 ?0 / 6 ?2 ?1 ?5 / ?6 ?9 ?7 ?12"
    moves = ["A draw", "A discard", "A flip r0c1"]
    check("official", {"A": grid, "B": B}, moves, {"removed": [], "turn": "B"})


def test_rules_2_9_a_removed_slot_stays_empty() -> None:
    grid = "x ?3 8 ?0 / x ?2 ?6 ?5 / x ?9 ?7 ?12"
    moves = [
        "A draw",
        "A swap r1c0 => ILLEGAL removed_slot",
        "A discard",
        "A flip r1c0 => ILLEGAL removed_slot",
        "A flip r1c1",
    ]
    check("official", {"A": grid, "B": B}, moves, {"turn": "B"})


def test_rules_2_9_several_columns_may_go_at_the_final_reveal() -> None:
    late = "?9 2 ?4 ?1 / ?9 2 ?4 ?1 / ?9 ?2 ?4 0"
    start = {"turn": "B", "finisher": "A", "pending": ["B", "C"], "draw": [11, 12]}
    moves = ["B draw", "B discard", "B flip r2c1", "C draw", "C discard", "C flip r0c3"]
    expect = {
        "removed": ["B c1", "B c0", "B c2", "C c0", "C c1", "C c2"],
        "raw": {"A": 12, "B": 2, "C": 2},
        "discard": [6, 11, 2, 2, 2, 12, 9, 9, 9, 4, 4, 4, 9, 9, 9, 2, 2, 2, 4, 4, 4],
    }
    grids = {"A": "3 1 0 2 / 0 2 1 -1 / 1 0 3 0", "B": late, "C": late}
    check("official", grids, moves, expect, **start)


# --- 2.10 to 2.13 ---------------------------------------------------------------------------


def test_rules_2_10_everybody_else_has_exactly_one_more_turn() -> None:
    grids = {"A": B, "B": NEARLY, "C": B}
    moves = ["B draw", "B discard", "B flip r2c3", "C take", "C swap r0c0", "A take", "A swap r0c0"]
    start = {"turn": "B", "draw": [12]}
    expect: dict[str, Any] = {"finisher": "B", "turn": "C", "pending": ["C", "A"]}
    check("official", grids, moves[:3], expect, **start)
    expect = {"finisher": "B", "turn": "A", "pending": ["A"]}
    check("official", grids, moves[:5], expect, **start)
    expect = {"phase": "round_over", "turn": None, "finisher": "B", "turns_played": 3}
    check("official", grids, [*moves, "C draw => ILLEGAL round_over"], expect, **start)


def test_rules_2_10_a_second_empty_handed_player_is_no_finisher() -> None:
    closed = "3 1 4 0 / 5 2 6 1 / 8 0 7 2"
    start = {"turn": "B", "finisher": "A", "pending": ["B", "C"]}
    moves = ["B draw", "B discard", "B flip r2c3"]
    expect = {"finisher": "A", "turn": "C", "pending": ["C"]}
    check("official", {"A": closed, "B": NEARLY, "C": C}, moves, expect, **start)


@pytest.mark.parametrize("kept", [3, 2, 1, 0])
def test_rules_2_10_the_finisher_may_have_any_number_of_columns_left(kept: int) -> None:
    rows = [["1 ", "x "][column >= kept] for column in range(3)]
    grid = f"{''.join(rows)} 8 / {''.join(rows).replace('1', '2')} 8 / {''.join(rows)} ?3"
    moves = ["A take", "A swap r2c3"]
    expect = {"finisher": "A", "turn": "B", "pending": ["B"], "removed": ["A c3"]}
    check("official", {"A": grid, "B": B}, moves, expect, discard=[1, 8])


def test_rules_2_11_hidden_cards_count_and_columns_go_before_counting() -> None:
    late = "9 1 2 ?1 / 9 3 0 ?4 / ?9 2 1 ?-2"
    start = {"turn": "B", "finisher": "A", "pending": ["B"], "draw": [11]}
    expect = {
        "phase": "round_over",
        "raw": {"A": 12, "B": 12},
        "final": {"A": 24, "B": 12},
        "grids": {"B": "x 1 2 1 / x 3 0 4 / x 2 1 -2"},
    }
    grids = {"A": "3 1 0 2 / 0 2 1 -1 / 1 0 3 0", "B": late}
    check("official", grids, ["B draw", "B discard", "B flip r0c3"], expect, **start)


@pytest.mark.parametrize(
    ("finisher", "other", "final"),
    [(10, 11, 10), (10, 10, 20), (10, 9, 20), (1, 1, 2), (0, 0, 0), (0, -1, 0), (-3, -4, -3)],
)
def test_rules_2_12_the_finishers_points_are_doubled(finisher: int, other: int, final: int) -> None:
    points = {"A": finisher, "B": other}
    last_turn("official", points, {"final": {"A": final, "B": other}})


def test_rules_2_12_nobody_else_is_ever_doubled() -> None:
    points = {"A": 30, "B": 12, "C": 40}
    last_turn("official", points, {"final": points}, finisher="B")


@pytest.mark.parametrize(
    ("total", "phase"), [(79, "round_over"), (80, "game_over"), (81, "game_over")]
)
def test_rules_2_13_the_game_ends_at_100(total: int, phase: str) -> None:
    totals = {"A": total, "B": 40}
    winners = ["B"] if phase == "game_over" else []
    expect = {"phase": phase, "winners": winners, "totals": {"A": total + 20, "B": 65}}
    last_turn("official", {"A": 20, "B": 25}, expect, totals=totals)


def test_rules_2_13_winners_share_and_ranks_skip() -> None:
    game = Game(["A", "B", "C", "D"])
    game.state.phase = layout.GAME_OVER
    game.state.round = 3
    game.state.totals[:4] = [110, 65, -3, 65]
    assert game.score_sheet.ranks == (4, 2, 1, 2)
    assert game.winners == game.score_sheet.leaders == (2,)
    game.state.totals[2] = 65
    assert game.score_sheet.ranks == (4, 1, 1, 1)
    assert set(game.winners) == {1, 2, 3}


# --- 2.14 -----------------------------------------------------------------------------------


def test_rules_2_14_only_a_draw_makes_the_reshuffle() -> None:
    start = {"discard": [4, 7, 9, 2], "draw": []}
    moves = ["A take", "A swap r0c0", "B take", "B swap r0c0"]
    check("official", AB, moves, {"discard": [4, 7, 9, 1], "draw_left": 0}, **start)


def test_rules_2_14_nothing_to_reshuffle() -> None:
    moves = ["A draw => ILLEGAL no_cards", "A take", "A swap r0c1"]
    check("official", AB, moves, {"discard": [3], "draw_left": 0}, discard=[10], draw=[])


def test_rules_2_14_nothing_to_take() -> None:
    moves = ["A take => ILLEGAL no_cards", "A draw", "A swap r0c0", "B take"]
    check("official", AB, moves, {"discard": [], "draw_left": 2, "turn": "B"}, discard=[])


def test_rules_2_14_eight_players_reach_the_end_of_the_draw_pile() -> None:
    game = started(8)
    draws = 0
    while not game.needs_reshuffle:
        game.play("draw")
        draws += 1
        shown = next(slot for slot, card in enumerate(own_cells(game)) if card <= layout.HIGHEST)
        game.play(action_id(parse_action("swap r0c0")[0], shown))
    assert (draws, game.state.draw_size, game.state.discard_size) == (53, 0, 54)
    with pytest.raises(SkyjoError):
        game.play("draw")
    order = game.cards_to_reshuffle[::-1]
    with pytest.raises(MalformedError):
        game.reshuffle(order[1:])
    top = game.view().discard_top
    game.reshuffle(order)
    game.play("draw")
    assert (game.state.draw_size, game.view().discard_top, game.state.hand) == (52, top, order[0])
    with pytest.raises(IllegalActionError):
        game.reshuffle(order)


def own_cells(game: Game) -> list[int]:
    seat = game.state.turn
    return game.state.cells[12 * seat : 12 * seat + 12]


# --- 2.15 -----------------------------------------------------------------------------------


def test_rules_2_15_the_turn_passes_on() -> None:
    expect: dict[str, Any] = {"turn": "B", "left": ["A"], "discard": [6], "grids": {}}
    check("official", ABC, ["A leave"], expect)
    expect = {"turn": "A", "left": ["B"], "discard": [6], "grids": {}}
    check("official", ABC, ["B leave"], expect)
    moves = ["B leave", "A take", "A swap r0c0", "B take => ILLEGAL not_in_game"]
    check("official", ABC, moves, {"turn": "C", "left": ["B"]})


@pytest.mark.parametrize(
    ("moves", "discard"),
    [(["draw"], [6, 9]), (["take"], [6]), (["draw", "discard"], [6, 9])],
)
def test_rules_2_15_the_card_in_hand_goes_on_the_discard_pile(
    moves: list[str], discard: list[int]
) -> None:
    moves = [f"A {move}" for move in [*moves, "leave"]]
    check("official", ABC, moves, {"turn": "B", "discard": discard, "grids": {}})


def test_rules_2_15_a_column_that_was_to_be_chosen_stays() -> None:
    rules = {"base": "official", "column_removal": "player_choice"}
    grid = "?5 9 0 4 / 12 9 ?3 ?6 / ?1 -1 ?8 2"
    moves = ["A take", "A swap r2c1", "A leave"]
    expect = {"turn": "B", "removed": [], "discard": [7, -1]}
    check(rules, {"A": grid, "B": B, "C": C}, moves, expect, discard=[7, 9])


CLOSED = "3 1 4 0 / 5 2 6 1 / 8 0 7 2"
LAST = {"turn": "B", "finisher": "A", "pending": ["B", "C"]}
OPEN_B = "1 4 ?7 2 / 6 3 0 5 / 8 1 9 ?3"
OPEN_C = "10 2 0 6 / 5 12 4 1 / 3 7 -1 ?11"


def test_rules_2_15_last_turns_lapse() -> None:
    grids = {"A": CLOSED, "B": OPEN_B, "C": OPEN_C}
    expect: dict[str, Any] = {"turn": "B", "pending": ["B"], "left": ["C"]}
    check("official", grids, ["C leave"], expect, **LAST)
    expect = {"turn": "C", "pending": ["C"], "left": ["B"]}
    check("official", grids, ["B leave"], expect, **LAST)
    moves = ["C leave", "B take", "B swap r0c0"]
    expect = {
        "phase": "round_over",
        "raw": {"A": 39, "B": 54, "C": None},
        "final": {"A": 39, "B": 54, "C": None},
        "totals": {"A": 49, "B": 54, "C": 7},
        "grids": {"B": "6 4 7 2 / 6 3 0 5 / 8 1 9 3"},
    }
    check("official", grids, moves, expect, **LAST, totals={"A": 10, "C": 7})


def test_rules_2_15_no_penalty_when_the_finisher_has_left() -> None:
    grids = {"A": CLOSED, "B": OPEN_B, "C": "0 1 0 1 / 1 0 1 0 / 0 1 0 ?1"}
    moves = ["A leave", "B take", "B swap r0c0", "C take", "C swap r0c0"]
    expect = {
        "phase": "round_over",
        "finisher": "A",
        "left": ["A"],
        "final": {"A": None, "B": 54, "C": 7},
        "totals": {"A": 0, "B": 54, "C": 7},
        "next_starter": "B",
    }
    check("official", grids, moves, expect, **LAST)
    check("family", grids, moves, expect | {"next_starter": "C"}, **LAST)


def test_rules_2_15_the_score_sheet_marks_no_penalty_of_a_finisher_who_left() -> None:
    low = "-1 0 -1 0 / 0 -1 0 -1 / -1 0 -1 ?0"
    grids = {"A": CLOSED, "B": low, "C": low}
    start = {"players": list(grids), "grids": grids, "discard": [-2], **LAST}
    game = Game.from_state(list(grids), kernel.state_from(Ruleset.preset("family"), start))
    game.play("leave", 0)
    for action in ("take", "swap r0c0", "take", "swap r0c0"):
        game.play(action)
    assert [row.penalised for row in game] == [False]
    assert game.rounds[0].points == (None, -7, -6)


def test_rules_2_15_a_leaver_is_ignored_by_penalty_threshold_and_winner() -> None:
    grids = {"A": CLOSED, "B": OPEN_B, "C": "0 1 0 1 / 1 0 1 0 / 0 1 0 ?1"}
    moves = ["C leave", "B take", "B swap r0c0"]
    expect: dict[str, Any] = {"phase": "round_over", "final": {"A": 39, "B": 54, "C": None}}
    check("official", grids, moves, expect, **LAST, totals={"C": 99})
    expect = {"phase": "game_over", "winners": ["A"], "totals": {"A": 89, "B": 114, "C": 0}}
    check("official", grids, moves, expect, **LAST, totals={"A": 50, "B": 60})


def test_rules_2_15_fewer_than_two_players_end_the_game() -> None:
    totals = {"A": 50, "B": 20}
    expect: dict[str, Any] = {
        "phase": "game_over",
        "turn": None,
        "left": ["B"],
        "winners": ["A"],
        "totals": totals,
        "raw": {"A": None, "B": None},
        "next_starter": None,
        "discard": [6],
    }
    over = ["A draw => ILLEGAL game_over", "A leave => ILLEGAL game_over"]
    over.append("B leave => ILLEGAL game_over")
    check("official", AB, ["B leave", *over], expect, totals=totals)
    check("official", AB, ["A draw", "B leave", *over], expect, totals=totals)
    opening = {"A": HIDDEN_A, "B": HIDDEN_B}
    start: dict[str, Any] = {"phase": "reveal", "turn": None, "totals": totals}
    check("official", opening, ["A reveal r0c0", "B leave", *over], expect, **start)


def test_rules_2_15_leaving_between_rounds_passes_the_start_on() -> None:
    grids = {"A": CLOSED, "B": CLOSED, "C": OPEN_C}
    moves = ["C take", "C swap r0c0", "A leave"]
    start = {"turn": "C", "finisher": "A", "pending": ["C"]}
    expect: dict[str, Any] = {"phase": "round_over", "next_starter": "B", "left": ["A"]}
    check("official", grids, moves, expect, **start)
    expect = {"phase": "round_over", "next_starter": "by_reveal", "left": ["A"]}
    check("official-fr", grids, moves, expect, **start)
    expect = {"phase": "game_over", "winners": ["C"], "next_starter": None}
    check("official", grids, [*moves, "B leave"], expect, **start)


def test_rules_2_15_reveals_lapse_and_the_start_passes_on() -> None:
    grids = {"A": HIDDEN_A, "B": HIDDEN_B, "C": HIDDEN_C}
    start: dict[str, Any] = {"phase": "reveal", "turn": None, "round": 2, "fixed_starter": "B"}
    moves = ["A reveal r0c0", "A reveal r0c1", "C reveal r0c0", "C reveal r0c1"]
    expect = {"phase": "turn", "turn": "C", "first_player": "C", "left": ["B"]}
    check("official", grids, [*moves, "B leave"], expect, **start)
    check("official", grids, ["B reveal r0c0", "B leave", *moves], expect, **start)
    highest = expect | {"turn": "A", "first_player": "A"}
    check("official-fr", grids, ["B reveal r0c0", "B leave", *moves], highest, **start)


def test_rules_2_15_the_next_round_is_dealt_to_those_who_are_left() -> None:
    game = started(3, "official final_turns=none target=1000")
    game.play("leave", 1)
    rng = Random(5)
    while game.state.phase not in (layout.ROUND_OVER, layout.GAME_OVER):
        action = rng.choice(game.legal_actions())
        if game.needs_reshuffle and action_name(action) == "draw":
            game.reshuffle(game.cards_to_reshuffle)
        game.play(action)
    assert game.rounds[0].points[1] is None
    assert game.state.totals[1] == 0
    game.deal(SeededChance(2).deck(2))
    assert game.legal_actions(1) == []
    for seat in (0, 2, 0, 2):
        game.play(game.legal_actions(seat)[0], seat)
    assert game.state.phase == layout.CHOOSE


# --- 2.16 -----------------------------------------------------------------------------------


def test_rules_2_16_the_drawn_card_is_private_until_it_is_placed() -> None:
    game = started(3)
    drawer = game.turn
    assert drawer is not None
    game.play("draw")
    others = [seat for seat in (None, 0, 1, 2) if seat != drawer]
    card = game.state.hand
    assert game.view(drawer).hand == card
    assert [game.view(seat).hand for seat in others] == [layout.UNKNOWN] * 3
    leaver = next(seat for seat in others if seat is not None)
    game.play("leave", leaver)
    for seat in (None, 0, 1, 2):
        draw = [entry for entry in game.visible_log(seat) if isinstance(entry, Ply)][-2]
        assert action_name(draw.action) == "draw"
        assert draw.card == (card if seat == drawer else None)
    game.play("discard")
    assert {game.view(seat).discard_top for seat in (None, 0, 1, 2)} == {card}


def test_rules_2_16_a_taken_card_is_public() -> None:
    game = started(3)
    top = game.view().discard_top
    game.play("take")
    assert {game.view(seat).hand for seat in (None, 0, 1, 2)} == {top}


def test_rules_2_16_decks_and_reshuffles_are_hidden_while_the_game_runs() -> None:
    game = started(2)
    assert all(isinstance(entry, Ply) for entry in game.visible_log(0))
    assert len(list(game.visible_log())) == game.plies
    game.play("leave", 1)
    assert list(game.visible_log(0)) == game.log


def test_rules_2_16_a_card_still_in_hand_when_all_others_left_is_shown_to_nobody() -> None:
    game = started(2)
    drawer = game.turn
    assert drawer is not None
    game.play("draw")
    game.play("leave", 1 - drawer)
    assert game.is_over
    assert game.view(1 - drawer).hand == game.view().hand == layout.UNKNOWN


def test_rules_2_16_what_may_lie_face_down_and_what_may_be_drawn() -> None:
    game = started(8, seed=3)
    view = game.view()
    assert view.may_be_hidden == view.may_be_drawn
    assert sum(view.may_be_hidden) == 150 - 17
    while not game.needs_reshuffle:
        game.play("draw")
        shown = next(slot for slot, card in enumerate(own_cells(game)) if card <= layout.HIGHEST)
        game.play(action_id(parse_action("swap r0c0")[0], shown))
    pool = Counter(game.cards_to_reshuffle)
    game.reshuffle(game.cards_to_reshuffle)
    drawer = game.turn
    game.play("draw")
    for seat in (None, *range(8)):
        view = game.view(seat)
        drawn = Counter({value - 2: n for value, n in enumerate(view.may_be_drawn) if n})
        assert drawn == pool - Counter([game.state.hand] if seat == drawer else [])
        assert sum(view.may_be_hidden) == 8 * 10


# --- 2.17 -----------------------------------------------------------------------------------

VERBS = ("take", "draw", "swap r0c0", "discard", "flip r0c1", "pass", "remove c0")
STEPS: dict[str, list[str]] = {
    "choose": [],
    "must_swap": ["A take"],
    "place_or_discard": ["A draw"],
    "must_flip": ["A draw", "A discard"],
    "choose_column": ["A take", "A swap r2c0"],
}
PRECEDENCE = {
    "choose": ["", "", "not_holding", "not_holding", "not_allowed_now", "must_choose_source",
               "not_allowed_now"],
    "must_swap": ["already_holding", "already_holding", "", "must_swap", "must_swap", "must_swap",
                  "not_allowed_now"],
    "place_or_discard": ["already_holding", "already_holding", "", "", "must_place_or_discard",
                         "must_place_or_discard", "not_allowed_now"],
    "must_flip": ["already_holding", "already_holding", "not_holding", "not_holding", "",
                  "must_flip", "not_allowed_now"],
    "choose_column": ["already_holding", "already_holding", "not_holding", "not_holding",
                      "not_allowed_now", "", ""],
}  # fmt: skip


@pytest.mark.parametrize("step", STEPS)
def test_rules_2_17_every_verb_at_every_step(step: str) -> None:
    rules = {"base": "official", "column_removal": "player_choice"}
    grid = "6 ?3 8 ?0 / 6 ?2 ?1 ?5 / ?4 ?9 ?7 ?12"
    for verb, code in zip(VERBS, PRECEDENCE[step], strict=True):
        probe = f"A {verb} => ILLEGAL {code}" if code else f"A {verb}"
        moves = [*STEPS[step], f"B {verb} => ILLEGAL not_your_turn", probe]
        moves.insert(-1, "B reveal r0c0 => ILLEGAL wrong_phase")
        check(rules, {"A": grid, "B": B}, moves, {})


def test_rules_2_17_every_verb_in_every_other_phase() -> None:
    opening: dict[str, Any] = {"phase": "reveal", "turn": None}
    refused = [f"A {verb} => ILLEGAL wrong_phase" for verb in (*VERBS, "swap r7c0", "remove c9")]
    check("official", {"A": HIDDEN_A, "B": HIDDEN_B}, refused, {"phase": "reveal"}, **opening)
    verbs = (*VERBS, "reveal r0c0")
    ended = ["B take", "B swap r0c0"]
    start = {"turn": "B", "finisher": "A", "pending": ["B"]}
    refused = [f"{seat} {verb} => ILLEGAL round_over" for verb in verbs for seat in "AB"]
    expect = {"phase": "round_over"}
    check("official", {"A": CLOSED, "B": OPEN_B}, [*ended, *refused], expect, **start)
    refused = [f"{seat} {verb} => ILLEGAL game_over" for verb in verbs for seat in "AB"]
    refused += ["A leave => ILLEGAL game_over"]
    check("official", AB, ["B leave", *refused], {"phase": "game_over"})
    refused = [f"C {verb} => ILLEGAL not_in_game" for verb in (*verbs, "leave")]
    check("official", ABC, ["C leave", *refused], {"turn": "A"})


def test_rules_2_17_places() -> None:
    moves = [
        "A draw",
        "A swap r3c0 => ILLEGAL bad_position",
        "A swap r0c4 => ILLEGAL bad_position",
        "A swap r99c99 => ILLEGAL bad_position",
        "A swap r-1c0 => ILLEGAL bad_position",
        "A swap r0c-1 => ILLEGAL bad_position",
        "A discard",
        "A flip r3c0 => ILLEGAL bad_position",
        "A flip r0c0 => ILLEGAL already_face_up",
        "A flip r0c1",
    ]
    check("official", AB, moves, {"turn": "B"})
    moves = [
        "A reveal r3c3 => ILLEGAL bad_position",
        "A reveal r0c0",
        "A reveal r0c0 => ILLEGAL already_face_up",
        "A reveal r0c1",
        "A reveal r0c0 => ILLEGAL too_many_reveals",
        "A reveal r9c9 => ILLEGAL too_many_reveals",
    ]
    start: dict[str, Any] = {"phase": "reveal", "turn": None}
    check("official", {"A": HIDDEN_A, "B": HIDDEN_B}, moves, {"phase": "reveal"}, **start)


def test_rules_2_17_every_code_has_a_sentence_and_no_other_exists() -> None:
    codes = {
        "game_over", "round_over", "not_in_game", "wrong_phase", "too_many_reveals",
        "not_your_turn", "already_holding", "no_cards", "not_holding", "must_swap",
        "must_place_or_discard", "must_flip", "must_choose_source", "not_allowed_now",
        "bad_position", "removed_slot", "already_face_up", "no_triplet",
    }  # fmt: skip
    assert {code for code, sentence in REASONS if code and sentence} == codes


@pytest.mark.parametrize(
    "text",
    ["", " ", "jump", "swap", "swap c0", "swap r0", "swap r0c0 r0c1", "draw r0c0", "remove r0",
     "remove", "pass c1", "SWAP r0c0", "flip 3", "swap r0c٣", "leave now", "swap r0c0;", "5"],
)  # fmt: skip
def test_rules_2_17_what_is_no_action_is_another_error(text: str) -> None:
    game = started()
    before = game.copy()
    with pytest.raises(MalformedError):
        game.play(text)
    with pytest.raises(MalformedError):
        game.refusal(text)
    assert game == before


@pytest.mark.parametrize("action", [-1, ACTIONS, 10**9, True])
def test_rules_2_17_a_number_that_is_no_action_is_another_error(action: int) -> None:
    game = started()
    with pytest.raises(MalformedError):
        game.play(action)


@pytest.mark.parametrize("seat", [-1, 2, 99])
def test_rules_2_17_a_seat_that_does_not_exist_is_another_error(seat: int) -> None:
    game = started()
    with pytest.raises(MalformedError):
        game.play("draw", seat)


# --- 2.18 -----------------------------------------------------------------------------------


def test_rules_2_18_one_action_has_one_id_and_one_name() -> None:
    names = [action_name(action) for action in range(ACTIONS)]
    assert len(set(names)) == ACTIONS == 45
    for action, name in enumerate(names):
        verb, place = parse_action(name)
        assert action_id(verb, place) == action
    spoken = {" ".join(filter(None, action)) for action in oracle.all_actions()}
    assert set(names) == {name for name in spoken if not name.endswith(("r3c0", "c4"))}


def test_rules_2_18_discard_and_flip_are_two_plies() -> None:
    game = started()
    plies = game.plies
    assert plies == 4
    for number, action in enumerate(("draw", "discard", "flip r2c3"), start=1):
        game.play(action)
        assert game.plies == plies + number


def test_rules_2_18_uniform_play_has_the_stated_lengths_and_points() -> None:
    """A smaller sample than the specification's, against the same means with wide margins."""
    for seats, decisions, mean, rounds in ((2, 89.3, 77.6, 300), (4, 154.0, 72.7, 200)):
        played = [uniform_round(seats, Random(number)) for number in range(rounds)]
        assert abs(sum(d for d, _ in played) / rounds - decisions) < 6
        assert abs(sum(p for _, p in played) / rounds - mean) < 3


def uniform_round(seats: int, rng: Random) -> tuple[int, float]:
    """Decisions and mean points of one round of uniformly random play, by the oracle."""
    table = Table(oracle.make_rules(), [f"P{seat}" for seat in range(seats)])
    deck = list(oracle.DECK)
    rng.shuffle(deck)
    table.deal(deck)
    decisions = 0
    opening = PILOTS["uniform"]
    while table.phase == "reveal":
        table.act(*opening.choose(rng, table))
    while table.turn is not None:
        player, seat = table.turn, table.turn.seat
        decisions += 2
        shuffled = table.to_reshuffle()
        if rng.random() < 0.5:
            if shuffled:
                rng.shuffle(shuffled)
            table.act(seat, "draw", None, shuffled)
            actions = [("swap", place) for place in player.cells]
            actions += [("flip", place) for place in table.hidden(player)]
        else:
            table.act(seat, "take")
            actions = [("swap", place) for place in player.cells]
        verb, (row, column) = rng.choice(actions)
        if verb == "flip":
            table.act(seat, "discard")
        table.act(seat, verb, f"r{row}c{column}")
    return decisions, sum(player.final or 0 for player in table.players) / seats


def test_the_kit_sets_up_the_very_state_that_play_reaches() -> None:
    """A position written in words equals the same position reached by playing."""
    rules = Ruleset.preset("official")
    deck = sorted(DECK)
    game = Game(["A", "B"], rules)
    game.deal(deck)
    for seat in (0, 1):
        game.play("reveal r0c0", seat)
        game.play("reveal r2c3", seat)
    start = {
        "players": ["A", "B"],
        "grids": {
            "A": "-2 ?-2 ?-2 ?-2 / ?-2 ?-1 ?-1 ?-1 / ?-1 ?-1 ?-1 -1",
            "B": "-1 ?-1 ?-1 ?0 / ?0 ?0 ?0 ?0 / ?0 ?0 ?0 0",
        },
        "discard": [0],
        "draw": deck[25:],
        "turn": "B",
    }
    assert kernel.state_from(rules, start).values() == game.state.values()
