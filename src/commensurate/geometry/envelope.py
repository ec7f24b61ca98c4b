"""The certified interval: what answers about representatives imply, by M1 and M2, about any other pair.

An answer in [a, b] about (r, s) puts the dissimilarity of (x, y) into [a - D, b + D], D = d(x, r) + d(y, s). The
interval is the intersection over all answers; the search in ``envelope_kernels.py`` looks at few of them and misses
none.

Memory besides the tables: one byte an entry and 3.2 % of a table for the tiles (``tiles.py``), in all 0.29 of float32
and 0.16 of float64 tables. Without the byte the search took four times as long where σ is as steep as M1 and M2 allow.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from commensurate.arrays import FloatArray
from commensurate.errors import InvalidAnswer, InvalidPoints
from commensurate.geometry.contradictions import Answers, TableContradiction, worst_contradiction
from commensurate.geometry.metrics import Metric, as_points
from commensurate.geometry.pair_envelope import least_sums, rounding_of_sums
from commensurate.geometry.threads import in_threads
from commensurate.geometry.tiles import Bounded, Orders, bounded_from_below, codes_of, near_order, scanned

# distances held at once
_CHUNK_DISTANCES = 2**22
# pairs times representatives from which threads pay
_PARALLEL_FROM = 2**17


@dataclass(frozen=True, slots=True)
class _Side:
    """One side's answered representatives, in near order."""

    order: NDArray[np.int64]
    points: FloatArray
    metric: Metric
    width: int

    def distances(self, points: FloatArray) -> FloatArray:
        return np.ascontiguousarray(self.metric.pairwise(points, self.points))

    def table_distances(self, points: FloatArray, n: int) -> FloatArray:
        """Return the distances to all ``n`` representatives in the order of the table;
        infinite where nobody was asked.
        """
        distances = np.full((len(points), n), np.inf)
        distances[:, self.order] = self.metric.pairwise(points, self.points)
        return distances


