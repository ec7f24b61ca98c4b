"""What an answer says as a number: compared with integrals, derivatives taken by hand, and extremes."""

import numpy as np
import pytest
from scipy.stats import norm

from commensurate.learning.regression.ranges.messages import log_chances, messages

RANGES = [(0.0, 0.3), (0.2, 0.5), (0.5, np.inf), (0.0, 2.0), (0.4, 0.4), (1.0, 1.01)]


def arrays(*values):
    return tuple(np.array([value]) for value in values)


@pytest.mark.parametrize(("lower", "upper"), RANGES)
@pytest.mark.parametrize("expected", [0.0, 0.4, 0.9])
def test_derivatives_are_those_of_the_logarithm_itself(lower, upper, expected):
    step = 1e-4

    def value(at):
        return log_chances(*arrays(lower, upper, at, 0.09))[0][0]

    _, first, second = (each[0] for each in log_chances(*arrays(lower, upper, expected, 0.09)))
    assert first == pytest.approx((value(expected + step) - value(expected - step)) / (2 * step), rel=1e-5, abs=1e-6)
    curvature = (value(expected + step) - 2 * value(expected) + value(expected - step)) / step**2
    assert second == pytest.approx(curvature, rel=1e-4, abs=1e-5)


@pytest.mark.parametrize(("lower", "upper"), RANGES)
@pytest.mark.parametrize("slips", [0.0, 0.02])
def test_the_number_and_its_noise_give_mean_and_variance_of_what_is_known_after_the_answer(lower, upper, slips):
    expected, doubt, noise = 0.45, 0.04, 0.01
    number, variance = (each[0] for each in messages(*arrays(lower, upper, expected, doubt, noise), slips))
    sigma = np.linspace(-2.0, 3.0, 400_001)
    if lower == upper:
        likely = norm.pdf(lower, sigma, np.sqrt(noise))
        chance = 0.1 / np.sqrt(doubt + noise)
    else:
        likely = norm.cdf((upper - sigma) / np.sqrt(noise)) - norm.cdf((lower - sigma) / np.sqrt(noise))
        chance = 0.2
    after = norm.pdf(sigma, expected, np.sqrt(doubt)) * ((1.0 - slips) * likely + slips * chance)
    after /= after.sum()
    mean = after @ sigma
    spread = after @ (sigma - mean) ** 2
    precision = 1.0 / doubt + 1.0 / variance
    if spread < 0.98 * doubt:  # else the answer says so little that it counts as saying nothing
        assert (expected / doubt + number / variance) / precision == pytest.approx(mean, abs=2e-4)
        assert 1.0 / precision == pytest.approx(spread, rel=2e-3)


def test_a_number_is_itself_with_its_own_noise():
    number, variance = messages(*arrays(0.7, 0.7, 0.2, 0.5, 0.01), 0.0)
    np.testing.assert_allclose([number[0], variance[0]], [0.7, 0.01])


@pytest.mark.parametrize("expected", [-1e3, 0.0, 1e3, 1e6])
@pytest.mark.parametrize(("lower", "upper"), RANGES)
def test_what_is_far_from_all_expectation_stays_finite(lower, upper, expected):
    for slips in (0.0, 0.02):
        number, variance = messages(*arrays(lower, upper, expected, 0.04, 1e-4), slips)
        assert np.isfinite(number).all()
        assert np.isfinite(variance).all()
        assert (variance > 0.0).all()


def test_an_answer_that_can_only_be_a_slip_hardly_counts():
    doubt = 0.01
    believed = messages(*arrays(3.0, np.inf, 0.3, doubt, 0.01), 0.0)
    doubted = messages(*arrays(3.0, np.inf, 0.3, doubt, 0.01), 0.02)
    assert believed[0][0] > 2.0
    assert doubted[0][0] == pytest.approx(0.3)
    assert doubted[1][0] > 40.0 * doubt
