"""Held-out questions without an answer: experts skip what is hard, so that answers look better than estimates are.

In these worlds, a quarter of all elements on the left are hard: no column tells how dissimilar they are to others, and
experts leave every pair with one of them unanswered. The truth is known for every pair.

Power: if unanswered questions were left out of what is said of all pairs, the tolerance would be false in 40 of 40
fits, intervals at 65 % would cover 50 %, p-values up to 0.2 would come up in 35 % of pairs of which the hypothesis is
true, and the stopping rule would stop on a false claim every time.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.linear_model import Ridge

import commensurate as cm

HARD, FITS, BETWEEN = 0.25, 40, ("a", "b")
# within what is said of easy pairs, few hard ones are
EASY_ERROR = 0.02


def is_hard(left):
    return left[:, 0] % 0.01 < HARD * 0.01


def dissimilarity(left, right):
    erratic = 1.0 + 3.0 * ((1e6 * left[:, 0] + 1e6 * right[:, 0]) % 1.0)
    easy = 1.0 + 0.5 * left[:, 0] + 0.3 * right[:, 0] + EASY_ERROR * np.sin(1e4 * left[:, 0])
    return np.where(is_hard(left), erratic, easy)


def answered_where_easy(left, right, between):
    return np.where(is_hard(left), np.nan, dissimilarity(left, right))


def fitted(seed, budget=300, calibration=0.4, **parameters):
    rng = np.random.default_rng([seed, 4])
    groups = {name: rng.random((500, 1)) for name in BETWEEN}
    est = cm.BudgetedSimilarity(
        budget=budget, calibration=calibration, learner=Ridge(), answer_error="noise", random_state=seed, **parameters
    )
    return est, groups


@pytest.fixture(scope="module", params=["oracle", "answers to a plan"])
def models(request):
    """Fit where hard pairs have no answer: NaN from an oracle, or not listed among the answers to a plan."""
    found = []
    for seed in range(FITS):
        est, groups = fitted(seed)
        if request.param == "oracle":
            found.append(est.fit(groups, answered_where_easy))
            continue
        plan = est.plan(groups)
        (block,) = plan.blocks
        values = answered_where_easy(block.left.points, block.right.points, BETWEEN)
        given = {block.question_id(k, k): values[k] for k in np.flatnonzero(~np.isnan(values)).tolist()}
        found.append(est.fit(plan=plan, answers=given))
    return found


@pytest.fixture(scope="module")
def random_pairs():
    left, right = np.random.default_rng(9).random((2, 4000, 1))
    return left, right, dissimilarity(left, right)


def share_within(model, pairs, tolerance, of=None):
    left, right, truth = pairs
    off = np.abs(model.predict(left, right) - truth)
    return np.mean(off[of] <= tolerance) if of is not None else np.mean(off <= tolerance)


@pytest.mark.parametrize("share", [0.6, 0.9])
def test_the_tolerance_holds_for_all_pairs_though_hard_ones_have_no_answer(models, random_pairs, share):
    tolerances = [model.guarantee(share=share).pairs[0].tolerance for model in models]
    false = [share_within(model, random_pairs, t) < share for model, t in zip(models, tolerances)]
    # 5 % of 40 are expected at most; 6 and more come by chance in 1 case of 70
    assert sum(false) <= 5
    # for a share that can be reached something is said all the same
    assert np.mean(np.isfinite(tolerances)) >= (0.8 if share == 0.6 else 0.0)


def test_what_is_said_of_pairs_that_experts_can_judge_holds_for_them(models, random_pairs):
    easy = ~is_hard(random_pairs[0])
    false = [
        share_within(model, random_pairs, model.guarantee().pairs[0].judgeable.tolerance, of=easy) < 0.9
        for model in models
    ]
    assert sum(false) <= 5
    assert np.mean([model.guarantee().pairs[0].judgeable.tolerance for model in models]) < 2.0 * EASY_ERROR


def test_calibrated_intervals_cover_all_pairs_though_hard_ones_have_no_answer(models, random_pairs):
    left, right, truth = random_pairs
    covered, finite = [], []
    with warnings.catch_warnings(action="ignore", category=cm.errors.TooFewAnswers):
        for level in (0.65, 0.8):
            ends = [
                model.predict_interval(left, right, interval="calibrated", confidence_level=level) for model in models
            ]
            covered.append(np.mean([np.mean((low <= truth) & (truth <= high)) for low, high in ends]))
            finite.append(np.mean([np.isfinite(high).all() for _, high in ends]))
    # with 119 held-out questions a mean over 40 calibrations is off by less than 0.02
    assert covered[0] >= 0.65 - 0.02
    assert covered[1] >= 0.8
    assert finite == [1.0, pytest.approx(0.0, abs=0.1)]


def test_intervals_that_leave_them_out_cover_pairs_that_experts_can_judge_and_say_so(models, random_pairs):
    left, right, truth = random_pairs
    easy, covered = ~is_hard(left), []
    for model in models:
        model.set_params(unanswered="excluded").update([])
        low, high = model.predict_interval(left[easy], right[easy], interval="calibrated")
        covered.append(np.mean((low <= truth[easy]) & (truth[easy] <= high)))
        assert "that experts can judge" in str(model.population_)
        model.set_params(unanswered="misses").update([])
    assert 0.94 <= np.mean(covered) <= 0.98


def test_p_values_hold_for_all_pairs(models, random_pairs):
    left, right, truth = random_pairs
    # the hypothesis is true of every pair: it is at least as dissimilar as it is
    shares = [np.mean(model.p_values(left, right, truth, BETWEEN) <= 0.2) for model in models]
    assert np.mean(shares) <= 0.2


def test_the_stopping_rule_does_not_stop_on_pairs_that_were_easy(models, random_pairs):
    easy = ~is_hard(random_pairs[0])
    for model in models:
        look = cm.StopRule(share=0.9, tolerance=2.0 * EASY_ERROR).look(model)
        assert share_within(model, random_pairs, 2.0 * EASY_ERROR) < 0.9
        assert not look.stop
        assert look.judgeable_stop
        assert share_within(model, random_pairs, 2.0 * EASY_ERROR, of=easy) >= 0.9
