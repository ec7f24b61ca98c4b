"""A Gaussian process on the two metrics alone, with five terms: each side, both, and an effect of each element.

k = s₁k₁ + s₂k₂ + s₃k₁k₂ + s₄[x = x′] + s₅[y = y′] + noise, kᵢ = exp(−dᵢ/ℓᵢ); a plain peer, without any of our code.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize
from threadpoolctl import threadpool_limits

from commensurate.arrays import FloatArray

Distances = tuple[FloatArray, FloatArray]
# more answers than these do not make eight numbers any better
FITTED_ON = 800


def five_terms(within: Distances, answers: FloatArray, across: Distances) -> FloatArray:
    """Return estimates for pairs, from their distances ``across`` to those answered (one row each)."""
    centre, scale = float(answers.mean()), float(answers.std()) or 1.0
    targets = (answers - centre) / scale
    few = np.random.default_rng(0).permutation(len(answers))[:FITTED_ON]
    with threadpool_limits(1):
        part = within[0][np.ix_(few, few)], within[1][np.ix_(few, few)]
        typical = [float(np.mean(one)) or 1.0 for one in part]
        start = np.log([0.2, 0.2, 0.2, 0.1, 0.1, 0.5, typical[0], typical[1]])
        limits = [(np.log(1e-4), np.log(10.0))] * 6 + [(np.log(t) - 4.0, np.log(t) + 4.0) for t in typical]
        found = minimize(
            _downhill, start, (part, targets[few]), jac=True, method="L-BFGS-B", bounds=limits, options={"maxiter": 60}
        )
        covariance = _covariance(found.x, within)[0]
        covariance.flat[:: len(covariance) + 1] += np.exp(found.x[5])
        weights = cho_solve(cho_factor(covariance, lower=True), targets)
        estimates: FloatArray = centre + scale * (_covariance(found.x, across)[0] @ weights)
    return estimates


def _covariance(logs: FloatArray, distances: Distances) -> tuple[FloatArray, list[FloatArray]]:
    s, lengths = np.exp(logs[:6]), np.exp(logs[6:])
    one, other = np.exp(-distances[0] / lengths[0]), np.exp(-distances[1] / lengths[1])
    same = (distances[0] == 0.0).astype(float), (distances[1] == 0.0).astype(float)
    terms = [s[0] * one, s[1] * other, s[2] * one * other, s[3] * same[0], s[4] * same[1]]
    slopes = [
        (terms[0] + terms[2]) * distances[0] / lengths[0],
        (terms[1] + terms[2]) * distances[1] / lengths[1],
    ]
    return np.sum(terms, axis=0), [*terms, *slopes]


def _downhill(logs: FloatArray, distances: Distances, targets: FloatArray) -> tuple[float, FloatArray]:
    covariance, slopes = _covariance(logs, distances)
    n, noise = len(targets), float(np.exp(logs[5]))
    covariance.flat[:: n + 1] += noise
    factor = cho_factor(covariance, lower=True)
    weights = cho_solve(factor, targets)
    inner = np.outer(weights, weights) - cho_solve(factor, np.eye(n))
    by = [0.5 * float((inner * slope).sum()) for slope in slopes]
    gradient = np.array([*by[:5], 0.5 * noise * float(np.trace(inner)), *by[5:]])
    value = 0.5 * float(targets @ weights) + float(np.log(np.diagonal(factor[0])).sum())
    return value, -gradient
