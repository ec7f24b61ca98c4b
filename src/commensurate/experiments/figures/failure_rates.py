"""The theorems beside what was measured: how often the learners fail, and how often any learner must."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from commensurate.errors import InvalidInput
from commensurate.report.style import ALARM, GREY, WIDTH, colours_of, head, legend_below, markers_of, our_style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMNS = 3
ALARM_INK = "#8f3a26"
RARE_MASS_TEXT: dict[str, Any] = {"color": ALARM_INK, "fontsize": 7.5, "ha": "right", "va": "bottom"}


@dataclass(frozen=True, slots=True)
class FailurePoint:
    """One world: the theorem's bound on the failure probability, and the failure rate that was measured in it."""

    family: str
    algorithm: str
    rare_mass: float
    bound: float
    measured: float
    standard_error: float | None


@dataclass(frozen=True, slots=True)
class FloorPoint:
    """A learner in a world built to be hard: how often it fails, and how often, on average over σ, any learner must."""

    questions: float
    measured: float
    standard_error: float | None
    floor: float


def draw_failure_rates(points: Sequence[FailurePoint]) -> Figure:
    """Draw measured failure rates against the theorem's bound, one panel a family;
    above the diagonal it would be broken.

    >>> figure = draw_failure_rates([FailurePoint("atoms", "NAIVE", 0.0, 0.2, 0.01, 0.002)])
    >>> figure.axes[0].get_title(loc="left")
    'atoms'
    """
    if not points:
        raise InvalidInput("there must be at least one measured failure rate to draw, got none")
    families = list(dict.fromkeys(point.family for point in points))
    algorithms = list(dict.fromkeys(point.algorithm for point in points))
    n_columns = min(COLUMNS, len(families))
    n_rows = -(-len(families) // n_columns)
    end = 1.12 * max(max(point.bound, point.measured + _whisker(point)) for point in points)
    with our_style():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(WIDTH, 0.4 + 3.1 * n_rows), layout="constrained")
        figure.set_label(_in_words(points))
        grid = figure.subplots(n_rows, n_columns, squeeze=False, sharex=True, sharey=True).ravel()
        for axes, family in zip(grid, families):
            _draw_family(axes, family, [point for point in points if point.family == family], algorithms, end)
        for axes in grid[len(families) :]:
            axes.set_axis_off()
        legend_below(figure, algorithms)
    return figure


def draw_floor(curve: Sequence[FloorPoint], others: Mapping[str, FloorPoint]) -> Figure:
    """Draw the failure rate of a learner against its questions, those of others, and,
    shaded, what no learner can reach.

    >>> figure = draw_floor([FloorPoint(10, 0.48, 0.01, 0.45), FloorPoint(20, 0.47, 0.01, 0.4)], {})
    >>> figure.axes[0].get_xlabel()
    'questions'
    """
    if not curve:
        raise InvalidInput("there must be at least one measured failure rate to draw, got none")
    questions = [point.questions for point in curve]
    measured, floor = [point.measured for point in curve], [point.floor for point in curve]
    colours, markers = colours_of(list(others)), markers_of(list(others))
    with our_style():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(WIDTH * 0.75, 3.4), layout="constrained")
        figure.set_label(
            f"Failure rate against questions: measured {min(measured):.3g} to {max(measured):.3g}, "
            f"floor for every learner {min(floor):.3g} to {max(floor):.3g}"
        )
        axes = figure.subplots()
        axes.fill_between(questions, 0.0, floor, color=ALARM, linewidth=0.0)
        axes.plot(questions, floor, color=ALARM_INK, linewidth=1.0, linestyle="--")
        axes.errorbar(
            questions,
            measured,
            yerr=[_whisker(point) for point in curve],
            color=GREY,
            marker="o",
            markersize=4.0,
            linewidth=1.4,
            elinewidth=1.0,
        )
        for name, point in others.items():
            axes.errorbar(
                point.questions,
                point.measured,
                yerr=_whisker(point),
                color=colours[name],
                marker=markers[name],
                markersize=7.0,
                clip_on=False,
            )
            axes.annotate(
                name,
                (point.questions, point.measured),
                xytext=(0.0, 16.0),
                textcoords="offset points",
                ha="center",
                color=colours[name],
            )
        axes.set(xlabel="questions", ylim=(0.0, 1.12 * max(*measured, *floor, 1e-9)))
        _write_beside(axes, "on average over σ no learner fails less often", (questions[0], 0.0), ALARM_INK)
        _write_beside(axes, "a learner that asks about all pairs of some elements", (questions[0], measured[0]), GREY)
        axes.xaxis.set_major_formatter("{x:,.0f}")
        head(axes, "A world built to be hard", "failure rate; bars are ± 2 standard errors")
    return figure


def _draw_family(axes: Any, family: str, points: list[FailurePoint], algorithms: list[str], end: float) -> None:
    colours, markers = colours_of(algorithms), markers_of(algorithms)
    axes.fill_between([0.0, end], [0.0, end], [end, end], color=ALARM, linewidth=0.0)
    axes.plot([0.0, end], [0.0, end], color=ALARM_INK, linewidth=1.0)
    axes.text(0.03, 0.97, "more often than\nthe theorem allows", transform=axes.transAxes, va="top", color=ALARM_INK)
    for bound in sorted({point.bound for point in points}):
        # where the theorem allows everything, several rare masses have the same bound
        masses = ", ".join(f"{mass:.2g}" for mass in sorted({each.rare_mass for each in points if each.bound == bound}))
        axes.annotate(masses, (bound, bound), xytext=(-4.0, 1.0), textcoords="offset points", **RARE_MASS_TEXT)
    for number, algorithm in enumerate(algorithms):
        ours = [point for point in points if point.algorithm == algorithm]
        axes.errorbar(
            [point.bound for point in ours],
            [point.measured for point in ours],
            yerr=[_whisker(point) for point in ours],
            fmt=markers[algorithm],
            color=colours[algorithm],
            # full and hollow in turn, so that equal rates do not hide each other
            markerfacecolor=colours[algorithm] if number % 2 == 0 else "none",
            markersize=4.0 if number % 2 == 0 else 7.0,
            elinewidth=1.0,
            label=algorithm,
            clip_on=False,
        )
    axes.set(xlim=(0.0, end), ylim=(0.0, end), xlabel="the theorem's bound, min(1, 2δ + p + p′)")
    axes.tick_params(labelleft=True, labelbottom=True)
    head(axes, family, "failure rate (on the line: rare mass)")


def _whisker(point: FailurePoint | FloorPoint) -> float:
    """Return two standard errors; a rate that was measured once has none."""
    return 2.0 * (point.standard_error or 0.0)


def _write_beside(axes: Any, words: str, at: tuple[float, float], colour: str) -> None:
    axes.annotate(words, at, xytext=(8.0, 7.0), textcoords="offset points", color=colour)


def _in_words(points: Sequence[FailurePoint]) -> str:
    above = sum(point.measured > point.bound for point in points)
    return f"Measured failure rates against the theorem's bound: {above} of {len(points)} lie above it"
