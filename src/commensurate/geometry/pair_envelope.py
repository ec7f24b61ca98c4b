"""The certified interval from answers about single pairs, rather than about all pairs of representatives.

Bounds for every element of one side with every element of the other are matrix products with (min, +) in the place of
(+, ·), ``least[x, y] = min over j of before[x, j] + after[j, y]``: far fewer steps than a search for each pair.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from commensurate.arrays import FloatArray
from commensurate.geometry.metrics import Metric
from commensurate.geometry.threads import in_threads

# sums from which threads pay
_PARALLEL_FROM = 2**18


def least_sums(before: FloatArray, after: NDArray[Any], sign: float = 1.0) -> FloatArray:
    """Return the least ``before[x, j] + sign * after[j, y]`` over j; NaN in ``after`` is no way through.

    >>> least_sums(np.array([[0.0, 2.0]]), np.array([[5.0, 1.0], [1.0, np.nan]]))
    array([[3., 1.]])
    """
    from commensurate.geometry.kernels.min_plus_kernels import lower_to_least_sums

    least = np.full((len(before), after.shape[1]), np.inf)

    def lower(begin: int, end: int) -> None:
        lower_to_least_sums(before[begin:end], after, sign, least[begin:end])

    in_threads(lower, len(before), at_least=_PARALLEL_FROM // max(1, after.size))
    return least


def rounding_of_sums(*terms: float | FloatArray) -> float:
    """Return by how much finite sums of one number of each of the terms may differ when
    they are added in another order.
    """
    largest = sum(float(np.max(term, initial=0.0, where=np.isfinite(term))) for term in terms)
    return 4.0 * float(np.finfo(np.float64).eps) * largest


# distances held at once: few enough to stay in the processor's cache
_BLOCK_DISTANCES = 2**18
# the same for a matrix, whose product goes by blocks of its own
_MATRIX_DISTANCES = 2**22


@dataclass(frozen=True, slots=True, eq=False)
class MatchedEnvelope:
    """What answers about the pairs (left_points[i], right_points[i]) imply, by M1 and M2, about any other pair.

    An answer in [least[i], most[i]] puts the dissimilarity of (x, y) into [least[i] − D, most[i] + D], where
    D = d(x, left_points[i]) + d(y, right_points[i]); the interval is the intersection over all answers.

    Examples
    --------
    >>> from commensurate.geometry.metrics import metric_named
    >>> points, answers = np.array([[0.0], [1.0]]), np.array([0.5, 0.25])
    >>> d = metric_named("euclidean", points)
    >>> MatchedEnvelope(points, d, points, d, answers, answers).bounds(np.array([[0.25]]), np.array([[0.0]]))
    (array([0.25]), array([0.75]))
    """

    left_points: FloatArray
    left_metric: Metric
    right_points: FloatArray
    right_metric: Metric
    least: FloatArray
    most: FloatArray

    def bounds(self, left: FloatArray, right: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the lower and upper bounds for the pairs (left[k], right[k]); 0 and infinity without any answer."""
        lower, upper = np.zeros(len(left)), np.full(len(left), np.inf)
        step = max(1, _BLOCK_DISTANCES // max(1, len(self.least)))
        for start in range(0, len(left) if len(self.least) else 0, step):
            part = slice(start, start + step)
            distances = self.left_metric.pairwise(left[part], self.left_points)
            distances = distances + self.right_metric.pairwise(right[part], self.right_points)
            lower[part] = np.maximum((self.least - distances).max(axis=1), 0.0)
            upper[part] = (self.most + distances).min(axis=1)
        return lower, upper

    def matrix(self, left: FloatArray, right: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the bounds of every left element with every right one: those of `bounds`, widened by rounding."""
        lower, upper = np.empty((len(left), len(right))), np.empty((len(left), len(right)))
        dy = self.right_metric.pairwise(right, self.right_points)
        step = max(1, _MATRIX_DISTANCES // max(1, len(self.least)))
        for start in range(0, len(left), step):
            chunk = slice(start, start + step)
            dx = self.left_metric.pairwise(left[chunk], self.left_points)
            rounding = rounding_of_sums(self.most, dx, dy)
            lower[chunk] = np.maximum(-least_sums(dx - self.least, dy.T) - rounding, 0.0)
            upper[chunk] = least_sums(dx + self.most, dy.T) + rounding
        return lower, upper
