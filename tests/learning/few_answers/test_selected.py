"""Intervals of pairs that a rule selects by their estimates, and what such a rule is shown."""

import numpy as np
import pytest

from commensurate.errors import InvalidInput, TooFewAnswers
from commensurate.guarantees.conformal import conformal_quantile, conformal_rank
from worlds.few_answers import POINTS, A, B, budgeted, sigma


@pytest.fixture(scope="module")
def fitted():
    return budgeted(budget=200, calibration=0.5).fit(POINTS, sigma)


def test_an_interval_rests_on_the_held_out_pairs_that_the_rule_selects(fitted):
    near = fitted.predict(A, B) <= 0.5
    left, right = A[near], B[near]
    lower, upper = fitted.predict_interval(
        left, right, interval="calibrated", confidence_level=0.8, selected_by=lambda estimate: estimate <= 0.5
    )
    held_out = fitted.held_out_pairs()
    scores = held_out.scores[held_out.estimates <= 0.5]
    assert 4 <= len(scores) < len(held_out)
    factor = conformal_quantile(scores, conformal_rank(len(scores), 0.8))
    expected = fitted.bounds_reaching(np.full(len(left), factor), left, right)
    np.testing.assert_array_equal(lower, expected[0])
    np.testing.assert_array_equal(upper, expected[1])


@pytest.mark.parametrize("interval", ["calibrated", "intersection", "envelope"])
def test_a_rule_that_selects_everything_changes_nothing(fitted, interval):
    plain = fitted.predict_interval(A, B, interval=interval)
    for one, other in zip(plain, fitted.predict_interval(A, B, interval=interval, selected_by=lambda estimate: True)):
        np.testing.assert_array_equal(one, other)


def test_a_rule_sees_one_estimate_at_a_time(fitted):
    shown = []
    fitted.predict_interval(A, B, interval="calibrated", selected_by=lambda estimate: shown.append(estimate) is None)
    assert {type(estimate) for estimate in shown} == {float}


def test_pairs_that_the_rule_does_not_select_are_refused(fitted):
    estimates = fitted.predict(A, B)
    limit = float(np.median(estimates))
    with pytest.raises(
        InvalidInput, match="it does not select 30 of 60: the first is pair .*; pass only pairs that it"
    ):
        fitted.predict_interval(A, B, interval="calibrated", selected_by=lambda estimate: estimate <= limit)


def test_too_few_such_held_out_answers_are_told_with_how_many_it_takes(fitted):
    # so near are hardly any
    nearest = np.argsort(fitted.predict(A, B))[:2]
    limit = float(fitted.predict(A, B)[nearest].max())
    near = fitted.held_out_pairs().estimates <= limit
    with pytest.warns(TooFewAnswers, match="held-out answers about pairs selected in this way") as caught:
        _, upper = fitted.predict_interval(
            A[nearest], B[nearest], interval="calibrated", selected_by=lambda estimate: estimate <= limit
        )
    assert np.isinf(upper).all()
    assert caught[0].filename == __file__
    assert f"{near.sum()} of {len(near)}" in str(caught[0].message)


def test_envelopes_may_speak_of_this_calibration_too(fitted):
    lower, upper = fitted.predict_interval(A, B, interval="envelope", confidence_level=0.8, calibration_confidence=0.9)
    least, most = fitted.predict_interval(A, B, interval="envelope", confidence_level=0.8)
    assert (lower <= least).all()
    assert (upper >= most).all()
