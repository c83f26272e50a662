"""A finished game, step by step, for anyone with its link; and its record to download."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.responses import Response

from skyjo.game import Game
from skyjo.record import positions
from skyjo.rules.plies import Deal, Ply
from skyjo.table.errors import refused
from skyjo.table.model import Phase
from skyjo.table.present import folded
from skyjo.web.answers import as_file
from skyjo.web.site import Site, VisitOf
from skyjo.web.tablepage import REPLAY

router = APIRouter(prefix="/replay/{token}")


#: Finished games that are kept in memory; they never change any more.
KEPT: Final = 32
_finished: OrderedDict[str, Game] = OrderedDict()
#: How often something has been deleted.
_deletions: Final = [0]


@dataclass(frozen=True, slots=True)
class Step:
    """A place in a game: a fresh deal (``ply`` is None) or the ply that led there."""

    game: Game
    ply: Ply | None


@router.get("")
async def replay(visit: VisitOf, token: str, at: int = 0) -> Response:
    """The game after so many steps; a step is a deal or a ply."""
    game = await finished(visit.site, token)
    steps = [entry for entry in game.log if isinstance(entry, Deal | Ply)]
    last = len(steps) - 1
    at = min(max(at, 0), last)
    here = step(game, at)
    base = f"/replay/{token}"
    return visit.page(
        "replay.html",
        view=here.game.view(),
        names=list(game.players),
        at=at,
        last=last,
        ply=here.ply,
        round=here.game.state.round,
        sheet=here.game.score_sheet,
        rounds=[(entry.round, n) for n, entry in enumerate(steps) if isinstance(entry, Deal)],
        base=base,
        record=f"{base}/record",
    )


@router.get("/record")
async def record(visit: VisitOf, token: str) -> Response:
    """The record of a finished game, as a file."""
    table_id = id_of(visit.site, token)
    await finished(visit.site, token)
    return as_file(await visit.authority.record(table_id), "game")


def id_of(site: Site, token: str) -> str:
    """The table that a link leads to; 404 for a link that is not ours."""
    table_id = site.sessions.value(REPLAY, token)
    if table_id is None:
        raise HTTPException(HTTPStatus.NOT_FOUND)
    return table_id


async def finished(site: Site, token: str) -> Game:
    """The finished game that a link leads to."""
    table_id = id_of(site, token)
    if table_id not in _finished:
        deletions = _deletions[0]
        stored = await site.authority.store.events(table_id)
        if not stored:
            raise HTTPException(HTTPStatus.NOT_FOUND)
        table = folded(table_id, stored)
        if table.phase != Phase.OVER or table.game is None:
            raise refused("not_over")
        if deletions != _deletions[0]:
            return table.game  # what was deleted while it was read is not kept
        _finished[table_id] = table.game
        if len(_finished) > KEPT:
            _finished.popitem(last=False)
    return _finished[table_id]


def let_go(table_id: str) -> None:
    """Something about a table was deleted: what is kept of it in memory must not live on."""
    _finished.pop(table_id, None)
    _deletions[0] += 1


def step(game: Game, at: int) -> Step:
    """The game as it was after step number ``at``, from 0."""
    number = -1
    for entry, now in positions(game):
        if isinstance(entry, Deal | Ply):
            number += 1
        if number == at:
            return Step(now, entry if isinstance(entry, Ply) else None)
    raise IndexError(at)
