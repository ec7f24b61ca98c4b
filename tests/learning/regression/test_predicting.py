"""What is computed fast is the plain formula, for every part and for their mix, on any number of cores and however
pairs are cut.
"""

import threading
from dataclasses import replace

import numpy as np
import pytest

from commensurate.learning.regression.covariance_kernels import FAR, falling
from commensurate.learning.regression.gaussian_process import Kernel
from commensurate.learning.regression.learners import learn
from commensurate.learning.regression.means.cross_fit import CrossFittedMean
from commensurate.learning.regression.means.families import mean_catalogue
from commensurate.learning.regression.pair_features import PairFeatures
from commensurate.learning.regression.pair_view import PairDescription
from commensurate.learning.regression.parts.linear import Linear
from commensurate.learning.regression.parts.metric_process import MEAN_VARIANCE, MetricProcess, Terms
from commensurate.learning.regression.parts.part import Answered, Constant
from commensurate.learning.regression.parts.process import Process
from commensurate.learning.regression.parts.trees import EXTRA_TREES, RANDOM_FOREST, Trees
from commensurate.learning.regression.regression import MergedPairs
from commensurate.learning.regression.stacked import StackedRegression
from worlds.plain_algorithms import plain_forest, plain_matern_process, plain_metric_process

SOFTNESS = {"prototypes": 0.0}
FOLDS = 3


def gap(x, y):
    return np.abs(x[:, 0] - y[:, 0]) + 0.3 * np.abs(x[:, 1] + y[:, 1])


def every_part(answered):
    """One part of every kind, with numbers drawn at random: no search for good ones."""
    rng = np.random.default_rng(1)
    n_features = answered.features.shape[1]

    def kernel():
        return Kernel(rng.uniform(0.5, 2.0), np.exp(rng.normal(2.0, 1.0, n_features)), 1e-3)

    parts = {
        "metrics": MetricProcess.condition(Terms(rng.random(5), 0.05, (0.7, 1.3)), 0.8, answered),
        "constant": Constant.learn(answered),
        "linear": Linear.learn(answered),
        EXTRA_TREES: Trees.learn(EXTRA_TREES, answered, 0, 20),
        RANDOM_FOREST: Trees.learn(RANDOM_FOREST, answered, 0, 20),
        "none": Process.condition(answered, kernel()),
        "tied": Process.condition(answered, kernel(), tied=True),
    }
    for name, form in mean_catalogue(answered.view.describe.coordinates).items():
        parameters = np.array([form.start(rng, 0.3) for _ in range(FOLDS)])
        mean = CrossFittedMean(form, 0.7, SOFTNESS.get(name, 0.1), parameters)
        left_over = answered.answers - mean(answered.view.sides)
        parts[name] = Process.condition(answered, kernel(), mean=mean, left_over=left_over)
    return parts


@pytest.fixture(scope="module")
def described():
    """Makes answers ready to learn from."""

    def make(pairs):
        merged = MergedPairs.of(pairs)
        describe = PairDescription.learn(merged.pairs, PairFeatures.learn(merged.pairs, np.random.default_rng(0)))
        pairs = merged.pairs
        view = describe(pairs.left, pairs.right)
        answered = Answered(view, np.arange(len(pairs)), pairs.answers, pairs.repeats, pairs.repeat_squares)
        return merged, answered

    return make


@pytest.fixture
def mixed(answered, described):
    """A mix of all parts, other weights for new elements, and pairs to predict: some about known elements."""
    merged, ready = described(answered(gap, 90))
    parts = every_part(ready)
    weights = np.random.default_rng(2).random((3, len(parts)))
    weights[1, 0] = 0.0
    weights /= weights.sum(axis=1, keepdims=True)
    mix = StackedRegression(merged, ready.view.describe, tuple(parts.values()), weights, 0.2)
    new, known = answered(gap, 700, seed=1), merged.pairs
    left, right = new.left.copy(), new.right.copy()
    left[:20], right[10:30] = known.left[:20], known.right[10:30]
    return mix, left, right


