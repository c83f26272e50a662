"""Commands that need more than what every installation has."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from skyjo.errors import SkyjoError
from skyjo.i18n import N_

P = ParamSpec("P")
R = TypeVar("R")


def needs(extra: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Say in a sentence which extra brings a package that is not installed.

    >>> @needs("arena")
    ... def command():
    ...     import no_such_package
    >>> command()
    Traceback (most recent call last):
    ...
    skyjo.errors.SkyjoError: this needs the package no_such_package; in a checkout of skyjo: ...
    """

    def told(command: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(command)
        def run(*args: P.args, **values: P.kwargs) -> R:
            try:
                return command(*args, **values)
            except ModuleNotFoundError as missing:
                raise SkyjoError(
                    N_(
                        "this needs the package {name}; in a checkout of skyjo:"
                        " pip install '.[{extra}]'"
                    ),
                    name=missing.name,
                    extra=extra,
                ) from missing

        return run

    return told
