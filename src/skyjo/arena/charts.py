"""Pictures as SVG text, drawn by matplotlib; the same figures give the same bytes."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from skyjo.arena.intervals import Estimate

#: Colours that people with any kind of colour vision tell apart (Okabe and Ito), and line styles
#: for those who see none.
COLOURS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
STYLES: Final = ("solid", "dashed", "dotted", "dashdot")


def intervals(values: Mapping[str, Estimate], label: str) -> str:
    """A point with its interval for every name, the first one on top."""

    def draw(axes: Any) -> None:
        for place, estimate in enumerate(values.values()):
            axes.plot([estimate.low, estimate.high], [place, place], color="#444444")
            axes.plot(estimate.value, place, "o", color=COLOURS[0])
        axes.set_yticks(range(len(values)), list(values))
        axes.invert_yaxis()
        axes.set_xlabel(label)
        axes.grid(axis="x", alpha=0.3)

    return drawn(draw, height=0.6 + 0.42 * len(values))


def distributions(
    counts: Mapping[str, NDArray[np.int64]],
    places: NDArray[np.int64],
    labels: tuple[str, str],
    width: int = 1,
) -> str:
    """How often whole numbers come, as a line for every name; shares of all.

    ``width`` numbers are taken together: doubled scores are even, which makes a saw of every line.
    """
    whole = len(places) // width * width
    places = places[:whole:width]
    counts = {name: found[:whole].reshape(-1, width).sum(axis=1) for name, found in counts.items()}

    def draw(axes: Any) -> None:
        for number, (name, found) in enumerate(counts.items()):
            axes.plot(
                places + (width - 1) / 2,
                found / max(1, found.sum()),
                label=name,
                color=COLOURS[number % len(COLOURS)],
                linestyle=STYLES[number // len(COLOURS) % len(STYLES)],
            )
        everything = sum(counts.values(), np.zeros_like(places))
        axes.set_xlim(*_span(everything, places))
        axes.set_ylim(bottom=0)
        axes.set_xlabel(labels[0])
        axes.set_ylabel(labels[1])
        axes.grid(alpha=0.3)
        if len(counts) > 1:
            axes.legend(frameon=False)

    return drawn(draw, height=3.6)


def bars(counts: NDArray[np.int64], labels: tuple[str, str]) -> str:
    """How often each whole number from 0 comes, as bars; shares of all."""

    def draw(axes: Any) -> None:
        places = np.arange(len(counts))
        axes.bar(places, counts / max(1, counts.sum()), color=COLOURS[0])
        low, high = _span(counts, places)
        axes.set_xlim(low + 0.5, high - 0.5)
        axes.locator_params(axis="x", integer=True)
        axes.set_xlabel(labels[0])
        axes.set_ylabel(labels[1])
        axes.grid(axis="y", alpha=0.3)

    return drawn(draw, height=3.0)


def lines(
    places: Sequence[int], values: Mapping[str, Sequence[tuple[float, float]]], label: str
) -> str:
    """Means with half their intervals at whole numbers, a line for every name."""

    def draw(axes: Any) -> None:
        for number, (name, found) in enumerate(values.items()):
            axes.errorbar(
                places,
                [mean for mean, _half in found],
                yerr=[half for _mean, half in found],
                label=name,
                marker="o",
                capsize=3,
                color=COLOURS[number % len(COLOURS)],
                linestyle=STYLES[number % len(STYLES)],
            )
        axes.set_xticks(list(places))
        axes.set_xlabel(label)
        axes.set_ylim(bottom=0)
        axes.grid(alpha=0.3)
        axes.legend(frameon=False)

    return drawn(draw, height=3.6)


def _span(counts: NDArray[np.int64], places: NDArray[np.int64]) -> tuple[float, float]:
    """Where 99.9 % of everything lies."""
    total = counts.sum()
    if total == 0:
        return float(places[0]), float(places[-1])
    summed = np.cumsum(counts) / total
    low, high = np.searchsorted(summed, (0.0005, 0.9995))
    return float(places[low]) - 1, float(places[min(high, len(places) - 1)]) + 1


def drawn(draw: Callable[[Any], None], height: float) -> str:
    """The SVG of axes that ``draw`` has filled; ``height`` in inches."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({"svg.hashsalt": "skyjo", "svg.fonttype": "none", "font.size": 10}):
        figure = Figure(figsize=(7.5, height), layout="constrained")
        draw(figure.subplots())
        written = io.StringIO()
        figure.savefig(written, format="svg", metadata={"Date": None, "Creator": None})
    svg = written.getvalue()
    return re.sub(r"^.*?(?=<svg )", "", svg, flags=re.DOTALL)


def numbered(svgs: Sequence[str]) -> list[str]:
    """Pictures for one page: every name inside belongs to one of them only."""
    found = []
    for number, svg in enumerate(svgs):
        named = re.sub(r'\bid="', f'id="f{number}-', svg)
        named = re.sub(r'(href="#|url\(#)', rf"\g<1>f{number}-", named)
        found.append(named)
    return found
