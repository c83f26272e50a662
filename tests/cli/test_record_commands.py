"""`skyjo show`, `check` and `convert`, run as people run them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.record.told import TAGS, replayed, small_game, without_decks

from skyjo.game import Game
from skyjo.record import record_json, record_text, visible_text

TEXT = record_text(small_game(), TAGS)


def skyjo(*arguments: str, stdin: bytes = b"") -> tuple[int, str, str]:
    """Status, output and errors of a command."""
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "PYTHONIOENCODING": "utf-8"}
    environment.pop("LANGUAGE", None)
    done = subprocess.run(
        [sys.executable, "-m", "skyjo", *arguments],
        input=stdin,
        capture_output=True,
        check=False,
        env=environment,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "game.skyjo"
    path.write_text(TEXT, encoding="utf-8")
    return str(path)


def with_text(tmp_path: Path, text: str, name: str = "other.skyjo") -> str:
    path = tmp_path / name
    path.write_bytes(text.encode())
    return str(path)


# --- check ------------------------------------------------------------------------------------


def test_check_is_content(file: str, tmp_path: Path) -> None:
    two = with_text(tmp_path, f"{TEXT}\n{without_decks(TEXT)}")
    in_json = with_text(tmp_path, record_json(small_game()), "game.json")
    status, out, errors = skyjo("check", file, two, in_json)
    assert (status, errors) == (0, "")
    assert out.splitlines() == [
        f"{file}: 1 game, 8 actions, all right",
        f"{two}: 2 games, 16 actions, all right",
        f"{in_json}: 1 game, 8 actions, all right",
    ]


def test_check_tells_every_fault_in_a_line(file: str, tmp_path: Path) -> None:
    wrong = TEXT.replace("1 take: 8", "1 take: 9")
    two = with_text(tmp_path, f"{wrong}{TEXT}{wrong[:-4]}".replace("\n", "\r\n"))
    torn = with_text(tmp_path, TEXT[:-4], "torn.skyjo")
    empty = with_text(tmp_path, "", "empty.skyjo")
    status, out, errors = skyjo("check", two, file, torn, empty, "--lang", "en")
    assert status == 1
    assert out.splitlines() == [
        f"{two}:15:9: expected '8'; here stands: '9'",
        f"{two}:57:9: expected '8'; here stands: '9'",
        f"{file}: 1 game, 8 actions, all right",
        f"{torn}:21:6: the last line is not complete: it does not end with a line break",
        f"{empty}: this file holds no game",
    ]
    assert errors == ""


def test_check_goes_on_after_a_file_that_is_not_there(file: str, tmp_path: Path) -> None:
    status, out, errors = skyjo("check", str(tmp_path / "none"), str(tmp_path), file)
    assert status == 1
    assert out == f"{file}: 1 game, 8 actions, all right\n"
    assert len(errors.splitlines()) == 2
    assert f"{tmp_path / 'none'}: " in errors


def test_check_reads_standard_input() -> None:
    status, out, _errors = skyjo("check", "-", stdin=TEXT.encode())
    assert (status, out) == (0, "standard input: 1 game, 8 actions, all right\n")
    status, out, _errors = skyjo("check", "-", stdin=b"\xff\n")
    assert (status, out) == (1, "standard input:1:1: this is no text in UTF-8\n")


def test_check_needs_a_file() -> None:
    status, _out, errors = skyjo("check")
    assert status == 2
    assert "FILE" in errors


# --- show -------------------------------------------------------------------------------------


def test_show_draws_the_end(file: str) -> None:
    status, out, errors = skyjo("show", file)
    assert (status, errors) == (0, "")
    assert out.startswith("Ply 8 of 8.\nBen puts the -1 on C3; the hidden card there was the 5.")
    assert "  1: 8, 2, -2, 5\n" in out
    assert "Ben wins" in out
    assert skyjo("show", file, "--ply", "end")[1] == out
    assert skyjo("show", file, "--ply", "8")[1] == out
    assert skyjo("show", file, "--ply", "-1")[1] == out


@pytest.mark.parametrize("text", [TEXT, without_decks(TEXT), record_json(small_game())])
def test_show_draws_any_point(tmp_path: Path, text: str) -> None:
    path = with_text(tmp_path, text)
    status, out, _errors = skyjo("show", path, "--ply", "0", "--plain")
    assert status == 0
    assert out.startswith("Ply 0 of 8.\nRound 1.\n")
    assert out.count("hidden") == 24
    status, out, _errors = skyjo("show", path, "--ply", "5")
    assert out.startswith("Ply 5 of 8.\nAna takes the 8 from the discard pile.\n")
    assert "In hand: 8." in out
    assert skyjo("show", path, "--ply", "-4")[1] == out


def test_show_finds_the_game_in_the_file(tmp_path: Path) -> None:
    texts = [record_text(replayed(small_game(), count)) for count in (3, 5, 9)]
    path = with_text(tmp_path, "\n".join(texts))
    for number, plies in [("1", 2), ("2", 4), ("3", 8), ("-1", 8), ("-3", 2)]:
        assert skyjo("show", path, "--game", number)[1].startswith(f"Ply {plies} of {plies}.")
    for number in ("0", "4", "-4"):
        status, out, errors = skyjo("show", path, "--game", number)
        assert (status, out) == (1, "")
        assert errors == f"{path}: there is no game {number} in this file\n"


@pytest.mark.parametrize("number", ["9", "-10"])
def test_show_refuses_a_ply_that_is_not_there(file: str, number: str) -> None:
    status, out, errors = skyjo("show", file, "--ply", number)
    assert (status, out) == (1, "")
    assert errors == f"there is no ply {number}; the game has 8\n"


def test_show_does_not_make_up_a_card(tmp_path: Path) -> None:
    game = replayed(small_game("official turn_limit=4"), 5)
    game.play("draw")
    for text, hand in [(visible_text(game), "hidden"), (record_text(game), str(game.state.hand))]:
        assert f"In hand: {hand}." in skyjo("show", with_text(tmp_path, text))[1]


def test_show_tells_of_a_torn_line_and_of_faults(tmp_path: Path) -> None:
    status, out, errors = skyjo("show", with_text(tmp_path, TEXT[:-30]))
    assert status == 0
    assert out.startswith("Ply 8 of 8.")
    assert "the last line is not complete" in errors
    assert errors.endswith("; it was left out\n")
    path = with_text(tmp_path, TEXT.replace("1 take: 8", "1 take: 9"))
    assert skyjo("show", path) == (1, "", f"{path}:15:9: expected '8'; here stands: '9'\n")


def test_show_shows_no_control_characters_of_names(tmp_path: Path) -> None:
    game = Game(["A\x1b[2Jna", "B\u202een"])
    status, out, _errors = skyjo("show", with_text(tmp_path, record_text(game)))
    assert status == 0
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert "na: total 0" in out


def test_wrong_numbers_are_usage(file: str) -> None:
    status, _out, errors = skyjo("show", file, "--ply", "x")
    assert status == 2
    assert "'x' is neither a whole number nor 'end'" in errors


# --- convert ----------------------------------------------------------------------------------


def test_convert_to_json_and_back(file: str, tmp_path: Path) -> None:
    output = str(tmp_path / "game.json")
    assert skyjo("convert", file, "--to", "json", "-o", output) == (0, "", "")
    document = json.loads(Path(output).read_text(encoding="utf-8"))
    assert document["tags"] == TAGS
    assert skyjo("convert", output, "--to", "skyjo") == (0, TEXT, "")
    assert skyjo("convert", file, "--to", "json")[1] == Path(output).read_text(encoding="utf-8")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["game.json", "game.skyjo"]


def test_convert_reads_standard_input_with_many_games() -> None:
    many = f"{TEXT}\n{TEXT}"
    status, out, _errors = skyjo("convert", "-", "--to", "json", stdin=many.encode())
    assert status == 0
    assert len([json.loads(line) for line in out.splitlines()]) == 2
    assert skyjo("convert", "-", "--to", "skyjo", stdin=out.encode()) == (0, many, "")


def test_convert_leaves_nothing_behind_after_a_fault(tmp_path: Path) -> None:
    path = with_text(tmp_path, f"{TEXT}{TEXT.replace('1 take: 8', '1 take: 9')}")
    kept = tmp_path / "kept.json"
    kept.write_text("kept")
    status, out, errors = skyjo("convert", path, "--to", "json", "-o", str(kept))
    assert (status, out) == (1, "")
    assert errors == f"{path}:36:9: expected '8'; here stands: '9'\n"
    assert kept.read_text() == "kept"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["kept.json", "other.skyjo"]


def test_convert_may_write_over_its_source(file: str) -> None:
    assert skyjo("convert", file, "--to", "json", "-o", file)[0] == 0
    assert json.loads(Path(file).read_text(encoding="utf-8"))["players"] == ["Ana", "Ben"]


def test_convert_says_what_cannot_be_opened(tmp_path: Path) -> None:
    status, out, errors = skyjo("convert", str(tmp_path / "none"), "--to", "json")
    assert (status, out) == (1, "")
    assert "none" in errors
    assert skyjo("convert", "-")[0] == 2
