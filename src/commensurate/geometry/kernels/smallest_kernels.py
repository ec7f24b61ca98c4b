"""The k rows with the smallest estimates, compiled:
units are looked at one by one, and members only of those near enough.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True, inline="always")
def _after(value: float, row: int, other_value: float, other_row: int) -> bool:
    """Tell whether the first comes after the second: by its value, of equal ones by its row."""
    return bool(value > other_value or (value == other_value and row > other_row))


@njit(cache=True, nogil=True)
def _sift_down(values: np.ndarray, rows: np.ndarray, size: int) -> None:
    """Let the root of a heap sink to its place; the root of a heap comes after all others."""
    value, row = values[0], rows[0]
    at = 0
    while 2 * at + 1 < size:
        child = 2 * at + 1
        if child + 1 < size and _after(values[child + 1], rows[child + 1], values[child], rows[child]):
            child += 1
        if not _after(values[child], rows[child], value, row):
            break
        values[at], rows[at] = values[child], rows[child]
        at = child
    values[at], rows[at] = value, row


@njit(cache=True, nogil=True)
def _push(values: np.ndarray, rows: np.ndarray, size: int, value: float, row: int) -> None:
    """Add to a heap of ``size``."""
    at = size
    while at > 0:
        parent = (at - 1) // 2
        if not _after(value, row, values[parent], rows[parent]):
            break
        values[at], rows[at] = values[parent], rows[parent]
        at = parent
    values[at], rows[at] = value, row


@njit(cache=True, nogil=True)
def keep_smallest(
    estimates: np.ndarray, starts: np.ndarray, members: np.ndarray, values: np.ndarray, rows: np.ndarray
) -> None:
    """Write the k smallest of each line of ``estimates`` to ``values`` and their rows to ``rows``, in order.

    ``estimates[i, u]`` is that of all members of unit u, ``members[starts[u] : starts[u + 1]]``, which are in order;
    there are at least k members in all.
    """
    k = values.shape[1]
    for i in range(estimates.shape[0]):
        found, found_rows, size = values[i], rows[i], 0
        for unit in range(estimates.shape[1]):
            value = estimates[i, unit]
            for at in range(starts[unit], starts[unit + 1]):
                row = members[at]
                if size < k:
                    _push(found, found_rows, size, value, row)
                    size += 1
                elif _after(found[0], found_rows[0], value, row):
                    found[0], found_rows[0] = value, row
                    _sift_down(found, found_rows, k)
                else:
                    break  # the other members of the unit come after this one
        for last in range(k - 1, 0, -1):
            found[0], found[last] = found[last], found[0]
            found_rows[0], found_rows[last] = found_rows[last], found_rows[0]
            _sift_down(found, found_rows, last)
