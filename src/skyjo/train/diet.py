"""What is played in training: numbers of seats and rulesets, and how often each."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import Final

from skyjo.rules.layout import MAX_SEATS, MIN_SEATS
from skyjo.rules.ruleset import KNOBS, Ruleset

#: Rounds are cut off after so many turns of every seat; the network hurries long before.
TURN_LIMIT: Final = 60
#: Of 1000 rounds, so many are played by two, three, ... eight under the official rules, ...
OFFICIAL: Final = (390, 90, 120, 40, 50, 20, 50)
#: ... so many by two, and by four, under each of the other presets, ...
PRESETS: Final = ("plain", "family", "family-columns", "lenient")
OF_TWO: Final = 30
OF_FOUR: Final = 10
#: ... and the rest under so many house rules drawn by chance.
HOUSE_RULES: Final = 20
#: Knobs that do not change how a round is played, or that end it.
_LEFT_OUT: Final = frozenset({"target", "max_rounds", "turn_limit", "first_discard"})
_NUMBERS: Final = {"penalty_multiplier": (1, 3), "penalty_flat": (5, 10)}


@dataclass(frozen=True, slots=True)
class Course:
    """So many of 1000 rounds (``share``) are played by ``seats`` under ``ruleset``."""

    seats: int
    ruleset: Ruleset
    share: int


def first_courses() -> list[Course]:
    """To begin with: two seats, official rules."""
    return [Course(2, replace(Ruleset(), turn_limit=TURN_LIMIT), 1000)]


def all_courses() -> list[Course]:
    """Everything: mostly the official rules, mostly two seats.

    >>> sum(course.share for course in all_courses())
    1000
    """
    official = replace(Ruleset(), turn_limit=TURN_LIMIT)
    seats = range(MIN_SEATS, MAX_SEATS + 1)
    courses = [Course(each, official, share) for each, share in zip(seats, OFFICIAL, strict=True)]
    for name in PRESETS:
        ruleset = replace(Ruleset.preset(name), turn_limit=TURN_LIMIT)
        courses += [Course(2, ruleset, OF_TWO), Course(4, ruleset, OF_FOUR)]
    left = 1000 - sum(course.share for course in courses)
    rng = random.Random(7)
    courses += [
        Course(rng.choice((2, 2, 3, 4)), _house_rules(rng), left // HOUSE_RULES)
        for _ in range(HOUSE_RULES)
    ]
    return courses


def _house_rules(rng: random.Random) -> Ruleset:
    """A preset with three knobs turned."""
    ruleset = Ruleset.preset(rng.choice(("official", *PRESETS)))
    usable = [knob for knob in KNOBS if knob.name not in _LEFT_OUT]
    for knob in rng.sample(usable, 3):
        numbers = [value.number for value in knob.values] or _NUMBERS[knob.name]
        number = rng.choice(numbers)
        if (knob.name, number) != ("row_removal", 1):
            ruleset = replace(ruleset, **{knob.name: number})
    return replace(ruleset, turn_limit=TURN_LIMIT)
