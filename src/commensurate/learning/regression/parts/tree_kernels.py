"""Compiled: the value of every tree of a forest at every row."""

from __future__ import annotations

import numpy as np
from numba import njit

from commensurate.arrays import FloatArray, IntArray

# rows that go down a tree together: they wait for memory at the same time, not one after the other
ROWS = 256
# a node holds two numbers: which feature it looks at in the lower bits, its first child in the upper ones
CHILD_BITS = 32
FEATURE_MASK = 2**CHILD_BITS - 1


@njit(cache=True, nogil=True)
def forest_sums(
    features: np.ndarray,
    roots: np.ndarray,
    depths: IntArray,
    nodes: np.ndarray,
    threshold: np.ndarray,
    value: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Return the sum and the sum of squares of all trees' values, for each row of float32 features.

    All rows take as many steps as their tree is deep, so that no step depends on whether the last one reached a leaf:
    a leaf is its own child. Rows that are not above a node's threshold go to its first child, others to the next node.
    Numbers of nodes are unsigned: signed ones might count from the end, and that would be checked at every step.
    """
    mask, shift = np.uint64(FEATURE_MASK), np.uint64(CHILD_BITS)
    n = len(features)
    sums, squares = np.zeros(n), np.zeros(n)
    at = np.empty(ROWS, dtype=np.uint64)
    for start in range(0, n, ROWS):
        end = min(start + ROWS, n)
        rows = features[start:end]
        for tree in range(len(roots)):
            at[:] = roots[tree]
            for _ in range(depths[tree]):
                for i in range(end - start):
                    node = nodes[at[i]]
                    above = rows[np.uint64(i), node & mask] > threshold[at[i]]
                    at[i] = (node >> shift) + np.uint64(above)
            for i in range(end - start):
                found = value[at[i]]
                sums[start + i] += found
                squares[start + i] += found * found
    return sums, squares
