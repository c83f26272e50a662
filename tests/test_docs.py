"""Pages that must keep up with the code: commands, options, bots, presets and knobs."""

from __future__ import annotations

import re
import shlex
from importlib import import_module

import click
import pytest
from scripts import knobs, picture
from tests.conftest import ROOT

from skyjo import bots
from skyjo.cli import typed
from skyjo.cli.main import COMMANDS
from skyjo.rules.legality import REASONS
from skyjo.rules.ruleset import KNOBS, PRESETS
from skyjo.rules.text import rules_text

CLI = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
RULES = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_is_on_the_page(name: str) -> None:
    assert re.search(rf"(?m)^## .*`skyjo {name}`", CLI)
    for parameter in command_of(name).params:
        if isinstance(parameter, click.Option):
            assert f"`{max(parameter.opts, key=len)}" in CLI, parameter.opts


def command_lines() -> list[tuple[str, str]]:
    """Every line of the shell blocks of all pages, and what page it is on."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    return [
        (page.name, line)
        for page in pages
        for block in re.findall(r"(?ms)^```sh\n(.*?)^```", page.read_text(encoding="utf-8"))
        for line in block.splitlines()
    ]


@pytest.mark.parametrize(("page", "line"), command_lines())
def test_command_lines_can_be_copied(page: str, line: str) -> None:
    """They name programs by their path, commands and options that there are, files of ours."""
    words = shlex.split(line, comments=True)
    assert words[0] not in ("skyjo", "python", "pip"), "which one?"
    for word in re.findall(r"(?:scripts|examples)/\w+(?:\.py)?", " ".join(words)):
        assert (ROOT / word).is_file()
    if words[0].endswith("/skyjo"):
        command = command_of(words[1])
        if isinstance(command, click.Group):
            command = command.commands[words[2]]
        options = {name for each in command.params for name in each.opts}
        used = {word for word in words[2:] if re.fullmatch(r"-[a-z]|--[a-z-]+", word)}
        assert used <= options, page


def command_of(name: str) -> click.Command:
    module, _colon, attribute = COMMANDS[name][0].partition(":")
    command: click.Command = getattr(import_module(module), attribute)
    return command


def test_every_word_and_key_of_the_table_is_on_the_page() -> None:
    section = CLI[CLI.index("### What to type") : CLI.index("### The board")]
    for word in typed.words():
        if word not in typed.PLACE_WORDS:
            assert f"`{word}`" in section
    for word, key in typed.KEYS.items():
        assert re.search(rf"\| `{re.escape(key)}` \| `{word}`", section)


@pytest.mark.parametrize("name", bots.names())
def test_every_bot_is_on_the_page(name: str) -> None:
    assert f"| `{name}` |" in CLI


def test_the_tables_of_presets_and_knobs_are_those_of_the_code() -> None:
    assert knobs.page(RULES) == RULES, "run .venv/bin/python scripts/knobs.py"
    for name in [*PRESETS, *(knob.name for knob in KNOBS)]:
        assert f"| `{name}` |" in RULES


def test_every_reason_for_a_refusal_is_in_the_rules() -> None:
    section = RULES[RULES.index("### 2.17") : RULES.index("### 2.18")]
    for code, _sentence in REASONS[1:]:
        assert f"`{code}`" in section


def test_every_section_that_is_cited_is_there() -> None:
    """In code and tests as "rules 2.12", in the rules in words as numbers."""
    found = {section.number for section in rules_text(next(iter(PRESETS.values())).ruleset)}
    for folder in ("src", "tests"):
        for path in (ROOT / folder).rglob("*.py"):
            found |= set(re.findall(r"\brules (2\.\d+)\b", path.read_text(encoding="utf-8")))
    assert len(found) > 12
    for number in found:
        assert f"### {number} " in RULES


def test_the_picture_is_what_the_terminal_shows() -> None:
    drawn = picture.picture()
    assert drawn == picture.OUT.read_text(encoding="utf-8"), "run scripts/picture"
    assert "url(" not in drawn.replace("url(#", "")
