"""``skyjo pad`` as people type it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from tests.kit.postgres import running_server
from tests.web.harness import Person, Process
from tests.web.test_pad_pages import begin, save, totals

LOCAL = ("--host", "127.0.0.1", "--port", "0")


def skyjo(*arguments: str, given: bytes = b"", **environment: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "skyjo", "pad", *arguments],
        input=given,
        capture_output=True,
        check=False,
        env={**os.environ, **environment},
    )
    return done.returncode, (done.stdout + done.stderr).decode("utf-8")


def test_a_sheet_is_imported_shown_and_written(tmp_path: Path) -> None:
    file = tmp_path / "evening.csv"
    file.write_text("Runde;Ana;Ben;Zoë\n1;12;-3;20,0\n2;95;7;−2\nSumme;107;4;18\n")
    data = str(tmp_path / "data")
    status, said = skyjo("import", str(file), "--data", data)
    assert status == 0, said
    code = re.search(r"/pad/(\w{8})/keep/\w+", said)
    assert code
    status, shown = skyjo("show", code[1].lower(), "--data", data)
    assert status == 0
    assert re.search(r"Sum +107 +4 +18", shown)
    assert "Ben wins with a total of 4." in shown
    status, text = skyjo("show", code[1], "--data", data, "--to", "csv")
    assert text.splitlines()[0] == "round,Ana,Ben,Zoë,closed,penalty"
    values = json.loads(skyjo("show", code[1], "--data", data, "--to", "json")[1])
    assert values["totals"] == [107, 4, 18]
    # What was written is read again, here from standard input.
    assert skyjo("show", "-", given=text.encode())[1] == shown


def test_faults_are_told_and_nothing_is_imported(tmp_path: Path) -> None:
    file = tmp_path / "bad.csv"
    file.write_text("Ana,Ben\n1,x1\n3\n")
    status, said = skyjo("import", str(file), "--data", str(tmp_path / "data"))
    assert status == 1
    assert [line.removeprefix(str(file)) for line in said.splitlines()] == [
        ":2:3: 'x1' is no number of points",
        ":3:2: fewer fields than there are players",
    ]
    assert not (tmp_path / "data").exists()
    assert skyjo("show", str(file))[0] == 1
    assert skyjo("import", str(tmp_path / "none.csv"))[0] == 1
    assert skyjo("show", "ABCD1234", "--data", str(tmp_path / "data"))[0] == 1
    assert skyjo("show", "-", "--ruleset", "chess", given=b"A,B\n1,2\n")[0] == 2


def test_a_sheet_is_only_looked_at(tmp_path: Path) -> None:
    data = tmp_path / "data"
    sheet = "Ana,Ben,closed\n10,7,Ana\n".encode("utf-16")
    status, said = skyjo("import", "-", "--check", "--data", str(data), given=sheet)
    assert status == 0
    assert "20x2" in said
    status, said = skyjo("show", "-", "--set", "penalty_when=never", given=b"A,B,closed\n9,7,A\n")
    assert re.search(r"Sum +9 +7", said)
    assert not data.exists()


def test_pads_are_read_and_made_while_the_server_runs(tmp_path: Path) -> None:
    data = str(tmp_path)
    with Process(tmp_path, *LOCAL) as server, Person(server.ready()) as ana:
        path = begin(ana, "Ana", "Ben")
        save(ana, path, 5, 12)
        code = path.rpartition("/")[2]
        status, shown = skyjo("show", code, "--data", data)
        assert status == 0
        assert re.search(r"Sum +5 +12", shown)
        # What the command makes is there for the server at once, and the other way round.
        status, said = skyjo("import", "-", "--data", data, given=b"Cleo,Dora\n1,2\n")
        assert status == 0, said
        keep = re.search(r"(/pad/\w{8})/keep/\w+", said)
        assert keep
        ana.press(ana.page(keep[0]).form(keep[0]))
        save(ana, keep[1], 3, 40)
        assert totals(ana, keep[1]) == ["4", "42"]
        status, shown = skyjo("show", keep[1].rpartition("/")[2], "--data", data)
        assert re.search(r"Sum +4 +42", shown)


def test_the_games_are_in_a_database_elsewhere(tmp_path: Path) -> None:
    data = str(tmp_path)
    sheet = b"Ana,Ben\n5,12\n"
    with running_server() as postgres:
        database = f"{postgres}/postgres"
        with Process(tmp_path, *LOCAL, "--database", database) as server:
            url = server.ready()
            for arguments in (("import", "-"), ("show", "ABCD1234")):
                status, said = skyjo(*arguments, "--data", data, given=sheet)
                assert status == 1
                assert f"are in {database}. Name it with --database." in said
            status, said = skyjo("import", "-", "--data", data, "--database", database, given=sheet)
            assert status == 0, said
            code = re.search(r"/pad/(\w{8})/keep", said)
            assert code
            with Person(url) as ana:
                assert totals(ana, f"/pad/{code[1]}") == ["5", "12"]
        shown = skyjo("show", code[1], "--data", data, SKYJO_DATABASE=database)[1]
        assert re.search(r"Sum +5 +12", shown)
        assert not (tmp_path / "skyjo.sqlite3").exists()


def test_where_no_games_are_nothing_is_made(tmp_path: Path) -> None:
    nowhere = tmp_path / "typing mistake"
    for folder in (nowhere, tmp_path):
        status, said = skyjo("show", "ABCD1234", "--data", str(folder))
        assert status == 1
        assert f"There are no games in {folder}." in said
    assert not nowhere.exists()
    status, said = skyjo("show", "ABCD1234", "--database", "sqlite:///x.db")
    assert status == 1
    assert "--database is a PostgreSQL database" in said
