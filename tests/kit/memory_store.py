"""A store in memory, for tests that need thousands of tables in a second.

It keeps JSON texts as the real one does; ``tests/store`` holds both to the same contract.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from skyjo.errors import StaleError
from skyjo.table.ports import ExistsError, Head, Stored


class MemoryStore:
    def __init__(self) -> None:
        self._heads: dict[str, Head] = {}
        self._events: dict[str, list[tuple[float, str]]] = {}
        self._holders: dict[str, frozenset[str]] = {}

    async def create(
        self, head: Head, events: Sequence[Mapping[str, Any]], holders: frozenset[str]
    ) -> None:
        if head.id in self._heads:
            raise ExistsError("id")
        if any(other.code == head.code for other in self._heads.values()):
            raise ExistsError("code")
        self._heads[head.id] = head
        self._events[head.id] = [(head.created, json.dumps(event)) for event in events]
        self._holders[head.id] = holders

    async def append(
        self,
        table_id: str,
        expected: int,
        at: float,
        events: Sequence[Mapping[str, Any]],
        *,
        phase: str,
        holders: frozenset[str] | None = None,
    ) -> None:
        head = self._heads.get(table_id)
        if head is None or head.version != expected:
            raise StaleError("moved on")
        self._events[table_id] += [(at, json.dumps(event)) for event in events]
        self._heads[table_id] = replace(
            head, version=expected + len(events), phase=phase, active=at
        )
        if holders is not None:
            self._holders[table_id] = holders

    async def events(self, table_id: str, after: int = 0) -> list[Stored]:
        rows = self._events.get(table_id, [])
        return [
            Stored(version, at, json.loads(data))
            for version, (at, data) in enumerate(rows, 1)
            if version > after
        ]

    async def find(self, code: str) -> Head | None:
        return next((head for head in self._heads.values() if head.code == code), None)

    async def heads(self, table_ids: Sequence[str]) -> list[Head]:
        return self._sorted(self._heads[each] for each in set(table_ids) if each in self._heads)

    async def held_by(self, holder: str, limit: int = 100) -> list[Head]:
        held = (self._heads[each] for each, who in self._holders.items() if holder in who)
        return self._sorted(held)[:limit]

    async def delete(self, table_ids: Sequence[str]) -> int:
        found = [each for each in table_ids if each in self._heads]
        for each in found:
            del self._heads[each], self._events[each], self._holders[each]
        return len(found)

    async def delete_untouched(self, table_ids: Sequence[str], before: float) -> list[str]:
        old = [each for each in table_ids if self._heads[each].active < before]
        await self.delete(old)
        return old

    async def rewrite(
        self,
        table_id: str,
        change: Callable[[Mapping[str, Any]], Mapping[str, Any]],
        holders: frozenset[str] | None = None,
    ) -> None:
        rows = self._events[table_id]
        rows[:] = [(at, json.dumps(change(json.loads(data)))) for at, data in rows]
        if holders is not None:
            self._holders[table_id] &= holders

    async def untouched(self, before: float, limit: int) -> list[str]:
        heads = sorted(self._heads.values(), key=lambda head: head.active)
        return [head.id for head in heads if head.active < before][:limit]

    async def close(self) -> None:
        pass

    @staticmethod
    def _sorted(heads: Any) -> list[Head]:
        return sorted(heads, key=lambda head: (-head.active, head.id))
