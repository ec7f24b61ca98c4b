"""The certified interval: what answers about representatives imply, by M1 and M2, about any other pair.

An answer in [a, b] about (r, s) puts the dissimilarity of (x, y) into [a - D, b + D], D = d(x, r) + d(y, s). The interval is
the intersection over all answers; the search in ``envelope_kernels.py`` looks at few of them and misses none.

Memory besides the tables: one byte an entry and 3.2 % of a table for the tiles, in all at most 0.29 of float32 tables. A
permuted copy would be 1.0 and hardly faster; without the byte the search is up to ten times slower where σ is steep.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from commensurate.errors import InvalidAnswer, InvalidPoints
from commensurate.geometry.contradictions import Answers, TableContradiction, worst_contradiction
from commensurate.geometry.envelope_kernels import (
    BLOCK,
    Bounded,
    Orders,
    decoding,
    encode,
    intervals,
    scan,
    tile_minima,
)
from commensurate.geometry.metrics import FloatArray, Metric
from commensurate.geometry.near_order import near_order
from commensurate.geometry.threads import in_threads

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


class Envelope:
    """Certified intervals from a table of answers about pairs of representatives.

    Parameters
    ----------
    left_points, left_metric, right_points, right_metric
        The representatives of both groups, as rows, and their intra-group metrics.
    lower_table, upper_table
        ``lower_table[i, j]`` and ``upper_table[i, j]`` enclose the dissimilarity of left representative i and right
        representative j; NaN where nobody was asked. Pass the same array twice for exact answers. The tables are read, never
        copied or changed, and must not change while the envelope is in use.

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
        left = _as_points("left_points", left_points)
        right = _as_points("right_points", right_points)
        _check_tables(lower_table, upper_table, (len(left), len(right)))
        lower, upper = _scanned("lower", lower_table), _scanned("upper", upper_table)
        self._largest = max(lower.largest, upper.largest)
        self._left = _side(left, left_metric, lower.rows | upper.rows)
        self._right = _side(right, right_metric, lower.columns | upper.columns)
        self._orders = Orders(self._left.order, self._right.order)
        lower_codes = _codes(lower_table, lower.step, self._orders)
        upper_codes = lower_codes if upper_table is lower_table else _codes(upper_table, upper.step, self._orders)
        self._lower = _bounded(lower_table, -1.0, lower_codes, lower.step, self._orders)
        self._upper = _bounded(upper_table, 1.0, upper_codes, upper.step, self._orders)

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

    def worst_contradiction(
        self, *, tolerance: float | None = None, advance: Callable[[int], object] | None = None
    ) -> TableContradiction | None:
        """Return the two answers that contradict each other most, or None if the answers are consistent.

        Answers are consistent if and only if no lower end exceeds any upper end by more than the distance between them. An
        excess up to ``tolerance`` is taken for rounding; by default 1e-9 of the largest answer, 1e-6 for float32 tables.
        ``advance`` is called with numbers of table entries that add up to the size of the table.
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
        dx, dy = self._left.distances(left), self._right.distances(right)

        def search(begin: int, end: int) -> None:
            part = slice(begin, end)
            intervals(self._lower, self._upper, self._orders, dx[part], dy[part], ends[part])

        in_threads(search, len(left), at_least=_PARALLEL_FROM // (dx.shape[1] + dy.shape[1]))


def _as_points(name: str, points: ArrayLike, width: int | None = None) -> FloatArray:
    array = np.ascontiguousarray(points, dtype=np.float64)
    if array.ndim != 2:
        raise InvalidPoints(f"{name} must be a matrix with one element a row, got shape {array.shape}")
    if width is not None and array.shape[1] != width:
        raise InvalidPoints(
            f"{name} must have {width} columns like the representatives, got {array.shape[1]}; "
            "pass the same features in the same order"
        )
    if not np.isfinite(array).all():
        row = int(np.flatnonzero(~np.isfinite(array).all(axis=1))[0])
        raise InvalidPoints(f"{name} must be finite, but row {row} is not; drop or fill it")
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


@dataclass(frozen=True, slots=True)
class _Scanned:
    """Which rows and columns of a table hold any answer, and the largest finite answer."""

    rows: NDArray[np.bool_]
    columns: NDArray[np.bool_]
    largest: float

    @property
    def step(self) -> float:
        """Return the step of the codes."""
        return self.largest / 255.0 if self.largest > 0.0 else 1.0


def _scanned(which: str, table: NDArray[Any]) -> _Scanned:
    rows = np.zeros(table.shape[0], dtype=np.bool_)
    columns = np.zeros(table.shape[1], dtype=np.bool_)
    least, largest, infinite = scan(table, rows, columns)
    if least < 0.0:
        raise InvalidAnswer(f"answers must not be negative, got {least} in the table of {which} ends")
    if infinite and which == "lower":
        raise InvalidAnswer("the lower end of an answer must be finite; only an upper end may be infinite")
    return _Scanned(rows, columns, largest)


def _side(points: FloatArray, metric: Metric, answered: NDArray[np.bool_]) -> _Side:
    kept = np.flatnonzero(answered)
    order = kept[near_order(points[kept], metric)]
    return _Side(order, points[order], metric, points.shape[1])


def _n_blocks(orders: Orders) -> tuple[int, int]:
    return -(-len(orders.rows) // BLOCK), -(-len(orders.columns) // BLOCK)


def _codes(table: NDArray[Any], step: float, orders: Orders) -> NDArray[np.uint8]:
    codes = np.empty((*_n_blocks(orders), BLOCK, BLOCK), dtype=np.uint8)
    encode(table, step, orders, codes)
    return codes


def _bounded(table: NDArray[Any], sign: float, codes: NDArray[np.uint8], step: float, orders: Orders) -> Bounded:
    tiles = np.empty(_n_blocks(orders), dtype=table.dtype)
    tile_minima(table, sign, orders, tiles)
    coarse = tiles
    if tiles.size > 0:
        by_rows = np.minimum.reduceat(tiles, np.arange(0, tiles.shape[0], BLOCK), axis=0)
        coarse = np.ascontiguousarray(np.minimum.reduceat(by_rows, np.arange(0, tiles.shape[1], BLOCK), axis=1))
    base, slope = decoding(step, sign)
    return Bounded(table, sign, tiles, coarse, codes, base, slope)
