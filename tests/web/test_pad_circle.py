"""Circles in the browser without scripts: from the first evening to export and import."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.web.forms import Page
from tests.web.harness import Person, in_thread
from tests.web.robot import play_out
from tests.web.test_pad_pages import begin, save, totals

from skyjo.web.app import create_app
from skyjo.web.limits import Limits
from skyjo.web.settings import Settings
from skyjo.web.throttle import Rate

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
    # Somebody at the table does not get the link of the circle by that of the pad.
    assert circle in ana.get(pad).text
    assert circle not in ben.get(pad).text
    ben.press(ben.page(circle).form("/list"))
    assert circle in ben.page("/").links
    assert circle in ben.get(pad).text
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


def test_a_pad_that_exists_is_added_by_its_keeper_and_taken_out_again(visitor: Visit) -> None:
    ana, ben = visitor(), visitor()
    circle = found(ana, "Friday")
    path = begin(ana, "Ana", "Ben", knobs="1", target="50")
    save(ana, path, 5, 60)
    # On the pad's page: the circles of this device are offered.
    form = ana.page(f"{path}/settings").form("/circle")
    assert form.fields["circle"] == circle.rpartition("/")[2]
    assert "This pad counts for a circle" in ana.press(form).text
    assert "The pad counts for a circle now." in ana.get(path).text
    assert [row[0] for row in table_of(ana.get(circle).text)] == ["Ana", "Ben"]
    # Ben keeps another pad, and has the whole link.
    other = begin(ben, "Ben", "Cleo", knobs="1", target="50")
    save(ben, other, 5, 60)
    form = ben.page(f"{other}/settings").form("/circle")
    link = f"http://somewhere{circle}?year=2026"
    assert ben.press(form, link="x").status_code == 404
    assert "There is no circle" in ben.press(form, link="x").text
    assert ben.press(form, link=link).status_code == 200
    assert [row[0] for row in table_of(ana.get(circle).text)] == ["Ana", "Ben", "Cleo"]
    # By the link of a pad alone nobody does that, and who keeps it takes it out.
    for person in (ben, visitor()):
        answer = person.post(f"{path}/circle", {"circle": ""})
        assert answer.status_code == 403
    assert ana.press(ana.page(f"{path}/settings").form("/circle")).status_code == 200
    assert "for no circle any more" in ana.get(path).text
    assert [row[0] for row in table_of(ana.get(circle).text)] == ["Ben", "Cleo"]


def test_pads_and_finished_tables_are_added_on_the_page_of_the_circle(visitor: Visit) -> None:
    ana, ben = visitor(), visitor()
    circle = found(ana, "Saturday")
    pad = begin(ana, "Ana", "Ben", knobs="1", target="50")
    save(ana, pad, 5, 60)
    table = ana.make("Ana")
    code = table.rpartition("/")[2]
    assert (
        "This game still goes on."
        in ana.press(ana.page(f"{circle}/add").form("/add"), game=code).text
    )
    ben.join(table, "Ben")
    ana.press(ana.page(table).form("/rules"), knobs="1", target="1")
    ana.press(ana.page(table).form("/start"))
    play_out([ana, ben], table)
    page = ana.page(f"{circle}/add")
    games = [form.fields["game"] for form in page.forms if form.fields.get("game")]
    assert sorted(games) == sorted([code, pad.rpartition("/")[2]])
    # Ben plays at the table and sees the pad, but neither is his to add.
    assert not any(form.fields.get("game") for form in ben.page(f"{circle}/add").forms)
    for game in games:
        assert ben.press(ben.page(f"{circle}/add").form("/add"), game=game).status_code == 403
    for game in (code.lower(), f"http://somewhere{pad}"):
        assert ana.press(page.form("/add"), game=game).status_code == 200
    text = ana.get(circle).text
    assert "2 games" in text
    assert {row[0] for row in table_of(text)} == {"Ana", "Ben"}
    assert not any(form.fields.get("game") for form in ana.page(f"{circle}/add").forms)
    for wrong in ("", "ABCD1234", "ABCD12345678", "<b>"):
        answer = ana.press(page.form("/add"), game=wrong)
        assert answer.status_code == 404
        assert 'role="alert"' in answer.text
    # A correction of the pad still reaches the season.
    save_again = ana.page(f"{pad}/round/0").form("/round/0")
    answer = ana.press(save_again, p0="6")
    if Page(answer.text).has("/round/0"):
        ana.press(Page(answer.text).form("/round/0"))
    assert totals(ana, pad)[0] == "6"


def test_what_a_circle_makes_is_counted_as_everything_that_is_made(tmp_path: Path) -> None:
    few = Rate(3, 600.0)
    settings = Settings(data=tmp_path, key="5" * 64, limits=Limits(tables=few, seat_tables=few))
    with in_thread(create_app(settings)) as url, Person(url) as ana:
        ana.get("/")
        circle = found(ana)
        names = {"name0": "Ana", "name1": "Ben"}
        answers = [ana.post(f"{circle}/pad", names | {"once": str(n)}) for n in range(3)]
        assert [answer.status_code for answer in answers] == [303, 303, 429]
        assert ana.post(f"{circle}/table", {"name": "Ana"}).status_code == 429


def test_files_of_strangers_break_no_page(visitor: Visit) -> None:
    ana, zoe = visitor(), visitor()
    circle = found(ana)
    evil = "<b>x</b>"
    one = {
        "id": "=1+1,\"x", "date": "2025-03-01", "ruleset": "official", "bots": [],
        "players": [evil, "-2+3"],
        "rounds": [{"points": [5, 60], "closer": 0, "penalty": False}],
    }  # fmt: skip
    content = json.dumps({"skyjo": "circle", "games": [one]}).encode()
    answer = ana.http.post(f"{circle}/import", files={"file": ("<i>.json", content)})
    assert answer.status_code == 200
    for page in (circle, f"{circle}/members", f"{circle}/pad", f"{circle}/add"):
        text = zoe.get(page).text
        assert "<b>x" not in text
        assert "{{" in text or evil.split("{", maxsplit=1)[0] not in text
    form = ana.page(circle).form("/drop")
    assert form.fields["game"] == one["id"]
    exported = zoe.get(f"{circle}/circle.csv").text
    assert '"\'=1+1,""x"' in exported
    assert ",'-2+3," in exported
    bad = json.dumps({"skyjo": "circle", "games": [one | {"date": "9999-12-31T20:00:00"}]})
    answer = ana.http.post(f"{circle}/import", files={"file": ("<i>.json", bad.encode())})
    assert answer.status_code == 400
    assert "<i>" not in answer.text
    assert ana.press(form).status_code == 200
    assert zoe.get(circle).status_code == 200


def test_two_who_played_with_each_other_are_not_merged(visitor: Visit) -> None:
    ana = visitor()
    circle = found(ana)
    play(ana, circle)
    answer = ana.press(ana.page(f"{circle}/members").form("/merge"), kept="0", gone="1")
    assert answer.status_code == 409
    assert "Ana and Ben have played with each other" in answer.text