def plain(part, view, answered):
    """Mean and variance of a part by the plain formula."""
    if isinstance(part, Process):
        kernel, targets = part.process.kernel, (part.left_over - part.centre) / part.scale
        base = 0.0
        if part.mean is not None:
            mean = part.mean
            folds = [mean.form.evaluate(row, *view.sides, mean.softness)[0] for row in mean.parameters]
            base = mean.unit * np.mean(folds, axis=0)
        mean, variance = plain_matern_process(
            kernel.signal, kernel.scales, kernel.noise, answered.features, targets, answered.repeats, view.features
        )
        return base + part.centre + part.scale * mean, part.scale**2 * variance
    if isinstance(part, MetricProcess):
        terms, targets = part.terms, (answered.answers - part.centre) / part.scale
        both = (answered.view.left, answered.view.right), (view.left, view.right)
        mean, variance = plain_metric_process(
            terms.variances, MEAN_VARIANCE, terms.noise, terms.lengths, both[0], targets, answered.repeats, both[1]
        )
        doubt = part.trust * (1.0 - part.trust) * (part.scale * mean) ** 2
        return part.centre + part.trust * part.scale * mean, part.trust * part.scale**2 * variance + doubt
    if isinstance(part, Trees):
        nodes = part.nodes
        return plain_forest(nodes.roots, nodes.split_on, nodes.threshold, nodes.child, nodes.value, view.features)
    if isinstance(part, Linear):
        apart = view.features - part.origin
        variance = part.left_out_error**2 * np.diagonal(apart @ part.spread @ apart.T)
        return part.centre + apart @ part.influence @ part.targets, variance
    return np.full(len(view), part.value), np.full(len(view), part.spread**2 / part.n_answers)


def test_every_part_and_their_mix_are_the_plain_formula(mixed, described):
    mix, left, right = mixed
    _, answered = described(mix.merged.pairs)
    view, means, variances = mix.describe(left, right), [], []
    for part in mix.parts:
        mean, variance = plain(part, view, answered)
        estimates, deviations = part.estimate_with_uncertainty(view)
        np.testing.assert_allclose(part.estimate(view), mean, rtol=0.0, atol=1e-9, err_msg=part.name)
        np.testing.assert_array_equal(part.estimate(view), estimates, err_msg=part.name)
        # of trees that agree, rounding is left
        np.testing.assert_allclose(deviations**2, variance, rtol=0.0, atol=1e-9, err_msg=part.name)
        means.append(mean)
        variances.append(variance)
    weights = mix.weights[view.n_new].T
    expected = (weights * means).sum(axis=0)
    variance = (weights * (np.array(variances) + (np.array(means) - expected) ** 2)).sum(axis=0) + mix.noise**2
    assert set(view.n_new) == {0, 1, 2}
    estimates, uncertainties = mix.estimate_with_uncertainty(left, right)
    np.testing.assert_allclose(estimates, expected, rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(uncertainties, np.sqrt(variance), rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_predictions_do_not_depend_on_the_number_of_threads(mixed, monkeypatch, threads):
    mix, left, right = mixed
    monkeypatch.setattr("commensurate.learning.regression.stacked.PAIRS_COMPUTED_AT_ONCE", 256)
    expected = mix.estimate_with_uncertainty(left, right)
    monkeypatch.setattr("commensurate.geometry.threads.thread_count", lambda: threads)
    np.testing.assert_array_equal(mix.estimate_with_uncertainty(left, right), expected)
    np.testing.assert_array_equal(mix.estimate(left, right), expected[0])


@pytest.mark.parametrize("cuts", [[1, 3, 256, 600], [100, 101], [512]])
def test_predictions_do_not_depend_on_how_pairs_are_cut(mixed, cuts):
    mix, left, right = mixed
    parts = [mix.estimate_with_uncertainty(*sides) for sides in zip(np.split(left, cuts), np.split(right, cuts))]
    np.testing.assert_array_equal(np.concatenate(parts, axis=1), mix.estimate_with_uncertainty(left, right))


def test_a_metric_of_the_users_own_is_never_called_twice_at_once(answered, only_distances, monkeypatch):
    running, most = 0, 0
    counting = threading.Lock()

    def alone(left, right):
        nonlocal running, most
        with counting:
            running, most = running + 1, max(most, running + 1)
        found = only_distances.function(left, right)
        with counting:
            running -= 1
        return found

    metric = replace(only_distances, function=alone)
    function = learn("gp", answered(gap, 30, metric=metric), np.random.default_rng(0))
    monkeypatch.setattr("commensurate.learning.regression.stacked.PAIRS_COMPUTED_AT_ONCE", 10)
    monkeypatch.setattr("commensurate.geometry.threads.thread_count", lambda: 4)
    new = answered(gap, 200, seed=1)
    function.estimate(new.left, new.right)
    assert most == 1


def test_the_exponential_is_that_of_the_library_to_the_last_digits():
    x = np.concatenate([np.linspace(0.0, 40.0, 4_001), np.geomspace(1e-12, FAR, 1_000)])
    np.testing.assert_allclose([falling(one) for one in x], np.exp(-x), rtol=4e-16)
    assert falling(0.0) == 1.0
    assert falling(1e300) < 1e-300
