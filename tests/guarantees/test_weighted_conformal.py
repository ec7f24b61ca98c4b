"""Weighted conformal quantiles: what they are without weights, with ties, and where they are infinite."""

import math

import numpy as np
import pytest

from commensurate.errors import InvalidInput
from commensurate.guarantees.conformal import conformal_quantile, conformal_rank
from commensurate.guarantees.weighted_conformal import effective_number, weighted_quantiles


@pytest.mark.parametrize("n", [18, 19, 20, 39, 79])
@pytest.mark.parametrize("missing", [0, 1, 3])
def test_equal_weights_give_the_quantile_without_weights(n, missing):
    scores = np.random.default_rng(n).random(n)
    expected = conformal_quantile(scores, conformal_rank(n, 0.95, missing=missing))
    every = np.append(scores, np.full(missing, np.inf))
    assert weighted_quantiles(every, np.full(n + missing, 3.0), np.array([3.0]), 0.95).tolist() == [expected]


def plain_quantile(scores, weights, new_weight, level):
    """The least score such that the scores up to it have enough weight."""
    for score in sorted(scores):
        if weights[scores <= score].sum() >= level * (weights.sum() + new_weight):
            return score
    return math.inf


def test_it_gives_what_a_plain_implementation_gives():
    rng = np.random.default_rng(0)
    scores, weights, new = rng.integers(0, 9, 40) / 4.0, rng.exponential(size=40), rng.exponential(size=30)
    found = weighted_quantiles(scores, weights, new, 0.9)
    assert found.tolist() == [plain_quantile(scores, weights, each, 0.9) for each in new]


def test_a_pair_with_too_much_weight_of_its_own_is_infinitely_far_off():
    found = weighted_quantiles(np.arange(39.0), np.ones(39), np.array([1.0, 2.0, 100.0]), 0.95)
    assert np.isinf(found).tolist() == [False, False, True]


def test_without_held_out_pairs_of_any_weight_nothing_is_known():
    assert np.isinf(weighted_quantiles(np.arange(39.0), np.zeros(39), np.array([0.0, 1.0]), 0.9)).all()
    assert effective_number(np.zeros(39)) == 0.0


@pytest.mark.parametrize("weights", [np.ones(3), np.array([1.0, np.inf]), np.array([1.0, -1.0])])
def test_what_cannot_be_weights_is_refused(weights):
    with pytest.raises(InvalidInput, match="weights must be finite numbers"):
        weighted_quantiles(np.arange(2.0), weights, np.ones(1), 0.9)
