"""What happened, in sentences: every kind of ply, every viewer, every language."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.bots.test_bots import play
from tests.kit.positions import after, position, seen
from tests.kit.rulesets import Chosen, rulesets

from skyjo import Game, Ruleset
from skyjo.game import RoundResult
from skyjo.i18n import available_languages, use_language
from skyjo.rules.actions import action_id, parse_action
from skyjo.rules.layout import GAME_OVER, NOBODY, ROUND_OVER
from skyjo.rules.plies import Line, Ply, TurnedUp
from skyjo.rules.ruleset import KNOBS, PRESETS
from skyjo.rules.view import visible_log
from skyjo.words import (
    MINUS,
    about_ruleset,
    explain_penalty,
    list_of,
    rules_in_words,
    status,
    tell,
    tell_end,
    tell_round,
)

PLAYERS = ("Ana", "Ben", "Cleo")
LANGUAGES = [language.code for language in available_languages()]


def ply(action: str, seat: int = 0, **what: Any) -> Ply:
    return Ply(seat, action_id(*parse_action(action)), **what)


@pytest.mark.parametrize(
    ("what", "yours", "theirs"),
    [
        (
            ply("take", card=5),
            "You take the 5 from the discard pile.",
            "Ana takes the 5 from the discard pile.",
        ),
        (ply("draw"), "You draw a card.", "Ana draws a card."),
        (ply("draw", card=-2), f"You draw the {MINUS}2.", f"Ana draws the {MINUS}2."),
        (ply("discard", card=0), "You discard the 0.", "Ana discards the 0."),
        (ply("pass"), "You pass.", "Ana passes."),
        (ply("reveal r0c0", card=12), "You turn over A1: 12.", "Ana turns over A1: 12."),
        (ply("flip r2c3", card=1), "You turn over D3: 1.", "Ana turns over D3: 1."),
        (
            ply("swap r1c1", card=3, replaced=9),
            "You put the 3 on B2, and the 9 goes on the discard pile.",
            "Ana puts the 3 on B2, and the 9 goes on the discard pile.",
        ),
        (
            ply("swap r1c1", card=3, replaced=9, was_hidden=True),
            "You put the 3 on B2; the hidden card there was the 9.",
            "Ana puts the 3 on B2; the hidden card there was the 9.",
        ),
        (
            ply("remove c2", lines=(Line(0, 2),)),
            "Your column C goes on the discard pile.",
            "Column C of Ana goes on the discard pile.",
        ),
        (ply("leave"), "You leave the game.", "Ana leaves the game."),
        (
            ply("leave", card=7),
            "You leave the game. The 7 in hand goes on the discard pile.",
            "Ana leaves the game. The 7 in hand goes on the discard pile.",
        ),
        (
            ply("flip r2c3", card=1, lines=(Line(0, 3), Line(0, 6)), closed=True),
            (
                "You turn over D3: 1. Your column D goes on the discard pile. Your row 3 goes on"
                " the discard pile. You have no hidden card left and close the round."
            ),
            (
                "Ana turns over D3: 1. Column D of Ana goes on the discard pile. Row 3 of Ana goes"
                " on the discard pile. Ana has no hidden card left and closes the round."
            ),
        ),
    ],
)
def test_an_action_is_told_to_who_does_it_and_to_the_others(
    what: Ply, yours: str, theirs: str
) -> None:
    assert tell(what, PLAYERS, 0) == yours
    assert tell(what, PLAYERS, 1) == theirs
    assert tell(what, PLAYERS) == theirs


def test_the_end_of_a_round_is_told_in_its_order() -> None:
    """First what the action did, then the final reveal and what went by it."""
    what = ply(
        "flip r0c0",
        seat=1,
        card=4,
        lines=(Line(1, 0), Line(0, 2), Line(1, 3)),
        turned_up=(TurnedUp(0, 2, 3), TurnedUp(1, 7, 5)),
        ends="round",
    )
    assert tell(what, PLAYERS, 0) == (
        "Ben turns over A1: 4. Column A of Ben goes on the discard pile."
        " All hidden cards are turned over. Your column C goes on the discard pile."
        " Column D of Ben goes on the discard pile. The round is over."
    )
    assert tell(replace(what, ends="game"), PLAYERS).endswith("The game is over.")


@pytest.mark.parametrize(
    ("names", "text"),
    [([], ""), (["Ana"], "Ana"), (["Ana", "Ben"], "Ana and Ben"), (PLAYERS, "Ana, Ben and Cleo")],
)
def test_names_are_enumerated(names: list[str], text: str) -> None:
    assert list_of(names) == text


GRID = "4 ?1 ?1 ?1 / 4 ?1 ?1 ?1 / ?4 ?1 ?1 ?1"
HIDDEN = " / ".join([" ".join(["?1"] * 4)] * 3)
CHOICE = "official column_removal=player_choice"


@pytest.mark.parametrize(
    ("ruleset", "played", "yours", "theirs"),
    [
        ("official", [], "Your turn: take the 5 or draw.", "It is Ana's turn."),
        (
            "official",
            ["take"],
            "You took the 5: choose a place for it.",
            "Ana has taken the 5 and looks for a place for it.",
        ),
        (
            "official",
            ["draw"],
            "You drew the 7: swap it in, or discard it and turn over a hidden card.",
            "Ana has drawn a card.",
        ),
        (
            "family",
            ["draw"],
            "You drew the 7: swap it in, or discard it.",
            "Ana has drawn a card.",
        ),
        (
            "official",
            ["draw", "discard"],
            "Turn over one of your hidden cards.",
            "Ana has discarded the drawn card and is to turn over a hidden one.",
        ),
        (
            "family",
            ["draw", "discard"],
            "Turn over one of your hidden cards, or pass.",
            "Ana has discarded the drawn card and is to turn over a hidden one.",
        ),
        (
            CHOICE,
            ["draw", "discard", "flip r2c0"],
            "You may remove a column of equal cards, or pass.",
            "Ana may remove a column.",
        ),
    ],
)
def test_the_status_says_what_to_do_or_whom_to_wait_for(
    ruleset: str, played: list[str], yours: str, theirs: str
) -> None:
    state = after(position(GRID, ruleset), *played)
    assert status(seen(state, 0), PLAYERS) == yours
    assert status(seen(state, 1), PLAYERS) == theirs
    assert status(seen(state, NOBODY), PLAYERS) == theirs


@pytest.mark.parametrize(
    ("piles", "said"),
    [
        ({"draw": []}, "Your turn: take the 5; nothing is left to draw."),
        ({"draw": [], "discard": [3, 5]}, "Your turn: take the 5 or draw."),
        ({"discard": []}, "Your turn: draw a card."),
        ({"discard_face_down": True}, "Your turn: take the hidden discard or draw."),
    ],
)
def test_the_status_offers_only_what_is_there(piles: dict[str, Any], said: str) -> None:
    assert status(seen(position(GRID, **piles)), PLAYERS) == said


def test_the_status_of_the_opening() -> None:
    state = position(HIDDEN, other=HIDDEN, phase="reveal")
    assert status(seen(state, 0), PLAYERS) == "Turn over 2 of your cards."
    assert "Ana and Ben have yet to turn over" in status(seen(state, NOBODY), PLAYERS)
    after(state, "reveal r0c0")
    assert status(seen(state, 0), PLAYERS) == "Turn over 1 more card."
    after(state, "reveal r0c1")
    assert status(seen(state, 0), PLAYERS) == "Ben has yet to turn over opening cards."
    in_order = position(HIDDEN, "official reveal_order=seat_order", other=HIDDEN, phase="reveal")
    assert status(seen(in_order, 0), PLAYERS) == "Turn over 2 of your cards."
    assert status(seen(in_order, 1), PLAYERS) == "Ana is to turn over opening cards."


def test_the_status_reminds_of_who_closed_the_round() -> None:
    closed = position(GRID, finisher="Ben", pending=["Ana"])
    assert status(seen(closed, 0), PLAYERS).endswith(
        "Ben closed the round: this is your last turn."
    )
    assert status(seen(closed, 1), PLAYERS).endswith(
        "You closed the round; the others play their last turns."
    )
    assert status(seen(closed, NOBODY), PLAYERS).endswith("Ben closed the round.")
    closed.pending[0], closed.turn = 1, NOBODY
    closed.turn = 1
    assert "you have one more turn" in status(seen(closed, 0), PLAYERS)


def test_the_status_between_rounds_and_after_the_game() -> None:
    state = position(GRID)
    state.phase, state.turn, state.next_starter = ROUND_OVER, NOBODY, 1
    assert status(seen(state, 1), PLAYERS) == "The round is over. You start the next one."
    assert status(seen(state, 0), PLAYERS) == "The round is over. Ben starts the next one."
    state.next_starter = NOBODY
    assert "The highest opening cards decide" in status(seen(state, 0), PLAYERS)
    state.round = 0
    assert "not been dealt yet" in status(seen(state, 0), PLAYERS)
    state.phase = GAME_OVER
    assert status(seen(state, 0), PLAYERS) == "The game is over."


def result(raw: tuple[int | None, ...], points: tuple[int | None, ...], **more: Any) -> RoundResult:
    given = {"number": 1, "starter": 0, "finisher": 0, "penalised": True, "turns": (), "lines": ()}
    totals = tuple(each or 0 for each in points)
    return RoundResult(**{**given, "raw": raw, "points": points, "totals": totals, **more})


@pytest.mark.parametrize(
    ("raw", "points", "totals", "sentences"),
    [
        (
            (10, 10, 24),
            (20, 10, 24),
            (20, 10, 24),
            [
                "You closed the round, but Ben has as few points: your 10 count as 20.",
                "Ana closed the round, but you have as few points: 10 count as 20.",
                "Ana closed the round, but Ben has as few points: 10 count as 20.",
            ],
        ),
        (
            (10, 12, -3),
            (20, 12, -3),
            (20, 12, -3),
            [
                "You closed the round, but Cleo has fewer points: your 10 count as 20.",
                "Ana closed the round, but Cleo has fewer points: 10 count as 20.",
                "Ana closed the round, but you have fewer points: 10 count as 20.",
            ],
        ),
        (
            (10, None, 10),
            (10, None, 10),
            (66, 5, 10),
            [
                "You closed the round, but Cleo has as few points: your total becomes 66.",
                "Ana closed the round, but Cleo has as few points: the total becomes 66.",
                "Ana closed the round, but you have as few points: the total becomes 66.",
            ],
        ),
        (
            (10, 9, 10),
            (10, 9, 10),
            (66, 9, 10),
            [
                "You closed the round, but Ben has fewer points: your total becomes 66.",
                "Ana closed the round, but you have fewer points: the total becomes 66.",
                "Ana closed the round, but Ben has fewer points: the total becomes 66.",
            ],
        ),
    ],
)
def test_a_penalty_is_explained_to_everybody(
    raw: tuple[int | None, ...],
    points: tuple[int | None, ...],
    totals: tuple[int, ...],
    sentences: list[str],
) -> None:
    ended = result(raw, points, totals=totals)
    assert [explain_penalty(ended, PLAYERS, seat) for seat in range(3)] == sentences
    assert explain_penalty(ended, PLAYERS).startswith("Ana closed the round, but ")
    assert tell_round(ended, PLAYERS, 0) == sentences[0]


def test_a_round_without_penalty() -> None:
    best = result((5, 10, 24), (5, 10, 24), penalised=False)
    assert explain_penalty(best, PLAYERS) == ""
    assert tell_round(best, PLAYERS) == "Ana closed the round and has the fewest points."
    assert tell_round(best, PLAYERS, 0) == "You closed the round and have the fewest points."
    free = result((15, 10, 24), (15, 10, 24), penalised=False)
    assert tell_round(free, PLAYERS) == "Ana closed the round."
    nobody = result((15, 10, 24), (15, 10, 24), penalised=False, finisher=None)
    assert tell_round(nobody, PLAYERS) == "Nobody closed the round."


def test_the_winner_is_told_once_the_game_is_over() -> None:
    game = play(["greedy"] * 3, Ruleset(max_rounds=1), seed=1)
    winner = game.winners[0]
    total = game.state.totals[winner]
    assert tell_end(game.score_sheet) == f"{winner} wins with a total of {total}."
    assert tell_end(game.score_sheet, winner) == f"You win with a total of {total}."
    game.state.totals[:3] = [7, 7, 7]
    assert tell_end(game.score_sheet) == "0, 1 and 2 win together with a total of 7."
    left = Game(["Ana", "Ben"])
    left.play("leave", 0)
    assert tell_end(left.score_sheet, 1) == "You win, because nobody else is left."
    assert tell_end(Game(["Ana", "Ben"]).score_sheet) == ""


def everything_said(game: Game, viewer: int) -> Iterator[str]:
    """All sentences about a game for a seat (NOBODY: an onlooker)."""
    seat = None if viewer == NOBODY else viewer
    for entry in visible_log(game.state, viewer, game.log):
        if isinstance(entry, Ply):
            yield tell(entry, game.players, seat)
    yield status(game.view(seat), game.players)
    for ended in game.rounds:
        yield tell_round(ended, game.players, seat)
    yield tell_end(game.score_sheet, seat) or "."
    yield from about_ruleset(game.ruleset)


@given(rulesets(), st.integers(2, 5), st.sampled_from(LANGUAGES), st.integers(1, 120))
@settings(max_examples=40)
def test_any_game_can_be_told_to_anybody_in_any_language(
    chosen: Chosen, seats: int, language: str, plies: int
) -> None:
    game = play(["random"] * seats, Ruleset.preset(chosen[0], chosen[1]), seed=plies, plies=plies)
    with use_language(language):
        for viewer in (NOBODY, 0, seats - 1):
            for sentence in everything_said(game, viewer):
                assert sentence.strip()
                assert not re.search(r"[{}]", sentence)


def test_a_drawn_card_is_not_told_to_the_others() -> None:
    game = play(["greedy"] * 2, Ruleset(), seed=1, plies=4)
    drawn = game.play("draw")
    other = 1 - drawn.seat
    last = [list(game.visible_log(seat))[-1] for seat in (drawn.seat, other)]
    assert isinstance(last[0], Ply)
    assert isinstance(last[1], Ply)
    assert tell(last[0], game.players, drawn.seat).startswith("You draw the ")
    assert tell(last[1], game.players, other) == f"{drawn.seat} draws a card."
    assert status(game.view(other), game.players) == f"{drawn.seat} has drawn a card."


@pytest.mark.parametrize("preset", PRESETS)
def test_a_ruleset_is_told_by_its_preset_and_what_differs(preset: str) -> None:
    assert about_ruleset(Ruleset.preset(preset)) == [PRESETS[preset].says]
    lines = about_ruleset(Ruleset.preset(preset, {"target": 50, "max_rounds": 3}))
    assert lines[1:] == ["Points that end the game: 50", "Most rounds: 3"]


def test_every_knob_is_told_with_its_label() -> None:
    for knob in KNOBS:
        number = next(
            (value.number for value in knob.values if value.number != knob.default),
            knob.default + 3,
        )
        changed = Ruleset(**{knob.name: number})
        lines = about_ruleset(changed)
        nearest = changed.overrides(changed.nearest_preset())
        assert len(lines) == 1 + len(nearest)
        assert any(line.startswith(f"{knob.label}: ") for line in lines) == (knob.name in nearest)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_rules_write_negative_cards_with_a_real_minus_sign(language: str) -> None:
    with use_language(language):
        text = " ".join(each for _, paragraphs in rules_in_words(Ruleset()) for each in paragraphs)
    assert f"{MINUS}2" in text
    assert not re.search(r"(?<!\w)-\d", text)
