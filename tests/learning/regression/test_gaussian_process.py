"""Our exact Gaussian process beside scikit-learn's, and what scikit-learn's cannot do."""

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

from commensurate.learning.regression.gaussian_process import Kernel, KernelTask, LogLikelihood, fit_kernel
from commensurate.learning.regression.posterior import Posterior


def problem(n=60, d=5, seed=0):
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n, d))
    targets = np.sin(features[:, 0]) + 0.3 * features[:, 1] + 0.1 * rng.normal(size=n)
    kernel = Kernel(1.7, rng.uniform(0.5, 3.0, d), 0.02)
    return features, targets, kernel


def fitted(features, targets, seed=0):
    n = len(targets)
    return fit_kernel(KernelTask(features, targets, np.ones(n), np.zeros(n)), np.random.default_rng(seed))


def theirs(kernel, features, targets):
    shape = ConstantKernel(kernel.signal) * Matern(length_scale=kernel.scales, nu=2.5) + WhiteKernel(kernel.noise)
    return GaussianProcessRegressor(shape, alpha=0.0, optimizer=None).fit(features, targets)


@pytest.mark.parametrize("seed", range(4))
def test_likelihood_and_gradient_are_those_of_scikit_learn(seed):
    features, targets, kernel = problem(seed=seed)
    peer = theirs(kernel, features, targets)
    expected, slope = peer.log_marginal_likelihood(peer.kernel_.theta, eval_gradient=True)
    value, gradient = LogLikelihood(features, targets, np.ones(len(targets)))(kernel.logs)
    assert value == pytest.approx(expected, rel=1e-9)
    np.testing.assert_allclose(gradient, slope, rtol=1e-6, atol=1e-8)


def test_predictions_are_those_of_scikit_learn():
    features, targets, kernel = problem()
    new = np.random.default_rng(1).normal(size=(20, 5))
    means, deviations = Posterior.condition(kernel, features, targets, np.ones(60)).estimate_with_uncertainty(new)
    expected, spread = theirs(kernel, features, targets).predict(new, return_std=True)
    np.testing.assert_allclose(means, expected, atol=1e-8)
    # theirs is of a new answer, ours of the signal
    np.testing.assert_allclose(np.sqrt(deviations**2 + kernel.noise), spread, atol=1e-8)


def test_leaving_one_out_in_closed_form_is_leaving_it_out():
    features, targets, kernel = problem(n=25)
    means, deviations = Posterior.condition(kernel, features, targets, np.ones(25)).leave_one_out()
    for k in range(25):
        rest = np.arange(25) != k
        other = Posterior.condition(kernel, features[rest], targets[rest], np.ones(24))
        mean, deviation = other.estimate_with_uncertainty(features[k : k + 1])
        assert means[k] == pytest.approx(mean[0], abs=1e-9)
        assert deviations[k] == pytest.approx(np.sqrt(deviation[0] ** 2 + kernel.noise), abs=1e-9)


def test_the_mean_of_repeated_answers_counts_as_the_answers_themselves():
    features, targets, kernel = problem(n=20)
    rng = np.random.default_rng(2)
    answers = targets[:, None] + np.sqrt(kernel.noise) * rng.normal(size=(20, 3))
    one_by_one = Posterior.condition(kernel, np.repeat(features, 3, axis=0), answers.ravel(), np.ones(60))
    averaged = Posterior.condition(kernel, features, answers.mean(axis=1), np.full(20, 3.0))
    new = rng.normal(size=(10, 5))
    for one, other in zip(one_by_one.estimate_with_uncertainty(new), averaged.estimate_with_uncertainty(new)):
        np.testing.assert_allclose(one, other, atol=1e-7)


def test_equal_points_with_hardly_any_noise_do_no_harm():
    features, targets, kernel = problem(n=30)
    twice = Posterior.condition(
        Kernel(kernel.signal, kernel.scales, 1e-12), np.tile(features, (2, 1)), np.tile(targets, 2), np.ones(60)
    )
    means, _ = twice.estimate_with_uncertainty(features)
    np.testing.assert_allclose(means, targets, atol=1e-3)


def test_the_fitted_kernel_is_more_likely_than_any_start_and_finds_what_matters():
    rng = np.random.default_rng(3)
    features = rng.normal(size=(150, 6))
    targets = np.sin(2.0 * features[:, 0])
    targets = (targets - targets.mean()) / targets.std()
    kernel = fitted(features, targets)
    assert kernel.scales[0] < 0.2 * kernel.scales[1:].min()
    new = rng.normal(size=(100, 6))
    means, _ = Posterior.condition(kernel, features, targets, np.ones(150)).estimate_with_uncertainty(new)
    assert np.corrcoef(means, np.sin(2.0 * new[:, 0]))[0, 1] > 0.99


def test_the_noise_is_found():
    rng = np.random.default_rng(4)
    features = rng.uniform(-2.0, 2.0, size=(300, 1))
    targets = np.sin(features[:, 0]) + 0.3 * rng.normal(size=300)
    kernel = fitted(features, targets)
    assert np.sqrt(kernel.noise) == pytest.approx(0.3, rel=0.2)


def test_the_same_seed_gives_the_same_kernel():
    features, targets, _ = problem(n=450)
    first, second = (fitted(features, targets) for _ in range(2))
    np.testing.assert_array_equal(first.logs, second.logs)
