"""`skyjo play` as people play it: in a real terminal, killed, resumed, and through a pipe."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import pexpect
import pytest
from tests.kit import terminal
from tests.kit.terminal import DRAWING, ESCAPES, bare, ended, play_on, run, spawn, until

from skyjo import bots
from skyjo.game import Game
from skyjo.i18n import available_languages
from skyjo.record import RecordWriter

SHORT = ["--set", "target=1", "--set", "max_rounds=1"]
HINT = r"To go on: \S*skyjo play --resume (\S+)"


def entries(path: Path) -> list[str]:
    """A record's lines, without the day on which it was played."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith("[Date")]


def draw(child: pexpect.spawn) -> str:
    """Play until a card is drawn and lies in the hand; the prompt is the next thing to come."""
    while True:
        answer = terminal.answer(until(child)[2])
        child.sendline(answer)
        if answer == "d":
            return until(child, r"You drew the (\S+):")[1]


def test_killed_after_a_draw_resumed_and_finished(tmp_path: Path) -> None:
    file = tmp_path / "evening.skyjo"
    game = ["play", "--players", "Ana,Ben", "--seed", "5", "--record", str(file), *SHORT]
    child = spawn(tmp_path, *game)
    card = draw(child)
    child.kill(signal.SIGKILL)
    assert ended(child) is None
    assert child.signalstatus == signal.SIGKILL

    child = spawn(tmp_path, "play", "--resume", str(file))
    in_hand = until(child, r"In hand:([^\r\n]*)\r\n")[1]
    assert bare(in_hand).strip() == card
    until(child, rf"You drew the {card}:")
    shown = bare(play_on(child))
    assert child.exitstatus == 0
    assert "Score sheet" in shown
    assert re.search(r"(Ana|Ben) wins with a total of|Ana and Ben win together", shown)


@pytest.mark.parametrize("moment", [1, 4, 9, 16])
def test_a_game_with_bots_goes_on_as_it_would_have(tmp_path: Path, moment: int) -> None:
    """Deck, bots and people being the same, a kill leaves no trace in the record."""
    records = [tmp_path / "whole.skyjo", tmp_path / "killed.skyjo"]
    for file in records:
        options = ["--players", "bot:random,Ana,bot:greedy", "--seed", "11", "--record", str(file)]
        child = spawn(tmp_path, "play", *options, "--set", "max_rounds=2", "--plain")
        if file is records[1]:
            play_on(child, moment)
            until(child)
            child.kill(signal.SIGKILL)
            child.close()
            child = spawn(tmp_path, "play", "--resume", str(file), "--plain")
        play_on(child)
        assert child.exitstatus == 0
    assert entries(records[0]) == entries(records[1])


def test_every_action_is_on_disk_before_the_next_prompt(tmp_path: Path) -> None:
    file = tmp_path / "a.skyjo"
    child = spawn(tmp_path, "play", "--players", "Ana,Ben", "--seed", "2", "--record", str(file))
    for plies in range(1, 12):
        child.sendline(terminal.answer(until(child)[2]))
        until(child)
        played = [line for line in entries(file) if re.match(r"[12] ", line)]
        assert len(played) == plies
        child.sendline("")  # asks for the same decision again
    child.close(force=True)


def test_without_a_file_the_game_is_kept_in_the_players_own_folder(tmp_path: Path) -> None:
    child = spawn(tmp_path, "play", "--players", "Ana,Ben", rows=40)
    until(child)
    child.sendline("B2 C3")
    until(child, "Ben")
    until(child)
    child.sendline("q")
    file = Path(until(child, HINT)[1])
    assert ended(child) == 0
    assert file.parent == tmp_path / "data" / "skyjo" / "games"
    game, _tags, writer = RecordWriter.resume(file)
    writer.close()
    assert game.state.hidden[:2] == [10, 12]


def test_ctrl_c_tells_how_to_go_on(tmp_path: Path) -> None:
    child = spawn(tmp_path, "play", "--players", "Ana,Ben")
    until(child)
    child.sendintr()
    until(child, HINT)
    assert ended(child) == 130


