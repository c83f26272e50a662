"""Brings a database of any older revision to the newest one, or makes a new one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from skyjo.i18n import N_
from skyjo.store.schema import HEAD
from skyjo.table.errors import StoreError

#: Only one process at a time migrates a PostgreSQL database; any number will do.
_LOCK = 0x534B594A


def migrate(connection: sa.Connection, target: str = HEAD) -> None:
    """Bring the database to a revision, in one transaction that the caller commits.

    Raises StoreError for a database that a newer program has written.
    """
    if current_revision(connection) == target:
        return
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    else:
        connection.execute(sa.text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
    _upgrade(connection, target)


def current_revision(connection: sa.Connection) -> str | None:
    """The database's revision, None for an empty one."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    revision = connection.scalar(sa.text("SELECT version_num FROM alembic_version"))
    return None if revision is None else str(revision)


def _upgrade(connection: sa.Connection, target: str) -> None:
    # Loading it takes longer than everything else at a start; most starts need no migration.
    from alembic.config import Config
    from alembic.runtime.environment import EnvironmentContext
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    scripts = ScriptDirectory.from_config(config)
    known = {script.revision for script in scripts.walk_revisions()}
    revision = current_revision(connection)
    if revision is not None and revision not in known:
        raise StoreError(
            N_("This database was written by a newer version of skyjo; update skyjo to open it.")
        )

    def steps(revision: Any, _context: object) -> Sequence[Any]:
        return scripts._upgrade_revs(target, revision)

    with EnvironmentContext(config, scripts, fn=steps) as environment:
        environment.configure(connection=connection)
        environment.run_migrations()
