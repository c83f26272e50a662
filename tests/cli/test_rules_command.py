"""`skyjo rules` in a terminal and in a pipe."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.kit.terminal import DRAWING, ESCAPES, bare, play_on, run, spawn

from skyjo.i18n import available_languages, use_language
from skyjo.rules.ruleset import PRESETS, Ruleset
from skyjo.words import MINUS, about_ruleset, rules_in_words


def joined(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("language", [language.code for language in available_languages()])
@pytest.mark.parametrize("in_terminal", [False, True])
def test_the_whole_text_is_printed(tmp_path: Path, language: str, in_terminal: bool) -> None:
    arguments = ["rules", "family-columns", "--set", "target=50", "--lang", language]
    if in_terminal:
        shown = play_on(spawn(tmp_path, *arguments))
        assert ESCAPES.search(shown)
    else:
        shown = run(tmp_path, *arguments).stdout
        assert not ESCAPES.search(shown)
        assert not DRAWING.search(shown)
    lines = bare(shown).replace("\r", "").splitlines()
    assert max(map(len, lines)) <= 80
    assert "family-columns target=50" in lines[0]
    text = joined(bare(shown))
    ruleset = Ruleset.parse("family-columns target=50")
    with use_language(language):
        for line in about_ruleset(ruleset):
            assert joined(line) in text
        for title, paragraphs in rules_in_words(ruleset):
            assert title in text
            for paragraph in paragraphs:
                shown_as = paragraph if in_terminal else paragraph.replace(MINUS, "-")
                assert joined(shown_as) in text


def test_without_a_preset_the_official_rules_are_printed(tmp_path: Path) -> None:
    assert run(tmp_path, "rules").stdout == run(tmp_path, "rules", "official").stdout


def test_every_preset_has_its_own_text(tmp_path: Path) -> None:
    texts = {run(tmp_path, "rules", preset).stdout.partition("\n")[2] for preset in PRESETS}
    assert len(texts) == len(PRESETS)


def test_plain_is_plain_in_a_terminal_too(tmp_path: Path) -> None:
    assert not ESCAPES.search(play_on(spawn(tmp_path, "rules", "--plain")))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nice"], "there is no preset 'nice'; the presets are: official,"),
        (["--set", "colour=red"], "there is no knob 'colour'"),
        (["--set", "penalty_when=always"], "penalty_when is one of: not_strictly_lowest"),
        (["--set", "target=50", "--set", "target=60"], "target is set twice"),
        (["--set", "plain"], "'plain' is not of the form knob=value"),
    ],
)
def test_a_wrong_ruleset_is_refused_with_the_reason(
    tmp_path: Path, arguments: list[str], said: str
) -> None:
    done = run(tmp_path, "rules", *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stdout == ""
