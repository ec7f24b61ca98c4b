"""The point that weighs more than its distance takes off: for each query, the greatest of weight − slope · distance.

With somebody's treatment as weight and a Lipschitz constant as slope, that is who is treated best for being so similar.
Of several at the same value the one with the lowest row number is returned.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from commensurate.arrays import FloatArray, IntArray
from commensurate.errors import InvalidParameter
from commensurate.geometry.metrics import CoordinateMetric, Metric
from commensurate.geometry.nearest import BLOCK_ENTRIES, SMALL_JOB, TREE_PAYS_FROM
from commensurate.geometry.threads import in_threads
from commensurate.geometry.tree import build_tree

# the tree cuts weights before columns of the same width, because a gap in one column is only a part of a distance
STRETCH = 4.0
# wider than any column may be, and its difference still finite
WIDEST = 1e300


class WeightedNearest:
    """Points with weights, prepared for finding the greatest ``weights[i] - slope * distance`` of each query.

    A weight may be -inf: then the point never wins. If no point has a value above -inf, row 0 is returned with -inf.

    Values are those of ``weights[i] - slope * metric.paired(query, points[i])`` for the row returned, to the bit. Only
    angular distances are compared with another arcsine than they are returned with, so that of two rows whose values
    differ by a rounding either may win.

    >>> from commensurate.geometry.metrics import metric_named
    >>> points = np.array([[0.0], [1.0], [5.0]])
    >>> best = WeightedNearest(points, metric_named("euclidean", points), np.array([0.0, 0.5, 3.0]), slope=1.0)
    >>> best.query(np.array([[0.2], [1.0], [4.0]]))
    (array([0, 1, 2]), array([-0.2,  0.5,  2. ]))
    """

    def __init__(self, points: FloatArray, metric: Metric, weights: FloatArray, slope: float) -> None:
        if len(points) == 0 or weights.shape != (len(points),):
            raise InvalidParameter(
                f"weights must be one number for each of at least one point, got shape {weights.shape} for {len(points)} "
                "point(s)"
            )
        if not (slope > 0.0 and math.isfinite(slope)):
            raise InvalidParameter(f"slope must be positive and finite, got {slope}")
        self._points = points
        self._metric = metric
        self._weights = weights
        self._slope = slope

    def query(self, queries: FloatArray) -> tuple[IntArray, FloatArray]:
        """Return the row number of the best point of each query, and its value."""
        queries = np.ascontiguousarray(queries, dtype=np.float64)
        n_pairs = len(queries) * len(self._points)
        if n_pairs > 0 and n_pairs >= TREE_PAYS_FROM and self._tree is not None:
            rows = self._tree.query(queries)
        else:
            rows = self._compare_all(queries)
        distances = self._metric.paired(queries, self._points[rows])
        return rows, self._weights[rows] - self._slope * distances

    @cached_property
    def _tree(self) -> _TreeSearch | None:
        """The tree of a metric that is a norm; None if distances can only be evaluated, or no point can win."""
        if not isinstance(self._metric, CoordinateMetric) or not (self._weights > -np.inf).any():
            return None
        return _TreeSearch(self._points, self._metric, self._weights, self._slope)

    def _compare_all(self, queries: FloatArray) -> IntArray:
        """Evaluate every distance, in blocks of bounded size."""
        rows = np.zeros(len(queries), dtype=np.int64)
        step = max(1, BLOCK_ENTRIES // len(self._points))
        for begin in range(0, len(queries), step):
            distances = self._metric.pairwise(queries[begin : begin + step], self._points)
            rows[begin : begin + step] = (self._weights - self._slope * distances).argmax(axis=1)
        return rows


def least_sums(points: FloatArray, metric: Metric, costs: FloatArray, queries: FloatArray) -> FloatArray:
    """Return for each query the least of ``costs[i] + distance``; a cost of infinity never counts.

    >>> from commensurate.geometry.metrics import metric_named
    >>> points = np.array([[0.0], [1.0]])
    >>> least_sums(points, metric_named("euclidean", points), np.array([0.0, 0.5]), np.array([[0.25], [2.0]]))
    array([0.25, 1.5 ])
    """
    # the least sum is the greatest of the same numbers with the other sign, which is exact
    return -WeightedNearest(points, metric, -costs, slope=1.0).query(queries)[1]


class _TreeSearch:
    """For metrics that are a norm: a kd-tree of the points that can win, with weights as one more column."""

    def __init__(self, points: FloatArray, metric: CoordinateMetric, weights: FloatArray, slope: float) -> None:
        from commensurate.geometry.kernels.weighted_nearest_kernels import Ranked, Scale, greatest_weights

        self._metric = metric
        embedded = metric.embed(points)
        with np.errstate(over="ignore"):
            stretched = np.clip(STRETCH * (weights / slope), -WIDEST, WIDEST)
        tree = build_tree(np.column_stack([embedded, stretched]), _first_of_equals(embedded, weights))
        in_order = weights[tree.order]
        scale = Scale(metric.norm.code, metric.norm.p, embedded.shape[1], metric.angular, slope)
        self._ranked = Ranked(tree, embedded[tree.order], in_order, greatest_weights(tree, in_order), scale)

    def query(self, queries: FloatArray) -> IntArray:
        """Search in the order of a tree of the queries,
        because neighbours have their best points in the same leaves.
        """
        from commensurate.geometry.kernels.weighted_nearest_kernels import best_in_tree

        embedded = self._metric.embed(queries)
        visit = build_tree(embedded).order
        rows = np.empty(len(queries), dtype=np.int64)

        def search_part(begin: int, end: int) -> None:
            best_in_tree(self._ranked, embedded, visit[begin:end], rows)

        in_threads(search_part, len(queries), at_least=SMALL_JOB)
        return rows


def _first_of_equals(embedded: FloatArray, weights: FloatArray) -> IntArray:
    """Return the rows that can win, without those that equal an earlier one, weight included.

    Of equal points with different weights none can be left out: where distances are so great that weights vanish in
    rounding, their values tie, and the lowest row wins.
    """
    from commensurate.geometry.kernels.distinct_kernels import empty_table, number_distinct

    candidates = np.flatnonzero(weights > -np.inf)
    weighted = np.column_stack([embedded[candidates], weights[candidates]])
    first, _ = number_distinct(weighted.view(np.uint64), empty_table(len(candidates)))
    distinct: IntArray = candidates[first]
    return distinct
