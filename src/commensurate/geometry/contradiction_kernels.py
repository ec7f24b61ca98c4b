"""The compiled search for the two answers in a table that contradict each other most.

Compares tiles with tiles: no answer of one tile exceeds one of another by more than its largest lower end minus the
other's least upper end minus the least distances between their blocks. Tiles that cannot exceed the worst contradiction
so far are skipped; in a consistent table that leaves each tile and a few neighbours. Words as in ``envelope_kernels.py``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from commensurate.geometry.envelope_kernels import BLOCK, Bounded, Orders


class Apart(NamedTuple):
    """Distances of a run of positions, from ``start`` on, to all of one side; and their minima between blocks."""

    start: int
    distances: np.ndarray
    blocks: np.ndarray
    coarse: np.ndarray


class Worst(NamedTuple):
    """The worst excess so far, and the positions of the two answers."""

    excess: float
    row: int
    column: int
    other_row: int
    other_column: int


@njit(cache=True, nogil=True)
def least_between_blocks(distances: np.ndarray) -> np.ndarray:
    """Return the least distance between each block of 8 rows and each block of 8 columns."""
    out = np.full(((distances.shape[0] + BLOCK - 1) // BLOCK, (distances.shape[1] + BLOCK - 1) // BLOCK), np.inf)
    for i in range(distances.shape[0]):
        for j in range(distances.shape[1]):
            out[i // BLOCK, j // BLOCK] = min(out[i // BLOCK, j // BLOCK], distances[i, j])
    return out


@njit(cache=True)
def _may_exceed(lower: Bounded, upper: Bounded, i: int, j: int, k: int, m: int, apart: float, worst: float) -> bool:
    """Tell from the one-byte codes whether answer (i, j) may exceed answer (k, m) by more than ``worst``."""
    code = np.float64(lower.codes[i // BLOCK, j // BLOCK, i % BLOCK, j % BLOCK])
    other = np.float64(upper.codes[k // BLOCK, m // BLOCK, k % BLOCK, m % BLOCK])
    return bool(-(lower.base + lower.slope * code) - ((upper.base + upper.slope * other) + apart) > worst)


@njit(cache=True)
def _compare_tiles(
    lower: Bounded,
    upper: Bounded,
    orders: Orders,
    rows: Apart,
    columns: Apart,
    tile: tuple[int, int],
    other: tuple[int, int],
    worst: Worst,
) -> Worst:
    """Compare every answer of a tile with every answer of another one."""
    top = -np.float64(lower.tiles[tile])
    bottom = np.float64(upper.tiles[other])
    column_gap = columns.blocks[tile[1] - columns.start // BLOCK, other[1]]
    last_column = min(tile[1] * BLOCK + BLOCK, orders.columns.shape[0])
    last_other = min(other[1] * BLOCK + BLOCK, orders.columns.shape[0])
    for i in range(tile[0] * BLOCK, min(tile[0] * BLOCK + BLOCK, orders.rows.shape[0])):
        for k in range(other[0] * BLOCK, min(other[0] * BLOCK + BLOCK, orders.rows.shape[0])):
            row_gap = rows.distances[i - rows.start, k]
            if not top - (bottom + (row_gap + column_gap)) > worst.excess:
                continue
            for j in range(tile[1] * BLOCK, last_column):
                for m in range(other[1] * BLOCK, last_other):
                    apart = row_gap + columns.distances[j - columns.start, m]
                    if not top - (bottom + apart) > worst.excess:
                        continue
                    if not _may_exceed(lower, upper, i, j, k, m, apart, worst.excess):
                        continue
                    least = np.float64(lower.table[orders.rows[i], orders.columns[j]])
                    most = np.float64(upper.table[orders.rows[k], orders.columns[m]])
                    excess = least - (most + apart)
                    if excess > worst.excess:
                        worst = Worst(excess, i, j, k, m)
    return worst


@njit(cache=True)
def _compare_with_coarse_tile(
    lower: Bounded,
    upper: Bounded,
    orders: Orders,
    rows: Apart,
    columns: Apart,
    tile: tuple[int, int],
    other: tuple[int, int],
    worst: Worst,
) -> Worst:
    """Compare a tile with the tiles of a coarse tile."""
    top = -np.float64(lower.tiles[tile])
    row_gaps = rows.blocks[tile[0] - rows.start // BLOCK]
    column_gaps = columns.blocks[tile[1] - columns.start // BLOCK]
    last_column = min(other[1] * BLOCK + BLOCK, upper.tiles.shape[1])
    for k in range(other[0] * BLOCK, min(other[0] * BLOCK + BLOCK, upper.tiles.shape[0])):
        for m in range(other[1] * BLOCK, last_column):
            if top - (np.float64(upper.tiles[k, m]) + (row_gaps[k] + column_gaps[m])) > worst.excess:
                worst = _compare_tiles(lower, upper, orders, rows, columns, tile, (k, m), worst)
    return worst


@njit(cache=True)
def _compare_coarse_tile(
    lower: Bounded,
    upper: Bounded,
    orders: Orders,
    rows: Apart,
    columns: Apart,
    coarse_row: int,
    coarse_column: int,
    worst: Worst,
) -> Worst:
    """Compare the answers of one coarse tile with all answers."""
    top = -np.float64(lower.coarse[coarse_row, coarse_column])
    row_gaps = rows.coarse[coarse_row - rows.start // BLOCK**2]
    column_gaps = columns.coarse[coarse_column - columns.start // BLOCK**2]
    last_row = min(coarse_row * BLOCK + BLOCK, lower.tiles.shape[0])
    last_column = min(coarse_column * BLOCK + BLOCK, lower.tiles.shape[1])
    for k in range(upper.coarse.shape[0]):
        # distances and upper ends are not negative, so that this row of coarse tiles is often skipped at once
        if not top - row_gaps[k] > worst.excess:
            continue
        for m in range(upper.coarse.shape[1]):
            least = np.float64(upper.coarse[k, m]) + (row_gaps[k] + column_gaps[m])
            if not top - least > worst.excess:
                continue
            for i in range(coarse_row * BLOCK, last_row):
                for j in range(coarse_column * BLOCK, last_column):
                    if -np.float64(lower.tiles[i, j]) - least > worst.excess:
                        worst = _compare_with_coarse_tile(lower, upper, orders, rows, columns, (i, j), (k, m), worst)
    return worst


@njit(cache=True, nogil=True)
def worst_of_coarse_tiles(
    lower: Bounded,
    upper: Bounded,
    orders: Orders,
    rows: Apart,
    columns: Apart,
    numbers: np.ndarray,
    tolerance: float,
    excesses: np.ndarray,
    positions: np.ndarray,
) -> None:
    """Write, for each coarse tile (a row of ``numbers``), its worst excess above ``tolerance`` and where it is.

    Every coarse tile starts from the same tolerance, so that the result does not depend on who does which.
    """
    for n in range(numbers.shape[0]):
        worst = Worst(tolerance, -1, -1, -1, -1)
        worst = _compare_coarse_tile(lower, upper, orders, rows, columns, numbers[n, 0], numbers[n, 1], worst)
        excesses[n] = worst.excess
        positions[n, 0] = worst.row
        positions[n, 1] = worst.column
        positions[n, 2] = worst.other_row
        positions[n, 3] = worst.other_column
