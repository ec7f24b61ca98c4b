"""Distances, neighbours and the cover written straight from their definitions, and points that tempt one to err."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from commensurate.geometry.metrics import CoordinateMetric, FunctionMetric, Metric, PrecomputedMetric, metric_named
from commensurate.geometry.norms import CHEBYSHEV, EUCLIDEAN, HAMMING, MINKOWSKI, reduced_radius

NAMES = ["euclidean", "manhattan", "chebyshev", "minkowski(3)", "hamming", "angular", "mahalanobis"]
OTHERS = ["callable", "precomputed"]


def metric_for(name: str, points: np.ndarray) -> tuple[Metric, np.ndarray]:
    """Return the metric, and the points as it wants them."""
    if name == "callable":
        return FunctionMetric(lambda left, right: cdist(left, right, "cityblock")), points
    if name == "precomputed":
        return PrecomputedMetric(cdist(points, points)), np.arange(float(len(points)))[:, None]
    if name == "angular":
        points = points + 1.0  # the zero vector has no direction
    return metric_named(name, points), points


def reduced(metric: Metric, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return all reduced distances, column by column."""
    if not isinstance(metric, CoordinateMetric):
        return metric.pairwise(left, right)
    left, right = metric.embed(left), metric.embed(right)
    total = np.zeros((len(left), len(right)))
    for a, b in zip(left.T, right.T):
        gap = np.abs(a[:, None] - b)
        if metric.norm.code == CHEBYSHEV:
            total = np.maximum(total, gap)
        elif metric.norm.code == EUCLIDEAN:
            total += gap * gap
        elif metric.norm.code == MINKOWSKI:
            power = metric.norm.p
            total += np.array([g**power for g in gap.ravel().tolist()]).reshape(gap.shape)
        elif metric.norm.code == HAMMING:
            total += gap != 0.0
        else:
            total += gap
    return total


def within(metric: Metric, left: np.ndarray, right: np.ndarray, radius: float) -> np.ndarray:
    """Tell for all pairs whether they are within the radius."""
    if isinstance(metric, CoordinateMetric):
        radius = reduced_radius(metric.norm, metric.embed(left[:1]).shape[1], metric.norm_radius(radius))
    return reduced(metric, left, right) <= radius


def plain_cover(near: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Run the paper's Algorithm 1; row x of ``near`` is H_x."""
    representative = np.full(len(order), -1)
    for x in order:
        if representative[x] < 0:
            shares_a_sample = (near & near[x]).any(axis=1)
            representative[shares_a_sample & (representative < 0)] = x
    return representative


def cases() -> dict[str, tuple[np.ndarray, float]]:
    """Return points and a radius by name."""
    rng = np.random.default_rng(7)
    centres = rng.random((25, 4))
    return {
        "random": (rng.random((400, 3)), 0.1),
        "crowded": (rng.random((500, 2)), 0.15),
        "clustered": (centres[rng.integers(0, 25, 400)] + 0.01 * rng.standard_normal((400, 4)), 0.02),
        "lattice, radius hit exactly": (rng.integers(0, 9, (400, 2)).astype(float), 1.0),
        "lattice in the dyadic unit cube": (rng.integers(0, 5, (350, 3)) / 4.0, 0.25),
        "many duplicates": (rng.random((30, 3))[rng.integers(0, 30, 400)], 0.3),
        "all rows equal": (np.full((100, 3), 0.3), 0.1),
        "one column": (rng.random((300, 1)), 0.002),
        "a single point": (np.array([[0.25, 0.5]]), 0.1),
        "a constant column": (np.column_stack([np.ones(300), rng.random(300)]), 0.004),
        "many columns": (rng.standard_normal((200, 30)), 6.0),
        "a table": (np.column_stack([rng.integers(0, 3, (400, 3)) / 2.0, rng.lognormal(0, 2, (400, 2)) / 100.0]), 0.02),
    }
