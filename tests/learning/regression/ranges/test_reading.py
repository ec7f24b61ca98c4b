"""Reading answers of every kind: beside sampling, in worlds where noise is known, and whatever the ranges are."""

import numpy as np
import pytest

from commensurate.geometry.metrics import metric_named
from commensurate.groups.elements import Space
from commensurate.learning.regression.gaussian_process import Kernel
from commensurate.learning.regression.learners import learn
from commensurate.learning.regression.ranges import reading
from commensurate.learning.regression.ranges.messages import messages
from commensurate.learning.regression.ranges.ranged_pairs import RangedPairs
from commensurate.learning.regression.ranges.reading import read
from commensurate.learning.regression.regression import AnsweredPairs

EDGES = np.array([0.0, 0.4, 0.6, 0.8, 1.1, np.inf])


def pairs_of(n, rng):
    left, right = rng.random((n, 2)), rng.random((n, 2))
    spaces = tuple(Space(name, metric_named("euclidean", left), ("x0", "x1")) for name in "ab")
    return spaces, left, right, 0.2 + np.abs(left[:, 0] + 0.5 * left[:, 1] - right[:, 0])


def graded(n, noise, rng):
    spaces, left, right, sigma = pairs_of(n, rng)
    perceived = sigma * (1.0 + noise * rng.standard_normal(n))
    grade = np.searchsorted(EDGES[1:-1], perceived)
    said = RangedPairs(spaces, left, right, EDGES[grade], EDGES[grade + 1], np.zeros(n, dtype=bool), n)
    return said, sigma, perceived


def test_what_is_known_after_all_answers_is_what_sampling_gives():
    rng = np.random.default_rng(0)
    n, noise = 4, 0.05
    features = rng.normal(size=(n, 1))
    kernel = Kernel(1.0, np.array([1.5]), 1.0)
    lower, upper = np.array([0.2, -np.inf, 0.5, 1.0]), np.array([0.9, -0.2, np.inf, 1.0])
    values, variances = np.zeros(n), np.ones(n)
    for _ in range(200):
        expected, doubts = reading._without_each(kernel, features, values, variances, 0.0, 1.0)
        new = messages(lower, upper, expected, doubts, np.full(n, noise), 0.0)
        values, variances = reading._damped((values, variances), new)
    prior = kernel.between(features, features)
    after = np.linalg.inv(np.linalg.inv(prior + 1e-10 * np.eye(n)) + np.diag(1.0 / variances))
    means = after @ (values / variances)

    draws = np.linalg.cholesky(prior + 1e-10 * np.eye(n)) @ rng.standard_normal((n, 400_000))
    from scipy.stats import norm

    weight = np.ones(draws.shape[1])
    for k in range(n):
        if lower[k] == upper[k]:
            weight *= norm.pdf(lower[k], draws[k], np.sqrt(noise))
        else:
            weight *= norm.cdf((upper[k] - draws[k]) / np.sqrt(noise)) - norm.cdf(
                (lower[k] - draws[k]) / np.sqrt(noise)
            )
    weight /= weight.sum()
    sampled = draws @ weight
    spread = np.sqrt(((draws - sampled[:, None]) ** 2) @ weight)
    np.testing.assert_allclose(means, sampled, atol=0.02)
    np.testing.assert_allclose(np.sqrt(np.diagonal(after)), spread, rtol=0.05)


@pytest.mark.parametrize("noise", [0.1, 0.2])
def test_the_noise_of_percepts_is_found(noise):
    found = []
    for seed in range(3):
        said, *_ = graded(400, noise, np.random.default_rng(seed))
        percept = read(said, np.random.default_rng(0)).percept
        found.append(percept.noise / percept.usual)
    assert 0.75 * noise < np.mean(found) < 1.3 * noise


def test_grades_teach_nearly_as_much_as_the_numbers_behind_them_and_far_more_than_their_middles():
    errors = []
    for seed in range(3):
        said, _, perceived = graded(240, 0.25, np.random.default_rng(seed))
        middles = np.where(
            np.isinf(said.upper), 1.3, 0.5 * (said.lower + np.where(np.isinf(said.upper), 0.0, said.upper))
        )
        _, left, right, sigma = pairs_of(500, np.random.default_rng(100 + seed))
        errors.append(
            [
                np.abs(learn("gp", pairs, np.random.default_rng(0)).estimate(left, right) - sigma).mean()
                for pairs in (
                    said,
                    AnsweredPairs(said.spaces, said.left, said.right, perceived, np.ones(240)),
                    AnsweredPairs(said.spaces, said.left, said.right, middles, np.ones(240)),
                )
            ]
        )
    grades, numbers, middles = np.mean(errors, axis=0)
    assert grades < 1.25 * numbers
    assert grades < 0.9 * middles


def test_a_comparison_with_a_ruler_counts_for_less_than_a_range_with_the_same_end():
    rng = np.random.default_rng(0)
    said, *_ = graded(150, 0.2, rng)
    beside = RangedPairs(
        said.spaces, said.left, said.right, said.lower, said.upper, np.ones(150, dtype=bool), said.n_answers
    )
    reading_alone, expected = read(said, np.random.default_rng(0)), np.full(150, 0.7)
    percept = reading_alone.percept
    assert (percept.of_answers(beside, expected) > percept.of_answers(said, expected)).all()


@pytest.mark.parametrize("kind", ["at most", "at least", "one grade", "wide"])
def test_answers_that_say_next_to_nothing_are_read_without_trouble(kind):
    spaces, left, right, _ = pairs_of(30, np.random.default_rng(0))
    ends = {"at most": (0.0, 0.9), "at least": (0.3, np.inf), "one grade": (0.4, 0.6), "wide": (0.0, 1e6)}[kind]
    lower, upper = (np.full(30, end) for end in ends)
    said = RangedPairs(spaces, left, right, lower, upper, np.zeros(30, dtype=bool), 30)
    learnt = learn("auto", said, np.random.default_rng(0))
    estimates, uncertainties = learnt.estimate_with_uncertainty(left, right)
    assert np.isfinite(estimates).all()
    assert (uncertainties > 0.0).all()
    if kind == "one grade":
        assert ((estimates > 0.35) & (estimates < 0.65)).all()
