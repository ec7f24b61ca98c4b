"""The compiled search for the certified interval: the least of ``sign * table[i, j] + (dx[i] + dy[j])``.

With sign +1 that is the upper bound; with sign -1 it is minus the lower bound, to the last bit, because IEEE negation
is exact. So one search serves both.

Rows and columns are in *near order*. A *tile* is a block of 8 rows times a block of 8 columns and knows the least
``sign * table`` inside; a *coarse tile* is 8 x 8 tiles. A tile's bound adds the least dx of its rows and the least dy
of its columns in the same order of operations as an entry's value. Rounding is monotone, hence no entry's value is
below its tile's bound, and skipping tiles changes no bit of the result. Coarse tiles are opened by ascending bound, so
that hardly any is opened in vain.

The table is not copied in near order. One byte an entry, a *code*, tells its value up to 1/256 of the largest; the 64
codes of a tile share a cache line. The table is read, with a cache miss each time, only where the code says that an
entry may win.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from commensurate.geometry.tiles import BLOCK, Bounded, Orders


class Reach(NamedTuple):
    """Distances of one pair to the representatives in near order, and their minima by block and coarse block."""

    dx: np.ndarray
    dy: np.ndarray
    block_dx: np.ndarray
    block_dy: np.ndarray
    coarse_dx: np.ndarray
    coarse_dy: np.ndarray


@njit(cache=True)
def scan(table: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> tuple[float, float, bool]:
    """Mark rows and columns with answers; return the least and the largest finite answer,
    and whether one is infinite.
    """
    least = np.inf
    largest = 0.0
    infinite = False
    for i in range(table.shape[0]):
        for j in range(table.shape[1]):
            value = table[i, j]
            if np.isnan(value):
                continue
            rows[i] = True
            columns[j] = True
            least = min(least, value)
            if np.isinf(value):
                infinite = True
            else:
                largest = max(largest, value)
    return least, largest, infinite


@njit(cache=True)
def tile_minima(table: np.ndarray, sign: float, orders: Orders, tiles: np.ndarray) -> None:
    """Write the least ``sign * table`` of every tile; +inf for a tile without answers."""
    tiles[:] = np.inf
    for i in range(orders.rows.shape[0]):
        row = table[orders.rows[i]]
        strip = tiles[i // BLOCK]
        for j in range(orders.columns.shape[0]):
            value = sign * row[orders.columns[j]]
            if value < strip[j // BLOCK]:
                strip[j // BLOCK] = value


@njit(cache=True)
def encode(table: np.ndarray, step: float, orders: Orders, codes: np.ndarray) -> None:
    """Write the code of every entry, ``value // step``; 255 for unanswered and infinite ones."""
    codes[:] = 255
    for i in range(orders.rows.shape[0]):
        row = table[orders.rows[i]]
        strip = codes[i // BLOCK, :, i % BLOCK]
        for j in range(orders.columns.shape[0]):
            steps = row[orders.columns[j]] / step
            if steps < 255.0:
                strip[j // BLOCK, j % BLOCK] = np.uint8(steps)


@njit(cache=True)
def block_minima(values: np.ndarray) -> np.ndarray:
    """Return the least value of each run of 8."""
    out = np.full((values.shape[0] + BLOCK - 1) // BLOCK, np.inf)
    for k in range(values.shape[0]):
        out[k // BLOCK] = min(out[k // BLOCK], values[k])
    return out


@njit(cache=True)
def _least_in_tile(
    bounded: Bounded, orders: Orders, reach: Reach, row_block: int, column_block: int, least: float
) -> float:
    """Lower ``least`` to the least value in one tile."""
    tile_least = np.float64(bounded.tiles[row_block, column_block])
    first_column = column_block * BLOCK
    n_columns = min(BLOCK, reach.dy.shape[0] - first_column)
    for i in range(row_block * BLOCK, min(row_block * BLOCK + BLOCK, reach.dx.shape[0])):
        if not tile_least + (reach.dx[i] + reach.block_dy[column_block]) < least:
            continue
        for k in range(n_columns):
            distance = reach.dx[i] + reach.dy[first_column + k]
            code = np.float64(bounded.codes[row_block, column_block, i % BLOCK, k])
            if (bounded.base + bounded.slope * code) + distance < least:
                answer = np.float64(bounded.table[orders.rows[i], orders.columns[first_column + k]])
                value = bounded.sign * answer + distance
                if value < least:
                    least = value
    return least


@njit(cache=True)
def _least_in_coarse_tile(
    bounded: Bounded, orders: Orders, reach: Reach, coarse_row: int, coarse_column: int, least: float
) -> float:
    """Lower ``least`` to the least value in one coarse tile."""
    last_column = min(coarse_column * BLOCK + BLOCK, reach.block_dy.shape[0])
    for i in range(coarse_row * BLOCK, min(coarse_row * BLOCK + BLOCK, reach.block_dx.shape[0])):
        for j in range(coarse_column * BLOCK, last_column):
            if np.float64(bounded.tiles[i, j]) + (reach.block_dx[i] + reach.block_dy[j]) < least:
                least = _least_in_tile(bounded, orders, reach, i, j, least)
    return least


@njit(cache=True)
def _open_coarse_tiles(coarse: np.ndarray, reach: Reach, least: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the coarse tiles whose bound is below ``least``, by ascending bound, and their bounds."""
    n_columns = coarse.shape[1]
    n_open = 0
    for i in range(coarse.shape[0]):
        for j in range(n_columns):
            n_open += np.float64(coarse[i, j]) + (reach.coarse_dx[i] + reach.coarse_dy[j]) < least
    bounds = np.empty(n_open)
    numbers = np.empty(n_open, dtype=np.int64)
    if n_open == 0:
        return numbers, bounds
    n_open = 0
    for i in range(coarse.shape[0]):
        for j in range(n_columns):
            bound = np.float64(coarse[i, j]) + (reach.coarse_dx[i] + reach.coarse_dy[j])
            if bound < least:
                bounds[n_open] = bound
                numbers[n_open] = i * n_columns + j
                n_open += 1
    order = np.argsort(bounds)
    return numbers[order], bounds[order]


@njit(cache=True)
def _least(bounded: Bounded, orders: Orders, reach: Reach, least: float) -> float:
    """Return the least value of the whole table, or ``least`` if none is below it."""
    nearest = int(np.argmin(reach.block_dx)), int(np.argmin(reach.block_dy))
    least = _least_in_tile(bounded, orders, reach, nearest[0], nearest[1], least)
    numbers, bounds = _open_coarse_tiles(bounded.coarse, reach, least)
    for k in range(numbers.shape[0]):
        if not bounds[k] < least:
            break
        coarse_row = numbers[k] // bounded.coarse.shape[1]
        coarse_column = numbers[k] % bounded.coarse.shape[1]
        least = _least_in_coarse_tile(bounded, orders, reach, coarse_row, coarse_column, least)
    return least


@njit(cache=True)
def _interval(lower: Bounded, upper: Bounded, orders: Orders, dx: np.ndarray, dy: np.ndarray) -> tuple[float, float]:
    """Return the certified interval of one pair."""
    block_dx = block_minima(dx)
    block_dy = block_minima(dy)
    reach = Reach(dx, dy, block_dx, block_dy, block_minima(block_dx), block_minima(block_dy))
    # 0.0 - x rather than -x: a zero shall not become negative
    return 0.0 - _least(lower, orders, reach, 0.0), _least(upper, orders, reach, np.inf)


@njit(cache=True, nogil=True)
def intervals(lower: Bounded, upper: Bounded, orders: Orders, dx: np.ndarray, dy: np.ndarray, out: np.ndarray) -> None:
    """Write the certified interval of each pair, given by its row of ``dx`` and of ``dy`` in near order."""
    for k in range(dx.shape[0]):
        out[k, 0], out[k, 1] = _interval(lower, upper, orders, dx[k], dy[k])
