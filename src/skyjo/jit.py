"""Compiles kernels: the functions of the rules and of bots, as they stand, for bulk play.

A *kernel* is a plain function over whole numbers and flat objects of whole numbers (``State``,
``View``), without exceptions, classes or random numbers. The interpreter runs it over the slotted
objects; here the same code is compiled and runs over NumPy records with the same field names.
Nothing is rewritten: a kernel and everything that it calls is rebuilt on globals of its own, in
which every function is a compiled one.

This is the only module that imports numba, and it does so on first use. Machine code is kept in
the user's cache folder (``SKYJO_KERNEL_CACHE`` names another one) under a digest of all the sources
that went into it, the versions of numba and Python and the processor: numba's own cache does not
notice an edit in another file. One process compiles, those that need the same code wait for it.
With ``NUMBA_BOUNDSCHECK=1`` every index is checked, in a cache of its own.

>>> from skyjo.rules.deal import DECK, deal
>>> from skyjo.rules.layout import State
>>> from skyjo.rules.ruleset import Ruleset
>>> one = to_record(State(2, Ruleset(target=50)))
>>> one["seats"].tolist(), one["rules"]["target"].tolist()
([2], [50])
"""

from __future__ import annotations

import builtins
import contextlib
import dis
import hashlib
import os
import platform
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cache
from pathlib import Path
from types import CellType, CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, Final, cast

from skyjo.errors import SkyjoError
from skyjo.i18n import N_, _
from skyjo.rules.layout import MIN_SEATS, STATE_FIELDS, VIEW_FIELDS, State, View
from skyjo.rules.ruleset import Ruleset

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "compiled",
    "from_record",
    "new_states",
    "new_views",
    "rebuilt",
    "record_dtype",
    "state_dtype",
    "to_record",
    "view_dtype",
]

Fields = tuple[tuple[str, int, str], ...]

#: Machine code that nobody has used for this long is deleted when other code is compiled.
_KEPT_SECONDS: Final = 30 * 24 * 3600
_INTEGERS: Final = {"small": "int8", "count": "int16", "many": "int32", "points": "int64"}
_lock = threading.RLock()


# --- Records ------------------------------------------------------------------------------------


def record_dtype(
    table: Fields, nested: Mapping[str, Any] | None = None, *, small: bool = False
) -> np.dtype[Any]:
    """The record of a table of fields (``layout.STATE_FIELDS`` explains them).

    ``nested`` adds fields that are records themselves, before the others. Single numbers have 64
    bits whatever they hold, as they have in compiled code; ``small`` saves that space.

    >>> record_dtype((("turn", 0, "small"), ("totals", 8, "points"))).names
    ('turn', 'totals')
    """
    import numpy as np

    parts: list[Any] = list((nested or {}).items())
    for name, length, kind in table:
        if length:
            parts.append((name, _INTEGERS[kind], (length,)))
        else:
            parts.append((name, _INTEGERS[kind] if small else np.int64))
    return np.dtype(parts, align=True)


@cache
def _rules_dtype() -> np.dtype[Any]:
    import numpy as np

    return np.dtype([(field.name, np.int32) for field in fields(Ruleset)], align=True)


@cache
def state_dtype() -> np.dtype[Any]:
    """The record that stands for a ``State`` in compiled kernels."""
    return record_dtype(STATE_FIELDS, {"rules": _rules_dtype()})


@cache
def view_dtype() -> np.dtype[Any]:
    """The record that stands for a ``View`` in compiled kernels."""
    return record_dtype(VIEW_FIELDS, {"rules": _rules_dtype()})


def to_record(position: State | View) -> np.ndarray[Any, Any]:
    """An array of one record with everything that a state or view holds.

    Raises OverflowError when a number does not fit into its field.
    """
    import numpy as np

    record = np.zeros(1, state_dtype() if isinstance(position, State) else view_dtype())
    for name, _length, _kind in position.FIELDS:
        record[name][0] = getattr(position, name)
    for field in fields(Ruleset):
        record["rules"][field.name][0] = getattr(position.rules, field.name)
    return record


def from_record(record: np.ndarray[Any, Any], number: int = 0) -> State | View:
    """The state or view in one place of an array of records; the inverse of ``to_record``.

    >>> from skyjo.rules.ruleset import Ruleset
    >>> state = State(3, Ruleset())
    >>> from_record(to_record(state)).values() == state.values()
    True
    """
    one = record[number]
    rules = Ruleset(**{field.name: int(one["rules"][field.name]) for field in fields(Ruleset)})
    position = State(2, rules) if record.dtype == state_dtype() else View(rules)
    for name, length, _kind in position.FIELDS:
        setattr(position, name, one[name].tolist() if length else int(one[name]))
    return position


# --- Room to try things on ------------------------------------------------------------------------


def new_states(like: View) -> Sequence[State]:
    """A state with the ruleset of a view, for kernels to fill; compiled, an array of one record.

    Whoever uses the state has to hold the sequence, which owns its memory.

    >>> len(new_states(View(Ruleset())))
    1
    """
    return [State(MIN_SEATS, like.rules)]


