"""Positions with the one right answer; `--scenarios PATH` plays another file instead of ours."""

from __future__ import annotations

import pytest
from tests.kit import scenarios


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    chosen = scenarios.load(metafunc.config.getoption("--scenarios") or scenarios.OWN)
    metafunc.parametrize("scenario", chosen, ids=[str(s["id"]) for s in chosen])


def test_scenario(scenario: scenarios.Scenario) -> None:
    scenarios.run(scenario)
