"""Orders points so that neighbours in the order are near each other: runs of 64 and of 8 make compact blocks.

Works for every metric: take two points that are far apart, put the half that is closer to the first before the half that
is closer to the second, and go on within the halves. Cuts fall on multiples of the block sizes, so that no block
straddles a cut. On tabular data such blocks are much tighter than a kd-tree's, which splits one column at a time.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from commensurate.geometry.metrics import FloatArray, Metric

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
