"""``skyjo serve --database`` over a real PostgreSQL: one server a database, and what it says."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import create_async_engine
from tests.hosting.test_backup import move, skyjo
from tests.kit.postgres import running_server, stopped
from tests.web.harness import PATIENCE, Person, Process, wait_for

from skyjo.client import Client, ServerError
from skyjo.store import DatabaseInUseError, only_server

LOCAL = ("--host", "127.0.0.1", "--port", "0")
_numbers = count()


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    with running_server() as server:
        yield server


def ask(url: str, statement: str) -> list[Any]:
    """Say something to a database; the first column of its answer."""

    async def run() -> list[Any]:
        engine = create_async_engine(
            url.replace("postgresql:", "postgresql+asyncpg:"), isolation_level="AUTOCOMMIT"
        )
        try:
            async with engine.connect() as connection:
                answer = await connection.execute(sa.text(statement))
                return list(answer.scalars()) if answer.returns_rows else []
        finally:
            await engine.dispose()

    return asyncio.run(run())


@pytest.fixture
def database(postgres: str) -> str:
    """A new database of its own."""
    name = f"hosting{next(_numbers)}"
    ask(f"{postgres}/postgres", f'CREATE DATABASE "{name}"')
    return f"{postgres}/{name}"


def serve(data: Path, database: str, **environment: str) -> Process:
    return Process(data, *LOCAL, "--database", database, **environment)


def test_a_game_goes_on_after_a_kill(tmp_path: Path, database: str) -> None:
    with serve(tmp_path, database) as server, Client(server.ready()) as client:
        seat = client.create("Ana", bots=["greedy"], pace="none", start=True)
        move(seat, 5)
        before = seat.look()
        server.kill()
    assert not (tmp_path / "skyjo.sqlite3").exists()
    # The variable hides the password from whoever lists the processes.
    with (
        Process(tmp_path, *LOCAL, SKYJO_DATABASE=database) as server,
        Client(server.ready()) as client,
        Person(server.url) as guest,
    ):
        again = client.seat(seat.table, seat.token)
        assert again.look().version >= before.version
        move(again, 5)
        assert guest.get(f"/t/{seat.table}").status_code == 200
        assert httpx.get(f"{server.url}/healthz").json()["database"] == "ok"


def test_a_second_server_on_the_same_database_is_refused(tmp_path: Path, database: str) -> None:
    with serve(tmp_path / "one", database) as first, Client(first.ready()) as client:
        seat = client.create("Ana", bots=["greedy"], pace="none", start=True)
        with serve(tmp_path / "two", database) as second:
            assert second.process.wait(PATIENCE) == 1
            wait_for(lambda: "Another server uses this database" in second.output, "a sentence")
            assert f", {first.process.pid})" in second.output, "who it is"
            assert "Traceback" not in second.output
            assert "The table is open" not in second.output
        move(seat, 3)
        first.stop()
    with serve(tmp_path / "two", database) as second:
        second.ready()


def test_the_lock_comes_back_after_a_broken_connection(tmp_path: Path, database: str) -> None:
    others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
    with serve(tmp_path, database) as server, Client(server.ready()) as client:
        seat = client.create("Ana", bots=["greedy"], pace="none", start=True)
        move(seat, 2)
        ask(database, f"{others} AND datname = current_database()")
        move(seat, 4)
        wait_for(lambda: is_held(database), "the lock")
        assert server.process.poll() is None
        assert "Traceback" not in server.output


def test_while_the_database_is_down_nothing_is_lost(tmp_path: Path, database: str) -> None:
    (folder,) = ask(database, "SHOW data_directory")
    with serve(tmp_path, database) as server, Client(server.ready()) as client:
        seat = client.create("Ana", bots=["greedy"], pace="none", start=True)
        move(seat, 2)
        wait_for(lambda: seat.look().legal, "a turn")
        before = seat.look()
        with stopped(Path(folder)):
            with pytest.raises(ServerError) as refused:
                seat.act(before.legal[0], before)
            assert (refused.value.status, refused.value.code) == (503, "store")
            assert httpx.get(f"{server.url}/healthz").status_code == 503
            assert seat.look().version == before.version, "reading goes on"
        seat.act(before.legal[0], before)
        move(seat, 2)
        wait_for(lambda: is_held(database), "the lock")
        assert httpx.get(f"{server.url}/healthz").status_code == 200
        assert "Traceback" not in server.output


def is_held(database: str) -> bool:
    """Whether a server holds this database."""
    return bool(ask(database, "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted"))


def test_who_loses_the_database_to_another_server_stops(tmp_path: Path, database: str) -> None:
    mine = "application_name LIKE 'skyjo %'"
    with serve(tmp_path, database) as server:
        server.ready()

        async def take_over() -> int:
            """Break the server's connection, and be there first."""
            while True:
                async with asyncio.timeout(PATIENCE):
                    await asyncio.to_thread(
                        ask,
                        database,
                        f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {mine}",
                    )
                    try:
                        async with only_server(database, patience=0.0):
                            return await asyncio.to_thread(server.process.wait, PATIENCE)
                    except DatabaseInUseError:
                        continue

        assert asyncio.run(take_over()) == 1
        wait_for(lambda: "has taken the database over" in server.output, "a sentence")
        assert "Traceback" not in server.output


def test_backup_and_delete_know_where_the_games_are(tmp_path: Path, database: str) -> None:
    secret = database.replace("skyjo@", "skyjo:topsecret@")
    with serve(tmp_path, secret) as server, Client(server.ready()) as client:
        first = client.create("Ana")
        second = client.create("Ben")
        third = client.create("Cleo")
        status, said = skyjo("backup", tmp_path / "b.zip", "--data", tmp_path)
        assert status == 1
        assert "pg_dump" in said
        assert database in said
        assert str(tmp_path / "secret.key") in said
        assert skyjo("delete", first.table, "--data", tmp_path, "--yes")[0] == 0
        assert httpx.get(f"{server.url}/t/{first.table}").status_code == 404
        held = ("--data", tmp_path / "other", "--database", secret, "--yes")
        status, said = skyjo("delete", second.table, *held)
        assert (status, "Another server uses this database" in said) == (1, True), said
        assert "topsecret" not in server.output
    assert "pg_dump" in skyjo("backup", tmp_path / "b.zip", "--data", tmp_path)[1]
    status, said = skyjo("delete", second.table, "--data", tmp_path, "--yes")
    assert (status, "--database" in said) == (1, True), said
    rest = ("--data", tmp_path, "--database", secret, "--yes")
    assert skyjo("delete", second.table, *rest)[0] == 0
    assert skyjo("delete", second.table, *rest)[0] == 1
    for path in tmp_path.rglob("*"):
        assert path.is_dir() or b"topsecret" not in path.read_bytes()
    with serve(tmp_path, secret) as server, Client(server.ready()) as client:
        assert client.tables(third.token)
        assert client.tables(second.token) == ()


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ("sqlite:///games.db", "--data"),
        ("games", "is no database"),
        ("{server}:1/games", "could not be used"),
        ("{database}x", "does not exist"),
    ],
)
def test_what_is_no_database_is_told_before_anything_is_open(
    tmp_path: Path, database: str, wrong: str, says: str
) -> None:
    server = database.rpartition(":")[0]
    with serve(tmp_path, wrong.format(server=server, database=database)) as started:
        assert started.process.wait(PATIENCE) in (1, 2)
        wait_for(lambda: says in started.output, says)
        assert "Traceback" not in started.output
        assert "The table is open" not in started.output
