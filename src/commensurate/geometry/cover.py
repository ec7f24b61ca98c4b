"""The two-hop cover: the paper's choice of representatives among the samples of one group (its Algorithm 1).

H_x is the set of samples within the radius of x. Samples are scanned in a given order; one that is still uncovered
becomes a representative and covers every uncovered sample with which it shares a sample point: W_x = {x' : H_x ∩ H_x'
≠ ∅}. That is two hops through a sample, not merely twice the radius.

A gap in one column that is wider than the radius cannot be hopped. So rows are first cut into blocks at such gaps,
and the blocks are covered independently, in parallel.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from commensurate.arrays import FloatArray, IntArray
from commensurate.errors import InvalidParameter
from commensurate.geometry.distinct import distinct_rows
from commensurate.geometry.metrics import CoordinateMetric, Metric, ReducedMetric
from commensurate.geometry.norms import Norm, reduced_radius
from commensurate.geometry.threads import each_in_threads, in_threads

MOST_KEYS = 1 << 14  # sorting into many more blocks at once would miss the caches


@dataclass(frozen=True, slots=True)
class _Segments:
    """The buckets of each column (smallest value, scale), their segments, and how many rows each segment has."""

    least: FloatArray
    scale: FloatArray
    of_bucket: IntArray
    sizes: list[IntArray]


def blocks_between_gaps(points: FloatArray, norm: Norm, reach: float, order: IntArray) -> tuple[IntArray, IntArray]:
    """Group row numbers by block; inside a block they keep the given order.

    Returns the grouped row numbers and where each block begins and ends among them, one block a row.
    """
    from commensurate.geometry.kernels.gap_kernels import segment_keys, sort_by_key

    segments = _find_segments(points, norm, reach)
    columns = _columns_to_cut(segments)
    counts = np.array([len(sizes) for sizes in segments.sizes])
    keys = np.empty(len(points), dtype=np.uint16)

    def find_keys(begin: int, end: int) -> None:
        segment_keys(
            points[begin:end], columns, segments.least, segments.scale, segments.of_bucket, counts, keys[begin:end]
        )

    in_threads(find_keys, len(points))
    members, ends = sort_by_key(keys, int(np.prod(counts[columns])), order)
    bounds = np.unique(np.append(0, ends))
    return members, np.column_stack([bounds[:-1], bounds[1:]])


def _find_segments(points: FloatArray, norm: Norm, reach: float) -> _Segments:
    from commensurate.geometry.kernels.gap_kernels import (
        MOST_BUCKETS,
        box_of_rows,
        bucket_scale,
        fill_buckets,
        number_segments,
    )

    boxes = in_threads(lambda begin, end: box_of_rows(points[begin:end]), len(points))
    least = np.min([low for low, _ in boxes], axis=0)
    most = np.max([high for _, high in boxes], axis=0)
    scale = np.array([bucket_scale(norm.code, norm.p, reach, span, MOST_BUCKETS) for span in (most - least).tolist()])
    filled = in_threads(lambda begin, end: fill_buckets(points[begin:end], least, scale), len(points), per_thread=1)
    low = np.min([low for low, _, _ in filled], axis=0)
    high = np.max([high for _, high, _ in filled], axis=0)
    n_rows = np.sum([sizes for _, _, sizes in filled], axis=0)
    of_bucket = np.empty(low.shape, dtype=np.int64)
    sizes = []
    for k in range(points.shape[1]):
        count = number_segments(norm.code, norm.p, reach, low[k], high[k], of_bucket[k])
        sizes.append(np.bincount(of_bucket[k], n_rows[k], count).astype(np.int64))
    return _Segments(least, scale, of_bucket, sizes)


def _columns_to_cut(segments: _Segments) -> IntArray:
    """Choose the columns that scatter the rows most, as long as combinations of their segments stay few enough."""
    # how likely two random rows are to be in the same segment, times a constant
    together = [float((sizes.astype(np.float64) ** 2).sum()) for sizes in segments.sizes]
    chosen: list[int] = []
    n_keys = 1
    for k in np.argsort(together, kind="stable").tolist():
        count = len(segments.sizes[k])
        if count > 1 and n_keys * count <= MOST_KEYS:
            chosen.append(k)
            n_keys *= count
    return np.array(chosen, dtype=np.int64)


BLOCK_ENTRIES = 1 << 22  # distances held at a time when a metric can only be evaluated
TREE_PAYS_FROM = 1_000  # points; below, evaluating all distances is as fast and needs no compiling
SMALL_JOB = 50_000  # points; below, starting threads costs more than it saves
ROWS_AT_A_TIME = 20_000  # of blocks and pieces that are dealt out to threads
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
    if len(points) == 0:
        return order
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
    embedded = metric.embed(points)
    reach = reduced_radius(metric.norm, embedded.shape[1], metric.norm_radius(float(radius)))
    if len(embedded) < TREE_PAYS_FROM:
        return _cover_by_evaluation(embedded, ReducedMetric(metric.norm), reach, order)
    return _cover_rows(embedded, metric.norm, reach, order)


def _cover_rows(rows: FloatArray, norm: Norm, reach: float, order: IntArray) -> IntArray:
    """Cut the rows into blocks that no hop connects; cover these, and then the dense pieces found in them."""
    from commensurate.geometry.kernels.cover_dense_kernels import cover_dense
    from commensurate.geometry.kernels.cover_kernels import cover_blocks

    representative = np.empty(len(rows), dtype=np.int64)
    if len(rows) < SMALL_JOB:
        members, blocks = order.copy(), np.array([[0, len(rows)]])
    else:
        members, blocks = blocks_between_gaps(rows, norm, reach, order)
    large = _worth_gathering(blocks, len(rows))
    for begin, end in blocks[large].tolist():  # rows that stand together are cut again, at gaps of their own
        block = members[begin:end]
        together = rows.take(block, axis=0)
        representative[block] = block[_cover_rows(together, norm, reach, np.arange(len(block)))]
    blocks = blocks[~large]

    def cover_some_blocks(some: IntArray) -> IntArray:
        dense: IntArray = cover_blocks(norm.code, norm.p, reach, rows, members, some, SMALL_JOB, representative)
        return dense

    def cover_some_pieces(some: IntArray) -> None:
        cover_dense(norm.code, norm.p, reach, rows, members, some, representative)

    dense = np.concatenate(each_in_threads(cover_some_blocks, _shares(blocks)))
    each_in_threads(cover_some_pieces, _shares(dense))
    return representative


def _worth_gathering(blocks: IntArray, n_rows: int) -> NDArray[np.bool_]:
    """Tell which blocks are too large for one thread, yet clearly smaller than the whole."""
    sizes = blocks[:, 1] - blocks[:, 0]
    return (sizes >= SMALL_JOB) & (sizes < 0.9 * n_rows)


def _shares(ranges: IntArray) -> list[IntArray]:
    """Deal out ranges of rows in shares of about the same number of rows, the longest ranges first."""
    ranges = ranges[np.argsort(ranges[:, 0] - ranges[:, 1], kind="stable")]
    ends = np.cumsum(ranges[:, 1] - ranges[:, 0])
    return np.split(ranges, np.searchsorted(ends, np.arange(ROWS_AT_A_TIME, ends[-1:].sum(), ROWS_AT_A_TIME)))


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
