"""The Python client, against a real server."""

from __future__ import annotations

import asyncio
import random
import re
import shutil
import socket
import threading
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any, get_args

import httpx
import pytest
from tests.web.cable import cable
from tests.web.conftest import quick_app
from tests.web.harness import Process, free_port, in_thread

from skyjo import client as package
from skyjo.client import (
    AsyncClient,
    Client,
    Seat,
    ServerError,
    Table,
    UnreachableError,
    models,
)
from skyjo.client.errors import error_from
from skyjo.errors import IllegalActionError, MalformedError, RulesetError, StaleError
from skyjo.web.api import schemas
from skyjo.web.app import create_app
from skyjo.web.limits import Limits
from skyjo.web.settings import Settings
from skyjo.web.throttle import Rate

SHORT = "official max_rounds=1"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with in_thread(quick_app(tmp_path_factory.mktemp("client"))) as address:
        yield address


def any_action(table: Table) -> str:
    return random.Random(table.version).choice(table.legal)


# --- the types ---------------------------------------------------------------------------------

PAIRS = {
    models.Table: schemas.TableView,
    models.SeatInfo: schemas.SeatView,
    models.Game: schemas.GameView,
    models.Ply: schemas.PlyView,
    models.Line: schemas.LineView,
    models.TurnedUp: schemas.TurnedUpView,
    models.Round: schemas.RoundView,
    models.Sheet: schemas.SheetView,
    models.Head: schemas.TableHead,
    models.Service: schemas.Service,
    models.Bot: schemas.BotView,
    models.Knob: schemas.KnobView,
    models.KnobValue: schemas.KnobValue,
    models.Preset: schemas.PresetView,
    models.Rulesets: schemas.Rulesets,
}


@pytest.mark.parametrize("mine", PAIRS, ids=lambda kind: kind.__name__)
def test_the_client_knows_every_field_that_the_server_sends(mine: type) -> None:
    assert is_dataclass(mine)
    model: Any = PAIRS[mine]
    assert [field.name for field in fields(mine)] == list(model.model_fields)


def test_words_are_the_same_on_both_sides() -> None:
    for mine, model in PAIRS.items():
        hints = models._fields(mine)
        for name, hint, _needed in hints:
            other: Any = model.model_fields[name].annotation  # type: ignore[attr-defined]
            if words := {each for each in get_args(hint) if isinstance(each, str)}:
                assert words == {each for each in get_args(other) if isinstance(each, str)}, name


def test_everything_public_is_offered() -> None:
    for name in package.__all__:
        assert getattr(package, name).__doc__


# --- playing -----------------------------------------------------------------------------------


def test_two_programs_and_a_bot_play_a_whole_game(url: str) -> None:
    with Client(url) as ana, Client(url) as ben:
        host = ana.create("Ana", ruleset=SHORT, pace="none")
        guest = ben.join(host.table.lower(), "Ben")
        host.add_bot("greedy", "Robo")
        assert [seat.name for seat in host.start().seats] == ["Ana", "Ben", "Robo"]
        other = threading.Thread(target=guest.play, args=(any_action,))
        other.start()
        end = host.play(any_action)
        other.join()
        assert end.phase == "over"
        assert end.sheet is not None
        assert end.sheet.winners
        assert end.game is not None
        assert len(end.game.grids) == 3
        assert "deck" in host.record()
        again = host.rematch()
        assert again.table != host.table
        assert again.look().mine == guest.rematch().look().mine == (0,) or again.look().seats
        assert {head.code for head in ana.tables(host.token)} == {host.table, again.table}


