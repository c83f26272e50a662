"""The server's secret key: made at the first start, readable by its owner only."""

from __future__ import annotations

import os
import re
import secrets
from pathlib import Path

from skyjo.errors import SkyjoError
from skyjo.i18n import N_

NAME = "secret.key"
_FORM = re.compile(r"[0-9a-f]{64}")


def load_or_make(folder: Path) -> str:
    """The key kept in a folder (64 hexadecimal digits), made there if there is none yet.

    A key that others could read is closed to them. Raises SkyjoError when the file holds no key:
    it is not replaced silently, because everybody would lose their seats.
    """
    path = folder / NAME
    try:
        text = path.read_text(encoding="ascii", errors="replace").strip()
    except FileNotFoundError:
        return _make(path)
    if not _FORM.fullmatch(text):
        raise SkyjoError(
            N_(
                "{path} holds no key. Restore it from a backup, or delete it: a new one is made,"
                " and everybody has to take their seats again by their personal links."
            ),
            path=path,
        )
    if path.stat().st_mode & 0o077:
        path.chmod(0o600)
    return text


def _make(path: Path) -> str:
    """Write a new key; whoever is first wins, and nobody ever sees half a file."""
    key = secrets.token_hex(32)
    partial = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(f"{key}\n")
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    return key
