"""Dissimilarities laid out in a plane, and how much that distorts them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from commensurate.arrays import FloatArray

# a layout that starts on a line stays on it; so little breaks it up, in shares of the largest dissimilarity
NUDGE = 1e-3
MAX_ITERATIONS = 300
CONVERGED = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class FlatEmbedding:
    """A place in the plane for each element, and by how much distances there miss the dissimilarities.

    Attributes
    ----------
    places
        One row per element; the picture is widest along the first coordinate.
    stress
        Kruskal's stress 1: the root of the squared errors over the squared dissimilarities; 0 is perfect.
    mean_error
        The errors in all, over the dissimilarities in all.
    """

    places: FloatArray
    stress: float
    mean_error: float


def embed_flat(dissimilarity: FloatArray, *, seed: int = 0) -> FlatEmbedding:
    """Lay elements out by metric multidimensional scaling (scikit-learn's SMACOF, from the classical solution).

    Parameters
    ----------
    dissimilarity
        A symmetric matrix with zeros on the diagonal. It need not be a metric;
        the plane is one, and so cannot show it exactly.
    seed
        Of the small numbers that are added to the start.

    Examples
    --------
    >>> corners = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]])
    >>> square = np.linalg.norm(corners[:, None] - corners, axis=2)
    >>> found = embed_flat(square)
    >>> found.places.shape, found.stress < 0.01
    ((4, 2), True)
    """
    scale = float(dissimilarity.max(initial=0.0))
    if not scale:
        return FlatEmbedding(np.zeros((len(dissimilarity), 2)), 0.0, 0.0)
    # the function below the class MDS, whose arguments have changed from version to version;
    # it takes as long on any scale
    from sklearn.manifold import smacof

    # what differs both ways by rounding would be refused
    shares = (dissimilarity + dissimilarity.T) / (2.0 * scale)
    nudges = np.random.default_rng(seed).normal(size=(len(dissimilarity), 2))
    # matrices so small take several threads longer than one
    with threadpool_limits(limits=1):
        start = _classical(shares) + NUDGE * nudges
        places, _ = smacof(shares, init=start, n_init=1, max_iter=MAX_ITERATIONS, eps=CONVERGED)
    places = scale * _widest_first(places)
    errors = np.abs(_distances(places) - dissimilarity)
    return FlatEmbedding(
        places,
        float(np.sqrt((errors**2).sum() / (dissimilarity**2).sum())),
        float(errors.sum() / dissimilarity.sum()),
    )


def stress_in_words(stress: float) -> str:
    """Say how much a layout distorts; the limits are those that Kruskal (1964) calls good, fair and poor.

    >>> [stress_in_words(stress) for stress in (0.01, 0.07, 0.15, 0.3)]
    ['hardly', 'slightly', 'noticeably', 'strongly']
    """
    for most, words in ((0.05, "hardly"), (0.1, "slightly"), (0.2, "noticeably")):
        if stress <= most:
            return words
    return "strongly"


def _classical(dissimilarity: FloatArray) -> FloatArray:
    """Return the best plane for Euclidean distances: the first two eigenvectors of the products that they imply."""
    squares = dissimilarity**2
    products = -0.5 * (squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean())
    values, vectors = np.linalg.eigh(products)
    places = vectors * np.sqrt(np.maximum(values, 0.0))
    return np.ascontiguousarray(places[:, :-3:-1])


def _widest_first(places: FloatArray) -> FloatArray:
    """Turn the layout, which any rotation leaves as good,
    so that it is wide and its first element lies to the upper left.
    """
    centred = places - places.mean(axis=0)
    turned: FloatArray = centred @ np.linalg.svd(centred, full_matrices=False)[2].T
    return turned * np.where(turned[0] > 0.0, -1.0, 1.0) * [1.0, -1.0]


def _distances(places: FloatArray) -> FloatArray:
    across, up = np.moveaxis(places[:, None] - places[None], -1, 0)
    gaps: FloatArray = np.hypot(across, up)
    return gaps
