"""Which rows are equal: duplicates share every distance, so most work is done on distinct rows only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

COMPILING_PAYS_FROM = 4_096  # rows


@dataclass(frozen=True, slots=True, eq=False)
class Distinct:
    """The distinct rows of a matrix, numbered in order of appearance.

    ``first`` is the row number of each one's first occurrence, ``inverse`` tells which distinct row each row is.
    """

    first: NDArray[np.int64]
    inverse: NDArray[np.int64]


def distinct_rows(points: NDArray[np.float64]) -> Distinct:
    """Find the distinct rows; -0.0 equals 0.0.

    >>> found = distinct_rows(np.array([[1.0, 2.0], [0.0, 0.0], [1.0, 2.0], [-0.0, 0.0]]))
    >>> found.first, found.inverse
    (array([0, 1]), array([0, 1, 0, 1]))
    """
    if len(points) < COMPILING_PAYS_FROM:
        return _distinct_by_bytes(np.ascontiguousarray(points + 0.0, dtype=np.float64))
    from commensurate.geometry.kernels.distinct_kernels import empty_table, number_distinct

    bits = np.ascontiguousarray(points, dtype=np.float64).view(np.uint64)
    return Distinct(*number_distinct(bits, empty_table(len(bits))))


def _distinct_by_bytes(points: NDArray[np.float64]) -> Distinct:
    numbers: dict[bytes, int] = {}
    inverse = np.array([numbers.setdefault(row.tobytes(), len(numbers)) for row in points], dtype=np.int64)
    _, first = np.unique(inverse, return_index=True)
    return Distinct(first, inverse)
