"""The point that maximises weight − slope · distance, searched for many queries at once in a kd-tree, compiled.

The tree has one column more than the queries, made from the weights, so that its nodes are narrow in weight as well as
in space; distances and boxes leave it out. A node's bound is its greatest weight minus slope times the distance to its
box, computed with the operations of a point's value in the same order. Rounding is monotone, hence no value exceeds the
bound of a node around it, to the last bit. Powers and arcsines promise no monotonicity: their bounds get SLACK.

Queries come in groups of neighbours, and a group goes through the tree together: the loops run along its queries, where
the processor can work on several at once, and a leaf is fetched once for all of them.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from commensurate.geometry.kernels.norm_kernels import finish
from commensurate.geometry.kernels.tree_kernels import SLACK, scan_leaf
from commensurate.geometry.norms import CHEBYSHEV, EUCLIDEAN, MANHATTAN, MINKOWSKI
from commensurate.geometry.tree import Tree

GROUP = 64
# scanning a leaf for one query alone costs about as much as for this many when the whole group is done at once
CROWD = 6


class Scale(NamedTuple):
    """How a reduced distance becomes what is taken off a weight."""

    code: int
    p: float
    n_columns: int
    angular: bool
    slope: float


class Ranked(NamedTuple):
    """A tree, the points and weights in its order, and the greatest weight in each of its nodes."""

    tree: Tree
    rows: np.ndarray
    weights: np.ndarray
    greatest: np.ndarray
    scale: Scale


@njit(cache=True)
def greatest_weights(tree: Tree, weights: np.ndarray) -> np.ndarray:
    """Return the greatest weight in each node; ``weights`` are in the tree's order."""
    greatest = np.empty(tree.start.shape[0])
    for node in range(tree.start.shape[0] - 1, -1, -1):  # children have higher numbers
        if tree.right[node] != 0:
            greatest[node] = max(greatest[node + 1], greatest[tree.right[node]])
        else:
            greatest[node] = -np.inf
            for at in range(tree.start[node], tree.stop[node]):
                greatest[node] = max(greatest[node], weights[at])
    return greatest


@njit(cache=True, inline="always")
def value_at(scale: Scale, weight: float, reduced: float) -> float:
    """Return weight − slope · distance."""
    distance = finish(scale.code, scale.p, scale.n_columns, reduced)
    if scale.angular:
        distance = 2.0 / math.pi * math.asin(min(distance / 2.0, 1.0))
    return weight - scale.slope * distance


@njit(cache=True)
def take_off(scale: Scale, weight: float, shrink: float, reduced: np.ndarray) -> None:
    """Turn reduced distances, multiplied by ``shrink``, into values, in place."""
    if scale.code == EUCLIDEAN and not scale.angular:  # apart from the others, because only a plain loop is vectorised
        for j in range(reduced.shape[0]):
            reduced[j] = weight - scale.slope * math.sqrt(shrink * reduced[j])
    else:
        for j in range(reduced.shape[0]):
            reduced[j] = value_at(scale, weight, shrink * reduced[j])


@njit(cache=True, inline="always")
def with_gap(code: int, p: float, reduced: float, gap: float) -> float:
    """Return a reduced distance with one column's gap added."""
    if code == EUCLIDEAN:
        return reduced + gap * gap
    if code == MANHATTAN:
        return reduced + abs(gap)
    if code == CHEBYSHEV:
        return max(reduced, abs(gap))
    if code == MINKOWSKI:
        return float(reduced + abs(gap) ** p)
    return reduced + (1.0 if gap != 0.0 else 0.0)


@njit(cache=True)
def values_of_point(scale: Scale, point: np.ndarray, weight: float, columns: np.ndarray, values: np.ndarray) -> None:
    """Fill in a point's value for each query of a group."""
    code, p, size = scale.code, scale.p, columns.shape[1]
    for j in range(size):
        values[j] = 0.0
    k = 0
    while (
        k + 4 <= point.shape[0]
    ):  # four columns at a time, because reading and writing the sums costs more than adding
        one, two, three, four = point[k], point[k + 1], point[k + 2], point[k + 3]
        first, second, third, fourth = columns[k], columns[k + 1], columns[k + 2], columns[k + 3]
        for j in range(size):
            total = with_gap(code, p, values[j], one - first[j])
            total = with_gap(code, p, total, two - second[j])
            total = with_gap(code, p, total, three - third[j])
            values[j] = with_gap(code, p, total, four - fourth[j])
        k += 4
    while k < point.shape[0]:
        one, first = point[k], columns[k]
        for j in range(size):
            values[j] = with_gap(code, p, values[j], one - first[j])
        k += 1
    take_off(scale, weight, 1.0, values[:size])


@njit(cache=True)
def bounds_of_box(
    scale: Scale, low: np.ndarray, high: np.ndarray, weight: float, columns: np.ndarray, bounds: np.ndarray
) -> None:
    """Fill in, for each query of a group, a value that no point of a box with weights up to ``weight`` exceeds."""
    code, p, size = scale.code, scale.p, columns.shape[1]
    for j in range(size):
        bounds[j] = 0.0
    for k in range(scale.n_columns):
        least, most, column = low[k], high[k], columns[k]
        if code == EUCLIDEAN:
            for j in range(size):
                gap = max(max(least - column[j], column[j] - most), 0.0)
                bounds[j] += gap * gap
        elif code == MANHATTAN:
            for j in range(size):
                bounds[j] += max(max(least - column[j], column[j] - most), 0.0)
        elif code == CHEBYSHEV:
            for j in range(size):
                bounds[j] = max(bounds[j], max(least - column[j], column[j] - most))
        elif code == MINKOWSKI:
            for j in range(size):
                bounds[j] += max(max(least - column[j], column[j] - most), 0.0) ** p
        else:
            for j in range(size):
                bounds[j] += 1.0 if column[j] < least or column[j] > most else 0.0
    shrink = 1.0 - SLACK if code == MINKOWSKI or scale.angular else 1.0
    take_off(scale, weight, shrink, bounds[:size])


