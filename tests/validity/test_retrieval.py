"""Intervals of nearest and of matched pairs, in worlds where the dissimilarity is known:
certified ones hold for all of them.
"""

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from commensurate.applications.retrieval.matching import match_one_to_one
from commensurate.applications.retrieval.neighbors import neighbors
from worlds.audit_worlds import Recorder, World, unfitted

ROUNDING = 1e-9
CASES = [
    ("naive", "proxy"),
    ("naive", "certified"),
    ("cluster", "proxy"),
    ("cluster", "certified"),
    ("budgeted", "certified"),
]


def fitted_worlds(name, error, symmetric):
    for seed in (0, 1):
        world = World.draw(seed, "abc", symmetric)
        budget = {"budget": 150} if name == "budgeted" else {}
        est = unfitted(name, seed, symmetric=symmetric, answer_error=error, **budget)
        est.fit(world.people(40, seed), Recorder(world.sigma, error, seed))
        yield world, est, world.people(25, seed + 1000)


def true_matrix(world, left, right, between):
    every = np.repeat(left, len(right), axis=0), np.tile(right, (len(left), 1))
    return world.sigma(*every, between).reshape(len(left), len(right))


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("error", [0.0, 0.05])
@pytest.mark.parametrize(("name", "kind"), CASES)
def test_certified_intervals_hold_for_nearest_and_matched_pairs_and_bound_the_best_total(name, kind, error, symmetric):
    informative = 0
    for world, est, people in fitted_worlds(name, error, symmetric):
        for between in (("a", "b"), ("b", "a"), ("c", "b")):
            left, right = (people[group] for group in between)
            right = right[:20]  # unequal sides
            truth = true_matrix(world, left, right, between)
            found = neighbors(est, left, right, 5, between=between, interval=kind)
            matching = match_one_to_one(est, left, right, between=between, interval=kind)
            for table in (found, matching.pairs):
                sigma = truth[table["left"], table["right"]]
                assert (table["lower"] <= sigma + ROUNDING).all()
                assert (sigma <= table["upper"] + ROUNDING).all()
                informative += int((table["lower"] > 0.0).sum())
            lower, upper = matching.optimum_bounds
            best = truth[linear_sum_assignment(truth)].sum()
            own = truth[matching.pairs["left"], matching.pairs["right"]].sum()
            assert lower - ROUNDING <= best <= own <= upper + ROUNDING
    # the claim is empty where every lower end is 0
    assert informative > 0


def test_the_bounds_of_the_best_total_are_reached():
    """With σ as near to an end of its intervals as M1 and M2 allow, neither bound could be any tighter."""
    points = {"a": np.array([[0.0], [10.0]]), "b": np.array([[0.0], [10.0]])}
    A, B = np.array([[0.5], [10.5]]), np.array([[0.25], [10.25]])

    def nearest_ends(x):
        return np.round(x / 10.0) * 10.0

    for sign, end in ((1.0, 1), (-1.0, 0)):

        def sigma(left, right, between, sign=sign):
            away = np.abs(left - nearest_ends(left)) + np.abs(right - nearest_ends(right))
            return (5.0 + sign * away)[:, 0]

        est = unfitted("naive").fit(points, sigma)
        truth = true_matrix_of(sigma, A, B)
        found = match_one_to_one(est, A, B)
        assert found.optimum_bounds[end] == pytest.approx(truth[linear_sum_assignment(truth)].sum())


def true_matrix_of(sigma, left, right):
    every = np.repeat(left, len(right), axis=0), np.tile(right, (len(left), 1))
    return sigma(*every, ("a", "b")).reshape(len(left), len(right))
