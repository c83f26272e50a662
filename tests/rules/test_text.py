"""The rules in words: whatever a knob changes in the game, it changes in the text."""

from __future__ import annotations

import re
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kit.rulesets import Chosen, rulesets

from skyjo.i18n import available_languages, use_language
from skyjo.rules.ruleset import KNOBS, PRESETS, Knob, Ruleset
from skyjo.rules.text import rules_text
from skyjo.words import rules_in_words

LANGUAGES = [language.code for language in available_languages()]

#: Where a knob changes nothing by itself, the house rules under which it does.
NEEDED = {"penalty_order": "penalty_flat=5"}


def text(ruleset: str | Ruleset) -> str:
    """The whole text in the current language."""
    rules = Ruleset.parse(ruleset) if isinstance(ruleset, str) else ruleset
    return "\n".join("\n".join([title, *paragraphs]) for title, paragraphs in rules_in_words(rules))


def values(knob: Knob) -> list[str]:
    if knob.values:
        return [value.name for value in knob.values]
    numbers = [str(number) for number in range(knob.least, knob.least + 3)]
    return [*numbers, "none"] if knob.none else numbers


@pytest.mark.parametrize("knob", KNOBS, ids=lambda knob: knob.name)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_value_of_every_knob_changes_the_text(knob: Knob, language: str) -> None:
    base = NEEDED.get(knob.name, "")
    with use_language(language):
        texts = [text(f"official {base} {knob.name}={value}") for value in values(knob)]
    for one, other in combinations(texts, 2):
        assert one != other


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_preset_reads_whole_in_every_language(preset: str, language: str) -> None:
    with use_language(language):
        whole = text(preset)
    assert len(whole) > 2000
    assert not re.search(r"[{}]", whole)


@given(rulesets(), st.sampled_from(LANGUAGES))
def test_any_house_rules_read_whole(chosen: Chosen, language: str) -> None:
    ruleset = Ruleset.preset(chosen[0], chosen[1])
    with use_language(language):
        for title, paragraphs in rules_in_words(ruleset):
            assert title
            assert paragraphs
            for paragraph in paragraphs:
                assert paragraph.strip() == paragraph != ""
                assert not re.search(r"[{}]|  ", paragraph)


@given(rulesets())
def test_the_sections_are_always_the_same(chosen: Chosen) -> None:
    sections = rules_text(Ruleset.preset(chosen[0], chosen[1]))
    assert [section.number for section in sections] == [
        section.number for section in rules_text(Ruleset())
    ]
    assert len({section.title for section in sections}) == len(sections)


@pytest.mark.parametrize(
    ("ruleset", "said", "unsaid"),
    [
        ("official", "the column goes at once", "you may remove the column"),
        ("official", "started by the player who closed the round before", "fewest points in the"),
        ("official", "as few points in this round or fewer", "A tie is not punished"),
        ("official", "Points of zero or below are never punished", "no exception"),
        ("official", "total of 100 or more", "over after round"),
        ("official-fr", "In every round the player whose two opening cards", "In the first round"),
        ("plain", "every card stays and counts", "at once"),
        ("plain", "then you must turn over", "or pass"),
        ("family", "then you may turn over one of your hidden cards, or pass", "must turn over"),
        (
            "family",
            "fewest points in the round before, counted after the penalty",
            "closed the round before",
        ),
        ("family", "A tie is not punished", "as few points"),
        ("family", "no exception", "never punished"),
        ("family-columns", "Columns of three equal cards go then, too", "every card stays"),
        ("family-facedown", "laid face down beside the draw pile", "laid face up beside"),
        ("lenient", "A tie is not punished", "no exception"),
        ("official penalty_when=never penalty_multiplier=7", "There is none", "7"),
        ("official penalty_multiplier=3", "multiplied by 3", "doubled"),
        ("official penalty_multiplier=1", "changes no points", "doubled"),
        ("official penalty_flat=9 penalty_multiplier=1", "raised by 9", "multiplied"),
        (
            "official penalty_flat=9 penalty_order=add_then_multiply",
            "first raised by 9, then multiplied by 2",
            "doubled",
        ),
        ("official penalty_scope=total", "Their total, this round included, is doubled", "xxx"),
        (
            "family penalty_scope=total",
            "counted without the penalty",
            "counted after the penalty",
        ),
        ("official row_removal=on", "Columns of three and rows of four equal cards go then", "xxx"),
        ("plain row_removal=on", "nothing is removed any more", "go then"),
        (
            "plain row_removal=on columns_at_final_reveal=true",
            "Rows of four equal cards go then",
            "Columns of three and rows",
        ),
        (
            "official column_removal=player_choice",
            "worth more than zero go then by themselves",
            "at once, whether",
        ),
        ("official final_turns=none", "the round ends at once", "exactly one more turn"),
        ("official turn_limit=200", "turn number 200 of every", "as many turns as it takes"),
        ("official-fr turn_limit=200", "nobody is punished", "clockwise from the one who started"),
        ("family turn_limit=200", "clockwise, beginning with the player who started", "xxx"),
        ("official max_rounds=9", "It is also over after round 9", "xxx"),
    ],
)
def test_what_is_said_and_what_is_not(ruleset: str, said: str, unsaid: str) -> None:
    whole = text(ruleset)
    assert said in whole
    assert unsaid not in whole
