"""What is written is read again: as text and JSON, with decks and without, running and over."""

from __future__ import annotations

import json
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.kit.games import Setup, random_setup
from tests.record.told import (
    TAGS,
    game_with,
    played,
    random_games,
    read,
    read_one,
    replayed,
    small_game,
    without_decks,
)

from skyjo.chance import SeededChance
from skyjo.game import Game
from skyjo.record import positions, record_json, record_text, visible_text
from skyjo.rules.layout import HIDDEN, HIGHEST, PLACE_OR_DISCARD, SLOTS, UNKNOWN
from skyjo.rules.plies import Deal, Ply, Reshuffle

EXAMPLES = settings(max_examples=40)


@EXAMPLES
@given(random_games)
def test_a_game_is_the_same_after_text_and_json(game: Game) -> None:
    text = record_text(game, TAGS)
    for told in (text, record_json(game, TAGS)):
        record = read_one(told)
        assert record.game == game
        assert record.tags == TAGS
        assert list(record.tags) == list(TAGS)
        assert record_text(record.game, record.tags) == text
        assert record_json(record.game, record.tags) == record_json(game, TAGS)


@EXAMPLES
@given(random_games)
@example(played(Setup(("official", {}), seats=3, pilot="leaver", seed=3), 1.0))
def test_without_decks_everything_public_is_told(game: Game) -> None:
    text = without_decks(record_text(game, TAGS))
    public = read_one(text).game
    assert record_text(public, TAGS) == text
    assert record_text(read_one(record_json(public, TAGS)).game, TAGS) == text
    for (entry, now), (_entry, told) in zip(positions(game), positions(public), strict=True):
        if isinstance(entry, Ply):
            assert now.log[-1] == told.log[-1]
        assert now.view(now.turn).values() == told.view(now.turn).values()
    assert game.view().values() == public.view().values()
    assert game.score_sheet == public.score_sheet


@EXAMPLES
@given(random_games, st.integers(0, 7))
def test_the_record_for_a_seat_tells_what_the_seat_may_know(game: Game, seat: int) -> None:
    viewer = seat if seat < len(game.players) else None
    text = visible_text(game, TAGS, viewer)
    if not game.is_over:
        assert "deck" not in text
        assert "Seed" not in text
    record = read_one(text)
    assert record_text(record.game, record.tags) == text
    told, known = record.game.view(), game.view()
    assert told.values() == known.values()
    assert [entry for entry in record.game.log if isinstance(entry, Ply)] == [
        entry for entry in game.visible_log(viewer) if isinstance(entry, Ply)
    ]


@EXAMPLES
@given(random_games, st.integers(0, 7), st.integers(0, 2**32))
def test_unseen_cards_change_nothing_in_the_record_for_a_seat(
    game: Game, seat: int, seed: int
) -> None:
    """Bar 8 of the project: what a seat cannot see is nowhere in what it is given."""
    viewer = seat if seat < len(game.players) else None
    other = with_unseen_cards_permuted(game, viewer, Random(seed))
    assert visible_text(other, TAGS, viewer) == visible_text(game, TAGS, viewer)


def with_unseen_cards_permuted(game: Game, viewer: int | None, rng: Random) -> Game:
    """The same course of play over another deck, as far as the viewer can tell."""
    s = game.state
    if game.is_over or not s.round or s.reshuffles or s.discard_down:
        return game
    last = max(i for i, entry in enumerate(game.log) if isinstance(entry, Deal))
    deal = game.log[last]
    assert isinstance(deal, Deal)
    places = [cell for cell in range(s.seats * SLOTS) if UNKNOWN > s.cells[cell] > HIGHEST]
    places += range(150 - s.draw_size, 150)
    if s.phase == PLACE_OR_DISCARD and viewer != s.turn:
        places.append(150 - s.draw_size - 1)
    deck, order = list(deal.deck), rng.sample(places, len(places))
    for place, source in zip(places, order, strict=True):
        deck[place] = deal.deck[source]
    other = replayed(game, last)
    other.deal(deck)
    for entry in game.log[last + 1 :]:
        assert isinstance(entry, Ply)
        other.play(entry.action, entry.seat)
    return other


def drawn(game: Game) -> Game:
    """The game, one draw further."""
    while game.state.phase != PLACE_OR_DISCARD:
        seat = next(seat for seat in range(len(game.players)) if game.legal_actions(seat))
        legal = game.legal_actions(seat)
        game.play(1 if 1 in legal else legal[0], seat)
    return game


def test_a_drawn_card_is_told_to_its_drawer_only() -> None:
    game = Game(["Ana", "Ben"])
    game.deal(SeededChance(1).deck(1))
    turn = drawn(game).turn
    assert turn is not None
    own, other = visible_text(game, seat=turn), visible_text(game, seat=1 - turn)
    assert own.endswith(f"{turn + 1} draw: {game.state.hand}\n")
    assert other.endswith(f"{turn + 1} draw: ?\n")
    assert visible_text(game) == other
    view = read_one(other).game.view()
    assert view.hand == UNKNOWN
    game.play("swap r0c0", turn)
    assert "?" not in visible_text(game)


def test_a_drawn_card_stays_hidden_when_somebody_leaves() -> None:
    game = Game(["Ana", "Ben", "Cleo"])
    game.deal(SeededChance(1).deck(1))
    turn = drawn(game).turn
    assert turn is not None
    game.play("leave", (turn + 1) % 3)
    text = visible_text(game)
    assert f"{turn + 1} draw: ?\n" in text
    assert record_text(read_one(text).game) == text


