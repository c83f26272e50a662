"""One view, two renderings: the API's JSON is the scene that pages show, whole and unchanged."""

from __future__ import annotations

import json
from dataclasses import fields
from random import Random
from typing import Any

import pytest
from examples.house_bot import view_of_game
from pydantic import TypeAdapter
from tests.kit.programs import Desk
from tests.kit.tables import asynchronous

from skyjo.client.models import Game, decode
from skyjo.game import RoundResult, ScoreSheet
from skyjo.rules.layout import SLOTS, View
from skyjo.rules.plies import Line, Ply, TurnedUp
from skyjo.rules.ruleset import Ruleset
from skyjo.table.scene import Scene, SeatScene
from skyjo.web.api import schemas
from skyjo.web.api.present import table_text

TABLE = TypeAdapter(schemas.TableView)


def names(kind: type) -> set[str]:
    return {field.name for field in fields(kind)}


def shown(model: Any) -> set[str]:
    return set(model.model_fields)


def test_nothing_of_a_scene_is_left_out() -> None:
    renamed = {"table_id": "id", "view": "game"}
    assert {renamed.get(name, name) for name in names(Scene)} == shown(schemas.TableView)
    assert names(SeatScene) == shown(schemas.SeatView)
    assert names(Ply) == shown(schemas.PlyView)
    assert names(TurnedUp) == shown(schemas.TurnedUpView)
    assert names(Line) == shown(schemas.LineView)
    assert names(RoundResult) == shown(schemas.RoundView)
    # The players are in the seats already.
    assert names(ScoreSheet) - {"players"} == shown(schemas.SheetView)
    # The number of seats is the length of every list.
    view = {name for name, _length, _size in View.FIELDS} - {"seats"}
    assert {"cells" if name == "grids" else name for name in shown(schemas.GameView)} == view


def view_from(game: dict[str, Any], ruleset: str) -> View:
    """The view again, from the JSON alone."""
    return view_of_game(decode(Game, game), Ruleset.parse(ruleset))


@pytest.mark.parametrize(
    ("ruleset", "seed"),
    [
        ("official max_rounds=2 target=1000", 1),
        ("family-facedown max_rounds=1", 2),
        ("official column_removal=player_choice max_rounds=1", 3),
        ("plain row_removal=on turn_limit=9 max_rounds=2", 4),
    ],
)
@asynchronous
async def test_a_whole_game_as_the_schema_says(ruleset: str, seed: int) -> None:
    desk = Desk(seed=seed)
    rng = Random(seed)
    tokens = {}
    made = await desk.good("POST", "/tables", {"name": "Ana", "ruleset": ruleset, "pace": "none"})
    code = made["table"]["code"]
    tokens["Ana"] = made["token"]
    for name in ("Ben", "Cleo"):
        tokens[name] = (await desk.good("POST", f"/tables/{code}/join", {"name": name}))["token"]
    await desk.good("POST", f"/tables/{code}/add-bot", {"bot": "any"}, token=tokens["Ana"])
    await desk.good("POST", f"/tables/{code}/start", token=tokens["Ana"])
    left = False
    for step in range(5000):
        await desk.settle()
        tables = {}
        for name, token in [("", ""), *tokens.items()]:
            text = (await desk.call("GET", f"/tables/{code}", token=token)).text
            TABLE.validate_json(text)
            tables[name] = json.loads(text)
            if step % 10 == 0:
                await same_as_the_scene(desk, token, tables[name], text)
        if tables[""]["phase"] == "over":
            break
        ready = [name for name in tokens if tables[name]["may_ready"]]
        acting = [name for name in tokens if tables[name]["acting"] is not None]
        name = rng.choice(acting or ready)
        seen = tables[name]
        if step > 60 and not left and acting:
            left = True
            body = {"seat": seen["mine"][0], "version": seen["version"]}
            await desk.good("POST", f"/tables/{code}/leave", body, token=tokens[name])
        elif acting:
            body = {
                "seat": seen["acting"],
                "action": rng.choice(seen["legal"]),
                "version": seen["version"],
            }
            await desk.good("POST", f"/tables/{code}/act", body, token=tokens[name])
        else:
            body = {"seat": seen["may_ready"][0], "version": seen["version"]}
            await desk.good("POST", f"/tables/{code}/ready", body, token=tokens[name])
    else:
        raise AssertionError("the game never ended")
    assert tables[""]["sheet"]["winners"]
    assert left


async def same_as_the_scene(desk: Desk, token: str, seen: dict[str, Any], text: str) -> None:
    """The JSON is made from the scene, and a program can rebuild the view that bots need."""
    secret = desk.app.state.site.sessions.value("api", token) if token else None
    scene = await desk.authority.scene(seen["id"], secret)
    assert table_text(scene) == text
    assert scene.view is not None
    again = view_from(seen["game"], seen["ruleset"])
    for name, length, _size in View.FIELDS:
        own, other = getattr(scene.view, name), getattr(again, name)
        if name == "cells":
            size = scene.view.seats * SLOTS
            own, other = own[:size], other[:size]
        elif length == 8:
            own, other = own[: scene.view.seats], other[: scene.view.seats]
        assert own == other, name
