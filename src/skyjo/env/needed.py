"""Says in a sentence what is missing when the environments were not installed."""

from __future__ import annotations

from skyjo.i18n import _

try:
    import gymnasium
    import numpy as np
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        _(
            "this needs the package {name}; in a checkout of skyjo: pip install '.[{extra}]'",
            name=missing.name,
            extra="env",
        ),
        name=missing.name,
    ) from missing

__all__ = ["gymnasium", "np"]
