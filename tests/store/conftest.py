"""Databases to test on: always a new one, on SQLite and on a real PostgreSQL server."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import create_async_engine
from tests.kit.postgres import running_server

_numbers = count()


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    with running_server() as server:
        yield server


@pytest.fixture
def postgres_url(postgres: str) -> str:
    """A new database of its own."""
    name = f"skyjo{next(_numbers)}"

    async def create() -> None:
        server = f"{postgres}/postgres".replace("postgresql", "postgresql+asyncpg")
        engine = create_async_engine(server, isolation_level="AUTOCOMMIT")
        async with engine.connect() as connection:
            await connection.execute(sa.text(f'CREATE DATABASE "{name}"'))
        await engine.dispose()

    asyncio.run(create())
    return f"{postgres}/{name}"


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'skyjo.db'}"


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest) -> str:
    fixture = {"sqlite": "sqlite_url", "postgresql": "postgres_url"}[request.param]
    value: str = request.getfixturevalue(fixture)
    return value
