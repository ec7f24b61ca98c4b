"""Weights of candidates against a linear program, and that stacking is hardly ever worse than the best candidate."""

import numpy as np
import pytest
from scipy.optimize import linprog

from commensurate.learning.regression.stacked import stacking_weights


def least_error(predictions, answers):
    k, n = predictions.shape
    errors = (predictions - answers).T
    found = linprog(
        np.concatenate([np.zeros(k), np.ones(n)]),
        A_ub=np.vstack([np.hstack([errors, -np.eye(n)]), np.hstack([-errors, -np.eye(n)])]),
        b_ub=np.zeros(2 * n),
        A_eq=np.concatenate([np.ones(k), np.zeros(n)])[None],
        b_eq=[1.0],
    )
    return found.fun / n


@pytest.mark.parametrize("seed", range(5))
def test_the_weights_give_the_least_absolute_error(seed):
    rng = np.random.default_rng(seed)
    answers = rng.random(80)
    predictions = answers + rng.uniform(0.05, 0.3, (4, 1)) * rng.normal(size=(4, 80)) + 0.02 * rng.normal(size=80)
    weights = stacking_weights(predictions, answers, np.ones(80))
    assert weights.sum() == pytest.approx(1.0)
    assert (weights >= 0.0).all()
    assert np.abs(weights @ predictions - answers).mean() < 1.02 * least_error(predictions, answers)


def test_a_prediction_without_error_gets_all_the_weight():
    rng = np.random.default_rng(0)
    answers = rng.random(50)
    predictions = np.array([answers + 0.1 * rng.normal(size=50), answers, answers + 0.3])
    np.testing.assert_array_equal(stacking_weights(predictions, answers, np.ones(50)), [0.0, 1.0, 0.0])


def test_predictions_that_are_all_the_same_share_the_weight_somehow():
    answers = np.arange(5.0)
    weights = stacking_weights(np.array([answers, answers]), answers, np.ones(5))
    assert weights.sum() == pytest.approx(1.0)


def test_an_answer_with_more_repeats_counts_for_more():
    answers = np.zeros(3)
    predictions = np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 3.0]])
    assert stacking_weights(predictions, answers, np.array([1.0, 1.0, 9.0]))[0] > 0.9
    assert stacking_weights(predictions, answers, np.array([9.0, 9.0, 1.0]))[1] > 0.9
