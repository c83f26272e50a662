"""``skyjo serve`` as a real process: started, killed, started again, ended."""

from __future__ import annotations

import os
import pty
import re
import shlex
import signal
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest
from tests.web.forms import Page
from tests.web.harness import PATIENCE, Person, Process, free_port, wait_for
from tests.web.test_live import board, live, version_of

from skyjo.cli.serve import announce, bound

LINE_BOT = Path(__file__).parents[2] / "examples" / "line_bot.py"
LOCAL = ("--host", "127.0.0.1", "--port", "0")


def test_it_tells_where_it_is_and_serves_at_once(tmp_path: Path) -> None:
    with Process(tmp_path / "new" / "folder", "--port", "0") as server:
        url = server.url
        # Whoever is quicker than the start waits for it, and is not turned away.
        assert httpx.get(f"{url}/", timeout=PATIENCE).status_code == 200
        said = server.output
        assert re.search(r"http://[\w.:\[\]-]+:\d+/", said)
        assert "Ctrl-C" in said
        assert server.stop() == 0
        assert "kept" in server.output


def test_it_speaks_the_language_of_its_user(tmp_path: Path) -> None:
    with Process(tmp_path, *LOCAL, "--lang", "uk") as server:
        url = server.ready()
        assert "Ctrl-C" in server.output
        assert Page(httpx.get(url, headers={"accept-language": "es"}).text).lang == "uk"
        assert Page(httpx.get(url, headers={"accept-language": "fr"}).text).lang == "fr"


NAMED = ("--base-url", "http://skyjo.example.org")


def test_it_promises_only_what_others_can_open(tmp_path: Path) -> None:
    """Nobody else gets to 127.0.0.1; a name of its own is drawn for telephones."""
    with Process(tmp_path, *LOCAL) as server:
        assert server.ready()
        assert "for this computer alone" in server.output
        assert "network" not in server.output
        assert "█" not in server.output
    with Process(tmp_path, *LOCAL, *NAMED) as server:
        assert server.ready()
        assert "http://skyjo.example.org/" in server.output
        assert "network" not in server.output
        assert "█" in server.output, "a QR code"
    with Process(tmp_path, *LOCAL, *NAMED, JOURNAL_STREAM="8:1") as server:
        assert server.ready()
        assert "http://skyjo.example.org/" in server.output
        assert "█" not in server.output, "nobody scans the journal of a service"


def test_others_at_home_are_invited(capsys: pytest.CaptureFixture[str]) -> None:
    announce("", ("http://192.0.2.7:8000/",))
    said = capsys.readouterr().out
    assert "Everybody in this network can join" in said
    assert "http://192.0.2.7:8000/" in said
    assert "█" in said


def test_a_terminal_that_knows_no_blocks_gets_no_code(tmp_path: Path) -> None:
    ascii_only = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    with Process(tmp_path, *LOCAL, *NAMED, **ascii_only) as server:
        assert server.ready()
        assert "█" not in server.output


