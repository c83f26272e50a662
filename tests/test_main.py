"""The command line's frame, started as people start it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import click
import pytest
from scripts import catalogues

from skyjo.cli import main as cli

SKYJO = Path(sys.executable).with_name("skyjo")

#: Runs the command line with one more command, whose body is the last argument.
WITH_COMMAND = """
import sys, types, click
from skyjo.cli import main as cli
from skyjo.errors import MalformedError, RulesetError
body = sys.argv.pop(1)
module = types.ModuleType("extra")
def run(): return eval(body)
def fail(error): raise error
module.extra = click.Command("extra", callback=run, help="Show the version and exit.")
sys.modules["extra"] = module
cli.COMMANDS = {**cli.COMMANDS, "extra": ("extra:extra", "One more.")}
cli.main()
"""


def run(*arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    plain = {name: value for name, value in os.environ.items() if name[:2] != "LC"}
    return subprocess.run(
        [SKYJO, *arguments],
        env={**plain, "LANG": "C.UTF-8", **environ},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def run_extra(body: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", WITH_COMMAND, body, *(arguments or ("extra",))],
        env={**os.environ, "LC_ALL": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def translation(message: str, language: str) -> str:
    found = catalogues.read(language).get(message)
    assert found is not None
    assert isinstance(found.string, str)
    assert found.string
    return found.string


def test_help_lists_every_command_of_the_table() -> None:
    done = run("--help")
    assert done.returncode == 0
    for name, (_place, line) in cli.COMMANDS.items():
        assert f"  {name} " in done.stdout
        assert line in " ".join(done.stdout.split())


def test_the_table_and_the_modules_agree() -> None:
    for name, (place, _line) in cli.COMMANDS.items():
        module, _colon, attribute = place.partition(":")
        assert find_spec(module), place
        command = getattr(import_module(module), attribute)
        assert isinstance(command, click.Command)
        assert command.name == name


def test_module_and_script_are_the_same() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "skyjo", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout == run("--version").stdout


@pytest.mark.parametrize("language", ["uk", "de", "fr"])
def test_help_speaks_the_language_of_option_or_locale(language: str) -> None:
    english = run("--help").stdout
    spoken = run("--help", "--lang", language).stdout
    assert run("--lang", language, "--help").stdout == spoken
    assert run("--help", LANG=f"{language}.UTF-8").stdout == spoken
    assert run("--lang", "en", "--help", LANG=f"{language}.UTF-8").stdout == english
    # Click's own words come from the same catalogue.
    for word in ("Usage:", "Options", "Commands", "Show this message and exit.", "[OPTIONS]"):
        assert word in english
        assert translation(word, language) in spoken


@pytest.mark.parametrize("language", ["uk", "de", "fr"])
def test_a_usage_error_speaks_the_language(language: str) -> None:
    done = run("--lang", language, "--nonsense")
    assert done.returncode == 2
    told = translation("No such option {name!r}.", language).format(name="--nonsense")
    assert told in done.stderr
    assert translation("Usage:", language) in done.stderr


def test_a_mistyped_command_is_answered_with_the_nearest() -> None:
    done = run("chekc")
    assert done.returncode == 2
    assert "'chekc'" in done.stderr
    assert "'check'" in done.stderr


def test_an_unknown_language_is_wrong_usage() -> None:
    done = run("--lang", "tlh", "play")
    assert done.returncode == 2
    assert "'tlh'" in done.stderr


@pytest.mark.parametrize(
    ("body", "status", "told"),
    [
        ("None", 0, ""),
        ("1", 1, ""),
        (
            "fail(MalformedError('no seat is called {name}', name='Zoe'))",
            1,
            "no seat is called Zoe",
        ),
        ("fail(RulesetError('there is no knob'))", 2, "there is no knob"),
        ("open('/no/such/file')", 1, "/no/such/file: there is no such file or folder"),
        ("fail(EOFError())", 1, "The input has ended."),
    ],
)
def test_errors_are_sentences(body: str, status: int, told: str) -> None:
    done = run_extra(body)
    assert done.returncode == status
    assert done.stderr.strip() == told
    assert done.stdout == ""


@pytest.mark.parametrize(
    "body", ["fail(KeyboardInterrupt())", "fail(click.Abort())", "__import__('os').kill(0, 2)"]
)
def test_an_interrupt_is_quiet(body: str) -> None:
    process = subprocess.run(
        [sys.executable, "-c", WITH_COMMAND, body, "extra"],
        capture_output=True,
        text=True,
        check=False,
        start_new_session=True,
    )
    assert process.returncode == 128 + signal.SIGINT
    assert process.stderr.strip() == ""


def test_a_reader_that_goes_away_is_no_fault_worth_a_traceback() -> None:
    command = f"{sys.executable} -c '{WITH_COMMAND}' 'print(\"x\\n\" * 100000)' extra | head -n 1"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert done.stdout == "x\n"
    assert done.stderr == ""


def test_a_commands_help_is_translated_when_it_is_called() -> None:
    done = run_extra("None", "extra", "--help", "--lang", "uk")
    assert done.returncode == 0
    assert translation("Show the version and exit.", "uk") in done.stdout
    assert "--lang" in done.stdout


def test_translating_a_command_leaves_the_original() -> None:
    option = click.Option(["--place"], help="A place.", metavar="PLACE")
    command = click.Command("extra", params=[option], help="One more.")
    group = click.Group("group", commands=[command])
    shown = cli.translated(group)
    assert isinstance(shown, click.Group)
    assert shown.commands["extra"] is not command
    assert group.commands["extra"] is command
    assert command.params == [option]


def test_shell_completion_knows_the_commands() -> None:
    done = run(_SKYJO_COMPLETE="bash_complete", COMP_WORDS="skyjo ch", COMP_CWORD="1")
    assert "check" in done.stdout
