"""The parts of a mix: each against a plain computation, and what they promise about new elements and noise."""

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor
from sklearn.linear_model import Ridge

from commensurate.geometry.metrics import metric_named
from commensurate.groups.elements import Space
from commensurate.learning.regression.auto import learn_auto
from commensurate.learning.regression.folds import element_folds
from commensurate.learning.regression.pair_features import PairFeatures
from commensurate.learning.regression.pair_view import PairDescription
from commensurate.learning.regression.parts.linear import Linear
from commensurate.learning.regression.parts.metric_process import MEAN_VARIANCE, MetricProcess, Terms, _Likelihood
from commensurate.learning.regression.parts.part import Answered, Constant
from commensurate.learning.regression.parts.trees import EXTRA_TREES, LEAST_IN_LEAF, RANDOM_FOREST, Trees
from commensurate.learning.regression.regression import AnsweredPairs, MergedPairs


def drawn(n=60, seed=0, elements=None, noise=0.0, sigma=lambda x, y: np.abs(x[:, 0] - y[:, 0])):
    rng = np.random.default_rng(seed)
    pools = [rng.random((elements or n, 3)) for _ in "ab"]
    rows = [rng.integers(len(pool), size=n) if elements else np.arange(n) for pool in pools]
    left, right = (pool[row] for pool, row in zip(pools, rows))
    spaces = tuple(Space(name, metric_named("euclidean", left), ("x0", "x1", "x2")) for name in "ab")
    answers = np.maximum(0.0, sigma(left, right) + noise * rng.normal(size=n))
    return AnsweredPairs(spaces, left, right, answers, np.ones(n))


def as_answered(pairs):
    merged = MergedPairs.of(pairs).pairs
    describe = PairDescription.learn(merged, PairFeatures.learn(merged, np.random.default_rng(0)))
    view = describe(merged.left, merged.right)
    return Answered(view, np.arange(len(merged)), merged.answers, merged.repeats, merged.repeat_squares)


def test_the_metric_process_is_the_plain_formula():
    answered = as_answered(drawn(40, elements=15, noise=0.1))
    part, new = MetricProcess.learn(answered), drawn(20, seed=1)
    terms, known = part.terms, answered.view

    def covariance(left, right, other_left, other_right):
        def apart(one, other):
            return np.sqrt(((one[:, None] - other) ** 2).sum(-1))

        d1, d2 = apart(left, other_left), apart(right, other_right)
        k1, k2, s = np.exp(-d1 / terms.lengths[0]), np.exp(-d2 / terms.lengths[1]), terms.variances
        return s[0] * k1 + s[1] * k2 + s[2] * k1 * k2 + s[3] * (d1 == 0.0) + s[4] * (d2 == 0.0) + MEAN_VARIANCE

    within = covariance(known.left, known.right, known.left, known.right)
    across = covariance(new.left, new.right, known.left, known.right)
    solved = np.linalg.solve(
        within + np.diag(terms.noise / answered.repeats), (answered.answers - part.centre) / part.scale
    )
    expected = part.centre + part.trust * part.scale * across @ solved
    view = known.describe(new.left, new.right)
    np.testing.assert_allclose(part.estimate(view), expected, rtol=1e-8)
    np.testing.assert_allclose(part.estimate_with_uncertainty(view)[0], expected, rtol=1e-8)


def test_the_gradient_of_the_metric_process_is_that_of_its_likelihood():
    answered = as_answered(drawn(30, elements=12, noise=0.2))
    fit, rng = _Likelihood(answered, answered.mean, float(answered.answers.std())), np.random.default_rng(3)
    logs = rng.normal(size=8) * 0.5 - 1.0
    _, gradient = fit(logs)
    steps = 1e-5 * np.eye(8)
    plain = [(fit(logs + step)[0] - fit(logs - step)[0]) / 2e-5 for step in steps]
    np.testing.assert_allclose(gradient, plain, rtol=1e-4, atol=1e-6)


