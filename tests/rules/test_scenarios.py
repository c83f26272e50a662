"""Positions with the one right answer; `--scenarios PATH` plays another file instead of ours."""

from __future__ import annotations

import pytest
from tests.kit import scenarios
from tests.kit.scenarios import Scenario, ScenarioError


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test a position; a file that cannot be read is one test that says why."""
    path = metafunc.config.getoption("--scenarios")
    try:
        chosen = scenarios.named(scenarios.load(path) if path else scenarios.own())
    except ScenarioError as problem:
        chosen = [("unreadable", problem)]
    names = [name for name, _ in chosen]
    metafunc.parametrize(("name", "scenario"), chosen, ids=names)


def test_scenario(name: str, scenario: Scenario | ScenarioError) -> None:
    if isinstance(scenario, ScenarioError):
        raise scenario
    scenarios.run(scenario, name)
