"""The five coordinate-wise distances, compiled.

A reduced distance is always accumulated column by column in float64, without reassociation. That makes rounding
monotone: the reduced distance to the nearest corner of a box never exceeds the one to any point inside, to the last
bit, so that pruning with boxes changes no result (a power |gap| ** p is rounded by the machine's library, which
promises no monotonicity: prune MINKOWSKI with a little slack).
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from commensurate.geometry.norms import CHEBYSHEV, EUCLIDEAN, HAMMING, MANHATTAN, MINKOWSKI


@njit(cache=True, inline="always")
def reduced_distance(code: int, p: float, left: np.ndarray, right: np.ndarray) -> float:
    """Return the reduced distance between two rows."""
    total = 0.0
    if code == EUCLIDEAN:
        for k in range(left.shape[0]):
            gap = left[k] - right[k]
            total += gap * gap
    elif code == MANHATTAN:
        for k in range(left.shape[0]):
            total += abs(left[k] - right[k])
    elif code == CHEBYSHEV:
        for k in range(left.shape[0]):
            total = max(total, abs(left[k] - right[k]))
    elif code == MINKOWSKI:
        for k in range(left.shape[0]):
            total += abs(left[k] - right[k]) ** p
    else:
        for k in range(left.shape[0]):
            if left[k] != right[k]:
                total += 1.0
    return total


@njit(cache=True, inline="always")
def finish(code: int, p: float, n_columns: int, reduced: float) -> float:
    """Turn a reduced distance into the distance."""
    if code == EUCLIDEAN:
        return math.sqrt(reduced)
    if code == MINKOWSKI:
        return float(reduced ** (1.0 / p))
    if code == HAMMING:
        return reduced / max(n_columns, 1)
    return reduced


@njit(cache=True, inline="always")
def add_column(code: int, p: float, value: float, column: np.ndarray, reduced: np.ndarray) -> None:
    """Add one column's gaps to the reduced distances of a row to many."""
    if code == EUCLIDEAN:
        for j in range(column.shape[0]):
            gap = value - column[j]
            reduced[j] += gap * gap
    elif code == MANHATTAN:
        for j in range(column.shape[0]):
            reduced[j] += abs(value - column[j])
    elif code == CHEBYSHEV:
        for j in range(column.shape[0]):
            reduced[j] = max(reduced[j], abs(value - column[j]))
    elif code == MINKOWSKI:
        for j in range(column.shape[0]):
            reduced[j] += abs(value - column[j]) ** p
    else:
        for j in range(column.shape[0]):
            if value != column[j]:
                reduced[j] += 1.0


@njit(cache=True, nogil=True)
def pairwise_reduced(code: int, p: float, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return the reduced distance of every row of ``left`` to every row of ``right``.

    The inner loop runs along the rows of ``right``, where the processor can work on several at once; each sum keeps its
    order.
    """
    columns = np.ascontiguousarray(right.T)
    out = np.zeros((left.shape[0], right.shape[0]))
    for i in range(left.shape[0]):
        for k in range(left.shape[1]):
            add_column(code, p, left[i, k], columns[k], out[i])
    return out


@njit(cache=True, nogil=True)
def pairwise_distances(code: int, p: float, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return the distance of every row of ``left`` to every row of ``right``."""
    out = pairwise_reduced(code, p, left, right)
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = finish(code, p, left.shape[1], out[i, j])
    return out


@njit(cache=True)
def paired_distances(code: int, p: float, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return the distance of each row of ``left`` to the same row of ``right``."""
    out = np.empty(left.shape[0])
    for i in range(left.shape[0]):
        out[i] = finish(code, p, left.shape[1], reduced_distance(code, p, left[i], right[i]))
    return out
