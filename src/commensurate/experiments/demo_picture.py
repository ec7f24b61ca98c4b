"""The demo's results as a picture, or as text where matplotlib is missing.

It shows estimates with intervals, how far off they are, and what more answers would bring.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from commensurate.arrays import FloatArray
from commensurate.experiments.demo import BUDGETED, CLUSTER, DemoResults
from commensurate.experiments.figures.curves import Curve
from commensurate.report.style import BOUND_COLOUR, SPARE_COLOURS, colours_of, head, legend_below, markers_of, our_style
from commensurate.wording import percent, short_count

# a README shows pictures about 860 pixels wide: with wider figures the letters would get too small
SIZE = (10.5, 3.9)
DOTS_PER_INCH = 160
TRUTH_COLOUR = SPARE_COLOURS[1]
# errors are shown on a logarithmic scale; what is smaller is as good as nothing
SMALLEST_ERROR = 3e-4


@dataclass(frozen=True, slots=True, eq=False)
class HeldOutPairs:
    """The truth of pairs that nobody was asked about, and what estimators say of them.

    ``lower`` and ``upper`` are the intervals of the estimator ``intervals_of``, whose estimates are shown one by one;
    ``error_bounds`` says how far off the estimates of ``bounds_of`` can be at most.
    """

    truth: FloatArray
    estimates: Mapping[str, FloatArray]
    intervals_of: str
    interval_name: str
    lower: FloatArray
    upper: FloatArray
    bounds_of: str
    error_bounds: FloatArray


def draw_held_out(pairs: HeldOutPairs, curves: Sequence[Curve], path: Path) -> None:
    """Draw the pairs, the distribution of errors, and the error against the number of answers.

    The file's suffix chooses its format.
    """
    names = list(pairs.estimates)
    bound_name = f"{pairs.bounds_of}: bound known without the truth"
    with our_style():
        from matplotlib.figure import Figure

        figure = Figure(figsize=SIZE, layout="constrained")
        left, middle, right = figure.subplots(1, 3, gridspec_kw={"wspace": 0.06})
        _draw_intervals(left, pairs, colours_of(names))
        _draw_errors(middle, pairs, colours_of(names), bound_name)
        _draw_curves(right, curves, colours_of(names), markers_of(names))
        legend_below(figure, [*names, bound_name, pairs.interval_name, "truth"])
        figure.savefig(path, dpi=DOTS_PER_INCH)


def _draw_intervals(axes: Any, pairs: HeldOutPairs, colours: Mapping[str, str]) -> None:
    axes.vlines(
        pairs.truth, pairs.lower, pairs.upper, color=BOUND_COLOUR, alpha=0.6, linewidth=1.2, label=pairs.interval_name
    )
    axes.plot(pairs.truth, pairs.estimates[pairs.intervals_of], ".", color=colours[pairs.intervals_of], markersize=3.0)
    end = float(pairs.truth.max()) * 1.03
    axes.plot([0.0, end], [0.0, end], color=TRUTH_COLOUR, linewidth=1.0, label="truth")
    axes.set(xlabel="true dissimilarity (0 = alike)", xlim=(0.0, end), ylim=(0.0, None))
    head(axes, "Pairs never asked about", f"{pairs.intervals_of}, estimate and interval")


def _draw_errors(axes: Any, pairs: HeldOutPairs, colours: Mapping[str, str], bound_name: str) -> None:
    for name, estimates in pairs.estimates.items():
        axes.ecdf(_visible(np.abs(estimates - pairs.truth)), color=colours[name], linewidth=1.8, label=name)
    axes.ecdf(_visible(pairs.error_bounds), color=BOUND_COLOUR, linewidth=1.5, linestyle="--", label=bound_name)
    axes.set(xscale="log", xlabel="off by at most", xlim=(SMALLEST_ERROR, None))
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.yaxis.set_major_formatter(lambda value, _: percent(value))
    axes.grid(axis="y")
    head(axes, "How far off the estimates are", "share of these pairs")


def _visible(errors: FloatArray) -> FloatArray:
    """Bring errors onto the logarithmic scale, which has no place for 0."""
    return np.maximum(errors, SMALLEST_ERROR)


def _draw_curves(axes: Any, curves: Sequence[Curve], colours: Mapping[str, str], markers: Mapping[str, str]) -> None:
    from matplotlib.ticker import LogLocator, NullLocator

    for curve in curves:
        axes.plot(
            curve.questions,
            curve.errors,
            color=colours[curve.name],
            marker=markers[curve.name],
            markersize=4.0,
            linewidth=1.8,
        )
    axes.set(xscale="log", yscale="log", xlabel="answers")
    axes.xaxis.set_major_formatter(lambda value, _: short_count(value))
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.yaxis.set_minor_locator(NullLocator())
    axes.grid(axis="y")
    head(axes, "What more answers give", "mean error on these pairs")


FULL, WIDTH = "█", 40


def text_cdf(errors: Mapping[str, NDArray[np.float64]], n_steps: int = 8) -> str:
    """Draw, for each name, the share of errors that are at most t, for some t.

    >>> print(text_cdf({"a": np.array([0.0, 1.0])}, n_steps=2))
    off by at most 0.5
      a   50 % ████████████████████
    off by at most 1
      a  100 % ████████████████████████████████████████
    """
    largest = max(float(values.max()) for values in errors.values())
    width = max(len(name) for name in errors)
    lines = []
    for t in np.linspace(0.0, largest, n_steps + 1)[1:]:
        lines.append(f"off by at most {t:.3g}")
        for name, values in errors.items():
            share = float(np.mean(values <= t))
            lines.append(f"  {name:<{width}} {percent(share):>6} {FULL * round(WIDTH * share)}")
    return "\n".join(lines)


def text_curves(curves: Sequence[Curve]) -> str:
    """Draw the error of each curve after so many answers, one bar a point.

    >>> print(text_curves([Curve("a", (10, 1000), (0.2, 0.05))]))
    a
         10 answers  0.2     ████████████████████████████████████████
      1,000 answers  0.05    ██████████
    """
    points = [
        (curve.name, f"{count:,}", error) for curve in curves for count, error in zip(curve.questions, curve.errors)
    ]
    largest = max(error for *_, error in points)
    width = max(len(count) for _, count, _ in points)
    lines: list[str] = []
    for name, count, error in points:
        if name not in lines:
            lines.append(name)
        lines.append(f"  {count:>{width}} answers  {error:<7.2g} {FULL * max(1, round(WIDTH * error / largest))}")
    return "\n".join(lines)


def draw_demo(results: DemoResults, path: Path) -> None:
    """Save the picture; the file's suffix chooses its format."""
    few_answers, bounded = results.judged[BUDGETED], results.judged[CLUSTER]
    assert bounded.error_bounds is not None
    pairs = HeldOutPairs(
        truth=few_answers.truth,
        estimates={name: one.estimates for name, one in results.judged.items()},
        intervals_of=BUDGETED,
        interval_name=f"{few_answers.interval} interval",
        lower=few_answers.lower,
        upper=few_answers.upper,
        bounds_of=CLUSTER,
        error_bounds=bounded.error_bounds,
    )
    draw_held_out(pairs, _curves(results), path)


def text_demo(results: DemoResults) -> str:
    """Return how far off the estimates are, and what more answers give, as text."""
    errors = {name: one.errors for name, one in results.judged.items()}
    return "\n\n".join(
        [
            "How far off the estimates are",
            text_cdf(errors, n_steps=4),
            "What more answers give: the mean error",
            text_curves(_curves(results)),
        ]
    )


def _curves(results: DemoResults) -> list[Curve]:
    return [
        Curve(name, [point.questions for point in points], [point.mean_error for point in points])
        for name, points in results.curves.items()
    ]
