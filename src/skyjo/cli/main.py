"""The ``skyjo`` command."""

from __future__ import annotations

import click

import skyjo


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(skyjo.__version__, prog_name="skyjo")
def main() -> None:
    """Play the card game Skyjo."""