def new_views(like: View) -> Sequence[View]:
    """Two views with the ruleset of another one, as ``new_states``."""
    return [View(like.rules), View(like.rules)]


@cache
def _room() -> Mapping[Callable[..., Any], Callable[..., Any]]:
    """What stands for these two in compiled kernels."""
    import numpy as np

    state, view = state_dtype(), view_dtype()

    def states(like: Any) -> Any:
        room = np.zeros(1, state)
        room[0].rules = like.rules
        return room

    def views(like: Any) -> Any:
        room = np.zeros(2, view)
        room[0].rules = like.rules
        room[1].rules = like.rules
        return room

    return {new_states: states, new_views: views}


# --- Rebuilding ---------------------------------------------------------------------------------

Wrap = Callable[[FunctionType], Any]
Stand = Mapping[Callable[..., Any], Callable[..., Any]]


class _Builder:
    """Rebuilds functions on fresh globals; remembers what went into them."""

    def __init__(self, wrap: Wrap, instead: Stand) -> None:
        self.wrap = wrap
        self.instead = instead
        self.done: dict[FunctionType, Any] = {}
        self.constants: dict[tuple[str, str], str] = {}

    def plain(self, function: FunctionType) -> FunctionType:
        """A copy of the function, whose globals hold wrapped functions."""
        code, old = function.__code__, function.__globals__
        fresh: dict[str, Any] = {"__name__": function.__module__, "__builtins__": builtins}
        for name in sorted(_names(code)):
            if name in old:
                fresh[name] = self.value(function, name, old[name])
        cells = tuple(
            CellType(self.value(function, name, cell.cell_contents))
            for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True)
        )
        copy = FunctionType(code, fresh, function.__name__, function.__defaults__, cells)
        copy.__qualname__ = function.__qualname__
        copy.__doc__ = function.__doc__
        return copy

    def value(self, user: FunctionType, name: str, value: Any) -> Any:
        if isinstance(value, FunctionType):
            return self.wrapped(value)
        if not isinstance(value, (ModuleType, type)):
            self.constants[user.__module__, name] = repr(value)
        return value

    def wrapped(self, function: FunctionType) -> Any:
        stand_in = cast(FunctionType, self.instead.get(function, function))
        if stand_in not in self.done:
            self.done[stand_in] = self.wrap(self.plain(stand_in))
        return self.done[stand_in]


