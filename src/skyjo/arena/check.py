"""Whether a program speaks the line protocol: it is asked about every kind of decision."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from skyjo.bots import from_kernel
from skyjo.bots.greedy import greedy_action
from skyjo.bots.process import Fault, ProcessPolicy, in_words
from skyjo.rules.layout import View
from skyjo.rules.ruleset import Ruleset
from skyjo.sim import play_many_games

#: What is played: every verb comes up in one of them.
RULESETS: Final = (
    "official target=30 turn_limit=60",
    "family target=30 turn_limit=60",
    "official column_removal=player_choice target=30 turn_limit=60",
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One part of the check: what was played, how many decisions, and what was wrong."""

    ruleset: str
    decisions: int
    fault: str


class _Stop(Exception):
    """The first fault ends the check."""


class _Strict:
    """The program's policy, but the first fault is kept and ends the game."""

    def __init__(self, policy: ProcessPolicy) -> None:
        self.policy = policy
        self.decisions = 0
        self.fault = ""

    def __call__(self, view: View, _generator: object) -> int:
        self.decisions += 1
        try:
            return self.policy.ask(view)
        except Fault as fault:
            self.fault = in_words(fault, self.policy.seconds)
            raise _Stop from fault

    def finish(self, view: View) -> None:
        self.policy.finish(view)


def check(command: str, seconds: float) -> Iterator[Finding]:
    """Play games against ``greedy`` under several rulesets, as long as everything is right."""
    policy = ProcessPolicy(command, seconds)
    try:
        for text in RULESETS:
            strict = _Strict(policy)
            with contextlib.suppress(_Stop):
                play_many_games(
                    [strict, from_kernel("greedy", greedy_action)],
                    2,
                    ruleset=Ruleset.parse(text),
                    duplicate=True,
                    jobs=1,
                    compiled=False,
                )
            yield Finding(text, strict.decisions, strict.fault)
            if strict.fault:
                return
    finally:
        policy.close()
