"""Backup, restore and deleting, as the commands do it, on servers that run and that do not."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
import zipfile
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from tests.kit.programs import API
from tests.web.harness import PATIENCE, Process, wait_for

from skyjo.client import Client, Seat, Table
from skyjo.store import open_store
from skyjo.store.backup import PAGES, copy_database


def skyjo(*arguments: str | Path, answer: str = "") -> tuple[int, str]:
    """Run the command; its status and all that it says."""
    done = subprocess.run(
        [sys.executable, "-m", "skyjo", *map(str, arguments)],
        input=answer,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "LC_ALL": "C.UTF-8", "LANGUAGE": "en"},
        timeout=120,
    )
    return done.returncode, done.stdout + done.stderr


def server(data: Path) -> Process:
    return Process(data, "--host", "127.0.0.1", "--port", "0")


def first(table: Table) -> str:
    return table.legal[0]


def move(seat: Seat, count: int) -> None:
    """So many moves against a bot."""
    table = seat.look()
    done = 0
    for table in seat.watch():
        if table.legal:
            seat.act(first(table), table)
            done += 1
        elif table.may_ready:
            seat.ready(table)
        if done >= count:
            return


def test_a_backup_of_a_running_server_brings_every_shown_move_back(tmp_path: Path) -> None:
    old, new, file = tmp_path / "old", tmp_path / "new", tmp_path / "b.zip"
    with server(old) as running, Client(running.ready()) as client:
        seat = client.create("Ana", bots=["greedy"], pace="none", start=True)
        move(seat, 6)
        before = seat.look()
        # Moves go on while the copy is made.
        busy = client.create("Ben", bots=["greedy"], pace="none", start=True)
        playing = threading.Thread(target=move, args=(busy, 40))
        playing.start()
        status, said = skyjo("backup", file, "--data", old)
        playing.join()
        assert (status, "2 tables" in said) == (0, True), said
        shown = seat.look()
        assert shown.version >= before.version
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert skyjo("restore", file, "--data", new)[0] == 0
    with server(new) as restored, Client(restored.ready()) as client:
        again = client.seat(seat.table, seat.token)
        table = again.look()
        assert before.version <= table.version
        assert table.mine == (0,), "the token is still good: the key came with the backup"
        move(again, 2)
        assert client.seat(busy.table, busy.token).look().phase == "playing"


def test_a_backup_does_not_write_over_another(tmp_path: Path) -> None:
    data, file = tmp_path / "data", tmp_path / "b.zip"
    with server(data) as running:
        running.ready()
    assert skyjo("backup", file, "--data", data)[0] == 0
    content = file.read_bytes()
    status, said = skyjo("backup", file, "--data", data)
    assert (status, "--replace" in said) == (1, True)
    assert "Copying" not in said, "a bar is for terminals"
    assert file.read_bytes() == content
    assert skyjo("backup", file, "--data", data, "--replace")[0] == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.zip", "data"]


def test_a_folder_without_games_is_named(tmp_path: Path) -> None:
    status, said = skyjo("backup", tmp_path / "b.zip", "--data", tmp_path / "none")
    assert status == 1
    assert "There is no database at" in said
    status, said = skyjo("delete", "K93AA5TG", "--data", tmp_path / "none", "--yes")
    assert (status, "There are no games in" in said) == (1, True), said
    assert list(tmp_path.iterdir()) == [], "whoever mistypes a folder makes none"


def test_a_folder_for_the_backup_that_is_not_there_is_named(tmp_path: Path) -> None:
    status, said = skyjo("backup", tmp_path / "none" / "b.zip", "--data", tmp_path)
    assert (status, said) == (
        1,
        f"There is no folder {tmp_path / 'none'}. Make it first, or name another file.\n",
    )


def test_restoring_puts_aside_what_was_there_and_refuses_a_running_server(tmp_path: Path) -> None:
    data, file = tmp_path / "data", tmp_path / "b.zip"
    with server(data) as running, Client(running.ready()) as client:
        client.create("Ana")
        assert skyjo("backup", file, "--data", data)[0] == 0
        later = client.create("Ben")
        status, said = skyjo("restore", file, "--data", data, "--replace")
        assert (status, "Stop it first" in said) == (1, True)
    status, said = skyjo("restore", file, "--data", data)
    assert (status, "--replace" in said) == (1, True)
    status, said = skyjo("restore", file, "--data", data, "--replace")
    assert status == 0, said
    (aside,) = data.glob("skyjo.before-*.sqlite3")
    with sqlite3.connect(aside) as old:
        assert old.execute("SELECT count(*) FROM tables").fetchone() == (2,)
    with server(data) as running, Client(running.ready()) as client:
        assert client.tables(later.token) == ()


@pytest.fixture(scope="module")
def backed_up(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The folder of a server, and a backup of it."""
    data, file = tmp_path_factory.mktemp("data"), tmp_path_factory.mktemp("backup") / "b.zip"
    with server(data) as running, Client(running.ready()) as client:
        for _ in range(5):
            client.create("Ana", bots=["greedy"], start=True)
    assert skyjo("backup", file, "--data", data)[0] == 0
    return data, file


