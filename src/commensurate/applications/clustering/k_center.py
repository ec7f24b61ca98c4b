"""k-center on the shortest-path closure of a dissimilarity, and how good its centres can be said to be.

k-center seeks k centres such that the farthest element is as near to its centre as possible. Farthest-first traversal
is at most twice as far off as the best (Gonzalez 1985), by the triangle inequality. D, which is d within groups and σ
across, need not obey it, and then the factor has no bound: with σ ≡ 0 and d ≡ 1, one element of the other group is
within 0 of all. On the closure of D, the length of the shortest path from element to element, the inequality holds.

What can be said without it: k + 1 elements, no two of which share a centre within r, prove that k centres leave
somebody farther than r. For given elements the largest such r is found by trying all centres for all pairs: s(x, y),
the least max(D(c, x), D(c, y)) over all c; no two share a centre nearer than the least s, so that the best radius is no
smaller. On the closure s(x, y) is at least half the distance of x and y.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from commensurate.arrays import FloatArray, IntArray
from commensurate.checks import checked_positive_count
from commensurate.errors import InvalidInput, InvalidParameter

# paths are searched for in n³ steps; so many elements took 35 seconds on a busy machine
MOST_ELEMENTS = 2_000


@dataclass(frozen=True, slots=True, eq=False)
class KCenterOnClosure:
    """Centres, the cluster of each element, and radii:
    on the closure at most twice the best, in the dissimilarity itself as they come.

    Attributes
    ----------
    centers
        Numbers of the centres among the elements.
    labels
        For each element the centre nearest on the closure, by its place in ``centers``.
    closure_radius
        How far the farthest element is from its centre, on the closure.
    closure_best_radius_at_least
        No k centres have a smaller radius on the closure; at least half of ``closure_radius``.
    radius
        How far the farthest element is from its nearest centre in the dissimilarity itself, whose paths may be longer.
    best_radius_at_least
        No k centres have a smaller radius in the dissimilarity itself. It may be far below ``radius``.
    witnesses
        k + 1 elements that prove both: no two of them share a centre within less. None where every element is a centre.
    """

    centers: IntArray
    labels: IntArray
    closure_radius: float
    closure_best_radius_at_least: float
    radius: float
    best_radius_at_least: float
    witnesses: IntArray


def k_center_on_closure(dissimilarity: ArrayLike, n_clusters: int = 8) -> KCenterOnClosure:
    """Choose centres by farthest-first traversal on the shortest-path closure of a dissimilarity.

    Parameters
    ----------
    dissimilarity
        A symmetric matrix, as `full_dissimilarity` returns it, of up to 2,000 elements. With ``use="lower"`` the least
        possible radii hold for the true σ.
    n_clusters
        How many centres.

    Examples
    --------
    >>> points = np.array([0.0, 1.0, 2.0, 10.0, 11.0])
    >>> found = k_center_on_closure(abs(points[:, None] - points), 2)
    >>> found.centers, found.labels, found.radius, found.best_radius_at_least
    (array([0, 4]), array([0, 0, 0, 1, 1]), 2.0, 1.0)
    """
    matrix = _checked_matrix(dissimilarity)
    k = checked_positive_count("n_clusters", n_clusters)
    if k > len(matrix):
        raise InvalidParameter(f"n_clusters must be from 1 to the number of records, {len(matrix)}, got {k}")
    closure = shortest_path_closure(matrix)
    traversal = _farthest_first(closure, min(k + 1, len(matrix)))
    centers = traversal[:k]
    closure_radius = float(closure[:, centers].min(axis=1).max())
    witnesses = traversal if len(traversal) == k + 1 else traversal[:0]
    return KCenterOnClosure(
        centers,
        closure[:, centers].argmin(axis=1),
        closure_radius,
        shared_center_radius(closure, witnesses),
        float(matrix[:, centers].min(axis=1).max()),
        shared_center_radius(matrix, witnesses),
        witnesses,
    )


def shortest_path_closure(matrix: FloatArray) -> FloatArray:
    """Return the length of the shortest path between any two elements; it obeys the triangle inequality.

    >>> shortest_path_closure(np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]))
    array([[0., 0., 0.],
           [0., 0., 0.],
           [0., 0., 0.]])
    """
    from scipy.sparse.csgraph import csgraph_from_dense, shortest_path

    # in a dense graph a zero would be taken for no edge
    graph = csgraph_from_dense(matrix, null_value=np.inf)
    closure: FloatArray = shortest_path(graph, method="FW", directed=False)
    return closure


def shared_center_radius(matrix: FloatArray, witnesses: IntArray) -> float:
    """Return the least radius within which any two of the witnesses share a centre; 0 without witnesses."""
    shared = [float(np.maximum(matrix[x], matrix[y]).min()) for x, y in combinations(witnesses.tolist(), 2)]
    return min(shared, default=0.0)


def _farthest_first(closure: FloatArray, n: int) -> IntArray:
    """Return the first element, then always the one farthest from those before it."""
    chosen, distances = [0], closure[0].copy()
    while len(chosen) < n:
        farthest = int(distances.argmax())
        chosen.append(farthest)
        distances = np.minimum(distances, closure[farthest])
    return np.array(chosen)


def _checked_matrix(dissimilarity: ArrayLike) -> FloatArray:
    matrix = np.asarray(dissimilarity, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not len(matrix):
        raise InvalidInput(f"a dissimilarity must be a square matrix, got shape {matrix.shape}; see full_dissimilarity")
    if len(matrix) > MOST_ELEMENTS:
        raise InvalidParameter(
            f"the closure can have at most {MOST_ELEMENTS:,} records, got {len(matrix):,}; draw a sample, or use "
            "CrossGroupKMedoids"
        )
    if not (np.isfinite(matrix).all() and (matrix >= 0.0).all()):
        raise InvalidInput("a dissimilarity must be finite and at least 0 everywhere; see full_dissimilarity")
    if not (np.array_equal(matrix, matrix.T) and not np.diagonal(matrix).any()):
        raise InvalidInput(
            "a dissimilarity must be the same in both directions, and 0 on the diagonal; see full_dissimilarity"
        )
    return matrix
