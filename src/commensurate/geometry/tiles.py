"""Tiles and codes of a table of answers, prepared once for the search for certified intervals.

Rows and columns are put in near order. Then a *tile* is a block of 8 rows times a block of 8 columns, a *coarse tile*
8 x 8 tiles, and each knows the least answer inside. A *code* is one byte that tells an entry's value up to 1/256 of
the largest; the 64 codes of a tile lie side by side, in one line of the processor's cache. All bounds are for ``sign
* table``: with sign -1 the least is minus the largest answer.

Near order works for every metric: take two points that are far apart, put the half that is closer to the first before
the half that is closer to the second, and go on within the halves. Cuts fall on multiples of the block sizes, so that
no block straddles a cut. On tabular data such blocks are much tighter than a kd-tree's, which splits one column at a
time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from commensurate.arrays import FloatArray
from commensurate.errors import InvalidAnswer
from commensurate.geometry.metrics import Metric

BLOCK = 8
# how far, in steps of the code, a decoded bound stays clear of the value: far more than rounding needs
_MARGIN = 1e-3


class Bounded(NamedTuple):
    """A table with what bounds ``sign * table`` from below, by tile and by entry (``base + slope * code``)."""

    table: np.ndarray
    sign: float
    tiles: np.ndarray
    coarse: np.ndarray
    codes: np.ndarray
    base: float
    slope: float


class Orders(NamedTuple):
    """Near orders: position to row or column of the table."""

    rows: np.ndarray
    columns: np.ndarray


@dataclass(frozen=True, slots=True)
class Scanned:
    """Which rows and columns of a table hold any answer, and the largest finite answer."""

    rows: NDArray[np.bool_]
    columns: NDArray[np.bool_]
    largest: float

    @property
    def step(self) -> float:
        """Return the step of the codes."""
        return max(self.largest / 255.0, float(np.finfo(np.float64).tiny))


def scanned(which: str, table: NDArray[Any]) -> Scanned:
    """Go once through a table of lower or upper ends and refuse what is no dissimilarity."""
    from commensurate.geometry.kernels.envelope_kernels import scan

    rows = np.zeros(table.shape[0], dtype=np.bool_)
    columns = np.zeros(table.shape[1], dtype=np.bool_)
    least, largest, infinite = scan(table, rows, columns)
    if least < 0.0:
        raise InvalidAnswer(f"answers must not be negative, got {least} in the table of {which} ends")
    if infinite and which == "lower":
        raise InvalidAnswer("the lower end of an answer must be finite; only an upper end may be infinite")
    return Scanned(rows, columns, largest)


def _n_blocks(orders: Orders) -> tuple[int, int]:
    return -(-len(orders.rows) // BLOCK), -(-len(orders.columns) // BLOCK)


def codes_of(table: NDArray[Any], step: float, orders: Orders) -> NDArray[np.uint8]:
    """Return the codes of all entries, tile by tile."""
    from commensurate.geometry.kernels.envelope_kernels import encode

    codes = np.empty((*_n_blocks(orders), BLOCK, BLOCK), dtype=np.uint8)
    encode(table, step, orders, codes)
    return codes


def bounded_from_below(
    table: NDArray[Any], sign: float, codes: NDArray[np.uint8], step: float, orders: Orders
) -> Bounded:
    """Return a table with the bounds of its tiles, coarse tiles and entries."""
    from commensurate.geometry.kernels.envelope_kernels import tile_minima

    tiles = np.empty(_n_blocks(orders), dtype=table.dtype)
    tile_minima(table, sign, orders, tiles)
    coarse = tiles
    if tiles.size > 0:
        by_rows = np.minimum.reduceat(tiles, np.arange(0, tiles.shape[0], BLOCK), axis=0)
        coarse = np.ascontiguousarray(np.minimum.reduceat(by_rows, np.arange(0, tiles.shape[1], BLOCK), axis=1))
    base, slope = _decoding(step, sign)
    return Bounded(table, sign, tiles, coarse, codes, base, slope)


def _decoding(step: float, sign: float) -> tuple[float, float]:
    """Return (base, slope) with ``base + slope * code <= sign * value`` for every encoded value."""
    return (-_MARGIN * step, step) if sign > 0.0 else (-(1.0 + _MARGIN) * step, -step)


BLOCK_SIZES = (64, 8)


def near_order(points: FloatArray, metric: Metric) -> NDArray[np.int64]:
    """Return the row numbers of ``points`` in an order in which neighbours are near each other.

    >>> from commensurate.geometry.metrics import metric_named
    >>> line = np.array([[1.0], [5.0]] * 8)
    >>> bool(np.ptp(line[near_order(line, metric_named("euclidean", line))][:8]))
    False
    """
    order = np.arange(len(points), dtype=np.int64)
    pending = [(0, len(points))]
    while pending:
        start, stop = pending.pop()
        unit = next((size for size in BLOCK_SIZES if stop - start > size), None)
        if unit is not None:
            middle = start + unit * max(1, round((stop - start) / (2 * unit)))
            run = order[start:stop]
            order[start:stop] = run[np.argpartition(_leaning(points[run], metric), middle - start)]
            pending += [(start, middle), (middle, stop)]
    return order


def _leaning(points: FloatArray, metric: Metric) -> FloatArray:
    """Return how much farther each point is from one of two far points than from the other."""
    one = int(np.argmax(_distances_to(points, 0, metric)))
    to_one = _distances_to(points, one, metric)
    return to_one - _distances_to(points, int(np.argmax(to_one)), metric)


def _distances_to(points: FloatArray, row: int, metric: Metric) -> FloatArray:
    distances: FloatArray = metric.pairwise(points[row : row + 1], points)[0]
    return distances
