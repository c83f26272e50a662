"""The store: every table's events in SQLite or PostgreSQL, with the migrations of older files.

It knows SQL and neither HTTP nor the rules. ``open_store`` gives what ``skyjo.table.ports.Store``
asks for.
"""

from skyjo.store.owner import DatabaseInUseError, only_server
from skyjo.store.sql import SqlStore, open_store, shown_url

__all__ = ["DatabaseInUseError", "SqlStore", "only_server", "open_store", "shown_url"]
