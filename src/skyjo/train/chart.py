"""The learning curve as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from skyjo.arena import charts
from skyjo.i18n import _


def learning_curve(history: Sequence[Sequence[float]]) -> str:
    """An SVG of ``Training.history``: points, turns and the error, by rounds played.

    >>> learning_curve([[4000, 10.0, 44.1, 30.2, 5.7], [8000, 20.0, 30.3, 22.9, 4.1]])[:4]
    '<svg'
    """
    from matplotlib.ticker import EngFormatter

    rounds = [line[0] for line in history]
    series = {
        _("Points of a seat in a round"): [line[2] for line in history],
        _("Turns of a seat in a round"): [line[3] for line in history],
        _("Error of its own points in a round"): [line[4] for line in history],
    }

    def draw(axes: Any) -> None:
        for number, (name, found) in enumerate(series.items()):
            axes.plot(
                rounds,
                found,
                label=name,
                color=charts.COLOURS[number],
                linestyle=charts.STYLES[number],
            )
        axes.xaxis.set_major_formatter(EngFormatter(sep=" "))
        axes.set_xlabel(_("Rounds"))
        axes.set_ylim(bottom=0)
        axes.grid(alpha=0.3)
        axes.legend(frameon=False)

    return charts.drawn(draw, height=3.6)
