"""The command line in a real terminal, and a simple person in front of it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pexpect

SKYJO = Path(sys.executable).with_name("skyjo")
#: Generous: other work may share the machine.
PATIENCE = 60
ESCAPES = re.compile(r"\x1b(?:\[[0-9;?]*[A-Za-z]|[()][A-Z0-9]|[=>])")
PROMPT = re.compile(r"(\S[^\r\n\[]*) \[([^\]\r\n]+)\]: ")
COLOURS = re.compile(r"\x1b\[[0-9;]*(?<![0-9])(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])[;m]")
DRAWING = re.compile("[\u2500-\u259f\u25a0-\u25ff]")


def environment(home: Path, **environ: str) -> dict[str, str]:
    """A clean environment: English, a home of its own, a capable terminal."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("LC_") and name not in ("LANGUAGE", "NO_COLOR", "FORCE_COLOR")
    }
    return {
        **kept,
        "LANG": "C.UTF-8",
        "HOME": str(home),
        "XDG_DATA_HOME": str(home / "data"),
        "TERM": "xterm-256color",
        **environ,
    }


def spawn(home: Path, *arguments: str, rows: int = 24, **environ: str) -> pexpect.spawn:
    """Start ``skyjo`` in a terminal of 80 columns."""
    child = pexpect.spawn(
        str(SKYJO),
        list(arguments),
        env=environment(home, **environ),
        dimensions=(rows, 80),
        encoding="utf-8",
        timeout=PATIENCE,
        echo=False,
    )
    child.delaybeforesend = None
    return child


def run(
    home: Path, *arguments: str, lines: Sequence[str] = (), **environ: str
) -> subprocess.CompletedProcess[str]:
    """Run ``skyjo`` without a terminal, with these lines as its input."""
    return subprocess.run(
        [SKYJO, *arguments],
        env=environment(home, **environ),
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        encoding="utf-8",
        errors="surrogateescape",
        timeout=PATIENCE,
        check=False,
    )


def answer(hint: str) -> str:
    """What a patient person types at a prompt: draws, discards, turns over the first card."""
    possible = hint.split("/")
    if "d" in possible:
        return "d"
    if "x" in possible:
        return "x"
    return possible[0].split("-")[0]


def until(child: pexpect.spawn, pattern: str | re.Pattern[str] = PROMPT) -> re.Match[str]:
    """Wait for this to be shown, a prompt by default."""
    child.expect(pattern)
    assert isinstance(child.match, re.Match)
    return child.match


def ended(child: pexpect.spawn) -> int | None:
    """Wait for the end of the program; its exit status, None if it was killed."""
    child.expect(pexpect.EOF)
    child.close()
    return child.exitstatus


def play_on(child: pexpect.spawn, prompts: int = 10_000) -> str:
    """Answer this many prompts, or until the program ends; returns what was shown."""
    shown = ""
    for _ in range(prompts):
        met = child.expect([PROMPT, r"Press Enter[^\r\n]*: ", pexpect.EOF])
        shown += str(child.before)
        if met == 2:
            child.close()
            return shown
        assert isinstance(child.match, re.Match)
        shown += child.match[0]
        child.sendline(answer(child.match[2]) if met == 0 else "")
    return shown


def bare(text: str) -> str:
    """What a person sees of a terminal's output: without escape sequences."""
    return ESCAPES.sub("", text)
