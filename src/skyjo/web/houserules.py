"""House rules as forms send them, and what is wrong with them in the words of the page."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from skyjo.errors import RulesetError
from skyjo.i18n import N_, _
from skyjo.rules.ruleset import (
    DEFAULT_PRESET,
    KNOBS,
    LARGEST,
    LARGEST_OF_TOTAL,
    Knob,
    Ruleset,
)
from skyjo.rules.ruleset import knob as knob_of

_NO_CHOICE: Final = N_("“{knob}” has no such choice as “{text}”. Choose one of those on the page.")
_NUMBER: Final = N_("“{knob}” must be a whole number from {least} to {most}, not “{text}”.")
_NUMBER_OR_NONE: Final = N_(
    "“{knob}” must be a whole number from {least} to {most}, or empty for no limit, not “{text}”."
)
_TOGETHER: Final = N_(
    "“{first}” and “{second}” do not go together as they are chosen. Change one of them."
)
_FACTOR_OF_TOTAL: Final = N_(
    "“{first}” must not be higher than {most} while “{second}” is the total. Change one of them."
)
#: What is said of knobs that do not go together, by their names.
_COMBINATIONS: Final[Mapping[tuple[str, ...], str]] = {
    ("penalty_multiplier", "penalty_scope"): _FACTOR_OF_TOTAL
}


def read_ruleset(form: Mapping[str, str], asked: Collection[Knob] = KNOBS) -> Ruleset:
    """The ruleset of a preset and, with ``knobs=1``, of the fields of those knobs.

    Raises RulesetError, which calls the knobs as the page does.

    >>> read_ruleset({"preset": "official", "knobs": "1", "target": "50"}).text()
    'official target=50'
    >>> read_ruleset({"knobs": "1", "target": "0"})
    Traceback (most recent call last):
    ...
    skyjo.errors.RulesetError: “Points that end the game” must be a whole number from 1 to ...
    """
    preset = form.get("preset", DEFAULT_PRESET)
    own = {}
    for each in asked if form.get("knobs") == "1" else ():
        if each.name in form:
            # An empty field is one without a limit, where there may be none.
            text = form[each.name].strip()
            own[each.name] = text or ("none" if each.none else "")
            _check(each, own[each.name], text)
    try:
        return Ruleset.preset(preset, own)
    except RulesetError as error:
        if not error.knobs:
            raise
        first, second = (_(knob_of(name).label) for name in error.knobs)
        raise RulesetError(
            _COMBINATIONS.get(error.knobs, _TOGETHER),
            knobs=error.knobs,
            first=first,
            second=second,
            most=LARGEST_OF_TOTAL,
        ) from None


def _check(knob: Knob, text: str, typed: str) -> None:
    try:
        knob.number(text)
    except RulesetError:
        values: dict[str, Any] = {
            "knob": _(knob.label),
            "text": typed[:40],
            "least": knob.least,
            "most": LARGEST,
        }
        message = _NO_CHOICE if knob.values else _NUMBER_OR_NONE if knob.none else _NUMBER
        raise RulesetError(message, **values) from None