def test_trust_is_low_where_answers_are_mere_noise_and_high_where_elements_have_effects():
    def effects(x, y):
        return 1.0 + np.sin(40.0 * x[:, 0]) + np.sin(40.0 * y[:, 0])

    noise = [MetricProcess.learn(as_answered(drawn(100, seed, noise=0.3, sigma=one))).trust for seed in range(10)]
    strong = [
        MetricProcess.learn(as_answered(drawn(100, seed, elements=20, noise=0.3, sigma=effects))).trust
        for seed in range(10)
    ]
    assert np.mean(noise) < 0.2
    assert np.mean(strong) > 0.95


def one(x, y):
    return np.full(len(x), 2.0)


def test_straight_lines_are_ridge_regression():
    answered = as_answered(drawn(50, noise=0.1))
    part, new = Linear.learn(answered), drawn(20, seed=1)
    view = answered.view.describe(new.left, new.right)
    ridge = Ridge(1.0 / part.held_back).fit(answered.features, answered.answers)
    np.testing.assert_allclose(part.estimate(view), ridge.predict(view.features), rtol=1e-7)
    first = view.take(np.array([0]))
    assert part.centre + part.pulls(first).sum() == pytest.approx(part.estimate(first)[0])


@pytest.mark.parametrize(("name", "kind"), [(EXTRA_TREES, ExtraTreesRegressor), (RANDOM_FOREST, RandomForestRegressor)])
def test_the_forest_is_scikit_learns_to_the_last_digits(name, kind):
    answered = as_answered(drawn(80, noise=0.1))
    new = drawn(50, seed=1)
    view = answered.view.describe(new.left, new.right)
    grown = kind(30, min_samples_leaf=LEAST_IN_LEAF[name], random_state=5)
    grown.fit(answered.features, answered.answers, sample_weight=answered.repeats)
    found, disagreement = Trees.learn(name, answered, 5, 30).estimate_with_uncertainty(view)
    np.testing.assert_allclose(found, grown.predict(view.features), rtol=1e-12)
    each = np.array([tree.predict(view.features.astype(np.float32)) for tree in grown.estimators_])
    np.testing.assert_allclose(disagreement, each.std(axis=0), atol=1e-7)


def test_the_constant_is_the_mean_of_all_single_answers():
    pairs = drawn(4)
    twice = AnsweredPairs(
        pairs.spaces, pairs.left, pairs.right, np.array([1.0, 2.0, 3.0, 4.0]), np.array([3.0, 1.0, 1.0, 1.0])
    )
    answered = as_answered(twice)
    assert Constant.learn(answered).value == pytest.approx(2.0)


def test_folds_of_elements_keep_nothing_about_those_they_leave_out():
    answered = as_answered(drawn(120, elements=12))
    folds = element_folds(answered.view.describe, np.random.default_rng(0))
    assert len(folds) == 4
    for fold in folds:
        for n_new, row in zip(fold.n_new, fold.left_out):
            new = [
                not (side[fold.kept] == side[row]).all(axis=1).any()
                for side in (answered.view.left, answered.view.right)
            ]
            # an element that is left out is in no answer that is kept; one that is not may be by chance
            assert sum(new) >= n_new
    assert element_folds(as_answered(drawn(40)).view.describe, np.random.default_rng(0)) == []


def test_new_elements_are_counted():
    answered = as_answered(drawn(30))
    known, new = answered.view, drawn(30, seed=9)
    describe = known.describe
    assert describe(known.left, known.right).n_new.tolist() == [0] * 30
    assert describe(known.left, new.right).n_new.tolist() == [1] * 30
    assert describe(new.left, new.right).n_new.tolist() == [2] * 30


@pytest.mark.slow
def test_answers_that_depend_on_nothing_are_said_to_show_nothing():
    shown = [
        learn_auto(drawn(60, seed, noise=0.3, sigma=one), np.random.default_rng(seed)).shows_nothing
        for seed in range(6)
    ]
    assert sum(shown) >= 4
    assert not learn_auto(drawn(60), np.random.default_rng(0)).shows_nothing


def test_terms_are_read_from_logarithms():
    terms = Terms.from_logs(np.zeros(8), (2.0, 3.0))
    assert terms.total == 5.0 + MEAN_VARIANCE
    assert terms.lengths == (2.0, 3.0)
