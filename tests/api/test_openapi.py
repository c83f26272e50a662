"""The API's description: complete, true in every example, and the same as the page about it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from pydantic import TypeAdapter
from tests.api import conversation
from tests.conftest import ROOT
from tests.kit.programs import API, Desk
from tests.kit.tables import asynchronous

from skyjo.web.api import schemas
from skyjo.web.api.build import create_api
from skyjo.web.api.openapi import EXAMPLES, described, examples
from skyjo.web.api.problems import ALL_CODES
from skyjo.web.api.verbs import VERBS

PAGE = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")


def description() -> dict[str, Any]:
    return described(create_api(Desk().app.state.site), API)


SCHEMA = description()
OPERATIONS = {
    operation["operationId"]: (method.upper(), path, operation)
    for path, operations in SCHEMA["paths"].items()
    for method, operation in operations.items()
}


def test_every_example_is_true() -> None:
    written = EXAMPLES.read_text(encoding="utf-8")
    assert conversation.text() == written, "run scripts/api_examples and look at what has changed"


def test_every_operation_has_an_example_and_its_place_on_the_page() -> None:
    assert set(examples()) | {"events"} == set(OPERATIONS)
    for name, (method, path, operation) in OPERATIONS.items():
        assert operation.get("description"), name
        assert f"`{method} {path}`" in PAGE, f"docs/api.md lacks `{method} {path}`"


def test_every_command_of_the_socket_is_an_operation_too() -> None:
    for name in VERBS:
        assert ("POST", f"/tables/{{table}}/{name}") in {
            (method, path) for method, path, _operation in OPERATIONS.values()
        }


def test_the_examples_are_in_the_description() -> None:
    shown = sum(
        len(content.get("examples", {}))
        for _method, _path, operation in OPERATIONS.values()
        for answer in operation["responses"].values()
        for content in answer.get("content", {}).values()
    )
    said = [each for spoken in examples().values() for each in spoken]
    assert shown == sum(bool(each["response"]["type"]) for each in said)


def test_the_examples_are_as_the_schemas_say() -> None:
    models: dict[str, Any] = {"Seated": schemas.Seated, "TableView": schemas.TableView}
    for name, said in examples().items():
        answers = OPERATIONS[name][2]["responses"]
        for each in said:
            response = each["response"]
            if response["status"] >= 400:
                TypeAdapter(schemas.ErrorAnswer).validate_python(response["json"])
            elif "json" in response:
                schema = answers[str(response["status"])]["content"]["application/json"]["schema"]
                model = models.get(schema.get("$ref", "").rpartition("/")[2])
                if model is not None:
                    TypeAdapter(model).validate_python(response["json"])


SHOWN = ("TableView", "SeatView", "GameView", "PlyView", "RoundView", "SheetView")


@pytest.mark.parametrize("name", sorted(SCHEMA["components"]["schemas"]))
def test_every_field_says_what_it_means(name: str) -> None:
    for field, schema in SCHEMA["components"]["schemas"][name].get("properties", {}).items():
        assert schema.get("description"), field
        if name in SHOWN:
            assert f"`{field}`" in PAGE, f"docs/api.md lacks `{field}`"


def test_the_codes_are_in_the_description() -> None:
    assert (
        set(SCHEMA["components"]["schemas"]["Problem"]["properties"]["code"]["enum"]) == ALL_CODES
    )


def test_no_reference_leads_nowhere() -> None:
    known = set(SCHEMA["components"]["schemas"])
    for name in re.findall(r"#/components/schemas/(\w+)", str(SCHEMA)):
        assert name in known, name


@pytest.mark.parametrize("name", ["events", "live"])
def test_the_streams_are_on_the_page(name: str) -> None:
    assert f"/tables/{{table}}/{name}" in PAGE


@asynchronous
async def test_the_description_is_served() -> None:
    assert await Desk().good("GET", "/openapi.json") == SCHEMA
