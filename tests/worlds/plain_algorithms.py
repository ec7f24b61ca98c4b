"""The paper's algorithms written straight from its text: slow, obvious, and what the library must equal."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.spatial.distance import cdist

Sigma = Callable[[np.ndarray, np.ndarray], np.ndarray]


def plain_cover(points: np.ndarray, radius: float, order: np.ndarray) -> np.ndarray:
    """Algorithm 1, lines 2 to 11: the representative of every sample, scanning in the given order."""
    near = cdist(points, points) <= radius  # H_x as rows
    uncovered = np.ones(len(points), dtype=bool)
    representative = np.full(len(points), -1)
    for x in order:
        if uncovered[x]:
            shares_a_sample = (near & near[x]).any(axis=1)
            won = uncovered & shares_a_sample
            representative[won] = x
            uncovered &= ~won
    return representative


def plain_predict(
    samples: tuple[np.ndarray, np.ndarray],
    representatives: tuple[np.ndarray, np.ndarray],
    sigma: Sigma,
    left: np.ndarray,
    right: np.ndarray,
) -> np.ndarray:
    """Section 4: the answer about the representatives of the nearest samples."""
    proxies = []
    for sample, representative, points in zip(samples, representatives, (left, right)):
        nearest = cdist(points, sample).argmin(axis=1)
        proxies.append(sample[representative[nearest]])
    return sigma(*proxies)


def plain_bounds(
    asked_left: np.ndarray, asked_right: np.ndarray, answers: np.ndarray, left: np.ndarray, right: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The tightest interval that answers about (asked_left[i], asked_right[i]) imply by M1 and M2."""
    distance = cdist(left, asked_left) + cdist(right, asked_right)
    return np.maximum((answers - distance).max(axis=1), 0.0), (answers + distance).min(axis=1)


def ell3(alpha: np.ndarray, beta: np.ndarray, theta: np.ndarray) -> Sigma:
    """Equation (1) of the paper."""
    return lambda x, y: (np.abs(alpha * x - beta * y + theta) ** 3).sum(axis=1) ** (1.0 / 3.0)


def random_ell3(n_columns: int, seed: int) -> Sigma:
    rng = np.random.default_rng(seed)
    return ell3(rng.random(n_columns), rng.random(n_columns), rng.uniform(-0.01, 0.01, n_columns))
