"""Choosing a Gaussian process's kernel: the largest likelihood, with a prior on length scales, from several starts."""

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
REFITTING_STEPS, REFITTED_ON = 40, 1_000
# standard deviation, before any answer, of the logarithms of length scales: with few answers and many features the
# likelihood alone would tell them apart by chance
SCALES_APART = 1.0
# signal beside noise: so far apart that smooth functions are learnt exactly, but rounding stays below the noise
LOG_SIGNAL = (math.log(1e-3), math.log(1e2))
LOG_SCALE = (math.log(1e-2), math.log(1e4))
LOG_NOISE = (math.log(1e-8), math.log(1.0))


def fit_kernel(features: FloatArray, targets: FloatArray, repeats: FloatArray, rng: np.random.Generator) -> Kernel:
    """Return the likeliest kernel found; features and targets are standardised.

    Linear algebra runs in one thread: two slow systems of this size down, and sums would depend on the number of cores.
    """
    with threadpool_limits(1):
        return _best_kernel(features, targets, repeats, rng)


def refit_kernel(
    start: Kernel, features: FloatArray, targets: FloatArray, repeats: FloatArray, rng: np.random.Generator
) -> Kernel:
    """Return a kernel near the one given, likelier for these standardised targets: fewer steps than from nothing."""
    few = rng.permutation(len(targets))[:JUDGED_ON]
    logs = start.logs
    # the signal is that of standardised targets; what a mean function leaves over may be little but noise
    logs[0], logs[-1] = 0.0, max(logs[-1], math.log(0.1))
    bounds = np.array(_bounds(features.shape[1]))
    with threadpool_limits(1):
        typical = math.sqrt(features.shape[1])
        noisy = _start(STARTS[1] * typical, features.shape[1], noise=0.5)
        starts = [np.clip(logs, *bounds.T), noisy]
        found = [_climb(one, features[few], targets[few], repeats[few], REFITTING_STEPS) for one in starts]
        logs, _ = max(found, key=lambda one: one[1])
        if len(targets) > JUDGED_ON:
            many = rng.permutation(len(targets))[:REFITTED_ON]
            logs, _ = _climb(logs, features[many], targets[many], repeats[many], REFITTING_STEPS // 3)
    return Kernel.from_logs(logs)


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


def _start(scale: float, n_features: int, noise: float = 1e-3) -> FloatArray:
    return np.concatenate([[0.0], np.full(n_features, math.log(scale)), [math.log(noise)]])


def _climb(
    logs: FloatArray, features: FloatArray, targets: FloatArray, repeats: FloatArray, steps: int
) -> tuple[FloatArray, float]:
    def downhill(at: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = log_likelihood(at, features, targets, repeats)
        apart = at[1:-1] - at[1:-1].mean()
        value -= 0.5 * float(apart @ apart) / SCALES_APART**2
        gradient[1:-1] -= apart / SCALES_APART**2
        return -value, -gradient

    bounds = _bounds(features.shape[1])
    found = minimize(downhill, logs, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": steps})
    return found.x, -float(found.fun)


def _bounds(n_features: int) -> list[tuple[float, float]]:
    return [LOG_SIGNAL, *([LOG_SCALE] * n_features), LOG_NOISE]