def test_the_same_on_a_loop(url: str) -> None:
    async def main() -> None:
        async with AsyncClient(url) as ana, AsyncClient(url) as ben:
            host = await ana.create("Ana", ruleset="official max_rounds=2", pace="none")
            guest = await ben.claim(await (await ben.join(host.table, "Ben")).link(1))
            await host.add_bot("greedy")
            await host.start()
            ends = await asyncio.gather(host.play(any_action), guest.play(any_action))
            assert [end.phase for end in ends] == ["over", "over"]
            assert ends[0].sheet == ends[1].sheet
            assert (await ana.service()).name == "skyjo"
            assert "greedy" in {bot.name for bot in await ana.bots()}
            assert (await ana.rulesets()).presets[0].name == "official"
            assert (await ana.look(host.table)).onlooker
            assert "deck" in await host.record()
            rematch = await host.rematch(leave_out_absent=True)
            left = await rematch.leave(await rematch.look())
            assert left.seats[left.mine[0]].left
            assert [head.code for head in await ana.tables(rematch.token)]

    asyncio.run(main())


def test_a_seat_is_found_again_by_its_token(url: str) -> None:
    with Client(url) as client:
        seat = client.create("Ana", bots=["greedy"], start=True)
        again = client.seat(seat.table, seat.token)
        assert again.look().mine == (0,)


def test_whoever_watches_sees_what_others_do(url: str) -> None:
    with Client(url) as client:
        host = client.create("Ana")
        seen = host.watch()
        assert len(next(seen).seats) == 1
        guest = client.join(host.table, "Ben")
        assert len(next(seen).seats) == 2
        guest.leave(guest.look())
        assert len(next(seen).seats) == 1
        seen.close()


# --- refusals ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server that allows three requests, and one more a second."""
    limits = replace(Limits.off(), seat_requests=Rate(2, 4.0))
    data = tmp_path_factory.mktemp("strict")
    with in_thread(create_app(Settings(data=data, key="5" * 64, limits=limits))) as address:
        yield address


def look_for_ever(seat: Seat) -> None:
    while True:
        seat.look()


def turned_away(url: str) -> list[str]:
    """How often, as the metrics have it."""
    return re.findall(r"skyjo_limited_total\{.*", httpx.get(f"{url}/metrics").text)


def test_whoever_is_too_quick_waits_and_gets_through(strict: str) -> None:
    with Client(strict) as client:
        seat = client.create("Ana")
        before = turned_away(strict)
        while turned_away(strict) == before:
            assert seat.look().mine == (0,)


def test_the_same_waiting_on_a_loop(strict: str) -> None:
    async def look() -> None:
        async with AsyncClient(strict) as client:
            seat = await client.create("Ana")
            await asyncio.gather(*(seat.look() for _ in range(4)))

    asyncio.run(look())


def test_whoever_has_no_time_to_wait_is_told_so(strict: str) -> None:
    with Client(strict) as client:
        seat = client.create("Ana")
        client.timeout = 0.5
        with pytest.raises(ServerError) as error:
            look_for_ever(seat)
    assert (error.value.code, error.value.status) == ("too_many", 429)
    assert error.value.retry_after >= 1


def test_refusals_are_the_errors_of_skyjo(url: str) -> None:
    with Client(url, language="en") as client:
        seat = client.create("Ana", bots=["greedy"], start=True)
        table = seat.look()
        with pytest.raises(IllegalActionError) as illegal:
            seat.act("draw", table)
        assert illegal.value.code == "wrong_phase"
        with pytest.raises(MalformedError):
            seat.act("fly", table)
        seat.act("reveal r0c0", table)
        with pytest.raises(StaleError):
            seat.act("reveal r0c1", table)
        with pytest.raises(RulesetError):
            client.create("Ana", ruleset="nonsense")
        with pytest.raises(ServerError, match="begun") as refused:
            client.join(seat.table, "Ben")
        assert (refused.value.code, refused.value.status) == ("already_started", 409)
        with pytest.raises(ServerError) as unknown:
            client.look("ABCDEFGH")
        assert unknown.value.code == "unknown_table"
        with pytest.raises(ServerError) as token:
            next(client.seat(seat.table, "x").watch())
        assert token.value.code == "bad_token"
        with pytest.raises(ServerError) as gone:
            next(client.seat("ABCDEFGH", seat.token).watch())
        assert gone.value.code == "unknown_table"
        with pytest.raises(MalformedError, match="personal link"):
            client.claim("http://elsewhere/t/x")
        with pytest.raises(MalformedError, match="not the caller's turn"):
            seat.act("draw", client.look(seat.table))
        with pytest.raises(MalformedError, match="name a seat"):
            seat.ready(client.look(seat.table))
    with pytest.raises(MalformedError, match="no address"):
        Client("table.example")


