"""Makes or renews the environment in .venv; called by scripts/environment.sh.

Needs nothing but the standard library. The stamp in .venv is written last and removed first, so
that whatever is interrupted is done again, and a lock lets only one process at a time do it.
"""

from __future__ import annotations

import fcntl
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
STAMP = VENV / "skyjo-stamp"
PYTHON = VENV / "bin" / "python"
REQUIREMENTS = ROOT / "requirements-dev.txt"


def wanted_stamp() -> bytes:
    """What the stamp of a current environment holds; scripts/environment.sh compares the same."""
    sources = (REQUIREMENTS, ROOT / "pyproject.toml", ROOT / "hatch_build.py")
    return f"{ROOT}\n".encode() + b"".join(path.read_bytes() for path in sources)


def is_current() -> bool:
    """Whether the environment is complete and made from the files that are here now."""
    return python_works() and STAMP.exists() and STAMP.read_bytes() == wanted_stamp()


def python_works(check: str = "import sys; sys.exit(sys.version_info < (3, 11))") -> bool:
    """Whether the environment's interpreter starts and is new enough, or what else is asked."""
    command = (str(PYTHON), "-c", check)
    return (
        PYTHON.exists()
        and not subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode
    )


def can_be_renewed(uv: str | None) -> bool:
    """Whether a complete environment of this very folder is there and only its packages are old."""
    if not (python_works() and STAMP.exists()):
        return False
    if not STAMP.read_bytes().startswith(f"{ROOT}\n".encode()):
        return False
    # An environment that uv made has no pip.
    return uv is not None or python_works("import pip")


def say(text: str) -> None:
    print(f"skyjo: {text}", file=sys.stderr, flush=True)


def run(*command: str | Path) -> None:
    """Run a command that must succeed; its output is shown only when it fails."""
    done = subprocess.run(
        command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        sys.stderr.write(done.stdout + done.stderr)
        say(f"the environment in .venv could not be made: {Path(command[0]).name} failed.")
        raise SystemExit(1)


def make() -> None:
    """Make or renew the environment; the caller holds the lock."""
    uv = shutil.which("uv")
    renew = can_be_renewed(uv)
    say(f"{'renewing' if renew else 'making'} the environment in .venv (once) ...")
    if renew:
        STAMP.unlink()
    elif VENV.is_symlink():
        VENV.unlink()
    elif VENV.exists():
        shutil.rmtree(VENV)
    stamp = wanted_stamp()
    if uv:
        with_uv(uv, renew)
    else:
        with_pip(renew)
    STAMP.write_bytes(stamp)


def with_uv(uv: str, renew: bool) -> None:
    if not renew:
        run(uv, "venv", "--quiet", "--no-project", "--python", sys.executable, VENV)
    install = (uv, "pip", "install", "--quiet", "--python", PYTHON)
    run(*install, "--require-hashes", "-r", REQUIREMENTS)
    run(*install, "--no-deps", "--no-build-isolation", "--editable", ROOT)


def with_pip(renew: bool) -> None:
    if not renew:
        run(sys.executable, "-m", "venv", VENV)
    install = (PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    run(*install, "--require-hashes", "-r", REQUIREMENTS)
    run(*install, "--no-deps", "--no-build-isolation", "--editable", ROOT)


def main() -> None:
    """Make the environment, or wait for whoever is making it."""
    with (ROOT / ".venv-lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another process is making the environment, waiting for it ...")
            fcntl.flock(lock, fcntl.LOCK_EX)
        if not is_current():
            make()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
