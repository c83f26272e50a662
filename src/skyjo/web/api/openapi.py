"""The OpenAPI description, with examples that a test plays again."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from skyjo.web.api.problems import ALL_CODES

#: A conversation with a server, written by ``scripts/api_examples``.
EXAMPLES: Final = Path(__file__).parent / "examples.json"

DESCRIPTION: Final = """\
Play at a table from a program. Who makes a table or joins one gets a token, and sends it from then
on as `Authorization: Bearer TOKEN`. Seats are numbered from 0. Every answer shows a table as the
caller may see it; nothing hidden is in it. A command that is refused has changed nothing.
"""


@cache
def examples() -> dict[str, list[dict[str, Any]]]:
    """What was said in the examples, by operation: requests with their answers."""
    found: dict[str, list[dict[str, Any]]] = {}
    for each in json.loads(EXAMPLES.read_text(encoding="utf-8")):
        found.setdefault(each["operation"], []).append(each)
    return found


def described(api: FastAPI, path: str) -> dict[str, Any]:
    """OpenAPI 3.1 for the whole API."""
    schema = get_openapi(
        title="skyjo",
        version=api.version,
        openapi_version="3.1.0",
        description=DESCRIPTION,
        routes=api.routes,
        servers=[{"url": path}],
    )
    parts = schema["components"]
    parts["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    parts["schemas"]["Problem"]["properties"]["code"]["enum"] = sorted(ALL_CODES)
    for unused in ("HTTPValidationError", "ValidationError"):
        parts["schemas"].pop(unused, None)
    for operations in schema["paths"].values():
        for operation in operations.values():
            _complete(operation)
    return schema


def _complete(operation: dict[str, Any]) -> None:
    # What cannot be read is answered with 400, like every other mistake of the caller.
    operation["responses"].pop("422", None)
    for status in ("4XX", "5XX"):
        # Also where the answer is a text or a stream, an error is JSON.
        (content,) = operation["responses"][status]["content"].values()
        operation["responses"][status]["content"] = {"application/json": content}
    if operation["tags"] != ["server"]:
        operation["security"] = [{"token": []}, {}]
    for number, example in enumerate(examples().get(operation["operationId"], []), 1):
        name = f"example{number}"
        body = example["request"].get("json")
        if body is not None and "requestBody" in operation:
            content = operation["requestBody"]["content"]["application/json"]
            content.setdefault("examples", {})[name] = _example(example, body)
        status = str(example["response"]["status"])
        answer = operation["responses"].get(status) or operation["responses"][f"{status[0]}XX"]
        for kind, content in answer.get("content", {}).items():
            value = example["response"].get("json", example["response"].get("text"))
            if kind == example["response"]["type"]:
                content.setdefault("examples", {})[name] = _example(example, value)


def _example(example: dict[str, Any], value: Any) -> dict[str, Any]:
    return {"summary": example["says"], "value": value}
