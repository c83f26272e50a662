"""The tables of the database as they are at the newest revision."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa

#: The newest revision of ``migrations``; a database of this revision is not migrated.
HEAD: Final = "0002"

metadata = sa.MetaData()

#: One row for each table (or other thing that is kept as a list of events, by ``kind``).
tables = sa.Table(
    "tables",
    metadata,
    sa.Column("id", sa.String(40), primary_key=True),
    sa.Column("kind", sa.String(20), nullable=False),
    sa.Column("code", sa.String(20), nullable=False, unique=True),
    sa.Column("phase", sa.String(20), nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("created", sa.Double, nullable=False),
    sa.Column("active", sa.Double, nullable=False),
)

#: All that has happened, as JSON; ``version`` counts the events of a table from 1.
events = sa.Table(
    "events",
    metadata,
    sa.Column("table_id", sa.String(40), sa.ForeignKey("tables.id"), primary_key=True),
    sa.Column("version", sa.Integer, primary_key=True),
    sa.Column("at", sa.Double, nullable=False),
    sa.Column("data", sa.Text, nullable=False),
    sqlite_with_rowid=False,
)

#: Who has a seat where: hashes of secrets. It follows from the events and makes them searchable.
holders = sa.Table(
    "holders",
    metadata,
    sa.Column("holder", sa.String(64), primary_key=True),
    sa.Column("table_id", sa.String(40), sa.ForeignKey("tables.id"), primary_key=True),
    sa.Index("holders_table_id", "table_id"),
    sqlite_with_rowid=False,
)
