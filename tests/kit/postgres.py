"""A real PostgreSQL server for the tests, in a folder of its own, on a port of its own."""

from __future__ import annotations

import os
import shlex
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest


def programs() -> Path:
    """The folder with initdb and pg_ctl; the test fails where there is none."""
    named = os.environ.get("SKYJO_TEST_PG_BIN")
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    for folder in [Path(named)] if named else found:
        if (folder / "initdb").exists():
            return folder
    pytest.fail("no PostgreSQL: name the folder of initdb in SKYJO_TEST_PG_BIN", pytrace=False)


@contextmanager
def running_server() -> Iterator[str]:
    """A server until the end of the block: its URL without the name of a database."""
    # Not under pytest's own folder, which nobody but its owner may enter.
    with TemporaryDirectory(prefix="skyjo-postgres-", ignore_cleanup_errors=True) as folder:
        yield from _server_in(Path(folder))


def _server_in(data: Path) -> Iterator[str]:
    binaries = programs()
    as_owner = owner()
    if as_owner:
        shutil.chown(data, "postgres")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    control = control_of(data)
    options = f"-p {port} -k {data} -c listen_addresses=127.0.0.1 -c fsync=off"
    how = ["-A", "trust", "-U", "skyjo", "-E", "UTF8", "--no-sync"]
    run([*as_owner, str(binaries / "initdb"), "-D", str(data), *how])
    run([*control, "-l", str(data / "log"), "-o", options, "start"])
    try:
        yield f"postgresql://skyjo@127.0.0.1:{port}"
    finally:
        run([*control, "-m", "immediate", "stop"])


def owner() -> list[str]:
    """What runs a command as the server's owner: the server refuses to run as root."""
    return ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []


def control_of(data: Path) -> list[str]:
    """The command that starts and stops the server of a folder."""
    return [*owner(), str(programs() / "pg_ctl"), "-D", str(data), "-w"]


@contextmanager
def stopped(data: Path) -> Iterator[None]:
    """The server of a folder does not run while the block does, and is the same afterwards."""
    _program, *options = shlex.split((data / "postmaster.opts").read_text())
    run([*control_of(data), "-m", "fast", "stop"])
    try:
        yield
    finally:
        run([*control_of(data), "-l", str(data / "log"), "-o", shlex.join(options), "start"])


def run(command: list[str]) -> None:
    done = subprocess.run(
        command, cwd="/", capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    assert done.returncode == 0, done.stdout + done.stderr