class Envelope:
    """Certified intervals from a table of answers about pairs of representatives.

    Parameters
    ----------
    left_points, left_metric, right_points, right_metric
        The representatives of both groups, as rows, and their intra-group metrics.
    lower_table, upper_table
        ``lower_table[i, j]`` and ``upper_table[i, j]`` enclose the dissimilarity of left representative i and right
        representative j; NaN where nobody was asked. Pass the same array twice for exact answers. The tables are read,
        never copied or changed, and must not change while the envelope is in use.

    >>> from commensurate.geometry.metrics import metric_named
    >>> points = np.array([[0.0], [1.0]])
    >>> d = metric_named("euclidean", points)
    >>> table = np.array([[0.5, 1.0], [0.75, 0.25]])
    >>> Envelope(points, d, points, d, table, table).bounds(np.array([[0.25]]), np.array([[0.0]]))
    (array([0.25]), array([0.75]))
    """

    def __init__(
        self,
        left_points: ArrayLike,
        left_metric: Metric,
        right_points: ArrayLike,
        right_metric: Metric,
        lower_table: NDArray[Any],
        upper_table: NDArray[Any],
    ) -> None:
        left = as_points(left_points, "left_points")
        right = as_points(right_points, "right_points")
        _check_tables(lower_table, upper_table, (len(left), len(right)))
        exact = upper_table is lower_table
        lower = scanned("lower", lower_table)
        upper = lower if exact else scanned("upper", upper_table)
        self._largest = max(lower.largest, upper.largest)
        self._left = _side(left, left_metric, lower.rows | upper.rows)
        self._right = _side(right, right_metric, lower.columns | upper.columns)
        self._orders = Orders(self._left.order, self._right.order)
        lower_codes = codes_of(lower_table, lower.step, self._orders)
        upper_codes = lower_codes if exact else codes_of(upper_table, upper.step, self._orders)
        self._lower = bounded_from_below(lower_table, -1.0, lower_codes, lower.step, self._orders)
        self._upper = bounded_from_below(upper_table, 1.0, upper_codes, upper.step, self._orders)

    def bounds(self, left: ArrayLike, right: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Return the lower and the upper ends of the certified intervals of the pairs (left[k], right[k])."""
        left = _as_points("left", left, self._left.width)
        right = _as_points("right", right, self._right.width)
        if len(left) != len(right):
            raise InvalidPoints(f"left and right must have one row a pair, got {len(left)} and {len(right)} rows")
        ends = np.empty((len(left), 2))
        ends[:] = 0.0, np.inf
        n_representatives = len(self._left.order) + len(self._right.order)
        if n_representatives > 0:
            step = max(1, _CHUNK_DISTANCES // n_representatives)
            for start in range(0, len(left), step):
                chunk = slice(start, start + step)
                self._search(left[chunk], right[chunk], ends[chunk])
        return ends[:, 0].copy(), ends[:, 1].copy()

    def matrix(self, left: ArrayLike, right: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Return the ends of the certified intervals of every left element with every right one.

        They enclose those of `bounds` and differ from them by rounding alone: here each sum begins with the answer.
        """
        left = _as_points("left", left, self._left.width)
        # distances in the order of the table, which is not copied: infinite ones lead through rows without any answer
        n_rows, n_columns = self._lower.table.shape
        dy = self._right.table_distances(_as_points("right", right, self._right.width), n_columns)
        lower, upper = np.empty((len(left), len(dy))), np.empty((len(left), len(dy)))
        step = max(1, _CHUNK_DISTANCES // max(1, n_rows + n_columns))
        for start in range(0, len(left), step):
            chunk = slice(start, start + step)
            dx = self._left.table_distances(left[chunk], n_rows)
            rounding = rounding_of_sums(self._largest, dx, dy)
            lower[chunk] = np.maximum(-_least(dx, self._lower, dy) - rounding, 0.0)
            upper[chunk] = _least(dx, self._upper, dy) + rounding
        return lower, upper

    def worst_contradiction(
        self, *, tolerance: float | None = None, advance: Callable[[int], object] | None = None
    ) -> TableContradiction | None:
        """Return the two answers that contradict each other most, or None if the answers are consistent.

        Answers are consistent if and only if no lower end exceeds any upper end by more than the distance between them.
        An excess up to ``tolerance`` is taken for rounding; by default 1e-9 of the largest answer, 1e-6 for float32
        tables. ``advance`` is called with numbers of table entries that add up to the size of the table.
        """
        if tolerance is None:
            relative = 1e-9 if self._lower.table.dtype == np.float64 else 1e-6
            tolerance = relative * self._largest
        answers = Answers(
            self._lower,
            self._upper,
            self._orders,
            (self._left.points, self._right.points),
            (self._left.metric, self._right.metric),
        )
        found = worst_contradiction(answers, tolerance, advance)
        if advance is not None:
            # rows and columns without any answer
            advance(self._lower.table.size - len(self._left.order) * len(self._right.order))
        return found

    def _search(self, left: FloatArray, right: FloatArray, ends: FloatArray) -> None:
        """Write the ends of the intervals of some pairs."""
        from commensurate.geometry.kernels.envelope_kernels import intervals

        dx, dy = self._left.distances(left), self._right.distances(right)

        def search(begin: int, end: int) -> None:
            part = slice(begin, end)
            intervals(self._lower, self._upper, self._orders, dx[part], dy[part], ends[part])

        in_threads(search, len(left), at_least=_PARALLEL_FROM // (dx.shape[1] + dy.shape[1]))


def _least(dx: FloatArray, bounded: Bounded, dy: FloatArray) -> FloatArray:
    """Return the least ``dx[x, i] + sign * table[i, j] + dy[y, j]`` over all answers, for every x and y."""
    return least_sums(least_sums(dx, bounded.table, bounded.sign), dy.T)


def _as_points(name: str, points: ArrayLike, width: int) -> FloatArray:
    array = as_points(points, name)
    if array.shape[1] != width:
        raise InvalidPoints(
            f"{name} must have {width} columns like the representatives, got {array.shape[1]}; "
            "pass the same features in the same order"
        )
    return array


def _check_tables(lower: NDArray[Any], upper: NDArray[Any], shape: tuple[int, int]) -> None:
    for table in (lower, upper):
        if table.shape != shape:
            raise InvalidAnswer(
                f"a table of answers must have one row per left and one column per right representative, {shape}, "
                f"got {table.shape}"
            )
        if not table.flags.c_contiguous:
            raise InvalidAnswer("a table of answers must be C-contiguous; use np.ascontiguousarray")
    if lower.dtype != upper.dtype or lower.dtype not in (np.float32, np.float64):
        raise InvalidAnswer(
            f"both tables of answers must be float32 or both float64, got {lower.dtype} and {upper.dtype}"
        )


def _side(points: FloatArray, metric: Metric, answered: NDArray[np.bool_]) -> _Side:
    kept = np.flatnonzero(answered)
    order = kept[near_order(points[kept], metric)]
    return _Side(order, points[order], metric, points.shape[1])
