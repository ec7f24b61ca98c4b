"""The compiled search for the two answers in a table that contradict each other most.

Answer (i, j) is contradicted by answer (k, m) if its lower end exceeds the other's upper end by more than
d(i, k) + d'(j, m). The two distances are added one after the other: first the *reach* of row i at column m, the least
``upper[k, m] + d(i, k)`` over all k, then the least ``reach[i, m] + d'(j, m)`` over all m. That takes rows x columns x
(rows + columns) steps instead of (rows x columns) squared, and the tiles of ``envelope_kernels.py`` spare most of them.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from commensurate.geometry.kernels.envelope_kernels import block_minima
from commensurate.geometry.tiles import BLOCK, Bounded, Orders


@njit(cache=True)
def _in_order(row: np.ndarray, columns: np.ndarray, unanswered: float) -> np.ndarray:
    """Return a row of a table in near order, with a number in place of NaN."""
    out = np.empty(columns.shape[0])
    for j in range(columns.shape[0]):
        value = np.float64(row[columns[j]])
        out[j] = unanswered if np.isnan(value) else value
    return out


@njit(cache=True)
def _largest(values: np.ndarray, block: int) -> float:
    largest = -np.inf
    for j in range(block * BLOCK, min(block * BLOCK + BLOCK, values.shape[0])):
        largest = max(largest, values[j])
    return largest


@njit(cache=True)
def _reach_through_tile(
    upper: Bounded, orders: Orders, gaps: np.ndarray, row_block: int, block: int, enough: float, reach: np.ndarray
) -> float:
    """Lower the reach in a block of columns by the answers of one tile; return what still would be an improvement."""
    least = np.float64(upper.tiles[row_block, block])
    first = block * BLOCK
    n_columns = min(BLOCK, reach.shape[0] - first)
    top = min(_largest(reach, block), enough)
    for k in range(row_block * BLOCK, min(row_block * BLOCK + BLOCK, gaps.shape[0])):
        if not least + gaps[k] < top:
            continue
        for m in range(n_columns):
            better_than = min(reach[first + m], enough)
            code = np.float64(upper.codes[row_block, block, k % BLOCK, m])
            if (upper.base + upper.slope * code) + gaps[k] < better_than:
                value = np.float64(upper.table[orders.rows[k], orders.columns[first + m]]) + gaps[k]
                if value < better_than:
                    reach[first + m] = value
    return min(_largest(reach, block), enough)


@njit(cache=True)
def _reach_of_row(upper: Bounded, orders: Orders, gaps: np.ndarray, enough: float, reach: np.ndarray) -> None:
    """Lower the reach of one row, given its distances to all rows; a reach of ``enough`` or more is of no interest."""
    n_blocks = upper.tiles.shape[1]
    tops = np.empty(n_blocks)
    for block in range(n_blocks):
        tops[block] = min(_largest(reach, block), enough)
    block_gaps = block_minima(gaps)
    for row_block in np.argsort(block_gaps):
        gap = block_gaps[row_block]
        # answers are not negative, and the blocks that follow are no nearer
        if not gap < enough:
            break
        for block in range(n_blocks):
            if np.float64(upper.tiles[row_block, block]) + gap < tops[block]:
                tops[block] = _reach_through_tile(upper, orders, gaps, row_block, block, enough, reach)


@njit(cache=True, nogil=True)
def write_reaches(
    lower: Bounded,
    upper: Bounded,
    orders: Orders,
    first_row: int,
    gaps: np.ndarray,
    tolerance: float,
    reaches: np.ndarray,
) -> None:
    """Write the reaches of the rows from position ``first_row`` on, given their distances to all rows."""
    for n in range(gaps.shape[0]):
        row = orders.rows[first_row + n]
        reaches[n] = _in_order(upper.table[row], orders.columns, np.inf)
        # an answer cannot exceed a reach above the largest of its row
        enough = _in_order(lower.table[row], orders.columns, 0.0).max() - tolerance
        _reach_of_row(upper, orders, gaps[n], enough, reaches[n])


@njit(cache=True)
def _worst_of_row(
    answers: np.ndarray,
    reach: np.ndarray,
    first_column: int,
    gaps: np.ndarray,
    point_gaps: np.ndarray,
    block_gaps: np.ndarray,
    worst: float,
) -> tuple[float, int, int]:
    """Return the largest ``answers[j] - (reach[m] + d'(j, m))`` above ``worst``, and its j and m."""
    least = block_minima(reach)
    where = (-1, -1)
    for start in range(0, gaps.shape[0], BLOCK):
        stop = min(start + BLOCK, gaps.shape[0])
        top = answers[first_column + start : first_column + stop].max()
        for other in range(least.shape[0]):
            if not top - (least[other] + block_gaps[start // BLOCK, other]) > worst:
                continue
            for j in range(start, stop):
                answer = answers[first_column + j]
                if not answer - (least[other] + point_gaps[j, other]) > worst:
                    continue
                for m in range(other * BLOCK, min(other * BLOCK + BLOCK, reach.shape[0])):
                    excess = answer - (reach[m] + gaps[j, m])
                    if excess > worst:
                        worst = excess
                        where = (first_column + j, m)
    return worst, where[0], where[1]


@njit(cache=True, nogil=True)
def write_worst(
    lower: Bounded,
    orders: Orders,
    first_row: int,
    reaches: np.ndarray,
    first_column: int,
    gaps: np.ndarray,
    point_gaps: np.ndarray,
    block_gaps: np.ndarray,
    worst: float,
    excesses: np.ndarray,
    columns: np.ndarray,
) -> None:
    """Write, for each row, the worst excess above ``worst`` and the two columns where it is.

    Every row starts from the same ``worst``, so that the result does not depend on how rows are shared among threads.
    """
    for n in range(reaches.shape[0]):
        answers = _in_order(lower.table[orders.rows[first_row + n]], orders.columns, -np.inf)
        found = _worst_of_row(answers, reaches[n], first_column, gaps, point_gaps, block_gaps, worst)
        excesses[n] = found[0]
        columns[n, 0] = found[1]
        columns[n, 1] = found[2]


@njit(cache=True, nogil=True)
def least_to_blocks(distances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the least distance of each point, and of each block of 8 points, to each block of 8 columns."""
    n_points, n_columns = distances.shape
    n_blocks = (n_columns + BLOCK - 1) // BLOCK
    of_points = np.empty((n_points, n_blocks))
    of_blocks = np.full(((n_points + BLOCK - 1) // BLOCK, n_blocks), np.inf)
    for i in range(n_points):
        of_points[i] = block_minima(distances[i])
        for block in range(n_blocks):
            of_blocks[i // BLOCK, block] = min(of_blocks[i // BLOCK, block], of_points[i, block])
    return of_points, of_blocks
