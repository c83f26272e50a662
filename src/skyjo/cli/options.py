"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from skyjo.i18n import N_

RULESET: Final = click.option(
    "--ruleset", metavar=N_("PRESET"), help=N_("The ruleset, official by default.")
)
KNOBS: Final = click.option(
    "--set",
    "knobs",
    multiple=True,
    metavar=N_("KNOB=VALUE"),
    help=N_("Change a house rule of the ruleset; may be given several times."),
)
SEED: Final = click.option(
    "--seed", default="0", metavar=N_("SEED"), help=N_("Any word; the same games again.")
)
JOBS: Final = click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar=N_("N"),
    help=N_("How many games are played at once; as many as there are cores by default."),
)
JSON_FILE: Final = click.option(
    "--json",
    "json_file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar=N_("FILE"),
    help=N_("Write all figures to this file."),
)
PLAIN: Final = click.option(
    "--plain",
    is_flag=True,
    help=N_("Plain lines, without colour or drawing, as for a screen reader."),
)
BACKEND: Final = click.option(
    "--backend",
    type=click.Choice(["loky", "dask", "ray"]),
    default="loky",
    help=N_("Who plays them: processes on this computer, a Dask or a Ray cluster."),
)
CLUSTER: Final = click.option(
    "--cluster",
    metavar=N_("ADDRESS"),
    help=N_("Where the Dask or Ray cluster is; without it one is started here."),
)