def test_messages_come_in_the_language_of_the_program(url: str) -> None:
    with Client(url, language="uk") as client, pytest.raises(ServerError, match="Стол"):
        client.look("ABCDEFGH")


@pytest.mark.parametrize("answer", [None, [], {}, {"error": 1}, {"error": {"message": 2}}, "text"])
def test_an_answer_that_is_not_ours_is_an_error_too(answer: Any) -> None:
    error = error_from(answer, 502)
    assert isinstance(error, ServerError)
    assert (error.code, error.status) == ("http_502", 502)
    assert "502" in str(error)


# --- connections that break --------------------------------------------------------------------


def test_a_server_that_is_not_there() -> None:
    nowhere = f"http://127.0.0.1:{free_port()}"
    with Client(nowhere, timeout=5) as client:
        with pytest.raises(UnreachableError, match=nowhere):
            client.look("ABCDEFGH")
        with pytest.raises(UnreachableError):
            next(client.seat("ABCDEFGH", "x").watch(patience=0.2))


def test_a_server_that_says_nothing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        with Client(address, timeout=0.2) as client, pytest.raises(UnreachableError):
            client.service()


def test_a_broken_connection_is_made_again_and_the_game_goes_on(url: str) -> None:
    with cable(url) as line, Client(line.url, timeout=5) as client:
        seat = client.create("Ana", bots=["greedy"], ruleset=SHORT, pace="none", start=True)
        moves = 0

        def choose(table: Table) -> str:
            nonlocal moves
            moves += 1
            if moves in (3, 6):
                line.pull()
                threading.Timer(0.3, line.plug).start()
            return any_action(table)

        end = seat.play(choose)
        assert end.phase == "over"
        assert moves > 6


def test_a_game_goes_on_when_the_server_is_killed_and_started_again(tmp_path: Path) -> None:
    port = free_port()
    arguments = ("--host", "127.0.0.1", "--port", str(port))
    servers = [Process(tmp_path, *arguments)]
    try:
        with Client(servers[0].ready()) as client:
            seat = client.create("Ana", bots=["greedy"], ruleset=SHORT, pace="none", start=True)
            moves = 0

            def choose(table: Table) -> str:
                nonlocal moves
                moves += 1
                if moves == 4:
                    servers[-1].kill()
                    servers.append(Process(tmp_path, *arguments))
                return any_action(table)

            assert seat.play(choose).phase == "over"
            assert len(servers) == 2
    finally:
        for server in servers:
            server.__exit__()


def test_whoever_watches_sees_what_a_backup_has_brought_back(tmp_path: Path) -> None:
    """The table is then what it was before, and further behind than what was seen of it."""
    port = free_port()
    arguments = ("--host", "127.0.0.1", "--port", str(port))
    data, old = tmp_path / "data", tmp_path / "old"

    def names(table: Table) -> str:
        return table.seats[0].name

    with Process(data, *arguments) as server, Client(server.ready()) as client:
        seat = client.create("Ana")
        seen = seat.watch()
        assert names(next(seen)) == "Ana"
        server.kill()
        shutil.copytree(data, old)
        with Process(data, *arguments):
            assert names(next(seen)) == "Ana"
            table = seat.look()
            for name in ("Ben", "Cleo"):
                table = seat.command("rename", seat=0, name=name, version=table.version)
            while names(next(seen)) != "Cleo":
                pass
        with Process(old, *arguments):
            assert names(next(seen)) == "Ana"
            seat.command("rename", seat=0, name="Dan", version=seat.look().version)
            while names(next(seen)) != "Dan":
                pass
        seen.close()
