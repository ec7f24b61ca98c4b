"""The two-hop cover: the paper's choice of representatives among the samples of one group (its Algorithm 1).

H_x is the set of samples within the radius of x. Samples are scanned in a given order; one that is still uncovered
becomes a representative and covers every uncovered sample with which it shares a sample point: W_x = {x' : H_x ∩ H_x' ≠ ∅}.
That is two hops through a sample, not merely twice the radius.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from commensurate.errors import InvalidParameter
from commensurate.geometry.distinct import distinct_rows
from commensurate.geometry.gaps import blocks_between_gaps
from commensurate.geometry.metrics import CoordinateMetric, Metric
from commensurate.geometry.norms import reduced_radius
from commensurate.geometry.threads import in_threads

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

BLOCK_ENTRIES = 1 << 22  # distances held at a time when a metric can only be evaluated
SMALL_JOB = 50_000  # points; below, starting threads costs more than it saves
SHARES = 64  # of the blocks, dealt out to threads
AHEAD = 16  # uncovered points whose distances are evaluated in one call


def two_hop_cover(points: FloatArray, metric: Metric, radius: float, order: IntArray) -> IntArray:
    """Return the representative of each point, as a row number; a representative is its own.

    Parameters
    ----------
    points : the samples of one group, one a row.
    metric : the group's metric.
    radius : how far one hop reaches.
    order : a permutation of all row numbers, the order in which points may become representatives.

    >>> from commensurate.geometry.metrics import metric_named
    >>> points = np.array([[0.0], [1.0], [2.0], [9.0]])
    >>> two_hop_cover(points, metric_named("euclidean", points), radius=1.0, order=np.arange(4))
    array([0, 0, 0, 3])
    """
    if not radius >= 0.0:
        raise InvalidParameter(f"radius must be a number from 0 upwards, got {radius}")
    order = np.ascontiguousarray(order, dtype=np.int64)
    if not _is_permutation(order, len(points)):
        raise InvalidParameter(f"order must be a permutation of the {len(points)} row numbers")
    if isinstance(metric, CoordinateMetric):
        return _cover_coordinates(points, metric, radius, order)
    return _cover_by_evaluation(points, metric, radius, order)


def _is_permutation(order: IntArray, n_rows: int) -> bool:
    if order.shape != (n_rows,) or (n_rows and not 0 <= order.min() <= order.max() < n_rows):
        return False
    seen = np.zeros(n_rows, dtype=bool)
    seen[order] = True
    return bool(seen.all())


def _cover_coordinates(points: FloatArray, metric: CoordinateMetric, radius: float, order: IntArray) -> IntArray:
    from commensurate.geometry.cover_kernels import cover_blocks

    norm, embedded = metric.norm, metric.embed(points)
    reach = reduced_radius(norm, embedded.shape[1], metric.norm_radius(radius))
    representative = np.empty(len(points), dtype=np.int64)
    if len(points) < SMALL_JOB:
        bounds = np.array([0, len(points)])
        cover_blocks(norm.code, norm.p, reach, embedded, order, bounds, len(points), representative)
        return representative
    members, bounds = blocks_between_gaps(embedded, norm, reach, order)
    shares = _equal_shares(bounds, len(points) // SHARES)
    in_threads(
        lambda begin, end: cover_blocks(
            norm.code,
            norm.p,
            reach,
            embedded,
            members,
            bounds[shares[begin] : shares[end] + 1],
            len(points) // 8,
            representative,
        ),
        len(shares) - 1,
        per_thread=SHARES,
    )
    return representative


def _equal_shares(bounds: IntArray, n_rows: int) -> IntArray:
    """Return the numbers of blocks at which to cut their list so that each share has about ``n_rows``."""
    share = bounds[:-1] // n_rows
    return np.append(np.flatnonzero(np.diff(share, prepend=-1)), len(bounds) - 1)


def _cover_by_evaluation(points: FloatArray, metric: Metric, radius: float, order: IntArray) -> IntArray:
    """Cover with a metric that can only be evaluated; distances are from x' to z, as in the definition of H_x'."""
    scanned = points[order]
    distinct = distinct_rows(scanned)
    rows = scanned[distinct.first]
    chosen = np.full(len(rows), -1, dtype=np.int64)
    ahead = max(1, min(AHEAD, BLOCK_ENTRIES // max(1, len(rows))))
    begin = 0
    while begin < len(rows):
        batch = begin + np.flatnonzero(chosen[begin:] < 0)[:ahead]
        if len(batch) == 0:
            break
        balls = metric.pairwise(rows[batch], rows) <= radius
        for x, ball in zip(batch, balls):
            if chosen[x] < 0:
                _cover_around(int(x), np.flatnonzero(ball), rows, metric, radius, chosen)
        begin = int(batch[-1]) + 1
    result = np.empty(len(points), dtype=np.int64)
    result[order] = order[distinct.first[chosen[distinct.inverse]]]
    return result


def _cover_around(x: int, ball: IntArray, rows: FloatArray, metric: Metric, radius: float, chosen: IntArray) -> None:
    """Give ``x`` and every uncovered row within the radius of a point of ``ball`` the representative ``x``."""
    chosen[x] = x
    for start in range(0, len(ball), 256):
        uncovered = np.flatnonzero(chosen < 0)
        step = BLOCK_ENTRIES // 256
        for first in range(0, len(uncovered), step):
            part = uncovered[first : first + step]
            hit = (metric.pairwise(rows[part], rows[ball[start : start + 256]]) <= radius).any(axis=1)
            chosen[part[hit]] = x
