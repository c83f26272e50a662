"""Events as JSON and back, for pads and circles alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, Final, Generic, TypeVar, cast

from skyjo.i18n import N_
from skyjo.table.errors import StoreError

#: Grows when an old program could misread a new event.
FORMAT: Final = 1

E = TypeVar("E")


class Codec(Generic[E]):
    """Writes frozen dataclasses under the names by which they are known in the store.

    What a list holds comes back as a tuple, at any depth; a field that is missing has its default.
    """

    def __init__(self, kinds: Mapping[str, Callable[..., E]]) -> None:
        self._kinds = kinds
        self._names = {kind: name for name, kind in kinds.items()}

    def encode(self, event: E) -> dict[str, Any]:
        """An event as what JSON can hold."""
        data: dict[str, Any] = {"event": self._names[type(event)], "format": FORMAT}
        for field in fields(cast(Any, event)):
            data[field.name] = getattr(event, field.name)
        return data

    def decode(self, data: Mapping[str, Any]) -> E:
        """The event that ``encode`` wrote; StoreError when it is of a newer program."""
        kind = self._kinds.get(data.get("event", ""))
        if kind is None or data.get("format", 0) > FORMAT:
            raise StoreError(N_("it was written by a newer version; update skyjo"))
        known = {field.name for field in fields(cast(Any, kind))}
        return kind(**{name: _frozen(data[name]) for name in known & set(data)})


def _frozen(value: Any) -> Any:
    return tuple(_frozen(each) for each in value) if isinstance(value, list) else value
