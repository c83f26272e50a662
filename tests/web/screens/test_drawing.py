"""What pages are made of, without a browser: boards, motion, sentences, charts, the guide."""

from __future__ import annotations

from itertools import pairwise

import pytest
from tests.web.screens import samples

from skyjo.game import Game
from skyjo.rules.actions import (
    DISCARD,
    DRAW,
    FLIP_FROM,
    FLIP_VERB,
    LEAVE,
    PASS,
    REMOVE_FROM,
    REVEAL_FROM,
    SWAP_FROM,
    TAKE,
    verb_of,
)
from skyjo.rules.layout import (
    CHOOSE,
    COLUMNS,
    FLIP,
    HIGHEST,
    LOWEST,
    MAY_REMOVE,
    NO_CARD,
    PLACE_OR_DISCARD,
    REMOVED,
    REVEAL,
    SLOTS,
    UNKNOWN,
)
from skyjo.rules.plies import Line, Ply, TurnedUp
from skyjo.rules.ruleset import FACE_DOWN, OPTIONAL, PLAYER_CHOICE, Ruleset
from skyjo.table.model import Phase
from skyjo.web.board import Board, board_of, clockwise, marks
from skyjo.web.cards import grid_words, number, slot_words
from skyjo.web.charts import HEIGHT, LABEL_STEP, spread, totals_chart
from skyjo.web.guide import DISCARD as ON_DISCARD
from skyjo.web.guide import DRAW as ON_DRAW
from skyjo.web.guide import LESSONS
from skyjo.web.motion import motion_of
from skyjo.web.words import happened, history, todo, told

NAMES = ["Ana", "Ben"]


def board(game: Game, take: bool = False) -> Board:
    return board_of(samples.seen(samples.table_of(game, len(game.players))), take)


def pressable(drawn: Board) -> dict[str, str]:
    return {slot.id: slot.action for slot in drawn.slots if slot.action}


# --- The board ------------------------------------------------------------------------------


def test_before_the_source_is_chosen_only_the_piles_can_be_pressed() -> None:
    drawn = board(samples.until(3, samples.at(CHOOSE)))
    assert not pressable(drawn)
    assert drawn.draw == "draw"
    assert drawn.pick
    assert not drawn.take
    assert "source" in drawn.css.split()
    assert {slot.later for slot in drawn.slots} == {
        f"take, swap r{slot // COLUMNS}c{slot % COLUMNS}" for slot in range(SLOTS)
    }


def test_choosing_the_discard_is_no_move() -> None:
    game = samples.until(3, samples.at(CHOOSE))
    drawn = board(game, take=True)
    assert drawn.picked
    assert "placing" in drawn.css.split()
    assert drawn.draw == "draw"


def test_a_choice_that_is_not_possible_is_not_drawn() -> None:
    drawn = board(samples.until(3, samples.at(PLACE_OR_DISCARD)), take=True)
    assert not drawn.picked
    assert not any(slot.later for slot in drawn.slots)


def test_a_discard_that_lies_face_down_is_taken_at_once() -> None:
    game = samples.until(2, samples.hidden_top, Ruleset(first_discard=FACE_DOWN))
    drawn = board(game)
    assert drawn.take == "take"
    assert not drawn.pick


def test_a_drawn_card_may_go_anywhere_or_be_discarded() -> None:
    drawn = board(samples.until(2, samples.at(PLACE_OR_DISCARD)))
    assert len(pressable(drawn)) == SLOTS
    assert drawn.lay_off == "discard"
    assert [action for action, _label in drawn.choices] == ["discard"]


@pytest.mark.parametrize(("rules", "may"), [(Ruleset(), []), (OPTIONAL, ["pass"])])
def test_only_hidden_cards_are_turned_over(rules: Ruleset | int, may: list[str]) -> None:
    ruleset = rules if isinstance(rules, Ruleset) else Ruleset(flip_after_discard=rules)
    drawn = board(samples.until(2, samples.at(FLIP), ruleset))
    hidden = {slot.id for slot in drawn.slots if slot.card == UNKNOWN}
    assert set(pressable(drawn)) == hidden
    assert [action for action, _label in drawn.choices] == may


