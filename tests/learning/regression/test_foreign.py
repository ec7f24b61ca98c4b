"""Regressors of scikit-learn: what they miss is not noise, and repeats count."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor

from commensurate.errors import InvalidInput
from commensurate.learning.regression.learners import learn


def line(x, y):
    return 3.0 + x[:, 0] + y[:, 0]


def rng():
    return np.random.default_rng(0)


def test_without_repeats_a_regressor_cannot_tell_the_noise_but_how_far_it_is_off(answered):
    model = learn(KNeighborsRegressor(3), answered(line, 60), rng())
    assert np.isnan(model.noise)
    assert 0.05 < model.uncertainty < 1.0


def test_the_noise_is_that_of_the_repeats_whatever_the_regressor_misses(answered):
    pairs = answered(line, 60)
    noisy = replace(pairs, repeats=np.full(60, 3.0), repeat_squares=np.full(60, 2.0 * 0.1**2))
    model = learn(KNeighborsRegressor(30), noisy, rng())
    assert model.noise == pytest.approx(0.1)
    assert model.uncertainty > 0.3


def test_an_answer_with_more_repeats_counts_for_more(answered):
    pairs = answered(line, 200)
    wrong = replace(pairs, answers=np.where(np.arange(200) < 100, pairs.answers, 9.0))
    estimates = [
        learn(
            LinearRegression(), replace(wrong, repeats=np.where(np.arange(200) < 100, times, 1.0)), rng()
        ).estimate_with_uncertainty(pairs.left[:100], pairs.right[:100])[0]
        for times in (1.0, 1e6)
    ]
    errors = [np.abs(estimate - pairs.answers[:100]).mean() for estimate in estimates]
    assert errors[1] < 0.1 * errors[0]


def test_a_regressor_that_takes_no_weights_learns_from_repeats_all_the_same(answered):
    pairs = replace(answered(line, 20), repeats=np.full(20, 2.0))
    assert np.isfinite(
        learn(KNeighborsRegressor(3), pairs, rng()).estimate_with_uncertainty(pairs.left, pairs.right)[0]
    ).all()


def test_a_regressor_that_is_hardly_ever_off_is_not_infinitely_sure(answered):
    model = learn(LinearRegression(), answered(line, 400), rng())
    assert model.uncertainty >= 1e-6 * 3.0


class Answering(BaseEstimator):
    """A regressor that predicts what it was told to."""

    def __init__(self, predicts):
        self.predicts = predicts

    def fit(self, X, y):
        return self

    def predict(self, X):
        return self.predicts(X)


def test_one_output_in_a_column_is_one_number_a_row(answered):
    pairs = answered(line, 60)
    column, row = (learn(Answering(predicts), pairs, rng()) for predicts in (lambda X: X[:, :1], lambda X: X[:, 0]))
    assert column.uncertainty == row.uncertainty
    estimates, _ = column.estimate_with_uncertainty(pairs.left, pairs.right)
    np.testing.assert_array_equal(estimates, row.estimate_with_uncertainty(pairs.left, pairs.right)[0])
    assert estimates.shape == (60,)


@pytest.mark.parametrize("predicts", [lambda X: X[:, :2], lambda X: X[:1, 0], lambda X: np.full(len(X), np.nan)])
def test_what_is_not_one_finite_number_a_row_is_refused(answered, predicts):
    with pytest.raises(InvalidInput, match="Answering must predict one finite number per row, got shape"):
        learn(Answering(predicts), answered(line, 60), rng())


def test_many_pairs_are_predicted_part_by_part(answered, monkeypatch):
    pairs = answered(line, 60)
    found = learn(KNeighborsRegressor(), pairs, rng())
    whole, _ = found.estimate_with_uncertainty(pairs.left, pairs.right)
    monkeypatch.setattr("commensurate.learning.regression.foreign.ROWS_PER_CALL", 7)
    np.testing.assert_array_equal(found.estimate_with_uncertainty(pairs.left, pairs.right)[0], whole)
