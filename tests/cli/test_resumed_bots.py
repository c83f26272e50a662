"""Who is a bot in a recorded game: a record starts no program and makes no bot of a person."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tests.kit.terminal import PATIENCE, environment, run

from skyjo.cli.players import players_of_record, read_players
from skyjo.errors import MalformedError
from skyjo.game import Game
from skyjo.record import RecordWriter
from skyjo.table.names import clean_name

ROOT = Path(__file__).resolve().parents[2]


def record(folder: Path, players: list[str], **tags: str) -> Path:
    path = folder / "mailed.skyjo"
    RecordWriter.create(path, Game(players), {"Seed": "1", **tags}).close()
    return path


@pytest.fixture
def program(tmp_path: Path) -> str:
    """A command, with an argument that has blanks, that leaves a trace when it is started."""
    trace = shlex.quote(str(tmp_path / "left a trace"))
    bot = shlex.quote(f"touch {trace} && exec {sys.executable} {ROOT / 'examples/line_bot.py'}")
    return f"cmd:sh -c {bot}"


@pytest.mark.parametrize("tagged", [True, False])
def test_a_record_starts_no_program_by_itself(tmp_path: Path, program: str, tagged: bool) -> None:
    names = ["Ana" if tagged else f"bot:{program}", "bot:greedy"]
    tags = {"Bot1": program, "Bot2": "greedy"} if tagged else {}
    path = record(tmp_path, names, **tags)
    before = path.read_bytes()
    for allowed in ([], ["--allow-program", "cmd:sh"], ["--allow-program", program + " more"]):
        done = run(tmp_path, "play", "--resume", str(path), "--auto", *allowed)
        assert done.returncode == 1
        assert f"--allow-program {shlex.quote(program)}" in done.stderr
        assert f"start the program '{program.removeprefix('cmd:')}'" in done.stderr
        assert not (tmp_path / "left a trace").exists()
        assert path.read_bytes() == before


def test_a_program_that_is_allowed_plays_on_with_all_its_arguments(
    tmp_path: Path, program: str
) -> None:
    path = record(tmp_path, ["Ana", "Ben"], Bot1=program, Bot2="greedy")
    done = run(tmp_path, "play", "--resume", str(path), "--auto", "--allow-program", program)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "left a trace").exists()


def test_bots_have_tags_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "a.skyjo"
    players = "Ana,bot:greedy,BOT:threshold:5"
    run(tmp_path, "play", "--players", players, "--record", str(path), lines=["q"])
    text = path.read_text(encoding="utf-8")
    assert '[Bot2 "greedy"]\n[Bot3 "threshold:5"]\n' in text
    assert "[Bot1" not in text


def test_bots_of_a_web_record_are_bots_again(tmp_path: Path) -> None:
    path = tmp_path / "web.skyjo"
    RecordWriter.create(path, Game(["Ana", "Greedy"]), {"Bot2": "greedy"}).close()
    done = run(tmp_path, "play", "--resume", str(path), lines=["a1 b1"])
    assert "Greedy turns over" in done.stdout


@pytest.mark.parametrize(
    ("names", "tags", "bots"),
    [
        (["bot:greedy 2", "Ana"], {"Seed": "1"}, ["greedy", ""]),
        (["bot:greedy 2", "Ana"], {}, ["", ""]),
        (["bot:greedy", "Ana"], {"Seed": "1", "Bot2": "random"}, ["", "random"]),
        (["Bot:greedy", "bot:threshold:5 3"], {"Seed": "1"}, ["", "threshold:5"]),
        (["Ana", "Ben"], {"Bot0": "greedy", "Bot3": "greedy"}, ["", ""]),
    ],
)
def test_a_name_makes_nobody_a_bot(names: list[str], tags: dict[str, str], bots: list[str]) -> None:
    seated = players_of_record(names, tags)
    assert [player.name for player in seated] == names
    assert [player.bot.name if player.bot else "" for player in seated] == bots


@pytest.mark.parametrize(
    "name", ["bot:greedy", "Bot:cmd:x", " b\u202eot:x", "\uff42ot:x", "BOT :x", "bot\uff1ax"]
)
def test_nobody_is_called_like_a_bot(name: str) -> None:
    with pytest.raises(MalformedError, match="A name cannot begin with bot:"):
        clean_name(name)
    assert clean_name("Botho: x") == "Botho: x"


def test_no_person_slips_in_as_a_bot() -> None:
    with pytest.raises(MalformedError, match="A name cannot begin with bot:"):
        read_players("Ana,\u200bbot:greedy")


def test_a_program_that_does_not_start_ends_it_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a.skyjo"
    arguments = ["--players", "bot:cmd:/no/such/bot --x,bot:greedy", "--record", str(path)]
    done = run(tmp_path, "play", *arguments, "--auto")
    assert (done.returncode, done.stdout) == (1, "")
    assert "bot:cmd:/no/such/bot --x cannot be started: /no/such/bot: " in done.stderr
    assert not path.exists()


def test_lost_decisions_are_told_at_the_end(tmp_path: Path) -> None:
    bot = tmp_path / "mute.py"
    bot.write_text(
        "import sys\n"
        'print(\'{"type": "hello", "protocol": 1}\', flush=True)\n'
        "sys.stdin.readline()\n"
    )
    players = f"bot:cmd:{sys.executable} {bot},bot:greedy"
    done = run(tmp_path, "play", "--players", players, "--auto", "--set", "max_rounds=1")
    assert done.returncode == 0
    assert f"bot:cmd:{sys.executable} {bot} lost decisions: ended: 3, not asked" in done.stderr


def test_a_program_hears_how_the_game_ended(tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    bot = tmp_path / "listener.py"
    bot.write_text(
        "import json, sys\n"
        'print(\'{"type": "hello", "protocol": 1}\', flush=True)\n'
        "for line in sys.stdin:\n"
        "    message = json.loads(line)\n"
        f"    open({str(heard)!r}, 'a').write(message['type'] + '\\n')\n"
        "    if message['type'] == 'view':\n"
        "        answer = {'type': 'action', 'id': message['id'], 'action': message['legal'][0]}\n"
        "        print(json.dumps(answer), flush=True)\n"
    )
    players = f"bot:cmd:{sys.executable} {bot},bot:greedy"
    done = run(tmp_path, "play", "--players", players, "--auto", "--set", "max_rounds=1")
    assert done.returncode == 0
    assert heard.read_text().split()[-1] == "result"


def test_commas_in_quotes_belong_to_the_command(tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    bot = tmp_path / "listener.py"
    bot.write_text(
        "import sys\n"
        f"open({str(heard)!r}, 'w').write('|'.join(sys.argv[1:]))\n"
        + (ROOT / "examples/line_bot.py").read_text(encoding="utf-8")
    )
    players = f"bot:cmd:{sys.executable} {bot} 'a,b' \"c, d\" e\\,f,bot:greedy"
    done = run(tmp_path, "play", "--players", players, "--auto", "--set", "max_rounds=1")
    assert done.returncode == 0, done.stderr
    assert heard.read_text() == "a,b|c, d|e,f"
    open_end = run(tmp_path, "play", "--players", "bot:cmd:x 'a,bot:greedy", "--auto")
    assert "is not a command line" in open_end.stderr
    # For anybody else a quote is a letter of the name.
    assert [player.name for player in read_players("O'Ana,O'Ben")] == ["O'Ana", "O'Ben"]


def test_the_way_to_go_on_can_be_gone(tmp_path: Path, program: str) -> None:
    """From the checkout, with a program, and typed as it is told."""
    path = tmp_path / "an evening.skyjo"
    shell = ["/bin/sh", "-c"]
    script = ROOT / "scripts" / "skyjo"
    first = subprocess.run(
        [*shell, f'cd {script.parent} && ./skyjo play --players "$1" --record "$2"', "sh",
         f"Ana,bot:{program}", str(path)],
        env=environment(tmp_path), input="", capture_output=True, text=True, timeout=PATIENCE,
        check=False,
    )  # fmt: skip
    told = first.stderr.partition("To go on: ")[2].strip()
    assert told.startswith("./skyjo play --resume ")
    again = subprocess.run(
        [*shell, f"cd {script.parent} && {told}"],
        env=environment(tmp_path), input="", capture_output=True, text=True, timeout=PATIENCE,
        check=False,
    )  # fmt: skip
    assert again.stderr.partition("To go on: ")[2].strip() == told