def test_the_end_of_input_in_a_terminal_tells_how_to_go_on(tmp_path: Path) -> None:
    child = spawn(tmp_path, "play", "--players", "Ana,Ben")
    until(child)
    child.sendeof()
    until(child, HINT)
    assert ended(child) == 1


def test_a_closed_terminal_loses_nothing(tmp_path: Path) -> None:
    file = tmp_path / "a.skyjo"
    child = spawn(tmp_path, "play", "--players", "Ana,Ben", "--seed", "5", "--record", str(file))
    card = draw(child)
    child.close()  # hangs up
    done = run(tmp_path, "play", "--resume", str(file))
    assert f"In hand: {card.replace(chr(0x2212), '-')}." in done.stdout


def test_a_torn_last_line_is_dropped(tmp_path: Path) -> None:
    file = tmp_path / "a.skyjo"
    run(tmp_path, "play", "--players", "Ana,Ben", "--record", str(file), lines=["a1 b1"])
    whole = file.read_bytes()
    file.write_bytes(whole + b"2 reveal r0")
    run(tmp_path, "play", "--resume", str(file))
    assert file.read_bytes() == whole


def test_cut_after_any_line_a_game_of_bots_ends_the_same(tmp_path: Path) -> None:
    """Also between a reshuffle and its draw, and between a round and the next deal."""
    whole, cut = tmp_path / "whole.skyjo", tmp_path / "cut.skyjo"
    players = ",".join(["bot:random", "bot:greedy"] * 4)
    options = ["--players", players, "--seed", "6", "--set", "max_rounds=2", "--auto"]
    options += ["--set", "target=500"]
    assert run(tmp_path, "play", *options, "--record", str(whole)).returncode == 0
    lines = whole.read_bytes().splitlines(keepends=True)
    where = [number for number, line in enumerate(lines) if line.startswith(b"reshuffle ")]
    ends = [number for number, line in enumerate(lines) if line.startswith(b"total ")]
    assert where
    assert len(ends) == 2
    for number in (where[0], where[0] - 1, ends[0], ends[0] - 1, len(lines) // 2, 19):
        cut.write_bytes(b"".join(lines[: number + 1]))
        done = run(tmp_path, "play", "--resume", str(cut), "--auto")
        assert (done.returncode, done.stderr) == (0, "")
        assert cut.read_bytes() == whole.read_bytes(), lines[number]


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1251"])
def test_an_old_terminal_shows_what_it_can(tmp_path: Path, encoding: str) -> None:
    for language in ("en", "uk", "de"):
        done = run(
            tmp_path,
            *["play", "--players", "bot:greedy,bot:random", "--auto", "--lang", language, *SHORT],
            PYTHONIOENCODING=encoding,
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert "bot:greedy" in done.stdout


def test_a_pipe_gets_plain_lines_and_a_hint_at_the_end(tmp_path: Path) -> None:
    done = run(tmp_path, "play", "--players", "Ana,bot:greedy", lines=["a1", "c2", "d"])
    assert done.returncode == 1
    assert re.search(HINT, done.stderr)
    assert "Ana turns over A1:" in done.stdout
    assert not ESCAPES.search(done.stdout)
    assert not DRAWING.search(done.stdout)


@pytest.mark.parametrize(("option", "term"), [("--plain", "xterm-256color"), ("--auto", "dumb")])
def test_plain_lines_have_neither_colour_nor_drawing(
    tmp_path: Path, option: str, term: str
) -> None:
    players = "bot:greedy,bot:random"
    child = spawn(tmp_path, "play", "--players", players, option, "--seed", "1", TERM=term)
    shown = play_on(child)
    assert child.exitstatus == 0
    assert "Score sheet" in shown
    assert not ESCAPES.search(shown)
    assert not DRAWING.search(shown)
    assert "\u2212" not in shown


def test_no_color_is_honoured(tmp_path: Path) -> None:
    arguments = ["play", "--players", "bot:greedy,bot:random", "--seed", "1", *SHORT]
    coloured = play_on(spawn(tmp_path, *arguments))
    shown = play_on(spawn(tmp_path, *arguments, NO_COLOR="1"))
    assert terminal.COLOURS.search(coloured)
    assert not terminal.COLOURS.search(shown)
    assert DRAWING.search(shown)


def test_eight_players_fit_in_80_by_24(tmp_path: Path) -> None:
    """From the board's first line to the prompt, also with long names and large totals."""
    names = "Ana,Maximiliana-Rosalinde,bot:greedy,bot:random,Ірина,Jürgen,bot:greedy,Zoë"
    child = spawn(tmp_path, "play", "--players", names, "--seed", "3")
    for _ in range(4):
        until(child)
        child.sendline("a1 b1")
    for _ in range(6):
        prompt = until(child)
        shown = bare(str(child.before) + prompt[0])
        board = shown[shown.rindex("Round 1.") :] if "Round 1." in shown else ""
        child.sendline(terminal.answer(prompt[2]))
        if not board:
            continue
        lines = board.split("\r\n")
        assert len(lines) <= 24
        assert max(len(line) for line in lines) <= 80
        assert all(name[:9] in board for name in ("Ana", "Maximiliana", "Ірина", "Jürgen", "Zoë"))
        assert board.count("A   B   C   D") == 8
    child.close(force=True)


def test_the_opening_goes_round_and_two_places_fit_in_a_line(tmp_path: Path) -> None:
    lines = ["a1 b2", "22, d3", "t r0c0"]
    done = run(tmp_path, "play", "--players", "Ana,Ben,Cleo", "--seed", "4", lines=lines)
    for said in ("Ana turns over A1:", "Ana turns over B2:", "Ben turns over B2:"):
        assert said in done.stdout
    assert "Ben turns over D3:" in done.stdout
    assert "Not now: opening cards are turned first" in done.stdout


def test_wrong_input_is_answered_with_what_is_possible(tmp_path: Path) -> None:
    lines = ["a1 b1", "a1 b1", "x", "t", "p", "e9", "hello", "b2"]
    done = run(tmp_path, "play", "--players", "Ana,Ben", "--seed", "4", lines=lines)
    for said in (
        "You hold no card; take the discard or draw first.\nType t to take the top discard",
        "The card you took must go into your grid: choose a place for it.\nType the place",
        "There is no such place in the grid.\nType the place for the card: A1, B1, C1",
        "'hello' is not understood.\nType the place for the card",
    ):
        assert said in done.stdout
    assert re.search(r"puts the -?\d+ on B2; the hidden card there was the -?\d+\.", done.stdout)


def test_after_a_discard_nobody_is_told_to_take_a_card(tmp_path: Path) -> None:
    lines = ["a1 b1", "a1 b1", "d", "x", "x c1", "d"]
    done = run(tmp_path, "play", "--players", "Ana,Ben", "--seed", "4", lines=lines)
    assert "You hold no card" not in done.stdout
    assert re.search(r"\]: *\nType the place to turn over", done.stdout)


def test_the_number_of_a_round_is_told_once(tmp_path: Path) -> None:
    done = run(tmp_path, "play", "--players", "Ana,Ben")
    assert "Round 1 is dealt." not in done.stdout
    assert done.stdout.count("Round 1.\n") == 1


def test_who_plays_is_explained(tmp_path: Path) -> None:
    done = run(tmp_path, "play", lines=["?"])
    prompt = done.stdout.partition("Players:")[0]
    assert all(f"bot:{name}" in prompt for name in bots.LADDER)
    for name in bots.LADDER:
        assert f"  bot:{name}: " in done.stdout
    for name in bots.names():
        assert f"bot:{name}" in done.stdout
        assert f"bot:{name}" in " ".join(run(tmp_path, "play", "--help").stdout.split())
    assert "for instance: Ana, Ben, bot:casual" in done.stdout


@pytest.mark.parametrize("key", ["?", "h", "help", "hel"])
def test_help_is_one_key_away(tmp_path: Path, key: str) -> None:
    done = run(tmp_path, "play", "--players", "Ana,Ben", lines=[key])
    assert "q or quit: stop; the game can be resumed" in done.stdout


def test_the_rules_the_scores_and_the_board_can_be_asked_for(tmp_path: Path) -> None:
    done = run(tmp_path, "play", "--players", "Ana,Ben", lines=["rules", "s", "board", "q"])
    assert done.returncode == 0
    assert "The penalty" in done.stdout
    assert "Score sheet" in done.stdout
    assert done.stdout.count("Round 1.\n") == 2


def test_somebody_leaves_and_the_others_play_on(tmp_path: Path) -> None:
    lines = ["leave", "no", "leave ben", "leave", "a1 b1", "a1 b1"]
    done = run(tmp_path, "play", "--players", "Ana,Ben,Cleo", "--seed", "4", lines=lines)
    assert "Nobody leaves." in done.stdout
    assert "Ben leaves the game." in done.stdout
    assert "Ben has left the game with a total of 0." in done.stdout
    assert "Cleo turns over B1:" in done.stdout


def test_the_last_one_wins_by_forfeit(tmp_path: Path) -> None:
    lines = ["leave", "leave"]
    done = run(tmp_path, "play", "--players", "Ana,Ben", "--seed", "4", lines=lines)
    assert done.returncode == 0
    assert "Ben wins, because nobody else is left." in done.stdout


def test_between_rounds_one_may_look_leave_or_stop(tmp_path: Path) -> None:
    """Bots play, and the person at the keyboard watches."""
    lines = ["x", "scores", "board", "leave", "leave nobody", "leave bot:random", "leave", ""]
    players = "bot:greedy,bot:random,bot:greedy"
    done = run(tmp_path, "play", "--players", players, "--seed", "4", lines=lines)
    assert "Between rounds you may press Enter or type" in done.stdout
    assert "Say who leaves" in done.stdout
    assert "nobody here is called nobody" in done.stdout
    assert "bot:random leaves the game." in done.stdout
    assert "Round 2 is dealt." in done.stdout


def test_a_whole_game_of_bots(tmp_path: Path) -> None:
    players = "bot:greedy,bot:greedy,bot:greedy"
    done = run(tmp_path, "play", "--players", players, "--auto", "--seed", "7")
    again = run(tmp_path, "play", "--players", players, "--auto", "--seed", "7")
    assert done.returncode == 0
    assert done.stdout == again.stdout
    assert "1. bot:greedy" in done.stdout
    assert "bot:greedy 3" in done.stdout
    assert re.search(r"wins? (together )?with a total of", done.stdout)
    assert not (tmp_path / "data").exists()


def test_an_unseeded_game_of_bots_tells_its_seed(tmp_path: Path) -> None:
    arguments = ["play", "--players", "bot:greedy,bot:random", "--auto", *SHORT]
    done = run(tmp_path, *arguments)
    seed = re.match(r"Seed: (\d+)\n", done.stdout)
    assert seed
    again = run(tmp_path, *arguments, "--seed", seed[1])
    assert done.stdout.splitlines()[1:] == again.stdout.splitlines()


@pytest.mark.parametrize("language", [language.code for language in available_languages()])
@pytest.mark.parametrize("terminal_too", [False, True])
def test_every_language_plays_to_the_end(tmp_path: Path, language: str, terminal_too: bool) -> None:
    arguments = ["play", "--players", "bot:greedy,bot:random,bot:greedy", "--lang", language]
    arguments += ["--ruleset", "family-columns", "--seed", "2", "--auto"]
    if terminal_too:
        child = spawn(tmp_path, *arguments)
        shown = bare(play_on(child))
        assert child.exitstatus == 0
    else:
        done = run(tmp_path, *arguments)
        assert (done.returncode, done.stderr) == (0, "")
        shown = done.stdout
    assert "bot:greedy 2" in shown
    assert not re.search(r"[{}]", shown)


def test_a_finished_record_shows_the_result(tmp_path: Path) -> None:
    file = tmp_path / "a.skyjo"
    options = ["--players", "bot:greedy,bot:random", "--auto", "--record", str(file), *SHORT]
    run(tmp_path, "play", *options)
    before = file.read_bytes()
    done = run(tmp_path, "play", "--resume", str(file))
    assert done.returncode == 0
    assert "This game is over." in done.stdout
    assert "with a total of" in done.stdout
    assert file.read_bytes() == before


def test_it_asks_who_plays_until_it_is_understood(tmp_path: Path) -> None:
    lines = ["Ana", "Ana,ana", "Ana,bot:genius", "Ana,,Ben", "Ana, Ben", "q"]
    done = run(tmp_path, "play", lines=lines)
    assert done.returncode == 0
    for said in (
        "Skyjo is played by 2 to 8 players, not by 1.",
        "two players cannot both be called ana",
        "there is no bot 'genius'",
        "A name needs at least one letter or digit.",
        "Turn over 2 of your cards.",
    ):
        assert said in done.stdout


def test_it_stops_politely_when_nobody_answers(tmp_path: Path) -> None:
    done = run(tmp_path, "play")
    assert done.returncode == 1
    assert "The input has ended." in done.stderr
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--auto"], "--auto needs --players"),
        (["--auto", "--players", "Ana,bot:greedy,Ben"], "these are people: Ana and Ben"),
        (["--players", "Ana,Ben", "--ruleset", "nice"], "there is no preset 'nice'"),
        (["--players", "Ana,Ben", "--set", "target=0"], "target is at least 1"),
        (["--players", "Ana,Ben", "--set", "target"], "'target' is not of the form knob=value"),
        (["--resume", "FILE", "--seed", "3"], "--seed cannot be given with --resume."),
        (["--resume", "FILE", "--auto"], "these are people: Ana and Ben"),
        (["--players", "Ana,Ben", "--record", "FILE"], "there is a file of this name already"),
        (["--players", "Ana,Ben", "--seed", " "], "a seed is a word or number"),
        (
            ["--players", "Ana,Ben", "--record", "no/such/folder.skyjo"],
            "there is no such file or folder",
        ),
    ],
)
def test_faults_are_told_in_a_sentence(tmp_path: Path, arguments: list[str], said: str) -> None:
    file = tmp_path / "a.skyjo"
    run(tmp_path, "play", "--players", "Ana,Ben", "--record", str(file))
    before = file.read_bytes()
    done = run(tmp_path, "play", *[str(file) if each == "FILE" else each for each in arguments])
    assert done.returncode in (1, 2)
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert file.read_bytes() == before