def test_a_column_is_removed_by_its_cards_or_by_a_button() -> None:
    game = samples.until(
        2,
        lambda each: samples.at_turn(each, MAY_REMOVE),
        Ruleset(column_removal=PLAYER_CHOICE),
    )
    drawn = board(game)
    actions = {action for action, _label in drawn.choices}
    assert "pass" in actions
    assert set(pressable(drawn).values()) == actions - {"pass"}


def test_opening_cards_can_be_turned() -> None:
    drawn = board(samples.until(2, samples.opening))
    assert len(pressable(drawn)) == SLOTS - 1
    assert all(action.startswith("reveal") for action in pressable(drawn).values())


def test_nothing_can_be_pressed_on_somebody_elses_turn() -> None:
    drawn = board(samples.until(3, samples.at(CHOOSE, turn=1)))
    assert not pressable(drawn)
    assert not any([drawn.draw, drawn.take, drawn.pick, drawn.choices, drawn.chime])


def test_others_sit_clockwise() -> None:
    assert clockwise(5, 8) == (6, 7, 0, 1, 2, 3, 4)


def test_a_game_that_was_given_up_shows_its_end() -> None:
    game = samples.until(3, samples.at(CHOOSE, turn=1))
    table = samples.table_of(game, 3, phase=Phase.OVER, abandoned=True)
    assert "ended" in board_of(samples.seen(table)).css.split()


def test_marks_say_who_is_away_and_who_closed() -> None:
    game = samples.until(8, samples.last_turns)
    scene = samples.seen(samples.table_of(game, 8), away=(2,), idle=(3,))
    assert scene.view is not None
    found = {seat.seat: [name for name, _says in marks(seat, scene.view)] for seat in scene.seats}
    assert "away" in found[2]
    assert "idle" in found[3]
    assert "turn" in found[0]
    assert "last" in found[0]
    assert "closed" in found[scene.view.finisher]


# --- Motion ---------------------------------------------------------------------------------


def test_everything_that_flies_comes_from_somewhere() -> None:
    assert motion_of(Ply(0, TAKE, 3), None).fly == "discard>hand"
    assert motion_of(Ply(0, DISCARD, 3), None).fly == "hand>discard"
    assert motion_of(Ply(1, SWAP_FROM + 5, 3, 7), None).fly == "hand|discard>g1-5 g1-5>discard"
    assert motion_of(Ply(1, FLIP_FROM + 5, 3), None).classes == {(1, 5): "fresh turned"}
    assert motion_of(None, None).fly == ""


def test_the_final_reveal_goes_seat_by_seat() -> None:
    turned = (TurnedUp(2, 0, 4), TurnedUp(2, 5, 4), TurnedUp(0, 1, 9))
    classes = motion_of(Ply(1, PASS, turned_up=turned), None).classes
    assert classes == {(2, 0): "turned w0", (2, 5): "turned w0", (0, 1): "turned w1"}


def test_a_column_that_leaves_shows_what_it_was() -> None:
    game = samples.until(
        3,
        lambda each: bool(each.log) and isinstance(each.log[-1], Ply) and bool(each.log[-1].lines),
    )
    ply = game.log[-1]
    assert isinstance(ply, Ply)
    motion = motion_of(ply, game.view())
    slots = [slot for line in ply.lines for slot in range(SLOTS) if slot % COLUMNS == line.index]
    assert {slot for _seat, slot in motion.leaving} == set(slots)
    assert set(motion.leaving.values()) == {game.view().discard_top}


# --- Words ----------------------------------------------------------------------------------

