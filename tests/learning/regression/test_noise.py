"""How noisy answers are: told by repeats where there are any, and not explained away where there are none."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import check_grad

from commensurate.learning.regression.gaussian_process import Kernel, KernelTask, LogLikelihood, fit_kernel, log_prior
from commensurate.learning.regression.learners import learn
from commensurate.learning.regression.regression import MergedPairs


def near(x, y):
    return 0.2 + 0.5 * np.abs(x[:, 0] - y[:, 0])


def same(x, y):
    return np.full(len(x), 0.6)


def repeated(pairs, noise, times, seed=0):
    """The pairs with the means and squares of several noisy answers, and these answers themselves."""
    single = pairs.answers[:, None] + noise * np.random.default_rng(seed).normal(size=(len(pairs), times))
    means = single.mean(axis=1)
    squares = ((single - means[:, None]) ** 2).sum(axis=1)
    return replace(pairs, answers=means, repeats=np.full(len(pairs), float(times)), repeat_squares=squares), single


def task_of(features, targets):
    return KernelTask(
        features, (targets - targets.mean()) / targets.std(), np.ones(len(targets)), np.zeros(len(targets))
    )


# --- what repeats tell ---


def test_means_and_squares_are_as_likely_as_all_single_answers_up_to_a_constant():
    rng = np.random.default_rng(0)
    features, times = rng.normal(size=(12, 3)), rng.integers(1, 5, 12)
    single = [rng.normal() + 0.4 * rng.normal(size=n) for n in times]
    means = np.array([answers.mean() for answers in single])
    within = float(sum(((answers - answers.mean()) ** 2).sum() for answers in single))
    differences = []
    for noise in (0.02, 0.1, 0.7):
        logs = Kernel(1.3, np.array([0.7, 1.5, 3.0]), noise).logs
        every = np.repeat(features, times, axis=0), np.concatenate(single), np.ones(times.sum())
        expected, slope = LogLikelihood(*every)(logs)
        value, gradient = LogLikelihood(features, means, times.astype(float), within)(logs)
        np.testing.assert_allclose(gradient, slope, rtol=1e-6, atol=1e-8)
        differences.append(value - expected)
    np.testing.assert_allclose(differences, differences[0], rtol=1e-9)


def test_merging_equal_pairs_keeps_the_squares_of_all_single_answers(answered):
    pairs, single = repeated(answered(near, 10), 0.1, 3)
    once = answered(near, 10)
    apart = once.take(np.repeat(np.arange(10), 3))
    one_by_one = MergedPairs.of(replace(apart, answers=single.ravel()))
    both = replace(pairs.take(np.repeat(np.arange(10), 2)), repeats=np.tile([3.0, 1.0], 10))
    both.repeat_squares[1::2] = 0.0
    both.answers[1::2] += 1.0
    np.testing.assert_allclose(one_by_one.pairs.repeat_squares, pairs.repeat_squares)
    # a fourth answer that is 1 larger than the mean of three adds 3/4
    np.testing.assert_allclose(MergedPairs.of(both).pairs.repeat_squares, pairs.repeat_squares + 0.75)


def test_rounding_of_a_mean_is_no_noise(answered):
    pairs = answered(near, 5).take(np.repeat(np.arange(5), 7))
    np.testing.assert_array_equal(MergedPairs.of(pairs).pairs.repeat_squares, 0.0)


def test_taking_pairs_takes_their_squares(answered):
    pairs, _ = repeated(answered(near, 6), 0.1, 2)
    np.testing.assert_array_equal(pairs.take(np.array([4, 1])).repeat_squares, pairs.repeat_squares[[4, 1]])
    assert answered(near, 6).take(np.array([0])).repeat_squares is None


@pytest.mark.parametrize("sigma", [same, near])
@pytest.mark.parametrize("times", [2, 10])
def test_repeats_tell_the_noise_in_many_columns(answered, sigma, times):
    pairs, _ = repeated(answered(sigma, 80, widths=(20, 20)), 0.1, times)
    assert learn("gp", pairs, np.random.default_rng(0)).noise == pytest.approx(0.1, rel=0.2)


def test_repeats_tell_the_noise_though_their_means_are_all_the_same(answered):
    pairs = replace(answered(same, 30), repeats=np.full(30, 2.0), repeat_squares=np.full(30, 0.02))
    # that of the differences, or less: means that are all the same speak for little noise
    assert 0.99 * np.sqrt(0.01) < learn("gp", pairs, np.random.default_rng(0)).noise < 1.01 * np.sqrt(0.02)


# --- what single answers tell ---


@pytest.mark.parametrize("n", [81, 161])
@pytest.mark.parametrize("width", [3, 8, 20])
@pytest.mark.parametrize("level", [0.05, 0.2])
def test_noise_is_neither_missed_nor_explained_away(answered, n, width, level):
    found = []
    for seed in range(3):
        pairs = answered(near, n, widths=(width, width), seed=seed)
        noise = level * np.sqrt(np.mean(pairs.answers**2))
        noisy = replace(pairs, answers=pairs.answers + noise * np.random.default_rng(10 + seed).normal(size=n))
        found.append(learn("gp", noisy, np.random.default_rng(0)).noise / noise)
    assert 0.7 < np.median(found) < 1.5
    assert min(found) > 0.4


def test_estimates_from_noisy_answers_are_better_than_a_constant(answered):
    pairs = answered(near, 161, widths=(20, 20))
    noisy = replace(pairs, answers=pairs.answers + 0.15 * np.random.default_rng(1).normal(size=161))
    new = answered(near, 300, widths=(20, 20), seed=1)
    estimates, _ = learn("gp", noisy, np.random.default_rng(0)).estimate_with_uncertainty(new.left, new.right)
    assert np.abs(estimates - new.answers).mean() < 0.4 * np.abs(new.answers - np.median(new.answers)).mean()


def test_answers_without_noise_are_still_learnt_as_such():
    features = np.random.default_rng(0).normal(size=(120, 3))
    kernel = fit_kernel(task_of(features, np.sin(features[:, 0])), np.random.default_rng(0))
    assert np.sqrt(kernel.noise) < 0.01


def test_noise_alone_is_not_taken_for_a_rough_signal():
    rng = np.random.default_rng(3)
    kernel = fit_kernel(task_of(rng.normal(size=(80, 60)), rng.normal(size=80)), rng)
    assert kernel.noise > 0.5


def test_the_gradient_of_the_prior_is_that_of_finite_differences():
    logs = np.random.default_rng(0).normal(size=6)
    assert check_grad(lambda at: log_prior(at)[0], lambda at: log_prior(at)[1], logs) < 1e-5
