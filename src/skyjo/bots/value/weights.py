"""The weights of a network: a file in the package, and the row of numbers that bots get.

A file is a NumPy archive with the tables ``w``, ``o`` and ``b`` in half precision, and ``about``:
a JSON text that says how they were trained.
"""

from __future__ import annotations

import importlib.resources
import io
import json
import tokenize
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

from skyjo.bots.value.layout import (
    ACTIVE,
    DEEP_AT,
    EXACT_AT,
    HEADER,
    HEADS,
    NOTES,
    ROWS,
    SPACE_ROWS,
    STAGES,
    WIDTH_AT,
    Array,
    size,
)
from skyjo.errors import SkyjoError
from skyjo.i18n import N_

#: The version of the layout; a file of another one is refused.
LAYOUT: Final = 1

#: How the names of files of weights end.
ENDING: Final = ".npz"

#: All that comes of reading an archive that is damaged or of another kind.
DAMAGED: Final = (
    OSError,
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    EOFError,
    SyntaxError,
    RuntimeError,
    MemoryError,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """A network: first layer, output weights, biases, and how it was made."""

    w: Array
    o: Array
    b: Array
    about: Mapping[str, Any]

    @property
    def width(self) -> int:
        """The number of hidden units."""
        return int(self.w.shape[1])


@dataclass(frozen=True, slots=True)
class Net:
    """The arguments of ``look.choose_action`` after the view, the chance and ``exact``."""

    w: Array
    o: Array
    b: Array
    x: Array
    f: Array
    n: Array

    def parts(self) -> tuple[Array, ...]:
        """All of them in their order."""
        return self.w, self.o, self.b, self.x, self.f, self.n


def net_of(weights: Weights) -> Net:
    """A network with working space of its own; every thread needs one."""
    return Net(
        weights.w,
        weights.o,
        weights.b,
        np.zeros((SPACE_ROWS, weights.width), np.float32),
        np.zeros((2, ACTIVE), np.float32),
        np.zeros(NOTES, np.float32),
    )


def random_weights(width: int, seed: int) -> Weights:
    """A network that knows nothing yet; ``width`` is a multiple of eight.

    >>> random_weights(16, 1).w.shape[1]
    16
    """
    if width % 8 or width < 8:
        raise SkyjoError(N_("the hidden layer has a multiple of 8 units, not {width}"), width=width)
    rng = np.random.default_rng(seed)
    w = rng.normal(0, 0.12, (ROWS, width)).astype(np.float32)
    o = rng.normal(0, 0.3 / np.sqrt(width), (STAGES * HEADS, width)).astype(np.float32)
    return Weights(w, o, np.zeros(STAGES * HEADS, np.float32), {})


def as_bytes(weights: Weights) -> bytes:
    """The text of a file of weights."""
    written = io.BytesIO()
    about = json.dumps({**weights.about, "layout": LAYOUT}, sort_keys=True)
    np.savez_compressed(
        written,
        w=weights.w.astype(np.float16),
        o=weights.o.astype(np.float16),
        b=weights.b,
        about=np.array(about),
    )
    return written.getvalue()


def from_bytes(text: bytes) -> Weights:
    """The inverse of ``as_bytes``. Raises SkyjoError for anything else.

    >>> from_bytes(as_bytes(random_weights(8, 1))).width
    8
    """
    try:
        with np.load(io.BytesIO(text), allow_pickle=False) as found:
            about = dict(json.loads(str(found["about"])))
            parts = [np.ascontiguousarray(found[name], np.float32) for name in "wob"]
        if not all(np.isfinite(part).all() for part in parts):
            raise ValueError
    except DAMAGED as wrong:
        raise SkyjoError(N_("this is no file of weights, or it is damaged")) from wrong
    w, o, b = parts
    if about.get("layout") != LAYOUT or not fit_together(w, o, b):
        raise SkyjoError(N_("these weights belong to another version of skyjo"))
    return Weights(w, o, b, about)


def fit_together(w: Array, o: Array, b: Array) -> bool:
    """Whether these are the tables of a network as this version makes them."""
    if w.ndim != 2 or w.shape[0] != ROWS or w.shape[1] < 8 or w.shape[1] % 8:
        return False
    return (o.shape, b.shape) == ((STAGES * HEADS, w.shape[1]), (STAGES * HEADS,))


def load(name: str = "main") -> Weights:
    """Weights that come with the package, or those of a file (a name that ends with ``.npz``).

    A file is read once, and again when it has been written anew. Raises SkyjoError, which names
    them.
    """
    return _read(name, _version(name))


#: How a file is told from one of the same name that was written later; "" stands for the package.
Version: TypeAlias = tuple[str, int, int, int] | str


def _version(name: str) -> Version:
    if not name.endswith(ENDING):
        return ""
    path = Path(name).absolute()
    try:
        found = path.stat()
    except OSError as missing:
        raise _cannot_read(name) from missing
    return str(path), found.st_ino, found.st_mtime_ns, found.st_size


@lru_cache(maxsize=8)
def _read(name: str, version: Version) -> Weights:
    folder = importlib.resources.files("skyjo.bots.value") / "data"
    file = Path(name) if version else folder / f"{name}{ENDING}"
    try:
        return from_bytes(file.read_bytes())
    except OSError as missing:
        raise _cannot_read(name) from missing
    except SkyjoError as wrong:
        raise SkyjoError(N_("{name}: {problem}"), name=name, problem=wrong) from wrong


def _cannot_read(name: str) -> SkyjoError:
    return SkyjoError(
        N_("cannot read the weights {name}; give main, or a file whose name ends with .npz"),
        name=name,
    )


def numbers_of(weights: Weights, *, exact: bool, deep: bool = False) -> Array:
    """The row of numbers of a bot: a header, the weights, and space to work in."""
    row = np.zeros(size(weights.width), np.float32)
    row[WIDTH_AT] = weights.width
    row[EXACT_AT] = exact
    row[DEEP_AT] = deep
    flat = np.concatenate([weights.w.ravel(), weights.o.ravel(), weights.b])
    row[HEADER : HEADER + len(flat)] = flat
    return row


def numbers(name: str = "main", *, exact: bool = True, deep: bool = False) -> tuple[float, ...]:
    """``numbers_of`` the weights that ``load`` finds, as a bot wants them."""
    return _row(load(name), exact, deep)


@lru_cache(maxsize=4)
def _row(weights: Weights, exact: bool, deep: bool) -> tuple[float, ...]:
    return tuple(numbers_of(weights, exact=exact, deep=deep).tolist())