def _names(code: CodeType) -> set[str]:
    """The global names that the code reads."""
    names = {step.argval for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL"}
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= _names(constant)
    return names


def rebuilt(function: Callable[..., Any], instead: Stand) -> Callable[..., Any]:
    """The function, interpreted, with other functions in the place of some that it calls.

    >>> from skyjo.rules.scoring import penalty_is_due, score_round
    >>> def never(rules, points, lowest_other): return False
    >>> merciful = rebuilt(score_round, {penalty_is_due: never})
    """
    return _Builder(lambda plain: plain, instead).plain(cast(FunctionType, function))


# --- Compiling ----------------------------------------------------------------------------------


def compiled(
    function: Callable[..., Any],
    *examples: Any,
    instead: Stand | None = None,
    inline: tuple[str, ...] = (),
) -> Callable[..., Any]:
    """The compiled form of a kernel for arguments of the types of these examples.

    Records are handed over in arrays, so that a kernel that is called from outside takes arrays
    of records. ``instead`` maps functions that the kernel calls to those that are to be called in
    their place. Functions of the modules ``inline`` (and below them) become part of those that call
    them: faster, and longer to compile.
    The result releases the interpreter's lock while it runs.

    Loads machine code that an earlier process has left, or compiles (some ten seconds, shown on
    standard error). Raises SkyjoError when numba is not installed.
    """
    numba = _numba()
    kernel = cast(FunctionType, function)
    types = tuple(numba.typeof(each) for each in examples)
    key = (function, types, tuple((instead or {}).items()), inline)
    with _lock:
        if key not in _compiled:
            _compiled[key] = _compile(kernel, types, {**_room(), **(instead or {})}, inline)
    result: Callable[..., Any] = _compiled[key]
    return result


_compiled: dict[Any, Any] = {}


def _numba() -> Any:
    try:
        import numba
    except ModuleNotFoundError as missing:
        raise SkyjoError(
            N_(
                "compiled play needs the package {name}; in a checkout of skyjo:"
                " pip install '.[sim]'"
            ),
            name=missing.name,
        ) from missing
    return numba


def _checks_bounds() -> bool:
    return os.environ.get("NUMBA_BOUNDSCHECK", "0") not in {"", "0"}


def _compile(
    function: FunctionType, types: tuple[Any, ...], instead: Stand, inline: tuple[str, ...]
) -> Any:
    numba = _numba()
    checked = _checks_bounds()
    options = {
        "nogil": True,
        "boundscheck": checked,
        "error_model": "python" if checked else "numpy",
    }

    def wrap(plain: FunctionType) -> Any:
        inlined = not checked and f"{plain.__module__}.".startswith(tuple(f"{n}." for n in inline))
        return numba.njit(forceinline=inlined, **options)(named(plain))

    def named(plain: FunctionType) -> FunctionType:
        """Symbols of machine code from other processes must not be mistaken for those of this."""
        plain.__qualname__ = f"{plain.__qualname__}_{folder.name[-16:]}"
        return plain

    scout = _Builder(lambda plain: plain, instead)
    scout.plain(function)
    folder = _folder(function, scout, repr((types, options, inline)))
    builder = _Builder(wrap, instead)
    plain = named(builder.plain(function))
    with _waiting_for_others(folder):
        known = any(folder.rglob("*.nbc"))
        dispatcher = _dispatcher(numba, plain, folder, options)
        with contextlib.nullcontext() if known else _progress(len(builder.done) + 1):
            dispatcher.compile(types)
        if not known:
            _forget_old(folder)
    os.utime(folder)
    return dispatcher


def _dispatcher(numba: Any, plain: FunctionType, folder: Path, options: dict[str, Any]) -> Any:
    """Compiled on demand, with its cache in the folder if its source is in a file at all."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        return numba.njit(cache=Path(plain.__code__.co_filename).is_file(), **options)(plain)
    finally:
        numba.config.CACHE_DIR = before


def _folder(function: FunctionType, builder: _Builder, kind: str) -> Path:
    """Where the machine code of a kernel is kept: named by all that it depends on."""
    import llvmlite.binding
    import numba

    files = sorted({each.__code__.co_filename for each in [function, *builder.done]})
    digest = hashlib.blake2b(digest_size=16)
    for part in [
        numba.__version__,
        platform.python_version(),
        llvmlite.binding.get_host_cpu_name(),
        kind,
        f"{function.__module__}.{function.__qualname__}",
        *(f"{each.__module__}.{each.__qualname__}" for each in builder.done),
        *(f"{place} {value}" for place, value in sorted(builder.constants.items())),
    ]:
        digest.update(part.encode() + b"\0")
    for name in files:
        with contextlib.suppress(OSError):
            digest.update(Path(name).read_bytes())
    folder = _cache_folder() / f"{function.__name__}-{digest.hexdigest()}"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _cache_folder() -> Path:
    if named := os.environ.get("SKYJO_KERNEL_CACHE"):
        return Path(named)
    import platformdirs

    return Path(platformdirs.user_cache_dir("skyjo", appauthor=False)) / "kernels"


@contextlib.contextmanager
def _waiting_for_others(folder: Path) -> Iterator[None]:
    """Let only one process compile or load this code at a time."""
    try:
        import fcntl
    except ModuleNotFoundError:  # not on Windows, where all of them compile
        yield
        return
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _forget_old(folder: Path) -> None:
    """Delete machine code that has not been used for a month."""
    oldest = time.time() - _KEPT_SECONDS
    for other in folder.parent.iterdir():
        with contextlib.suppress(OSError):
            if other != folder and other.stat().st_mtime < oldest:
                shutil.rmtree(other)


@contextlib.contextmanager
def _progress(functions: int) -> Iterator[None]:
    """Show on standard error how many of the functions are compiled."""
    from numba.core import event
    from rich.console import Console
    from rich.progress import Progress

    console = Console(file=sys.stderr)
    text = _("Compiling the rules for this computer, once")
    if not console.is_terminal:
        console.print(f"{text} ...")

    class Counter(event.Listener):
        def on_start(self, event: Any) -> None:
            end_if_asked()

        def on_end(self, event: Any) -> None:
            bar.advance(task)

    with (
        _interrupts_in_between() as end_if_asked,
        Progress(console=console, transient=True, disable=not console.is_terminal) as bar,
    ):
        task = bar.add_task(text, total=functions)
        with event.install_listener("numba:compile", Counter()):
            yield


@contextlib.contextmanager
def _interrupts_in_between() -> Iterator[Callable[[], None]]:
    """Have Ctrl-C wait until a function is compiled; yields what raises KeyboardInterrupt then.

    In the middle of LLVM it could be lost, or end the process with a fault. A second one gets
    through at once.
    """
    asked = False

    def note(_number: int, _frame: object) -> None:
        nonlocal asked
        if asked:
            raise KeyboardInterrupt
        asked = True

    def end_if_asked() -> None:
        if asked:
            raise KeyboardInterrupt

    usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not usual or threading.current_thread() is not threading.main_thread():
        yield end_if_asked
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield end_if_asked
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    end_if_asked()


def versions() -> dict[str, str]:
    """The versions that compiled code depends on, and the processor."""
    import llvmlite.binding
    import numpy as np

    return {
        "python": platform.python_version(),
        "numba": _numba().__version__,
        "numpy": np.__version__,
        "processor": llvmlite.binding.get_host_cpu_name(),
    }
