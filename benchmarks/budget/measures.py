"""What is measured of one learner on fresh pairs: errors against σ, and whether intervals hold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.budget.worlds import TestPairs
from commensurate.arrays import FloatArray
from commensurate.learning.evaluation import Evaluation

Bounds = tuple[FloatArray, FloatArray]
# None where there is nothing to take a mean of
Figures = dict[str, float | None]


def error_figures(tests: Sequence[TestPairs], estimates: Sequence[FloatArray], epsilon: float) -> Figures:
    """Return mean errors; each pair of groups counts alike.

    ``unseen_error_in_epsilon`` is over the pairs without an element that the table has too, as the reproduction tests.
    Where σ comes near 0 a few pairs rule the mean relative error, but not the median.

    >>> pairs = np.zeros((2, 1))
    >>> test = TestPairs(("a", "b"), pairs, pairs, np.array([1.0, 2.0]), np.array([True, False]))
    >>> figures = error_figures([test], [np.array([1.5, 2.0])], epsilon=0.1)
    >>> figures["absolute_error"], figures["relative_error_percent"], figures["unseen_error_in_epsilon"]
    (0.25, 25.0, 5.0)
    """
    judged = [Evaluation(values, test.truth, epsilon) for test, values in zip(tests, estimates)]
    unseen = [each.absolute_errors[test.unseen] / epsilon for each, test in zip(judged, tests)]
    return {
        "absolute_error": float(np.mean([each.mean_absolute_error for each in judged])),
        "error_in_epsilon": float(np.mean([each.mean_error_in_epsilon for each in judged])),
        "unseen_error_in_epsilon": _mean_of_means(unseen),
        "relative_error_percent": 100.0 * float(np.mean([each.mean_relative_error for each in judged])),
        "median_relative_error_percent": 100.0 * float(np.mean([np.median(each.relative_errors) for each in judged])),
    }


def interval_figures(targets: Sequence[FloatArray], bounds: Sequence[Bounds]) -> Figures:
    """Return how often intervals hold, and how wide those are that have an upper end; each pair of groups counts alike.

    >>> interval_figures([np.array([1.0, 5.0])], [(np.array([0.0, 0.0]), np.array([2.0, np.inf]))])
    {'coverage': 1.0, 'width': 2.0, 'finite_share': 0.5}
    """
    holds = [(lower <= target) & (target <= upper) for target, (lower, upper) in zip(targets, bounds)]
    widths = [upper - lower for lower, upper in bounds]
    return {
        "coverage": float(np.mean([each.mean() for each in holds])),
        "width": _mean_of_means([each[np.isfinite(each)] for each in widths]),
        "finite_share": float(np.mean([np.isfinite(each).mean() for each in widths])),
    }


def _mean_of_means(parts: Sequence[FloatArray]) -> float | None:
    means = [float(part.mean()) for part in parts if len(part)]
    return float(np.mean(means)) if means else None
