"""The information of comparisons and grades is that of the definition."""

import math

import numpy as np
import pytest
from scipy.stats import norm

import commensurate as cm
from commensurate.errors import InvalidParameter


def by_definition(shares, sigma, noise, step=1e-5):
    """Fisher's information of an answer with these probabilities, in multiples of a number's."""
    slope = (shares(sigma + step) - shares(sigma - step)) / (2.0 * step)
    return noise**2 * (slope**2 / shares(sigma)).sum()


@pytest.mark.parametrize("noise", [0.05, 0.2, 1.0])
def test_a_ruler_is_worth_what_the_definition_says(noise):
    sigma, ruler = 0.5, 0.62

    def shares(error):
        def both(value):
            closer = norm.cdf((ruler - value) / error)
            return np.array([closer, 1.0 - closer])

        return both

    offset = (ruler - sigma) / noise
    exact, perceived = cm.ruler_information([offset], ruler_is_exact=True)[0], cm.ruler_information([offset])[0]
    assert exact == pytest.approx(by_definition(shares(noise), sigma, noise), rel=1e-4)
    assert perceived == pytest.approx(by_definition(shares(noise * math.sqrt(2.0)), sigma, noise), rel=1e-4)


def test_a_ruler_at_the_dissimilarity_itself_is_worth_most():
    assert cm.ruler_information([0.0], ruler_is_exact=True)[0] == pytest.approx(2.0 / math.pi)
    assert cm.ruler_information([0.0])[0] == pytest.approx(1.0 / math.pi)
    offsets = np.linspace(-40.0, 40.0, 81)
    for exact in (True, False):
        worth = cm.ruler_information(offsets, ruler_is_exact=exact)
        assert np.isfinite(worth).all()
        assert worth.argmax() == 40
        np.testing.assert_allclose(worth, worth[::-1])


@pytest.mark.parametrize("sigma", [-0.5, 0.0, 0.31, 0.5, 2.0])
def test_a_grade_is_worth_what_the_definition_says(sigma):
    boundaries = np.array([0.1, 0.3, 0.6])

    def shares(value):
        return np.diff(norm.cdf(np.concatenate([[-np.inf], boundaries, [np.inf]]), loc=value, scale=0.3))

    assert cm.grade_information(sigma, boundaries, 0.3) == pytest.approx(by_definition(shares, sigma, 0.3), rel=1e-4)


def test_two_grades_are_one_exact_ruler():
    assert cm.grade_information([0.4], [0.5], 0.1) == pytest.approx(cm.ruler_information([1.0], ruler_is_exact=True))


def test_more_grades_are_worth_more_and_never_as_much_as_a_number():
    sigma = np.linspace(0.0, 1.0, 101)
    worth = [cm.grade_information(sigma, np.linspace(0.0, 1.0, n)[1:-1], 0.2).mean() for n in (3, 5, 9, 33, 201)]
    assert worth == sorted(worth)
    assert worth[-1] < 1.0
    assert worth[-1] > 0.9


def test_far_from_all_boundaries_a_grade_is_worth_nothing():
    assert cm.grade_information([1e3, -1e3], [0.1, 0.2], 0.01).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("boundaries", [[], [0.2, 0.2], [0.3, 0.2], [0.1, math.inf], [[0.1, 0.2]]])
def test_boundaries_increase(boundaries):
    with pytest.raises(InvalidParameter, match="boundaries of grades"):
        cm.grade_information([0.1], boundaries, 0.1)
