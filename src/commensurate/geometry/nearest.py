"""Exact nearest neighbours under any metric.

"Nearest" means the smallest reduced distance; of several at the same distance the one with the lowest row number.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from commensurate.arrays import FloatArray, IntArray
from commensurate.geometry.metrics import CoordinateMetric, Metric, PrecomputedMetric, ReducedMetric
from commensurate.geometry.norms import MINKOWSKI
from commensurate.geometry.threads import in_threads
from commensurate.geometry.tree import build_tree

NearestRows = tuple[IntArray, FloatArray]

# two different floats above this differ by more than 1e-157, whose square is not rounded to 0
SQUARES_STAY_POSITIVE = 1e-140
SMALL_JOB = 2_000  # queries; below, starting threads costs more than it saves
TREE_PAYS_FROM = 1 << 20  # pairs; below, evaluating all distances is as fast and needs no compiling
BLOCK_ENTRIES = 1 << 22  # distances held at a time when a metric can only be evaluated
PIVOTS_PAY_FROM = 4_096  # points
PIVOT_SLACK = 1e-6  # relative; a user's function may lose half its digits to cancellation


class NearestIndex:
    """The points of one group, prepared for nearest-neighbour queries.

    >>> from commensurate.geometry.metrics import metric_named
    >>> points = np.array([[0.0], [1.0], [1.0], [5.0]])
    >>> NearestIndex(points, metric_named("euclidean", points)).query(np.array([[1.2], [3.0]]))
    (array([1, 1]), array([0.2, 2. ]))
    """

    def __init__(self, points: FloatArray, metric: Metric) -> None:
        search: _CoordinateSearch | _PivotSearch | _BruteSearch
        if isinstance(metric, CoordinateMetric):
            search = _CoordinateSearch(points, metric)
        elif isinstance(metric, PrecomputedMetric) or len(points) < PIVOTS_PAY_FROM:
            search = _BruteSearch(points, metric)
        else:
            search = _PivotSearch(points, metric)
        self._search = search

    def query(self, queries: FloatArray) -> NearestRows:
        """Return the row number of the nearest point of each query, and its distance."""
        return self._search.query(np.ascontiguousarray(queries, dtype=np.float64))


class _CoordinateSearch:
    """For metrics that are a norm: every distance for few pairs, a tree, grown when first needed, for many."""

    def __init__(self, points: FloatArray, metric: CoordinateMetric) -> None:
        self._points = points
        self._metric = metric

    def query(self, queries: FloatArray) -> NearestRows:
        if len(self._points) * len(queries) >= TREE_PAYS_FROM:
            return self._tree.query(queries)
        nearest, _ = self._brute.query(self._metric.embed(queries))
        return nearest, self._metric.paired(queries, self._points[nearest])

    @cached_property
    def _tree(self) -> _TreeSearch:
        return _TreeSearch(self._points, self._metric)

    @cached_property
    def _brute(self) -> _BruteSearch:
        return _BruteSearch(self._metric.embed(self._points), ReducedMetric(self._metric.norm))


class _TreeSearch:
    """For metrics that are a norm: a kd-tree of the distinct rows, and their hash table for exact hits."""

    def __init__(self, points: FloatArray, metric: CoordinateMetric) -> None:
        from commensurate.geometry.kernels.distinct_kernels import empty_table, number_distinct

        self._metric = metric
        self._points = metric.embed(points)
        self._table = empty_table(len(points))
        first, _ = number_distinct(self._points.view(np.uint64), self._table)
        self._tree = build_tree(self._points, first)
        if not self._only_equal_rows_have_distance_zero():
            self._table = empty_table(0)

    def _only_equal_rows_have_distance_zero(self) -> bool:
        """Tell whether an exact hit is the nearest for sure, because no other row can tie by rounding."""
        if self._metric.norm.code == MINKOWSKI:
            return False
        sizes = np.abs(self._points[np.abs(self._points) < SQUARES_STAY_POSITIVE])
        return not sizes.any()

    def query(self, queries: FloatArray) -> NearestRows:
        """NearestRows exact hits, then search for the others leaf by leaf, because neighbours visit the same leaves."""
        from commensurate.geometry.kernels.distinct_kernels import look_up_all
        from commensurate.geometry.kernels.nearest_kernels import finish_all, nearest_in_tree
        from commensurate.geometry.kernels.tree_kernels import leaf_of_each

        norm, tree = self._metric.norm, self._tree
        embedded = self._metric.embed(queries)
        nearest = np.empty(len(queries), dtype=np.int64)
        reduced = np.zeros(len(queries))
        bits, query_bits = self._points.view(np.uint64), embedded.view(np.uint64)
        leaf = np.empty(len(queries), dtype=np.int64)

        def look_up_part(begin: int, end: int) -> None:
            look_up_all(self._table, bits, query_bits[begin:end], nearest[begin:end])
            leaf_of_each(tree, embedded[begin:end], leaf[begin:end])

        def search_part(begin: int, end: int) -> None:
            nearest_in_tree(tree, norm.code, norm.p, embedded, visit[begin:end], nearest, reduced)

        in_threads(look_up_part, len(queries), at_least=SMALL_JOB)
        missed = np.flatnonzero(nearest < 0)
        visit = missed[np.argsort(leaf[missed])]
        in_threads(search_part, len(visit), at_least=SMALL_JOB)
        finish_all(norm.code, norm.p, embedded.shape[1], reduced)
        return nearest, self._metric.from_norm(reduced)


class _BruteSearch:
    """For metrics that can only be evaluated: every distance, in blocks of bounded size."""

    def __init__(self, points: FloatArray, metric: Metric) -> None:
        self._points = points
        self._metric = metric

    def query(self, queries: FloatArray) -> NearestRows:
        nearest = np.zeros(len(queries), dtype=np.int64)
        distances = np.full(len(queries), np.inf)
        step = max(1, BLOCK_ENTRIES // max(1, len(self._points)))
        for begin in range(0, len(queries), step):
            block = self._metric.pairwise(queries[begin : begin + step], self._points)
            nearest[begin : begin + step] = block.argmin(axis=1)
            distances[begin : begin + step] = block.min(axis=1)
        return nearest, distances


class _PivotSearch:
    """For functions on many points: points are grouped around pivots, and far groups are skipped.

    By the triangle inequality a query at distance q from a pivot is at least q - outer and inner - q away from points
    whose distances to that pivot lie in [inner, outer].
    """

    def __init__(self, points: FloatArray, metric: Metric) -> None:
        self._points = points
        self._metric = metric
        pivots = np.linspace(0, len(points) - 1, int(np.sqrt(len(points)))).astype(np.int64)
        self._pivots = points[pivots]
        cell, distances = _BruteSearch(self._pivots, metric).query(points)
        self._cells = [np.flatnonzero(cell == c) for c in range(len(pivots))]
        self._inner = np.array([distances[c].min() if len(c) else np.inf for c in self._cells])
        self._outer = np.array([distances[c].max() if len(c) else -np.inf for c in self._cells])

    def query(self, queries: FloatArray) -> NearestRows:
        nearest = np.full(len(queries), len(self._points), dtype=np.int64)
        distances = np.full(len(queries), np.inf)
        step = max(1, BLOCK_ENTRIES // len(self._points))
        for begin in range(0, len(queries), step):
            part = slice(begin, begin + step)
            self._query_block(queries[part], nearest[part], distances[part])
        return nearest, distances

    def _query_block(self, queries: FloatArray, nearest: IntArray, distances: FloatArray) -> None:
        """Fill in the answers, first from the cell of the nearest pivot,
        then from every cell that may hold a nearer one.
        """
        to_pivots = self._metric.pairwise(queries, self._pivots)
        home = to_pivots.argmin(axis=1)
        bounds = np.maximum(to_pivots - self._outer, self._inner - to_pivots)
        bounds -= PIVOT_SLACK * (to_pivots + np.maximum(self._outer, 0.0))
        for c in range(len(self._cells)):
            self._visit(c, np.flatnonzero(home == c), queries, nearest, distances)
        for c in range(len(self._cells)):
            self._visit(c, np.flatnonzero((bounds[:, c] <= distances) & (home != c)), queries, nearest, distances)

    def _visit(self, c: int, who: IntArray, queries: FloatArray, nearest: IntArray, distances: FloatArray) -> None:
        cell = self._cells[c]
        if len(who) == 0 or len(cell) == 0:
            return
        block = self._metric.pairwise(queries[who], self._points[cell])
        place = block.argmin(axis=1)
        found, at = cell[place], block[np.arange(len(who)), place]
        better = (at < distances[who]) | ((at == distances[who]) & (found < nearest[who]))
        nearest[who[better]] = found[better]
        distances[who[better]] = at[better]
