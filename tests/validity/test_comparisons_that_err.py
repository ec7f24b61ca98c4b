"""Where experts err: intervals by comparisons fail as rarely as they say, and answers are worth what theory says."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import log_ndtr
from scipy.stats import norm

import commensurate as cm
from commensurate.guarantees.comparisons.search_with_errors import locate_with_errors

RULERS = cm.Rulers.of(np.linspace(0.005, 1.2, 240))
HALF_WIDTH, FAILURE = 0.05, 0.2


def failures(noise, *, assumed=None, most=10_000, errors=None, searches=400, failure=FAILURE):
    """Search for as many σ; return how many intervals do not hold them, and the mean number of comparisons."""
    rng = np.random.default_rng(0)
    errors = errors or (lambda: noise * rng.standard_normal())
    missed, comparisons = 0, 0
    for _ in range(searches):
        sigma = rng.random()
        found = locate_with_errors(
            lambda distance, sigma=sigma: bool(sigma + errors() <= distance),
            RULERS,
            half_width=HALF_WIDTH,
            noise=assumed or noise,
            failure=failure,
            most=most,
        )
        missed += not found.lower <= sigma <= found.upper
        comparisons += found.comparisons
    return missed / searches, comparisons / searches


@pytest.mark.parametrize("noise", [0.02, 0.05, 0.1])
def test_intervals_fail_as_rarely_as_they_say_and_are_not_wasteful(noise):
    share, comparisons = failures(noise)
    # three standard errors, though the bound leaves more room than that
    assert share <= FAILURE + 3.0 * math.sqrt(FAILURE / 400)
    # numbers from comparisons at σ itself, for an interval of this width at this level, once
    at_best = math.pi / 2.0 * (noise * norm.ppf(1.0 - FAILURE / 2.0) / HALF_WIDTH) ** 2
    assert comparisons <= 7.0 * at_best + 12.0


def test_they_hold_whenever_asking_ends():
    for most in (1, 5, 20, 60):
        assert failures(0.1, most=most)[0] <= FAILURE


def test_a_noise_that_is_assumed_too_large_costs_comparisons_alone():
    share, comparisons = failures(0.05, assumed=0.1)
    assert share <= FAILURE
    assert comparisons > 2.0 * failures(0.05)[1]


def test_a_noise_that_is_assumed_too_small_fails_too_often():
    """What these tests would catch."""
    assert failures(0.1, assumed=0.02)[0] > 1.5 * FAILURE


def test_errors_that_are_the_same_for_all_comparisons_of_a_pair_are_not_covered():
    rng = np.random.default_rng(1)
    # the expert looks once, and then compares with what they saw
    seen = {"error": 0.0}

    def closer(distance):
        return bool(seen["sigma"] + seen["error"] <= distance)

    missed = 0
    for _ in range(200):
        seen["sigma"], seen["error"] = rng.random(), 0.1 * rng.standard_normal()
        found = locate_with_errors(closer, RULERS, half_width=HALF_WIDTH, noise=0.1, failure=FAILURE)
        missed += not found.lower <= seen["sigma"] <= found.upper
    assert missed / 200 > 1.5 * FAILURE


def test_all_intervals_of_a_study_hold_together_as_often_as_they_say():
    wrong, studies = 0, 40
    for seed in range(studies):
        rng = np.random.default_rng(seed)
        groups = {"a": rng.random((6, 1)), "b": rng.random((6, 1))}

        def sigma(left, right):
            return 0.2 + 0.7 * np.abs(left - right)[:, 0]

        def closer(left, right, between, distance, rng=rng, sigma=sigma):
            return sigma(left, right) + 0.05 * rng.standard_normal(len(left)) <= distance

        oracle = cm.ByComparisons(
            closer, groups, half_width=HALF_WIDTH, rulers=RULERS, noise=0.05, failure=FAILURE, at_most=1.0
        )
        pairs = np.repeat(groups["a"], 6, axis=0), np.tile(groups["b"], (6, 1))
        lower, upper = oracle.ranges(*pairs, ("a", "b")).T
        assert oracle.answer_error <= HALF_WIDTH * (1.0 + 1e-9)
        wrong += not ((lower <= sigma(*pairs) + 1e-9) & (sigma(*pairs) <= upper + 1e-9)).all()
    assert wrong / studies <= FAILURE


# --- what an answer is worth ---


def spread_of_estimates(log_likelihood, around, studies):
    """The variance of maximum-likelihood estimates of one σ."""
    found = [
        minimize_scalar(lambda sigma, k=k: -log_likelihood(sigma, k), bounds=around, method="bounded").x
        for k in range(studies)
    ]
    return float(np.var(found))


@pytest.mark.parametrize("offset", [0.0, 1.0])
@pytest.mark.parametrize("exact", [True, False])
def test_so_many_comparisons_with_a_ruler_are_as_good_as_one_number(offset, exact):
    rng, noise, answers, studies = np.random.default_rng(2), 0.1, 2_000, 600
    of_both = noise if exact else noise * math.sqrt(2.0)
    ruler = 0.5 + offset * noise
    closer = rng.binomial(answers, norm.cdf((ruler - 0.5) / of_both), studies)

    def log_likelihood(sigma, k):
        away = (ruler - sigma) / of_both
        return closer[k] * log_ndtr(away) + (answers - closer[k]) * log_ndtr(-away)

    worth = noise**2 / answers / spread_of_estimates(log_likelihood, (0.2, 0.8), studies)
    assert worth == pytest.approx(cm.ruler_information([offset], ruler_is_exact=exact)[0], rel=0.15)


@pytest.mark.parametrize("noise", [0.05, 0.2])
def test_so_many_grades_are_as_good_as_one_number(noise):
    rng, answers, studies = np.random.default_rng(3), 2_000, 600
    boundaries, sigma = np.array([0.2, 0.4, 0.6, 0.8]), 0.45
    ends = np.concatenate([[-np.inf], boundaries, [np.inf]])
    given = rng.multinomial(answers, np.diff(norm.cdf(ends, loc=sigma, scale=noise)), studies)

    def log_likelihood(value, k):
        return float((given[k] * np.log(np.diff(norm.cdf(ends, loc=value, scale=noise)) + 1e-300)).sum())

    worth = noise**2 / answers / spread_of_estimates(log_likelihood, (0.1, 0.9), studies)
    assert worth == pytest.approx(cm.grade_information(sigma, boundaries, noise), rel=0.15)
