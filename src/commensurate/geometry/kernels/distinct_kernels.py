"""Finding equal rows by hashing, compiled; a hash only proposes, the rows themselves decide."""

from __future__ import annotations

import numpy as np
from numba import njit

SIGN = np.uint64(1 << 63)
FACTOR = np.uint64(0x9E3779B97F4A7C15)
SHIFT = np.uint64(29)
HALF = np.uint64(32)


@njit(cache=True)
def canonical(bits: np.uint64) -> np.uint64:
    """Return the bits of a float, with -0.0 made 0.0."""
    return np.uint64(0) if bits == SIGN else bits


@njit(cache=True)
def hash_row(row: np.ndarray) -> np.uint64:
    """Mix the bits of all columns."""
    mixed = np.uint64(row.shape[0])
    for k in range(row.shape[0]):
        mixed = (mixed ^ canonical(row[k])) * FACTOR
        mixed ^= mixed >> SHIFT
    return mixed * FACTOR


@njit(cache=True)
def same_row(left: np.ndarray, right: np.ndarray) -> bool:
    """Tell whether two rows are equal."""
    for k in range(left.shape[0]):
        if canonical(left[k]) != canonical(right[k]):
            return False
    return True


@njit(cache=True)
def empty_table(n_rows: int) -> np.ndarray:
    """Return a table with room for ``n_rows``; a slot holds half a hash and a row number plus one, or 0."""
    size = 4
    while 3 * size < 4 * n_rows:
        size *= 2
    return np.zeros(size, np.uint64)


@njit(cache=True)
def find_slot(table: np.ndarray, rows: np.ndarray, row: np.ndarray, mixed: np.uint64) -> int:
    """Return the slot of the entry that equals ``row``, or the empty slot where it would go."""
    mask = np.int64(table.shape[0] - 1)
    slot = np.int64(mixed >> HALF) & mask
    tag = mixed << HALF
    while True:
        entry = table[slot]
        if entry == 0:
            return int(slot)
        if (entry >> HALF) << HALF == tag and same_row(rows[np.int64(entry & np.uint64(0xFFFFFFFF)) - 1], row):
            return int(slot)
        slot = (slot + 1) & mask


@njit(cache=True, nogil=True)
def number_distinct(rows: np.ndarray, table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the first row of each distinct one, and the number of each row's distinct one; fills ``table``."""
    n = rows.shape[0]
    first, inverse = np.empty(n, np.int64), np.empty(n, np.int64)
    count = 0
    for i in range(n):
        mixed = hash_row(rows[i])
        slot = find_slot(table, rows, rows[i], mixed)
        if table[slot] == 0:
            table[slot] = (mixed << HALF) | np.uint64(i + 1)
            first[count] = i
            inverse[i] = count
            count += 1
        else:
            inverse[i] = inverse[np.int64(table[slot] & np.uint64(0xFFFFFFFF)) - 1]
    return first[:count].copy(), inverse


@njit(cache=True, nogil=True)
def look_up_all(table: np.ndarray, rows: np.ndarray, queries: np.ndarray, found: np.ndarray) -> None:
    """Fill in the first row that equals each query, or -1; ``table`` comes from :func:`number_distinct`."""
    for i in range(queries.shape[0]):
        slot = find_slot(table, rows, queries[i], hash_row(queries[i]))
        found[i] = np.int64(table[slot] & np.uint64(0xFFFFFFFF)) - 1
