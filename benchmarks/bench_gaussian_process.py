"""Log marginal likelihood and its gradient, Matérn 5/2 with one length scale a feature, beside scikit-learn's."""

from __future__ import annotations

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel
from threadpoolctl import threadpool_limits

from benchmarks.measurement import Measurement, best_seconds
from commensurate.learning.regression.gaussian_process import Kernel, LogLikelihood

GOAL = 1 / 8


def measure(quick: bool) -> list[Measurement]:
    """Measure one evaluation, both in one thread."""
    n_answers, n_features = (300, 20) if quick else (1_000, 69)
    rng = np.random.default_rng(0)
    features = rng.normal(size=(n_answers, n_features))
    targets = np.abs(features[:, :3]).sum(axis=1)
    targets = (targets - targets.mean()) / targets.std()
    kernel = Kernel(1.0, rng.uniform(3.0, 20.0, n_features), 1e-3)
    shape = ConstantKernel(kernel.signal) * Matern(length_scale=kernel.scales, nu=2.5) + WhiteKernel(kernel.noise)
    peer = GaussianProcessRegressor(shape, alpha=0.0, optimizer=None).fit(features, targets)
    theta, repeats = peer.kernel_.theta, np.ones(n_answers)
    with threadpool_limits(1):
        log_likelihood = LogLikelihood(features, targets, repeats)
        value, gradient = log_likelihood(kernel.logs)
        expected, slope = peer.log_marginal_likelihood(theta, eval_gradient=True)
        np.testing.assert_allclose(value, expected, rtol=1e-6)
        np.testing.assert_allclose(gradient, slope, rtol=1e-6, atol=1e-6 * np.abs(slope).max())
        ours = best_seconds(lambda: log_likelihood(kernel.logs), repeats=5)
        theirs = best_seconds(lambda: peer.log_marginal_likelihood(theta, eval_gradient=True), repeats=2)
    return [
        Measurement(
            task="Gaussian process, likelihood and gradient",
            case=f"{n_answers:,} answers, {n_features} features",
            peer="scikit-learn GaussianProcessRegressor.log_marginal_likelihood, one thread each",
            seconds=ours,
            peer_seconds=theirs,
            goal=GOAL,
        )
    ]
