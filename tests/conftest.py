"""What every test shares: options, the hypothesis profile and fresh catalogues."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent.parent

# Compiled rules check every index, so that a wrong one fails instead of reading foreign memory.
os.environ.setdefault("NUMBA_BOUNDSCHECK", "1")

# Other work may share the machine: a slow example is no failure. Every run tries the same examples
# unless `--hypothesis-seed` or the "explore" profile says otherwise, so that CI does not flicker.
settings.register_profile(
    "suite", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("explore", parent=settings.get_profile("suite"), derandomize=False)
settings.load_profile("suite")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--scenarios",
        type=Path,
        default=None,
        metavar="PATH",
        help="play the rule scenarios of this JSON file instead of tests/rules/scenarios.json",
    )
    parser.addoption(
        "--full",
        action="store_true",
        help="try every combination of sizes, themes and languages instead of every pair",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Compile the catalogues that are older than their sources, once, before any worker starts."""
    if hasattr(config, "workerinput"):
        return
    sys.path.insert(0, str(ROOT))
    try:
        from hatch_build import compile_catalogues
    finally:
        sys.path.remove(str(ROOT))
    compile_catalogues(ROOT)
