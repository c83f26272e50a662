"""The sentences of the pad's pages."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from skyjo import words
from skyjo.i18n import N_, _, current_language, ngettext
from skyjo.rules.ruleset import HIGHEST_SUM
from skyjo.scorepad.entry import Entry
from skyjo.scorepad.model import Change
from skyjo.scorepad.reckoning import Reckoning
from skyjo.scorepad.scene import PadScene
from skyjo.web.cards import number
from skyjo.web.words import isolate

#: What a step that was taken back is called.
_STEPS: Final = {
    "round_saved": (N_("Undone: the round was entered."), N_("Redone: the round is there again.")),
    "round_corrected": (
        N_("Undone: the round was corrected."),
        N_("Redone: the correction holds again."),
    ),
    "round_removed": (N_("Undone: the round was removed."), N_("Redone: the round is gone again.")),
}
#: Changes whose sentence names the player already.
_TELL_THEMSELVES: Final = frozenset({"renamed", "player_left", "player_back", "keeper_added"})
#: Changes that need no more than the player whom they are about.
_ABOUT: Final = {
    "ended": N_("The game was ended."),
    "reopened": N_("The game goes on."),
    "player_left": N_("{player} went home."),
    "player_back": N_("{player} is back."),
    "circle_chosen": N_("The pad counts for a circle now."),
    "circle_left": N_("The pad counts for no circle any more."),
}
ENTERING: Final = {
    "keeper": N_("Only this device enters the points"),
    "own": N_("Everybody may enter their own points"),
    "all": N_("Everybody with the link may enter everything"),
}


def names_of(scene: PadScene) -> list[str]:
    """The players' names, as they may stand in sentences."""
    return [isolate(name) for name in scene.names]


def entering_label(mode: str) -> str:
    """Who may enter points.

    >>> entering_label("own")
    'Everybody may enter their own points'
    """
    return _(ENTERING[mode])


def tell_line(reckoning: Reckoning, at: int, names: Sequence[str]) -> str:
    """How a round ended, with the penalty or what became of it instead."""
    line = reckoning.sheet.rounds[at]
    seat = line.finisher
    if seat is None or not reckoning.overruled[at]:
        return words.tell_round(line, names)
    if not line.penalised:
        return _("{player} closed the round; the penalty is waived.", player=names[seat])
    if line.points[seat] == line.raw[seat]:
        return _(
            "{player} closed the round and gets the penalty all the same: the total becomes"
            " {total}.",
            player=names[seat],
            total=number(line.totals[seat]),
        )
    return _(
        "{player} closed the round and gets the penalty all the same: {raw} count as {points}.",
        player=names[seat],
        raw=number(line.raw[seat]),
        points=number(line.points[seat]),
    )


def tell_starter(scene: PadScene) -> str:
    """Who begins the coming round."""
    starter = scene.reckoning.starter
    if starter is not None:
        return _(
            "Round {number}: {player} starts.",
            number=scene.number,
            player=names_of(scene)[starter],
        )
    if scene.number == 1 or scene.ruleset.next_starter == HIGHEST_SUM:
        return _("Round {number}: whoever shows the highest two cards starts.", number=scene.number)
    return _("Round {number} is next.", number=scene.number)


def tell_leader(scene: PadScene) -> str:
    """Who leads, and how far the end is away."""
    sheet = scene.reckoning.sheet
    if not sheet.rounds:
        return ""
    leaders = [names_of(scene)[seat] for seat in sheet.leaders]
    lowest = number(sheet.totals[sheet.leaders[0]])
    left = min(points for points, gone in zip(scene.to_target, scene.left, strict=True) if not gone)
    if len(leaders) == 1:
        return ngettext(
            "{player} leads with {total}; {n} point to the end.",
            "{player} leads with {total}; {n} points to the end.",
            left,
            player=leaders[0],
            total=lowest,
        )
    return ngettext(
        "{names} lead with {total}; {n} point to the end.",
        "{names} lead with {total}; {n} points to the end.",
        left,
        names=words.list_of(leaders),
        total=lowest,
    )


def tell_entry(entry: Entry | None) -> str:
    """The points of a round in one line.

    >>> tell_entry(Entry((5, -3, None)))
    '5, −3, –'
    """
    return "" if entry is None else ", ".join(number(points) for points in entry.points)


