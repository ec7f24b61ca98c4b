"""Weighted intervals cover what they promise for records of another kind; those without weights do not.

Errors grow with the first column of either side, and the records to come are shifted by one standard deviation on the
left and by half of one on the right: the true weights are known.
"""

import numpy as np

from commensurate.groups.group import elements_of
from commensurate.guarantees.conformal import conformal_quantile, conformal_rank
from commensurate.guarantees.weighted_conformal import weighted_quantiles
from commensurate.learning.like_weights import FrequencyRatio

LEVEL, N, N_NEW = 0.95, 79, 400
SHIFTS = (1.0, 0.5)
SPACE = elements_of({"a": np.eye(3), "b": np.eye(3)})[0].space


def records(n, shifts, rng):
    return [rng.standard_normal((n, 3)) + np.array([shift, 0.0, 0.0]) for shift in shifts]


def scores_of(sides, rng):
    left, right = sides
    return np.abs(rng.standard_normal(len(left))) * np.exp(0.5 * left[:, 0] + 0.3 * right[:, 0])


def weight(sides, ratios):
    return np.prod([ratio(points) for ratio, points in zip(ratios, sides)], axis=0)


def true_ratios():
    return [lambda points, s=shift: np.exp(s * points[:, 0] - s * s / 2) for shift in SHIFTS]


def estimated_ratios(rng):
    asked, new = records(4 * N, (0.0, 0.0), rng), records(500, SHIFTS, rng)
    return [FrequencyRatio.learn(SPACE, *each).of for each in zip(asked, new)]


def covered(ratios_of, n_draws, shifts=SHIFTS):
    """Return the mean coverage, and the share of infinite intervals."""
    found = []
    for draw in range(n_draws):
        rng = np.random.default_rng(draw)
        held_out, new = records(N, (0.0, 0.0), rng), records(N_NEW, shifts, rng)
        scores, truth = scores_of(held_out, rng), scores_of(new, rng)
        if ratios_of is None:
            reach = np.full(N_NEW, conformal_quantile(scores, conformal_rank(N, LEVEL)))
        else:
            ratios = ratios_of(rng)
            reach = weighted_quantiles(scores, weight(held_out, ratios), weight(new, ratios), LEVEL)
        found.append(((truth <= reach).mean(), np.isinf(reach).mean()))
    return np.mean(found, axis=0)


def test_without_weights_far_too_few_are_covered():
    assert covered(None, 150)[0] < 0.85


def test_true_weights_cover_what_they_promise_and_most_intervals_are_finite():
    coverage, infinite = covered(lambda rng: true_ratios(), 150)
    assert coverage >= LEVEL
    assert infinite < 0.5


def test_weights_that_are_too_even_do_not():
    # the power of the test before: where only a third of the logarithm of each ratio is known, too few are covered
    even = [lambda points, r=ratio: r(points) ** 0.33 for ratio in true_ratios()]
    assert covered(lambda rng: even, 150)[0] < LEVEL - 0.01


def test_estimated_weights_cover_about_as_many():
    assert covered(estimated_ratios, 20)[0] >= LEVEL - 0.01
