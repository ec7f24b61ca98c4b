"""Choosing a Gaussian process's kernel: maximum likelihood from several starts."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from threadpoolctl import threadpool_limits

from commensurate.learning.regression.gaussian_process import Kernel, log_likelihood

FloatArray = NDArray[np.float64]

# length scales to start from, in units of the typical distance of standardised features
STARTS = (0.5, 1.5, 5.0)
# a start is judged on so many answers at most; the best is then refined on more
JUDGED_ON = 400
REFINED_ON = 2_000
STEPS, REFINING_STEPS = 80, 20
LOG_SIGNAL = (math.log(1e-3), math.log(1e3))
LOG_SCALE = (math.log(1e-2), math.log(1e4))
LOG_NOISE = (math.log(1e-9), math.log(1.0))


def fit_kernel(features: FloatArray, targets: FloatArray, repeats: FloatArray, rng: np.random.Generator) -> Kernel:
    """Return the kernel with the largest likelihood found; features and targets are standardised.

    Linear algebra runs in one thread: two slow systems of this size down, and sums would depend on the number of cores.
    """
    with threadpool_limits(1):
        return _best_kernel(features, targets, repeats, rng)


def _best_kernel(features: FloatArray, targets: FloatArray, repeats: FloatArray, rng: np.random.Generator) -> Kernel:
    few = rng.permutation(len(targets))[:JUDGED_ON]
    typical = math.sqrt(features.shape[1])
    found = [
        _climb(_start(scale * typical, features.shape[1]), features[few], targets[few], repeats[few], STEPS)
        for scale in STARTS
    ]
    logs, _ = max(found, key=lambda one: one[1])
    if len(targets) > JUDGED_ON:
        many = rng.permutation(len(targets))[:REFINED_ON]
        logs, _ = _climb(logs, features[many], targets[many], repeats[many], REFINING_STEPS)
    return Kernel.from_logs(logs)


def _start(scale: float, n_features: int) -> FloatArray:
    return np.concatenate([[0.0], np.full(n_features, math.log(scale)), [math.log(1e-3)]])


def _climb(
    logs: FloatArray, features: FloatArray, targets: FloatArray, repeats: FloatArray, steps: int
) -> tuple[FloatArray, float]:
    def downhill(at: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = log_likelihood(at, features, targets, repeats)
        return -value, -gradient

    bounds = [LOG_SIGNAL, *([LOG_SCALE] * features.shape[1]), LOG_NOISE]
    found = minimize(downhill, logs, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": steps})
    return found.x, -float(found.fun)