PLIES = [
    Ply(0, REVEAL_FROM, 7),
    Ply(0, TAKE, 3),
    Ply(0, DRAW, 7),
    Ply(0, DRAW),
    Ply(0, SWAP_FROM, 3, 8, was_hidden=True),
    Ply(0, DISCARD, 3),
    Ply(0, FLIP_FROM, 3),
    Ply(0, PASS),
    Ply(0, REMOVE_FROM + 1, lines=(Line(0, 1),)),
    Ply(0, LEAVE),
]


@pytest.mark.parametrize("ply", PLIES, ids=lambda ply: str(ply.action))
def test_every_verb_is_told_to_oneself_and_to_others(ply: Ply) -> None:
    mine, theirs = told(ply, NAMES, {0}), told(ply, NAMES)
    assert mine.startswith("You ")
    assert theirs.startswith("Ana ")
    assert mine.split()[1:] == theirs.split()[1:]


def test_closing_is_told_with_what_follows() -> None:
    ply = Ply(0, FLIP_FROM, 3, closed=True)
    assert told(ply, NAMES, {0}).endswith("You closed the round. Everyone else has one more turn.")
    assert told(ply, NAMES, {0}, one_each=False).endswith("You closed the round.")


def test_a_line_is_told_once() -> None:
    swap = Ply(0, SWAP_FROM + 1, 3, 8, lines=(Line(0, 1),))
    assert told(swap, NAMES).count("olumn 2") == 1
    end = Ply(0, SWAP_FROM, 3, 8, lines=(Line(1, 4),), turned_up=(TurnedUp(1, 0, 2),))
    assert told(end, NAMES).endswith("All cards are turned over. Ben: row 1 is complete and goes.")


def test_history_is_of_this_round_only() -> None:
    scene = samples.seen(samples.table_of(samples.until(2, samples.opening), 2))
    assert len(history(scene)) == scene.round_plies < 5


def test_on_a_shared_device_the_sentence_names_who_is_meant() -> None:
    game = samples.until(3, samples.at(CHOOSE))
    assert todo(samples.seen(samples.table_of(game, 3, mine=(0, 2)))).startswith("Ana: ")
    assert not todo(samples.seen(samples.table_of(game, 3))).startswith("Ana")


def test_slots_are_read_out_with_row_and_column() -> None:
    assert slot_words(3, 7) == "Row 1, column 4: 7"
    assert slot_words(4, UNKNOWN) == "Row 2, column 1: face down"
    assert slot_words(11, REMOVED) == "Row 3, column 4: gone"
    assert grid_words([1] * SLOTS) == "Row 1: 1, 1, 1, 1. Row 2: 1, 1, 1, 1. Row 3: 1, 1, 1, 1."


# --- Chart ----------------------------------------------------------------------------------


def test_the_chart_shows_the_target_when_it_is_near() -> None:
    assert totals_chart(NAMES, [[10, 20]]).target_y is None
    assert totals_chart(NAMES, [[10, 60]]).target_y is not None
    assert totals_chart(NAMES, [[10, 60]], target=1000).target_y is None


@pytest.mark.parametrize(
    "totals",
    [
        [[0, 0]],
        [[-5, -20]],
        [[3, 9]] * 40,
        [[5, 900]],
        [[100, 1]],
        [[144 * 10**12, 3]],
        [[-(10**15), 10**15]],
    ],
)
def test_every_chart_stays_inside_its_frame(totals: list[list[int]]) -> None:
    chart = totals_chart(NAMES, totals)
    for line in chart.lines:
        for point in line.points.split():
            x, y = (float(part) for part in point.split(","))
            assert chart.left <= x <= chart.right
            assert 0 <= y <= chart.bottom
    assert len(chart.values) <= 9
    assert len(chart.rounds) <= 8
    assert chart.values[0].value <= min(0, *totals[-1])
    assert chart.values[-1].value >= max(totals[-1])


def test_names_at_the_ends_never_cover_each_other() -> None:
    for ends in ([100.0] * 8, [170.0] * 8, [12.0, 13.0, 90.0, 91.0, 92.0, 168.0, 169.0, 170.0]):
        labels = sorted(spread(dict(enumerate(ends))).values())
        assert all(b - a >= LABEL_STEP - 0.2 for a, b in pairwise(labels))
        assert labels[0] > 0
        assert labels[-1] < HEIGHT


