"""The result of a tournament as JSON, and as a page that opens without a network."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import skyjo
from skyjo.arena import charts
from skyjo.arena.intervals import Estimate
from skyjo.arena.tally import ArenaResult, BotResult, Tally, score_axis
from skyjo.bots.process import lost_in_words
from skyjo.i18n import _, current_language

#: How many names a cross table takes before it no longer fits on a page.
WIDEST_TABLE: Final = 16


def as_json(tally: Tally) -> dict[str, Any]:
    """Everything that can be counted; numbers that nobody knows yet are null."""
    result = tally.result()
    setting = tally.setting
    return {
        "bots": {
            bot.name: {
                "games": bot.games,
                "wins": bot.wins.value,
                "wins_low": bot.wins.low,
                "wins_high": bot.wins.high,
                **_estimate("points_per_round", bot.points_per_round),
                **_estimate("penalties_per_round", bot.penalties_per_round),
                **_estimate("rating", bot.rating),
                "rounds": bot.rounds,
                "faults": dict(bot.faults),
            }
            for bot in result.bots
        },
        "pairs": [
            {
                "bots": [pair.first, pair.second],
                "games": pair.games,
                **_estimate("difference", pair.difference),
            }
            for pair in result.pairs
            if pair.games
        ],
        "games": result.games,
        "rounds": result.rounds,
        "limited_rounds": result.limited,
        "rounds_per_game": result.rounds / max(1, result.games),
        "line_ups": [list(line_up) for line_up in setting.line_ups],
        "ruleset": setting.ruleset.text(),
        "seed": setting.seed,
        "skyjo": skyjo.__version__,
    }


def _estimate(name: str, estimate: Estimate) -> dict[str, float | None]:
    parts = {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
    return {key: value if math.isfinite(value) else None for key, value in parts.items()}


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture with its heading and what it shows, in words."""

    heading: str
    says: str
    svg: str


def as_page(tally: Tally) -> str:
    """The report in the reader's language, one file that needs nothing else."""
    from jinja2 import Environment, PackageLoader, select_autoescape

    result = tally.result()
    environment = Environment(
        loader=PackageLoader("skyjo.arena"),
        autoescape=select_autoescape(),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["_"] = _
    names = [bot.name for bot in result.ranking]
    return environment.get_template("report.html").render(
        language=current_language(),
        tally=tally,
        result=result,
        ranking=result.ranking,
        pictures=pictures(result),
        crossing=crossing(result, names) if len(names) <= WIDEST_TABLE else [],
        names=names,
        version=skyjo.__version__,
        plain=_plain,
        span=span,
        grouped=grouped,
        in_words=in_words,
        faults=[bot for bot in result.ranking if bot.faults],
    )


def pictures(result: ArenaResult) -> list[Picture]:
    """Ratings and shares with intervals, score distributions, rounds per game."""
    ranking = result.ranking
    drawn = [
        (
            _("Share of games won"),
            _("A point for each bot, with its 95 % interval."),
            charts.intervals({bot.name: bot.wins for bot in ranking}, _("share of games won")),
        ),
        (
            _("Rating"),
            _("A point for each bot, with its 95 % interval; 25 is an average bot."),
            charts.intervals({bot.name: bot.rating for bot in ranking}, _("rating")),
        ),
        (
            _("Points in a round"),
            _("How often each bot makes how many points in a round, penalties included."),
            charts.distributions(
                {bot.name: bot.scores for bot in ranking},
                score_axis(),
                (_("points in a round"), _("share of rounds")),
                width=4,
            ),
        ),
        (
            _("Rounds in a game"),
            _("How many rounds the games took."),
            charts.bars(result.lengths, (_("rounds in a game"), _("share of games"))),
        ),
    ]
    named = charts.numbered([svg for _heading, _says, svg in drawn])
    return [
        Picture(heading, says, svg) for (heading, says, _svg), svg in zip(drawn, named, strict=True)
    ]


def crossing(result: ArenaResult, names: Sequence[str]) -> list[list[Estimate | None]]:
    """The row's share of the win less the column's, in the games that both played."""
    found: dict[tuple[str, str], Estimate] = {}
    for pair in result.pairs:
        if pair.games:
            value = pair.difference
            found[pair.first, pair.second] = value
            found[pair.second, pair.first] = Estimate(-value.value, -value.high, -value.low)
    return [[found.get((row, column)) for column in names] for row in names]


def percent(estimate: Estimate) -> str:
    """A share with its interval.

    >>> percent(Estimate(0.5, 0.45, 0.55))
    '50.0 % (45.0 to 55.0)'
    """
    return _(
        "{value} % ({low} to {high})",
        value=_plain(100 * estimate.value),
        low=_plain(100 * estimate.low),
        high=_plain(100 * estimate.high),
    )


def number(estimate: Estimate, places: int = 2) -> str:
    """A number with its interval."""
    return _(
        "{value} ({low} to {high})",
        value=_plain(estimate.value, places),
        low=_plain(estimate.low, places),
        high=_plain(estimate.high, places),
    )


def span(estimate: Estimate, places: int = 1, scale: float = 1.0) -> str:
    """An interval without its middle.

    >>> span(Estimate(0.5, 0.45, 0.55), scale=100)
    '45.0 to 55.0'
    """
    low, high = scale * estimate.low, scale * estimate.high
    return _("{low} to {high}", low=_plain(low, places), high=_plain(high, places))


def grouped(count: int) -> str:
    """A large count, thousands apart."""
    return f"{count:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def _plain(value: float, places: int = 1, sign: str = "-") -> str:
    if not math.isfinite(value):
        return "?"
    return f"{value:{sign}.{places}f}".replace("-", "\N{MINUS SIGN}")


def in_words(bot: BotResult) -> str:
    """The decisions that a program has lost, for a person."""
    return lost_in_words(bot.faults)
