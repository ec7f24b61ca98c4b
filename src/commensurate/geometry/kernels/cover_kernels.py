"""Covering blocks of rows, compiled: cut each at gaps that cannot be hopped, then cover the small pieces.

Pieces that are large and without gaps are left for ``cover_dense_kernels.py``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from commensurate.geometry.kernels.gap_kernels import MOST_BUCKETS, box_of_members, cut_column
from commensurate.geometry.kernels.tree_kernels import farthest_in_box, scan_leaf, separates

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


@njit(cache=True)
def cut_and_cover(
    code: int,
    p: float,
    reach: float,
    rows: np.ndarray,
    members: np.ndarray,
    representative: np.ndarray,
    dense: np.ndarray,
) -> int:
    """Cover what gaps separate into small pieces; list the begins and ends of the others in ``dense``.

    ``members`` are row numbers in scan order; they are reordered so that the rows of a piece stand together, in scan
    order. Returns how many pieces are left for :mod:`cover_dense_kernels`.
    """
    n, d = members.shape[0], rows.shape[1]
    segment, spare = np.empty(n, np.int64), np.empty(n, np.int64)
    ends = np.empty(MOST_BUCKETS, np.int64)
    low, high = np.empty(d), np.empty(d)
    columns, reduced = np.empty(SMALL * d), np.empty(SMALL)
    # begin and end of each large piece, and which column to try first; disjoint, so that there cannot be many
    waiting = np.empty((n // SMALL + 1, 3), np.int64)
    waiting[0, 0], waiting[0, 1], waiting[0, 2] = 0, n, 0
    n_waiting, n_dense = 1, 0
    while n_waiting > 0:
        n_waiting -= 1
        first, last, column = waiting[n_waiting, 0], waiting[n_waiting, 1], waiting[n_waiting, 2]
        piece = members[first:last]
        size = last - first
        box_of_members(rows, piece, low, high)
        if farthest_in_box(code, p, low, low, high) <= reach:
            for i in range(size):
                representative[piece[i]] = piece[0]
            continue
        count = 1
        for _ in range(d):
            if separates(code, p, high[column] - low[column], reach):
                count = cut_column(
                    code, p, reach, low[column], high[column], rows[:, column], piece, segment, spare, ends
                )
                if count > 1:
                    break
            column = (column + 1) % d
        if count == 1 and size > SMALL:
            dense[n_dense, 0], dense[n_dense, 1] = first, last
            n_dense += 1
            continue
        if count == 1:
            ends[0] = size
        begin = first
        for s in range(count):
            end = first + ends[s]
            if end - begin > SMALL:
                waiting[n_waiting, 0], waiting[n_waiting, 1], waiting[n_waiting, 2] = begin, end, (column + 1) % d
                n_waiting += 1
            else:
                cover_small(code, p, reach, rows, members[begin:end], columns, reduced, representative)
            begin = end
    return n_dense


@njit(cache=True, nogil=True)
def cover_blocks(
    code: int,
    p: float,
    reach: float,
    points: np.ndarray,
    members: np.ndarray,
    blocks: np.ndarray,
    copy_up_to: int,
    representative: np.ndarray,
) -> np.ndarray:
    """Fill in the representatives of several blocks, but for the dense pieces, whose begins and ends are returned."""
    d = points.shape[1]
    n_rows = 0
    for b in range(blocks.shape[0]):
        n_rows += blocks[b, 1] - blocks[b, 0]
    dense = np.empty((n_rows // SMALL + 1, 2), np.int64)
    n_dense = 0
    for b in range(blocks.shape[0]):
        block = members[blocks[b, 0] : blocks[b, 1]]
        n = block.shape[0]
        if n == 1:
            representative[block[0]] = block[0]
            continue
        if n > copy_up_to:
            found = cut_and_cover(code, p, reach, points, block, representative, dense[n_dense:])
        else:  # rows that stand together are in the cache together
            rows = np.empty((n, d))
            for i in range(n):
                for k in range(d):
                    rows[i, k] = points[block[i], k]
            place, local = np.arange(n), np.arange(n)
            found = cut_and_cover(code, p, reach, rows, place, local, dense[n_dense:])
            names = block.copy()
            for i in range(n):
                representative[names[i]] = names[local[i]]
                block[i] = names[place[i]]
        for i in range(n_dense, n_dense + found):
            dense[i, 0] += blocks[b, 0]
            dense[i, 1] += blocks[b, 0]
        n_dense += found
    return dense[:n_dense].copy()
