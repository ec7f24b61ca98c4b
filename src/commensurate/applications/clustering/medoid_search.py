"""The search for medoids: FasterPAM of the package `kmedoids`, from several random starts, with weights.

`kmedoids` knows no weights, but it reads its matrix as [element, medoid] throughout: in the first assignment, the swaps
and the loss. So the row of an element multiplied by its weight gives the weighted loss, exactly; tests compare it with
plain sums and try every swap. A single medoid is an exception: there it adds up rows; we add up the columns ourselves.
"""

from __future__ import annotations

import numpy as np

from commensurate.arrays import FloatArray, IntArray
from commensurate.extras import require
from commensurate.progress import progress

# what the package takes for a seed
_SEEDS = 2**31 - 1


def search_medoids(
    weighted: FloatArray, n_clusters: int, *, n_init: int, max_iter: int, rng: np.random.Generator
) -> IntArray:
    """Return the columns of medoids that no swap of one of them improves, the best of ``n_init`` searches, in order.

    Parameters
    ----------
    weighted
        The dissimilarity of each element (row) to each candidate (column), times the weight of the element.
    n_clusters
        How many medoids; at most as many as there are elements.
    n_init
        How often to search, each time from other medoids drawn at random.
    max_iter
        After how many rounds a search ends even if swaps would still improve it.
    rng
        Draws a seed for each search.

    Examples
    --------
    >>> points = np.array([0.0, 1.0, 2.0, 10.0, 12.0])
    >>> weights = np.array([1.0, 1.0, 1.0, 1.0, 5.0])
    >>> weighted = weights[:, None] * abs(points[:, None] - points)
    >>> search_medoids(weighted, 2, n_init=3, max_iter=100, rng=np.random.default_rng(0))
    array([1, 4])
    """
    if n_clusters == 1:
        return np.array([weighted.sum(axis=0).argmin()])
    package = require("kmedoids", extra="cluster", purpose="clustering around medoids")
    seeds = rng.integers(_SEEDS, size=n_init)
    best, least = np.empty(0, dtype=np.int64), np.inf
    with progress("searching for medoids", total=n_init) as advance:
        for seed in seeds.tolist():
            found = package.fasterpam(weighted, n_clusters, max_iter=max_iter, random_state=seed, n_cpu=1)
            medoids = np.sort(np.asarray(found.medoids, dtype=np.int64))
            loss = float(weighted[:, medoids].min(axis=1).sum())
            if loss < least or not len(best):
                best, least = medoids, loss
            advance(1)
    return best