def tell_typed(scene: PadScene, seat: int) -> str:
    """What is noted for a player of the coming round, for whoever cannot see it."""
    points, player = scene.draft.points[seat], names_of(scene)[seat]
    if points is None:
        return _("The points of {player} are empty again.", player=player)
    return ngettext(
        "{player} has {points} point in this round.",
        "{player} has {points} points in this round.",
        abs(points),
        player=player,
        points=number(points),
    )


def tell_closer(scene: PadScene) -> str:
    """Who is marked as having closed the coming round."""
    if scene.draft.closer < 0:
        return _("Nobody is marked as having closed the round.")
    player = names_of(scene)[scene.draft.closer]
    return _("{player} is marked as having closed the round.", player=player)


def tell_change(scene: PadScene, change: Change) -> str:
    """A line of the history."""
    names = names_of(scene)
    before, after = tell_entry(change.before), tell_entry(change.after)
    about = names[change.by] if change.by >= 0 else ""
    match change.what:
        case "round_saved":
            return _("Round {number} entered: {points}.", number=change.number, points=after)
        case "round_corrected":
            return _corrected(change, before, after)
        case "round_removed":
            return _("Round {number} removed: {points}.", number=change.number, points=before)
        case "undone" | "redone":
            return _(_STEPS[change.text][change.what == "redone"])
        case "renamed":
            return _("{before} is called {after} now.", before=isolate(change.text), after=about)
        case "ruleset_chosen":
            return _("Other rules were chosen: {ruleset}", ruleset=change.text)
        case "keeper_added":
            return _kept_by(change, about)
    return _(_ABOUT[change.what], player=about)


def _kept_by(change: Change, about: str) -> str:
    if change.text == "away":
        if about:
            return _("Nobody who keeps the pad was there, so {player} took it over.", player=about)
        return _("Nobody who keeps the pad was there, so another device took it over.")
    if about:
        return _("{player} keeps the pad, too.", player=about)
    return _("One more device keeps the pad.")


def _corrected(change: Change, before: str, after: str) -> str:
    if before != after:
        return _(
            "Round {number} corrected: {before} became {after}.",
            number=change.number,
            before=before,
            after=after,
        )
    return _("Round {number} corrected: who closed it, or the penalty.", number=change.number)


def who_did(scene: PadScene, change: Change) -> str:
    """By whom, where a player's own device did it."""
    if change.by < 0 or change.what in _TELL_THEMSELVES:
        return ""
    return names_of(scene)[change.by]


def ranking(scene: PadScene) -> list[tuple[int | None, int]]:
    """Ranks and seats, the winner first, who went home last."""
    ranks = scene.reckoning.sheet.ranks
    seats = sorted(range(len(ranks)), key=lambda seat: (ranks[seat] or 99, seat))
    return [(ranks[seat], seat) for seat in seats]


def pad_title(scene: PadScene) -> str:
    """What the tab says."""
    if scene.is_over:
        return _("The game is over – Skyjo")
    return _("Score pad, round {number} – Skyjo", number=scene.number)


def mean(value: float | None) -> str:
    """A mean with one digit behind the mark of the reader's language.

    >>> mean(12.25), mean(-0.5), mean(None)
    ('12.2', '−0.5', '–')
    """
    if value is None:
        return number(None)
    text = f"{abs(value):.1f}"
    mark = "." if current_language() == "en" else ","
    sign = "\N{MINUS SIGN}" if value < 0 and text != "0.0" else ""
    return sign + text.replace(".", mark)


def day(at: float) -> str:
    """The day of a time, as it is written everywhere.

    >>> day(0)
    '1970-01-01'
    """
    return datetime.fromtimestamp(at, UTC).date().isoformat()


FILTERS: Final = {"mean": mean, "day": day}

#: What the templates call.
FOR_TEMPLATES: Final = {
    "pad_names": names_of,
    "pad_title": pad_title,
    "pad_ranking": ranking,
    "entering_label": entering_label,
    "ENTERING": tuple(ENTERING),
    "tell_line": tell_line,
    "tell_starter": tell_starter,
    "tell_leader": tell_leader,
    "tell_change": tell_change,
    "tell_typed": tell_typed,
    "tell_closer": tell_closer,
    "who_did": who_did,
}
