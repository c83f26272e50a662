"""The ``skyjo`` command: finds a command in a table, loads it and turns errors into sentences.

A command is a click command in a module of its own. Its texts (``help=N_("...")``) are only marked
for translation where they stand; they are translated here, when the command is called. It returns
nothing or its exit status. Any :class:`~skyjo.errors.SkyjoError` may leave it.
"""

from __future__ import annotations

import copy
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import NoReturn

import click

import skyjo
from skyjo.errors import RulesetError, SkyjoError
from skyjo.i18n import (
    DOMAIN,
    LOCALE_DIR,
    N_,
    _,
    available_languages,
    language_from_environment,
    set_language,
)

#: Every command: where it is, and what it does in one line, so that help need not load it.
COMMANDS: Mapping[str, tuple[str, str]] = {
    "play": ("skyjo.cli.play:play", N_("Play a game in this terminal, with people and bots.")),
    "serve": (
        "skyjo.cli.serve:serve",
        N_("Open a table in the browser, for this computer and the network at home."),
    ),
    "pad": ("skyjo.cli.pad:pad", N_("Keep the score of games with real cards.")),
    "backup": (
        "skyjo.cli.backup:backup",
        N_("Copy games and key of a server into one file, also while it runs."),
    ),
    "restore": (
        "skyjo.cli.backup:restore",
        N_("Put the games and the key of a backup in place, while no server runs."),
    ),
    "delete": (
        "skyjo.cli.backup:delete",
        N_("Delete a table for ever, or only the name of one seat; also while the server runs."),
    ),
    "rules": ("skyjo.cli.rules:rules", N_("Print the complete rules as a ruleset plays them.")),
    "show": ("skyjo.cli.show:show", N_("Draw the board of a recorded game at any point.")),
    "check": ("skyjo.cli.check:check", N_("Check records of games and report every fault.")),
    "convert": ("skyjo.cli.convert:convert", N_("Turn records into another format.")),
    "arena": ("skyjo.cli.arena:arena", N_("Let bots play each other and tell who is better.")),
    "stats": ("skyjo.cli.stats:stats", N_("Tell facts of the game as bots play it.")),
    "bot": ("skyjo.cli.bot:bot", N_("Check whether a program can play as a bot.")),
    "train": ("skyjo.cli.train:train", N_("Train the network of the strongest bots.")),
    "bench": ("skyjo.cli.bench:bench", N_("Measure how fast this computer plays.")),
}

EXIT_FAULT = 1
EXIT_USAGE = 2
EXIT_INTERRUPTED = 130


class CommandTable(click.Group):
    """The group of all commands; loads a command's module when the command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load the command and translate its texts, or return None if there is none."""
        if cmd_name not in COMMANDS:
            return None
        module, _colon, attribute = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        shown = translated(command)
        shown.params.append(_language_option())
        return shown

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does it, but what is mistyped is compared with the names of the table."""
        if not ctx.resilient_parsing and args[0] not in COMMANDS and args[0][:1] != "-":
            raise click.exceptions.NoSuchCommand(args[0], possibilities=COMMANDS, ctx=ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands with their lines of the table, without loading them."""
        with formatter.section(_("Commands")):
            formatter.write_dl([(name, _(line)) for name, (_place, line) in COMMANDS.items()])


def translated(command: click.Command) -> click.Command:
    """A copy of the command whose texts are in the current language."""
    shown = copy.copy(command)
    shown.help = _filled(command.help) if command.help else None
    shown.epilog = _(command.epilog) if command.epilog else None
    shown.short_help = _(command.short_help) if command.short_help else None
    shown.options_metavar = _("[OPTIONS]")
    shown.params = [_translated_parameter(parameter) for parameter in command.params]
    if isinstance(shown, click.Group) and isinstance(command, click.Group):
        shown.subcommand_metavar = _("COMMAND [ARGS]...")
        shown.commands = {name: translated(sub) for name, sub in command.commands.items()}
    return shown


def _translated_parameter(parameter: click.Parameter) -> click.Parameter:
    shown = copy.copy(parameter)
    if shown.metavar:
        shown.metavar = _(shown.metavar)
    if isinstance(shown, click.Option):
        shown.help = _filled(shown.help) if shown.help else None
        shown.prompt = _(shown.prompt) if shown.prompt else None
    return shown


