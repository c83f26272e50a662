"""Tables over HTTP: make, join, look, act, leave, and everything else that pages can do."""

from __future__ import annotations

import asyncio
import time
from dataclasses import asdict
from http import HTTPStatus
from io import BytesIO
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Query
from pydantic import BaseModel
from starlette.responses import PlainTextResponse, Response

from skyjo.record import TextReader, record_json
from skyjo.table import commands as ask
from skyjo.table.authority import Joined
from skyjo.table.keys import new_secret
from skyjo.web.api import schemas as form
from skyjo.web.api.access import CallerOf, TableOf, find_table, is_hoster, needs_secret, token_of
from skyjo.web.api.answers import dumps, json_answer
from skyjo.web.api.present import table_text
from skyjo.web.api.verbs import VERBS
from skyjo.web.site import Visit

router = APIRouter(prefix="/tables", tags=["tables"])

_CREATED = HTTPStatus.CREATED


@router.post("", response_model=form.Seated, status_code=_CREATED)
async def create(caller: CallerOf, body: form.NewTable) -> Response:
    """Make a table; its first seat is the caller's, who is the host.

    Without a token the answer brings a new one.
    """
    secret = caller.secret or new_secret()
    joined = await caller.authority.create(
        secret,
        body.name,
        ruleset=body.ruleset,
        bots=body.bots,
        pace=body.pace,
        start=body.start,
    )
    return await seated(caller, secret, joined, _CREATED)


@router.get("", response_model=list[form.TableHead])
async def mine(caller: CallerOf) -> Response:
    """The tables at which the caller has or had a seat, last active first."""
    heads = await caller.authority.mine(needs_secret(caller))
    return json_answer(dumps([_without_kind(asdict(head)) for head in heads]))


def _without_kind(head: dict[str, Any]) -> dict[str, Any]:
    del head["kind"]
    return head


@router.get("/{table}", response_model=form.TableView)
async def look(caller: CallerOf, table: TableOf) -> Response:
    """What the caller may see and do now; without a token what every onlooker may see."""
    head = await find_table(caller, table)
    await caller.authority.touch(head.id, caller.secret)
    return await view_of(caller, caller.secret, head.id)


@router.get(
    "/{table}/record",
    response_class=PlainTextResponse,
    responses={HTTPStatus.OK: {"content": {"application/json": {"schema": {"type": "object"}}}}},
)
async def record(
    caller: CallerOf,
    table: TableOf,
    form_name: Annotated[Literal["text", "json"], Query(alias="form")] = "text",
) -> Response:
    """The game so far as a record, as the caller may know it; when it is over with all cards."""
    head = await find_table(caller, table)
    text = await caller.authority.record(head.id, caller.secret)
    if form_name == "text":
        return PlainTextResponse(text)
    return json_answer(await asyncio.to_thread(_as_json, text))


def _as_json(text: str) -> str:
    read = next(TextReader(BytesIO(text.encode())).records())
    return record_json(read.game, read.tags)


# --- seats ------------------------------------------------------------------------------------


@router.post("/{table}/join", response_model=form.Seated, status_code=_CREATED)
async def join(caller: CallerOf, table: TableOf, body: form.NewSeat) -> Response:
    """Sit down in the lobby; without a token the answer brings a new one."""
    head = await find_table(caller, table)
    secret = caller.secret or new_secret()
    if body.another:
        joined = await caller.authority.do(head.id, secret, ask.Join(body.name))
    else:
        joined = await caller.authority.join(head.code, secret, body.name)
    return await seated(caller, secret, joined, _CREATED)


@router.post("/{table}/claim", response_model=form.Seated, status_code=_CREATED)
async def claim(caller: CallerOf, table: TableOf, body: form.Claim) -> Response:
    """Play a seat by its personal link, beside the devices that have it already."""
    head = await find_table(caller, table)
    secret = caller.secret or new_secret()
    link = body.link.rstrip("/").rpartition("/")[2]
    joined = await caller.authority.claim(head.id, secret, link)
    return await seated(caller, secret, joined, _CREATED)


@router.get("/{table}/link", response_model=form.Link)
async def link(caller: CallerOf, table: TableOf, seat: Annotated[int, Query()] = 0) -> Response:
    """The personal link of one of the caller's seats."""
    head = await find_table(caller, table)
    token = await caller.authority.personal_link(head.id, needs_secret(caller), seat)
    return json_answer(dumps({"link": f"{caller.address}/t/{head.code}/seat/{token}"}))


# --- commands ---------------------------------------------------------------------------------


@router.post("/{table}/act", response_model=form.TableView)
async def act(caller: CallerOf, table: TableOf, body: form.ActIn) -> Response:
    """Play an action. A version older than the decision is refused as `stale`."""
    return await perform(caller, table, "act", body)


@router.post("/{table}/ready", response_model=form.TableView)
async def ready(caller: CallerOf, table: TableOf, body: form.SeatIn) -> Response:
    """Go on with the next round; it is dealt when everybody who is here is ready."""
    return await perform(caller, table, "ready", body)


@router.post("/{table}/leave", response_model=form.TableView)
async def leave(caller: CallerOf, table: TableOf, body: form.SeatIn) -> Response:
    """Leave the lobby, the running game for good, or the coming rematch."""
    return await perform(caller, table, "leave", body)


@router.post("/{table}/stand-in", response_model=form.TableView)
async def stand_in(caller: CallerOf, table: TableOf, body: form.SeatIn) -> Response:
    """Let a bot play: for oneself, or for somebody who is away or has not moved for long."""
    return await perform(caller, table, "stand-in", body)


