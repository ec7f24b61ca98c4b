"""Weights of methods: near even where all err alike, all on one that does not err, and none on mere noise."""

import numpy as np
import pytest
from scipy.optimize import minimize

from commensurate.learning.regression.weights import (
    FIRMNESS,
    TEMPER,
    best_weights,
    learn_mix,
    slope,
    standard_errors,
)


def folds(n):
    return np.arange(n) % 5


def mix(predictions, answers, *, no_doubts=(), repeats=None):
    held = np.isin(np.arange(len(predictions)), no_doubts)
    repeats = np.ones(len(answers)) if repeats is None else repeats
    return learn_mix(predictions, answers, repeats, folds(len(answers)), constant=0, no_doubts=held)


@pytest.mark.parametrize("seed", range(5))
def test_the_weights_are_the_minimum_that_the_docstring_names(seed):
    rng = np.random.default_rng(seed)
    errors = rng.uniform(0.05, 0.3, (4, 1)) * rng.normal(size=(4, 80)) + 0.02 * rng.normal(size=80)
    losses = (errors**2).sum(axis=1)
    near = np.exp(-0.5 * TEMPER * 80 * (losses / losses.min() - 1.0))
    near /= near.sum()

    def objective(w):
        return float(((w @ errors) ** 2).sum() + FIRMNESS * losses.min() * ((w - near) ** 2).sum())

    weights = best_weights(errors)
    best = minimize(
        objective,
        np.full(4, 0.25),
        bounds=[(0.0, 1.0)] * 4,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1.0},
        options={"ftol": 1e-14},
    )
    assert weights.sum() == pytest.approx(1.0)
    assert (weights >= 0.0).all()
    assert objective(weights) <= best.fun * (1.0 + 1e-5)


def test_a_prediction_without_error_gets_all_the_weight():
    rng = np.random.default_rng(0)
    answers = rng.random(50)
    predictions = np.array([np.full(50, 0.5), answers, answers + 0.1 * rng.normal(size=50), answers + 0.3])
    np.testing.assert_allclose(mix(predictions, answers).weights, [0.0, 1.0, 0.0, 0.0], atol=1e-6)


def test_predictions_that_are_all_the_same_share_the_weight_evenly():
    answers = np.arange(5.0)
    np.testing.assert_allclose(mix(np.array([answers, answers]), answers).weights, [0.5, 0.5])


def test_methods_that_err_alike_all_count_and_their_average_errs_less():
    rng = np.random.default_rng(0)
    answers = rng.normal(size=100)
    predictions = np.vstack([np.zeros(100), answers + 0.7 * rng.normal(size=(3, 100))])
    found = mix(predictions, answers)
    assert (found.weights[1:] > 0.05).all()
    assert np.mean((found.weights @ predictions - answers) ** 2) < 0.6 * np.mean((predictions[1] - answers) ** 2)


def test_an_answer_with_more_repeats_counts_for_more():
    answers = np.zeros(60)
    one, other = np.where(np.arange(60) < 30, 1.0, 0.1), np.where(np.arange(60) < 30, 0.1, 1.0)
    predictions, few_first = np.array([one, other]), np.where(np.arange(60) < 30, 1.0, 9.0)
    assert mix(predictions, answers, repeats=few_first).weights[0] > 0.6
    assert mix(predictions, answers, repeats=10.0 - few_first).weights[1] > 0.6


def test_a_method_without_doubts_that_learnt_noise_is_held_back():
    taken = {(): [], (1, 2, 3): []}
    for seed in range(100):
        rng = np.random.default_rng(seed)
        answers = rng.normal(size=60)
        predictions = np.vstack([np.zeros(60), 0.4 * rng.normal(size=(3, 60))])
        for held, found in taken.items():
            found.append(1.0 - mix(predictions, answers, no_doubts=held).weights[0])
    assert np.mean(taken[1, 2, 3]) < 0.5 * np.mean(taken[()])


def test_a_slope_is_one_where_answers_follow_and_zero_where_they_run_the_other_way():
    off = np.random.default_rng(0).normal(size=200)
    assert slope(np.zeros(200), off) == 1.0  # estimates that are right
    assert slope(off, off) == 1.0  # those of the constant itself
    assert slope(2.0 * off, off) == 0.0


def test_noise_is_seldom_certain_and_a_signal_always():
    certain = []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        answers = rng.normal(size=100)
        certain.append(mix(np.vstack([np.zeros(100), 0.3 * rng.normal(size=(4, 100))]), answers).certainty > 1.645)
        assert mix(np.vstack([np.zeros(100), 0.5 * answers]), answers).certainty > 5.0
    assert np.mean(certain) < 0.05


def test_standard_errors_are_those_of_a_mean():
    gains = np.array([0.0, 1.0, 2.0, 3.0])
    assert standard_errors(gains) == pytest.approx(1.5 / (np.sqrt(1.25) / 2.0))
    assert standard_errors(-gains) == -standard_errors(gains)
