"""The two-hop cover of points that no gap separates, on a kd-tree, compiled.

Balls of representatives are disjoint, so each point z is expanded at most once: W_x = U ∩ ⋃_{z ∈ H_x} H_z. Inside each
leaf the uncovered points come first, and each node knows how many of its points are uncovered.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from commensurate.geometry.kernels.distinct_kernels import empty_table, number_distinct
from commensurate.geometry.kernels.tree_kernels import (
    SLACK,
    farthest_in_box,
    grow_tree,
    nearest_in_box,
    scan_leaf,
    separates,
)
from commensurate.geometry.norms import CHEBYSHEV, EUCLIDEAN, MANHATTAN, MINKOWSKI
from commensurate.geometry.tree import Tree

WIDTH = 16  # points whose distances to a box are found together


@njit(cache=True)
def ball_of(
    tree: Tree,
    code: int,
    p: float,
    reach: float,
    query: np.ndarray,
    small: np.ndarray,
    waiting: np.ndarray,
    scanned: np.ndarray,
    ball: np.ndarray,
) -> int:
    """Collect the points within reach of ``query`` in ``ball``; return how many they are."""
    d = query.shape[0]
    count = 0
    waiting[0] = 0
    n_waiting = 1
    while n_waiting > 0:
        n_waiting -= 1
        node = waiting[n_waiting]
        low, high = tree.low[node], tree.high[node]
        if nearest_in_box(code, p, query, low, high) > reach:
            continue
        first, last = tree.start[node], tree.stop[node]
        size = last - first
        if tree.right[node] == 0:
            scan_leaf(code, p, query, tree.columns[first * d : last * d], size, size, scanned)
            for j in range(size):
                if scanned[j] <= reach:
                    ball[count] = tree.order[first + j]
                    count += 1
        elif small[node] and farthest_in_box(code, p, query, low, high) <= reach:
            for j in range(first, last):
                ball[count] = tree.order[j]
                count += 1
        else:
            gap = query[tree.axis[node]] - tree.cut[node]
            for child in (tree.right[node], node + 1):
                if (child == node + 1) == (gap <= 0.0) or not separates(code, p, abs(gap), reach):
                    waiting[n_waiting] = child
                    n_waiting += 1
    return count


@njit(cache=True)
def swap_points(tree: Tree, leaf: int, i: int, j: int, d: int) -> None:
    """Exchange the i-th and the j-th point of a leaf."""
    first, size = tree.start[leaf], tree.stop[leaf] - tree.start[leaf]
    tree.order[first + i], tree.order[first + j] = tree.order[first + j], tree.order[first + i]
    for k in range(d):
        a, b = first * d + k * size + i, first * d + k * size + j
        tree.columns[a], tree.columns[b] = tree.columns[b], tree.columns[a]


@njit(cache=True)
def fewer_uncovered(tree: Tree, uncovered: np.ndarray, node: int, by: int) -> None:
    """Subtract from the counts of a node and everything above it."""
    while node >= 0:
        uncovered[node] -= by
        node = tree.parent[node]


@njit(cache=True)
def cover_node(tree: Tree, uncovered: np.ndarray, node: int, x: int, representative: np.ndarray) -> None:
    """Give every uncovered point below ``node`` the representative ``x``."""
    gone = uncovered[node]
    fewer_uncovered(tree, uncovered, tree.parent[node], gone)
    end = tree.stop[node]
    below = node
    while below < tree.start.shape[0] and tree.start[below] < end:
        if tree.right[below] == 0:
            for j in range(tree.start[below], tree.start[below] + uncovered[below]):
                representative[tree.order[j]] = x
        uncovered[below] = 0
        below += 1


@njit(cache=True)
def cover_in_leaf(
    tree: Tree,
    code: int,
    p: float,
    reach: float,
    query: np.ndarray,
    leaf: int,
    x: int,
    scanned: np.ndarray,
    uncovered: np.ndarray,
    representative: np.ndarray,
) -> None:
    """Give the leaf's uncovered points within reach of ``query`` the representative ``x``."""
    d = query.shape[0]
    first, last = tree.start[leaf], tree.stop[leaf]
    before = uncovered[leaf]
    left = before
    scan_leaf(code, p, query, tree.columns[first * d : last * d], last - first, before, scanned)
    for j in range(before - 1, -1, -1):
        if scanned[j] <= reach:
            representative[tree.order[first + j]] = x
            left -= 1
            swap_points(tree, leaf, j, left, d)
    if left < before:
        fewer_uncovered(tree, uncovered, leaf, before - left)


@njit(cache=True)
def box_to_each(
    code: int, p: float, low: np.ndarray, high: np.ndarray, columns: np.ndarray, reduced: np.ndarray
) -> float:
    """Fill in a bound like :func:`nearest_in_box` for each of some points stored by columns; return the smallest."""
    n = reduced.shape[0]
    for i in range(n):
        reduced[i] = 0.0
    for k in range(low.shape[0]):
        column = columns[k * n : k * n + n]
        below, above = low[k], high[k]
        if code == EUCLIDEAN:
            for i in range(n):
                gap = max(max(below - column[i], column[i] - above), 0.0)
                reduced[i] += gap * gap
        elif code == MANHATTAN:
            for i in range(n):
                reduced[i] += max(max(below - column[i], column[i] - above), 0.0)
        elif code == CHEBYSHEV:
            for i in range(n):
                reduced[i] = max(reduced[i], max(below - column[i], column[i] - above))
        elif code == MINKOWSKI:
            for i in range(n):
                reduced[i] += max(max(below - column[i], column[i] - above), 0.0) ** p * (1.0 - SLACK)
        else:
            for i in range(n):
                reduced[i] += 1.0 if column[i] < below or column[i] > above else 0.0
    smallest = np.inf
    for i in range(n):
        smallest = min(smallest, reduced[i])
    return smallest


