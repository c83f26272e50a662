"""The wheel, built as a release is built, installed in an environment that holds nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from tests.conftest import ROOT

UV = Path(sys.executable).with_name("uv")
LANGUAGES = ["en", "uk", "de", "fr"]
PLAIN_ENVIRONMENT = {
    name: value
    for name, value in os.environ.items()
    if not name.startswith(("PYTHON", "VIRTUAL_ENV", "LC_", "LANG", "SKYJO"))
}


def uv(*arguments: str | Path) -> None:
    done = subprocess.run([UV, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel made from an sdist made from the sources."""
    folder = tmp_path_factory.mktemp("dist")
    uv("build", "--no-build-isolation", "--python", sys.executable, "--out-dir", folder, ROOT)
    assert list(folder.glob("skyjo-*.tar.gz"))
    (built,) = folder.glob("skyjo-*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `skyjo` command of an environment with the wheel and what it asks for."""
    venv = tmp_path_factory.mktemp("installed") / "venv"
    uv("venv", "--no-project", "--python", sys.executable, venv)
    install = ("pip", "install", "--python", venv / "bin" / "python")
    uv(*install, "--require-hashes", "-r", ROOT / "requirements.txt")
    uv(*install, "--no-deps", wheel)
    uv("pip", "check", "--python", venv / "bin" / "python")
    return venv / "bin" / "skyjo"


def run(command: Path, *arguments: str, cwd: Path) -> str:
    done = subprocess.run(
        [command, *arguments],
        cwd=cwd,
        env=PLAIN_ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_holds_what_it_should(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert "skyjo/py.typed" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    for language in LANGUAGES[1:]:
        assert f"skyjo/locale/{language}/LC_MESSAGES/skyjo.mo" in names
    missing = {
        str(path.relative_to(ROOT / "src"))
        for path in (ROOT / "src" / "skyjo").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    } - names
    assert not missing
    assert {name.split("/")[0].partition("-")[0] for name in names} == {"skyjo"}


def test_the_installed_command_tells_its_version(installed: Path, tmp_path: Path) -> None:
    assert run(installed, "--version", cwd=tmp_path).startswith("skyjo ")


def test_the_installed_package_is_the_wheels(installed: Path, tmp_path: Path) -> None:
    code = "import skyjo; print(skyjo.__file__)"
    place = run(installed.with_name("python"), "-c", code, cwd=tmp_path)
    assert Path(place.strip()).is_relative_to(installed.parent.parent)


def test_the_installed_command_plays_a_game_in_every_language(
    installed: Path, tmp_path: Path
) -> None:
    game = ["play", "--players", "bot:greedy,bot:greedy", "--auto", "--seed", "1"]
    told = {
        language: run(installed, *game, "--lang", language, cwd=tmp_path) for language in LANGUAGES
    }
    assert all(told.values())
    assert len(set(told.values())) == len(LANGUAGES)
    assert any("а" <= letter <= "я" for letter in told["uk"].lower())
