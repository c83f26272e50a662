"""What comes in files and names from people who mean no good."""

from __future__ import annotations

import csv
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.kit.tables import asynchronous
from tests.scorepad.test_circle import Club, by_name, random_games

from skyjo.scorepad import commands as co
from skyjo.scorepad.circle import Circle
from skyjo.scorepad.circle_text import (
    MOST_FAULTS,
    Imported,
    circle_csv,
    circle_json,
    read_circle,
)
from skyjo.scorepad.entry import Entry
from skyjo.scorepad.sheet_text import guarded, read_sheet, unguarded, write_sheet
from skyjo.scorepad.statistics import season
from skyjo.table.errors import RefusedError
from skyjo.table.names import folded

FORMULAS = ("=1+1", "-2+3", "+1", "@SUM(A1)", "'=1", "''-1", "＝1+1", "'Ana", '=a,b"c')


def begins_a_formula(field: str) -> bool:
    return field[:1] in tuple("=+-@＝＋－＠")


@pytest.mark.parametrize("name", FORMULAS)
def test_no_name_becomes_a_formula_and_every_name_comes_back(name: str) -> None:
    text = write_sheet([name, "Ben"], [Entry((-3, 4), 0)])
    rows = list(csv.reader(text.splitlines()))
    assert not any(begins_a_formula(field) for field in rows[0])
    assert not begins_a_formula(rows[1][3])
    # Points are numbers, and stay so.
    assert rows[1][1] == "-3"
    sheet = read_sheet(text)
    assert not sheet.faults
    assert (sheet.names, sheet.rounds) == ([name, "Ben"], [Entry((-3, 4), 0)])


@given(st.text(max_size=12))
def test_whatever_is_guarded_comes_back(text: str) -> None:
    plain = guarded(text, "\0")
    assert unguarded(plain.strip('"').replace('""', '"') if plain[:1] == '"' else plain) == text


async def taken_in(imported: Imported) -> Circle:
    """A circle with these games, of which everything is shown and written once."""
    club = Club()
    await club.found()
    await club.circles.take_in(club.circle_id, imported)
    circle = await club.look()
    for year in (None, 2025):
        season(circle, year)
    for text in (circle_csv(circle), circle_json(circle)):
        assert not read_circle(text, "f").faults
    return circle


@asynchronous
async def test_neither_names_nor_ids_of_games_become_formulas_for_others() -> None:
    games = random_games(len(FORMULAS)).games
    for game, text in zip(games, FORMULAS, strict=True):
        game.ref = text
        game.names[0] = text
    circle = await taken_in(Imported(games))
    rows = list(csv.DictReader(circle_csv(circle).splitlines()))
    assert not any(begins_a_formula(row[name]) for row in rows for name in ("game", "player"))
    again = read_circle(circle_csv(circle), "f")
    assert {game.ref for game in again.games} == set(FORMULAS)
    assert {folded(game.names[0]) for game in again.games} == set(map(folded, FORMULAS))


GAME = {
    "id": "g1",
    "date": "2025-03-01",
    "ruleset": "official",
    "players": ["Ana", "Ben", "Bot 3"],
    "bots": [2],
    "rounds": [{"points": [1, 2, 3], "closer": 0, "penalty": False}],
}


def file_of(**changed: Any) -> str:
    return json.dumps({"skyjo": "circle", "format": 1, "games": [GAME | changed]})


@pytest.mark.parametrize(
    "changed",
    [
        {"date": "9999-12-31T20:00:00"},
        {"date": "9999-12-31"},
        {"date": "0001-01-01"},
        {"date": 20250301},
        {"rounds": [{"points": [float("inf"), 2, 3], "closer": 0, "penalty": False}]},
        {"rounds": [{"points": [10**6, 2, 3], "closer": 0, "penalty": False}]},
        {"rounds": [{"points": [1, 2], "closer": 0, "penalty": False}]},
        {"rounds": [{"points": [1, 2, 3], "closer": 7, "penalty": False}]},
        {"rounds": [{"points": [None, None, None], "closer": None, "penalty": False}]},
        {"rounds": [{"points": [1, None, None], "closer": 0, "penalty": False}]},
        {"rounds": [{"points": [1, None, 3], "closer": 1, "penalty": False}]},
        {"rounds": []},
        {"rounds": [GAME["rounds"][0]] * 501},
        {"players": ["Ana", "x" * 25, "Bot"]},
        {"players": ["Ana"]},
        {"bots": 5},
        {"id": ""},
        {"id": "x" * 41},
        {"ruleset": "official target=0"},
        {"ruleset": ["official"]},
    ],
)
def test_a_game_that_cannot_have_been_is_a_fault_and_no_accident(changed: dict[str, Any]) -> None:
    assert not read_circle(file_of(), "f").faults
    faults = [str(each) for each in read_circle(file_of(**changed), "f").faults]
    assert faults == ["f:1:1: game 1 cannot be read"]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-20_000, 20_000) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(sorted(GAME)), VALUES, st.sampled_from(["points", "closer", "penalty"]))
