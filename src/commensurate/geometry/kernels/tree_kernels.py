"""Growing a kd-tree, and the bounds and leaf scans that every search on it uses, compiled.

Bounds are added up in the same order of columns as the distances themselves, which makes them exactly safe (see
``norm_kernels.py``); only powers need SLACK.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from commensurate.geometry.norms import CHEBYSHEV, EUCLIDEAN, HAMMING, MANHATTAN, MINKOWSKI
from commensurate.geometry.tree import LEAF_SIZE, Tree

SLACK = 1e-12


@njit(cache=True, forceinline=True)
def nearest_in_box(code: int, p: float, query: np.ndarray, low: np.ndarray, high: np.ndarray) -> float:
    """Return a reduced distance that no point of the box undercuts."""
    total = 0.0
    if code == EUCLIDEAN:
        for k in range(query.shape[0]):
            gap = max(max(low[k] - query[k], query[k] - high[k]), 0.0)
            total += gap * gap
    elif code == MANHATTAN:
        for k in range(query.shape[0]):
            total += max(max(low[k] - query[k], query[k] - high[k]), 0.0)
    elif code == CHEBYSHEV:
        for k in range(query.shape[0]):
            total = max(total, max(low[k] - query[k], query[k] - high[k]))
    elif code == MINKOWSKI:
        for k in range(query.shape[0]):
            total += max(max(low[k] - query[k], query[k] - high[k]), 0.0) ** p
        total *= 1.0 - SLACK
    else:
        for k in range(query.shape[0]):
            if query[k] < low[k] or query[k] > high[k]:
                total += 1.0
    return total


@njit(cache=True, forceinline=True)
def farthest_in_box(code: int, p: float, query: np.ndarray, low: np.ndarray, high: np.ndarray) -> float:
    """Return a reduced distance that no point of the box exceeds."""
    total = 0.0
    if code == EUCLIDEAN:
        for k in range(query.shape[0]):
            gap = max(query[k] - low[k], high[k] - query[k])
            total += gap * gap
    elif code == MANHATTAN:
        for k in range(query.shape[0]):
            total += max(query[k] - low[k], high[k] - query[k])
    elif code == CHEBYSHEV:
        for k in range(query.shape[0]):
            total = max(total, max(query[k] - low[k], high[k] - query[k]))
    elif code == MINKOWSKI:
        for k in range(query.shape[0]):
            total += max(query[k] - low[k], high[k] - query[k]) ** p
        total *= 1.0 + SLACK
    else:
        for k in range(query.shape[0]):
            if query[k] != low[k] or query[k] != high[k]:
                total += 1.0
    return total


@njit(cache=True, forceinline=True)
def separates(code: int, p: float, gap: float, reach: float) -> bool:
    """Tell whether points that differ by ``gap`` in one column are farther apart than ``reach`` in any case."""
    if code == EUCLIDEAN:
        return gap * gap > reach
    if code == MINKOWSKI:
        return bool(gap**p * (1.0 - SLACK) > reach)
    if code == HAMMING:
        return gap > 0.0 and reach < 1.0
    return gap > reach


@njit(cache=True)
def scan_leaf(
    code: int, p: float, query: np.ndarray, block: np.ndarray, size: int, count: int, reduced: np.ndarray
) -> None:
    """Fill ``reduced`` with the reduced distances to the first ``count`` points of a leaf of ``size`` points."""
    for j in range(count):
        reduced[j] = 0.0
    for k in range(query.shape[0]):
        value = query[k]
        column = block[k * size : k * size + count]
        if code == EUCLIDEAN:
            for j in range(count):
                gap = value - column[j]
                reduced[j] += gap * gap
        elif code == MANHATTAN:
            for j in range(count):
                reduced[j] += abs(value - column[j])
        elif code == CHEBYSHEV:
            for j in range(count):
                reduced[j] = max(reduced[j], abs(value - column[j]))
        elif code == MINKOWSKI:
            for j in range(count):
                reduced[j] += abs(value - column[j]) ** p
        else:
            for j in range(count):
                reduced[j] += 1.0 if value != column[j] else 0.0


@njit(cache=True)
def tight_box(rows: np.ndarray, low: np.ndarray, high: np.ndarray) -> None:
    """Fill ``low`` and ``high`` with the smallest and largest value of each column."""
    for k in range(rows.shape[1]):
        low[k] = rows[0, k]
        high[k] = rows[0, k]
    for i in range(1, rows.shape[0]):
        for k in range(rows.shape[1]):
            low[k] = min(low[k], rows[i, k])
            high[k] = max(high[k], rows[i, k])


@njit(cache=True)
def partition_rows(rows: np.ndarray, order: np.ndarray, axis: int, cut: float) -> int:
    """Move rows with ``row[axis] <= cut`` to the front; return how many they are."""
    i, j = 0, rows.shape[0] - 1
    while True:
        while i <= j and rows[i, axis] <= cut:
            i += 1
        while i <= j and rows[j, axis] > cut:
            j -= 1
        if i >= j:
            return i
        order[i], order[j] = order[j], order[i]
        for k in range(rows.shape[1]):
            rows[i, k], rows[j, k] = rows[j, k], rows[i, k]
        i += 1
        j -= 1


@njit(cache=True)
def widest_axis(low: np.ndarray, high: np.ndarray) -> int:
    """Return the column in which the box is widest."""
    axis = 0
    for k in range(1, low.shape[0]):
        if high[k] - low[k] > high[axis] - low[axis]:
            axis = k
    return axis


@njit(cache=True)
def midpoint(low: float, high: float) -> float:
    """Return a value v with low <= v < high, halfway if the floats between allow."""
    middle = 0.5 * low + 0.5 * high
    return middle if low <= middle < high else low


@njit(cache=True)
def longer(array: np.ndarray) -> np.ndarray:
    """Return a copy of twice the length."""
    grown = np.empty(2 * array.shape[0], array.dtype)
    for i in range(array.shape[0]):  # an assignment of slices would compile ten times as long
        grown[i] = array[i]
    return grown


@njit(cache=True)
def leaf_to_columns(rows: np.ndarray, first: int, last: int, buffer: np.ndarray) -> None:
    """Transpose the rows of one leaf in place."""
    n, d = last - first, rows.shape[1]
    for i in range(n):
        for k in range(d):
            buffer[k * n + i] = rows[first + i, k]
    flat = rows[first:last].reshape(n * d)
    for i in range(n * d):
        flat[i] = buffer[i]


@njit(cache=True, nogil=True)
def grow_tree(points: np.ndarray, members: np.ndarray) -> Tree:
    """Build the tree of some rows of ``points``; a leaf larger than LEAF_SIZE holds equal rows only."""
    n, d = members.shape[0], points.shape[1]
    rows = np.empty((n, d))
    for i in range(n):
        for k in range(d):
            rows[i, k] = points[members[i], k]
    order = members.copy()
    capacity = 16 + 4 * n // LEAF_SIZE
    start, stop, parent = np.empty(capacity, np.int64), np.empty(capacity, np.int64), np.empty(capacity, np.int64)
    right, axes, cuts = np.zeros(capacity, np.int64), np.zeros(capacity, np.int64), np.zeros(capacity)
    low, high = np.empty(capacity * d), np.empty(capacity * d)
    buffer = np.empty(LEAF_SIZE * d)
    waiting = np.empty(1024, np.int64)  # first row, end, parent and depth of each node to come
    waiting[0], waiting[1], waiting[2], waiting[3] = 0, n, -1, 1
    n_waiting, count, depth, widest_leaf = 4, 0, 0, 0
    while n_waiting > 0:
        n_waiting -= 4
        first, last, above, level = (
            waiting[n_waiting],
            waiting[n_waiting + 1],
            waiting[n_waiting + 2],
            waiting[n_waiting + 3],
        )
        if count == start.shape[0]:
            start, stop, right, parent = longer(start), longer(stop), longer(right), longer(parent)
            axes, cuts, low, high = longer(axes), longer(cuts), longer(low), longer(high)
        node = count
        count += 1
        depth = max(depth, level)
        start[node], stop[node], parent[node], right[node] = first, last, above, 0
        if above >= 0 and node != above + 1:
            right[above] = node
        node_low, node_high = low[node * d : node * d + d], high[node * d : node * d + d]
        tight_box(rows[first:last], node_low, node_high)
        axis = widest_axis(node_low, node_high)
        if last - first <= LEAF_SIZE or node_low[axis] == node_high[axis]:
            if last - first > LEAF_SIZE:
                buffer = np.empty(max(buffer.shape[0], (last - first) * d))
            leaf_to_columns(rows, first, last, buffer)
            widest_leaf = max(widest_leaf, last - first)
            continue
        axes[node], cuts[node] = axis, midpoint(node_low[axis], node_high[axis])
        middle = first + partition_rows(rows[first:last], order[first:last], axis, cuts[node])
        if n_waiting + 8 > waiting.shape[0]:
            waiting = longer(waiting)
        for begin, end in ((middle, last), (first, middle)):  # the left child comes next
            waiting[n_waiting], waiting[n_waiting + 1] = begin, end
            waiting[n_waiting + 2], waiting[n_waiting + 3] = node, level + 1
            n_waiting += 4
    return Tree(
        rows.reshape(n * d),
        order,
        start[:count],
        stop[:count],
        right[:count],
        parent[:count],
        axes[:count],
        cuts[:count],
        low[: count * d].reshape(count, d),
        high[: count * d].reshape(count, d),
        depth,
        widest_leaf,
    )


@njit(cache=True, nogil=True)
def leaf_of_each(tree: Tree, queries: np.ndarray, leaf: np.ndarray) -> None:
    """Fill in the leaf in whose cell each query lies."""
    for i in range(queries.shape[0]):
        node = 0
        while tree.right[node] != 0:
            node = node + 1 if queries[i, tree.axis[node]] <= tree.cut[node] else tree.right[node]
        leaf[i] = node