def test_one_record_is_played_by_one_terminal(tmp_path: Path) -> None:
    file = tmp_path / "a.skyjo"
    child = spawn(tmp_path, "play", "--players", "Ana,Ben", "--record", str(file))
    until(child)
    done = run(tmp_path, "play", "--resume", str(file))
    child.close(force=True)
    assert done.returncode == 1
    assert "another program is writing this record" in done.stderr


@pytest.mark.parametrize("plain", [[], ["--plain"]])
def test_names_in_a_record_do_not_steer_the_terminal(tmp_path: Path, plain: list[str]) -> None:
    game = Game(["Ana\x1b]0;owned\x07", "Ben\u202e"])
    RecordWriter.create(tmp_path / "a.skyjo", game, {"Seed": "1"}).close()
    child = spawn(tmp_path, "play", "--resume", str(tmp_path / "a.skyjo"), *plain)
    shown = play_on(child, 3)
    child.sendline("s")
    shown += until(child)[0] + str(child.before)
    child.close(force=True)
    assert "Ana" in shown
    assert not {"\x07", "\u202e"} & set(bare(shown))
    assert "\x1b]" not in shown


def test_odd_bytes_and_long_lines_end_no_game(tmp_path: Path) -> None:
    lines = ["\udcff\udcfe", "x" * 10_000, "a" * 300, "1" * 5000, "leave " + "é" * 999, "q"]
    done = run(tmp_path, "play", "--players", "Ana,Ben", lines=lines)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert max(map(len, done.stdout.splitlines())) < 200


def test_a_bot_that_does_not_know_the_house_rules_says_so(tmp_path: Path) -> None:
    said = "Master was never trained by these rules and plays on with what it knows:"
    game = ["play", "--players", "Ana,bot:master,bot:master", "--seed", "5"]
    for rules, known in (("family-facedown", False), ("family", True)):
        file = tmp_path / f"{rules}.skyjo"
        begun = run(tmp_path, *game, "--record", str(file), "--ruleset", rules)
        assert " ".join(begun.stdout.split()).count(said) == (not known)
        again = run(tmp_path, "play", "--resume", str(file))
        assert " ".join(again.stdout.split()).count(said) == (not known)
