"""The pad reckons as the game does, because it asks the same functions."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.kit.games import plies, random_setup
from tests.kit.pads import entry

from skyjo.game import Game, RoundResult
from skyjo.rules.layout import CARD_COUNTS, LOWEST
from skyjo.rules.ruleset import FARTHEST_TOTAL, Ruleset
from skyjo.scorepad.entry import Entry
from skyjo.scorepad.questions import bounds, questions
from skyjo.scorepad.reckoning import count_cards, reckon

NAMES = ("Ana", "Ben", "Cleo")


def as_entered(result: RoundResult) -> Entry:
    """A round of a real game as somebody beside it would write it down."""
    return Entry(result.raw, -1 if result.finisher is None else result.finisher)


@pytest.mark.parametrize("seed", range(60))
def test_a_pad_beside_a_real_game_comes_to_the_same(seed: int) -> None:
    game: Game | None = None
    for pair in plies(random_setup(seed), checked=False):
        game = pair.game
    assert game is not None
    left = [bool(each) for each in game.state.left[: len(game.players)]]
    found = reckon(game.players, game.ruleset, [as_entered(each) for each in game.rounds], left)
    assert [each.totals for each in found.sheet.rounds] == [each.totals for each in game.rounds]
    assert [each.points for each in found.sheet.rounds] == [each.points for each in game.rounds]
    assert [each.penalised for each in found.sheet.rounds] == [
        each.penalised for each in game.rounds
    ]
    if game.is_over and game.rounds:
        assert found.is_over
        assert found.sheet.ranks == game.score_sheet.ranks
        assert found.sheet.winners == game.winners
    # In a round that nobody closed it matters who began, which nobody writes on a pad.
    known = all(each.finisher is not None for each in game.rounds)
    if game.needs_deal and game.rounds and known and not any(left):
        starter = game.state.next_starter
        assert found.starter == (None if starter < 0 else starter)


def test_penalty_by_the_rules_and_overruled() -> None:
    due = entry(10, 7, 30, closer=0)
    plain = reckon(NAMES, Ruleset(), [due])
    assert (plain.sheet.totals, plain.due, plain.overruled) == ((20, 7, 30), (True,), (False,))
    spared = reckon(NAMES, Ruleset(), [replace(due, penalty="no")])
    assert (spared.sheet.totals, spared.due, spared.overruled) == ((10, 7, 30), (True,), (True,))
    punished = reckon(NAMES, Ruleset(), [entry(5, 7, 30, penalty="yes")])
    assert (punished.sheet.totals, punished.due) == ((10, 7, 30), (False,))
    nobody = reckon(NAMES, Ruleset(), [entry(5, 7, 30, closer=-1, penalty="yes")])
    assert nobody.sheet.totals == (5, 7, 30)


def test_a_tie_is_punished_where_the_rules_say_so() -> None:
    tie = entry(10, 10, 24)
    assert reckon(NAMES, Ruleset(), [tie]).sheet.totals == (20, 10, 24)
    assert reckon(NAMES, Ruleset.preset("lenient"), [tie]).sheet.totals == (10, 10, 24)


def test_zero_and_below_are_exempt_or_not() -> None:
    below = entry(-1, -2, 24)
    assert reckon(NAMES, Ruleset(), [below]).sheet.totals == (-1, -2, 24)
    assert reckon(NAMES, Ruleset.preset("family"), [below]).sheet.totals == (-2, -2, 24)


def test_a_penalty_on_the_total() -> None:
    rules = Ruleset.parse("official penalty_scope=total")
    found = reckon(NAMES, rules, [entry(10, 20, 30), entry(10, 5, 5)])
    assert found.sheet.totals == (40, 25, 35)
    assert found.sheet.rounds[1].points == (10, 5, 5)


def test_a_penalty_on_the_total_again_and_again_makes_no_endless_numbers() -> None:
    rules = Ruleset.parse("official penalty_scope=total penalty_multiplier=10")
    for points in (-9999, 9999):
        found = reckon(NAMES, rules, [entry(points, 0, 0, penalty="yes")] * 400)
        assert abs(found.sheet.totals[0]) == FARTHEST_TOTAL


def test_the_end_with_a_shared_win() -> None:
    found = reckon(NAMES, Ruleset(target=50), [entry(1, 20, 20), entry(19, 0, 60, closer=1)])
    assert found.is_over
    assert found.sheet.ranks == (1, 1, 3)
    assert found.sheet.winners == (0, 1)
    assert found.starter is None
    assert not reckon(NAMES, Ruleset(target=50), [entry(1, 20, 49)]).is_over


def test_a_game_that_is_ended_early_has_ranks() -> None:
    found = reckon(NAMES, Ruleset(), [entry(1, 20, 20)], ended=True)
    assert found.sheet.ranks == (1, 2, 2)
    assert found.sheet.winners == (0,)


def test_who_goes_home_has_no_rank_and_starts_nothing() -> None:
    rounds = [entry(1, 20, 20), entry(None, 3, 4, closer=1)]
    found = reckon(NAMES, Ruleset(), rounds, [True, False, False], ended=True)
    assert found.sheet.ranks == (None, 1, 2)
    assert found.sheet.rounds[1].points == (None, 3, 4)
    running = reckon(NAMES, Ruleset(), rounds[:1], [True, False, False])
    assert running.starter == 1


def test_the_next_starter_follows_the_ruleset() -> None:
    rounds = [entry(10, 3, 4)]
    assert reckon(NAMES, Ruleset(), rounds).starter == 0
    assert reckon(NAMES, Ruleset.preset("family"), rounds).starter == 1
    assert reckon(NAMES, Ruleset.preset("official-fr"), rounds).starter is None
    assert reckon(NAMES, Ruleset(), []).starter is None
    assert reckon(NAMES, Ruleset(), [entry(1, 2, 3, closer=-1)]).starter is None


def test_cards_are_counted_as_the_ruleset_does() -> None:
    column = (12, 1, 2, 3, 12, 1, 2, -2, 12, 4, 5, 6)
    assert count_cards(Ruleset(), column).points == 22
    assert count_cards(Ruleset.preset("plain"), column).points == 58
    gone = (None, 1, 2, 3, None, 1, 2, -2, None, 4, 5, 6)
    assert count_cards(Ruleset(), gone).points == 22
    assert count_cards(Ruleset(), column).counts[:2] == (False, True)
    rows = (7, 7, 7, 7, *column[4:])
    assert count_cards(Ruleset.parse("official row_removal=on"), rows).points == 40
    assert count_cards(Ruleset(), (0,) * 12).points == 0


def codes(*points: int, closer: int = 0, rules: str = "official", **more: object) -> list[str]:
    found = questions(Ruleset.parse(rules), NAMES, Entry(points, closer), **more)  # type: ignore[arg-type]
    assert all(str(each) for each in found)
    return [each.code for each in found]


def test_ordinary_points_raise_no_questions() -> None:
    assert codes(5, 12, 33) == []
    assert codes(-17, 0, 140) == []
    assert codes(0, 0, 0, before=[entry(0, 0, 0)]) == []


def test_strange_points_are_asked_about() -> None:
    assert codes(-18, 3, 4) == ["too_low"]
    assert codes(141, 3, 4) == ["too_high"]
    assert codes(142, 3, 4, rules="plain") == []
    assert codes(-17, -17, 3) == ["all_too_low"]
    assert codes(140, 140, 140) == ["all_too_high"]
    assert codes(1, 3, 4, closer=-1) == ["nobody_closed"]
    assert codes(1, 3, 4, closer=-1, rules="official turn_limit=20") == []
    assert codes(1, 3, 4, before=[entry(1, 3, 4)]) == ["same_again"]


def test_more_cards_than_there_are() -> None:
    row = (-2, -2, -2, 0)
    cards = (row * 3, (), ())
    found = questions(Ruleset(), NAMES, Entry((-18, 3, 4), 0, cards=cards))
    assert [each.code for each in found] == ["too_low", "too_many"]
    assert "9" in str(found[1])


def test_bounds_are_what_the_deck_allows() -> None:
    deck = sorted(value + LOWEST for value, count in enumerate(CARD_COUNTS) for _ in range(count))
    plain = Ruleset.preset("plain")
    assert bounds(plain) == (sum(deck[:12]), sum(deck[-12:]))
    assert bounds(plain, 3) == (-20, sum(deck[-36:]))
