"""Products of two people's errors: what they estimate, what bounds their mean, and what is refused."""

import math

import numpy as np
import pytest

from commensurate.errors import InvalidAnswer, InvalidInput, InvalidParameter
from commensurate.guarantees.sigma_error import ErrorAgainstSigma, mean_bound


def found_from(estimates, first, second, **options):
    return ErrorAgainstSigma.of(("a", "b"), estimates, first, second, **options)


@pytest.mark.parametrize("n", [1, 20, 80])
def test_values_of_0_leave_only_the_price_of_the_confidence(n):
    assert mean_bound(np.zeros(n), 4.0, 0.95) == pytest.approx(4.0 * (1.0 - 0.05 ** (1.0 / n)))


def test_a_bound_is_the_least_mean_that_a_bet_at_the_highest_stake_refutes():
    values, most = np.array([0.3, -0.2, 0.1, 0.0, 0.25] * 8), 1.0
    bound = mean_bound(values, most, 0.9)
    stake = 1.0 / (most - bound)
    assert np.prod(1.0 + stake * (bound - values)) == pytest.approx(10.0)


def test_a_value_at_the_end_and_no_value_at_all_leave_no_bound_but_the_end():
    assert mean_bound(np.array([0.0] * 500 + [2.0]), 2.0, 0.95) == 2.0
    assert mean_bound(np.empty(0), 2.0, 0.95) == 2.0


def test_no_bound_is_below_0():
    assert mean_bound(np.full(100, -0.2), 1.0, 0.95) == 0.0


def test_errors_of_two_people_cancel_in_products_and_not_in_squares():
    # the estimate is right, and each answer is off by 0.1
    found = found_from([0.5] * 4, [0.6, 0.4, 0.6, 0.4], [0.6, 0.6, 0.4, 0.4])
    assert (found.error, found.against_answers, found.spread) == pytest.approx((0.0, 0.1, math.sqrt(0.02)))
    assert (found.n_twice, found.n_once, found.bound, found.bound_of_opinions) == (4, 0, None, None)


def test_what_one_person_answered_counts_in_bounds_by_its_square():
    found = found_from([0.5, 0.5], [0.7, 0.6], [math.nan, 0.4], scale_end=1.0)
    assert found.mean_square == pytest.approx(-0.01)
    assert found.error == 0.0
    assert np.isnan([found.standard_error, found.rough_bound]).all()
    assert found.bound == pytest.approx(math.sqrt(mean_bound(np.array([0.04, -0.01]), 1.0, 0.95)))
    assert found.bound_of_opinions == pytest.approx(math.sqrt(mean_bound(np.array([0.0]), 1.0, 0.95)))


def test_the_bound_by_the_mean_of_two_answers_is_never_the_smaller_one():
    rng = np.random.default_rng(0)
    for _ in range(50):
        found = found_from(*rng.random((3, 30)), scale_end=1.0)
        assert found.bound <= found.bound_of_opinions <= 1.0


def test_bounds_scale_with_the_answers():
    estimates, first, second = np.random.default_rng(1).random((3, 40))
    small = found_from(estimates, first, second, scale_end=1.0)
    large = found_from(10 * estimates, 10 * first, 10 * second, scale_end=10.0)
    assert (large.bound, large.error) == pytest.approx((10 * small.bound, 10 * small.error))


def test_in_bounds_alone_an_estimate_beyond_the_scale_counts_as_its_end():
    beyond, at_end = (found_from([x] * 30, [0.9] * 30, [0.95] * 30, scale_end=1.0) for x in (1.3, 1.0))
    assert (beyond.bound, beyond.bound_of_opinions) == (at_end.bound, at_end.bound_of_opinions)
    assert (beyond.mean_square, beyond.against_answers) == pytest.approx((0.4 * 0.35, 0.4))
    assert "larger estimates count as that" in str(beyond)
    # nor may one below 0 make a product larger than the scale's square
    assert found_from([-3.0] * 30, [1.0] * 30, [1.0] * 30, scale_end=1.0).bound == 1.0


def test_without_pairs_by_two_people_nothing_is_estimated_and_the_squares_still_bound():
    found = found_from([0.5] * 79, [0.5] * 79, [math.nan] * 79, scale_end=1.0)
    assert math.isnan(found.error)
    assert found.bound == pytest.approx(math.sqrt(1.0 - 0.05 ** (1 / 79)))
    assert "No held-out pair was answered by two people" in str(found)
    assert "No answer was held out." in str(found_from([], [], []))


def test_an_error_that_is_too_small_is_said_to_be_and_bounds_need_a_scale():
    said = str(found_from([0.5, 0.5], [0.6, 0.6], [0.4, 0.4]))
    assert "by too little to be seen" in said
    assert "No bound with a confidence is known, because it needs an end of the scale" in said


@pytest.mark.parametrize(
    ("columns", "options", "error", "words"),
    [
        (([0.5], [0.5], [1.2]), {"scale_end": 1.0}, InvalidAnswer, "no answer may lie beyond scale_end=1, got 1.2"),
        (([0.5], [0.5, 0.5], [0.5]), {}, InvalidInput, "three lists of the same length"),
        (([0.5], [math.nan], [0.5]), {}, InvalidInput, "leave out pairs that nobody answered"),
        (([0.5], [0.5], [0.5]), {"scale_end": 0.0}, InvalidParameter, "scale_end must be a positive"),
        (([0.5], [0.5], [0.5]), {"confidence_level": 95}, InvalidParameter, "confidence_level must"),
    ],
)
def test_what_cannot_be_meant_is_refused(columns, options, error, words):
    with pytest.raises(error, match=words):
        found_from(*columns, **options)
