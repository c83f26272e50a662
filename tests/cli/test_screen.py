"""Boards and score sheets: everything is on them, in any size and with any name."""

from __future__ import annotations

import io
import re

import pytest
from rich.cells import cell_len
from rich.console import Console
from tests.bots.test_bots import play
from tests.kit.terminal import DRAWING, bare

from skyjo import Game, Ruleset, bots
from skyjo.chance import SeededChance
from skyjo.cli.board import FAMILIES, RichScreen, card_text, family, grid_lines
from skyjo.cli.hotseat import penalty_mark
from skyjo.cli.screen import PlainScreen, Screen, board_view
from skyjo.rules.layout import HIGHEST, LOWEST, REMOVED, SLOTS, UNKNOWN

NAMES = [
    "Ana",
    "A name that is far too long for a grid",
    "漢字のなまえ漢字のなまえ",
    "Ї",
    "🦊",
    "e\u0301",
    "[red]",
    "-",
]


def drawn(game: Game, color: bool = False, width: int = 80) -> list[str]:
    """A board as Rich draws it in so many columns."""
    file = io.StringIO()
    console = Console(
        file=file,
        width=width,
        force_terminal=True,
        color_system="truecolor" if color else None,
        legacy_windows=False,
        _environ={},
    )
    RichScreen(console).board(board_view(game, game.turn), game.players)
    return file.getvalue().splitlines()


def renamed(seats: int, plies: int, ruleset: str = "official") -> Game:
    game = play(["greedy"] * seats, Ruleset.parse(ruleset), seed=seats, plies=plies)
    game.players = tuple(NAMES[:seats])
    return game


@pytest.mark.parametrize("seats", range(2, 9))
@pytest.mark.parametrize("plies", [0, 40, 150])
def test_every_seat_fits_with_all_its_cards(seats: int, plies: int) -> None:
    game = renamed(seats, max(plies, 1))
    lines = drawn(game)
    assert len(lines) <= 15
    assert all(cell_len(bare(line)) <= 80 for line in lines)
    text = "\n".join(map(bare, lines))
    for name in NAMES[:seats]:
        assert name[: 5 if name.isascii() else 4] in text
    view = game.view()
    hidden = sum(view.hidden[:seats])
    width, lower = (5, 2) if seats <= 3 else (3, 1)
    assert text.count("░" * width) == hidden * lower
    assert text.count("A") >= seats


@pytest.mark.parametrize("card", range(LOWEST, HIGHEST + 1))
@pytest.mark.parametrize("width", [3, 5])
def test_every_card_shows_its_number(card: int, width: int) -> None:
    text = card_text(card, width)
    assert cell_len(text.plain) == width
    assert text.plain.strip() == str(card).replace("-", "\N{MINUS SIGN}")


def test_hidden_and_gone_are_not_mistaken_for_cards() -> None:
    shown = {card_text(card).plain for card in [*range(LOWEST, HIGHEST + 1), UNKNOWN, REMOVED]}
    assert len(shown) == 17


def test_the_five_families_differ_in_colour_and_glyph() -> None:
    found = [family(card) for card in range(LOWEST, HIGHEST + 1)]
    assert len(set(found)) == len({glyph for _style, glyph in found}) == 5
    assert [found.count(each) for each in dict.fromkeys(found)] == [2, 1, 4, 4, 4]


