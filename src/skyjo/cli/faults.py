"""Faults of files and of usage, told in sentences in the reader's language."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import click

from skyjo.errors import SkyjoError
from skyjo.i18n import N_, _

#: The operating system says these in English only.
_REASONS: Final = {
    errno.EEXIST: N_("there is a file of this name already"),
    errno.ENOENT: N_("there is no such file or folder"),
    errno.EACCES: N_("you are not allowed to do that here"),
    errno.EPERM: N_("you are not allowed to do that here"),
    errno.EISDIR: N_("this is a folder, not a file"),
    errno.ENOTDIR: N_("this is a file, not a folder"),
    errno.ENOSPC: N_("there is no space left"),
    errno.EROFS: N_("nothing can be written here"),
    errno.EBADF: N_("it is closed"),
}
#: Faults that only writing has.
NOT_WRITTEN: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def why(error: OSError) -> str:
    """What the operating system has against it.

    >>> why(FileExistsError(errno.EEXIST, "File exists"))
    'there is a file of this name already'
    """
    reason = _REASONS.get(error.errno or 0)
    return _(reason) if reason else error.strerror or str(error)


@contextmanager
def as_usage() -> Iterator[None]:
    """What is wrong in here is wrong usage: it ends with status 2."""
    try:
        yield
    except SkyjoError as error:
        raise click.UsageError(str(error)) from error


def check_targets(*paths: Path | None) -> None:
    """Raise OSError for a file that could not be written, before long work is done for it.

    >>> check_targets(None, Path("no such folder/a.json"))
    Traceback (most recent call last):
    ...
    FileNotFoundError: [Errno 2] No such file or directory: 'no such folder'
    """
    for path in paths:
        if path is None:
            continue
        if not path.parent.is_dir():
            raise _error(errno.ENOTDIR if path.parent.exists() else errno.ENOENT, path.parent)
        if path.is_dir():
            raise _error(errno.EISDIR, path)
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            raise _error(errno.EACCES, path)


def _error(number: int, path: Path) -> OSError:
    return OSError(number, os.strerror(number), str(path))
