"""Evenings add up: games of pads and tables, members, statistics, export and import."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime

import pytest
from tests.kit.memory_store import MemoryStore
from tests.kit.pads import Desk, entry
from tests.kit.tables import Room, asynchronous, is_over

from skyjo.scorepad import commands as co
from skyjo.scorepad.circle import Circle
from skyjo.scorepad.circle_events import CODEC
from skyjo.scorepad.circle_text import (
    Imported,
    ImportedGame,
    circle_csv,
    circle_json,
    read_circle,
)
from skyjo.scorepad.circles import CircleAuthority
from skyjo.scorepad.errors import UnknownCircleError
from skyjo.scorepad.model import Pad
from skyjo.scorepad.statistics import Standing, season
from skyjo.table.errors import ForbiddenError, RefusedError


def time_of(year: int, month: int = 6) -> float:
    return datetime(year, month, 1, 12, tzinfo=UTC).timestamp()


class Club(Desk):
    """A circle with pads."""

    async def found(self, name: str = "Friday") -> Circle:
        made = await self.circles.create(self.secret("keeper"), name)
        self.circle_id, self.code = made.id, made.code
        return made

    @property
    def circles(self) -> CircleAuthority:
        return self.authority.circles

    async def play(
        self, *rounds: tuple[int | None, ...], names: tuple[str, ...] = ("Ana", "Ben")
    ) -> None:
        """A pad of the circle whose rounds are always closed by the first player."""
        made = await self.authority.create(
            self.secret("keeper"), names, ruleset="official target=50", circle=self.circle_id
        )
        self.pad_id = made.id
        for points in rounds:
            await self.save(*points)

    async def look(self) -> Circle:
        return await self.circles.find(self.code)


def by_name(circle: Circle, year: int | None = None) -> dict[str, Standing]:
    return {each.name: each for each in season(circle, year).table}


@asynchronous
async def test_a_pad_counts_when_it_is_over_and_follows_its_corrections() -> None:
    club = Club()
    await club.found()
    await club.play((10, 7))
    circle = await club.look()
    assert (list(circle.open.values()), circle.games) == (["pad"], {})
    await club.save(30, 60)
    circle = await club.look()
    assert not circle.open
    assert {name: each.wins for name, each in by_name(circle).items()} == {"Ana": 1, "Ben": 0}
    ana = by_name(circle)["Ana"]
    assert (ana.rounds, ana.points, ana.best, ana.worst) == (2, 50, 20, 30)
    assert (ana.closed, ana.penalties, ana.per_round) == (2, 1, 25.0)
    # The last round was entered wrongly: nobody has lost yet, then Ana has.
    seen = await club.see()
    last = seen.rounds[1]
    await club.do(co.Correct(last.key, last.version, entry(3, 4)))
    circle = await club.look()
    assert (list(circle.open), circle.games) == ([club.pad_id], {})
    await club.save(60, 1)
    circle = await club.look()
    assert by_name(circle)["Ben"].wins == 1
    assert len(circle.games) == 1


@asynchronous
async def test_what_was_not_told_because_of_a_crash_is_found() -> None:
    club = Club()
    await club.found()
    await club.play((10, 7))

    async def crash(pad: Pad) -> None:
        assert pad.circle

    club.circles.told = crash  # type: ignore[method-assign]
    await club.save(30, 60)
    club.restart()
    assert len((await club.look()).games) == 1


@asynchronous
async def test_the_rematch_belongs_to_the_circle() -> None:
    club = Club()
    await club.found()
    await club.play((10, 60))
    again = await club.authority.rematch(club.pad_id, club.secret("keeper"))
    circle = await club.look()
    assert list(circle.open) == [again.id]
    club.pad_id = again.id
    await club.save(5, 60)
    assert by_name(await club.look())["Ana"].wins == 2


@asynchronous
async def test_online_tables_count_with_their_rematches_and_without_bots() -> None:
    store = MemoryStore()
    club, room = Club(store), Room(store, seed=3)
    await club.found()
    await room.create("Ana", bots=["first"], start=True)
    await club.circles.began(club.circle_id, room.table_id, "table")
    assert (await club.look()).games == {}
    await room.play_on("Ana", until=is_over)
    following = await room.authority.rematch(room.table_id, room.secret("Ana"))
    circle = await club.look()
    assert list(circle.open) == [following]
    assert [member.name for member in circle.members.values()] == ["Ana"]
    ana = by_name(circle)["Ana"]
    assert (ana.games, ana.rounds) == (1, 2)
    table = await room.table()
    assert table.game
    sheet = table.game.score_sheet
    assert (ana.points, ana.wins) == (sheet.totals[0], int(sheet.ranks[0] == 1))
    game = next(iter(circle.games.values()))
    assert (game.totals, game.members) == (sheet.totals, (0, -1))


@asynchronous
async def test_members_are_renamed_and_merged() -> None:
    club = Club()
    await club.found()
    await club.play((10, 60))
    await club.play((60, 1), names=("Anna", "Ben"))
    circle = await club.look()
    ana, anna = circle.named("Ana"), circle.named("Anna")
    assert ana is not None
    assert anna is not None
    assert len(circle.members) == 3
    await club.circles.merge(club.circle_id, ana, anna)
    await club.circles.rename_member(club.circle_id, ana, "Annette")
    with pytest.raises(RefusedError):
        await club.circles.rename_member(club.circle_id, ana, "BEN")
    with pytest.raises(RefusedError):
        await club.circles.merge(club.circle_id, ana, anna)
    circle = await club.look()
    assert {name: (each.games, each.wins) for name, each in by_name(circle).items()} == {
        "Annette": (2, 1),
        "Ben": (2, 1),
    }
    # Both old names still mean her.
    await club.play((10, 60), names=("ANNA", "Ben"))
    await club.play((10, 60), names=("Ana", "Ben"))
    assert by_name(await club.look())["Annette"].games == 4


@asynchronous
async def test_duels_seasons_and_shared_wins() -> None:
    club = Club()
    await club.found()
    club.clock.now = time_of(2024)
    await club.play((10, 10, 60), names=("Ana", "Ben", "Cleo"))  # Ana is doubled
    club.clock.now = time_of(2025)
    await club.play((5, 60))
    await club.play((-1, -1, 60), names=("Ana", "Ben", "Cleo"))
    circle = await club.look()
    found = season(circle)
    assert found.years == (2025, 2024)
    assert [each.name for each in found.table] == ["Ana", "Ben", "Cleo"]
    assert [(each.wins, each.shared) for each in found.table] == [(2, 1), (2, 1), (0, 0)]
    ana, ben = circle.named("Ana"), circle.named("Ben")
    assert ana is not None
    assert ben is not None
    duel = found.duels[ana, ben]
    assert (duel.better, duel.equal, duel.worse) == (1, 1, 1)
    back = found.duels[ben, ana]
    assert (back.better, back.equal, back.worse) == (1, 1, 1)
    assert by_name(circle, 2024)["Ben"].wins == 1
    assert by_name(circle, 2025)["Ana"].wins == 2
    assert season(circle, 1999).table == []
    assert found.wins == [[0, 1, 0], [1, 1, 0], [2, 2, 0]]


@asynchronous
async def test_a_game_is_taken_out_and_stays_out() -> None:
    club = Club()
    await club.found()
    await club.play((10, 60))
    await club.circles.drop(club.circle_id, club.pad_id)
    await club.do(co.ChooseRuleset("official target=40"))
    circle = await club.look()
    assert (circle.games, circle.open) == ({}, {})


def random_games(count: int, seed: int = 0) -> Imported:
    rng = random.Random(seed)
    games = []
    for number in range(count):
        names = rng.sample(["Ana", "Ben", "Cleo", "Dora", "Émile", "Zoë, M."], rng.randrange(2, 6))
        rounds = [
            entry(
                *[rng.randrange(-5, 40) for _ in names],
                closer=rng.randrange(-1, len(names)),
                penalty=rng.choice(["yes", "no"]),
            )
            for _ in range(rng.randrange(1, 9))
        ]
        played = time_of(2020 + number % 5, 1 + number % 12)
        games.append(ImportedGame(f"g{number}", played, "official", names, rounds))
    return Imported(games)


@pytest.mark.parametrize("write", [circle_json, circle_csv])
@asynchronous
async def test_export_and_import_give_the_same_statistics(write: object) -> None:
    club = Club()
    circle = await club.found()
    assert await club.circles.take_in(circle.id, random_games(40)) == 40
    circle = await club.look()
    text = write(circle)  # type: ignore[operator]
    other = Club(seed=9)
    await other.found("Copy")
    again = read_circle(text, "f")
    assert not again.faults
    assert await other.circles.take_in(other.circle_id, again) == 40
    assert await other.circles.take_in(other.circle_id, again) == 0
    copied = await other.look()
    mine = {each.name: (each.games, each.wins, each.points, each.penalties, each.worst)
            for each in season(circle).table}  # fmt: skip
    theirs = {each.name: (each.games, each.wins, each.points, each.penalties, each.worst)
              for each in season(copied).table}  # fmt: skip
    assert mine == theirs
    assert season(circle).years == season(copied).years


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", "f:1:1: this file holds no game"),
        ("{", "f:1:2: this is no JSON"),
        ('{"skyjo":"pad"}', "f:1:1: this is JSON, but no circle"),
        ('{"skyjo":"circle","games":[{}]}', "f:1:1: game 1 cannot be read"),
        ("game,date\n", "f:1:1: columns are missing in the first line: ruleset, round"),
    ],
)
def test_faults_of_whole_files(text: str, place: str) -> None:
    faults = [str(each) for each in read_circle(text, "f").faults]
    assert len(faults) == 1
    assert faults[0].startswith(place)


def test_faults_of_lines_have_their_place() -> None:
    head = "game,date,ruleset,round,player,points,closed,penalty\n"
    lines = [
        "g,2025-01-01,official,1,Ana,5,yes,",
        "g,yesterday,official,1,Ben,5,,",
        "g,2025-01-01,chess,1,Ben,5,,",
        "g,2025-01-01,official,0,Ben,5,,",
        "g,2025-01-01,official,1,,5,,",
        "g,2025-01-01,official,1,Ben,x,,",
        "g,2025-01-01,official,1,Ana,5,,",
        "g,2025-01-01,official,1,Ben,5",
        'g,2025-01-01,official,1,"Ben,5,,',
    ]
    faults = [str(each) for each in read_circle(head + "\n".join(lines), "f").faults]
    assert [each.split(" ")[0] for each in faults[:-1]] == [
        "f:3:3:", "f:4:14:", "f:5:23:", "f:6:25:", "f:7:29:", "f:8:25:", "f:9:29:", "f:10:25:",
    ]  # fmt: skip


def test_nothing_makes_the_reader_fall_over() -> None:
    rng = random.Random(7)
    whole = circle_json(Circle("c")) + "game,date,ruleset,round,player,points,closed,penalty\n"
    for _ in range(1500):
        start = rng.randrange(len(whole))
        text = "".join(
            rng.choice('{}[]",:1\n-é') if rng.random() < 0.1 else letter for letter in whole[start:]
        )
        found = read_circle(text, "f")
        assert found.faults or found.games
    assert read_circle("{" * 100_000).faults
    deep = '{"skyjo":"circle","games":' + "[" * 5000 + "]" * 5000 + "}"
    assert read_circle(deep).faults


@asynchronous
async def test_links_devices_and_the_store() -> None:
    club = Club()
    made = await club.found()
    assert len(made.code) == 20
    for code in ("", "x" * 20, made.code[:-1]):
        with pytest.raises(UnknownCircleError):
            await club.circles.find(code)
    await club.circles.join(club.circle_id, club.secret("Ben"))
    assert [each.name for each in await club.circles.mine(club.secret("Ben"))] == ["Friday"]
    await club.circles.rename(club.circle_id, "Saturday")
    await club.play((10, 60))
    kept = await club.store.events(club.circle_id)
    stored = [(each.at, CODEC.decode(json.loads(json.dumps(each.data)))) for each in kept]
    assert Circle.fold(club.circle_id, stored) == await club.look()


@asynchronous
async def test_a_pad_that_was_played_without_the_circle_is_added() -> None:
    club = Club()
    await club.found()
    await club.create(("Ana", "Ben"), ruleset="official target=50")
    await club.save(10, 60)
    assert not (await club.look()).games
    with pytest.raises(ForbiddenError):
        await club.authority.count_for(club.pad_id, club.secret("Ben"), club.code)
    with pytest.raises(UnknownCircleError):
        await club.authority.count_for(club.pad_id, club.secret("keeper"), "x" * 20)
    seen = await club.authority.count_for(club.pad_id, club.secret("keeper"), club.code)
    assert seen.circle == club.circle_id
    assert seen.history[-1].what == "circle_chosen"
    assert by_name(await club.look())["Ana"].wins == 1
    # Once more changes nothing.
    again = await club.authority.count_for(club.pad_id, club.secret("keeper"), club.code)
    assert again.version == seen.version
    # Its corrections count, too, and so does its rematch.
    last = seen.rounds[0]
    await club.do(co.Correct(last.key, last.version, entry(60, 1)))
    assert by_name(await club.look())["Ben"].wins == 1
    following = await club.authority.rematch(club.pad_id, club.secret("keeper"))
    assert list((await club.look()).open) == [following.id]


@asynchronous
async def test_a_pad_goes_to_another_circle_and_out_of_all() -> None:
    club = Club()
    first = await club.found()
    second = await club.found("Sunday")
    await club.create(("Ana", "Ben"), ruleset="official target=50")
    keeper = club.secret("keeper")
    await club.authority.count_for(club.pad_id, keeper, first.code)
    assert list((await club.circles.find(first.code)).open) == [club.pad_id]
    await club.save(10, 60)
    await club.authority.count_for(club.pad_id, keeper, second.code)
    assert not (await club.circles.find(first.code)).games
    assert len((await club.circles.find(second.code)).games) == 1
    seen = await club.authority.count_for(club.pad_id, keeper, "")
    assert (seen.circle, seen.history[-1].what) == ("", "circle_left")
    assert not (await club.circles.find(second.code)).games
    # What was taken out there comes back when the keeper wants it.
    await club.authority.count_for(club.pad_id, keeper, second.code)
    assert len((await club.circles.find(second.code)).games) == 1


@asynchronous
async def test_a_pad_is_added_although_the_process_dies_in_between() -> None:
    club = Club()
    await club.found()
    await club.create(("Ana", "Ben"), ruleset="official target=50")
    await club.save(10, 60)
    await club.circles.began(club.circle_id, club.pad_id, "pad", again=True)
    club.restart()
    assert len((await club.look()).games) == 1