def luminance(colour: str) -> float:
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("style", [style for _highest, style, _glyph in FAMILIES])
def test_numbers_stand_out_from_their_ground(style: str) -> None:
    light, dark = sorted((luminance(colour) for colour in re.findall("#.{6}", style)), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 7


def test_whose_turn_who_closed_and_who_left_are_marked() -> None:
    game = play(["greedy"] * 4, Ruleset(), seed=4)
    closed = play(["random"] * 4, Ruleset(), seed=4, plies=1)
    while closed.state.finisher < 0:
        closed = play(["random"] * 4, Ruleset(), seed=4, plies=closed.plies + 1)
    seat = next(each for each in range(4) if each not in (closed.turn, closed.state.finisher))
    closed.play("leave", seat)
    text = "\n".join(map(bare, drawn(closed)))
    assert text.count("▶") == 1
    assert text.count("■") == 1
    assert "left" in text
    assert "▶" not in "\n".join(map(bare, drawn(game)))


def test_names_are_shown_as_they_are() -> None:
    assert "[red]" in "\n".join(map(bare, drawn(renamed(8, 60), color=True)))


def sheet(screen: str, game: Game, capsys: pytest.CaptureFixture[str]) -> str:
    shown: Screen = PlainScreen()
    if screen == "rich":
        shown = RichScreen(Console(width=80, highlight=False, markup=False, emoji=False))
    shown.sheet(game.score_sheet, penalty_mark(game.ruleset))
    return capsys.readouterr().out


@pytest.mark.parametrize("screen", ["rich", "plain"])
@pytest.mark.parametrize("seats", [2, 5, 8])
def test_the_score_sheet_is_the_paper_pad(
    screen: str, seats: int, capsys: pytest.CaptureFixture[str]
) -> None:
    game = play(["greedy"] * seats, Ruleset(), seed=seats)
    text = sheet(screen, game, capsys).replace("\N{MINUS SIGN}", "-")
    assert any(result.penalised for result in game.rounds)
    assert text.count(" x2") == sum(result.penalised for result in game.rounds)
    for result in game.rounds:
        points = [str(each) for each in result.points]
        pattern = rf"\b{result.number}\b.*?" + ".*?".join(rf"(?<!\d){each}\b" for each in points)
        assert re.search(pattern, text)
    assert re.search(".*?".join(["Total", *map(str, game.state.totals[:seats])]), text)
    best = game.winners[0]
    assert f"1. {game.players[best]} ({game.state.totals[best]})" in text
    assert "wins with a total of" in text
    if screen == "plain":
        assert not DRAWING.search(text)
    else:
        assert all(len(line) <= 80 for line in text.splitlines())


def test_the_leader_is_told_and_a_leaver_has_no_points(capsys: pytest.CaptureFixture[str]) -> None:
    game = play(["greedy"] * 3, Ruleset(), seed=3, plies=20)
    game.play("leave", 1)
    while not game.rounds:
        seat = next(seat for seat in range(3) if game.legal_actions(seat))
        game.play(bots.make("greedy").decide(game.view(seat), 3, game.plies), seat)
    text = sheet("plain", game, capsys)
    assert "1: -;" in text
    leader = min((0, 2), key=lambda seat: game.state.totals[seat])
    assert f"In the lead: {leader}" in text


def test_shared_ranks_are_equal(capsys: pytest.CaptureFixture[str]) -> None:
    game = play(["greedy"] * 3, Ruleset(max_rounds=1), seed=3)
    game.state.totals[:3] = [10, 10, 20]
    text = sheet("plain", game, capsys)
    assert "1. 0 (10)\n1. 1 (10)\n3. 2 (20)\n0 and 1 win together with a total of 10." in text


def test_plain_boards_name_every_place_of_the_seat_on_turn(
    capsys: pytest.CaptureFixture[str],
) -> None:
    game = play(["greedy"] * 3, Ruleset(), seed=3, plies=30)
    PlainScreen().board(game.view(game.turn), game.players)
    text = capsys.readouterr().out
    assert not DRAWING.search(text)
    assert len(re.findall(r"\b[A-D][1-3] (?:-?\d+|hidden|gone)", text)) == SLOTS
    assert text.count("total 0") == 3


@pytest.mark.parametrize(
    ("ruleset", "mark"),
    [
        ("official", "x2"),
        ("official penalty_multiplier=3", "x3"),
        ("official penalty_multiplier=1 penalty_flat=10", "+10"),
        ("official penalty_multiplier=1", ""),
        ("official penalty_flat=5 penalty_order=add_then_multiply", "+5x2"),
    ],
)
def test_the_mark_of_the_penalty_tells_what_it_does(ruleset: str, mark: str) -> None:
    assert penalty_mark(Ruleset.parse(ruleset)) == mark


@pytest.mark.parametrize("width", [20, 36, 40, 60])
@pytest.mark.parametrize("seats", [2, 3, 8])
def test_grids_stand_below_each_other_where_it_is_narrow(seats: int, width: int) -> None:
    game = renamed(seats, 40)
    lines = list(map(bare, drawn(game, width=width)))
    assert all(cell_len(line) <= width for line in lines)
    letters = [line for line in lines if line.split()[:4] == ["A", "B", "C", "D"]]
    assert "".join(letters).count("D") == seats
    text = "\n".join(lines)
    assert "Draw pile:" in text
    assert re.search(r"Discard pile: +\S", text)
    assert len(lines) <= 16 or seats > 4 or width == 20


@pytest.mark.parametrize("ruleset", ["official", "official penalty_scope=total"])
def test_a_round_that_is_over_is_not_counted_twice(
    ruleset: str, capsys: pytest.CaptureFixture[str]
) -> None:
    game = Game(["Ana", "Ben"], Ruleset.parse(ruleset))
    bot = bots.make("greedy")
    before: tuple[int, ...] = (0, 0)
    for number in (1, 2):
        game.deal(SeededChance(number).deck(number))
        while not game.needs_deal and not game.is_over:
            seat = game.turn if game.turn is not None else int(not game.legal_actions(0))
            game.play(bot.decide(game.view(seat), number, game.plies), seat)
        raw = game.rounds[-1].raw
        text = "\n".join(map(bare, drawn(game)))
        PlainScreen().board(board_view(game), game.players)
        told = capsys.readouterr().out
        for seat, name in enumerate(game.players):
            assert re.search(rf"{name} +{before[seat]}\+\(?{raw[seat]}", text)
            assert f"{name}: total {before[seat]}, open cards {raw[seat]}" in told
        before = game.rounds[-1].totals


def test_a_sum_below_zero_is_no_part_of_the_total() -> None:
    game = renamed(2, 1)
    view = game.view()
    view.cells[0:SLOTS] = [-1, *[UNKNOWN] * (SLOTS - 1)]
    line = next(grid_lines(view, ["Ana", "Ben"], 0, large=False))
    assert line.plain.endswith(" 0+(\N{MINUS SIGN}1)")


def test_a_score_sheet_that_does_not_fit_is_told_in_lines() -> None:
    game = play(["greedy"] * 8, Ruleset.parse("official"), seed=1)
    file = io.StringIO()
    RichScreen(Console(file=file, width=20)).sheet(game.score_sheet, "x2")
    told = " ".join(file.getvalue().split())
    for name, total in zip(game.players, game.score_sheet.totals, strict=True):
        assert f"{name}: {total}" in told
