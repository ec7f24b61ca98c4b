"""Pictures drawn with matplotlib."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from commensurate.extras import require
from commensurate.report.style import ALGORITHM_COLOURS, BOUND_COLOUR, quiet

FloatArray = NDArray[np.float64]
COLOURS = (ALGORITHM_COLOURS["NAIVE"], ALGORITHM_COLOURS["CLUSTER"])


def draw_held_out(
    truth: FloatArray,
    estimates: Mapping[str, FloatArray],
    lower: FloatArray,
    upper: FloatArray,
    error_bounds: FloatArray,
    path: Path,
) -> None:
    """Draw estimates against the truth with certified intervals, and how often errors are how large.

    ``lower``, ``upper`` and ``error_bounds`` belong to the last of the ``estimates``; the file's suffix chooses its format.
    """
    require("matplotlib", extra="plots", purpose="drawing pictures")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.0, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    *_, last = estimates
    _draw_intervals(left, truth, estimates[last], lower, upper, last)
    _draw_errors(right, truth, estimates, error_bounds, last)
    figure.savefig(path, dpi=150)


def _draw_intervals(
    axes: Any, truth: FloatArray, estimate: FloatArray, lower: FloatArray, upper: FloatArray, name: str
) -> None:
    axes.vlines(truth, lower, upper, color=BOUND_COLOUR, alpha=0.35, linewidth=1.0, label="certified interval")
    axes.plot(truth, estimate, ".", color=COLOURS[1], markersize=4.0, label=f"{name} estimate")
    end = float(truth.max()) * 1.03
    axes.plot([0.0, end], [0.0, end], color="black", linewidth=0.8, label="truth")
    axes.set(xlabel="true dissimilarity (0 = alike)", ylabel="estimate and interval", title="Pairs never asked about")
    axes.legend(loc="upper left", frameon=False)
    quiet(axes)


def _draw_errors(
    axes: Any, truth: FloatArray, estimates: Mapping[str, FloatArray], bounds: FloatArray, name: str
) -> None:
    for (algorithm, estimate), colour in zip(estimates.items(), COLOURS):
        axes.ecdf(np.abs(estimate - truth), color=colour, linewidth=1.8, label=f"{algorithm}, measured")
    axes.ecdf(bounds, color=BOUND_COLOUR, linewidth=1.5, linestyle="--", label=f"{name}, bound known without the truth")
    axes.set(xlabel="off by at most", ylabel="share of pairs", title="How far off the estimates are", xlim=(0.0, None))
    axes.legend(loc="lower right", frameon=False)
    quiet(axes)
