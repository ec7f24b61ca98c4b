"""Conformal p-values: small for a pair that is as dissimilar as claimed no more often than they say."""

import numpy as np
import pytest

from commensurate.errors import InvalidInput, InvalidParameter
from commensurate.learning.few_answers.answer_log import Ends
from commensurate.learning.few_answers.intervals.calibration import Calibration
from worlds.few_answers import POINTS, A, B, budgeted, sigma


def test_a_p_value_counts_the_held_out_answers_that_exceeded_their_estimates_by_as_much():
    answers = np.array([1.0, 2.0, 3.0])
    calibration = Calibration(Ends(answers, answers), np.array([1.0, 1.0, 1.0]), np.array([1.0, 1.0, 2.0]))
    # in units of their uncertainty the answers exceeded the estimates by 0, 1 and 1
    p_values = calibration.p_values(np.zeros(4), np.ones(4), np.array([-1.0, 0.0, 1.0, 1.5]))
    assert p_values.tolist() == [1.0, 1.0, 0.75, 0.25]


def test_without_held_out_answers_nothing_is_significant():
    nothing = Calibration(Ends(np.empty(0), np.empty(0)), np.empty(0), np.empty(0))
    assert nothing.p_values(np.zeros(1), np.ones(1), np.array([1e9])).tolist() == [1.0]


def test_p_values_of_true_hypotheses_are_small_no_more_often_than_they_say():
    rng = np.random.default_rng(0)
    n, repetitions = 39, 4000
    answers = rng.exponential(size=(repetitions, n + 1))
    p_values = np.empty(repetitions)
    for row, each in enumerate(answers):
        calibration = Calibration(Ends(each[:n], each[:n]), np.ones(n), np.ones(n))
        # the hypothesis is barely true: the pair is exactly as dissimilar as claimed
        p_values[row] = calibration.p_values(np.ones(1), np.ones(1), each[n:])[0]
    for t in (0.025, 0.05, 0.1, 0.5):
        assert np.mean(p_values <= t) == pytest.approx(t, abs=3 * np.sqrt(t * (1 - t) / repetitions))


def test_a_model_gives_them_for_pairs_across_groups_only():
    est = budgeted(calibration=0.5).fit(POINTS, sigma)
    p_values = est.p_values(A, B, np.full(60, 0.5))
    assert ((p_values > 0.0) & (p_values <= 1.0)).all()
    np.testing.assert_array_equal(est.p_values(B, A, np.full(60, 0.5), ("b", "a")), p_values)
    # the more is claimed, the less likely
    assert (est.p_values(A, B, np.full(60, 0.9)) <= p_values).all()
    with pytest.raises(InvalidParameter, match="between must name two different groups"):
        est.p_values(A, A, np.full(60, 0.5), ("a", "a"))


@pytest.mark.parametrize("at_least", [[np.nan, 0.5], [0.5], 0.5])
def test_hypotheses_are_one_number_a_pair(at_least):
    est = budgeted(calibration=0.5).fit(POINTS, sigma)
    with pytest.raises(InvalidInput, match="at_least must be 2 numbers, one per pair"):
        est.p_values(A[:2], B[:2], at_least)