@njit(cache=True)
def count_not_below(left: np.ndarray, right: np.ndarray) -> int:
    """Return in how many places ``left`` is not below ``right``."""
    count = 0
    for j in range(right.shape[0]):
        count += left[j] >= right[j]
    return count


@njit(cache=True, inline="always")
def keep_better(value: float, row: int, j: int, best: np.ndarray, found: np.ndarray) -> None:
    """Let query ``j`` have this row if its value is greater, or the same and the row number lower."""
    if value > best[j] or (value == best[j] and row < found[j]):
        best[j], found[j] = value, row


@njit(cache=True)
def scan_for_all(
    ranked: Ranked, leaf: int, columns: np.ndarray, best: np.ndarray, found: np.ndarray, values: np.ndarray
) -> None:
    """Compare the points of a leaf with all queries of a group."""
    for at in range(ranked.tree.start[leaf], ranked.tree.stop[leaf]):
        values_of_point(ranked.scale, ranked.rows[at], ranked.weights[at], columns, values)
        if count_not_below(values, best) > 0:
            for j in range(best.shape[0]):
                keep_better(values[j], ranked.tree.order[at], j, best, found)


@njit(cache=True)
def scan_for_some(
    ranked: Ranked,
    leaf: int,
    group: np.ndarray,
    bounds: np.ndarray,
    best: np.ndarray,
    found: np.ndarray,
    values: np.ndarray,
) -> None:
    """Compare the points of a leaf with those queries of a group whose bounds allow for a better one."""
    tree, scale = ranked.tree, ranked.scale
    first, size = tree.start[leaf], tree.stop[leaf] - tree.start[leaf]
    width = tree.low.shape[1]
    block = tree.columns[first * width : (first + size) * width]
    for j in range(best.shape[0]):
        if bounds[j] >= best[j]:
            scan_leaf(scale.code, scale.p, group[j], block, size, size, values)
            for at in range(size):
                value = value_at(scale, ranked.weights[first + at], values[at])
                keep_better(value, tree.order[first + at], j, best, found)


@njit(cache=True)
def open_node(ranked: Ranked, node: int, columns: np.ndarray, waiting: np.ndarray, bounds: np.ndarray) -> None:
    """Fill in the two children of a node and their bounds, the one that is more promising to most queries last."""
    tree = ranked.tree
    waiting[0], waiting[1] = node + 1, tree.right[node]
    for c in range(2):
        child = waiting[c]
        bounds_of_box(ranked.scale, tree.low[child], tree.high[child], ranked.greatest[child], columns, bounds[c])
    if 2 * count_not_below(bounds[0], bounds[1]) > columns.shape[1]:
        waiting[0], waiting[1] = waiting[1], waiting[0]
        for j in range(columns.shape[1]):
            bounds[0, j], bounds[1, j] = bounds[1, j], bounds[0, j]


@njit(cache=True)
def search_group(
    ranked: Ranked, group: np.ndarray, columns: np.ndarray, best: np.ndarray, found: np.ndarray, values: np.ndarray
) -> None:
    """Improve the best value and row of each query of a group until no node can."""
    tree, size = ranked.tree, group.shape[0]
    waiting = np.empty(tree.depth + 1, np.int64)
    bounds = np.empty((tree.depth + 1, size))
    waiting[0] = 0
    for j in range(size):
        bounds[0, j] = np.inf
    n_waiting = 1
    while n_waiting > 0:
        n_waiting -= 1
        node, bound = waiting[n_waiting], bounds[n_waiting]
        n_open = count_not_below(bound, best)
        if n_open == 0:
            continue
        if tree.right[node] != 0:
            open_node(ranked, node, columns, waiting[n_waiting:], bounds[n_waiting:])
            n_waiting += 2
        elif CROWD * n_open < size:
            scan_for_some(ranked, node, group, bound, best, found, values)
        else:
            scan_for_all(ranked, node, columns, best, found, values)


@njit(cache=True, nogil=True)
def best_in_tree(ranked: Ranked, queries: np.ndarray, visit: np.ndarray, found: np.ndarray) -> None:
    """Fill in the best row for the queries listed in ``visit``, where neighbours should follow one another."""
    d = queries.shape[1]
    values = np.empty(max(GROUP, ranked.tree.widest_leaf))
    for begin in range(0, visit.shape[0], GROUP):
        size = min(GROUP, visit.shape[0] - begin)
        group, columns = np.empty((size, d)), np.empty((d, size))
        best, best_row = np.empty(size), np.empty(size, np.int64)
        for j in range(size):
            best[j], best_row[j] = -np.inf, 0  # ties go to the lowest row, also among values of -inf
            for k in range(d):
                group[j, k] = columns[k, j] = queries[visit[begin + j], k]
        search_group(ranked, group, columns, best, best_row, values)
        for j in range(size):
            found[visit[begin + j]] = best_row[j]
