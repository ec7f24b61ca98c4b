"""Calibrated intervals of pairs that were chosen: nearest, matched, or selected by their estimates.

Every test measures intervals of random pairs on the same chosen pairs, too, which must fail: else the world would not
notice if the choice were ignored. A mean over all chosen pairs has a standard error of about 1 % here.
"""

import warnings
from dataclasses import dataclass, field

import numpy as np
import pytest

from commensurate.applications.retrieval.matching import match_one_to_one
from commensurate.applications.retrieval.neighbors import neighbors
from commensurate.errors import TooFewAnswers
from worlds.unseen_difference import elements, fitted, sigma, truth_of

LEVEL, ENOUGH, TOO_FEW = 0.95, 0.94, 0.91
# about a fifth of all estimates are so small
NEAR = 0.75


@dataclass
class Covered:
    """Which chosen pairs are covered by their own intervals, which of these are finite, and what random pairs' say."""

    own: list = field(default_factory=list)
    finite: list = field(default_factory=list)
    of_random_pairs: list = field(default_factory=list)

    def add(self, est, A, B, pairs):
        truth = truth_of(pairs, A, B)
        self.own.extend((pairs["lower"] <= truth) & (truth <= pairs["upper"]))
        self.finite.extend(np.isfinite(pairs["upper"]))
        lower, upper = est.predict_interval(A[pairs["left"]], B[pairs["right"]], interval="calibrated")
        self.of_random_pairs.extend((lower <= truth) & (truth <= upper))

    def check(self, least_finite):
        own, finite = np.array(self.own), np.array(self.finite)
        assert finite.mean() >= least_finite
        assert own.mean() >= ENOUGH
        assert own[finite].mean() >= ENOUGH
        # infinite would hold too
        assert own[finite].mean() <= 0.985
        assert np.mean(self.of_random_pairs) <= TOO_FEW


def searched(search, seeds, least_finite, **options):
    covered = Covered()
    for seed in seeds:
        est, _, rng = fitted(seed, **options)
        A, B = elements(20, rng), elements(20, rng)
        with warnings.catch_warnings(action="ignore", category=TooFewAnswers):
            covered.add(est, A, B, search(est, A, B))
    covered.check(least_finite)


def test_intervals_of_nearest_pairs_hold_for_nearest_pairs():
    searched(lambda est, A, B: neighbors(est, A, B, 2, interval="calibrated"), range(60), 0.8)


def test_intervals_of_nearest_pairs_hold_whichever_group_is_asked_about():
    def backwards(est, A, B):
        found = neighbors(est, B, A, 2, between=("b", "a"), interval="calibrated")
        return found.rename(columns={"left": "right", "right": "left"})

    searched(backwards, range(100, 150), 0.8)


def test_finite_intervals_hold_alone_where_half_of_them_are_infinite():
    """19 of the 20 or so held-out pairs that would be chosen are just enough, now and then."""
    searched(lambda est, A, B: neighbors(est, A, B, 1, interval="calibrated"), range(200, 320), 0.2)


@pytest.mark.parametrize("sizes", [(12, 12), (12, 8), (8, 12)])
def test_intervals_of_matched_pairs_hold_for_matched_pairs(sizes):
    def matched(est, A, B):
        return match_one_to_one(est, A[: sizes[0]], B[: sizes[1]], interval="calibrated").pairs

    searched(matched, range(300, 380), 0.8)


@pytest.mark.parametrize(("search", "level"), [("nearest", LEVEL), ("matched", 0.8)])
def test_among_the_elements_asked_about_the_claim_is_about_pairs_of_these(search, level):
    """Held-out pairs among those chosen are a random sample of these; pairs that were learnt from are not meant."""
    covered = Covered()
    for seed in range(100):
        est, groups, _ = fitted(seed, claim="pairs of these elements", rows=40, budget=600)
        A, B = groups["a"], groups["b"]
        with warnings.catch_warnings(action="ignore", category=TooFewAnswers):
            if search == "nearest":
                pairs = neighbors(est, A, B, 3, interval="calibrated", confidence_level=level)
            else:
                pairs = match_one_to_one(est, A, B, interval="calibrated", confidence_level=level).pairs
        asked = set(zip(*(rows.tolist() for rows in est.plan_.by_pair["a", "b"].rows)))
        covered.add(est, A, B, pairs[[pair not in asked for pair in zip(pairs["left"], pairs["right"])]])
    own, finite = np.array(covered.own), np.array(covered.finite)
    assert finite.mean() >= 0.8
    assert level - 0.01 <= own[finite].mean() <= level + 0.05
    assert np.mean(covered.of_random_pairs) <= TOO_FEW


@pytest.mark.parametrize("claim", ["new elements", "pairs of these elements"])
def test_intervals_of_pairs_selected_by_their_estimates_hold_for_these(claim):
    own, of_random_pairs = [], []
    for seed in range(40):
        est, groups, rng = fitted(seed, claim=claim)
        if claim == "new elements":
            left, right = elements(800, rng), elements(800, rng)
        else:
            # of 640,000 pairs, 400 were asked about: hardly any of these are among them
            left, right = (rng.permutation(groups[name]) for name in ("a", "b"))
        chosen = est.predict(left, right) <= NEAR
        left, right, truth = left[chosen], right[chosen], sigma(left[chosen], right[chosen])
        lower, upper = est.predict_interval(
            left, right, interval="calibrated", selected_by=lambda estimate: estimate <= NEAR
        )
        assert np.isfinite(upper).all()
        own.append(np.mean((lower <= truth) & (truth <= upper)))
        lower, upper = est.predict_interval(left, right, interval="calibrated")
        of_random_pairs.append(np.mean((lower <= truth) & (truth <= upper)))
    assert ENOUGH <= np.mean(own) <= 0.985
    assert np.mean(of_random_pairs) <= TOO_FEW
