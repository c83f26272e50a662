"""``skyjo convert``: records from text to JSON and back."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import click

from skyjo.cli.faults import check_targets
from skyjo.i18n import N_


@click.command(
    help=N_(
        "Turn records into another format. FILE holds one or more games as text or JSON; '-'"
        " stands for standard input. In JSON every game is one line."
    )
)
@click.argument("file", metavar=N_("FILE"))
@click.option(
    "--to",
    "form",
    type=click.Choice(["json", "skyjo"]),
    required=True,
    help=N_("The format to write."),
)
@click.option(
    "-o",
    "--output",
    metavar=N_("FILE"),
    help=N_("Write to this file, when all is well, instead of to standard output."),
)
def convert(*, file: str, form: str, output: str | None) -> None:
    """Write every game of the file in the other format."""
    from skyjo.cli.records import records_of, with_warnings
    from skyjo.record import record_json, record_text

    write: Callable[..., str] = record_text if form == "skyjo" else record_json
    between = "\n" if form == "skyjo" else ""
    with _opened(output) as target:
        for number, record in enumerate(with_warnings(records_of(file))):
            text = write(record.game, record.tags).removesuffix("\n") + "\n"
            target.write(f"{between if number else ''}{text}".encode())


@contextmanager
def _opened(output: str | None) -> Iterator[BinaryIO]:
    """Standard output, or a file that takes its name when everything has been written."""
    if output is None or output == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path = Path(output)
    if path.exists() and not path.is_file():
        # A device or a named pipe stays what it is.
        with path.open("wb") as target:
            yield target
        return
    check_targets(path)
    with _replacing(path.resolve()) as target:
        yield target


@contextmanager
def _replacing(path: Path) -> Iterator[BinaryIO]:
    """A new file that takes the place, and the permissions, of another one at the end."""
    begun = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        with begun.open("xb") as target:
            yield target
        if path.exists():
            shutil.copymode(path, begun)
        begun.replace(path)
    except BaseException:
        begun.unlink(missing_ok=True)
        raise
