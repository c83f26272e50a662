"""Log lines for people or for programs; see ``docs/hosting.md``.

What is logged are names of routes, codes of errors, ids of tables: no tokens, cookies or links, no
names of people, no addresses, and no cards that somebody may not know.
"""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Final

FORMATS: Final = ("quiet", "text", "json")


class JsonLines(logging.Formatter):
    """One JSON object a line: time, level, logger, message, then the fields of the entry.

    >>> entry = logging.makeLogRecord({"name": "skyjo", "msg": "%s up", "args": ("all",),
    ...     "levelname": "INFO", "created": 0.0, "fields": {"ms": 1.5}})
    >>> JsonLines().format(entry)
    '{"time": "1970-01-01T00:00:00.000Z", "level": "info", "logger": "skyjo", "message": "all up",
      "ms": 1.5}'
    """

    def format(self, record: logging.LogRecord) -> str:
        """The line of an entry; a traceback is one field of it."""
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line = {
            "time": time.replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


class TextLines(logging.Formatter):
    """A line for people: time, level, message, then the fields.

    >>> entry = logging.makeLogRecord({"name": "skyjo", "msg": "up", "levelname": "INFO",
    ...     "created": 0.0, "fields": {"ms": 1.5}})
    >>> TextLines().format(entry)
    '1970-01-01 00:00:00 info skyjo: up ms=1.5'
    """

    def format(self, record: logging.LogRecord) -> str:
        """The line of an entry, with its traceback below."""
        time = datetime.fromtimestamp(record.created, UTC).strftime("%Y-%m-%d %H:%M:%S")
        fields = "".join(f" {key}={value}" for key, value in getattr(record, "fields", {}).items())
        line = f"{time} {record.levelname.lower()} {record.name}: {record.getMessage()}{fields}"
        if record.exc_info:
            line = f"{line}\n{self.formatException(record.exc_info)}"
        return line


#: What uvicorn says about the mistakes of others, as often as they make them: nonsense in the
#: place of a request, and WebSockets that we refuse with an answer.
_OF_OTHERS: Final = frozenset(
    {
        "Invalid HTTP request received.",
        "ASGI callable returned without completing handshake.",
    }
)


def is_ours(record: logging.LogRecord) -> bool:
    """Whether an entry tells something about this server, and not what strangers send to it."""
    return record.getMessage() not in _OF_OTHERS


class Seldom(logging.Filter):
    """Lets an entry that begins so pass once in so many seconds, and others always.

    When there are no files left for one more connection, asyncio says so thousands of times a
    second, which would fill the disk.
    """

    def __init__(self, beginning: str, seconds: float = 60.0) -> None:
        super().__init__()
        self._beginning = beginning
        self._seconds = seconds
        self._last = -seconds

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether this entry passes."""
        if not record.getMessage().startswith(self._beginning):
            return True
        now = record.created
        if now - self._last < self._seconds:
            return False
        self._last = now
        return True


def configure(kind: str) -> None:
    """Send the entries of this process to standard error.

    ``kind`` is one of ``FORMATS``; "quiet" is text with warnings and errors only.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if kind == "json" else TextLines())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger("uvicorn.error").addFilter(is_ours)
    logging.getLogger("asyncio").addFilter(Seldom("socket.accept() out of system resource"))
    if kind != "quiet":
        logging.getLogger("skyjo").setLevel(logging.INFO)
