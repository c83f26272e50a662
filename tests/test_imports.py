"""The arrows between the packages, and what a quick start must not load."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.conftest import ROOT

import skyjo

PACKAGE = ROOT / "src" / "skyjo"

#: What each part of the package may import of ours, directly; what lies behind it is included.
#: Everybody may import errors and i18n. `web` stands for its routes; `web.app` and `cli` wire the
#: parts together.
ARROWS: dict[str, set[str]] = {
    "errors": set(),
    "i18n": set(),
    "locks": set(),
    "rules": set(),
    "chance": {"rules"},
    "game": {"rules", "chance"},
    "words": {"game"},
    "jit": {"rules"},
    "bots": {"rules", "chance", "jit"},
    "sim": {"jit", "bots"},
    "record": {"game", "locks"},
    "analysis": {"record", "bots"},
    "arena": {"record", "sim", "bots", "locks"},
    "client": set(),
    "env": {"sim", "bots", "game"},
    "train": {"sim", "bots", "arena"},
    "table": {"record"},
    "scorepad": {"rules", "table"},
    "store": {"table", "scorepad"},
    "web": {"table", "scorepad", "words"},
}
WIRING = {"cli", "web.app", "__main__", "__init__"}
ERRORS_AND_MESSAGES = {"errors", "i18n"}

#: Where a library may be imported at all; what is not listed is free to all but the rules.
HOMES: dict[str, set[str]] = {
    "numba": {"jit"},
    "numpy": {"bots", "jit", "sim", "env", "train", "arena", "analysis"},
    "rich": {"cli", "jit", "sim", "arena", "train", "analysis"},  # these show their progress
    "click": {"cli"},
    "fastapi": {"web"},
    "starlette": {"web"},
    "pydantic": {"web"},
    "prometheus_client": {"web"},
    "httpx": {"client"},
    "websockets": {"client"},
    "jinja2": {"web", "arena"},
    "joblib": {"sim", "arena", "train"},
    "dask": {"arena"},
    "ray": {"arena"},
    "matplotlib": {"arena", "train"},
    "openskill": {"arena"},
    "gymnasium": {"env"},
    "pettingzoo": {"env"},
    "pyspiel": {"env"},
    "open_spiel": {"env"},
    "PIL": {"env"},
    "uvicorn": {"cli", "web"},
    "segno": {"cli", "web"},
    "itsdangerous": {"web"},
    "sqlalchemy": {"store"},
    "alembic": {"store"},
    "aiosqlite": {"store"},
    "asyncpg": {"store"},
}

#: Too heavy for a quick start, or for a game in the interpreter.
HEAVY = {
    "numpy",
    "numba",
    "fastapi",
    "starlette",
    "sqlalchemy",
    "jinja2",
    "uvicorn",
    "asyncio",
    "pydantic",
    "httpx",
}
HEAVY_AT_START = HEAVY | {"rich", "platformdirs", "segno"}


class Import(NamedTuple):
    """One import: the module that does it, its line, the module imported, the names taken."""

    importer: str
    line: int
    module: str
    names: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.importer}:{self.line} imports {self.module}"


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(name: str, is_package: bool, source: str) -> Iterator[Import]:
    """Every import of a module, wherever in the module it stands."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(name, node.lineno, alias.name, ())
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = name.split(".")[: len(name.split(".")) - node.level + is_package]
                base = ".".join([*above, base] if base else above)
            names = tuple(alias.name for alias in node.names)
            if base == "skyjo":
                # `from skyjo import game` imports the module, `from skyjo import Game` the package.
                for each in names:
                    known = (PACKAGE / each).is_dir() or (PACKAGE / f"{each}.py").exists()
                    yield Import(name, node.lineno, f"skyjo.{each}" if known else "skyjo", ())
            else:
                yield Import(name, node.lineno, base, names)


@cache
def all_imports() -> list[Import]:
    return [
        each
        for path in sorted(PACKAGE.rglob("*.py"))
        for each in imports_of(
            module_name(path), path.name == "__init__.py", path.read_text(encoding="utf-8")
        )
    ]


def part_of(module: str) -> str:
    """The part of the package that a module of ours belongs to."""
    inside = module.split(".")[1:] or ["__init__"]
    return "web.app" if inside[:2] == ["web", "app"] else inside[0]


def reachable(part: str) -> set[str]:
    """What a part may import: itself, its arrows and what lies behind them."""
    seen = {part}
    waiting = [part]
    while waiting:
        for following in ARROWS[waiting.pop()] - seen:
            seen.add(following)
            waiting.append(following)
    return seen | (ERRORS_AND_MESSAGES if part not in ERRORS_AND_MESSAGES else {"i18n"})


