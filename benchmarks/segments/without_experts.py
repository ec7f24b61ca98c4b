"""Segments without experts: what people do who have two tables and nobody to ask.

All of it rests on the columns that both vendors have. The search for medoids is the same as with experts, so that only
the dissimilarity differs. The true σ in its place tells what the best answers could bring, and a few answers about
medoids what the least could.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from benchmarks.segments.world import BANK, LOYALTY, SEGMENTS, SegmentsWorld
from commensurate.applications.clustering.medoid_search import search_medoids
from commensurate.arrays import FloatArray, IntArray
from commensurate.geometry.transport import align

SEARCHES, ROUNDS = 5, 100


def segments_by(dissimilarity: FloatArray, rng: np.random.Generator) -> IntArray:
    """Return everybody's cluster around the medoids of a full dissimilarity, as many as there are segments."""
    labels: IntArray = dissimilarity[:, medoids_by(dissimilarity, rng)].argmin(axis=1)
    return labels


def medoids_by(dissimilarity: FloatArray, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the medoids of a full dissimilarity, as many as there are segments."""
    return search_medoids(dissimilarity, len(SEGMENTS), n_init=SEARCHES, max_iter=ROUNDS, rng=rng)


def by_truth(world: SegmentsWorld, rng: np.random.Generator) -> IntArray:
    """Return the clusters by d within vendors and the true σ across."""
    loyalty, bank = encoded(world).values()
    return segments_by(full(loyalty, bank, world.true_matrix()), rng)


def by_shared_columns(world: SegmentsWorld, rng: np.random.Generator) -> IntArray:
    """Return the clusters by the columns that both vendors have, and nothing else."""
    every = np.vstack(list(shared(world).values()))
    return segments_by(cdist(every, every), rng)


def by_shared_columns_across(world: SegmentsWorld, rng: np.random.Generator) -> IntArray:
    """Return the clusters by all columns within vendors, and by the shared ones across."""
    loyalty, bank = encoded(world).values()
    of_loyalty, of_bank = shared(world).values()
    return segments_by(full(loyalty, bank, cdist(of_loyalty, of_bank)), rng)


def by_transport(world: SegmentsWorld, rng: np.random.Generator) -> IntArray:
    """Return the clusters by all columns within vendors;
    across by the shared ones, after optimal transport has aligned them.
    """
    loyalty, bank = encoded(world).values()
    of_loyalty, of_bank = shared(world).values()
    moved = align(of_loyalty, of_bank, rng).apply(of_loyalty)
    return segments_by(full(loyalty, bank, cdist(moved, of_bank)), rng)


def by_matched_segments(world: SegmentsWorld, rng: np.random.Generator) -> IntArray:
    """Return each vendor's own clusters, those of the two matched by their means on the shared columns."""
    own = {name: segments_by(cdist(points, points), rng) for name, points in encoded(world).items()}
    of_loyalty, of_bank = (
        np.array([points[own[name] == k].mean(axis=0) for k in range(len(SEGMENTS))])
        for name, points in shared(world).items()
    )
    return _joined(own, cdist(of_loyalty, of_bank))


def by_asked_medoids(world: SegmentsWorld, rng: np.random.Generator) -> IntArray:
    """Return each vendor's own clusters, those of the two matched by what the analyst says
    of every pair of their medoids.

    The shortest way to use an expert: as many answers as the square of the clusters.
    It needs every segment at either vendor.
    """
    distances = {name: cdist(points, points) for name, points in encoded(world).items()}
    medoids = {name: medoids_by(matrix, rng) for name, matrix in distances.items()}
    own = {name: matrix[:, medoids[name]].argmin(axis=1) for name, matrix in distances.items()}
    return _joined(own, world.true_matrix()[np.ix_(medoids[LOYALTY], medoids[BANK])])


def _joined(own: Mapping[str, IntArray], costs: FloatArray) -> IntArray:
    """Return the clusters of both vendors under the loyalty card's numbers, matched one to one at the least cost."""
    matched, partners = linear_sum_assignment(costs)
    renamed = np.empty(len(SEGMENTS), dtype=np.int64)
    renamed[partners] = matched
    return np.concatenate([own[LOYALTY], renamed[own[BANK]]])


WITHOUT_EXPERTS: Mapping[str, Callable[[SegmentsWorld, np.random.Generator], IntArray]] = {
    "shared columns": by_shared_columns,
    "shared columns across": by_shared_columns_across,
    "transport": by_transport,
    "matched segments": by_matched_segments,
}


def encoded(world: SegmentsWorld) -> dict[str, FloatArray]:
    """Return the customers of each vendor as points."""
    return {
        group.name: group.encoding.encode(world.tables[group.name])
        for group in world.groups()
        if group.encoding is not None
    }


def shared(world: SegmentsWorld) -> dict[str, FloatArray]:
    """Return the customers of each vendor as points of the columns that both have, which are scaled together."""
    one, other = (list(table.columns) for table in world.tables.values())
    names = [name for name in one if name in other]
    places = {LOYALTY: [one.index(name) for name in names], BANK: [other.index(name) for name in names]}
    return {name: points[:, places[name]] for name, points in encoded(world).items()}


def full(loyalty: FloatArray, bank: FloatArray, across: FloatArray) -> FloatArray:
    """Return the dissimilarity of everybody with everybody:
    the Euclidean d within vendors, and what is given across.
    """
    return np.block([[cdist(loyalty, loyalty), across], [across.T, cdist(bank, bank)]])
