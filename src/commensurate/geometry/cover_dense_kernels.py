"""The two-hop cover of points that no gap separates, on a kd-tree, compiled.

Balls of representatives are disjoint, so each point z is expanded at most once: W_x = U ∩ ⋃_{z ∈ H_x} H_z. Inside each
leaf the uncovered points come first, and each node knows how many of its points are uncovered.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from commensurate.geometry.distinct_kernels import number_distinct
from commensurate.geometry.tree import LEAF_SIZE, Tree
from commensurate.geometry.tree_kernels import farthest_in_box, grow_tree, longer, nearest_in_box, scan_leaf


@njit(cache=True)
def ball_of(
    tree: Tree,
    code: int,
    p: float,
    reach: float,
    query: np.ndarray,
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
        elif farthest_in_box(code, p, query, low, high) <= reach:
            for j in range(first, last):
                ball[count] = tree.order[j]
                count += 1
        else:
            waiting[n_waiting], waiting[n_waiting + 1] = tree.right[node], node + 1
            n_waiting += 2
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
    rows: np.ndarray,
    balls: np.ndarray,
    leaf: int,
    x: int,
    scanned: np.ndarray,
    uncovered: np.ndarray,
    representative: np.ndarray,
) -> None:
    """Give the leaf's uncovered points within reach of one of ``balls`` the representative ``x``."""
    d = rows.shape[1]
    first, last = tree.start[leaf], tree.stop[leaf]
    before = uncovered[leaf]
    left = before
    for z in balls:
        scan_leaf(code, p, rows[z], tree.columns[first * d : last * d], last - first, left, scanned)
        for j in range(left - 1, -1, -1):
            if scanned[j] <= reach:
                representative[tree.order[first + j]] = x
                left -= 1
                swap_points(tree, leaf, j, left, d)
        if left == 0:
            break
    if left < before:
        fewer_uncovered(tree, uncovered, leaf, before - left)


@njit(cache=True)
def cover_around(
    tree: Tree,
    code: int,
    p: float,
    reach: float,
    rows: np.ndarray,
    ball: np.ndarray,
    x: int,
    scanned: np.ndarray,
    uncovered: np.ndarray,
    representative: np.ndarray,
) -> None:
    """Cover everything uncovered within reach of a point of ``ball``; going down, keep the ones that still matter."""
    near = np.empty(4 * ball.shape[0] + 64, np.int64)
    near[: ball.shape[0]] = ball
    waiting = [(0, 0, ball.shape[0])]
    while len(waiting) > 0:
        node, begin, end = waiting.pop()
        if uncovered[node] == 0:
            continue
        if tree.right[node] == 0:
            cover_in_leaf(tree, code, p, reach, rows, near[begin:end], node, x, scanned, uncovered, representative)
            continue
        while near.shape[0] < end + 2 * (end - begin):
            near = longer(near)
        top = end
        for child in (tree.right[node], node + 1):
            if uncovered[child] == 0:
                continue
            bottom = top
            low, high = tree.low[child], tree.high[child]
            inside = False
            for i in range(begin, end):
                query = rows[near[i]]
                if nearest_in_box(code, p, query, low, high) <= reach:
                    near[top] = near[i]
                    top += 1
                    if farthest_in_box(code, p, query, low, high) <= reach:
                        inside = True
                        break
            if inside:
                cover_node(tree, uncovered, child, x, representative)
                top = bottom
            elif top > bottom:
                waiting.append((child, bottom, top))


@njit(cache=True)
def cover_distinct(code: int, p: float, reach: float, rows: np.ndarray) -> np.ndarray:
    """Return the representative of each of the distinct ``rows``, scanned in the order given."""
    n = rows.shape[0]
    tree = grow_tree(rows, np.arange(n), LEAF_SIZE)
    uncovered = tree.stop - tree.start
    leaf_of = np.empty(n, np.int64)
    for node in range(tree.start.shape[0]):
        if tree.right[node] == 0:
            for j in range(tree.start[node], tree.stop[node]):
                leaf_of[tree.order[j]] = node
    representative = np.full(n, -1, np.int64)
    waiting = np.empty(tree.depth + 1, np.int64)
    scanned = np.empty(tree.widest_leaf)
    ball = np.empty(n, np.int64)
    alone = np.empty(1, np.int64)
    for x in range(n):
        if representative[x] >= 0:
            continue
        size = ball_of(tree, code, p, reach, rows[x], waiting, scanned, ball)
        if size > 1:
            cover_around(tree, code, p, reach, rows, ball[:size], x, scanned, uncovered, representative)
        else:
            alone[0] = x
            cover_in_leaf(tree, code, p, reach, rows, alone, leaf_of[x], x, scanned, uncovered, representative)
    return representative


@njit(cache=True)
def cover_dense(
    code: int, p: float, reach: float, rows: np.ndarray, members: np.ndarray, representative: np.ndarray
) -> None:
    """Cover the rows ``members``, given in scan order; equal rows are one point."""
    copies = np.empty((members.shape[0], rows.shape[1]))
    for i in range(members.shape[0]):
        for k in range(rows.shape[1]):
            copies[i, k] = rows[members[i], k]
    first, inverse = number_distinct(copies.view(np.uint64))
    chosen = cover_distinct(code, p, reach, copies[first])
    for i in range(members.shape[0]):
        representative[members[i]] = members[first[chosen[inverse[i]]]]
