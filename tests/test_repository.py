"""What no committed file may hold: addresses of package indexes, places on somebody's machine."""

from __future__ import annotations

import ast
import re
import subprocess
import tomllib
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest
from tests.conftest import ROOT

# The letter in brackets keeps each pattern from matching itself.
FORBIDDEN = re.compile(
    r"py[p]i\.org|python[h]osted|npm[j]s\.|yarn[p]kg\.|crates\.[i]o|deb\.deb[i]an|anacon[d]a\.org"
    r"|(?<![\w.~-])/(?:wor[k]|roo[t]|opt/py[p]i|tmp/bas[h]_jobs|tmp/bri[e]f)/"
    r"|\bissues (?:sho[w]|lis[t])\b|\bfar[m]-\w"
)
MAX_MODULE_LINES = 600
MAX_PUBLIC_METHODS = 25


def tracked_files() -> list[Path]:
    """What git would commit; a copy without git (an sdist) is looked at whole."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode == 0:
        files = [ROOT / name for name in listed.stdout.split("\0") if name]
    else:
        hidden = {".venv", ".git", "__pycache__"}
        files = [path for path in ROOT.rglob("*") if not hidden & set(path.parts)]
    return [path for path in files if path.is_file()]


def texts() -> Iterator[tuple[Path, str]]:
    for path in tracked_files():
        content = path.read_bytes()
        if b"\0" not in content:
            yield path, content.decode("utf-8")


def test_no_addresses_of_indexes_or_machines() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}: {match.group(0)}"
        for path, text in texts()
        for number, line in enumerate(text.splitlines(), 1)
        if (match := FORBIDDEN.search(line))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "line",
    ["https://py" + "pi.org/simple", "see /wor" + "k/main", "(/roo" + "t/x", "is" + "sues show 2"],
)
def test_addresses_would_be_found(line: str) -> None:
    assert FORBIDDEN.search(line)


def test_no_lock_file_is_tracked() -> None:
    assert "uv.lock" not in {path.name for path in tracked_files()}


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt"])
def test_every_requirement_is_pinned_with_hashes(name: str) -> None:
    text = (ROOT / name).read_text()
    assert "://" not in text
    requirements = re.sub(r"\\\n", "", re.sub(r"#.*", "", text)).strip().splitlines()
    assert requirements
    for requirement in requirements:
        assert re.match(r"[\w.-]+==\S+ ", requirement), requirement
        assert "--hash=sha256:" in requirement, requirement


def test_every_dependency_is_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"].values()
    core = project["project"]["dependencies"]
    every = [*core, *project["dependency-groups"]["dev"], *chain.from_iterable(extras)]
    wanted = {"requirements.txt": core, "requirements-dev.txt": every}
    for name, dependencies in wanted.items():
        locked = set(re.findall(r"(?m)^([\w.-]+)==", (ROOT / name).read_text()))
        names = {re.split(r"[\[<>=]", each)[0].lower() for each in dependencies}
        names -= {"skyjo", "ray"}  # itself, and what only its extra installs: see scripts/lock
        assert names <= locked, f"run scripts/lock: {name} lacks {sorted(names - locked)}"


@pytest.mark.parametrize("path", sorted((ROOT / "src").rglob("*.py")), ids=lambda path: path.name)
def test_modules_and_classes_stay_small(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MAX_MODULE_LINES
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ClassDef):
            functions = [part for part in node.body if isinstance(part, ast.FunctionDef)]
            public = [part.name for part in functions if not part.name.startswith("_")]
            assert len(public) <= MAX_PUBLIC_METHODS, node.name
