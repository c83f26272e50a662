"""Deleting on pages: the host a table, everybody their own name, with and without scripts."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import expect
from tests.web.browsing import Visitor as BrowserPerson
from tests.web.conftest import quick_app
from tests.web.forms import Page
from tests.web.harness import Person, in_thread
from tests.web.test_live import board, live
from tests.web.test_pad_pages import begin, save
from websockets.exceptions import ConnectionClosed

from skyjo.i18n import available_languages
from skyjo.table.ports import Head

Visitor = Callable[..., Person]


def everything(folder: Path) -> bytes:
    """All bytes that the folder holds about games."""
    return b"".join(path.read_bytes() for path in sorted(folder.glob("skyjo.sqlite3*")))


def over(ana: Person, ben: Person) -> str:
    """A table of two whose game has ended, because the second one left; its path."""
    path = ana.make("Annemarie")
    ben.join(path, "Benedikta")
    assert ana.post(f"{path}/start").status_code == 303
    left = ben.post(f"{path}/leave", {"seat": 1, "version": ben.version(path)})
    assert left.status_code == 303
    return path


def test_the_host_deletes_a_table_that_others_look_at(visitor: Visitor) -> None:
    ana, ben = visitor(), visitor()
    path = over(ana, ben)
    record = ana.get(path).text
    replay = re.findall(r"/replay/[^\"]+", record)[0]
    assert f"{path}/delete" in Page(record).links
    assert f"{path}/delete" not in ben.page(path).links
    with live(ben, path) as seen:
        board(seen)
        asked = ana.page(f"{path}/delete")
        assert "Benedikta" in asked.words
        listed = Page(ana.press(asked.form("/delete")).text)
        assert path not in listed.links
        assert "It is deleted." in listed.words
        said = board(seen)
        while "Benedikta" in said:
            said = board(seen)
        assert "This table has been deleted." in said
        with pytest.raises(ConnectionClosed) as closed:
            board(seen)
        assert closed.value.rcvd
        assert closed.value.rcvd.code == 1000, "pages must not come back again and again"
    for person in (ana, ben):
        assert person.get(path).status_code == 404
        assert person.get(replay).status_code == 404
        assert path not in person.page("/").links
    assert ana.get(f"{path}/delete").status_code == 404


def test_only_the_host_and_only_when_nobody_else_plays(visitor: Visitor) -> None:
    ana, ben, cleo = visitor(), visitor(), visitor()
    path = ana.make("Ana")
    assert f"{path}/delete" in ana.page(path).links, "in the lobby"
    ben.join(path, "Ben")
    for stranger in (ben, cleo):
        assert stranger.get(f"{path}/delete").status_code == 403
        assert stranger.post(f"{path}/delete").status_code == 403
    ana.post(f"{path}/start")
    assert f"{path}/delete" not in ana.page(path).links
    refused = ana.get(f"{path}/delete")
    assert refused.status_code == 409
    assert "Others still play here" in refused.text
    assert not Page(refused.text).has("/delete")
    assert ana.post(f"{path}/delete").status_code == 409
    assert ana.get(path).status_code == 200
    # Alone with bots one may at any time.
    alone = ana.play(2)
    assert ana.post(f"{alone}/delete").status_code == 303
    assert ana.get(alone).status_code == 404


def test_a_name_is_taken_out_by_whose_it_is(tmp_path: Path) -> None:
    with in_thread(quick_app(tmp_path)) as url, Person(url) as ana, Person(url) as ben:
        path = ana.make("Annemarie")
        ben.join(path, "Benedikta")
        early = ben.get(f"{path}/forget?seat=1")
        assert (early.status_code, "Leave the table" in early.text) == (409, True)
        ana.post(f"{path}/start")
        early = ben.get(f"{path}/forget?seat=1")
        assert early.status_code == 409
        assert f"{path}/leave?seat=1" in Page(early.text).links
        assert ben.post(f"{path}/forget", {"seat": 1}).status_code == 409
        ben.post(f"{path}/leave", {"seat": 1, "version": ben.version(path)})
        assert f"{path}/forget?seat=1" in ben.page(path).links
        for person, seat in ((ana, 1), (ben, 0), (ben, 7)):
            assert person.get(f"{path}/forget?seat={seat}").status_code == 403
            assert person.post(f"{path}/forget", {"seat": seat}).status_code in (403, 409)
        for wrong in ({}, {"seat": "x"}, {"seat": "-1"}):
            assert ben.post(f"{path}/forget", wrong).status_code == 400
        with live(ana, path) as seen:
            assert "Benedikta" in board(seen)
            form = ben.page(f"{path}/forget?seat=1").form("/forget")
            assert "It is deleted." in ben.press(form).text
            while "Benedikta" in (said := board(seen)):
                pass
            assert "#2" in said
        assert path not in ben.page("/mine").links
        assert "Benedikta" not in ben.get(path).text
        assert "Benedikta" not in ana.get(f"{path}/record").text
        assert "Annemarie" in ana.get(path).text
    content = everything(tmp_path)
    assert b"Annemarie" in content
    assert b"Benedikta" not in content


def test_whoever_leaves_a_lobby_leaves_no_name(tmp_path: Path) -> None:
    with in_thread(quick_app(tmp_path)) as url, Person(url) as ana, Person(url) as ben:
        path = ana.make("Annemarie")
        for name in ("Benedikta", "Konstantin"):
            ben.join(path, name)
        ben.post(f"{path}/rename", {"seat": 1, "name": "Wilhelmina", "version": ana.version(path)})
        ana.post(f"{path}/remove", {"seat": 2, "version": ana.version(path)})
        ben.post(f"{path}/leave", {"seat": 1, "version": ana.version(path)})
        table_id = _id_of(tmp_path, path)
        alone = ana.make("Leopoldine")
        ana.post(f"{alone}/leave", {"seat": 0, "version": ana.version(alone)})
        assert "Annemarie" in ana.get(path).text
    content = everything(tmp_path)
    for typed in (b"Benedikta", b"Konstantin", b"Wilhelmina", b"Leopoldine"):
        assert typed not in content
    assert b"Annemarie" in content
    # The table is read again as it was.
    with in_thread(quick_app(tmp_path)) as url, Person(url) as guest:
        assert _id_of(tmp_path, path) == table_id
        assert "Annemarie" in guest.page(path).words
        guest.join(path, "Benedikta")


def _id_of(folder: Path, path: str) -> str:
    with closing(sqlite3.connect(folder / "skyjo.sqlite3")) as database:
        code = path.rpartition("/")[2]
        return str(database.execute("SELECT id FROM tables WHERE code = ?", [code]).fetchone()[0])


def test_lists_leave_out_what_is_deleted_while_they_are_made(tmp_path: Path) -> None:
    app = quick_app(tmp_path)
    with in_thread(app) as url, Person(url) as ana:
        site = app.state.site
        store = site.pads.store
        held_by = store.held_by

        async def deleted_then(holder: str, limit: int = 100) -> list[Head]:
            heads: list[Head] = await held_by(holder, limit)
            for head in heads:
                if not circle.endswith(head.code):
                    await site.upkeep.delete_anything(head.id)
            return heads

        circle = ana.post("/circles", {"name": "Friday"}).headers["location"]
        for path in ("/", "/mine", f"{circle}/add"):
            ana.make("Ana")
            ana.post("/pads", {"name0": "Ana", "name1": "Ben"})
            ana.post("/circles", {"name": "Monday"})
            store.held_by = deleted_then
            answer = ana.get(path)
            store.held_by = held_by
            assert answer.status_code == 200, (path, answer.text)
            assert "Monday" not in answer.text


def test_all_tables_are_listed_page_by_page(visitor: Visitor) -> None:
    ana = visitor()
    assert "There is no table here." in ana.page("/mine").words
    paths = {ana.make(f"Ana{number}") for number in range(14)}
    first = ana.page("/mine")
    second = ana.page(next(link for link in first.links if "skip=" in link))
    found = [link for page in (first, second) for link in page.links if link in paths]
    assert set(found) == paths
    assert len(found) == 14
    assert any(link.endswith("skip=0") for link in second.links)
    assert "/mine" in ana.page("/").links
    assert "/mine" in ana.page("/settings").links
    for nonsense in ("skip=-1", "skip=x", "skip=99999999"):
        assert ana.get(f"/mine?{nonsense}").status_code == 400


def test_the_pages_are_there_in_every_language(visitor: Visitor) -> None:
    ana, ben = visitor(), visitor()
    path = over(ana, ben)
    words: dict[str, set[str]] = {}
    for language in available_languages():
        ana.post("/settings", {"lang": language.code})
        for page in ("/mine", f"{path}/delete", f"{path}/forget?seat=0"):
            shown = ana.page(page)
            assert shown.lang == language.code
            words.setdefault(page.partition("?")[0], set()).add(shown.words)
    assert {len(each) for each in words.values()} == {len(available_languages())}


def test_an_onlookers_browser_shows_that_it_is_gone(people: Callable[..., BrowserPerson]) -> None:
    ana, ben = people(), people()
    path = ana.make_table("Ana")
    ben.join(path, "Ben")
    ben.connected()
    ana.page.goto(f"{path}/delete")
    ana.page.get_by_role("button", name="Delete for ever").click()
    expect(ana.page.get_by_role("status")).to_contain_text("It is deleted.")
    expect(ben.page.locator("#board h1")).to_have_text("This table has been deleted.")
    # It says so, and does not try to come back.
    ben.page.wait_for_timeout(2500)
    expect(ben.page.locator("#offline")).to_be_hidden()
    expect(ben.page.locator("#board h1")).to_have_text("This table has been deleted.")


def test_the_keeper_deletes_a_pad_that_others_look_at(visitor: Visitor) -> None:
    ana, ben, zoe = visitor(), visitor(), visitor()
    path = begin(ana, "Annemarie", "Benedikta")
    save(ana, path, 3, 4)
    watch = re.findall(r"/pad/watch/[\w.-]+", ana.get(f"{path}/share").text)[0]
    for page in (path, f"{path}/settings"):
        assert f"{path}/delete" in ana.page(page).links
        assert f"{path}/delete" not in ben.page(page).links
    for refused in (ben.get(f"{path}/delete"), ben.post(f"{path}/delete")):
        assert refused.status_code == 403
        assert "Only whoever keeps this pad may do that." in refused.text
    with live(ben, path) as sheet, live(zoe, watch) as looked:
        for seen in (sheet, looked):
            board(seen)
        asked = ana.page(f"{path}/delete")
        assert "Annemarie" in asked.words
        assert "1 round is on the sheet." in asked.words
        after = ana.press(asked.form("/delete"))
        assert (after.url.path, "It is deleted." in after.text) == ("/", True)
        for seen in (sheet, looked):
            said = board(seen)
            while "Annemarie" in said:
                said = board(seen)
            assert "This score pad has been deleted." in said
            assert 'href="/"' in said
            with pytest.raises(ConnectionClosed) as closed:
                board(seen)
            assert closed.value.rcvd
            assert closed.value.rcvd.code == 1000
    for person, page in ((ana, path), (ben, f"{path}/sheet.json"), (zoe, watch), (ana, path)):
        answer = person.get(page)
        assert answer.status_code == 404
        assert "or it was deleted" in answer.text
    assert path not in ana.page("/").links


def test_who_took_a_pad_over_does_not_delete_it(tmp_path: Path) -> None:
    app = quick_app(tmp_path)
    with in_thread(app) as url, Person(url) as ana, Person(url) as ben, Person(url) as eve:
        path = begin(ana, "Annemarie", "Benedikta")
        keeper = re.findall(rf"{path}/keep/[\w.-]+", ana.get(f"{path}/share").text)[0]
        app.state.site.pads.presence.away_after = 0.0
        ben.press(ben.page(path).form("/take-over"))
        eve.post(keeper)
        for person in (ben, eve):
            assert f"{path}/delete" not in person.page(f"{path}/settings").links
            refused = person.post(f"{path}/delete")
            assert refused.status_code == 403
            assert "only who began it can delete it" in refused.text
        assert ana.post(f"{path}/delete").status_code == 303
    assert b"Annemarie" not in everything(tmp_path)


def test_whoever_made_a_circle_deletes_it_and_its_pads_stay(visitor: Visitor) -> None:
    ana, ben = visitor(), visitor()
    circle = ana.post("/circles", {"name": "Fridays"}).headers["location"]
    form = ana.page(f"{circle}/pad").form("/pad")
    path = ana.press(form, name0="Ana", name1="Ben", once="").url.path
    save(ana, path, 3, 4)
    assert "does not count for its circle" in ana.get(f"{path}/delete").text
    ana.post(f"{path}/end")
    assert "stays in the season of its circle" in ana.get(f"{path}/delete").text
    assert f"{circle}/delete" not in ben.page(f"{circle}/members").links
    assert ben.post(f"{circle}/delete").status_code == 403
    assert f"{circle}/delete" in ana.page(f"{circle}/members").links
    asked = ana.page(f"{circle}/delete")
    assert "1 game counts for it." in asked.words
    assert "It is deleted." in ana.press(asked.form("/delete")).text
    gone = ana.get(circle)
    assert (gone.status_code, "or it was deleted" in gone.text) == (404, True)
    assert "This pad counts for a circle." not in ana.get(f"{path}/settings").text
    # The pad may count for another one.
    other = ana.post("/circles", {"name": "Sundays"}).headers["location"]
    ana.press(ana.page(f"{path}/settings").form("/circle"))
    assert "Ben" in ana.page(other).words


@pytest.mark.parametrize("page", ["", "/enter"])
def test_an_open_pad_says_that_it_is_gone(people: Callable[..., BrowserPerson], page: str) -> None:
    ana, ben = people(), people()
    ana.page.goto("/pad/new")
    for seat, name in enumerate(("Ana", "Ben")):
        ana.page.locator(f"[name=name{seat}]").fill(name)
    ana.page.get_by_role("button", name="Begin").click()
    ana.page.wait_for_url(re.compile(r"/pad/[0-9A-Z]{8}$"))
    path = ana.path
    ana.page.goto(f"{path}/share")
    ana.page.locator("form:has([name=entering][value=all]) button").click()
    ana.page.goto(f"{path}/delete")
    ben.page.goto(path + page)
    ben.connected()
    ana.page.get_by_role("button", name="Delete for ever").click()
    expect(ana.page.get_by_role("status").first).to_contain_text("It is deleted.")
    expect(ben.page.locator("#board h1")).to_have_text("This score pad has been deleted.")
    assert ben.page.locator("a:visible").all_inner_texts()[-1:] == ["Start page"]
    for dead in (".pad-nav", ".enter-bar", ".keys", ".rows", "#offline", "#notice *"):
        for each in ben.page.locator(dead).all():
            expect(each).to_be_hidden()


def test_score_pads_and_circles_are_listed_too(visitor: Visitor) -> None:
    """Of each one's own: whoever only looks on has it not, and deletes nothing."""
    ana, ben = visitor(), visitor()
    circle = ana.post("/circles", {"name": "Fridays"}).headers["location"]
    paths = [begin(ana, f"Anna{number}", "Ben") for number in range(8)]
    ana.make("Ana")
    ben.get(paths[0])
    mine = ana.page("/mine")
    for path in (*paths, circle):
        assert path in mine.links
        assert f"{path}/delete" in mine.links
        assert path not in ben.page("/mine").links
    assert "Anna7" in mine.words
    assert "Fridays" in mine.words
    assert paths[0] not in ana.page("/mine?skip=12").links
    ana.press(ana.page(f"{paths[0]}/delete").form("/delete"))
    ana.press(ana.page(f"{circle}/delete").form("/delete"))
    mine = ana.page("/mine")
    assert paths[0] not in mine.links
    assert paths[1] in mine.links
    assert circle not in mine.links
