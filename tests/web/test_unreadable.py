"""A table or pad that another version of the program has written, and all the others beside it."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.hosting.test_backup import skyjo
from tests.web.conftest import quick_app
from tests.web.forms import Page
from tests.web.harness import Person, in_thread
from tests.web.test_pad_pages import begin, save

#: An older version allowed it.
RULES = "official penalty_scope=total penalty_multiplier=50"
SAYS = "cannot be opened by this version of skyjo: {reason}. It is kept as it is"
FACTOR = "with penalty_scope=total penalty_multiplier is at most 10, not '50'"
NEWER = "it was written by a newer version; update skyjo"
TORN = "what is stored does not fit together"


def code_of(path: str) -> str:
    return path.rpartition("/")[2]


def rewrite(folder: Path, path: str, change: dict[str, Any], phase: str = "") -> None:
    """Change the event with which something began, by hand."""
    with closing(sqlite3.connect(folder / "skyjo.sqlite3")) as database, database:
        (found,) = database.execute("SELECT id FROM tables WHERE code = ?", [code_of(path)])
        row = "FROM events WHERE table_id = ? AND version = 1"
        (data,) = database.execute(f"SELECT data {row}", found).fetchone()
        changed = json.dumps({**json.loads(data), **change})
        database.execute(
            "UPDATE events SET data = ? WHERE table_id = ? AND version = 1", [changed, *found]
        )
        if phase:
            database.execute("UPDATE tables SET phase = ? WHERE id = ?", [phase, *found])


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"ruleset": RULES}, FACTOR),
        ({"format": 2}, NEWER),
        ({"event": "levitated"}, NEWER),
        ({"ruleset": 7}, TORN),
    ],
    ids=["rules", "format", "event", "torn"],
)
def test_only_what_cannot_be_read_is_not_there(
    tmp_path: Path, change: dict[str, Any], reason: str
) -> None:
    with in_thread(quick_app(tmp_path)) as url, Person(url) as ana:
        bad, good = ana.make("Annemarie"), ana.play()
        circle = ana.post("/circles", {"name": "Fridays"}).headers["location"]
        form = ana.page(f"{circle}/pad").form("/pad")
        bad_pad = ana.press(form, name0="Ana", name1="Ben", once="").url.path
        good_pad = begin(ana, "Ana", "Cleo")
        save(ana, bad_pad, 3, 4)
        save(ana, good_pad, 3, 4)
        cookies = dict(ana.http.cookies)
    rewrite(tmp_path, bad, change)
    rewrite(tmp_path, bad_pad, change, phase="over")
    with in_thread(quick_app(tmp_path)) as url, Person(url) as ana:
        ana.http.cookies.update(cookies)
        for listed in ("/", "/mine"):
            page = ana.page(listed)
            assert {good, good_pad, circle} <= set(page.links)
            assert not {bad, bad_pad} & set(page.links)
            for path in (bad, bad_pad):
                assert f"{code_of(path)} {SAYS.format(reason=reason)}" in page.words
        for path in (bad, f"{bad}/record", f"{bad}/delete", bad_pad, f"{bad_pad}/enter"):
            told = ana.get(path)
            assert (told.status_code, SAYS.format(reason=reason) in Page(told.text).words) == (
                409,
                True,
            ), path
        assert ana.post(f"{bad}/delete").status_code == 409
        told = ana.get(f"/api/v1/tables/{code_of(bad)}")
        assert (told.status_code, told.json()["error"]["code"]) == (409, "unreadable")
        assert ana.get("/healthz").status_code == 200
        assert ana.get(good).status_code == 200
        assert "Fridays" in ana.page(circle).words
        assert code_of(good_pad) in ana.get(f"{circle}/add").text
        assert save(ana, good_pad, 1, 2)


def test_what_cannot_be_read_is_backed_up_and_deleted(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with in_thread(quick_app(folder)) as url, Person(url) as ana:
        bad, good = ana.make("Annemarie"), ana.make("Benedikta")
    rewrite(folder, bad, {"ruleset": RULES})

    def done(*words: str | Path) -> str:
        status, said = skyjo(*words, "--data", folder)
        assert status == 0, said
        return said

    assert "holds 2 tables" in done("backup", tmp_path / "kept.zip")
    assert "is deleted" in done("delete", code_of(bad), "--yes")
    with in_thread(quick_app(folder)) as url, Person(url) as ana:
        assert ana.get(bad).status_code == 404
        assert ana.get(good).status_code == 200
    assert b"Annemarie" not in b"".join(path.read_bytes() for path in folder.glob("skyjo.sqlite3*"))
    assert "2 tables are in place" in done("restore", tmp_path / "kept.zip", "--replace")
