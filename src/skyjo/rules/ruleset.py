"""Rulesets: the presets, and every knob that may be turned (rules 1).

A ruleset is a frozen value. Its fields are small whole numbers, so that the rules can compare
them in the interpreter and compiled; ``KNOBS`` gives every number its name and every knob a
sentence for people. Forms and help are built from that description.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Final

from skyjo.errors import RulesetError
from skyjo.i18n import N_

# The named values of the knobs, as the kernels compare them.
OFF: Final = 0
ON: Final = 1
MANDATORY: Final = 1
PLAYER_CHOICE: Final = 2
OPTIONAL: Final = 0
FREE: Final = 0
SEAT_ORDER: Final = 1
FACE_UP: Final = 0
FACE_DOWN: Final = 1
FINISHER: Final = 0
ROUND_WINNER: Final = 1
HIGHEST_SUM: Final = 2
HIGHEST_CARD_THEN_SEAT: Final = 0
SEAT: Final = 1
ONE_EACH: Final = 0
NO_FINAL_TURNS: Final = 1
FINISH_CIRCLE: Final = 2
NOT_STRICTLY_LOWEST: Final = 0
NOT_LOWEST: Final = 1
NEVER: Final = 2
EXEMPT: Final = 0
APPLY: Final = 1
MULTIPLY_THEN_ADD: Final = 0
ADD_THEN_MULTIPLY: Final = 1
ROUND: Final = 0
TOTAL: Final = 1
SHARED: Final = 0
LAST_ROUND_LOWEST: Final = 1
RESHUFFLE_KEEP_TOP: Final = 0
RESHUFFLE_ALL_FLIP_TOP: Final = 1

#: The largest number that a knob takes; keeps every total far inside 64 bits.
LARGEST: Final = 1_000_000
#: The largest ``penalty_multiplier`` with ``penalty_scope=total``.
LARGEST_OF_TOTAL: Final = 10
#: No penalty takes a total further from zero (rules 1): a negative one may be multiplied without
#: end; held here it fits into 64 bits while it is multiplied, and into the 53 of a JSON number.
FARTHEST_TOTAL: Final = 10**15


@dataclass(frozen=True, slots=True)
class Value:
    """One named value of a knob: its number in the kernels and a sentence for people."""

    name: str
    number: int
    says: str


@dataclass(frozen=True, slots=True)
class Knob:
    """One house rule that can be set: how it is called, what it may be, what it means.

    ``values`` is empty for a knob that takes a whole number from ``least``; such a knob with
    ``none`` may also be switched off (its number is then 0).
    """

    name: str
    label: str
    says: str
    values: tuple[Value, ...] = ()
    default: int = 0
    least: int = 0
    none: bool = False

    def number(self, text: str) -> int:
        """The number of a value given as text; RulesetError says what would be right.

        >>> knob("penalty_when").number("never")
        2
        >>> knob("target").number("0")
        Traceback (most recent call last):
        ...
        skyjo.errors.RulesetError: target is at least 1, not '0'
        """
        text = text.strip()
        if self.values:
            for value in self.values:
                if value.name == text:
                    return value.number
            names = ", ".join(value.name for value in self.values)
            raise RulesetError(
                N_("{knob} is one of: {names}; not '{text}'"),
                knob=self.name,
                names=names,
                text=text,
            )
        if self.none and text == "none":
            return 0
        if not re.fullmatch(r"[+-]?[0-9]{1,100}", text):
            raise RulesetError(
                N_("{knob} is a whole number, not '{text}'"), knob=self.name, text=text
            )
        return self._in_range(int(text))

    def checked(self, number: int) -> int:
        """The number itself, or RulesetError when the knob does not take it.

        >>> knob("target").checked(50)
        50
        """
        if self.values:
            if number not in [value.number for value in self.values]:
                raise RulesetError(
                    N_("{knob} has no value number {number}"), knob=self.name, number=number
                )
            return number
        if number == 0 and self.none:
            return number
        return self._in_range(number)

    def _in_range(self, number: int) -> int:
        if number < self.least:
            raise RulesetError(
                N_("{knob} is at least {least}, not '{text}'"),
                knob=self.name,
                least=self.least,
                text=number,
            )
        if number > LARGEST:
            raise RulesetError(
                N_("{knob} is at most {most}, not '{text}'"),
                knob=self.name,
                most=LARGEST,
                text=number,
            )
        return number

    def text(self, number: int) -> str:
        """The name of a number of this knob; what ``number()`` reads.

        >>> knob("penalty_when").text(2), knob("max_rounds").text(0), knob("target").text(50)
        ('never', 'none', '50')
        """
        for value in self.values:
            if value.number == number:
                return value.name
        return "none" if self.none and number == 0 else str(number)


KNOBS: Final[tuple[Knob, ...]] = (
    Knob(
        "column_removal",
        N_("Columns of three equal cards"),
        N_("What happens to a column of three equal cards that lie face up."),
        (
            Value(
                "mandatory",
                MANDATORY,
                N_("They are removed at once, whether one likes it or not."),
            ),
            Value("off", OFF, N_("They stay where they are.")),
            Value(
                "player_choice", PLAYER_CHOICE, N_("Their owner decides at the end of the turn.")
            ),
        ),
        default=MANDATORY,
    ),
    Knob(
        "columns_at_final_reveal",
        N_("Columns at the final reveal"),
        N_("Whether columns also go when the last hidden cards are turned over."),
        (
            Value("true", ON, N_("Equal columns go then, too.")),
            Value("false", OFF, N_("What is turned over at the end stays and counts.")),
        ),
        default=ON,
    ),
    Knob(
        "row_removal",
        N_("Rows of four equal cards"),
        N_("Whether a row of four equal cards that lie face up goes as well."),
        (
            Value("off", OFF, N_("Rows stay.")),
            Value("on", ON, N_("Rows go like columns.")),
        ),
        default=OFF,
    ),
    Knob(
        "next_starter",
        N_("Who starts the next round"),
        N_("Who plays first in the second and all later rounds."),
        (
            Value("finisher", FINISHER, N_("Whoever closed the round before.")),
            Value(
                "round_winner",
                ROUND_WINNER,
                N_("Whoever had the fewest points in the round before."),
            ),
            Value(
                "highest_sum",
                HIGHEST_SUM,
                N_("Whoever shows the highest sum, as in the first round."),
            ),
        ),
        default=FINISHER,
    ),
    Knob(
        "starter_tiebreak",
        N_("Tie for the start"),
        N_("Who starts when the highest sum of opening cards is shared."),
        (
            Value(
                "highest_card_then_seat",
                HIGHEST_CARD_THEN_SEAT,
                N_("The highest single card, then the first seat."),
            ),
            Value("seat", SEAT, N_("The first seat among them.")),
        ),
        default=HIGHEST_CARD_THEN_SEAT,
    ),
    Knob(
        "reveal_order",
        N_("Turning the opening cards"),
        N_("In which order the two opening cards are turned."),
        (
            Value("free", FREE, N_("Everybody turns two cards whenever they like.")),
            Value(
                "seat_order", SEAT_ORDER, N_("One seat after the other, beginning with the first.")
            ),
        ),
        default=FREE,
    ),
    Knob(
        "first_discard",
        N_("First card of the discard pile"),
        N_("How the card lies that begins the discard pile."),
        (
            Value("face_up", FACE_UP, N_("Face up.")),
            Value(
                "face_down", FACE_DOWN, N_("Face down: whoever takes it does not know what it is.")
            ),
        ),
        default=FACE_UP,
    ),
    Knob(
        "flip_after_discard",
        N_("After discarding the drawn card"),
        N_("Whether one must turn over a card after discarding the drawn one."),
        (
            Value("mandatory", MANDATORY, N_("One hidden card must be turned over.")),
            Value("optional", OPTIONAL, N_("One may turn over a hidden card, or pass.")),
        ),
        default=MANDATORY,
    ),
    Knob(
        "final_turns",
        N_("Last turns"),
        N_("Who still plays after somebody has closed the round."),
        (
            Value("one_each", ONE_EACH, N_("Everybody else has exactly one more turn.")),
            Value("none", NO_FINAL_TURNS, N_("Nobody: the round ends at once.")),
            Value(
                "finish_circle",
                FINISH_CIRCLE,
                N_("The seats up to the one that began, so that all have had equally many turns."),
            ),
        ),
        default=ONE_EACH,
    ),
    Knob(
        "penalty_when",
        N_("When the closing player is punished"),
        N_("When the player who closed the round gets the penalty."),
        (
            Value(
                "not_strictly_lowest",
                NOT_STRICTLY_LOWEST,
                N_("When anybody else has as few points or fewer."),
            ),
            Value(
                "not_lowest",
                NOT_LOWEST,
                N_("When anybody else has fewer points; a tie is not punished."),
            ),
            Value("never", NEVER, N_("Never.")),
        ),
        default=NOT_STRICTLY_LOWEST,
    ),
    Knob(
        "penalty_nonpositive",
        N_("Penalty on zero and below"),
        N_("Whether the penalty changes points that are zero or negative."),
        (
            Value("exempt", EXEMPT, N_("Only positive points are changed.")),
            Value("apply", APPLY, N_("All points are changed, -3 becomes -6.")),
        ),
        default=EXEMPT,
    ),
    Knob(
        "penalty_multiplier",
        N_("Penalty factor"),
        N_("By how much the points are multiplied."),
        default=2,
        least=1,
    ),
    Knob("penalty_flat", N_("Penalty points"), N_("How many points are added.")),
    Knob(
        "penalty_order",
        N_("Order of the penalty"),
        N_("What comes first when there are a factor and points to add."),
        (
            Value("multiply_then_add", MULTIPLY_THEN_ADD, N_("First multiply, then add.")),
            Value("add_then_multiply", ADD_THEN_MULTIPLY, N_("First add, then multiply.")),
        ),
        default=MULTIPLY_THEN_ADD,
    ),
    Knob(
        "penalty_scope",
        N_("What the penalty changes"),
        N_("Whether the penalty changes the points of the round or the total."),
        (
            Value("round", ROUND, N_("The points of the round.")),
            Value("total", TOTAL, N_("The total, this round included.")),
        ),
        default=ROUND,
    ),
    Knob(
        "target",
        N_("Points that end the game"),
        N_("The game ends after a round in which somebody has reached this total."),
        default=100,
        least=1,
    ),
    Knob(
        "max_rounds",
        N_("Most rounds"),
        N_("The game also ends after this many rounds."),
        default=0,
        least=1,
        none=True,
    ),
    Knob(
        "game_tie",
        N_("Tie at the end of the game"),
        N_("Who wins when the lowest total is shared."),
        (
            Value("shared", SHARED, N_("They win together.")),
            Value(
                "last_round_lowest",
                LAST_ROUND_LOWEST,
                N_("Whoever had fewer points in the last round; then together."),
            ),
        ),
        default=SHARED,
    ),
    Knob(
        "empty_draw",
        N_("When the draw pile is empty"),
        N_("What is shuffled when somebody wants to draw and no card is left."),
        (
            Value("reshuffle_keep_top", RESHUFFLE_KEEP_TOP, N_("All discards but the top one.")),
            Value(
                "reshuffle_all_flip_top",
                RESHUFFLE_ALL_FLIP_TOP,
                N_("All discards; the first card is turned up as the new discard."),
            ),
        ),
        default=RESHUFFLE_KEEP_TOP,
    ),
    Knob(
        "turn_limit",
        N_("Most turns in a round"),
        N_("A round that nobody has closed ends when everybody has had this many turns."),
        default=0,
        least=1,
        none=True,
    ),
)

_KNOB_BY_NAME: Final = {entry.name: entry for entry in KNOBS}


def knob(name: str) -> Knob:
    """The knob of that name; RulesetError names all of them when there is none.

    >>> knob("target").default
    100
    """
    if name not in _KNOB_BY_NAME:
        raise RulesetError(
            N_("there is no knob '{name}'; the knobs are: {names}"),
            name=name,
            names=", ".join(_KNOB_BY_NAME),
        )
    return _KNOB_BY_NAME[name]


@dataclass(frozen=True, slots=True)
class Ruleset:
    """All knobs of one game as numbers, fixed before the deal (rules 1).

    Made by ``Ruleset.parse`` or ``Ruleset.preset``; the bare ``Ruleset()`` is ``official``.

    >>> Ruleset.parse("official target=50") == Ruleset(target=50)
    True
    """

    column_removal: int = MANDATORY
    columns_at_final_reveal: int = ON
    row_removal: int = OFF
    next_starter: int = FINISHER
    starter_tiebreak: int = HIGHEST_CARD_THEN_SEAT
    reveal_order: int = FREE
    first_discard: int = FACE_UP
    flip_after_discard: int = MANDATORY
    final_turns: int = ONE_EACH
    penalty_when: int = NOT_STRICTLY_LOWEST
    penalty_nonpositive: int = EXEMPT
    penalty_multiplier: int = 2
    penalty_flat: int = 0
    penalty_order: int = MULTIPLY_THEN_ADD
    penalty_scope: int = ROUND
    target: int = 100
    max_rounds: int = 0
    game_tie: int = SHARED
    empty_draw: int = RESHUFFLE_KEEP_TOP
    turn_limit: int = 0

    def __post_init__(self) -> None:
        for entry in KNOBS:
            entry.checked(getattr(self, entry.name))
        if self.column_removal == PLAYER_CHOICE and self.row_removal == ON:
            raise RulesetError(
                N_("column_removal=player_choice and row_removal=on cannot be combined"),
                knobs=("column_removal", "row_removal"),
            )
        if self.penalty_scope == TOTAL and self.penalty_multiplier > LARGEST_OF_TOTAL:
            raise RulesetError(
                N_("with penalty_scope=total penalty_multiplier is at most {most}, not '{text}'"),
                knobs=("penalty_multiplier", "penalty_scope"),
                most=LARGEST_OF_TOTAL,
                text=self.penalty_multiplier,
            )

    @classmethod
    def preset(
        cls, name: str, overrides: Mapping[str, str | int | bool | None] | None = None
    ) -> Ruleset:
        """A preset by name, with knobs set as in its text form (numbers may be numbers).

        >>> Ruleset.preset("family", {"target": 50}).text()
        'family target=50'
        """
        if name not in PRESETS:
            raise RulesetError(
                N_("there is no preset '{name}'; the presets are: {names}"),
                name=name,
                names=", ".join(PRESETS),
            )
        numbers = {field.name: getattr(PRESETS[name].ruleset, field.name) for field in fields(cls)}
        for key, value in (overrides or {}).items():
            numbers[key] = knob(key).number(_as_text(value))
        return cls(**numbers)

    @classmethod
    def parse(cls, text: str) -> Ruleset:
        """Read what ``text()`` writes: a preset, then ``knob=value`` separated by blanks.

        Without a preset ``official`` is meant. Raises RulesetError.

        >>> Ruleset.parse("penalty_when=never").value("penalty_when")
        'never'
        """
        words = text.replace(",", " ").split()
        name = words.pop(0) if words and "=" not in words[0] else DEFAULT_PRESET
        overrides: dict[str, str] = {}
        for word in words:
            key, sign, value = word.partition("=")
            if not sign:
                raise RulesetError(N_("'{word}' is not of the form knob=value"), word=word)
            if key in overrides:
                raise RulesetError(N_("{knob} is set twice"), knob=key)
            overrides[key] = value
        return cls.preset(name, overrides)

    def text(self) -> str:
        """The shortest text for this ruleset: nearest preset plus overrides.

        >>> Ruleset.parse("family first_discard=face_down").text()
        'family-facedown'
        """
        name = self.nearest_preset()
        return " ".join([name, *(f"{key}={value}" for key, value in self.overrides(name).items())])

    def nearest_preset(self) -> str:
        """The preset from which the fewest knobs differ; the first one of several.

        >>> Ruleset(target=50).nearest_preset()
        'official'
        """
        return min(PRESETS, key=lambda name: len(self.overrides(name)))

    def overrides(self, preset: str) -> dict[str, str]:
        """The knobs in which this ruleset differs from a preset, with their values as text.

        >>> Ruleset(target=50).overrides("official")
        {'target': '50'}
        """
        base = PRESETS[preset].ruleset
        return {
            entry.name: self.value(entry.name)
            for entry in KNOBS
            if getattr(self, entry.name) != getattr(base, entry.name)
        }

    def value(self, name: str) -> str:
        """The value of a knob as text.

        >>> Ruleset().value("max_rounds")
        'none'
        """
        number: int = getattr(self, knob(name).name)
        return knob(name).text(number)


def _as_text(value: str | int | bool | None) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "none" if value is None else str(value)


@dataclass(frozen=True, slots=True)
class Preset:
    """A named ruleset with a sentence for people."""

    name: str
    says: str
    ruleset: Ruleset


DEFAULT_PRESET: Final = "official"

_FAMILY: Final = {
    "next_starter": ROUND_WINNER,
    "flip_after_discard": OPTIONAL,
    "penalty_when": NOT_LOWEST,
    "penalty_nonpositive": APPLY,
}
_FAMILY_PLAIN: Final = {**_FAMILY, "column_removal": OFF, "columns_at_final_reveal": OFF}

#: All presets by name, in the order in which they are offered (rules 1).
PRESETS: Final[dict[str, Preset]] = {
    preset.name: preset
    for preset in (
        Preset(
            "official",
            N_(
                "The printed rules: equal columns go, whoever closes the round starts the next one."
            ),
            Ruleset(),
        ),
        Preset(
            "official-fr",
            N_("As the French leaflet has it: the highest opening sum starts every round."),
            Ruleset(next_starter=HIGHEST_SUM),
        ),
        Preset(
            "plain",
            N_("Without columns: every card counts."),
            Ruleset(column_removal=OFF, columns_at_final_reveal=OFF),
        ),
        Preset(
            "family",
            N_("Relaxed: no columns, turning a card after discarding is optional, a tie is free."),
            Ruleset(**_FAMILY_PLAIN),
        ),
        Preset("family-columns", N_("Relaxed, and equal columns go."), Ruleset(**_FAMILY)),
        Preset(
            "family-facedown",
            N_("Relaxed, and the first card of the discard pile lies face down."),
            Ruleset(**_FAMILY_PLAIN, first_discard=FACE_DOWN),
        ),
        Preset(
            "lenient",
            N_("Equal columns go, and a tie with the closing player is not punished."),
            Ruleset(penalty_when=NOT_LOWEST),
        ),
    )
}
