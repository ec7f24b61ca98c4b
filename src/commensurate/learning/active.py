"""Active choice of questions: which pairs, once answered, make the estimates of all pairs most certain.

How much an answer about one pair lowers the variance of all others depends on where the pair is, not on what the answer
will be. So a whole batch is chosen before any of it is asked: greedily, each pair given those chosen before.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack
from threadpoolctl import threadpool_limits

from commensurate.errors import InvalidParameter
from commensurate.learning.regression.gaussian_process import Posterior
from commensurate.learning.regression.regression import FloatArray, Regression
from commensurate.learning.regression.stacked import StackedRegression

Rows = NDArray[np.int64]
Pairs = tuple[FloatArray, FloatArray]


def most_informative(model: Regression, pool: Pairs, reference: Pairs, n: int) -> Rows:
    """Return the numbers of n pairs of ``pool``; answers about them lower the summed variance over ``reference`` most.

    Certainty is judged by the Gaussian process that has the most weight in the model.
    """
    if not isinstance(model, StackedRegression):
        raise InvalidParameter(
            "design='active' needs a learner that knows how uncertain it is about each pair: 'auto', 'auto-free' or 'gp'; "
            "with a scikit-learn regressor use design='random'"
        )
    process = model.candidates[int(np.argmax(model.weights))].process
    with threadpool_limits(1):
        return _greedy(process, model.features(*pool), model.features(*reference), n)


def _greedy(process: Posterior, pool: FloatArray, reference: FloatArray, n: int) -> Rows:
    kernel = process.kernel
    known_pool, known_reference = (_whitened(process, features) for features in (pool, reference))
    shared = kernel.between(pool, reference) - known_pool.T @ known_reference
    variances = kernel.signal - np.einsum("ij,ij->j", known_pool, known_pool) + kernel.noise
    chosen: list[int] = []
    for _ in range(min(n, len(pool))):
        gains = np.einsum("ij,ij->i", shared, shared) / np.maximum(variances, 1e-12 * kernel.signal)
        gains[chosen] = -np.inf
        best = int(np.argmax(gains))
        chosen.append(best)
        # what the pool still shares with the chosen pair, given everything known and chosen before
        with_best = kernel.between(pool, pool[best : best + 1])[:, 0] - known_pool.T @ known_pool[:, best]
        scale = np.sqrt(max(float(variances[best]), 1e-12 * kernel.signal))
        update = with_best / scale
        shared -= np.outer(update, shared[best] / scale)
        variances = variances - update**2
        known_pool = np.vstack([known_pool, update])
    return np.array(chosen, dtype=np.int64)


def _whitened(process: Posterior, features: FloatArray) -> FloatArray:
    solved, _ = lapack.dtrtrs(process.factor, process.kernel.between(process.features, features), lower=1)
    return np.asarray(solved)
