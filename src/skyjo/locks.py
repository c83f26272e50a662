"""One process at a time for a file, or for a folder with a file that stands for it.

The operating system lets go of a lock when the process ends, however it ends. What remains is a
small file that nobody holds.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final

from skyjo.errors import SkyjoError

#: Where Windows, which locks bytes and keeps readers from them, is told to lock one: behind all.
_FAR: Final = 2**40


def take(file: IO[Any]) -> bool:
    """Lock an open file without waiting, until it is closed; False if somebody else has it.

    Raises OSError where there are no locks, as on some network file systems.
    """
    if sys.platform == "win32":
        import msvcrt

        file.seek(_FAR)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            file.seek(0)
        return True
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def holding(path: Path, otherwise: str, /, **values: object) -> Iterator[None]:
    """Hold the file ``path``, which is made if it is not there, as long as the block runs.

    Raises SkyjoError with the message ``otherwise`` (marked with ``N_``), its ``values`` and
    ``holder``, a computer and the number of a process, when somebody else holds it. Where there
    are no locks it holds nothing.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "lock"
    >>> with holding(path, "taken"), holding(path, "{path} is taken", path=path.name):
    ...     pass
    Traceback (most recent call last):
    ...
    skyjo.errors.SkyjoError: lock is taken
    """
    with path.open("a+", encoding="utf-8") as file:
        if not _taken(file):
            file.seek(0)
            raise SkyjoError(otherwise, holder=file.readline().strip() or "?", **values)
        file.truncate(0)
        file.write(f"{socket.gethostname()}, {os.getpid()}\n")
        file.flush()
        yield


def _taken(file: IO[Any]) -> bool:
    try:
        return take(file)
    except OSError:
        return True
