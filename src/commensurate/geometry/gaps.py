"""Cutting many rows into blocks that no hop connects.

A gap in one column that is wider than the radius cannot be hopped, so everything that works by hops can treat the rows
on its two sides independently, and in parallel.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from commensurate.geometry.norms import Norm
from commensurate.geometry.threads import in_threads

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

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
    from commensurate.geometry.gap_kernels import segment_keys, sort_by_key

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
    from commensurate.geometry.gap_kernels import (
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
