"""What a flat picture of a clustering is made from:
medoids, a random choice of other elements, and how dissimilar they are.

Chosen are elements that the search for medoids has compared with each other already, so that a picture asks the expert
nothing. They are all elements, or representatives; and as these are drawn at random, so is what is chosen from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from commensurate.applications.clustering.dissimilarity import index_of
from commensurate.applications.intervals import ModelIntervals
from commensurate.applications.record_points import every_pair
from commensurate.arrays import FloatArray, IntArray

if TYPE_CHECKING:
    from commensurate.applications.clustering.k_medoids import CrossGroupKMedoids

# a small group beside a large one is still seen
LEAST_OF_A_GROUP = 20


@dataclass(frozen=True, slots=True, eq=False)
class MapElements:
    """Some elements of a clustering, group after group.

    Attributes
    ----------
    table
        The group, row and cluster of each, whether it is a medoid, and whether its cluster is certain.
    dissimilarity
        Of each with each: d within groups, estimates across; those to medoids are brought into their intervals, since
        clusters rest on them, and the others are not, since that may take long.
    n_elements
        How many were clustered.
    """

    table: pd.DataFrame
    dissimilarity: FloatArray
    n_elements: int


def elements_for_map(clustering: CrossGroupKMedoids, *, most: int = 300, seed: int = 0) -> MapElements:
    """Choose all medoids and, of each group in proportion to its size, other elements, about ``most`` in all.

    >>> import commensurate as cm
    >>> from commensurate.applications import CrossGroupKMedoids
    >>> points = {"a": [[0.0], [0.1], [1.0]], "b": [[0.2], [1.1], [1.2]]}
    >>> est = cm.NaiveSimilarity(epsilon=0.1, delta=0.2, samples="given")
    >>> est = est.fit(points, lambda left, right, between: abs(left - right)[:, 0])
    >>> chosen = elements_for_map(CrossGroupKMedoids(2, random_state=0).fit(est, points))
    >>> chosen.table
      group  row  cluster  medoid  certain
    0     a    0        0   False     True
    1     a    1        0    True     True
    2     a    2        1   False     True
    3     b    0        0   False     True
    4     b    1        1    True     True
    5     b    2        1   False     True
    >>> chosen.dissimilarity[0].round(2)
    array([0. , 0.1, 1. , 0.2, 1.1, 1.2])
    """
    clustering.check_fitted()
    records, rng = clustering.records_, np.random.default_rng(seed)
    sizes = {name: len(each) for name, each in records.items()}
    table = clustering.medoids_
    medoids = {name: table["row"][table["group"] == name].to_numpy() for name in records}
    rows = {
        name: _chosen(clustering.searched_[name], medoids[name], _quota(sizes, name, most), rng) for name in records
    }
    chosen = index_of(rows).assign(
        cluster=np.concatenate([clustering.labels_[name][rows[name]] for name in records]),
        medoid=np.concatenate([np.isin(rows[name], medoids[name]) for name in records]),
        certain=np.concatenate([clustering.certain_[name][rows[name]] for name in records]),
    )
    estimates = ModelIntervals(clustering.model_, "estimate", 0.95)
    dissimilarity = every_pair(
        {name: records[name].points[rows[name]] for name in records},
        lambda between, left, right: estimates.matrix(between, left, right)[0],
    )
    to_medoids = np.concatenate([clustering.measured_[name].estimate[rows[name]] for name in records])
    at_medoids = np.flatnonzero(chosen["medoid"])
    dissimilarity[:, at_medoids] = to_medoids
    dissimilarity[at_medoids] = to_medoids.T
    np.fill_diagonal(dissimilarity, 0.0)
    return MapElements(chosen, dissimilarity, sum(sizes.values()))


def share_of_broken_triangles(dissimilarity: FloatArray) -> float:
    """Return for which share of all triples one of the three is dissimilar by more than the way over the third.

    >>> float(share_of_broken_triangles(np.array([[0.0, 1.0, 3.0], [1.0, 0.0, 1.0], [3.0, 1.0, 0.0]])))
    1.0
    """
    n = len(dissimilarity)
    if n < 3:
        return 0.0
    # what exceeds by rounding exceeds not
    slack = 1e-9 * float(dissimilarity.max())
    # at most one side of a triangle exceeds the two others; it is met from both of its ends
    broken = sum(int((dissimilarity > row[:, None] + row + slack).sum()) for row in dissimilarity)
    return (broken / 2) / (n * (n - 1) * (n - 2) / 6)


def _quota(sizes: Mapping[str, int], name: str, most: int) -> int:
    return max(LEAST_OF_A_GROUP, round(most * sizes[name] / sum(sizes.values())))


def _chosen(searched: IntArray, medoids: IntArray, quota: int, rng: np.random.Generator) -> IntArray:
    others = rng.permutation(np.setdiff1d(searched, medoids))[: max(0, quota - len(medoids))]
    return np.sort(np.concatenate([medoids, others]))
