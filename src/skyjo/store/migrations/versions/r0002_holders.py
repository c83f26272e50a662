"""Who has a seat where, so that somebody's tables are found without reading all events."""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the table and fill it from the events that there are."""
    holders = op.create_table(
        "holders",
        sa.Column("holder", sa.String(64), primary_key=True),
        sa.Column("table_id", sa.String(40), sa.ForeignKey("tables.id"), primary_key=True),
        sqlite_with_rowid=False,
    )
    op.create_index("holders_table_id", "holders", ["table_id"])
    rows = _rows(op.get_bind())
    if rows:
        op.bulk_insert(holders, rows)


def _rows(connection: sa.Connection) -> list[dict[str, str]]:
    """The holders of all tables, as the events of that time name them."""
    seats: dict[tuple[str, int], set[str]] = {}
    stored = connection.execute(
        sa.text(
            "SELECT table_id, data FROM events WHERE data LIKE '%holder%'"
            " OR data LIKE '%seat_freed%' OR data LIKE '%started%' ORDER BY table_id, version"
        )
    )
    started: set[str] = set()
    for table_id, data in stored:
        event = json.loads(data)
        seat = (table_id, event.get("key", -1))
        match event["event"]:
            case "started":
                started.add(table_id)
            case "seat_taken":
                seats[seat] = set(event["holders"])
            case "holder_added":
                seats[seat].add(event["holder"])
            case "link_renewed":
                seats[seat] = {event["holder"]}
            case "seat_freed" if table_id not in started:
                del seats[seat]
    found = {(holder, table) for (table, _key), held in seats.items() for holder in held}
    return [{"holder": holder, "table_id": table} for holder, table in sorted(found)]
