"""``skyjo arena``: which bot is better, and by how much."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from skyjo.cli import options
from skyjo.cli.extras import needs
from skyjo.cli.faults import as_usage, check_targets
from skyjo.cli.rules import ruleset_from
from skyjo.errors import MalformedError
from skyjo.i18n import N_, _, ngettext

if TYPE_CHECKING:
    from skyjo.arena import ArenaResult, Tally

EXIT_INTERRUPTED: Final = 130
GAMES: Final = 1000
MOST_GAMES: Final = 1_000_000


@click.command(
    help=N_(
        "Let bots play each other: every pair, or line-ups of more seats. Every sequence of decks"
        " is played in all seat rotations, so that luck cancels. A bot is a name, or cmd:COMMAND"
        " for a program of its own."
    )
)
@click.argument("bots", nargs=-1, required=True, metavar=N_("BOT BOT..."))
@click.option(
    "--seats",
    type=click.IntRange(2, 8),
    metavar=N_("N"),
    help=N_("How many sit at a table (2); with more the line-ups are drawn evenly."),
)
@click.option(
    "--lineup",
    "line_ups",
    multiple=True,
    metavar=N_("BOT,BOT,..."),
    help=N_("Play this line-up instead; may be given several times."),
)
@click.option(
    "--games",
    type=click.IntRange(min=1),
    metavar=N_("N"),
    help=N_("How many games each line-up plays (1000)."),
)
@click.option(
    "--until",
    type=click.FloatRange(0, 1, min_open=True),
    metavar=N_("WIDTH"),
    help=N_("Go on until half the interval of every share of wins is as narrow as this: 0.01."),
)
@options.RULESET
@options.KNOBS
@options.SEED
@options.JOBS
@options.BACKEND
@options.CLUSTER
@click.option(
    "--interpreted", is_flag=True, help=N_("Compile nothing: slower, and the same results.")
)
@click.option(
    "--resume", is_flag=True, help=N_("Keep what an earlier call has played and go on from there.")
)
@options.JSON_FILE
@click.option(
    "--report",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar=N_("FILE.html"),
    help=N_("Write a page with tables and pictures to this file."),
)
@needs("arena")
def arena(
    *,
    bots: Sequence[str],
    seats: int | None,
    line_ups: Sequence[str],
    games: int | None,
    until: float | None,
    ruleset: str | None,
    knobs: Sequence[str],
    seed: str,
    jobs: int | None,
    backend: str,
    cluster: str | None,
    interpreted: bool,
    resume: bool,
    json_file: Path | None,
    report: Path | None,
) -> int:
    """Play the tournament and tell how it went."""
    from skyjo import arena as arenas
    from skyjo.bots import make

    with as_usage():
        names = [make(bot).name for bot in bots]
        setting = arenas.setting_of(
            names,
            chosen_line_ups(names, seats, line_ups, seed),
            ruleset=ruleset_from(ruleset, knobs),
            seed=seed,
            interpreted=interpreted,
        )
    check_targets(json_file, report)
    workers = arenas.Workers(jobs or os.cpu_count() or 1, backend, cluster)
    if games is None:
        games = GAMES if until is None else MOST_GAMES
    arenas.warm_up(setting)
    tally = arenas.Tally(setting)
    with progress_bar() as show:
        try:
            arenas.run(
                setting,
                games,
                until=until,
                workers=workers,
                folder=arenas.folder_of(setting),
                afresh=not resume,
                progress=lambda done, total: show(_keep(tally, done), total),
            )
        except KeyboardInterrupt:
            stopped = True
        else:
            stopped = False
    if tally.games:
        tell(tally, json_file, report)
    if stopped:
        click.echo(_("Stopped; the same command with --resume goes on from here."), err=True)
        return EXIT_INTERRUPTED
    return 0


def _keep(tally: Tally, done: Tally) -> int:
    """Remember what has been played, should somebody press Ctrl-C."""
    tally.batches = done.batches
    return tally.games


def chosen_line_ups(
    names: Sequence[str], seats: int | None, line_ups: Sequence[str], seed: str
) -> list[tuple[str, ...]]:
    """The line-ups that were asked for. Raises MalformedError."""
    from skyjo import arena as arenas

    if not line_ups:
        return arenas.line_ups(names, seats or 2, seed)
    if seats is not None:
        raise MalformedError(N_("give --seats or --lineup, not both"))
    return [arenas.read_line_up(text, names) for text in line_ups]


@contextmanager
def progress_bar() -> Iterator[Any]:
    """A bar with rate and remaining time on standard error, if somebody sees it."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(file=sys.stderr)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task(_("Playing"), total=None, rate="")

        def show(games: int, total: int | None) -> None:
            speed = bar.tasks[0].speed
            told = ngettext("{n} game", "{n} games", games)
            if speed:
                told = ngettext(
                    "{n} game, {rate} a second",
                    "{n} games, {rate} a second",
                    games,
                    rate=round(speed),
                )
            bar.update(task, completed=games, total=total, rate=told)

        yield show


def tell(tally: Tally, json_file: Path | None, report: Path | None) -> None:
    """Tables on standard output, and the files that were asked for."""
    from skyjo.arena.report import as_json, as_page

    if json_file is not None:
        json_file.write_text(json.dumps(as_json(tally), indent=2) + "\n", encoding="utf-8")
    if report is not None:
        report.write_text(as_page(tally), encoding="utf-8")
    show_tables(tally.result())


def show_tables(result: ArenaResult) -> None:
    """The ranking, each against each, and what went wrong."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    from skyjo.arena.report import in_words, number, percent

    console = Console(highlight=False, markup=False)
    ranking = Table(box=box.SIMPLE)
    for column in (
        _("Bot"),
        _("Games"),
        _("Games won"),
        _("Points a round"),
        _("Penalties a round"),
        _("Rating"),
    ):
        ranking.add_column(column, justify="left" if column == _("Bot") else "right")
    for bot in result.ranking:
        ranking.add_row(
            bot.name,
            str(bot.games),
            percent(bot.wins),
            number(bot.points_per_round),
            number(bot.penalties_per_round, 3),
            number(bot.rating),
        )
    console.print(ranking)
    pairs = Table(box=box.SIMPLE, title=_("Share of the win, the first less the second"))
    for column in (_("Bot"), _("Bot"), _("Games"), _("Difference")):
        pairs.add_column(column, justify="left" if column == _("Bot") else "right")
    for pair in result.pairs:
        if pair.games:
            pairs.add_row(pair.first, pair.second, str(pair.games), percent(pair.difference))
    console.print(pairs)
    if result.limited:
        click.echo(_("Rounds cut off by the turn limit: {count}", count=result.limited))
    for bot in result.ranking:
        if bot.faults:
            click.echo(_("{bot} lost decisions: {faults}", bot=bot.name, faults=in_words(bot)))
