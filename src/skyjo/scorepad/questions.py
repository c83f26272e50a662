"""What is strange about an entry: asked about before it is saved, never forbidden."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from skyjo.i18n import N_, _
from skyjo.rules.layout import CARD_COUNTS, COLUMNS, LOWEST, SLOTS
from skyjo.rules.ruleset import MANDATORY, Ruleset
from skyjo.scorepad.entry import Entry

#: By code: what is asked.
SENTENCES: Final = {
    "too_low": N_("{player}: {points} is less than twelve cards can have; the lowest is {least}."),
    "too_high": N_("{player}: {points} is more than twelve cards can have; the highest is {most}."),
    "all_too_low": N_("Together these are fewer points than all cards can have ({least})."),
    "all_too_high": N_("Together these are more points than the deck can have ({most})."),
    "nobody_closed": N_("Nobody is marked as having closed the round, so there is no penalty."),
    "same_again": N_("These are exactly the points of round {round}. Was it entered twice?"),
    "too_many": N_("The value {value} was tapped more often ({n}) than the deck has it ({most})."),
}


@dataclass(frozen=True, slots=True)
class Question:
    """Something strange: a ``code`` of ``SENTENCES`` with the values of its sentence."""

    code: str
    values: tuple[tuple[str, Any], ...] = ()

    def __str__(self) -> str:
        return _(SENTENCES[self.code], **dict(self.values))


def bounds(ruleset: Ruleset, grids: int = 1) -> tuple[int, int]:
    """The lowest and the highest sum that so many grids can have at the end of a round.

    >>> bounds(Ruleset()), bounds(Ruleset.preset("plain"))
    ((-17, 140), (-17, 142))
    """
    triples_go = ruleset.column_removal == MANDATORY and ruleset.columns_at_final_reveal
    most = 2 * COLUMNS * grids if triples_go else SLOTS * grids
    values = range(LOWEST, LOWEST + len(CARD_COUNTS))
    return (
        min(0, _greedy(values, grids, most)) if grids == 1 else _negatives(),
        _greedy(reversed(values), grids, most),
    )


def _greedy(values: Iterable[int], grids: int, most: int) -> int:
    """The sum of that many cards, taken in this order of values."""
    total, room = 0, SLOTS * grids
    for value in values:
        taken = min(CARD_COUNTS[value - LOWEST], most, room)
        total += value * taken
        room -= taken
    return total


def _negatives() -> int:
    """All cards below zero: whatever else is on the table can have gone as columns."""
    return sum(value * CARD_COUNTS[value - LOWEST] for value in range(LOWEST, 0))


def questions(
    ruleset: Ruleset, names: Sequence[str], entry: Entry, before: Sequence[Entry] = ()
) -> tuple[Question, ...]:
    """Everything strange about an entry that follows these rounds.

    >>> [each.code for each in questions(Ruleset(), ["Ana", "Ben"], Entry((-18, 3)))]
    ['too_low', 'nobody_closed']
    """
    return tuple(
        Question(code, tuple(values.items()))
        for code, values in _found(ruleset, names, entry, before)
    )


def _found(
    ruleset: Ruleset, names: Sequence[str], entry: Entry, before: Sequence[Entry]
) -> Iterator[tuple[str, dict[str, Any]]]:
    least, most = bounds(ruleset)
    played = [points for points in entry.points if points is not None]
    single = False
    for seat, points in enumerate(entry.points):
        if points is None:
            continue
        if points < least:
            yield "too_low", {"player": names[seat], "points": points, "least": least}
        if points > most:
            yield "too_high", {"player": names[seat], "points": points, "most": most}
        single = single or not least <= points <= most
    low, high = bounds(ruleset, len(played))
    if sum(played) < low and not single:
        yield "all_too_low", {"least": low}
    if sum(played) > high and not single:
        yield "all_too_high", {"most": high}
    if entry.closer < 0 and not ruleset.turn_limit:
        yield "nobody_closed", {}
    if before and before[-1].points == entry.points and any(played):
        yield "same_again", {"round": len(before)}
    yield from _of_cards(entry)


def _of_cards(entry: Entry) -> Iterator[tuple[str, dict[str, Any]]]:
    tapped = Counter(card for cards in entry.cards for card in cards if card is not None)
    for value in sorted(tapped):
        exist = CARD_COUNTS[value - LOWEST]
        if tapped[value] > exist:
            yield "too_many", {"value": value, "n": tapped[value], "most": exist}
