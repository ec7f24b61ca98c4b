"""What every learner promises: the same seed, the same function; few answers, equal answers and repeats do no harm."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesRegressor

from commensurate.errors import CorruptModelFile, InvalidInput, InvalidParameter
from commensurate.learning.model_file.regression import read_regression, regression_parts
from commensurate.learning.regression.learners import learn
from commensurate.learning.regression.parts.part import CONSTANT
from commensurate.learning.regression.parts.process import Process
from commensurate.learning.regression.parts.trees import EXTRA_TREES, RANDOM_FOREST
from commensurate.learning.regression.regression import NO_FORM

LEARNERS = ["auto", "gp", ExtraTreesRegressor(20)]


def gap(x, y):
    return np.abs(x[:, 0] - y[:, 0]) + 0.3 * np.abs(x[:, 1] + y[:, 1])


def rng():
    return np.random.default_rng(0)


@pytest.fixture(scope="module")
def learnt():
    """What a learner learns from the same 60 pairs, learnt once."""
    known = {}

    def give(learner, pairs):
        if learner not in known:
            known[learner] = learn(learner, pairs, rng())
        return known[learner]

    return give


@pytest.mark.slow
@pytest.mark.parametrize("learner", LEARNERS)
def test_the_same_seed_gives_the_same_function(answered, learnt, learner):
    pairs = answered(gap, 60)
    one, other = (
        function.estimate_with_uncertainty(pairs.right, pairs.left)
        for function in (learnt(learner, pairs), learn(learner, pairs, rng()))
    )
    np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("learner", LEARNERS)
def test_estimates_alone_are_those_with_uncertainties_to_the_bit(answered, learnt, learner, monkeypatch):
    pairs = answered(gap, 60)
    monkeypatch.setattr("commensurate.learning.regression.stacked.PAIRS_COMPUTED_AT_ONCE", 25)
    found = learnt(learner, pairs)
    np.testing.assert_array_equal(
        found.estimate(pairs.right, pairs.left), found.estimate_with_uncertainty(pairs.right, pairs.left)[0]
    )


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("n", [2, 3, 7])
def test_few_answers_are_enough_to_learn_something(answered, learner, n):
    pairs = answered(gap, n)
    estimates, uncertainties = learn(learner, pairs, rng()).estimate_with_uncertainty(pairs.right, pairs.left)
    assert np.isfinite(estimates).all()
    assert (uncertainties > 0.0).all()


@pytest.mark.parametrize("learner", LEARNERS)
def test_no_pairs_have_no_estimates(answered, learnt, learner):
    pairs = answered(gap, 60)
    for none in learnt(learner, pairs).estimate_with_uncertainty(pairs.left[:0], pairs.right[:0]):
        assert none.shape == (0,)


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("value", [0.0, 0.7])
def test_answers_that_are_all_the_same_are_predicted_everywhere(answered, learner, value):
    pairs = answered(lambda x, y: np.full(len(x), value), 30)
    estimates, uncertainties = learn(learner, pairs, rng()).estimate_with_uncertainty(pairs.right, pairs.left)
    np.testing.assert_allclose(estimates, value, atol=1e-5)
    assert (uncertainties > 0.0).all()


def test_an_answer_given_twice_counts_as_one_with_two_repeats(answered):
    pairs = answered(gap, 25)
    twice = pairs.take(np.concatenate([np.arange(25), np.arange(5)]))
    repeats = np.ones(25)
    repeats[:5] = 2.0
    one = learn("gp", twice, rng())
    other = learn("gp", replace(pairs, repeats=repeats), rng())
    new = answered(gap, 10, seed=1)
    np.testing.assert_array_equal(
        one.estimate_with_uncertainty(new.left, new.right), other.estimate_with_uncertainty(new.left, new.right)
    )
    assert len(one.contributions(new.left[:1], new.right[:1])) == 30


@pytest.mark.slow
@pytest.mark.parametrize("learner", ["auto", "gp"])
def test_a_group_without_coordinates_is_learnt_from_its_distances(answered, only_distances, learner):
    def sigma(x, y):
        return np.abs(x[:, 0] - y[:, 0])

    pairs = answered(sigma, 120, widths=(2, 2), metric=only_distances)
    new = answered(sigma, 200, widths=(2, 2), metric=only_distances, seed=1)
    estimates, _ = learn(learner, pairs, rng()).estimate_with_uncertainty(new.left, new.right)
    assert np.abs(estimates - new.answers).mean() < 0.25 * new.answers.std()


@pytest.mark.parametrize("learner", ["auto", "gp"])
def test_base_and_contributions_make_the_estimate(answered, learnt, learner):
    pairs = answered(gap, 60)
    function = learnt(learner, pairs)
    x, y = pairs.right[:1], pairs.left[:1]
    view = function.describe(x, y)
    silent = sum(weight * base_of(part, view) for weight, part in zip(function.weights[0], function.parts))
    assert silent + function.contributions(x, y).sum() == pytest.approx(
        function.estimate_with_uncertainty(x, y)[0][0], rel=1e-6
    )


def base_of(part, view):
    if part.name in (EXTRA_TREES, RANDOM_FOREST):  # a forest does not tell what single answers do
        return part.estimate(view)[0]
    if isinstance(part, Process):
        return part.base(view)[0]
    return part.value if part.name == CONSTANT else part.centre


@pytest.mark.parametrize("learner", ["auto", "gp"])
def test_relevance_finds_the_columns_that_matter(answered, learnt, learner):
    relevance = learnt(learner, answered(gap, 60)).relevance()
    assert sum(relevance.values()) == pytest.approx(1.0)
    ranked = sorted(relevance, key=relevance.get, reverse=True)
    assert set(ranked[:2]) == {"a: x0", "b: x0"}
    assert set(ranked[4:]) == {"a: x2", "b: x2"}


@pytest.mark.parametrize("learner", ["auto", "gp"])
def test_a_stored_function_predicts_the_same_to_the_bit(answered, learnt, learner):
    pairs = answered(gap, 60)
    function = learnt(learner, pairs)
    again = read_regression(*regression_parts(function), pairs)
    new = answered(gap, 1500, seed=1)
    np.testing.assert_array_equal(
        again.estimate_with_uncertainty(new.left, new.right), function.estimate_with_uncertainty(new.left, new.right)
    )
    assert again.noise == function.noise


def test_nonsense_in_a_stored_function_is_refused(answered):
    pairs = answered(gap, 30)
    parts, arrays = regression_parts(learn("gp", pairs, rng()))
    spoilt = [
        ({**parts, "candidates": ["unheard of"]}, arrays),
        ({**parts, "landmark_rows": [[0], [30]]}, arrays),
        ({**parts, "landmark_rows": [[0], []]}, arrays),
        ({**parts, "landmark_rows": [parts["landmark_rows"][0][::-1], parts["landmark_rows"][1]]}, arrays),
        ({**parts, "landmark_rows": [list(range(25)), parts["landmark_rows"][1]]}, arrays),
        (parts, {**arrays, "weights": np.array([0.5])}),
        (parts, {**arrays, "kernel_0": arrays["kernel_0"][1:]}),
        (parts, {**arrays, "kernel_0": -arrays["kernel_0"]}),
        (parts, {**arrays, "left_over_0": arrays["left_over_0"][1:]}),
        (parts, {**arrays, "left_over_0": np.full(30, np.nan)}),
    ]
    for wrong in spoilt:
        with pytest.raises(CorruptModelFile):
            read_regression(*wrong, pairs)


@pytest.mark.slow
def test_noise_is_found_on_the_scale_of_the_answers(answered):
    pairs = answered(lambda x, y: 10.0 + 3.0 * x[:, 0], 120)
    noisy = replace(pairs, answers=pairs.answers + 0.5 * rng().normal(size=120))
    assert learn("auto", noisy, rng()).noise == pytest.approx(0.5, rel=0.25)


def test_learning_on_from_fewer_answers_is_as_good(answered):
    first = learn("gp", answered(gap, 60), rng())
    pairs, new = answered(gap, 120), answered(gap, 200, seed=1)
    errors = [
        np.abs(
            learn("gp", pairs, rng(), previous=start).estimate_with_uncertainty(new.left, new.right)[0] - new.answers
        ).mean()
        for start in (None, first)
    ]
    assert errors[1] < 1.25 * errors[0]


def test_too_many_and_too_few_answers_and_strange_learners_are_refused(answered):
    with pytest.raises(InvalidInput, match="ClusterSimilarity"):
        learn("auto", answered(gap, 5001), rng())
    with pytest.raises(InvalidInput, match="at least 2"):
        learn("auto", answered(gap, 1), rng())
    for strange in ("best", ExtraTreesRegressor, None):
        with pytest.raises(InvalidParameter, match="scikit-learn"):
            learn(strange, answered(gap, 10), rng())
    with pytest.raises(InvalidInput, match="ExtraTreesRegressor"):
        learn(ExtraTreesRegressor(5), answered(gap, 10), rng()).contributions(np.zeros((1, 3)), np.zeros((1, 3)))


def test_learning_on_starts_from_the_process_alone_and_not_from_another_candidate(answered, learnt):
    pairs = answered(gap, 60)
    first = learnt("auto", pairs)
    alone = [learnt("gp", pairs).parts[0]]
    others = [part for part in first.parts if part.name != NO_FORM]
    assert others, "the test needs another part that was kept"

    def learnt_on(parts):
        previous = replace(first, parts=tuple(parts), weights=np.full((3, len(parts)), 1.0 / len(parts)))
        return learn("gp", pairs, rng(), previous=previous).estimate_with_uncertainty(pairs.right, pairs.left)

    from_nothing = learn("gp", pairs, rng()).estimate_with_uncertainty(pairs.right, pairs.left)
    np.testing.assert_array_equal(learnt_on(others), from_nothing)
    np.testing.assert_array_equal(learnt_on([*others, *alone]), learnt_on(alone))


def test_landmarks_drawn_anew_share_one_length_scale(answered):
    features = learn("gp", answered(gap, 60), rng()).describe.features
    n_features = len(features.centre)
    scales = np.exp(rng().normal(size=n_features))
    evened = features.without_places(scales)
    np.testing.assert_array_equal(evened[:9], scales[:9])
    for side in (slice(9, 33), slice(33, 57)):
        np.testing.assert_allclose(evened[side], np.exp(np.log(scales[side]).mean()))
