"""Growing a kd-tree, and the bounds and leaf scans that every search on it uses, compiled.

Bounds are added up in the same order of columns as the distances themselves, which makes them exactly safe (see
``norm_kernels.py``); only powers need SLACK.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from commensurate.geometry.norms import CHEBYSHEV, EUCLIDEAN, MANHATTAN, MINKOWSKI
from commensurate.geometry.tree import Tree

SLACK = 1e-12


@njit(cache=True)
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


@njit(cache=True)
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
    grown = np.empty((2 * array.shape[0], *array.shape[1:]), array.dtype)
    grown[: array.shape[0]] = array
    return grown


@njit(cache=True)
def leaves_to_columns(rows: np.ndarray, start: np.ndarray, stop: np.ndarray, right: np.ndarray) -> int:
    """Transpose each leaf in place; return the size of the largest one."""
    d = rows.shape[1]
    widest = 0
    flat = rows.reshape(rows.size)
    for node in range(start.shape[0]):
        if right[node] == 0:
            size = stop[node] - start[node]
            widest = max(widest, size)
            leaf = rows[start[node] : stop[node]].copy()
            base = start[node] * d
            for k in range(d):
                for i in range(size):
                    flat[base + k * size + i] = leaf[i, k]
    return widest


@njit(cache=True, nogil=True)
def grow_tree(points: np.ndarray, members: np.ndarray, leaf_size: int) -> Tree:
    """Build the tree of some rows of ``points``; a leaf larger than ``leaf_size`` holds equal rows only."""
    n, d = members.shape[0], points.shape[1]
    rows = np.empty((n, d))
    for i in range(n):
        for k in range(d):
            rows[i, k] = points[members[i], k]
    order = members.copy()
    capacity = 16 + 4 * n // leaf_size
    start, stop = np.empty(capacity, np.int64), np.empty(capacity, np.int64)
    right, parent = np.zeros(capacity, np.int64), np.empty(capacity, np.int64)
    axes, cuts = np.zeros(capacity, np.int64), np.zeros(capacity)
    low, high = np.empty((capacity, d)), np.empty((capacity, d))
    waiting = [(0, n, -1, 1)]
    count, depth = 0, 0
    while len(waiting) > 0:
        first, last, above, level = waiting.pop()
        if count == start.shape[0]:
            start, stop, right, parent = longer(start), longer(stop), longer(right), longer(parent)
            axes, cuts, low, high = longer(axes), longer(cuts), longer(low), longer(high)
        node = count
        count += 1
        depth = max(depth, level)
        start[node], stop[node], parent[node], right[node] = first, last, above, 0
        if above >= 0 and node != above + 1:
            right[above] = node
        tight_box(rows[first:last], low[node], high[node])
        axis = widest_axis(low[node], high[node])
        if last - first <= leaf_size or low[node, axis] == high[node, axis]:
            continue
        cut = midpoint(low[node, axis], high[node, axis])
        axes[node], cuts[node] = axis, cut
        middle = first + partition_rows(rows[first:last], order[first:last], axis, cut)
        waiting.append((middle, last, node, level + 1))
        waiting.append((first, middle, node, level + 1))
    widest = leaves_to_columns(rows, start[:count], stop[:count], right[:count])
    return Tree(
        rows.reshape(n * d),
        order,
        start[:count],
        stop[:count],
        right[:count],
        parent[:count],
        axes[:count],
        cuts[:count],
        low[:count],
        high[:count],
        depth,
        widest,
    )
