"""Counting the points of a kd-tree within a radius, compiled."""

from __future__ import annotations

import numpy as np
from numba import njit

from commensurate.geometry.kernels.tree_kernels import farthest_in_box, nearest_in_box, scan_leaf, separates
from commensurate.geometry.tree import Tree


@njit(cache=True, nogil=True)
def count_in_tree(
    tree: Tree,
    code: int,
    p: float,
    queries: np.ndarray,
    visit: np.ndarray,
    reach: float,
    limit: int,
    counts: np.ndarray,
) -> None:
    """Fill in min(limit, number of points within reach) for the queries listed in ``visit``."""
    d = queries.shape[1]
    waiting = np.empty(tree.depth + 1, np.int64)
    scanned = np.empty(tree.widest_leaf)
    for i in visit:
        query = queries[i]
        count = 0
        waiting[0] = 0
        n_waiting = 1
        while n_waiting > 0 and count < limit:
            n_waiting -= 1
            node = waiting[n_waiting]
            low, high = tree.low[node], tree.high[node]
            if nearest_in_box(code, p, query, low, high) > reach:
                continue
            first, size = tree.start[node], tree.stop[node] - tree.start[node]
            if farthest_in_box(code, p, query, low, high) <= reach:
                count += size
            elif tree.right[node] != 0:
                gap = query[tree.axis[node]] - tree.cut[node]
                for child in (tree.right[node], node + 1):
                    if (child == node + 1) == (gap <= 0.0) or not separates(code, p, abs(gap), reach):
                        waiting[n_waiting] = child
                        n_waiting += 1
            else:
                scan_leaf(code, p, query, tree.columns[first * d : (first + size) * d], size, size, scanned)
                for j in range(size):
                    if scanned[j] <= reach:
                        count += 1
        counts[i] = min(count, limit)
