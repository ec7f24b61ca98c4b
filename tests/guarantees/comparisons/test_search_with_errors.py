"""Bisection with comparisons that err: its intervals, and what it costs."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from commensurate.errors import InvalidParameter
from commensurate.guarantees.comparisons.rulers import Rulers
from commensurate.guarantees.comparisons.search_with_errors import locate_with_errors

FINE = Rulers.of(np.linspace(0.005, 1.0, 200))


def searched(sigma=0.4, noise=0.05, rulers=FINE, seed=0, **options):
    rng, asked = np.random.default_rng(seed), []

    def closer(distance):
        asked.append(distance)
        return bool(sigma + noise * rng.standard_normal() <= distance)

    options = {"half_width": 0.05, "noise": noise, "failure": 0.05, **options}
    return locate_with_errors(closer, rulers, **options), asked


def test_the_interval_is_as_narrow_as_was_wanted_and_all_comparisons_are_counted():
    found, asked = searched()
    assert 0.0 < found.upper - found.lower <= 0.1
    assert found.comparisons == len(asked) > 5
    assert set(asked) <= set(FINE.distances)


def test_with_hardly_any_errors_it_takes_as_many_as_without():
    for sigma in (0.03, 0.4, 0.77):
        found, _ = searched(sigma, noise=1e-4)
        assert found.lower <= sigma <= found.upper
        assert found.comparisons <= math.ceil(math.log2(1.0 / 0.1)) + 1


def test_a_smaller_failure_costs_more_comparisons():
    costs = [
        np.mean([searched(failure=failure, seed=k)[0].comparisons for k in range(20)]) for failure in (0.3, 0.05, 0.001)
    ]
    assert costs == sorted(costs)
    assert costs[0] < costs[2]


def test_it_goes_on_from_what_is_known():
    found, asked = searched(lower=0.36, upper=0.44)
    assert (found.lower, found.upper, asked) == (0.36, 0.44, [])
    narrowed, asked = searched(lower=0.3, upper=0.5)
    assert 0.3 <= narrowed.lower < narrowed.upper <= 0.5
    assert all(0.3 < distance < 0.5 for distance in asked)


def test_above_the_longest_ruler_it_gives_a_lower_bound_alone():
    found, _ = searched(3.0)
    assert 0.9 < found.lower < 3.0
    assert found.upper == math.inf


def test_rulers_end_it_where_they_lie_too_far_apart():
    found, asked = searched(0.4, noise=0.01, rulers=Rulers.of([0.3, 0.7]))
    assert 0.3 <= found.lower <= 0.4 <= found.upper <= 0.7
    assert found.upper - found.lower > 0.3
    assert len(asked) < 20


def test_the_interval_ends_where_all_that_was_said_becomes_too_improbable():
    rng, said = np.random.default_rng(3), []

    def closer(distance):
        said.append((distance, bool(0.4 + 0.1 * rng.standard_normal() <= distance)))
        return said[-1][1]

    found = locate_with_errors(closer, FINE, half_width=0.002, noise=0.1, failure=0.1, upper=1.0, most=40)
    distances, closers = (np.array(part) for part in zip(*said))

    def probability(sigma):
        shares = norm.cdf((distances - np.asarray(sigma)[:, None]) / 0.1)
        return np.where(closers, shares, 1.0 - shares).prod(axis=1)

    limit = 0.1 * probability(np.linspace(0.0, 1.0, 20_001)).mean()
    # each end is at most one step of an eighth of the half-width outside
    outside, inside = probability([found.lower, found.upper]), probability([found.lower + 3e-4, found.upper - 3e-4])
    assert (outside <= limit * 1.01).all()
    assert (inside >= limit * 0.99).all()


def test_it_ends_when_enough_was_asked():
    found, asked = searched(0.5, noise=0.3, most=25)
    assert len(asked) == found.comparisons == 25
    assert found.lower <= 0.5 <= found.upper


@pytest.mark.parametrize(
    "wrong",
    [
        {"noise": 0.0},
        {"failure": 0.0},
        {"failure": 1.0},
        {"failure": 5},
        {"half_width": 0.0},
        {"most": 0},
        {"noise": math.nan},
    ],
)
def test_what_is_out_of_range_is_refused_before_anybody_is_asked(wrong):
    asked = []
    with pytest.raises(InvalidParameter):
        locate_with_errors(asked.append, FINE, **{"half_width": 0.05, "noise": 0.1, "failure": 0.05, **wrong})
    assert asked == []
