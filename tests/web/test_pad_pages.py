"""The pad's pages without scripts: every form, every right, every fault."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.web.conftest import quick_app
from tests.web.forms import Page
from tests.web.harness import Person, in_thread

Visit = Callable[..., Person]


def begin(person: Person, *names: str, **fields: str) -> str:
    """A new pad; its path."""
    data = {f"name{place}": name for place, name in enumerate(names or ("Ana", "Ben", "Cleo"))}
    answer = person.post("/pads", {**data, **fields})
    assert answer.status_code == 303, answer.text
    return answer.headers["location"]


def fill(person: Person, path: str, *points: Any, closer: int = 0, **fields: str) -> Any:
    """Type a round into its form and press save, without looking."""
    form = person.page(f"{path}/enter").form("/save")
    data = {f"p{seat}": str(each) for seat, each in enumerate(points)}
    return person.press(form, **{**data, "closer": str(closer), **fields})


def save(person: Person, path: str, *points: Any, closer: int = 0, **fields: str) -> Any:
    """Save a round; a second press when there was something to look at."""
    answer = fill(person, path, *points, closer=closer, **fields)
    if Page(answer.text).has("/save"):
        answer = person.press(Page(answer.text).form("/save"))
    assert answer.status_code == 200, answer.text
    return answer


def totals(person: Person, path: str) -> list[str]:
    """The line of totals on the sheet."""
    text = person.get(path).text
    foot = text[text.index("<tfoot>") : text.index("</tr>", text.index("<tfoot>"))]
    return re.findall(r"<td[^>]*>([^<]*)</td>", foot)


def test_two_taps_from_the_start_page_to_a_pad(visitor: Visit) -> None:
    ana = visitor()
    assert "/pad/new" in ana.page("/").links
    page = ana.page("/pad/new")
    form = page.form("/pads")
    answer = ana.press(form, name0="Ana", name1="Ben")
    assert answer.status_code == 200
    assert "/enter" in answer.text
    # The names are there the next time: one tap more.
    again = ana.page("/pad/new").form("/pads")
    assert [again.fields[f"name{n}"] for n in range(3)] == ["Ana", "Ben", ""]


def test_a_round_is_entered_and_the_penalty_shown_before(visitor: Visit) -> None:
    ana = visitor()
    path = begin(ana)
    answer = fill(ana, path, 10, 7, 30, closer=0)
    assert "10 count as 20" in answer.text
    assert totals(ana, path) == ["0", "0", "0"]
    save(ana, path, 10, 7, 30, closer=0)
    assert totals(ana, path) == ["20", "7", "30"]
    # Nothing worth a look: saved at once.
    fill(ana, path, 5, 7, 30, closer=0)
    assert totals(ana, path) == ["25", "14", "60"]


def test_points_below_zero_without_a_minus_key(visitor: Visit) -> None:
    ana = visitor()
    path = begin(ana)
    fill(ana, path, 3, -2, 5, closer=1, m0="1")
    save(ana, path, "−3", "+4", " 5 ", closer=0)
    assert totals(ana, path)[0] in {"−6", "0"}


def test_the_penalty_is_overruled_with_a_mark(visitor: Visit) -> None:
    ana = visitor()
    path = begin(ana)
    save(ana, path, 10, 7, 30, closer=0, penalty="no")
    assert totals(ana, path) == ["10", "7", "30"]
    assert "penalty waived" in ana.get(path).text
    save(ana, path, 5, 7, 30, closer=0, penalty="yes")
    assert totals(ana, path) == ["20", "14", "60"]


@pytest.mark.parametrize(
    ("points", "closer", "question"),
    [
        ((-18, 3, 4), 0, "less than twelve cards"),
        ((3, 3, 400), 0, "more than twelve cards"),
        ((3, 4, 5), -1, "Nobody is marked"),
        ((140, 140, 140), 1, "than the deck can have"),
    ],
)
def test_the_impossible_is_questioned_and_saved_all_the_same(
    visitor: Visit, points: tuple[int, ...], closer: int, question: str
) -> None:
    ana = visitor()
    path = begin(ana)
    answer = fill(ana, path, *points, closer=closer)
    assert question in answer.text
    save(ana, path, *points, closer=closer)
    assert "/round/0" in ana.get(path).text


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"p0": "", "p1": "3", "p2": "4"}, "The points of Ana are missing."),
        ({"p0": "twelve", "p1": "3", "p2": "4"}, "is no number of points"),
        ({"p0": "1.5", "p1": "3", "p2": "4"}, "is no number of points"),
        ({"p0": "99999", "p1": "3", "p2": "4"}, "not possible"),
    ],
)
def test_faults_are_told_and_what_was_typed_stays(
    visitor: Visit, fields: dict[str, str], sentence: str
) -> None:
    ana = visitor()
    path = begin(ana)
    form = ana.page(f"{path}/enter").form("/save")
    answer = ana.press(form, **fields, closer="1")
    assert answer.status_code in (400, 409)
    assert sentence in answer.text
    assert 'value="4"' in answer.text or "is no number" in answer.text


def test_a_round_is_corrected_removed_undone_and_redone(visitor: Visit) -> None:
    ana = visitor()
    path = begin(ana)
    save(ana, path, 1, 2, 3)
    save(ana, path, 4, 5, 6)
    form = ana.page(f"{path}/round/0").form("/round/0")
    assert form.fields["p1"] == "2"
    ana.press(form, p1="12")
    assert totals(ana, path) == ["5", "17", "9"]
    assert "1, 2, 3 became 1, 12, 3" in ana.get(path).text
    # The page that was open before is stale now.
    answer = ana.press(form, p1="22")
    assert "Somebody has changed the pad meanwhile" in answer.text
    assert totals(ana, path) == ["5", "17", "9"]
    ana.press(ana.page(f"{path}/round/1").form("/remove"))
    assert totals(ana, path) == ["1", "12", "3"]
    ana.press(ana.page(path).form("/undo"))
    ana.press(ana.page(path).form("/undo"))
    assert totals(ana, path) == ["5", "7", "9"]
    ana.press(ana.page(path).form("/redo"))
    assert totals(ana, path) == ["5", "17", "9"]


def test_cards_are_counted_one_by_one(visitor: Visit) -> None:
    ana = visitor()
    path = begin(ana)
    form = ana.page(f"{path}/cards?seat=1").form("/cards")
    laid = dict(
        zip(
            (f"c{n}" for n in range(12)),
            map(str, (12, 1, 2, 3, 12, 1, 2, -2, 12, 4, 5, 6)),
            strict=True,
        )
    )
    answer = ana.press(form, **laid)
    assert re.search(r'id="count-sum"[^>]*>.*22</p>', answer.text)
    answer = ana.press(form, "1", **laid)
    assert ana.page(f"{path}/enter").form("/save").fields["p1"] == "22"
    save(ana, path, 30, 22, 30, closer=1)
    assert totals(ana, path) == ["30", "22", "30"]
    wrong = ana.press(ana.page(f"{path}/cards?seat=1").form("/cards"), c0="13")
    assert "from -2 to 12" in wrong.text


def test_whoever_has_the_link_looks_and_the_keeper_decides_who_enters(visitor: Visit) -> None:
    ana, ben = visitor(), visitor()
    path = begin(ana)
    save(ana, path, 1, 2, 3)
    page = ben.page(path)
    assert not page.has("/undo")
    assert f"{path}/enter" not in page.links
    assert ben.post(f"{path}/save", {"round": "2", "p0": "1"}).status_code == 403
    assert ben.post(f"{path}/undo", {"version": "2"}).status_code == 403
    assert ben.post(f"{path}/entering", {"entering": "all"}).status_code == 403
    ana.press(ana.page(f"{path}/share").form("/entering"), entering="own")
    claims = [form for form in ben.page(path).forms if form.action.endswith("/claim")]
    assert len(claims) == 3
    ben.press(claims[1])
    form = ben.page(f"{path}/enter").form("/save")
    answer = ben.press(form, p1="7", closer="1")
    assert "Your points are noted" in answer.text
    assert ana.page(f"{path}/enter").form("/save").fields["p1"] == "7"
    assert ana.page(f"{path}/enter").form("/save").fields["closer"] == "1"
    save(ana, path, 10, 7, 30, closer=1)
    assert totals(ana, path) == ["11", "9", "33"]
    assert ben.post(f"{path}/round/0/remove", {"version": "2"}).status_code == 403


def test_whoever_comes_for_the_first_time_may_enter_where_all_may(visitor: Visit) -> None:
    ana = visitor()
    path = begin(ana)
    ana.post(f"{path}/entering", {"entering": "all"})
    assert f"{path}/enter" in visitor().page(path).links
    ben = visitor()
    save(ben, path, 1, 2, 3)
    assert totals(ana, path) == ["1", "2", "3"]


def test_the_link_for_onlookers_shows_and_allows_nothing_else(visitor: Visit) -> None:
    ana, zoe = visitor(), visitor()
    path = begin(ana)
    save(ana, path, 1, 2, 3)
    share = ana.get(f"{path}/share").text
    found = re.search(r"/pad/watch/[\w.-]+", share)
    assert found
    page = zoe.get(found[0])
    assert page.status_code == 200
    assert path.rpartition("/")[2] not in page.text
    assert 'method="post"' not in page.text
    assert zoe.get(found[0] + "x").status_code == 404
    # Also for the keeper's own browser.
    assert 'method="post"' not in ana.get(found[0]).text


def test_another_device_keeps_the_pad(visitor: Visit) -> None:
    ana, ben = visitor(), visitor()
    path = begin(ana)
    found = re.search(rf"{path}/keep/\w+", ana.get(f"{path}/share").text)
    assert found
    assert "/keep/" not in ben.get(f"{path}/share").text
    assert ben.press(ben.page(found[0]).form(found[0])).status_code == 200
    save(ben, path, 1, 2, 3)
    assert ben.post(f"{path}/keep/wrong").status_code == 403


def test_a_keeper_whose_phone_is_dead_is_replaced(tmp_path: Path) -> None:
    app = quick_app(tmp_path)
    with in_thread(app) as url, Person(url) as ana, Person(url) as ben, Person(url) as zoe:
        circle = ana.post("/circles", {"name": "Friday"}).headers["location"]
        form = ana.page(f"{circle}/pad").form("/pad")
        path = ana.press(form, name0="Ana", name1="Ben", name2="Cleo").url.path
        save(ana, path, 1, 2, 3)
        ana.post(f"{path}/entering", {"entering": "own"})
        ben.press(next(f for f in ben.page(path).forms if f.fields.get("seat") == "1"))
        assert not ben.page(path).has("/take-over")
        assert ben.post(f"{path}/take-over").status_code == 409
        watch = re.search(r"/pad/watch/[\w.-]+", ben.get(f"{path}/share").text)
        assert watch
        app.state.site.pads.presence.away_after = 0.0
        assert not zoe.page(watch[0]).has("/take-over")
        answer = ben.press(ben.page(path).form("/take-over"))
        assert "so Ben took it over." in answer.text
        assert "so Ben took it over." in ana.get(path).text
        save(ben, path, 4, 5, 6)
        save(ana, path, 7, 8, 9)
        assert totals(ana, path) == ["12", "15", "18"]
        # The pad has not led him to the circle, whose link is for its members.
        assert circle in ana.get(path).text
        for page in ("", "/settings", "/share"):
            assert circle not in ben.get(path + page).text
        ana.post(f"{path}/end")
        assert not zoe.page(path).has("/take-over")
        assert zoe.post(f"{path}/take-over").status_code == 409


def test_the_end_the_ranking_and_the_rematch(visitor: Visit) -> None:
    ana = visitor()
    path = begin(ana, knobs="1", target="50")
    save(ana, path, 1, 20, 50)
    text = ana.get(path).text
    assert "Ana wins with a total of 1." in text
    assert f"{path}/enter" not in text
    answer = ana.press(ana.page(path).form("/rematch"))
    assert answer.url.path != path
    assert "Round 1" in answer.text
    assert ana.get(f"{path}/next").url.path == answer.url.path


def test_names_rules_leaving_and_ending(visitor: Visit) -> None:
    ana = visitor()
    path = begin(ana)
    save(ana, path, 10, 10, 30)
    settings = ana.page(f"{path}/settings")
    ana.press(settings.form("/rename"), name="Anna")
    ana.press(settings.form("/rules"), preset="lenient")
    assert totals(ana, path) == ["10", "10", "30"]
    assert "Anna" in ana.get(path).text
    assert ana.press(settings.form("/rename"), name="Ben").status_code == 409
    ana.press(settings.form("/leave"))
    assert "p0" not in ana.page(f"{path}/enter").form("/save").fields
    ana.press(ana.page(f"{path}/settings").form("/return"))
    answer = ana.press(ana.page(f"{path}/settings").form("/end"))
    assert "wins" in answer.text or "win together" in answer.text
    ana.press(ana.page(path).form("/reopen"))
    assert f"{path}/enter" in ana.page(path).links


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (["Ana"], "at least two players"),
        (["Ana", "ana"], "Two players are called"),
        (["Ana", "x" * 30], "too long"),
    ],
)
def test_faults_of_a_new_pad(visitor: Visit, names: list[str], sentence: str) -> None:
    ana = visitor()
    answer = ana.post("/pads", {f"name{n}": name for n, name in enumerate(names)})
    assert answer.status_code in (400, 409)
    assert sentence in answer.text
    assert 'value="Ana"' in answer.text
    assert ana.post("/pads", {"name0": "A", "name1": "B", "preset": "chess"}).status_code == 400


def test_a_pad_is_no_table_and_a_table_no_pad(visitor: Visit) -> None:
    ana = visitor()
    pad, table = begin(ana), ana.make()
    assert ana.get(pad.replace("/pad/", "/t/")).status_code == 404
    assert ana.get(table.replace("/t/", "/pad/")).status_code == 404
    assert ana.get(pad.lower()).url.path == pad
    # The code of a pad, typed where codes of tables are typed.
    assert ana.send("/join", {"code": pad[5:], "name": "Ana"}).url.path == pad
    assert pad in ana.page("/").links


@pytest.mark.parametrize("language", ["uk", "de", "fr"])
def test_the_pages_speak_every_language(visitor: Visit, language: str) -> None:
    person = visitor(**{"accept-language": language})
    path = begin(person)
    for page in ("", "/enter", "/share", "/settings", "/print", "/cards?seat=0"):
        answer = person.page(path + page)
        assert answer.lang == language


def test_nonsense_is_no_fault_of_ours(visitor: Visit) -> None:
    ana = visitor()
    path = begin(ana)
    save(ana, path, 1, 2, 3)
    for where, fields in (
        ("/save", {}),
        ("/save", {"round": "x"}),
        ("/save", {"round": "2", "closer": "9"}),
        ("/type", {"round": "2", "p0": "a"}),
        ("/type", {"round": "7", "p0": "1"}),
        ("/round/99", {"version": "1"}),
        ("/round/99/check", {"version": "1"}),
        ("/round/99/remove", {"version": "1"}),
        ("/cards", {"seat": "9", "round": "2", "done": "1"}),
        ("/claim", {"seat": "9"}),
        ("/entering", {"entering": "nobody"}),
        ("/rules", {"preset": "chess"}),
        ("/nothing", {}),
    ):
        assert ana.post(path + where, fields).status_code in (204, 303, 400, 404, 409), where
    assert totals(ana, path) == ["1", "2", "3"]


def test_names_and_numbers_of_people_who_mean_no_good(visitor: Visit) -> None:
    ana, zoe = visitor(), visitor()
    names = ("<b>A</b>", "=1+1", '"onload=x')
    path = begin(ana, *names)
    save(ana, path, 1, -2, 3)
    ana.post(f"{path}/type", {"round": "2", "p0": "5", "closer": "0"})
    for page in ("", "/enter", "/share", "/settings", "/print", "/cards?seat=0", "/round/0"):
        text = ana.get(path + page).text
        assert "<b>A" not in text, page
        assert '""onload' not in text
    exported = zoe.get(f"{path}/sheet.csv").text
    assert exported.splitlines()[1] == "1,1,-2,3,<b>A</b>,"
    assert exported.startswith("round,<b>A</b>,'=1+1,")
    for where, fields in (
        ("/save", {"round": "9" * 40, "p0": "1"}),
        ("/save", {"round": "2", "p0": "9" * 40, "p1": "1", "p2": "1"}),
        ("/save", {"round": "2", "p0": "1", "p1": "1", "p2": "1", "closer": "9" * 5000}),
        ("/type", {"round": "2", "p0": "-" * 500}),
        ("/undo", {"version": "-1"}),
        ("/undo", {"version": "\u0661"}),
        ("/save", {"round": "2", "p0": "1", "p1": "1", "p2": "1", "closer": "0009"}),
        ("/circle", {"circle": "x" * 20}),
        ("/circle", {"link": "/circle/" * 500}),
        ("/circle", {"link": ""}),
        ("/keep/" + "x" * 500, {}),
    ):
        assert 400 <= ana.post(path + where, fields).status_code < 500, where
    for where in (
        f"/round/{'9' * 5000}",
        f"/round/{'9' * 20}",
        "/cards?seat=x",
        "/cards?seat=-1",
        f"?entered={'9' * 99}",
    ):
        assert ana.get(path + where).status_code < 500, where[:20]
    assert totals(ana, path) == ["2", "−2", "3"]


def test_links_of_one_pad_open_no_other(visitor: Visit) -> None:
    ana, ben = visitor(), visitor()
    mine, his = begin(ana), begin(ben)
    save(ana, mine, 1, 2, 3)
    keep = re.search(r"/keep/(\w+)", ben.get(f"{his}/share").text)
    watch = re.search(r"/pad/watch/([\w.-]+)", ben.get(f"{his}/share").text)
    assert keep
    assert watch
    assert ben.post(f"{mine}/keep/{keep[1]}").status_code == 403
    assert ben.get(f"{mine}/keep/{keep[1]}").status_code == 200  # asks only
    # The onlookers' token is no keeper's, and names no other pad.
    assert ben.post(f"{mine}/keep/{watch[1]}").status_code == 403
    body, _dot, signature = watch[1].rpartition(".")
    changed = ("B" if signature[0] == "A" else "A") + signature[1:]
    for forged in (f"{body}x.{signature}", f"{body}.{changed}", mine[5:]):
        assert ben.get(f"/pad/watch/{forged}").status_code == 404
    for where in ("/undo", "/redo", "/end", "/rules", "/rename", "/leave", "/round/0/remove"):
        fields = {"version": "2", "seat": "0", "name": "X", "preset": "plain"}
        assert ben.post(mine + where, fields).status_code == 403, where
    # What another page makes a browser send is turned away.
    for origin in ("http://evil.example", "null"):
        assert ana.post(f"{mine}/undo", {"version": "2"}, origin=origin).status_code == 403
    assert totals(ana, mine) == ["1", "2", "3"]


@pytest.mark.parametrize(
    ("language", "one", "three", "five"),
    [
        ("en", "1 point to", "3 points to", "5 points to"),
        ("uk", "до кінця 1 очко.", "до кінця 3 очки.", "до кінця 5 очок."),
        ("de", "1 Punkt bis", "3 Punkte bis", "5 Punkte bis"),
        ("fr", "1 point jusqu", "3 points jusqu", "5 points jusqu"),
    ],
)
def test_points_to_the_end_are_counted_as_people_say_it(
    visitor: Visit, language: str, one: str, three: str, five: str
) -> None:
    ana = visitor()
    path = begin(ana, knobs="1", target="50")
    ana.post("/settings", {"lang": language})
    save(ana, path, 1, 20, 45, closer=0)
    assert five in ana.page(path).words
    save(ana, path, 0, 5, 2, closer=0)
    assert three in ana.page(path).words
    save(ana, path, 0, 5, 2, closer=0)
    assert one in ana.page(path).words
