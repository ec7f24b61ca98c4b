"""What held-out answers that are ranges, grades or comparisons can prove about estimates.

A range that holds σ gives the error |f − σ| a worst case, the distance to its farther end. Statements from worst cases
hold, because errors that are larger than the true ones can only make them more careful. So they are about all
dissimilarities that the answer leaves possible.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from commensurate.arrays import BoolArray, FloatArray
from commensurate.checks import as_answers, checked_confidence_level, checked_count, checked_tolerance
from commensurate.errors import InvalidAnswer, InvalidParameter
from commensurate.guarantees.conformal import (
    conformal_quantile,
    conformal_rank,
    lower_proportion,
    scores_needed,
    upper_proportion,
)
from commensurate.wording import counted, percent_down, percent_up, rounded_up

# a range no wider than this part of a tolerance can tell whether estimates are within it
NARROW = 0.5


def worst_case_scores(estimates: ArrayLike, lower: ArrayLike, upper: ArrayLike, scale: ArrayLike = 1.0) -> FloatArray:
    """Return how far off each estimate may be, for all that its range allows, divided by ``scale``.

    It is infinite where a range has no upper end, as the last grade.

    Examples
    --------
    >>> worst_case_scores([0.3, 0.3, 0.3], [0.3, 0.2, 0.2], [0.3, 0.5, np.inf])
    array([0. , 0.2, inf])
    """
    low, high = as_answers(lower, "lower ends"), as_answers(upper, "upper ends")
    if not (np.isfinite(low) & (low <= high)).all():
        raise InvalidAnswer("a range goes from a finite lower end to an upper end that is not smaller")
    f, unit = as_answers(estimates, "estimates"), as_answers(scale, "scale")
    if not (unit > 0.0).all():
        raise InvalidParameter("scale must be larger than 0 for every estimate")
    return np.asarray(np.maximum(f - low, high - f) / unit)


def scores_on_grid(scores: ArrayLike, grid: ArrayLike) -> FloatArray:
    """Return scores rounded up to a grid that was fixed beforehand; infinite above its end.

    A score on a grid needs no narrow range: "is σ within q of the estimate?" for the values q of the grid is enough.

    Examples
    --------
    >>> scores_on_grid([0.05, 0.1, 0.11, 0.9], [0.1, 0.2, 0.4])
    array([0.1, 0.1, 0.2, inf])
    """
    steps = as_answers(grid, "grid")
    if steps.ndim != 1 or not len(steps) or (np.diff(steps) <= 0.0).any():
        raise InvalidParameter(f"grid must be numbers that increase, got {grid!r}")
    return np.append(steps, np.inf)[np.searchsorted(steps, as_answers(scores, "scores"), side="left")]


def surely_within(estimates: ArrayLike, lower: ArrayLike, upper: ArrayLike, tolerance: float) -> BoolArray:
    """Tell which estimates are within the tolerance whatever σ is in its range; a stopping rule counts all others as
    misses.

    Examples
    --------
    >>> surely_within([0.3, 0.3], [0.25, 0.25], [0.35, 0.45], 0.1)
    array([ True, False])
    """
    return worst_case_scores(estimates, lower, upper) <= checked_tolerance(tolerance)


def narrow_enough(lower: ArrayLike, upper: ArrayLike, tolerance: float) -> BoolArray:
    """Tell which ranges are narrow enough to tell, at every look, whether an estimate is within a tolerance: those no
    wider than half of it.

    >>> narrow_enough([0.2, 0.2], [0.25, 0.5], 0.1)
    array([ True, False])
    """
    low, high = as_answers(lower, "lower ends"), as_answers(upper, "upper ends")
    return np.asarray(high - low <= NARROW * checked_tolerance(tolerance))


@dataclass(frozen=True, slots=True)
class RangeCalibration:
    """The calibrated interval that held-out ranges give; `print` it for sentences.

    Attributes
    ----------
    n_answers, n_open
        How many held-out answers there are, and how many of them have no upper end.
    half_width
        Around an estimate, in multiples of its scale; infinite where no finite interval is proved.
    to_narrow
        How many of the open answers need an upper end before an interval is finite; 0 where it is.
    to_ask
        How many more held-out answers a finite interval needs at least, besides.
    """

    n_answers: int
    n_open: int
    confidence_level: float
    half_width: float
    to_narrow: int
    to_ask: int

    def __str__(self) -> str:
        level = f"{100.0 * self.confidence_level:g} %"
        if math.isfinite(self.half_width):
            return (
                f"The dissimilarity of a random pair lies within {rounded_up(self.half_width)} of its estimate with "
                f"probability {level} or more, from {counted(self.n_answers, 'held-out answer')}; if all pairs are asked about "
                "in the same way, so does the whole answer."
            )
        if self.to_ask:
            return (
                f"{counted(self.n_answers, 'held-out answer')} give no finite interval at {level}: ask for at least "
                f"{self.to_ask:,} more, as numbers or ranges with two ends."
            )
        return (
            f"{self.n_open:,} of {counted(self.n_answers, 'held-out answer')} say only that the dissimilarity is at least so "
            f"large, as the last grade does. Grades alone give no finite interval at {level}: ask how large, by a number or a "
            f"comparison with a larger known distance, for at least {self.to_narrow:,} of them."
        )


def calibrate_ranges(
    estimates: ArrayLike,
    lower: ArrayLike,
    upper: ArrayLike,
    confidence_level: float = 0.95,
    *,
    scale: ArrayLike = 1.0,
    missing: int = 0,
) -> RangeCalibration:
    """Return the interval in which a random pair's σ lies with a probability, from held-out answers that hold theirs.

    That is so whichever held-out answers were narrowed, and however: worst cases are only larger than true scores. If
    all pairs are asked about in the same way, the random pair's whole answer lies in the interval as well.

    ``missing`` further held-out questions have no answer, and count as infinitely far off.

    Examples
    --------
    >>> f, low = np.full(39, 0.3), np.repeat([0.2, 0.4], [30, 9])
    >>> round(calibrate_ranges(f, low, low + 0.2).half_width, 6)
    0.3
    >>> print(calibrate_ranges(f, low, np.where(low == 0.4, np.inf, 0.4)))
    9 of 39 held-out answers say only that the dissimilarity is at least so large, as the last grade does. Grades \
