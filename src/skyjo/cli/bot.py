"""``skyjo bot check``: whether a program speaks the line protocol."""

from __future__ import annotations

import click

from skyjo.cli.extras import needs
from skyjo.errors import MalformedError
from skyjo.i18n import N_, _, ngettext


@click.group(help=N_("Everything about bots that are programs of their own."))
def bot() -> None:
    """Hold the commands together."""


@bot.command(
    help=N_(
        "Check whether BOT, for instance cmd:./mybot, speaks the line protocol: it plays games"
        " under several rulesets, and the first wrong answer is shown."
    )
)
@click.argument("spec", metavar=N_("BOT"))
@click.option(
    "--seconds",
    type=click.FloatRange(0, min_open=True),
    default=5.0,
    metavar=N_("SECONDS"),
    help=N_("How long it may take for an answer (5)."),
)
@needs("sim")
def check(*, spec: str, seconds: float) -> int:
    """Play with the program and tell what was wrong."""
    from skyjo.arena.check import check as findings
    from skyjo.bots import PROGRAM

    if not spec.startswith(PROGRAM):
        raise MalformedError(N_("only programs are checked: cmd:COMMAND, not '{name}'"), name=spec)
    for finding in findings(spec.removeprefix(PROGRAM), seconds):
        if finding.fault:
            click.echo(
                _(
                    "{ruleset}: wrong at decision {number}: {fault}",
                    ruleset=finding.ruleset,
                    number=finding.decisions,
                    fault=finding.fault,
                )
            )
            return 1
        click.echo(
            ngettext(
                "{ruleset}: {n} decision, all right",
                "{ruleset}: {n} decisions, all right",
                finding.decisions,
                ruleset=finding.ruleset,
            )
        )
    click.echo(_("{bot} speaks the protocol.", bot=spec))
    return 0