@njit(cache=True)
def fits_into_ball(
    tree: Tree, code: int, p: float, reach: float, rows: np.ndarray, centres: np.ndarray, node: int
) -> bool:
    """Tell whether all points of a node lie within reach of one of the rows ``centres``."""
    for z in centres:
        if farthest_in_box(code, p, rows[z], tree.low[node], tree.high[node]) <= reach:
            return True
    return False


@njit(cache=True)
def cover_around(
    tree: Tree,
    code: int,
    p: float,
    reach: float,
    rows: np.ndarray,
    centres: np.ndarray,
    x: int,
    waiting: np.ndarray,
    columns: np.ndarray,
    scanned: np.ndarray,
    uncovered: np.ndarray,
    small: np.ndarray,
    representative: np.ndarray,
) -> None:
    """Give every uncovered point within reach of one of a few rows the representative ``x``."""
    d = rows.shape[1]
    to_box = np.empty(WIDTH)
    for i in range(WIDTH):  # repeating the last one is harmless, and full vectors are faster
        for k in range(d):
            columns[k * WIDTH + i] = rows[centres[min(i, centres.shape[0] - 1)], k]
    waiting[0] = 0
    n_waiting = 1
    while n_waiting > 0:
        n_waiting -= 1
        node = waiting[n_waiting]
        if uncovered[node] == 0:
            continue
        if box_to_each(code, p, tree.low[node], tree.high[node], columns, to_box) > reach:
            continue
        if tree.right[node] == 0:
            for i in range(centres.shape[0]):
                if to_box[i] <= reach and uncovered[node] > 0:
                    cover_in_leaf(tree, code, p, reach, rows[centres[i]], node, x, scanned, uncovered, representative)
        elif small[node] and fits_into_ball(tree, code, p, reach, rows, centres, node):
            cover_node(tree, uncovered, node, x, representative)
        else:
            waiting[n_waiting], waiting[n_waiting + 1] = tree.right[node], node + 1
            n_waiting += 2


@njit(cache=True)
def nodes_that_fit(tree: Tree, code: int, p: float, reach: float) -> np.ndarray:
    """Tell for each node whether some ball might hold it whole, so that it pays to look."""
    fit = np.empty(tree.start.shape[0], np.bool_)
    for node in range(fit.shape[0]):
        centre = 0.5 * tree.low[node] + 0.5 * tree.high[node]
        fit[node] = farthest_in_box(code, p, centre, tree.low[node], tree.high[node]) <= reach
    return fit


@njit(cache=True)
def leaf_of_each_point(tree: Tree) -> np.ndarray:
    """Return the leaf in which each point is stored."""
    leaf_of = np.empty(tree.order.shape[0], np.int64)
    for node in range(tree.start.shape[0]):
        if tree.right[node] == 0:
            for j in range(tree.start[node], tree.stop[node]):
                leaf_of[tree.order[j]] = node
    return leaf_of


@njit(cache=True)
def cover_in_tree(tree: Tree, code: int, p: float, reach: float, rows: np.ndarray, representative: np.ndarray) -> None:
    """Fill in the representative of each of the distinct ``rows`` of the tree, scanned in the order given."""
    n = tree.order.shape[0]
    uncovered = tree.stop - tree.start
    small = nodes_that_fit(tree, code, p, reach)
    leaf_of = leaf_of_each_point(tree)
    waiting = np.empty(tree.depth + 1, np.int64)
    scanned, columns = np.empty(tree.widest_leaf), np.empty(WIDTH * rows.shape[1])
    ball = np.empty(n, np.int64)
    for x in range(n):
        representative[x] = -1
    for x in range(n):
        if representative[x] >= 0:
            continue
        size = ball_of(tree, code, p, reach, rows[x], small, waiting, scanned, ball)
        if size == 1:
            cover_in_leaf(tree, code, p, reach, rows[x], leaf_of[x], x, scanned, uncovered, representative)
            continue
        for begin in range(0, size, WIDTH):
            cover_around(
                tree,
                code,
                p,
                reach,
                rows,
                ball[begin : min(begin + WIDTH, size)],
                x,
                waiting,
                columns,
                scanned,
                uncovered,
                small,
                representative,
            )


@njit(cache=True, nogil=True)
def cover_dense(
    code: int,
    p: float,
    reach: float,
    points: np.ndarray,
    members: np.ndarray,
    pieces: np.ndarray,
    representative: np.ndarray,
) -> None:
    """Fill in the representatives of the rows of each piece, given in scan order; equal rows are one point."""
    d = points.shape[1]
    for i in range(pieces.shape[0]):
        names = members[pieces[i, 0] : pieces[i, 1]]
        rows = np.empty((names.shape[0], d))
        for j in range(names.shape[0]):
            for k in range(d):
                rows[j, k] = points[names[j], k]
        first, inverse = number_distinct(rows.view(np.uint64), empty_table(names.shape[0]))
        for j in range(first.shape[0]):  # a row never moves behind its own place
            for k in range(d):
                rows[j, k] = rows[first[j], k]
        tree = grow_tree(rows, np.arange(first.shape[0]))
        chosen = np.empty(first.shape[0], np.int64)
        cover_in_tree(tree, code, p, reach, rows, chosen)
        for j in range(names.shape[0]):
            representative[names[j]] = names[first[chosen[inverse[j]]]]
