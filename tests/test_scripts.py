"""scripts/skyjo makes its environment: once, whole, and by one process at a time.

A small project stands in for the whole one, so that an environment takes a second or two: the real
scripts, the real hook and catalogues, and of the packages only those that the command line needs.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.conftest import ROOT

PACKAGES = (
    "babel click colorama editables hatchling packaging pathspec pluggy tomlkit trove-classifiers"
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for folder in ("scripts", "src/skyjo/cli", "src/skyjo/locale"):
        shutil.copytree(
            ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__", "*.mo")
        )
    for name in ("__init__.py", "errors.py", "i18n.py"):
        shutil.copy(ROOT / "src/skyjo" / name, tmp_path / "src/skyjo" / name)
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path / name)
    pins = re.findall(
        r"(?m)^([\w.-]+)(==.*(?:\\\n.*)+)\n", (ROOT / "requirements-dev.txt").read_text()
    )
    wanted = [name + pin for name, pin in pins if name in PACKAGES.split()]
    assert len(wanted) == len(PACKAGES.split())
    (tmp_path / "requirements-dev.txt").write_text("\n".join(wanted) + "\n")
    return tmp_path


def start(project: Path, *arguments: str) -> subprocess.Popen[str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.Popen(
        [project / "scripts" / "skyjo", *arguments],
        cwd=project.parent,
        env={**os.environ, "PATH": path, "SKYJO_PYTHON": sys.executable, "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def finish(process: subprocess.Popen[str]) -> tuple[str, str]:
    out, err = process.communicate()
    assert process.returncode == 0, err
    return out, err


def test_two_first_starts_make_one_environment(project: Path) -> None:
    told = [finish(each) for each in [start(project, "--version") for _ in range(2)]]
    assert [out.split()[0] for out, _err in told] == ["skyjo", "skyjo"]
    assert sorted("(once)" in err for _out, err in told) == [False, True]
    locale = project / "src" / "skyjo" / "locale"
    assert len(list(locale.rglob("*.mo"))) == len(list(locale.rglob("*.po"))) > 0

    assert finish(start(project, "--version"))[1] == ""

    with (project / "pyproject.toml").open("a") as file:
        file.write("\n")
    out, err = finish(start(project, "--version"))
    assert "renewing the environment" in err
    assert out.startswith("skyjo ")

    po = next(locale.rglob("*.po"))
    later = time.time() + 10
    os.utime(po, (later, later))
    mo = po.with_suffix(".mo")
    before = mo.stat().st_mtime_ns
    assert finish(start(project, "--version"))[1] == ""
    assert mo.stat().st_mtime_ns > before


def test_an_interrupted_environment_is_made_again(project: Path) -> None:
    process = start(project, "--version")
    while not (project / ".venv").exists():
        assert process.poll() is None
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert not (project / ".venv" / "skyjo-stamp").exists()
    out, err = finish(start(project, "--version"))
    assert out.startswith("skyjo ")
    assert "making the environment" in err


def test_a_moved_checkout_makes_its_environment_again(project: Path, tmp_path: Path) -> None:
    finish(start(project, "--version"))
    moved = project.with_name(project.name + "-moved")
    project.rename(moved)
    out, err = finish(start(moved, "--version"))
    assert "making the environment" in err
    assert out.startswith("skyjo ")


def test_without_python_it_tells_what_is_missing(project: Path, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("sh", "cat", "cmp"):
        (tools / name).symlink_to(shutil.which(name) or name)
    done = subprocess.run(
        [project / "scripts" / "skyjo", "--version"],
        env={"PATH": str(tools)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "skyjo needs Python 3.11 or newer; install it, or name one in SKYJO_PYTHON."
    ]


def test_it_can_be_called_through_a_link(project: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(ROOT / "scripts" / "skyjo")
    done = subprocess.run([link, "--version"], capture_output=True, text=True, check=False)
    assert done.stdout.startswith("skyjo ")
