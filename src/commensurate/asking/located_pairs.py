"""Pairs that were located in intervals, and what these imply by M1 and M2 about the pairs to come."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from commensurate.arrays import Bounds, FloatArray, IntArray
from commensurate.geometry.metrics import Metric
from commensurate.geometry.pair_envelope import least_sums

# one pair, the interval that is implied, and what comparisons make of it
Locate = Callable[[FloatArray, FloatArray, float, float], tuple[float, float]]


class LocatedPairs:
    """Intervals of pairs of two groups: each pair is located once, starting from what those before imply.

    Row i of ``lower`` and ``upper`` holds what all pairs located up to then imply about left element i and every right
    one.
    """

    def __init__(self, left_metric: Metric, right_metric: Metric) -> None:
        self._left, self._right = _Side(left_metric), _Side(right_metric)
        self._lower = self._upper = np.empty((0, 0))
        self._located: dict[tuple[int, int], tuple[float, float]] = {}

    def intervals(self, left: FloatArray, right: FloatArray, locate: Locate) -> Bounds:
        """Return the intervals of the pairs (left[k], right[k]), locating those that were not."""
        rows, columns = self._left.numbers(left), self._right.numbers(right)
        pairs = list(zip(rows.tolist(), columns.tolist()))
        if waiting := set(pairs) - self._located.keys():
            self._grow()
            wanted: dict[int, list[int]] = {}
            for row, column in waiting:
                wanted.setdefault(row, []).append(column)
            orders: dict[tuple[int, ...], list[int]] = {}
            for row in self._left.farthest_first(sorted(wanted)):
                partners = tuple(sorted(wanted[row]))
                # nearly always the same for all rows
                if partners not in orders:
                    orders[partners] = self._right.farthest_first(list(partners), whole=True)
                self._locate_row(row, orders[partners], locate)
        lower, upper = zip(*(self._located[pair] for pair in pairs))
        return np.array(lower), np.array(upper)

    def _locate_row(self, row: int, columns: list[int], locate: Locate) -> None:
        to_rows = self._left.distances[row]
        lower = np.maximum((self._lower - to_rows[:, None]).max(axis=0), 0.0)
        upper = (self._upper + to_rows[:, None]).min(axis=0)
        try:
            for column in columns:
                found = locate(
                    self._left.points[row], self._right.points[column], float(lower[column]), float(upper[column])
                )
                self._located[row, column] = found
                to_columns = self._right.distances[column]
                np.maximum(lower, found[0] - to_columns, out=lower)
                np.minimum(upper, found[1] + to_columns, out=upper)
        finally:
            # what was located stays so, whatever stops the rest
            self._lower[row], self._upper[row] = lower, upper
            self._left.used.add(row)

    def _grow(self) -> None:
        """Make room for new elements; what is known of rows is carried to new columns."""
        n, m = self._upper.shape
        fresh = self._right.distances[:m, m:]
        lower, upper = (
            np.zeros((len(self._left), len(self._right))),
            np.full((len(self._left), len(self._right)), np.inf),
        )
        lower[:n, :m], upper[:n, :m] = self._lower, self._upper
        if n and m and fresh.shape[1]:
            upper[:n, m:] = least_sums(self._upper, fresh)
            lower[:n, m:] = np.maximum(-least_sums(-self._lower, fresh), 0.0)
        self._lower, self._upper = lower, upper


class _Side:
    """The different elements of one group so far, in the order in which they came, and the distances between them."""

    def __init__(self, metric: Metric) -> None:
        self.metric = metric
        self.points = np.empty((0, 0))
        self.distances = np.empty((0, 0))
        self.used: set[int] = set()
        self._number: dict[bytes, int] = {}

    def __len__(self) -> int:
        return len(self._number)

    def numbers(self, points: FloatArray) -> IntArray:
        """Return the number of each element; new ones come last."""
        known = len(self)
        found = [self._number.setdefault(row.tobytes(), len(self._number)) for row in points + 0.0]
        if len(self) > known:
            fresh = np.empty((len(self) - known, points.shape[1]))
            for row, number in zip(points, found):
                if number >= known:
                    fresh[number - known] = row
            self.points = np.concatenate([self.points, fresh]) if known else fresh
            self.distances = self.metric.pairwise(self.points, self.points)
        return np.array(found, dtype=np.int64)

    def farthest_first(self, numbers: list[int], *, whole: bool = False) -> list[int]:
        """Return the elements such that each is as far as possible from those before; of those used, unless ``whole``.

        Elements that lie between others then come when the others are known.
        """
        chosen = np.array(numbers, dtype=np.int64)
        between = self.distances[np.ix_(chosen, chosen)]
        before = np.array([] if whole else sorted(self.used), dtype=np.int64)
        nearest = self.distances[np.ix_(chosen, before)].min(axis=1) if len(before) else -between.max(axis=1)
        order: list[int] = []
        for _ in numbers:
            at = int(np.argmax(nearest))
            # the first of all was chosen for lying in the middle, which says nothing about how near the others are
            nearest = np.minimum(nearest, between[at]) if order or len(before) else between[at].copy()
            nearest[at] = -np.inf
            order.append(int(chosen[at]))
        return order