@router.post("/{table}/back", response_model=form.TableView)
async def back(caller: CallerOf, table: TableOf, body: form.SeatIn) -> Response:
    """Play oneself again."""
    return await perform(caller, table, "back", body)


@router.post("/{table}/start", response_model=form.TableView)
async def start(
    caller: CallerOf, table: TableOf, body: Annotated[form.Nothing | None, Body()] = None
) -> Response:
    """The host begins the game."""
    return await perform(caller, table, "start", body or form.Nothing())


@router.post("/{table}/add-bot", response_model=form.TableView)
async def add_bot(caller: CallerOf, table: TableOf, body: form.BotIn) -> Response:
    """The host puts a bot on the next free seat."""
    return await perform(caller, table, "add-bot", body)


@router.post("/{table}/remove", response_model=form.TableView)
async def remove(caller: CallerOf, table: TableOf, body: form.SeatIn) -> Response:
    """The host frees a seat of the lobby."""
    return await perform(caller, table, "remove", body)


@router.post("/{table}/rename", response_model=form.TableView)
async def rename(caller: CallerOf, table: TableOf, body: form.NameIn) -> Response:
    """Another name for one's own seat, in the lobby."""
    return await perform(caller, table, "rename", body)


@router.post("/{table}/ruleset", response_model=form.TableView)
async def ruleset(caller: CallerOf, table: TableOf, body: form.RulesetIn) -> Response:
    """The host chooses the rules, in the lobby."""
    return await perform(caller, table, "ruleset", body)


@router.post("/{table}/pace", response_model=form.TableView)
async def pace(caller: CallerOf, table: TableOf, body: form.PaceIn) -> Response:
    """The host chooses how long bots wait before they move."""
    return await perform(caller, table, "pace", body)


@router.post("/{table}/hand-over", response_model=form.TableView)
async def hand_over(caller: CallerOf, table: TableOf, body: form.SeatIn) -> Response:
    """The host makes another person the host."""
    return await perform(caller, table, "hand-over", body)


@router.post("/{table}/take-host", response_model=form.TableView)
async def take_host(caller: CallerOf, table: TableOf, body: form.SeatIn) -> Response:
    """Become the host while the host is away or does nothing."""
    return await perform(caller, table, "take-host", body)


@router.post("/{table}/renew-link", response_model=form.TableView)
async def renew_link(caller: CallerOf, table: TableOf, body: form.SeatIn) -> Response:
    """Void the personal link of one's seat, and put all other devices off it."""
    return await perform(caller, table, "renew-link", body)


@router.post("/{table}/rematch", response_model=form.Seated, status_code=_CREATED)
async def rematch(caller: CallerOf, table: TableOf, body: form.RematchIn) -> Response:
    """Another game with the same people; whoever asks later comes to the same table."""
    head = await find_table(caller, table)
    secret = needs_secret(caller)
    table_id = await caller.authority.rematch(
        head.id, secret, leave_out_absent=body.leave_out_absent
    )
    scene = await caller.authority.scene(table_id, secret)
    seat = next(iter(scene.mine), -1)
    return await seated(caller, secret, Joined(table_id, seat, scene.version), _CREATED)


# --- deleting ---------------------------------------------------------------------------------


@router.delete("/{table}", status_code=HTTPStatus.NO_CONTENT, response_class=Response)
async def delete(caller: CallerOf, table: TableOf) -> Response:
    """Delete a table with everything that is stored about it, for ever.

    Its host may, in the lobby, after the game, and while nobody else plays.
    """
    if is_hoster(caller, time.time()):
        await caller.site.upkeep.delete_anything(table)
    else:
        head = await find_table(caller, table)
        await caller.site.upkeep.delete(head.id, needs_secret(caller))
    return Response(status_code=HTTPStatus.NO_CONTENT)


@router.post("/{table}/forget", response_model=form.TableView)
async def forget(caller: CallerOf, table: TableOf, body: form.ForgetIn) -> Response:
    """Take the name and the devices of one's seat out of a table, also out of its record.

    Possible once one has left or the game is over. The seat is a number from then on.
    """
    head = await find_table(caller, table)
    hoster = is_hoster(caller, time.time())
    secret = None if hoster else needs_secret(caller)
    await caller.site.upkeep.forget_person(head.id, body.seat, secret)
    return await view_of(caller, caller.secret, head.id)


# --- answers ----------------------------------------------------------------------------------


async def perform(caller: Visit, table: str, verb: str, body: BaseModel) -> Response:
    """Carry out a command, and show the table as it is then."""
    head = await find_table(caller, table)
    secret = needs_secret(caller)
    done = await caller.authority.do(head.id, secret, VERBS[verb].make(body))
    return await view_of(caller, secret, head.id, done.version)


async def view_of(caller: Visit, secret: str | None, table_id: str, at_least: int = 0) -> Response:
    """What a caller may see of a table."""
    scene = await caller.authority.scene(table_id, secret, at_least=at_least)
    return json_answer(table_text(scene))


async def seated(caller: Visit, secret: str, joined: Joined, status: HTTPStatus) -> Response:
    """Where the caller sits now, and the token that proves it."""
    scene = await caller.authority.scene(joined.table_id, secret, at_least=joined.version)
    head = dumps({"token": token_of(caller.site, secret), "seat": joined.seat})
    return json_answer(f'{head[:-1]},"table":{table_text(scene)}}}', status)