def elsewhere(folder: Path) -> bytes:
    """A sound database that counts its revisions as ours does."""
    path = folder / "elsewhere.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE alembic_version (version_num)")
        database.execute("INSERT INTO alembic_version VALUES ('0001')")
        database.commit()
    return path.read_bytes()


def damaged(packed: bytes, how: str) -> bytes:
    """What is left of a ZIP file."""
    match how:
        case "text":
            return b"hello"
        case "empty":
            return b""
        case "torn":
            return packed[:-600]
        case "moved":
            return packed[:400] + packed[420:]
        case "other names":
            return packed.replace(b"secret.key", b"secret.kez")
        case "no deflate":
            begin = packed.index(b"skyjo.sqlite3") + len(b"skyjo.sqlite3")
            return packed[:begin] + b"\xff" * 200 + packed[begin + 200 :]
        case "unknown packing":
            return re.sub(rb"(?s)(PK\x01\x02.{6})..", lambda head: head[1] + b"c\0", packed)
    raise ValueError(how)


def other(file: Path, folder: Path, how: str) -> bytes:
    """A sound ZIP file that is not quite a backup."""
    out = folder / "other.zip"
    with zipfile.ZipFile(file) as good, zipfile.ZipFile(out, "w") as bad:
        for name in good.namelist():
            content = good.read(name)
            if name == "skyjo.sqlite3":
                if how == "no database":
                    continue
                if how == "other database":
                    content = b"SQLite format 3\0" + bytes(4096)
                if how == "another program's":
                    content = elsewhere(folder)
                if how == "flipped":
                    middle = len(content) // 2
                    content = content[:middle] + os.urandom(3000) + content[middle + 3000 :]
            if name == "backup.json" and how == "newer":
                content = json.dumps({"format": 99}).encode()
            bad.writestr(name, content)
    return out.read_bytes()


def test_a_backup_comes_to_its_end_however_much_is_played(tmp_path: Path) -> None:
    """SQLite begins a copy anew when others write in between, unless it is kept from that."""
    source, target = tmp_path / "games.sqlite3", tmp_path / "copy.sqlite3"

    async def make() -> None:
        await (await open_store(f"sqlite:///{source}")).close()

    asyncio.run(make())
    with closing(sqlite3.connect(source)) as busy:
        row = ("t", 1, 0.0, "x" * 1000)
        busy.executemany(
            "INSERT INTO events VALUES (?, ?, ?, ?)",
            [(f"t{number}", *row[1:]) for number in range(4 * PAGES * 4)],
        )
        busy.commit()
        parts: list[float] = []

        def played(part: float) -> None:
            parts.append(part)
            assert len(parts) < 100, "the copy begins anew again and again"
            busy.execute("INSERT INTO events VALUES (?, ?, ?, ?)", (f"m{len(parts)}", *row[1:]))
            busy.commit()

        copy_database(source, target, played)
    assert len(parts) > 2
    assert parts == sorted(parts)
    with closing(sqlite3.connect(target)) as copied:
        (late,) = copied.execute("SELECT count(*) FROM events WHERE table_id LIKE 'm%'").fetchone()
    assert late == 0, "the games as they were at one moment"


DAMAGES = ["text", "empty", "torn", "moved", "other names", "no deflate", "unknown packing"]
OTHERS = ["no database", "other database", "another program's", "flipped", "newer"]


def test_a_backup_that_is_ended_leaves_nothing_behind(tmp_path: Path) -> None:
    """A timer of the system ends it with SIGTERM; the copy would hold names, decks and the key."""
    data, place = tmp_path / "data", tmp_path / "backups"
    place.mkdir()
    with server(data) as running, Client(running.ready()) as client:
        client.create("Ana")
    with closing(sqlite3.connect(data / "skyjo.sqlite3")) as held:
        # Nobody can read meanwhile, so that the backup waits, with its folder made.
        held.execute("PRAGMA locking_mode=EXCLUSIVE")
        held.execute("PRAGMA user_version=1")
        with subprocess.Popen(
            [sys.executable, "-m", "skyjo", "backup", str(place / "x.zip"), "--data", str(data)],
            stderr=subprocess.DEVNULL,
        ) as ended:
            wait_for(lambda: list(place.iterdir()), "the place where it works")
            ended.terminate()
            assert ended.wait(PATIENCE) == 128 + signal.SIGTERM
    assert not list(place.iterdir())