alone give no finite interval at 95 %: ask how large, by a number or a comparison with a larger known distance, for at \
least 8 of them.
    """
    scores = worst_case_scores(estimates, lower, upper, scale)
    rank = conformal_rank(len(scores), confidence_level, missing=missing)
    open_ = int(np.isinf(scores).sum())
    if rank is None:
        more = scores_needed(confidence_level, missing=missing) - len(scores)
        return RangeCalibration(len(scores), open_, confidence_level, math.inf, 0, more)
    to_narrow = max(0, open_ - (len(scores) - rank))
    return RangeCalibration(len(scores), open_, confidence_level, conformal_quantile(scores, rank), to_narrow, 0)


@dataclass(frozen=True, slots=True)
class PredictedComparisons:
    """How many held-out comparisons a model predicted rightly, with exact bounds; nothing follows about its errors.

    ``lower`` and ``upper`` hold together with probability ``confidence_level``.
    """

    right: int
    n_comparisons: int
    lower: float
    upper: float
    confidence_level: float

    def __str__(self) -> str:
        return (
            f"{self.right:,} of {counted(self.n_comparisons, 'held-out comparison')} are predicted rightly: with confidence "
            f"{100.0 * self.confidence_level:g} %, {percent_down(self.lower)} to {percent_up(self.upper)} of all. This says "
            "nothing about how far off estimates are."
        )


def predicted_comparisons(right: int, n_comparisons: int, confidence_level: float = 0.95) -> PredictedComparisons:
    """Return the share of random comparisons that a model predicts rightly, with Clopper and Pearson's bounds.

    Examples
    --------
    >>> print(predicted_comparisons(33, 40))
    33 of 40 held-out comparisons are predicted rightly: with confidence 95 %, 67.22 % to 92.67 % of all. This says \
nothing about how far off estimates are.
    """
    right, n = checked_count("right", right), checked_count("n_comparisons", n_comparisons)
    if right > n:
        raise InvalidParameter(f"right must be at most n_comparisons, got {right} of {n}")
    if n == 0:
        return PredictedComparisons(0, 0, 0.0, 1.0, checked_confidence_level(confidence_level))
    alpha = (1.0 - checked_confidence_level(confidence_level)) / 2.0
    return PredictedComparisons(
        right, n, lower_proportion(right, n, alpha), upper_proportion(right, n, alpha), confidence_level
    )
