"""``skyjo stats``: the game's facts, as bots play it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from skyjo.cli import options
from skyjo.cli.extras import needs
from skyjo.cli.faults import as_usage, check_targets
from skyjo.cli.rules import ruleset_from
from skyjo.i18n import N_, _

if TYPE_CHECKING:
    from skyjo.arena.facts import Facts


@click.command(
    help=N_(
        "Let bots play and tell facts of the game: points and turns in a round, rounds in a game,"
        " columns, penalties, what it is worth to start or to sit in a seat, and how often the draw"
        " pile runs out, for every number of players."
    )
)
@click.argument("bots", nargs=-1, required=True, metavar=N_("BOT..."))
@click.option(
    "--seats",
    type=click.IntRange(2, 8),
    multiple=True,
    metavar=N_("N"),
    help=N_("Only with so many players; may be given several times. 2 to 8 by default."),
)
@click.option(
    "--games",
    type=click.IntRange(min=1),
    default=2000,
    metavar=N_("N"),
    help=N_("How many games for each number of players (2000)."),
)
@options.RULESET
@options.KNOBS
@options.SEED
@options.JOBS
@options.JSON_FILE
@click.option(
    "--chart",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar=N_("FILE.svg"),
    help=N_("Draw points and turns by number of players in this file."),
)
@needs("arena")
def stats(
    *,
    bots: Sequence[str],
    seats: Sequence[int],
    games: int,
    ruleset: str | None,
    knobs: Sequence[str],
    seed: str,
    jobs: int | None,
    json_file: Path | None,
    chart: Path | None,
) -> None:
    """Play and tell."""
    from skyjo.arena.facts import facts
    from skyjo.bots import make

    with as_usage():
        names = [make(bot).name for bot in bots]
    chosen = ruleset_from(ruleset, knobs)
    check_targets(json_file, chart)
    from skyjo.cli.arena import progress_bar

    found: list[Facts] = []
    wanted = sorted(set(seats)) or list(range(2, 9))
    with progress_bar() as show:
        for count in wanted:
            found.append(facts(names, count, games, ruleset=chosen, seed=seed, jobs=jobs))
            show(sum(each.games for each in found), games * len(wanted))
    if json_file is not None:
        told = {
            "bots": names,
            "ruleset": chosen.text(),
            "seed": seed,
            "seats": {str(each.seats): each.as_json() for each in found},
        }
        json_file.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
    if chart is not None:
        chart.write_text(drawn(found), encoding="utf-8")
    show_table(found)


def show_table(found: Sequence[Facts]) -> None:
    """A row for every fact, a column for every number of players."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE)
    table.add_column(_("Players"))
    for each in found:
        table.add_column(str(each.seats), justify="right")
    rows = {
        _("Points in a round"): [_mean(each.points) for each in found],
        _("Rounds in a game"): [_mean(each.rounds_per_game) for each in found],
        _("Turns in a round"): [_mean(each.turns) for each in found],
        _("Columns of a player in a round"): [_mean(each.columns) for each in found],
        _("Closing players punished, %"): [_mean(each.penalised, 100) for each in found],
        _("Rounds closed by their starter, %"): [_mean(each.closed, 100) for each in found],
        _("Points of the starter against the others"): [
            _mean(each.starter_points) for each in found
        ],
        _("Rounds with a reshuffle, %"): [f"{100 * each.reshuffled:.2f}" for each in found],
        _("Rounds cut off by the turn limit, %"): [f"{100 * each.limited:.2f}" for each in found],
    }
    for seat in range(max(each.seats for each in found)):
        name = _("Games won in seat {seat}, %", seat=seat + 1)
        rows[name] = [
            f"{100 * each.seat_wins[seat]:.1f}" if seat < each.seats else "" for each in found
        ]
    for name, cells in rows.items():
        table.add_row(name, *cells)
    Console(highlight=False, markup=False).print(table)
    click.echo(_("After ±: half the 95 % interval."))


def _mean(mean: tuple[float, float], factor: float = 1) -> str:
    return f"{factor * mean[0]:.2f} ±{factor * mean[1]:.2f}"


def drawn(found: Sequence[Facts]) -> str:
    """Points and turns in a round by number of players."""
    from skyjo.arena.charts import lines

    players = [each.seats for each in found]
    return lines(
        players,
        {
            _("points in a round"): [each.points for each in found],
            _("turns in a round"): [each.turns for each in found],
        },
        _("players"),
    )
