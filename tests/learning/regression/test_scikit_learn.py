"""Regressors of scikit-learn: what they miss is not noise, and repeats count."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor

from commensurate.learning.regression.learn import learn


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
    noisy = replace(pairs, repeats=np.full(60, 3.0), squares=np.full(60, 2.0 * 0.1**2))
    model = learn(KNeighborsRegressor(30), noisy, rng())
    assert model.noise == pytest.approx(0.1)
    assert model.uncertainty > 0.3


def test_an_answer_with_more_repeats_counts_for_more(answered):
    pairs = answered(line, 200)
    wrong = replace(pairs, answers=np.where(np.arange(200) < 100, pairs.answers, 9.0))
    estimates = [
        learn(LinearRegression(), replace(wrong, repeats=np.where(np.arange(200) < 100, times, 1.0)), rng()).predict(
            pairs.left[:100], pairs.right[:100]
        )[0]
        for times in (1.0, 1e6)
    ]
    errors = [np.abs(estimate - pairs.answers[:100]).mean() for estimate in estimates]
    assert errors[1] < 0.1 * errors[0]


def test_a_regressor_that_takes_no_weights_learns_from_repeats_all_the_same(answered):
    pairs = replace(answered(line, 20), repeats=np.full(20, 2.0))
    assert np.isfinite(learn(KNeighborsRegressor(3), pairs, rng()).predict(pairs.left, pairs.right)[0]).all()


def test_a_regressor_that_is_hardly_ever_off_is_not_infinitely_sure(answered):
    model = learn(LinearRegression(), answered(line, 400), rng())
    assert model.uncertainty >= 1e-6 * 3.0
