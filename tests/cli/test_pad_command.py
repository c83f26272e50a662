"""``skyjo pad`` as people type it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path


def skyjo(*arguments: str, given: bytes = b"") -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "skyjo", "pad", *arguments],
        input=given,
        capture_output=True,
        check=False,
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