def _filled(text: str) -> str:
    """The text in the current language; ``{bots}`` stands for the names of all bots."""
    if "{bots}" not in text:
        return _(text)
    from skyjo.bots import names

    return _(text, bots=", ".join(f"bot:{name}" for name in names()))


def _language_option() -> click.Option:
    """The option that :func:`chosen_language` has read before; here it is checked."""
    return click.Option(
        ["--lang"],
        type=click.Choice([language.code for language in available_languages()]),
        expose_value=False,
        help=_("Speak this language instead of the one that the locale names."),
    )


def command_line() -> click.Group:
    """The whole command line in the current language."""
    group = CommandTable(
        "skyjo",
        help=_("Play the card game Skyjo."),
        params=[_language_option()],
        options_metavar=_("[OPTIONS]"),
        subcommand_metavar=_("COMMAND [ARGS]..."),
    )
    version = click.version_option(
        skyjo.__version__, message="%(prog)s %(version)s", help=_("Show the version and exit.")
    )
    return version(group)


def chosen_language(arguments: Sequence[str], environ: Mapping[str, str]) -> str:
    """The language to speak, known before the arguments are understood.

    The last ``--lang`` counts, wherever it stands, if it names a language that there is; otherwise
    the locale decides.

    >>> chosen_language(["play", "--lang", "uk"], {"LANG": "de_DE.UTF-8"})
    'uk'
    >>> chosen_language(["play", "--lang=tlh"], {"LANG": "de_DE.UTF-8"})
    'de'
    """
    codes = {language.code for language in available_languages()}
    code = language_from_environment(environ)
    for place, argument in enumerate(arguments):
        if argument == "--":
            break
        name, equals, value = argument.partition("=")
        if name == "--lang":
            wish = value if equals else "".join(arguments[place + 1 : place + 2])
            code = wish if wish in codes else code
    return code


def _speak(code: str) -> None:
    """Set the language for us and for click, which asks the standard library's gettext.

    The process is a command line's own, so that its global settings are ours to make.
    """
    import gettext

    set_language(code)
    os.environ["LANGUAGE"] = code
    gettext.bindtextdomain(DOMAIN, str(LOCALE_DIR))
    gettext.textdomain(DOMAIN)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit: 0 if all went well, 1 after a fault, 2 after wrong usage.

    Whatever a person can mend is told in a sentence on standard error.
    """
    if arguments is None:
        arguments = sys.argv[1:]
    try:
        _speak(chosen_language(arguments, os.environ))
        _open_streams()
        status = _run(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        status = EXIT_INTERRUPTED
    except OSError as error:
        if not _output_has_failed(error):
            raise
        status = EXIT_FAULT
    sys.exit(status)


def _open_streams() -> None:
    """Go on without what is closed: input and messages; without output there is no point."""
    if sys.stdin is None:
        sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115 - until the end
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - until the end
    if sys.stdout is None:
        sys.stderr.write(_("The output cannot be written: it is closed.") + "\n")
        sys.exit(EXIT_FAULT)


def _output_has_failed(error: OSError) -> bool:
    """Whether it is output that has failed; it is told, unless its reader has gone."""
    from skyjo.cli.faults import NOT_WRITTEN, why

    try:
        sys.stdout.flush()
    except OSError as failed:
        error = failed
    else:
        if not isinstance(error, BrokenPipeError) and error.errno not in NOT_WRITTEN:
            return False
    # Python must not try to flush the rest at exit.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if not isinstance(error, BrokenPipeError):
        click.echo(_("The output cannot be written: {why}.", why=why(error)), err=True)
    return True


def _run(arguments: Sequence[str]) -> int:
    try:
        status = command_line().main(list(arguments), prog_name="skyjo", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort as abort:
        if isinstance(abort.__cause__, EOFError):
            click.echo(_("The input has ended."), err=True)
            return EXIT_FAULT
        return EXIT_INTERRUPTED
    except SkyjoError as error:
        click.echo(str(error), err=True)
        return EXIT_USAGE if isinstance(error, RulesetError) else EXIT_FAULT
    except OSError as error:
        if error.filename is None or isinstance(error, BrokenPipeError):
            raise
        from skyjo.cli.faults import why

        click.echo(f"{os.fsdecode(error.filename)}: {why(error)}", err=True)
        return EXIT_FAULT
    return status if isinstance(status, int) else 0