@pytest.mark.parametrize("how", [*DAMAGES, *OTHERS])
def test_a_damaged_backup_changes_nothing(
    tmp_path: Path, backed_up: tuple[Path, Path], how: str
) -> None:
    data, file = backed_up
    before = {path.name: path.read_bytes() for path in data.glob("*.sqlite3")}
    bad = tmp_path / "bad.zip"
    bad.write_bytes(
        damaged(file.read_bytes(), how) if how in DAMAGES else other(file, tmp_path, how)
    )
    status, said = skyjo("restore", bad, "--data", data, "--replace")
    assert status == 1, said
    assert "Traceback" not in said
    assert str(bad) in said
    assert {path.name: path.read_bytes() for path in data.glob("*.sqlite3")} == before
    assert not list(data.glob("restore-*"))


def test_a_backup_of_a_newer_program_is_refused(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with server(data) as running:
        running.ready()
    with sqlite3.connect(data / "skyjo.sqlite3") as database:
        database.execute("UPDATE alembic_version SET version_num = '9999'")
    database.close()
    status, said = skyjo("backup", tmp_path / "b.zip", "--data", data)
    assert (status, "newer version" in said) == (1, True)


# --- deleting ----------------------------------------------------------------------------------


def everything(data: Path) -> bytes:
    """All bytes that the folder holds about games."""
    return b"".join(path.read_bytes() for path in sorted(data.glob("skyjo.sqlite3*")))


@pytest.mark.parametrize("runs", [True, False], ids=["running", "stopped"])
def test_a_table_is_deleted_for_ever(tmp_path: Path, runs: bool) -> None:
    data = tmp_path / "data"
    running = server(data)
    with running, Client(running.ready()) as client:
        kept = client.create("Konstantin")
        seat = client.create("Wilhelmina", bots=["greedy"], start=True)
        if runs:
            next(seat.watch())
        else:
            running.stop()
        spaced = f"{seat.table[:4].lower()} {seat.table[4:]}"
        assert skyjo("delete", spaced, "--data", data, answer="n\n")[0] == 130
        status, said = skyjo("delete", spaced, "--data", data, answer="y\n")
        assert status == 0, said
        if runs:
            assert httpx.get(f"{running.url}{API}/tables/{seat.table}").status_code == 404
            assert httpx.get(f"{running.url}/t/{seat.table}").status_code == 404
            assert client.tables(seat.token) == ()
            assert client.tables(kept.token)
            running.stop()
    content = everything(data)
    assert b"Konstantin" in content
    assert b"Wilhelmina" not in content
    assert seat.table.encode() not in content
    status, said = skyjo("delete", seat.table, "--data", data, "--yes")
    assert (status, "There is no such table" in said or "no table" in said) == (1, True), said


@pytest.mark.parametrize("runs", [True, False], ids=["running", "stopped"])
def test_a_name_is_taken_out_for_ever(tmp_path: Path, runs: bool) -> None:
    data = tmp_path / "data"
    running = server(data)
    with running, Client(running.ready()) as client:
        ana = client.create("Anastasia", ruleset="official max_rounds=1")
        ben = client.join(ana.table, "Wilhelmina")
        ben.command("rename", seat=1, name="Wilhelmine", version=ben.look().version)
        ana.start()
        status, said = skyjo("delete", ana.table, "--seat", "2", "--data", data, "--yes")
        assert (status, "not over yet" in said) == (1, True), said
        ben.leave(ben.look())
        assert "Wilhelmine" in ana.record()
        if not runs:
            running.stop()
        status, said = skyjo("delete", ana.table, "--seat", "2", "--data", data, "--yes")
        assert status == 0, said
        if runs:
            assert [seat.name for seat in ana.look().seats] == ["Anastasia", "#2"]
            assert "Wilhelmin" not in ana.record()
            assert ben.look().onlooker, "the device is forgotten, too"
            assert client.tables(ben.token) == ()
            running.stop()
    content = everything(data)
    assert b"Anastasia" in content
    assert b"Wilhelmin" not in content
    with server(data) as again, Client(again.ready()) as client:
        seen = client.seat(ana.table, ana.token).look()
        assert [seat.name for seat in seen.seats] == ["Anastasia", "#2"]
        assert seen.sheet is not None


def test_people_delete_what_is_theirs(tmp_path: Path) -> None:
    """Over the API: the host a table, everybody their own name, nobody anything else."""
    from tests.web.conftest import quick_app
    from tests.web.harness import in_thread

    from skyjo.client import ServerError

    with in_thread(quick_app(tmp_path)) as url, Client(url) as client:
        ana = client.create("Ana", ruleset="official max_rounds=1", pace="none")
        ben = client.join(ana.table, "Ben")
        for seat, code in ((ben, "not_host"), (client.seat(ana.table, ""), "no_token")):
            with pytest.raises(ServerError) as error:
                seat.delete()
            assert error.value.code in (code, "bad_token")
        ana.start()
        with pytest.raises(ServerError) as error:
            ana.delete()
        assert error.value.code == "not_over", "others still play here"
        with pytest.raises(ServerError) as error:
            ben.forget(ben.look())
        assert error.value.code == "not_over", "who plays has a name"
        with pytest.raises(ServerError) as error:
            ben.forget(ben.look(), 0)
        assert error.value.code == "not_your_seat"
        ben.leave(ben.look())
        assert ana.look().phase == "over"
        replay = httpx.get(f"{url}/t/{ana.table}").text.partition("/replay/")[2].partition('"')[0]
        assert "Ben" in httpx.get(f"{url}/replay/{replay}").text
        assert ben.forget(ben.look()).seats[1].name == "#2"
        assert "Ben" not in httpx.get(f"{url}/replay/{replay}").text
        assert "Ben" not in httpx.get(f"{url}/t/{ana.table}").text
        seen = ana.watch(patience=1.0)
        assert next(seen).phase == "over"
        ana.delete()
        with pytest.raises(ServerError):
            ana.look()
        assert httpx.get(f"{url}/replay/{replay}").status_code == 404
        assert client.tables(ana.token) == ()


def test_nothing_of_what_is_deleted_stays_in_any_file(tmp_path: Path) -> None:
    """Neither in the database nor in the log of writes beside it, while the server runs on."""
    with server(tmp_path) as running, Client(running.ready()) as client:
        kept = client.create("Kornelia", bots=["greedy"], pace="none", start=True)
        whole = client.create("Zenobia", bots=["greedy"], pace="none", start=True)
        for seat in (kept, whole):
            move(seat, 40)
        lobby = client.create("Cleo")
        guest = client.join(lobby.table, "Quentin")
        guest.leave(guest.look())
        assert skyjo("delete", whole.table, "--data", tmp_path, "--yes")[0] == 0

        def found(name: str) -> list[str]:
            return [
                each.name
                for each in sorted(tmp_path.iterdir())
                if each.is_file() and name.encode() in each.read_bytes()
            ]

        assert found("Kornelia"), "names are found where they are"
        assert (found("Zenobia"), found("Quentin")) == ([], [])
        # Somebody reads for long: nobody waits, and the next deletion clears up.
        other = sqlite3.connect(tmp_path / "skyjo.sqlite3", isolation_level=None)
        other.execute("BEGIN")
        other.execute("SELECT count(*) FROM events").fetchone()
        assert skyjo("delete", kept.table, "--data", tmp_path, "--yes")[0] == 0
        assert httpx.get(f"{running.url}/t/{kept.table}").status_code == 404
        other.execute("COMMIT")
        other.close()
        assert skyjo("delete", lobby.table, "--data", tmp_path, "--yes")[0] == 0
        assert found("Kornelia") == []


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() != 0, reason="only root can give files away"
)
def test_what_root_restores_belongs_to_the_service(tmp_path: Path) -> None:
    old, new, file = tmp_path / "old", tmp_path / "new", tmp_path / "b.zip"
    with server(old) as running, Client(running.ready()) as client:
        client.create("Ana", bots=["greedy"], pace="none", start=True)
    assert skyjo("backup", file, "--data", old)[0] == 0
    new.mkdir(mode=0o700)
    os.chown(new, 12_345, 12_346)
    for more in ((), ("--replace",)):
        assert skyjo("restore", file, "--data", new, *more)[0] == 0
        found = {(each.stat().st_uid, each.stat().st_gid) for each in new.iterdir()}
        assert found == {(12_345, 12_346)}, sorted(new.iterdir())
