"""Compiled: the value of every tree of a forest at every row."""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from commensurate.arrays import FloatArray, IntArray


@njit(parallel=True, cache=True, nogil=True)
def forest_sums(
    features: np.ndarray,
    roots: IntArray,
    split_on: np.ndarray,
    threshold: FloatArray,
    child: np.ndarray,
    value: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Return the sum and the sum of squares of all trees' values, for each row of float32 features.

    ``child[k]`` is where rows go that are not above the threshold of node k; the others go to the node after it.
    A leaf has no feature to split on: -1.
    """
    n = len(features)
    sums, squares = np.zeros(n), np.zeros(n)
    for i in prange(n):
        total, square = 0.0, 0.0
        for root in roots:
            node = root
            while split_on[node] >= 0:
                node = child[node] + (features[i, split_on[node]] > threshold[node])
            total += value[node]
            square += value[node] * value[node]
        sums[i], squares[i] = total, square
    return sums, squares
