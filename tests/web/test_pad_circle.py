"""Circles in the browser without scripts: from the first evening to export and import."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from tests.web.forms import Page
from tests.web.harness import Person
from tests.web.test_pad_pages import save

Visit = Callable[..., Person]


def found(person: Person, name: str = "Friday") -> str:
    """A new circle; its path."""
    answer = person.post("/circles", {"name": name})
    assert answer.status_code == 303, answer.text
    return answer.headers["location"]


def play(person: Person, circle: str, *names: str, last: tuple[int, ...] = (5, 60)) -> str:
    """A short pad of the circle, to its end; its path."""
    form = person.page(f"{circle}/pad").form("/pad")
    fields = {f"name{seat}": "" for seat in range(8)}
    fields |= {f"name{seat}": name for seat, name in enumerate(names or ("Ana", "Ben"))}
    answer = person.press(form, **fields, knobs="1", target="50")
    assert answer.status_code == 200, answer.text
    save(person, answer.url.path, *last)
    return answer.url.path


def table_of(text: str) -> list[list[str]]:
    """The season table as texts."""
    body = text[text.index("<tbody>") : text.index("</tbody>")]
    rows = re.findall(r"<tr>(.*?)</tr>", body, re.DOTALL)
    return [re.findall(r">([^<>\n]+)<", row) for row in rows]


def test_evenings_add_up(visitor: Visit) -> None:
    ana, ben = visitor(), visitor()
    circle = found(ana)
    assert circle in ana.page("/").links
    pad = play(ana, circle)
    play(ana, circle, last=(60, 3))
    play(ana, circle, last=(7, 60))
    text = ben.get(circle).text
    assert "3 games" in text
    assert [row[0] for row in table_of(text)] == ["Ana", "Ben"]
    assert "2:0:1" in text
    assert circle not in ben.page("/").links
    ben.press(ben.page(circle).form("/list"))
    assert circle in ben.page("/").links
    # Somebody at the table does not get the link of the circle by that of the pad.
    assert circle in ana.get(pad).text
    assert circle not in ben.get(pad).text
    year = re.search(rf"{circle}\?year=(\d+)", text)
    assert year
    assert "3 games" in ben.get(year[0]).text
    assert "No game has been counted" in ben.get(f"{circle}?year=1999").text


def test_members_are_renamed_and_merged_and_games_taken_out(visitor: Visit) -> None:
    ana = visitor()
    circle = found(ana)
    play(ana, circle)
    play(ana, circle, "Anna", "Ben")
    page = ana.page(f"{circle}/members")
    ana.press(page.form("/merge"), kept="0", gone="2")
    renames = [form for form in ana.page(f"{circle}/members").forms if "member" in form.fields]
    ana.press(renames[0], name="Annette")
    assert [row[0] for row in table_of(ana.get(circle).text)] == ["Annette", "Ben"]
    assert ana.press(renames[0], name="Ben").status_code == 409
    assert ana.press(page.form("/merge"), kept="0", gone="0").status_code == 400
    assert ana.press(page.form("/merge"), kept="0", gone="9").status_code == 409
    ana.press(ana.page(circle).form("/drop"))
    assert "1 game" in ana.get(circle).text


def test_an_online_table_counts(visitor: Visit) -> None:
    ana = visitor()
    circle = found(ana)
    answer = ana.press(ana.page(circle).form("/table"), name="Ana")
    assert answer.url.path.startswith("/t/")
    assert "1 game is still being played" in ana.get(circle).text


def test_export_and_import(visitor: Visit) -> None:
    ana, zoe = visitor(), visitor()
    circle = found(ana)
    play(ana, circle)
    play(ana, circle, "Ana", "Ben", "Cleo", last=(60, 3, 4))
    other = found(zoe, "Copy")
    content = b""
    for kind in ("json", "csv"):
        file = ana.get(f"{circle}/circle.{kind}")
        assert "attachment" in file.headers["content-disposition"]
        content = file.content
        answer = zoe.http.post(f"{other}/import", files={"file": (f"c.{kind}", content)})
        assert answer.status_code == 200, answer.text
        said = "2 games were taken in" if kind == "json" else "0 games were taken in"
        assert said in answer.text
    assert table_of(zoe.get(other).text) == table_of(ana.get(circle).text)
    bad = content.replace(b"official target=50,1,Ben,3", b"official target=50,1,Ben,x")
    answer = zoe.http.post(f"{other}/import", files={"file": ("bad.csv", bad)})
    assert answer.status_code == 400
    assert re.search(r"bad\.csv:\d+:\d+: &#39;x&#39; is no number of points", answer.text)
    for files in ({}, {"file": ("e.csv", b"")}, {"file": ("b.csv", b"\xff\xfe\x00")}):
        assert zoe.http.post(f"{other}/import", files=files or None).status_code == 400


def test_more_than_a_form_is_taken_only_where_files_are(visitor: Visit) -> None:
    ana = visitor()
    circle = found(ana)
    much = b"x" * 100_000
    answer = ana.http.post(f"{circle}/import", files={"file": ("much.csv", much)})
    assert answer.status_code == 400
    assert ana.http.post(f"{circle}/rename", data={"name": "x" * 100_000}).status_code == 413


@pytest.mark.parametrize("name", ["", "   ", "x" * 40])
def test_faults_of_a_new_circle(visitor: Visit, name: str) -> None:
    answer = visitor().post("/circles", {"name": name})
    assert answer.status_code == 400
    assert 'role="alert"' in answer.text


def test_a_link_that_is_wrong_leads_nowhere(visitor: Visit) -> None:
    ana = visitor()
    circle = found(ana)
    for path in (circle[:-1], circle[:-1] + "!", "/circle/x", circle.upper()):
        assert ana.get(path).status_code == 404
    assert "method" in ana.get(circle).text


def test_a_finished_pad_that_is_corrected_changes_the_season(visitor: Visit) -> None:
    ana = visitor()
    circle = found(ana)
    pad = play(ana, circle)
    form = ana.page(f"{pad}/round/0").form("/round/0")
    answer = ana.press(form, p0="60", p1="5")
    ana.press(Page(answer.text).form("/round/0"))
    assert [row[0] for row in table_of(ana.get(circle).text)] == ["Ben", "Ana"]
    ana.press(ana.page(pad).form("/undo"))
    assert [row[0] for row in table_of(ana.get(circle).text)] == ["Ana", "Ben"]
    ana.press(ana.page(pad).form("/undo"))
    assert "1 game is still being played" in ana.get(circle).text
