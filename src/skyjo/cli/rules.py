"""``skyjo rules``: the complete rules as a ruleset plays them."""

from __future__ import annotations

from collections.abc import Sequence

import click

from skyjo.cli import options
from skyjo.errors import RulesetError
from skyjo.i18n import N_, _
from skyjo.rules.ruleset import DEFAULT_PRESET, Ruleset


def ruleset_from(preset: str | None, settings: Sequence[str]) -> Ruleset:
    """The ruleset of a preset and ``knob=value`` settings. Raises RulesetError.

    A preset may bring settings of its own, as in a record: ``"official target=50"``.

    >>> ruleset_from("plain", ["target=50"]).text()
    'plain target=50'
    """
    for setting in settings:
        if "=" not in setting:
            raise RulesetError(N_("'{word}' is not of the form knob=value"), word=setting)
    return Ruleset.parse(" ".join([preset or DEFAULT_PRESET, *settings]))


@click.command(
    help=N_(
        "Print the complete rules as a ruleset plays them: a preset (official without one) and any"
        " house rules that are set."
    )
)
@click.argument("preset", required=False, metavar=N_("[PRESET]"))
@options.KNOBS
@options.PLAIN
def rules(*, preset: str | None, knobs: tuple[str, ...], plain: bool) -> None:
    """Print the rules."""
    from skyjo.cli.screen import screen
    from skyjo.words import about_ruleset, rules_in_words

    ruleset = ruleset_from(preset, knobs)
    sections = [(_("Ruleset"), about_ruleset(ruleset)), *rules_in_words(ruleset)]
    title = _("Skyjo, ruleset {ruleset}", ruleset=ruleset.text())
    screen(plain).text(title, sections)
