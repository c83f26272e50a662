"""The example trains an agent, in a short form, and the page's Python runs."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from tests.conftest import ROOT

from skyjo.env import SkyjoVectorEnv

PAGE = (ROOT / "docs" / "research.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"(?ms)^```python\n(.*?)^```$", PAGE)


EXAMPLE = ROOT / "examples" / "train_agent.py"


def test_an_agent_is_trained_and_meets_bots(tmp_path: Path) -> None:
    picture = tmp_path / "curve.png"
    short = ["--rounds", "300", "--tables", "16", "--games", "4", "--picture", str(picture)]
    done = subprocess.run(
        [sys.executable, str(EXAMPLE), *short],
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
        env={**os.environ, "PYTHONWARNINGS": "error"},
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"(?m)^3[0-9]{2} rounds, [0-9]+ s: [-+][0-9.]+ points$", done.stdout)
    for rival in ("random", "novice", "greedy"):
        line = next(text for text in done.stdout.splitlines() if text.startswith(f"{rival}: "))
        found = re.search(r": ([0-9.]+)% of 4 games won \(([0-9.]+)% to ([0-9.]+)%\)", line)
        assert found, line
        won, low, high = map(float, found.groups())
        assert low <= won <= high
        assert re.search(rf"pupil [0-9.]+ ± [0-9.]+, {rival} [0-9.]+ ± [0-9.]+$", line), line
    with Image.open(picture) as image:
        assert image.size == (840, 480)


def test_the_order_of_columns_changes_nothing_for_the_agent() -> None:
    names = runpy.run_path(str(EXAMPLE))
    in_order, start = names["in_order"], names["START"]["seat0.cards"]
    envs = SkyjoVectorEnv(32, opponents=["greedy"], seat="rotate", compiled=False)
    rows, infos = envs.reset(seed=5)
    for _ in range(30):
        rows, _, _, _, infos = envs.step(envs.sample_actions())
    elsewhere = np.array([8, 10, 11, 9, 0, 2, 3, 1, 4, 6, 7, 5])  # rows and columns exchanged
    moved, masks = rows.copy(), infos["action_mask"].copy()
    for plane in range(start, start + 36, 12):
        moved[:, plane : plane + 12] = rows[:, plane + elsewhere]
    for first in (4, 16, 28):
        masks[:, first : first + 12] = infos["action_mask"][:, first + elsewhere]
    ordered, actions = in_order(rows)
    again, others = in_order(moved)
    assert np.array_equal(ordered, again)
    assert (np.sort(actions, axis=1) == np.arange(44)).all()
    # An action in the position in order does the same in both: its slot holds the same card.
    assert np.array_equal(
        np.take_along_axis(infos["action_mask"], actions, 1), np.take_along_axis(masks, others, 1)
    )
    slot, other = actions[:, 16:28] - 16, others[:, 16:28] - 16
    cards, moved_cards = rows[:, start : start + 12], moved[:, start : start + 12]
    assert np.array_equal(
        np.take_along_axis(cards, slot, 1), np.take_along_axis(moved_cards, other, 1)
    )
    assert np.array_equal(np.take_along_axis(cards, slot, 1), ordered[:, start : start + 12])


def test_experience_gives_every_step_the_end_of_its_own_round() -> None:
    experience = runpy.run_path(str(EXAMPLE))["Experience"](2)
    # Two tables; a row tells table and step. Table 1 ends with step 1, table 0 with step 3.
    ends = {1: (0, 7.0), 3: (1, -4.0)}
    for step in range(5):
        ended = np.zeros(2, np.bool_)
        rewards = np.zeros(2)
        if step in ends:
            table = 1 - ends[step][0]
            ended[table], rewards[table] = True, ends[step][1]
        experience.note(np.array([[0, step], [1, step]]), np.array([step, step]), rewards, ended)
        if step == 1:
            seen, actions, returns = experience.taken()
            assert seen.tolist() == [[1, 0], [1, 1]]
            assert actions.tolist() == [0, 1]
            assert returns.tolist() == [7.0, 7.0]
    seen, _, returns = experience.taken()
    # Step 2 of table 1 only began its next round, which is not over.
    assert sorted(map(tuple, seen.tolist())) == [(0, 0), (0, 1), (0, 2), (0, 3)]
    assert set(returns.tolist()) == {-4.0}


@pytest.mark.parametrize("code", BLOCKS)
def test_the_python_on_the_page_runs(code: str) -> None:
    code = code.replace('["greedy", "prudent"]', '["greedy", "greedy"]').replace("1_000", "10")
    code = code.replace("2_000", "10").replace(', "master"]', "]")
    names: dict[str, Any] = {}
    exec(compile(code, "docs/research.md", "exec"), names)


def test_there_is_python_on_the_page() -> None:
    assert len(BLOCKS) >= 4
