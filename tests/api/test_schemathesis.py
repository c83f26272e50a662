"""Whatever a program that follows the description (or does not) may send, by schemathesis.

The server is a real one; its answers must be described, of the described form, and never a 5xx.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import CHECKS, load_all_checks
from tests.api.test_openapi import SCHEMA
from tests.web.conftest import quick_app
from tests.web.harness import in_thread

API = "/api/v1"
DESCRIBED = schemathesis.openapi.from_dict(SCHEMA)
# A text that is too long can make the whole body too long, which is said first.
DESCRIBED.config.checks.negative_data_rejection.expected_statuses.append("413")
# A stream has no end; tests/api/test_live.py is about it.
OPERATIONS = {
    operation.definition.raw["operationId"]: operation
    for operation in (each.ok() for each in DESCRIBED.get_all_operations())  # type: ignore[union-attr]
    if operation.definition.raw["operationId"] != "events"
}
#: These take texts that mean something: not every name, action or ruleset is one.
WORDS = {"act", "add_bot", "claim", "create", "join", "rename", "ruleset"}
load_all_checks()
EVERY_TEXT = CHECKS.get_one("positive_data_acceptance")


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with in_thread(quick_app(tmp_path_factory.mktemp("fuzz"))) as address:
        yield address


@pytest.fixture(scope="module")
def table(url: str) -> dict[str, str]:
    """A game that is being played, so that calls do reach it."""
    values = {"name": "Ana", "bots": ["greedy"], "start": True, "pace": "none"}
    made = httpx.post(f"{url}{API}/tables", json=values).json()
    return {"code": made["table"]["code"], "token": made["token"]}


#: Where nothing can be sent, nothing wrong can.
TRIED = [
    (name, mode)
    for name, operation in sorted(OPERATIONS.items())
    for mode in GenerationMode
    if mode == GenerationMode.POSITIVE
    or operation.definition.raw.get("parameters")
    or "requestBody" in operation.definition.raw
]


@pytest.mark.parametrize(("name", "mode"), TRIED, ids=lambda value: getattr(value, "value", value))
def test_every_operation_takes_whatever_comes(
    name: str, mode: GenerationMode, url: str, table: dict[str, str]
) -> None:
    operation: Any = OPERATIONS[name]

    @given(case=operation.as_strategy(generation_mode=mode), here=st.booleans())
    @settings(
        max_examples=15,
        deadline=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def check(case: Any, here: bool) -> None:
        # Half of the calls go to a table that exists, as somebody who sits there.
        if here and "table" in (case.path_parameters or {}) and name != "delete":
            case.path_parameters["table"] = table["code"]
            case.headers = {**(case.headers or {}), "authorization": f"Bearer {table['token']}"}
        case.call_and_validate(
            base_url=f"{url}{API}", excluded_checks=[EVERY_TEXT] if name in WORDS else []
        )

    check()
