"""Finds the two answers in a table that contradict each other most, if any do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from commensurate.geometry.contradiction_kernels import Apart, least_between_blocks, worst_of_coarse_tiles
from commensurate.geometry.envelope_kernels import BLOCK, Bounded, Orders
from commensurate.geometry.metrics import FloatArray, Metric
from commensurate.geometry.threads import in_threads

IntArray = NDArray[np.int64]

_COARSE = BLOCK * BLOCK
# distances held at once, for each side
_CHUNK_DISTANCES = 2**24
# coarse tiles compared before the worst so far is told to all
_BATCH = 256
_PARALLEL_FROM = 8


@dataclass(frozen=True, slots=True)
class TableContradiction:
    """Two answers, as (row, column) of a table, that no dissimilarity with M1 and M2 can both have given.

    The lower end of the first exceeds the upper end of the second by ``excess`` more than the ``distance`` between them.
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


def worst_contradiction(
    answers: Answers, tolerance: float, advance: Callable[[int], object] | None = None
) -> TableContradiction | None:
    """Return the worst contradiction with an excess above ``tolerance``, or None.

    ``advance`` is called with the number of table entries compared since the last call.
    """
    excess, positions = tolerance, None
    for rows in _runs(answers.points[0], answers.metrics[0]):
        for columns in _runs(answers.points[1], answers.metrics[1]):
            for tiles in _batches(rows, columns):
                excesses, found = _worst_of_each(answers, rows, columns, tiles, excess)
                most = int(np.argmax(excesses))
                if excesses[most] > excess:
                    excess, positions = float(excesses[most]), found[most]
                if advance is not None:
                    advance(_n_entries(tiles, answers.orders))
    return None if positions is None else _contradiction(answers, positions, excess)


def _runs(points: FloatArray, metric: Metric) -> Iterator[Apart]:
    """Return the distances of all points to all, a bounded number at a time, in whole coarse blocks."""
    step = _COARSE * max(1, _CHUNK_DISTANCES // (_COARSE * max(len(points), 1)))
    for start in range(0, len(points), step):
        distances = np.ascontiguousarray(metric.pairwise(points[start : start + step], points))
        blocks = least_between_blocks(distances)
        yield Apart(start, distances, blocks, least_between_blocks(blocks))


def _batches(rows: Apart, columns: Apart) -> Iterator[IntArray]:
    """Return the coarse tiles of these rows and columns, some at a time."""
    coarse_rows = rows.start // _COARSE + np.arange(len(rows.coarse))
    coarse_columns = columns.start // _COARSE + np.arange(len(columns.coarse))
    tiles = np.stack(np.meshgrid(coarse_rows, coarse_columns, indexing="ij"), axis=-1).reshape(-1, 2)
    for start in range(0, len(tiles), _BATCH):
        yield tiles[start : start + _BATCH]


def _worst_of_each(
    answers: Answers, rows: Apart, columns: Apart, tiles: IntArray, excess: float
) -> tuple[FloatArray, IntArray]:
    """Return, for each coarse tile, its worst excess above ``excess`` and the positions of the two answers."""
    excesses = np.empty(len(tiles))
    positions = np.empty((len(tiles), 4), dtype=np.int64)

    def compare(begin: int, end: int) -> None:
        part = slice(begin, end)
        worst_of_coarse_tiles(
            answers.lower,
            answers.upper,
            answers.orders,
            rows,
            columns,
            tiles[part],
            excess,
            excesses[part],
            positions[part],
        )

    in_threads(compare, len(tiles), at_least=_PARALLEL_FROM)
    return excesses, positions


def _n_entries(tiles: IntArray, orders: Orders) -> int:
    heights = np.minimum(len(orders.rows) - tiles[:, 0] * _COARSE, _COARSE)
    widths = np.minimum(len(orders.columns) - tiles[:, 1] * _COARSE, _COARSE)
    return int(heights @ widths)


def _contradiction(answers: Answers, positions: IntArray, excess: float) -> TableContradiction:
    i, j, k, m = (int(position) for position in positions)
    (left, right), (left_metric, right_metric) = answers.points, answers.metrics
    rows, columns = answers.orders
    distance = (
        left_metric.pairwise(left[i : i + 1], left[k : k + 1])[0, 0]
        + right_metric.pairwise(right[j : j + 1], right[m : m + 1])[0, 0]
    )
    return TableContradiction((int(rows[i]), int(columns[j])), (int(rows[k]), int(columns[m])), excess, float(distance))
