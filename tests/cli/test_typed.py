"""What people type, in every phase and notation."""

from __future__ import annotations

import pytest
from tests.kit.positions import after, position, seen

from skyjo import i18n
from skyjo.cli import typed
from skyjo.errors import MalformedError
from skyjo.rules.actions import action_name
from skyjo.rules.layout import COLUMNS, SLOTS, State, View

GRID = "4 ?1 ?1 ?1 / 4 ?1 ?1 ?1 / ?4 ?1 ?1 ?1"
CHOICE = "official column_removal=player_choice"
HIDDEN = " / ".join([" ".join(["?1"] * 4)] * 3)


def in_phase(phase: str) -> State:
    if phase == "reveal":
        return position(HIDDEN, other=HIDDEN, phase="reveal")
    state = position(GRID, CHOICE, draw=[12])
    played = {
        "choose": [],
        "must_swap": ["take"],
        "place_or_discard": ["draw"],
        "flip": ["draw", "discard"],
        "may_remove": ["draw", "discard", "flip r2c0"],
    }
    return after(state, *played[phase])


def meant(line: str, view: View) -> str:
    understood = typed.understand(line.split(), view)
    if understood.command:
        return understood.command
    return "nowhere" if understood.action is None else action_name(understood.action)


@pytest.mark.parametrize(
    ("phase", "line", "meaning"),
    [
        ("reveal", "b2", "reveal r1c1"),
        ("reveal", "flip b2", "flip r1c1"),
        ("choose", "t", "take"),
        ("choose", "TAKE", "take"),
        ("choose", "dr", "draw"),
        ("choose", "d", "draw"),
        ("choose", "b2", "swap r1c1"),
        ("must_swap", "d3", "swap r2c3"),
        ("must_swap", "swap A1", "swap r0c0"),
        ("place_or_discard", "x", "discard"),
        ("place_or_discard", "disc", "discard"),
        ("place_or_discard", "34", "swap r2c3"),
        ("flip", "1b", "flip r0c1"),
        ("flip", "r2c3", "flip r2c3"),
        ("flip", "p", "pass"),
        ("may_remove", "a", "remove c0"),
        ("may_remove", "d", "remove c3"),
        ("may_remove", "1", "remove c0"),
        ("choose", "т", "take"),
        ("choose", "д", "draw"),
        ("choose", "В2", "swap r1c1"),
        ("must_swap", "swap д3", "swap r2c3"),
        ("place_or_discard", "х", "discard"),
        ("flip", "р", "pass"),
        ("flip", "п", "pass"),
        ("may_remove", "а", "remove c0"),
        ("may_remove", "a3", "remove c0"),
        ("may_remove", "remove B", "remove c1"),
        ("may_remove", "remove b2", "remove c1"),
        ("may_remove", "p", "pass"),
        ("choose", "q", "quit"),
        ("choose", "h", "help"),
        ("flip", "?", "help"),
        ("flip", "s", "scores"),
        ("flip", "lea", "leave"),
        ("flip", "e1", "nowhere"),
        ("flip", "a4", "nowhere"),
        ("flip", "a0", "nowhere"),
        ("flip", "r3c0", "nowhere"),
        ("flip", "flip 99", "nowhere"),
    ],
)
def test_what_is_meant(phase: str, line: str, meaning: str) -> None:
    assert meant(line, seen(in_phase(phase))) == meaning


@pytest.mark.parametrize("line", ["zz", "z", "tä", "r", "abc3", "-1", "b-2", "²2", "٣3", "re"])
def test_what_nobody_can_mean(line: str) -> None:
    with pytest.raises(MalformedError, match="is not understood"):
        meant(line, seen(in_phase("choose")))


@pytest.mark.parametrize("line", ["swap", "swap x", "remove", "remove e"])
def test_a_verb_without_its_place_is_told_what_is_missing(line: str) -> None:
    with pytest.raises(MalformedError, match=r"Say which (place|column)"):
        meant(line, seen(in_phase("flip")))


def test_what_stands_behind_is_kept() -> None:
    understood = typed.understand(["x", "b2", "t"], seen(in_phase("place_or_discard")))
    assert understood.rest == ("b2", "t")
    assert typed.understand(["swap", "b2", "t"], seen(in_phase("must_swap"))).rest == ("t",)


@pytest.mark.parametrize("language", [language.code for language in i18n.available_languages()])
def test_words_are_understood_in_english_and_in_the_readers_language(language: str) -> None:
    view = seen(in_phase("choose"))
    with i18n.use_language(language):
        local = typed.words()
        assert len(set(local.values())) == len(local)
        for english, word in local.items():
            assert len(word.split()) == 1
            for spelling in (english, word, word.upper()):
                line = f"{spelling} a" if english == "remove" else f"{spelling} a1"
                found = meant(line, view)
                assert found.split()[0] == english, (language, spelling)


@pytest.mark.parametrize(
    ("phase", "keys", "said"),
    [
        ("reveal", "A1-D3/?", "Type the place to turn over: A1, B1"),
        ("choose", "t/d/?", "Type t to take the top discard, or d to draw a card."),
        ("must_swap", "A1-D3/?", "Type the place for the card: A1, B1"),
        ("place_or_discard", "A1-D3/x/?", "or x to discard it."),
        ("flip", "B1-D3/?", "Type the place to turn over: B1, C1, D1, B2"),
        ("may_remove", "A/p/?", "Type the column to remove (A), or p to pass."),
    ],
)
def test_what_is_possible_is_told_in_every_phase(phase: str, keys: str, said: str) -> None:
    view = seen(in_phase(phase))
    assert typed.keys(view) == keys
    assert said in typed.possible(view)
    assert typed.possible(view) in typed.help_lines(view)


def test_only_the_possible_source_is_offered() -> None:
    assert typed.possible(seen(position(GRID, draw=[]))) == "Type t to take the top discard."
    assert typed.possible(seen(position(GRID, discard=[]))) == "Type d to draw a card."


def test_an_optional_flip_offers_to_pass() -> None:
    view = seen(after(position(GRID, "family", draw=[12]), "draw", "discard"))
    assert typed.possible(view).endswith("or p to pass.")
    assert typed.keys(view) == "B1-D3/p/?"


def test_every_label_is_read_as_its_place() -> None:
    labels = typed.places(seen(position(HIDDEN, other=HIDDEN, phase="reveal")))
    assert [typed.read_place(label) for label in labels] == list(range(SLOTS))
    assert len({label[0] for label in labels}) == COLUMNS
