"""Finds the two answers in a table that contradict each other most, if any do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from commensurate.arrays import FloatArray, IntArray
from commensurate.geometry.metrics import Metric
from commensurate.geometry.threads import in_threads
from commensurate.geometry.tiles import BLOCK, Bounded, Orders

# distances held at once, for each side
_CHUNK_DISTANCES = 2**24
# rows from which threads pay
_PARALLEL_FROM = 64


@dataclass(frozen=True, slots=True)
class TableContradiction:
    """Two answers, as (row, column) of a table, that no dissimilarity with M1 and M2 can both have given.

    The lower end of the first exceeds the upper end of the second by ``excess`` more than
    the ``distance`` between them.
    """

    first: tuple[int, int]
    second: tuple[int, int]
    excess: float
    distance: float


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers of a table, prepared for searching: the points of both sides are in near order."""

    lower: Bounded
    upper: Bounded
    orders: Orders
    points: tuple[FloatArray, FloatArray]
    metrics: tuple[Metric, Metric]


@dataclass(frozen=True, slots=True)
class _Run:
    """Distances of a run of positions, from ``start`` on, to all of their side."""

    start: int
    distances: FloatArray


def worst_contradiction(
    answers: Answers, tolerance: float, advance: Callable[[int], object] | None = None
) -> TableContradiction | None:
    """Return the worst contradiction with an excess above ``tolerance``, or None.

    ``advance`` is called with the number of table entries compared since the last call.
    """
    excess, positions = tolerance, None
    for rows in _runs(answers.points[0], answers.metrics[0]):
        reaches = _reaches(answers, rows, tolerance)
        for columns in _runs(answers.points[1], answers.metrics[1]):
            excesses, found = _worst_of_each_row(answers, rows.start, reaches, columns, excess)
            most = int(np.argmax(excesses))
            if excesses[most] > excess:
                excess, positions = float(excesses[most]), (rows.start + most, *found[most].tolist())
            if advance is not None:
                advance(len(rows.distances) * len(columns.distances))
    return None if positions is None else _contradiction(answers, *positions)


def _runs(points: FloatArray, metric: Metric) -> Iterator[_Run]:
    """Return the distances of all points to all, a bounded number at a time, in whole blocks."""
    step = BLOCK * max(1, _CHUNK_DISTANCES // (BLOCK * max(len(points), 1)))
    for start in range(0, len(points), step):
        yield _Run(start, np.ascontiguousarray(metric.pairwise(points[start : start + step], points)))


def _reaches(answers: Answers, rows: _Run, tolerance: float) -> FloatArray:
    from commensurate.geometry.kernels.contradiction_kernels import write_reaches

    reaches = np.empty((len(rows.distances), len(answers.orders.columns)))

    def write(begin: int, end: int) -> None:
        write_reaches(
            answers.lower,
            answers.upper,
            answers.orders,
            rows.start + begin,
            rows.distances[begin:end],
            tolerance,
            reaches[begin:end],
        )

    in_threads(write, len(reaches), at_least=_PARALLEL_FROM)
    return reaches


def _worst_of_each_row(
    answers: Answers, first_row: int, reaches: FloatArray, columns: _Run, excess: float
) -> tuple[FloatArray, IntArray]:
    from commensurate.geometry.kernels.contradiction_kernels import least_to_blocks, write_worst

    excesses = np.empty(len(reaches))
    found = np.empty((len(reaches), 2), dtype=np.int64)
    point_gaps, block_gaps = least_to_blocks(columns.distances)

    def write(begin: int, end: int) -> None:
        write_worst(
            answers.lower,
            answers.orders,
            first_row + begin,
            reaches[begin:end],
            columns.start,
            columns.distances,
            point_gaps,
            block_gaps,
            excess,
            excesses[begin:end],
            found[begin:end],
        )

    in_threads(write, len(reaches), at_least=_PARALLEL_FROM)
    return excesses, found


def _contradiction(answers: Answers, i: int, j: int, m: int) -> TableContradiction:
    """Describe the contradiction of the answer at positions (i, j) and the worst one in column m."""
    (left, right), (left_metric, right_metric) = answers.points, answers.metrics
    rows, columns = answers.orders
    uppers = answers.upper.table[rows, columns[m]].astype(np.float64)
    distances = left_metric.pairwise(left[i : i + 1], left)[0]
    distances = distances + right_metric.pairwise(right[j : j + 1], right[m : m + 1])[0, 0]
    k = int(np.nanargmin(uppers + distances))
    return TableContradiction(
        first=(int(rows[i]), int(columns[j])),
        second=(int(rows[k]), int(columns[m])),
        excess=float(answers.lower.table[rows[i], columns[j]]) - float(uppers[k] + distances[k]),
        distance=float(distances[k]),
    )
