"""Play at a skyjo server from a program.

A bot that joins a table::

    import random
    from skyjo.client import Client

    with Client("http://192.168.1.5:8000") as client:
        seat = client.join("ABCD1234", "Robo")
        for table in seat.watch():
            if table.legal:
                seat.act(random.choice(table.legal), table)
            elif table.may_ready:
                seat.ready(table)

``AsyncClient`` does the same with ``await``. Everything that the server shows arrives as frozen
dataclasses (``Table``, ``Game``, ``SeatInfo`` ...); what it refuses is raised as the errors of
``skyjo.errors``, or as ``ServerError`` with its stable code. See ``docs/api.md``.
"""

from __future__ import annotations

from skyjo.client.asynchronous import AsyncClient, AsyncSeat
from skyjo.client.blocking import Client, Seat
from skyjo.client.errors import ServerError, UnreachableError
from skyjo.client.models import (
    Bot,
    Game,
    Head,
    Line,
    Ply,
    Round,
    Rulesets,
    SeatInfo,
    Service,
    Sheet,
    Table,
    TurnedUp,
)

__all__ = [
    "AsyncClient",
    "AsyncSeat",
    "Bot",
    "Client",
    "Game",
    "Head",
    "Line",
    "Ply",
    "Round",
    "Rulesets",
    "Seat",
    "SeatInfo",
    "ServerError",
    "Service",
    "Sheet",
    "Table",
    "TurnedUp",
    "UnreachableError",
]