def test_whatever_is_read_can_be_counted(field: str, value: Any, inside: str) -> None:
    @asynchronous
    async def play() -> None:
        one = {"points": [1, None, 3], "closer": 2, "penalty": True} | {inside: value}
        for text in (file_of(**{field: value}), file_of(rounds=[one]), file_of(rounds=[one] * 2)):
            imported = read_circle(text, "f")
            if not imported.faults:
                await taken_in(imported)

    play()


@asynchronous
async def test_a_circle_is_full_one_day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("skyjo.scorepad.circles.MOST_GAMES", 5)
    monkeypatch.setattr("skyjo.scorepad.circles.MOST_MEMBERS", 8)
    club = Club()
    await club.found()
    with pytest.raises(RefusedError, match="room for 5 games"):
        await club.circles.take_in(club.circle_id, random_games(6))
    assert not (await club.look()).games
    assert await club.circles.take_in(club.circle_id, random_games(5)) == 5
    # A pad is safe although the circle has no room for it.
    await club.play((10, 60))
    assert (await club.see()).is_over
    assert len((await club.look()).games) == 5
    games = random_games(3, seed=5).games
    for number, game in enumerate(games):
        game.ref = f"other {number}"
        game.names = [f"Somebody {number} {seat}" for seat in range(len(game.names))]
    monkeypatch.setattr("skyjo.scorepad.circles.MOST_GAMES", 50)
    with pytest.raises(RefusedError, match="room for 8 people"):
        await club.circles.take_in(club.circle_id, Imported(games))


def test_a_file_with_too_many_games_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("skyjo.scorepad.circle_text.MOST_GAMES", 2)
    lines = ["game,date,ruleset,round,player,points,closed,penalty"]
    lines += [f"g{n},2025-01-01,official,1,{p},5,," for n in range(3) for p in ("Ana", "Ben")]
    games = [GAME | {"id": f"g{n}"} for n in range(3)]
    for text in ("\n".join(lines), json.dumps({"skyjo": "circle", "games": games})):
        faults = read_circle(text, "f").faults
        assert "room for 2 games" in str(faults[0])


def test_whoever_sends_nonsense_keeps_nobody_waiting_for_hours() -> None:
    """What is read of a file grows with the file, and not with its square."""
    head = "game,date,ruleset,round,player,points,closed,penalty"
    crowd = "".join(f"g,2026-11-29,official,1,n{n},5,,\n" for n in range(40_000))
    found = read_circle(f"{head}\n{crowd}", "f")
    assert [str(each) for each in found.faults] == ["f: game g cannot be read"]
    names = [f"n{n}" for n in range(150_000)]
    found = read_circle(file_of(players=names, bots=list(range(150_000))), "f")
    assert [each.values["number"] for each in found.faults] == [1]
    found = read_circle(f"{head}\n" + 'x,"\n' * 40_000, "f")
    assert not found.games
    assert len(found.faults) == MOST_FAULTS


@asynchronous
async def test_a_game_that_was_deleted_is_not_waited_for() -> None:
    club = Club()
    await club.found()
    await club.play((10, 7))
    assert (await club.look()).open
    await club.store.delete([club.pad_id])  # type: ignore[attr-defined]
    assert not (await club.look()).open


@asynchronous
async def test_names_are_found_by_what_people_are_called_now_and_were_before() -> None:
    club = Club()
    await club.found()
    await club.play((10, 60))
    await club.circles.rename_member(club.circle_id, 0, "Anna")
    await club.play((10, 60), names=("ana", "Dora"))
    assert by_name(await club.look())["Anna"].games == 2
    # Somebody else is called so now, and comes first.
    await club.circles.rename_member(club.circle_id, 2, "Ana")
    await club.play((10, 60), names=("ANA", "Ben"))
    circle = await club.look()
    assert (by_name(circle)["Ana"].games, by_name(circle)["Anna"].games) == (2, 2)


@asynchronous
async def test_two_at_one_table_are_never_the_same_person() -> None:
    club = Club()
    await club.found()
    await club.play((10, 60))
    with pytest.raises(RefusedError, match="Ana and Ben have played with each other"):
        await club.circles.merge(club.circle_id, 0, 1)
    await club.circles.rename_member(club.circle_id, 0, "Anna")
    await club.play((10, 60), names=("Ana", "Anna"))
    circle = await club.look()
    table = season(circle).table
    assert sorted((each.name, each.games, each.wins) for each in table) == [
        ("Ana", 1, 1),
        ("Anna", 2, 1),
        ("Ben", 1, 0),
    ]


@asynchronous
async def test_forged_numbers_of_versions_open_nothing() -> None:
    club = Club()
    await club.create(entering="own")
    seen = await club.save(5, 6, 7)
    line = seen.rounds[0]
    for version in (0, line.version + 1, 10**9):
        with pytest.raises(Exception, match="meanwhile"):
            await club.do(co.RemoveRound(line.key, version))
    for command in (co.Undo(10**9), co.Redo(10**9), co.RemoveRound(line.key, line.version)):
        with pytest.raises(Exception, match="Only whoever keeps this pad"):
            await club.do(command, "Ben")