def test_a_card_in_hand_at_the_end_is_never_told() -> None:
    game = Game(["Ana", "Ben"])
    game.deal(SeededChance(1).deck(1))
    turn = drawn(game).turn
    assert turn is not None
    game.play("leave", 1 - turn)
    text = visible_text(game)
    assert f"{turn + 1} draw: ?\n" in text
    assert text.endswith(f"winner {turn + 1} by forfeit\n")
    assert record_text(read_one(text).game) == text
    assert f"draw: {game.state.hand}" in record_text(game)


@pytest.mark.parametrize(
    "rules",
    [
        "family-facedown",
        "family-facedown empty_draw=reshuffle_all_flip_top",
        "official empty_draw=reshuffle_all_flip_top",
        "official",
    ],
)
@pytest.mark.parametrize("pilot", ["drawer", "staller"])
def test_reshuffles_without_their_order(rules: str, pilot: str) -> None:
    base, _, override = rules.partition(" ")
    overrides = dict([override.split("=")]) if override else {}

    def setups(seed: int) -> Setup:
        return Setup((base, {**overrides, "max_rounds": 1}), 8, pilot, seed)

    game = game_with(
        lambda game: sum(isinstance(entry, Reshuffle) for entry in game.log) >= 2, setups
    )
    text = without_decks(record_text(game))
    assert text.count("\nreshuffle discard ") >= 2
    public = read_one(text).game
    assert record_text(public) == text
    for (_entry, now), (_told, then) in zip(positions(game), positions(public), strict=True):
        assert now.view().values() == then.view().values()


def test_a_game_resumed_without_its_deck_tells_its_later_reshuffles() -> None:
    """The deck is not known, but what is shuffled from now on is."""
    for seed in range(3):
        game = game_with(
            lambda game: any(isinstance(entry, Reshuffle) for entry in game.log),
            lambda number, seed=seed: Setup(  # type: ignore[misc]
                ("family-facedown", {"max_rounds": 1}), 8, "drawer", 100 * seed + number
            ),
        )
        half = next(i for i, entry in enumerate(game.log) if isinstance(entry, Reshuffle)) - 1
        public = read_one(without_decks(record_text(replayed(game, half)))).game
        chance, rng = SeededChance(seed), Random(seed)
        while not public.is_over:
            s = public.state
            if public.needs_reshuffle:
                cards = public.cards_to_reshuffle
                public.reshuffle(chance.reshuffle(cards, 1, s.reshuffles + 1))
            seat = next(seat for seat in range(8) if public.legal_actions(seat))
            public.play(rng.choice(public.legal_actions(seat)), seat)
            assert s.reshuffles < 20
        text = record_text(public)
        assert text.count("\ndeck ") == public.state.reshuffles > 0
        again = read_one(text).game
        assert again == public
        assert record_text(again) == text


def test_hidden_cards_that_were_not_told_are_always_the_same() -> None:
    text = without_decks(record_text(replayed(small_game(), 4)))
    assert read_one(text).game == read_one(text).game


@EXAMPLES
@given(st.lists(st.text(max_size=30), min_size=2, max_size=8), st.text(max_size=200))
def test_names_may_hold_anything(names: list[str], value: str) -> None:
    game = Game(names)
    text = record_text(game, {"Note": value})
    assert text.count("\n") == len(names) + 3
    for told in (text, record_json(game, {"Note": value})):
        record = read_one(told)
        assert record.game.players == tuple(names)
        assert record.tags == {"Note": value}


def test_many_games_in_one_file() -> None:
    games = [random_setup(seed) for seed in range(4)]
    from tests.record.told import played

    texts = [record_text(played(setup), {"Number": str(setup.seed)}) for setup in games]
    for glue in ("", "\n", "\n\n# a comment\n"):
        records = read(glue.join(texts))
        assert [record_text(record.game, record.tags) for record in records] == texts
    records = read("\n".join(texts))
    assert [record.line for record in records][:2] == [1, texts[0].count("\n") + 2]
    in_json = "\n".join(record_json(record.game, record.tags) for record in records)
    assert [record_text(each.game, each.tags) for each in read(in_json)] == texts
    pretty = "".join(json.dumps(json.loads(line), indent=1) for line in in_json.splitlines())
    assert [record_text(each.game, each.tags) for each in read(pretty)] == texts


def test_json_is_one_plain_document() -> None:
    document = json.loads(record_json(small_game(), TAGS))
    assert document["players"] == ["Ana", "Ben"]
    assert document["tags"] == TAGS
    assert document["log"][1] == {"seat": 1, "action": "reveal r2c1", "card": 8}
    assert document["log"][-1]["winners"] == [2]


def test_files_edited_elsewhere_are_read() -> None:
    text = record_text(small_game(), TAGS)
    edited = "\n# played at home\n" + text.replace("\n1 take: 8\n", "\n\n  1  take :8  # lucky\n\n")
    for variant in (
        edited,
        edited.replace("\n", "\r\n"),
        "\ufeff" + edited,
        text + "\ufeff" + text,
        text.replace("deck ", "\tdeck  "),
        text.replace('[Date "2026', '[ Date\t"2026').replace('29"]', '29" ] # a day'),
    ):
        for record in read(variant):
            assert record_text(record.game, record.tags) == text


def test_cells_that_are_hidden_are_marked_as_the_test_believes() -> None:
    game = small_game()
    assert UNKNOWN > HIDDEN + HIGHEST > HIGHEST
    assert all(cell <= HIGHEST for cell in game.state.cells[: 2 * SLOTS])
