"""The nearest point of each query in a kd-tree, compiled."""

from __future__ import annotations

import numpy as np
from numba import njit

from commensurate.geometry.kernels.norm_kernels import finish
from commensurate.geometry.kernels.tree_kernels import nearest_in_box, scan_leaf, separates
from commensurate.geometry.tree import Tree

NO_ROW = np.iinfo(np.int64).max


@njit(cache=True, nogil=True)
def nearest_in_tree(
    tree: Tree,
    code: int,
    p: float,
    queries: np.ndarray,
    visit: np.ndarray,
    nearest: np.ndarray,
    reduced: np.ndarray,
) -> None:
    """Fill in the nearest row and its reduced distance for the queries listed in ``visit``."""
    d = queries.shape[1]
    waiting = np.empty(tree.depth + 1, np.int64)
    scanned = np.empty(tree.widest_leaf)
    for i in visit:
        query = queries[i]
        best, best_row = np.inf, NO_ROW
        waiting[0] = 0
        n_waiting = 1
        while n_waiting > 0:
            n_waiting -= 1
            node = waiting[n_waiting]
            if nearest_in_box(code, p, query, tree.low[node], tree.high[node]) > best:
                continue
            while tree.right[node] != 0:  # down to the leaf where the query belongs; what lies across a cut waits
                gap = query[tree.axis[node]] - tree.cut[node]
                near, far = (node + 1, tree.right[node]) if gap <= 0.0 else (tree.right[node], node + 1)
                if not separates(code, p, abs(gap), best):
                    waiting[n_waiting] = far
                    n_waiting += 1
                node = near
            first, size = tree.start[node], tree.stop[node] - tree.start[node]
            scan_leaf(code, p, query, tree.columns[first * d : (first + size) * d], size, size, scanned)
            for j in range(size):
                if scanned[j] <= best:
                    row = tree.order[first + j]
                    if scanned[j] < best or row < best_row:
                        best, best_row = scanned[j], row
        nearest[i], reduced[i] = best_row, best


@njit(cache=True)
def finish_all(code: int, p: float, n_columns: int, reduced: np.ndarray) -> None:
    """Turn reduced distances into distances, in place."""
    for i in range(reduced.shape[0]):
        reduced[i] = finish(code, p, n_columns, reduced[i])
