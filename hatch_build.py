"""Compiles the message catalogues: as a build hook, and as ``python hatch_build.py``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

LOCALE = Path("src", "skyjo", "locale")


def compile_catalogues(root: Path) -> list[Path]:
    """Write the ``.mo`` file beside every ``.po`` file that is newer, and return all of them.

    Each file appears whole or not at all, so that a running program never reads half of one.
    """
    compiled = []
    for po in sorted((root / LOCALE).glob("*/LC_MESSAGES/*.po")):
        mo = po.with_suffix(".mo")
        compiled.append(mo)
        if mo.exists() and mo.stat().st_mtime_ns > po.stat().st_mtime_ns:
            continue
        with po.open("rb") as source:
            catalogue = read_po(source, locale=po.parent.parent.name)
        partial = mo.with_name(f"{mo.name}.{os.getpid()}")
        with partial.open("wb") as target:
            write_mo(target, catalogue)
        partial.replace(mo)
    return compiled


class CatalogueHook(BuildHookInterface):  # type: ignore[type-arg]
    """Puts freshly compiled catalogues into wheels and editable installations."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile before the files of the build are collected."""
        if self.target_name == "wheel":
            compile_catalogues(Path(self.root))


if __name__ == "__main__":
    compile_catalogues(Path(__file__).parent)
