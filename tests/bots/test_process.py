"""Programs as bots: real processes that answer, are slow, die, or talk nonsense."""

from __future__ import annotations

import json
import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import ROOT
from tests.kit.positions import CLOSED, after, position, seen

from skyjo import bots
from skyjo.bots import lines
from skyjo.bots.process import ProcessPolicy, SharedProgram, default_action
from skyjo.errors import MalformedError
from skyjo.rules.actions import action_name
from skyjo.rules.layout import GAME_OVER, View
from skyjo.rules.ruleset import KNOBS

GRID = "?5 9 x ?5 / ?5 ?5 x ?5 / ?5 ?5 x ?5"

HEAD = """
import json, sys, time
def say(**message): print(json.dumps(message), flush=True)
say(type="hello", protocol=1)
questions = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] != "view": continue
    questions += 1
    number, legal = message["id"], message["legal"]
"""


class Scripted:
    """A program that answers a question by these lines of Python."""

    def __init__(self, folder: Path, *answers: str, head: str = HEAD) -> None:
        path = folder / "bot.py"
        path.write_text(head + "\n".join(f"    {answer}" for answer in answers) + "\n")
        self.policy = ProcessPolicy(f"{sys.executable} {path}", seconds=20)

    def ask(self, view: View) -> str:
        return action_name(self.policy(view, random.Random(1)))


GOOD = 'say(type="action", id=number, action=legal[-1])'


def view() -> View:
    return seen(after(position(GRID), "draw"))


def test_a_good_answer_is_played(tmp_path: Path) -> None:
    bot = Scripted(tmp_path, GOOD)
    assert [bot.ask(view()) for _ in range(3)] == ["swap r2c3"] * 3
    assert not bot.policy.faults
    bot.policy.close()


@pytest.mark.parametrize(
    "answer",
    [
        'say(type="action", id=number, action="take")',
        'say(type="action", id=number, action="swap r0c2")',
        'say(type="action", id=number, action="swap r9c9")',
        'say(type="action", id=number, action="leave")',
        'say(type="action", id=number, action="fly")',
        'say(type="action", id=number, action=7)',
        'say(type="action", id=number - 1, action="discard")',
        'say(type="move", id=number, action="discard")',
        "say(id=number)",
        'print("nonsense", flush=True)',
        'print("[1]", flush=True)',
        'print("[" * 100000, flush=True)',
        "sys.stdout.buffer.write(bytes([255, 10])); sys.stdout.flush()",
    ],
)
def test_a_wrong_answer_costs_the_decision(tmp_path: Path, answer: str) -> None:
    bot = Scripted(tmp_path, answer)
    assert bot.ask(view()) == "discard"
    assert dict(bot.policy.faults) == {"nonsense": 1}
    bot.policy.close()


def test_a_slow_answer_costs_the_decision_and_is_not_taken_for_the_next(tmp_path: Path) -> None:
    bot = Scripted(tmp_path, "time.sleep(60 if questions == 1 else 0)", GOOD)
    bot.policy.seconds = 0.4
    assert bot.ask(view()) == "discard"
    assert dict(bot.policy.faults) == {"slow": 1}
    started = time.monotonic()
    bot.ask(view())
    assert time.monotonic() - started < 60
    bot.policy.close()


@pytest.mark.parametrize("last_words", ["sys.exit(3)", "raise ValueError", "sys.stdout.close()"])
def test_a_program_that_ends_is_started_again(tmp_path: Path, last_words: str) -> None:
    bot = Scripted(tmp_path, f"if questions == 2: {last_words}", GOOD)
    found = [bot.ask(view()) for _ in range(5)]
    assert found == ["swap r2c3", "discard", "swap r2c3", "discard", "swap r2c3"]
    assert dict(bot.policy.faults) == {"dead": 2}
    bot.policy.close()


def test_after_three_faults_in_a_row_it_is_left_alone_until_the_next_game(tmp_path: Path) -> None:
    bot = Scripted(tmp_path, 'say(type="no")')
    for _ in range(5):
        bot.ask(view())
    assert dict(bot.policy.faults) == {"nonsense": 3, "skipped": 2}
    bot.ask(seen(position(CLOSED, phase="reveal", other=CLOSED)))
    assert bot.policy.faults["nonsense"] == 4
    bot.policy.close()


@pytest.mark.parametrize(
    "head",
    [
        "import sys; sys.exit(0)\nfor line in sys.stdin:",
        'import sys; print("{}", flush=True)\nfor line in sys.stdin:',
        HEAD.replace("protocol=1", "protocol=2"),
    ],
)
def test_a_program_that_does_not_greet(tmp_path: Path, head: str) -> None:
    bot = Scripted(tmp_path, "pass", head=head.rstrip() + "\n")
    assert bot.ask(view()) == "discard"
    assert sum(bot.policy.faults.values()) == 1
    bot.policy.close()


def test_a_program_that_does_not_exist() -> None:
    policy = ProcessPolicy("/nowhere/at-all --fast")
    assert action_name(policy(view(), random.Random(1))) == "discard"
    assert dict(policy.faults) == {"dead": 1}


@pytest.mark.parametrize("command", ["", "   ", "'open"])
def test_a_command_that_cannot_be_read(command: str) -> None:
    with pytest.raises(MalformedError):
        bots.make(f"cmd:{command}")


