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


# --- a learnt function of pairs, part by part: mean and variance at new pairs ---

Predicted = tuple[np.ndarray, np.ndarray]


def plain_process(covariance: np.ndarray, across: np.ndarray, variance: float, targets: np.ndarray) -> Predicted:
    """A Gaussian process: ``covariance`` of the targets, ``across`` that of new pairs with them."""
    return across @ np.linalg.solve(covariance, targets), variance - np.einsum(
        "ij,ji->i", across, np.linalg.solve(covariance, across.T)
    )


def plain_matern_process(
    signal: float,
    scales: np.ndarray,
    noise: float,
    features: np.ndarray,
    targets: np.ndarray,
    repeats: np.ndarray,
    new: np.ndarray,
) -> Predicted:
    """Matérn 5/2 with one length scale a feature."""

    def covariance(one: np.ndarray, other: np.ndarray) -> np.ndarray:
        far = np.sqrt(5.0) * cdist(one / scales, other / scales)
        return signal * (1.0 + far + far**2 / 3.0) * np.exp(-far)

    within = covariance(features, features) + np.diag(noise / repeats)
    return plain_process(within, covariance(new, features), signal, targets)


def plain_metric_process(
    variances: np.ndarray,
    of_mean: float,
    noise: float,
    lengths: tuple[float, float],
    answered: tuple[np.ndarray, np.ndarray],
    targets: np.ndarray,
    repeats: np.ndarray,
    new: tuple[np.ndarray, np.ndarray],
) -> Predicted:
    """What the left elements are like, the right ones, both together, and effects of elements of their own."""

    def covariance(one: tuple[np.ndarray, np.ndarray], other: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        far = [cdist(x, y) for x, y in zip(one, other)]
        left, right = (np.exp(-apart / length) for apart, length in zip(far, lengths))
        terms = left, right, left * right, far[0] == 0.0, far[1] == 0.0
        return of_mean + sum(variance * term for variance, term in zip(variances, terms))

    within = covariance(answered, answered) + np.diag(noise / repeats)
    return plain_process(within, covariance(new, answered), of_mean + float(variances.sum()), targets)


def plain_forest(
    roots: np.ndarray,
    split_on: np.ndarray,
    threshold: np.ndarray,
    child: np.ndarray,
    value: np.ndarray,
    new: np.ndarray,
) -> Predicted:
    """The mean over all trees, and how far they disagree; rows are rounded to float32."""

    def leaf(node: int, row: np.ndarray) -> float:
        while split_on[node] >= 0:
            node = child[node] + (row[split_on[node]] > threshold[node])
        return float(value[node])

    each = np.array([[leaf(root, row) for root in roots] for row in new.astype(np.float32)])
    return each.mean(axis=1), each.var(axis=1)
