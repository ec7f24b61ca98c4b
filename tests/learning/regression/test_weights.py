"""Weights of parts: the least squared error on answers left out, but only as far as the gain is beyond chance."""

import numpy as np
import pytest
from scipy.optimize import minimize

from commensurate.learning.regression.weights import earned_share, earned_weights, least_squares


def folds(n):
    return np.arange(n) % 5


@pytest.mark.parametrize("seed", range(5))
def test_the_weights_give_the_least_squared_error(seed):
    rng = np.random.default_rng(seed)
    errors = rng.uniform(0.05, 0.3, (4, 1)) * rng.normal(size=(4, 80)) + 0.02 * rng.normal(size=80)
    weights = least_squares(errors)
    assert weights.sum() == pytest.approx(1.0)
    assert (weights >= 0.0).all()
    best = minimize(
        lambda w: float(((w @ errors) ** 2).sum()),
        np.full(4, 0.25),
        bounds=[(0.0, 1.0)] * 4,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1.0},
    )
    assert ((weights @ errors) ** 2).sum() <= best.fun * (1.0 + 1e-6)


def test_a_prediction_without_error_gets_all_the_weight():
    rng = np.random.default_rng(0)
    answers = rng.random(50)
    predictions = np.array([answers + 0.1 * rng.normal(size=50), answers, answers + 0.3])
    np.testing.assert_array_equal(earned_weights(predictions, answers, np.ones(50), folds(50), 0), [0.0, 1.0, 0.0])


def test_predictions_that_are_all_the_same_share_the_weight_somehow():
    answers = np.arange(5.0)
    weights = earned_weights(np.array([answers, answers]), answers, np.ones(5), folds(5), 0)
    assert weights.sum() == pytest.approx(1.0)


def test_an_answer_with_more_repeats_counts_for_more():
    errors = np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 3.0]])
    assert least_squares(errors * np.sqrt([1.0, 1.0, 9.0]))[0] > 0.9
    assert least_squares(errors * np.sqrt([9.0, 9.0, 1.0]))[1] > 0.6


def test_predictions_that_are_mere_noise_hardly_ever_take_weight_from_the_safe_one():
    taken = []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        answers = rng.normal(size=60)
        predictions = np.vstack([np.zeros(60), 0.4 * rng.normal(size=(5, 60))])
        taken.append(1.0 - earned_weights(predictions, answers, np.ones(60), folds(60), 0)[0])
    assert np.mean(taken) < 0.05


def test_a_gain_within_half_a_standard_error_earns_nothing_and_two_earn_it_all():
    rng = np.random.default_rng(0)
    gains = rng.normal(size=400)
    gains = (gains - gains.mean()) / gains.std()
    shares = [earned_share(gains + certainty / 20.0) for certainty in (0.4, 1.25, 2.1)]
    assert shares == pytest.approx([0.0, 0.5, 1.0])
