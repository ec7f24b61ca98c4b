"""The theorem's error bounds and failure probabilities."""

from __future__ import annotations

import math

import pytest

from commensurate.errors import InvalidParameter
from commensurate.guarantees.theorem import coverage_failure, error_bound, failure_probability, sample_size


def test_naive_is_off_by_at_most_six_epsilon() -> None:
    assert error_bound(0.5) == 3.0
    assert error_bound(20.0) == 120.0


def test_the_papers_dilation_of_eight_gives_thirty_eight_epsilon() -> None:
    assert error_bound(0.5, dilation=8.0) == 38 * 0.5


def test_cluster_without_dilation_is_naive() -> None:
    assert error_bound(0.3, dilation=0.0) == error_bound(0.3)


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.inf, math.nan])
def test_epsilon_must_be_a_positive_finite_distance(epsilon: float) -> None:
    with pytest.raises(InvalidParameter, match="positive, finite distance"):
        error_bound(epsilon)


@pytest.mark.parametrize("dilation", [-0.1, math.inf, math.nan])
def test_dilation_must_be_finite_and_not_negative(dilation: float) -> None:
    with pytest.raises(InvalidParameter, match="dilation must be finite and at least 0"):
        error_bound(0.1, dilation)


@pytest.mark.parametrize(
    ("delta", "balls"),
    [
        (0.1, 10),
        (0.001, 1000),
        (1 / 93, 93),
        (1e-5, 10**5),
        (0.3, 3),
        (0.7, 1),
    ],
)
def test_as_many_balls_are_counted_as_fit_beside_each_other(delta: float, balls: int) -> None:
    n = math.ceil(3 * math.log(balls + 1) / delta)
    assert coverage_failure(delta, n) == pytest.approx(balls * (1 - delta) ** n, rel=1e-9, abs=0)


@pytest.mark.parametrize("delta", [0.9, 0.5, 0.1, 0.03, 0.001, 1e-5])
def test_the_theorems_sample_size_misses_with_probability_at_most_delta(delta: float) -> None:
    assert coverage_failure(delta) == delta
    assert coverage_failure(delta, sample_size(delta)) <= delta


def test_without_samples_nothing_is_covered() -> None:
    assert coverage_failure(0.1, 0) == 1.0


def test_more_samples_never_hurt() -> None:
    failures = [coverage_failure(0.05, n) for n in range(0, 2000, 10)]
    assert failures == sorted(failures, reverse=True)


def test_the_failure_probability_adds_both_groups() -> None:
    assert failure_probability(0.25, 0.125, 0.0625) == 0.6875
    given = failure_probability(0.1, 0.02, 0.03, n_left=80, n_right=200)
    assert given == pytest.approx(10 * 0.9**80 + 10 * 0.9**200 + 0.05)


def test_a_vacuous_bound_is_capped_at_one() -> None:
    assert failure_probability(0.001, 1.0, 0.98) == 1.0


def test_a_rare_mass_that_is_no_probability_is_named() -> None:
    with pytest.raises(InvalidParameter, match="rare_right must be a probability from 0 to 1, got 98"):
        failure_probability(0.1, 0.0, 98)