# --- The guide ------------------------------------------------------------------------------


def test_every_lesson_waits_for_something_that_is_there() -> None:
    for lesson in LESSONS:
        if isinstance(lesson.press, int):
            assert lesson.cells[lesson.press] != REMOVED
        elif lesson.press == ON_DRAW:
            assert lesson.hand == NO_CARD
        elif lesson.press == ON_DISCARD:
            assert LOWEST <= lesson.discard <= HIGHEST


def test_what_is_pressed_in_a_lesson_is_what_changes() -> None:
    for before, after in pairwise(LESSONS[:-1]):
        changed = {slot for slot in range(SLOTS) if before.cells[slot] != after.cells[slot]}
        gone = {slot for slot in changed if after.cells[slot] == REMOVED}
        assert changed - gone <= {before.press}
        assert not gone or before.press in gone
        placed = before.discard if before.picked else before.hand
        if placed != NO_CARD and isinstance(before.press, int) and not gone:
            assert after.cells[before.press] == placed


def test_no_lesson_shows_a_card_twice() -> None:
    """As at the table, a chosen discard stays on its pile until it has a place."""
    chosen = [lesson for lesson in LESSONS if lesson.picked]
    assert chosen
    assert all(lesson.hand == NO_CARD for lesson in chosen)
    for before, after in pairwise(LESSONS):
        assert before.press != ON_DISCARD or before.hand != NO_CARD or after.picked


def test_the_last_lesson_adds_up() -> None:
    points = sum(card for card in LESSONS[-1].cells if LOWEST <= card <= HIGHEST)
    assert points == 17
    assert f"{points} points" in LESSONS[-1].says


def test_the_opening_can_be_recognised() -> None:
    assert samples.until(2, samples.opening).state.phase == REVEAL


@pytest.mark.parametrize(("seat", "who"), [(0, "You"), (1, "Ben")])
def test_a_flip_is_told_with_the_discard_that_it_was_the_price_of(seat: int, who: str) -> None:
    def fits(game: Game) -> bool:
        last = game.log[-1] if game.log else None
        return isinstance(last, Ply) and last.seat == seat and verb_of(last.action) == FLIP_VERB

    scene = samples.seen(samples.table_of(samples.until(2, fits), 2))
    laid, turned = scene.recent[-2].card, scene.recent[-1].card
    assert happened(scene) == (
        f"{who} discarded the {number(laid)} and turned over the {number(turned)}."
    )


@pytest.mark.parametrize("turn", [0, 1])
def test_the_bar_says_nothing_twice(turn: int) -> None:
    game = samples.until(2, samples.at(PLACE_OR_DISCARD, turn=turn))
    scene = samples.seen(samples.table_of(game, 2))
    assert happened(scene) == ""
    assert ("drawn" if turn else "You drew") in todo(scene)
    assert "drew" in history(scene)[0]
    closed = samples.until(3, lambda each: each.state.finisher == 1 and each.state.turn == 2)
    scene = samples.seen(samples.table_of(closed, 3))
    assert "closed" not in happened(scene)
    assert "Ben closed the round" in todo(scene)


@pytest.mark.parametrize(
    ("phase", "ruleset"),
    [
        (PLACE_OR_DISCARD, Ruleset()),
        (FLIP, Ruleset(flip_after_discard=OPTIONAL)),
        (MAY_REMOVE, Ruleset(column_removal=PLAYER_CHOICE)),
    ],
)
def test_buttons_use_the_words_of_the_prompt(phase: int, ruleset: Ruleset) -> None:
    game = samples.until(2, lambda each: samples.at_turn(each, phase), ruleset)
    scene = samples.seen(samples.table_of(game, 2))
    for _action, label in board_of(scene).choices:
        assert label.split()[0].lower() in todo(scene)
