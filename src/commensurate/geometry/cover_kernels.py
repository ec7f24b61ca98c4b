"""Covering blocks of rows, compiled: cut each at gaps that cannot be hopped, then cover the pieces.

Pieces that are large and without gaps go to ``cover_dense_kernels.py``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from commensurate.geometry.cover_dense_kernels import cover_dense
from commensurate.geometry.gap_kernels import MOST_BUCKETS, box_of_members, cut_column, separates
from commensurate.geometry.tree_kernels import farthest_in_box, scan_leaf

SMALL = 64  # a set of so many points fits in the bits of one word
ONE = np.uint64(1)


@njit(cache=True)
def ball_as_bits(
    code: int, p: float, reach: float, query: np.ndarray, columns: np.ndarray, reduced: np.ndarray
) -> np.uint64:
    """Return which of a few points, stored by columns, lie within reach of ``query``."""
    size = reduced.shape[0]
    scan_leaf(code, p, query, columns, size, size, reduced)
    ball = np.uint64(0)
    for j in range(size):
        ball |= np.uint64(reduced[j] <= reach) << np.uint64(j)
    return ball


@njit(cache=True)
def cover_small(
    code: int,
    p: float,
    reach: float,
    rows: np.ndarray,
    members: np.ndarray,
    columns: np.ndarray,
    reduced: np.ndarray,
    representative: np.ndarray,
) -> None:
    """Cover at most 64 rows, given in scan order, with sets held as bits."""
    size = members.shape[0]
    for i in range(size):
        for k in range(rows.shape[1]):
            columns[k * size + i] = rows[members[i], k]
    uncovered = ~np.uint64(0) >> np.uint64(64 - size)
    for x in range(size):
        if not (uncovered >> np.uint64(x)) & ONE:
            continue
        ball = ball_as_bits(code, p, reach, rows[members[x]], columns, reduced[:size])
        reached = ball
        for z in range(size):
            if (ball >> np.uint64(z)) & ONE and z != x and uncovered & ~reached:
                reached |= ball_as_bits(code, p, reach, rows[members[z]], columns, reduced[:size])
        for j in range(x, size):
            if ((reached & uncovered) >> np.uint64(j)) & ONE:
                representative[members[j]] = members[x]
        uncovered &= ~reached


@njit(cache=True, nogil=True)
def cover_block(
    code: int, p: float, reach: float, rows: np.ndarray, members: np.ndarray, representative: np.ndarray
) -> None:
    """Fill in the representatives of the rows ``members``, given in scan order; changes the order of ``members``."""
    n, d = members.shape[0], rows.shape[1]
    segment, spare = np.empty(n, np.int64), np.empty(n, np.int64)
    ends = np.empty(MOST_BUCKETS, np.int64)
    low, high = np.empty(d), np.empty(d)
    columns, reduced = np.empty(SMALL * d), np.empty(SMALL)
    waiting = [(0, n, 0)]  # where a piece begins and ends, and which column to try first
    while len(waiting) > 0:
        first, last, column = waiting.pop()
        size = last - first
        piece = members[first:last]
        if size <= SMALL:
            cover_small(code, p, reach, rows, piece, columns, reduced, representative)
            continue
        box_of_members(rows, piece, low, high)
        if farthest_in_box(code, p, low, low, high) <= reach:
            representative[piece] = piece[0]
            continue
        count = 1
        for tried in range(d):
            k = (column + tried) % d
            if separates(code, p, high[k] - low[k], reach):
                count = cut_column(
                    code, p, reach, low[k], high[k], rows[:, k], piece, segment[:size], spare[:size], ends
                )
                if count > 1:
                    break
        if count == 1:
            cover_dense(code, p, reach, rows, piece, representative)
            continue
        begin = first
        for s in range(count):
            if first + ends[s] == begin + 1:
                representative[members[begin]] = members[begin]
            else:
                waiting.append((begin, first + ends[s], (k + 1) % d))
            begin = first + ends[s]


@njit(cache=True, nogil=True)
def cover_blocks(
    code: int,
    p: float,
    reach: float,
    points: np.ndarray,
    members: np.ndarray,
    bounds: np.ndarray,
    copy_up_to: int,
    representative: np.ndarray,
) -> None:
    """Fill in the representatives of several blocks; a block of moderate size is first copied to one place."""
    d = points.shape[1]
    for b in range(bounds.shape[0] - 1):
        block = members[bounds[b] : bounds[b + 1]]
        n = block.shape[0]
        if n > copy_up_to:
            cover_block(code, p, reach, points, block, representative)
            continue
        rows = np.empty((n, d))
        for i in range(n):
            for k in range(d):
                rows[i, k] = points[block[i], k]
        local = np.empty(n, np.int64)
        cover_block(code, p, reach, rows, np.arange(n), local)
        for i in range(n):
            representative[block[i]] = block[local[i]]
