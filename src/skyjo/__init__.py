"""Skyjo: the rules, records, tables and bots of the card game.

Importing the package loads nothing but this module; what it offers is loaded on first use.

>>> import skyjo
>>> game = skyjo.Game(["Ana", "Ben"])
>>> game.deal(skyjo.SeededChance(7).deck(1)).round
1
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers take it for true; `typing` itself would be loaded for nothing
if TYPE_CHECKING:
    from skyjo.chance import SeededChance, SystemChance
    from skyjo.errors import (
        IllegalActionError,
        MalformedError,
        RecordError,
        RulesetError,
        SkyjoError,
        StaleError,
    )
    from skyjo.game import Game
    from skyjo.rules.ruleset import Ruleset

__version__ = "0.1.0"

__all__ = [
    "Game",
    "IllegalActionError",
    "MalformedError",
    "RecordError",
    "Ruleset",
    "RulesetError",
    "SeededChance",
    "SkyjoError",
    "StaleError",
    "SystemChance",
    "__version__",
]

_HOMES = {
    "Game": "skyjo.game",
    "IllegalActionError": "skyjo.errors",
    "MalformedError": "skyjo.errors",
    "RecordError": "skyjo.errors",
    "Ruleset": "skyjo.rules.ruleset",
    "RulesetError": "skyjo.errors",
    "SeededChance": "skyjo.chance",
    "SkyjoError": "skyjo.errors",
    "StaleError": "skyjo.errors",
    "SystemChance": "skyjo.chance",
}


def __getattr__(name: str) -> object:
    """Load what is asked for and keep it, so that the next look finds it at once."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