def broken_arrows(imports: list[Import]) -> list[str]:
    broken = []
    for each in imports:
        importer = part_of(each.importer)
        if each.module.split(".")[0] != "skyjo" or importer in WIRING:
            continue
        imported = part_of(each.module)
        # The package itself is only asked for its version.
        if imported != "__init__" and imported not in reachable(importer):
            broken.append(str(each))
    return broken


def test_every_part_has_its_place() -> None:
    parts = {part_of(module_name(path)) for path in PACKAGE.rglob("*.py")}
    assert parts <= set(ARROWS) | WIRING


def test_arrows_point_one_way() -> None:
    for part in ARROWS:
        for behind in reachable(part) - {part}:
            assert behind in ERRORS_AND_MESSAGES or part not in reachable(behind)


def test_imports_follow_the_arrows() -> None:
    assert not broken_arrows(all_imports())


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("skyjo.rules.turns", "from skyjo import game"),
        ("skyjo.rules.turns", "from ..game import Game"),
        ("skyjo.bots.greedy", "def act():\n    import skyjo.record.log"),
        ("skyjo.web.routes", "from skyjo.store import sqlite"),
        ("skyjo.errors", "from skyjo.rules import layout"),
        ("skyjo.i18n", "import skyjo.errors"),
    ],
)
def test_a_wrong_import_is_found(module: str, source: str) -> None:
    assert broken_arrows(list(imports_of(module, False, source))), source


def test_rules_use_only_the_standard_library_and_marks() -> None:
    for each in all_imports():
        if part_of(each.importer) != "rules":
            continue
        top = each.module.split(".")[0]
        assert top == "skyjo" or top in sys.stdlib_module_names, str(each)
        assert "random" not in each.module, f"{each}: chance is an argument of the rules"
        if each.module == "skyjo.i18n":
            assert set(each.names) == {"N_"}, f"{each}: rules only mark messages"


def test_libraries_stay_at_home() -> None:
    for each in all_imports():
        homes = HOMES.get(each.module.split(".")[0])
        if homes is not None:
            assert part_of(each.importer).split(".")[0] in homes, str(each)


def test_only_jit_imports_numba() -> None:
    importers = {each.importer for each in all_imports() if each.module.split(".")[0] == "numba"}
    assert importers == ({"skyjo.jit"} if (PACKAGE / "jit.py").exists() else set())


TELL = """
import atexit, json, sys
atexit.register(lambda: sys.stderr.write(chr(10) + json.dumps(sorted(sys.modules))))
"""


def loaded_by(*arguments: str) -> set[str]:
    """The modules that a fresh interpreter has loaded at the end of this."""
    done = subprocess.run(
        [sys.executable, "-c", f"{TELL}\n{arguments[0]}", *arguments[1:]],
        capture_output=True,
        text=True,
        check=True,
        cwd="/",
    )
    return {name.split(".")[0] for name in json.loads(done.stderr.splitlines()[-1])}


def test_importing_the_package_loads_only_the_package() -> None:
    bare = loaded_by("pass")
    assert loaded_by("import skyjo") - bare <= {"skyjo", "__future__"}


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["--lang", "uk", "--help"]])
def test_the_quick_answers_of_the_command_line_load_nothing_heavy(arguments: list[str]) -> None:
    loaded = loaded_by("from skyjo.cli.main import main; main()", *arguments)
    assert "click" in loaded
    assert not loaded & HEAVY_AT_START


def test_everything_on_offer_can_be_loaded() -> None:
    for name in skyjo.__all__:
        assert getattr(skyjo, name)
        assert name in dir(skyjo)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = skyjo.nothing


def test_an_interpreted_game_loads_nothing_heavy() -> None:
    play = """
import random, skyjo
chance, choice = skyjo.SeededChance(1), random.Random(1).choice
game, reshuffles = skyjo.Game(["Ana", "Ben"]), 0
while not game.is_over:
    if game.needs_deal:
        game.deal(chance.deck(len(game.rounds) + 1))
    elif game.needs_reshuffle:
        reshuffles += 1
        game.reshuffle(chance.reshuffle(game.cards_to_reshuffle, len(game.rounds) + 1, reshuffles))
    else:
        seat = next(seat for seat in range(2) if game.legal_actions(seat))
        game.play(choice(game.legal_actions(seat)), seat)
"""
    assert not loaded_by(play) & HEAVY_AT_START
