"""``skyjo train``: makes the weights of the value network from a seed."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from skyjo.cli import options
from skyjo.cli.extras import needs
from skyjo.i18n import N_, _, ngettext

if TYPE_CHECKING:
    from skyjo.train.run import Plan, Training

EXIT_INTERRUPTED: Final = 130
WEIGHTS: Final = "weights.npz"
CURVE: Final = "curve.svg"


@click.command(
    help=N_(
        "Train the network of the strongest bots by its own play. FOLDER gets a checkpoint after"
        " every generation, a picture of the learning curve and the weights; the same command goes"
        " on where it was stopped. The same seed and number of jobs give the same weights."
    )
)
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), metavar=N_("FOLDER"))
@options.SEED
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar=N_("N"),
    help=N_("How many play and learn at once; as many as there are cores by default."),
)
@click.option(
    "--width",
    type=click.IntRange(8, 1024),
    metavar=N_("N"),
    help=N_("Hidden units of the network, a multiple of 8 (128)."),
)
@click.option(
    "--generations",
    type=click.IntRange(min=1),
    metavar=N_("N"),
    help=N_("How often the jobs put together what they have learnt (600)."),
)
@click.option(
    "--rounds",
    type=click.IntRange(min=1),
    metavar=N_("N"),
    help=N_("Rounds of a generation, of all jobs together (8000)."),
)
@options.BACKEND
@options.CLUSTER
@click.option(
    "--start",
    metavar=N_("WEIGHTS"),
    help=N_("Go on from these weights (main, or a file) with smaller steps."),
)
@click.option(
    "--against",
    metavar=N_("WEIGHTS"),
    help=N_(
        "Go on from these weights (main, or a file) and learn only to beat them, with two seats:"
        " how much is left to gain?"
    ),
)
@click.option(
    "--smoke", is_flag=True, help=N_("A tiny network for a few seconds, to see that it works.")
)
@needs("arena")
def train(
    *,
    folder: Path,
    seed: str,
    jobs: int | None,
    width: int | None,
    generations: int | None,
    rounds: int | None,
    backend: str,
    cluster: str | None,
    start: str | None,
    against: str | None,
    smoke: bool,
) -> int:
    """Train, tell how it goes, and write the weights."""
    from skyjo.train import chart, run

    if start is not None and against is not None:
        raise click.UsageError(_("--start and --against do not go together."))
    if width is not None and (start or against) is not None:
        raise click.UsageError(_("The width is that of the given weights: leave --width out."))
    jobs = jobs or os.cpu_count() or 1
    plan = run.smoke_plan(seed, jobs) if smoke else run.full_plan(seed, jobs)
    if width is not None:
        plan = replace(plan, width=width)
    if generations is not None:
        plan = replace(plan, generations=generations)
    if rounds is not None:
        plan = replace(plan, rounds=-(-rounds // jobs))
    if start is not None:
        plan = run.plan_from(plan, start)
    if against is not None:
        plan = run.plan_against(plan, against)
    workers = run.Workers(jobs, backend, cluster)
    try:
        with progress_bar(plan) as show:
            training = run.train(plan, folder, workers=workers, progress=show)
    except KeyboardInterrupt:
        click.echo(_("Stopped; the same command goes on from here."), err=True)
        return EXIT_INTERRUPTED
    run.save_result(training, folder / WEIGHTS)
    (folder / CURVE).write_text(chart.learning_curve(training.history), encoding="utf-8")
    tell(training, folder)
    return 0


@contextmanager
def progress_bar(plan: Plan) -> Iterator[Any]:
    """A bar with rate and remaining time on standard error, if somebody sees it."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.table import Column

    def whole() -> Column:
        return Column(no_wrap=True)

    console = Console(file=sys.stderr)
    columns = (
        MofNCompleteColumn(table_column=whole()),
        BarColumn(bar_width=None, table_column=Column(ratio=1)),
        TimeRemainingColumn(table_column=whole()),
        TextColumn("{task.fields[told]}", table_column=whole()),
    )
    # What is told is never cut off: on a narrow terminal the bar is short.
    with Progress(*columns, console=console, disable=not console.is_terminal, expand=True) as bar:
        task = bar.add_task("", total=plan.generations, told="")

        def show(training: Training) -> None:
            bar.update(task, completed=training.generation, told=on_a_line(training))

        yield show


def on_a_line(training: Training) -> str:
    """The same as ``in_short`` in few words, beside the bar."""
    points, turns = training.history[-1][2:4]
    return ngettext(
        "{n} round a second; points: {points}, turns: {turns}",
        "{n} rounds a second; points: {points}, turns: {turns}",
        speed(training),
        points=round(points, 1),
        turns=round(turns, 1),
    )


def speed(training: Training) -> int:
    """Rounds a second in the last generation."""
    rounds, seconds = training.history[-1][:2]
    before = training.history[-2] if len(training.history) > 1 else [0.0] * 5
    return round((rounds - before[0]) / max(1e-9, seconds - before[1]))


def in_short(training: Training) -> str:
    """Where a training stands, in a line."""
    rounds, _seconds, points, turns, _error = training.history[-1]
    return ngettext(
        "{n} round, {rate} a second; in each, points: {points}, turns: {turns}",
        "{n} rounds, {rate} a second; in each, points: {points}, turns: {turns}",
        int(rounds),
        rate=speed(training),
        points=round(points, 1),
        turns=round(turns, 1),
    )


def tell(training: Training, folder: Path) -> None:
    """What has come out, on standard output."""
    click.echo(in_short(training))
    click.echo(
        _("Weights: {path}, learning curve: {curve}", path=folder / WEIGHTS, curve=folder / CURVE)
    )
