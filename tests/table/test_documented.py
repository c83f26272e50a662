"""docs/table.md names every command, setting, error code and table of the database."""

from __future__ import annotations

import re
from dataclasses import fields

import pytest
from tests.conftest import ROOT

from skyjo.store.schema import metadata
from skyjo.table import commands
from skyjo.table.errors import FORBIDDEN, REFUSALS
from skyjo.table.ports import Settings

PAGE = (ROOT / "docs" / "table.md").read_text(encoding="utf-8")
NAMED = set(re.findall(r"`([^`]+)`", re.sub(r"(?s)```.*?```", "", PAGE)))
COMMANDS = [
    name
    for name, value in vars(commands).items()
    if isinstance(value, type) and value.__module__ == commands.__name__
]


@pytest.mark.parametrize(
    "name",
    [
        *COMMANDS,
        *(field.name for field in fields(Settings)),
        *FORBIDDEN,
        *REFUSALS,
        *metadata.tables,
    ],
)
def test_it_is_in_the_page(name: str) -> None:
    assert name in NAMED
