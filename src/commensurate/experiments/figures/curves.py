"""Error against the number of questions: one curve an algorithm, one panel a data set."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from commensurate.errors import InvalidInput
from commensurate.report.style import (
    BOUND_COLOUR,
    GREY,
    PALE,
    WIDTH,
    colours_of,
    head,
    legend_below,
    markers_of,
    our_style,
)
from commensurate.wording import short_count

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# labels at the curves' ends need this share of the axis's height each
LABEL_HEIGHT = 0.075
SHORT_SCALE = 300.0


@dataclass(frozen=True, slots=True)
class Curve:
    """Errors of one algorithm after so many questions."""

    name: str
    questions: Sequence[float]
    errors: Sequence[float]

    def __post_init__(self) -> None:
        if len(self.questions) == 0 or len(self.errors) != len(self.questions):
            raise InvalidInput(
                f"the curve {self.name!r} needs at least one point and one error per number of questions, "
                f"got {len(self.questions)} numbers of questions and {len(self.errors)} errors"
            )
        if min(self.questions) <= 0 or min(self.errors) <= 0:
            raise InvalidInput(
                f"the curve {self.name!r} goes on logarithmic axes, so questions and errors must be positive; "
                "leave out points whose error is 0"
            )


@dataclass(frozen=True, slots=True)
class Mark:
    """A named horizontal line, such as the error that the paper prints."""

    name: str
    value: float


@dataclass(frozen=True, slots=True)
class Band:
    """A named range of numbers of questions, such as what one person can answer."""

    name: str
    low: float
    high: float


ONE_PERSON = Band("what one person can answer: 50–2,000", 50.0, 2000.0)


@dataclass(frozen=True, slots=True)
class CurvePanel:
    """The curves of one data set."""

    title: str
    curves: Sequence[Curve]
    marks: Sequence[Mark] = ()


def draw_curves(
    panels: Sequence[CurvePanel], *, measure: str = "mean absolute error / ε", band: Band | None = None
) -> Figure:
    """Draw the panels side by side on one logarithmic scale; ``measure`` says what the height is.

    >>> figure = draw_curves([CurvePanel("Adult", [Curve("NAIVE", (100, 10_000), (4.0, 1.0))])])
    >>> figure.axes[0].get_yscale()
    'log'
    """
    names = list(dict.fromkeys(curve.name for panel in panels for curve in panel.curves))
    with our_style():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(WIDTH, 3.7), layout="constrained")
        figure.set_label(
            f"{measure} against the number of questions, for {', '.join(names)}; "
            f"panels: {'; '.join(panel.title for panel in panels)}"
        )
        row = figure.subplots(1, len(panels), squeeze=False, sharey=True)[0]
        for axes, panel in zip(row, panels):
            _draw(axes, panel, names, measure, band)
        direct = all(_ends_apart(panel, row[0].get_ylim()) for panel in panels)
        if direct:
            for axes, panel in zip(row, panels):
                _label_ends(axes, panel, names)
        if wanted := ([] if direct else names) + ([band.name] if band is not None else []):
            legend_below(figure, wanted)
    return figure


def _draw(axes: Any, panel: CurvePanel, names: list[str], measure: str, band: Band | None) -> None:
    colours, markers = colours_of(names), markers_of(names)
    axes.set(xscale="log", yscale="log")
    if band is not None:
        axes.axvspan(band.low, band.high, color=PALE, alpha=0.7, linewidth=0.0, label=band.name)
    for curve in panel.curves:
        axes.plot(
            curve.questions,
            curve.errors,
            color=colours[curve.name],
            marker=markers[curve.name],
            markersize=4.0,
            linewidth=1.6,
            label=curve.name,
        )
    for mark in panel.marks:
        _draw_mark(axes, mark)
    axes.grid(axis="y")
    _set_ticks(axes.xaxis, short_count)
    _set_ticks(axes.yaxis, lambda value: f"{value:g}")
    axes.set_xlabel("questions")
    head(axes, panel.title, measure)


def _draw_mark(axes: Any, mark: Mark) -> None:
    axes.axhline(mark.value, color=BOUND_COLOUR, linewidth=1.1, linestyle="--")
    axes.annotate(
        mark.name,
        (0.0, mark.value),
        xytext=(3.0, 2.0),
        xycoords=axes.get_yaxis_transform(),
        textcoords="offset points",
        color=GREY,
        fontsize=8.0,
        va="bottom",
    )


def _set_ticks(axis: Any, name: Callable[[float], str]) -> None:
    """Name powers of ten, and on a short scale 2 and 5 between them too:
    with one name alone nothing can be read off.
    """
    from matplotlib.ticker import LogLocator, NullLocator

    low, high = axis.get_view_interval()
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high / low < SHORT_SCALE else (1.0,)))
    axis.set_major_formatter(lambda value, _: name(value))
    axis.set_minor_locator(NullLocator())


def _ends_apart(panel: CurvePanel, limits: tuple[float, float]) -> bool:
    """Return whether labels at the right ends of the curves would not overlap."""
    height = math.log(limits[1] / limits[0])
    ends = sorted(math.log(curve.errors[-1]) for curve in panel.curves)
    return all(after - before >= LABEL_HEIGHT * height for before, after in pairwise(ends))


def _label_ends(axes: Any, panel: CurvePanel, names: list[str]) -> None:
    colours = colours_of(names)
    for curve in panel.curves:
        axes.annotate(
            curve.name,
            (curve.questions[-1], curve.errors[-1]),
            xytext=(5.0, 0.0),
            textcoords="offset points",
            color=colours[curve.name],
            va="center",
            fontweight="bold",
        )