def test_key_database_and_folder_are_the_users_alone(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with Process(folder, *LOCAL) as server:
        server.ready()
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
        assert modes["secret.key"] == 0o600
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert "skyjo.sqlite3" in modes


def test_names_and_decks_are_the_users_alone_in_any_folder(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    with Process(tmp_path, *LOCAL) as server:
        server.ready()
        found = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    kept = {name: mode for name, mode in found.items() if name.startswith("skyjo.sqlite3")}
    assert set(kept) >= {"skyjo.sqlite3", "skyjo.sqlite3-wal"}
    assert set(kept.values()) == {0o600}, kept


def test_the_usual_folder_is_that_of_programs_data(tmp_path: Path) -> None:
    environment = {**os.environ, "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "share")}
    command = [sys.executable, "-m", "skyjo", "serve", *LOCAL]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as server:
        wait_for(lambda: list(tmp_path.rglob("skyjo.sqlite3")), "the database")
        server.send_signal(signal.SIGTERM)
        assert server.wait(PATIENCE) == 0


def test_a_busy_port_is_named_and_the_next_free_one_taken(tmp_path: Path) -> None:
    port = free_port()
    arguments = ("--host", "127.0.0.1", "--port", str(port))
    with socket.create_server(("127.0.0.1", port)), Process(tmp_path, *arguments) as server:
        url = server.ready()
        taken = int(url.rpartition(":")[2])
        assert port < taken < port + 50
        assert str(port) in server.output
        assert "taken" in server.output


def test_where_a_proxy_looks_for_the_server_no_other_port_is_taken(tmp_path: Path) -> None:
    port = free_port()
    arguments = ("--host", "127.0.0.1", "--port", str(port), "--base-url", "https://a.example")
    with socket.create_server(("127.0.0.1", port)), Process(tmp_path, *arguments) as server:
        assert server.process.wait(PATIENCE) == 1
        wait_for(lambda: "https://a.example" in server.output, "the sentence about the port")
        assert str(port) in server.output


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--host", "192.0.2.250"), "--host"),
        (("--host", "no.such.host.invalid"), "--host"),
        (("--base-url", "play.example.org"), "--base-url"),
        (("--base-url", "https://example.org/skyjo"), "path"),
        (("--port", "70000"), "70000"),
    ],
)
def test_what_cannot_work_is_told_in_a_sentence(
    tmp_path: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    with Process(tmp_path, *arguments) as server:
        assert server.process.wait(PATIENCE) in (1, 2)
        wait_for(lambda: sentence in server.output, sentence)
        assert "Traceback" not in server.output


def test_a_second_server_over_the_same_folder_names_the_first(tmp_path: Path) -> None:
    with Process(tmp_path, *LOCAL) as first:
        url = first.ready()
        with Process(tmp_path, *LOCAL) as second:
            assert second.process.wait(PATIENCE) == 1
            wait_for(lambda: url in second.output, url)
            assert "--data" in second.output
            assert "Traceback" not in second.output
        assert httpx.get(url).status_code == 200


def test_a_folder_that_cannot_be_used_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        with Process(folder, *LOCAL) as server:
            assert server.process.wait(PATIENCE) in (1, 2)
            assert "Traceback" not in server.output


def test_a_database_of_a_newer_program_is_told(tmp_path: Path) -> None:
    import sqlite3

    with Process(tmp_path, *LOCAL) as server:
        server.ready()
        server.stop()
    with sqlite3.connect(tmp_path / "skyjo.sqlite3") as database:
        database.execute("UPDATE alembic_version SET version_num = '9999'")
    database.close()
    with Process(tmp_path, *LOCAL) as server:
        assert server.process.wait(PATIENCE) == 1
        assert "Traceback" not in server.output


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_cleanly_and_quickly_with_people_connected(tmp_path: Path, number: int) -> None:
    with Process(tmp_path, *LOCAL) as server, Person(server.ready()) as ana:
        path = ana.play(1)
        with live(ana, path) as hers, ana.http.stream("GET", f"{path}/events") as stream:
            board(hers)
            next(stream.iter_lines())
            begun = time.monotonic()
            assert server.stop(number) == 0
            assert time.monotonic() - begun < PATIENCE / 2
        assert "Traceback" not in server.output
        assert "ERROR" not in server.output


@pytest.mark.parametrize("moment", range(5))
def test_ctrl_c_ends_it_at_any_moment_of_its_start(tmp_path: Path, moment: int) -> None:
    with Process(tmp_path, *LOCAL) as server:
        assert server.url
        time.sleep(moment * 0.25)
        # Python itself ends by the signal when it came inside an exec, as of a dataclass.
        assert server.stop(signal.SIGINT) in (0, 130, -signal.SIGINT)
        assert "Traceback" not in server.output


def test_a_second_start_finds_all_games(tmp_path: Path) -> None:
    with Process(tmp_path, *LOCAL) as server, Person(server.ready()) as ana:
        lobby, game = ana.make("Ana"), ana.play(3)
        shown = ana.version(game)
        cookies = dict(ana.http.cookies)
        server.stop()
    with Process(tmp_path, *LOCAL) as server, Person(server.ready()) as ana:
        ana.http.cookies.update(cookies)
        assert {lobby, game} <= set(ana.page("/").links)
        assert ana.version(game) >= shown
        assert ana.page(lobby).has("/start")


def test_a_program_of_the_operators_plays_at_the_tables(tmp_path: Path) -> None:
    program = f"Rex={shlex.quote(sys.executable)} {shlex.quote(str(LINE_BOT))}"
    with Process(tmp_path, *LOCAL, "--bot", program) as server, Person(server.ready()) as ana:
        assert "Rex" in ana.get("/").text
        path = ana.play(1, bot="Rex", pace="none")
        wait_for(lambda: "Rex turned over" in ana.get(path).text, "the program's opening")
        assert ana.post("/play", {"count": 1, "bot": "cmd:true"}).status_code == 409


@pytest.mark.parametrize("text", ["Rex", "greedy=true", "=true", "Rex=", "Rex='"])
def test_a_program_that_cannot_be_offered_is_told(tmp_path: Path, text: str) -> None:
    with Process(tmp_path, *LOCAL, "--bot", text) as server:
        assert server.process.wait(PATIENCE) != 0
        assert "Traceback" not in server.output


def test_killed_with_a_card_in_hand_it_goes_on_at_the_same_decision(tmp_path: Path) -> None:
    """failures 18: the drawn card, the finisher or who had the last turn is not stored."""
    with Process(tmp_path, *LOCAL) as server, Person(server.ready()) as ana:
        path = ana.make("Ana")
        ana.press(ana.page(f"{path}/seats").form("/join"), name="Ben")
        ana.post(f"{path}/start")
        for _ in range(4):
            act = ana.page(path).form("/act")
            ana.press(act, act.values()[0])
        drawn = ana.press(ana.page(path).form("/act"), "draw")
        assert "discard" in Page(drawn.text).form("/act").values()
        with live(ana, path) as hers:
            before = board(hers)
        cookies = dict(ana.http.cookies)
        server.kill()
    with Process(tmp_path, *LOCAL) as server, Person(server.ready()) as ana:
        ana.http.cookies.update(cookies)
        with live(ana, path) as hers:
            after = board(hers)
        assert after.replace(ana.url, "") == before.replace(server.url, "") or same(before, after)
        ana.press(ana.page(path).form("/act"), "discard")
        assert any("flip" in value for value in ana.page(path).form("/act").values())


def same(before: str, after: str) -> bool:
    """Whether two boards offer the same at the same version, and show the same cards."""
    first, second = Page(before), Page(after)
    cards = [
        re.findall(r'id="(?:g\d-\d+|hand|draw|discard)"[^>]*', html) for html in (before, after)
    ]
    return (
        version_of(before) == version_of(after)
        and first.form("/act").values() == second.form("/act").values()
        and cards[0] == cards[1]
    )


def test_in_a_real_terminal_ctrl_c_ends_it(tmp_path: Path) -> None:
    controller, terminal = pty.openpty()
    command = [sys.executable, "-m", "skyjo", "serve", *LOCAL, *NAMED, "--data", str(tmp_path)]
    environment = {**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8"}
    with subprocess.Popen(
        command, stdin=terminal, stdout=terminal, stderr=terminal, env=environment,
        start_new_session=True,
    ) as server:  # fmt: skip
        os.close(terminal)
        seen = b""
        while b"Ctrl-C" not in seen:
            seen += os.read(controller, 4096)
        os.killpg(server.pid, signal.SIGINT)
        assert server.wait(PATIENCE) in (0, 130, -signal.SIGINT)
    assert b"\x1b[38;5;231;48;5;16m" in seen, "the code is right on every ground"
    os.close(controller)


def test_small_answers_are_not_held_back() -> None:
    """asyncio turns Nagle's delay off only for sockets that name TCP as their protocol."""
    with bound("127.0.0.1", 0) as listener:
        assert listener.proto == socket.IPPROTO_TCP


@pytest.mark.parametrize("how", ["text", "torn", "flipped", "folder"])
def test_a_damaged_database_is_named_before_anything_is_announced(tmp_path: Path, how: str) -> None:
    with Process(tmp_path, *LOCAL) as server:
        with Person(server.ready()) as ana:
            ana.play(3)
        assert server.stop() == 0
    database = tmp_path / "skyjo.sqlite3"
    content = database.read_bytes()
    database.unlink()
    if how == "folder":
        database.mkdir()
    else:
        middle = len(content) // 2
        database.write_bytes(
            {
                "text": b"these are no games\n" * 400,
                "torn": content[:middle],
                "flipped": content[:4096] + b"\xff" * 4096 + content[8192:],
            }[how]
        )
    with Process(tmp_path, *LOCAL) as server:
        assert server.process.wait(PATIENCE) == 1
        time.sleep(0.2)
        said = server.output
    assert str(database) in said
    assert "--data" in said if how == "folder" else "skyjo restore" in said
    assert "http://" not in said
    assert len(said.splitlines()) == 1
