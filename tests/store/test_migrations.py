"""Older databases are brought up to date, newer ones are left alone."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy.ext.asyncio import create_async_engine
from tests.kit.tables import Room, asynchronous, is_over

from skyjo.store import migrations, open_store
from skyjo.store.schema import HEAD, metadata
from skyjo.table.errors import StoreError

#: Written by the first revision: a finished game, a running one with a card in hand, a lobby.
OLDEST = Path(__file__).parent / "data" / "revision_0001.db"


def driver_url(url: str) -> str:
    return url.replace("sqlite:", "sqlite+aiosqlite:").replace("postgresql:", "postgresql+asyncpg:")


def test_the_newest_revision_is_the_one_that_is_expected() -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    scripts = ScriptDirectory.from_config(config)
    assert scripts.get_heads() == [HEAD]
    revisions = [script.revision for script in scripts.walk_revisions()]
    assert revisions == [f"{number:04}" for number in range(int(HEAD), 0, -1)]


@asynchronous
async def test_the_migrations_make_what_the_schema_says(url: str) -> None:
    await (await open_store(url)).close()
    engine = create_async_engine(driver_url(url))

    def differences(connection: sa.Connection) -> list[object]:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        return list(compare_metadata(context, metadata))

    async with engine.connect() as connection:
        assert await connection.run_sync(differences) == []
        assert await connection.run_sync(migrations.current_revision) == HEAD
    await engine.dispose()


@asynchronous
async def test_a_file_of_the_first_revision_is_migrated_and_played_on(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    shutil.copy(OLDEST, path)
    store = await open_store(f"sqlite:///{path}")
    room = Room(store)
    heads = {head.phase: head for head in await room.authority.mine(room.secret("Ana"))}
    assert set(heads) == {"over", "playing", "lobby"}
    assert await room.authority.mine(room.secret("Cleo")) == [], "removed by the host"
    assert len(await room.authority.mine(room.secret("Ben"))) == 3
    room.table_id = heads["playing"].id
    seen = await room.see("Ana")
    assert seen.view is not None
    assert (seen.view.phase, seen.view.hand, seen.view.turn) == (3, -1, 0)
    await room.act("Ana")
    await room.play_on("Ana", "Ben", until=is_over)
    room.table_id = heads["lobby"].id
    assert [seat.name for seat in (await room.see()).seats] == ["Ana", "Ben"]
    await store.close()


@asynchronous
async def test_an_older_postgresql_database_is_migrated(postgres_url: str) -> None:
    engine = create_async_engine(driver_url(postgres_url))
    async with engine.begin() as connection:
        await connection.run_sync(migrations.migrate, "0001")
        await connection.execute(
            sa.text("INSERT INTO tables VALUES ('t1', 'table', 'CODE', 'lobby', 1, 1.0, 1.0)")
        )
        await connection.execute(
            sa.text("INSERT INTO events VALUES ('t1', 1, 1.0, :data)"),
            {"data": '{"event":"seat_taken","key":0,"name":"Ana","bot":"","holders":["h1"]}'},
        )
    await engine.dispose()
    store = await open_store(postgres_url)
    assert [head.id for head in await store.held_by("h1")] == ["t1"]
    await store.close()


@asynchronous
async def test_a_newer_database_is_refused_and_left_alone(url: str) -> None:
    await (await open_store(url)).close()
    engine = create_async_engine(driver_url(url))
    async with engine.begin() as connection:
        await connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StoreError, match="newer version of skyjo"):
        await open_store(url)
    async with engine.connect() as connection:
        assert await connection.run_sync(migrations.current_revision) == "9999"
    await engine.dispose()


@asynchronous
async def test_a_migration_that_fails_changes_nothing(
    tmp_path: Path,
) -> None:
    path = tmp_path / "old.db"
    shutil.copy(OLDEST, path)
    engine = sa.create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        # The second revision cannot read this table's events.
        connection.execute(sa.text("UPDATE events SET data = '{holder' WHERE version = 2"))
    with pytest.raises(ValueError, match="Expecting property name"):
        await open_store(f"sqlite:///{path}")
    with engine.connect() as connection:
        assert migrations.current_revision(connection) == "0001"
        assert set(sa.inspect(connection).get_table_names()) == {
            "alembic_version",
            "events",
            "tables",
        }
    engine.dispose()


OPEN = """
import asyncio, sys
from skyjo.store import open_store
asyncio.run(open_store(sys.argv[1]))
"""


def test_processes_that_open_a_new_database_at_once_make_it_once(url: str) -> None:
    starts = [
        subprocess.Popen([sys.executable, "-c", OPEN, url], stderr=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    errors = [process.communicate()[1] for process in starts]
    assert [process.returncode for process in starts] == [0] * 4, errors

    async def look() -> None:
        store = await open_store(url)
        assert await store.events("t1") == []
        await store.close()

    asyncio.run(look())


def test_a_start_without_migration_does_not_load_alembic(sqlite_url: str) -> None:
    tell = OPEN + "\nprint('alembic' in sys.modules)"
    told = [
        subprocess.run(
            [sys.executable, "-c", tell, sqlite_url], capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    ]
    assert told == ["True\n", "False\n"]