def test_games_are_announced_and_told(tmp_path: Path) -> None:
    log = tmp_path / "log"
    head = HEAD.replace(
        "    if message", f"    open({str(log)!r}, 'a').write(line)\n    if message"
    )
    bot = Scripted(tmp_path, GOOD, head=head)
    opening = seen(position(CLOSED, phase="reveal", other=CLOSED))
    for _ in range(2):
        bot.ask(opening)
        bot.ask(view())
        over = view()
        over.phase, over.totals[:2] = GAME_OVER, [101, 40]
        bot.policy.finish(over)
    bot.policy.close()
    told = [json.loads(line) for line in log.read_text().splitlines()]
    kinds = [message["type"] for message in told]
    assert kinds == ["hello", *["new_game", "view", "view", "result"] * 2]
    assert told[0] == lines.hello()
    game = told[1]
    assert (game["seat"], game["seats"], game["ruleset"]) == (0, 2, "official")
    assert set(game["knobs"]) == {knob.name for knob in KNOBS}
    assert told[4] == {"type": "result", "totals": [101, 40], "winners": [1]}


def test_a_copy_has_a_program_of_its_own(tmp_path: Path) -> None:
    import pickle

    bot = Scripted(tmp_path, GOOD)
    bot.ask(view())
    other = pickle.loads(pickle.dumps(bot.policy))
    assert (other.words, other.seconds) == (bot.policy.words, bot.policy.seconds)
    assert action_name(other(view(), random.Random(1))) == "swap r2c3"
    bot.policy.close()
    other.close()


def test_an_end_leaves_no_process(tmp_path: Path) -> None:
    bot = Scripted(tmp_path, GOOD)
    bot.ask(view())
    process = bot.policy._program._process  # type: ignore[union-attr]
    bot.policy.close()
    assert process.poll() is not None


def test_one_program_plays_at_many_tables(tmp_path: Path) -> None:
    log = tmp_path / "log"
    head = HEAD.replace(
        "    if message", f"    open({str(log)!r}, 'a').write(line)\n    if message"
    )
    shared = SharedProgram(" ".join(Scripted(tmp_path, GOOD, head=head).policy.words))
    opening = seen(position(CLOSED, phase="reveal", other=CLOSED))
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(shared, [view(), opening] * 10, [random.Random(1)] * 20))
    assert [action_name(action) for action in found] == ["swap r2c3", "reveal r2c3"] * 10
    assert not shared.policy.faults
    shared.policy.close()
    kinds = [json.loads(line)["type"] for line in log.read_text().splitlines()]
    assert kinds == ["hello", *["new_game", "view"] * 20]


# --- What is said ---------------------------------------------------------------------------------


def test_a_view_in_words() -> None:
    told = lines.question(view(), 12)
    assert (told["type"], told["id"]) == ("view", 12)
    assert told["legal"][0] == "discard"
    assert "swap r0c2" not in told["legal"]
    shown = told["view"]
    assert shown["grids"][0] == [["?", 9, None, "?"], ["?", "?", None, "?"], ["?", "?", None, "?"]]
    assert (shown["hand"], shown["discard"], shown["draw_size"]) == (7, 5, 2)
    assert (shown["phase"], shown["turn"], shown["finisher"]) == ("place_or_discard", 0, None)
    assert shown["may_be_hidden"]["5"] == 8
    assert sum(shown["may_be_drawn"].values()) == 8 + 10 + 2


def test_nobody_is_told_what_another_one_has_drawn() -> None:
    other = seen(after(position(GRID), "draw"), seat=1)
    assert lines.seen(other)["hand"] == "?"


def test_only_views_are_told() -> None:
    """Cards that cannot be seen may be exchanged without changing a word."""
    one = position(GRID, draw=[7, 8, 9])
    two = position(GRID.replace("?5", "?8", 1), draw=[5, 7, 9])
    assert lines.seen(seen(one)) == lines.seen(seen(two))


@pytest.mark.parametrize(
    ("names", "wanted"),
    [
        ([], "draw"),
        (["draw"], "discard"),
        (["take"], "swap r0c1"),
        (["draw", "discard"], "flip r0c0"),
    ],
)
def test_the_default_action_gets_on(names: list[str], wanted: str) -> None:
    assert action_name(default_action(seen(after(position(GRID), *names)))) == wanted


def test_the_default_action_at_the_edges() -> None:
    opening = seen(position(CLOSED, phase="reveal", other=CLOSED))
    assert action_name(default_action(opening)) == "reveal r0c0"
    assert action_name(default_action(seen(position(GRID, draw=[], discard=[3])))) == "take"


# --- The example ----------------------------------------------------------------------------------


def test_the_example_is_as_long_as_it_says_and_plays() -> None:
    path = ROOT / "examples" / "line_bot.py"
    code = path.read_text().split('"""')[2].strip().splitlines()
    assert len([line for line in code if line and not line.startswith("import")]) <= 10
    policy = ProcessPolicy(f"{sys.executable} {path}")
    assert action_name(policy(view(), random.Random(1))) == "discard"
    assert not policy.faults
    policy.close()


def test_names_of_programs() -> None:
    bot: Any = bots.make(" cmd:./mybot --level 3 ")
    assert bot.name == "cmd:./mybot --level 3"
    assert bot.policy.words == ["./mybot", "--level", "3"]
    assert bot.kernel is None
