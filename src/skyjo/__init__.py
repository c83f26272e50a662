"""Skyjo: the rules, records, tables and bots of the card game.

Importing the package loads nothing but this module; what it offers is loaded on first use.

>>> import skyjo
>>> skyjo.__version__.count(".")
2
"""

from __future__ import annotations

__version__ = "0.1.0"
