"""Compiled count of the pairs of two sorted vectors whose sum does not exceed a limit."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def count_sums_within(left: np.ndarray, right: np.ndarray, limit: float) -> int:
    """Return how many of the len(left)·len(right) sums are at most ``limit``, in one walk along both vectors.

    Sums are compared as float64 adds them. Rounding keeps their order,
    so the walk counts exactly what brute force does.
    """
    count = 0
    j = len(right)
    for i in range(len(left)):
        while j > 0 and left[i] + right[j - 1] > limit:
            j -= 1
        if j == 0:
            break
        count += j
    return count
