import numpy as np
import pytest

from commensurate.guarantees.contradictions.estimated_answers import EstimatedAnswers


def answers_with(errors, estimates=None, every=5):
    estimates = np.full(len(errors), 2.0) if estimates is None else estimates
    values = estimates + errors
    return EstimatedAnswers(values, values, estimates, np.arange(len(errors)) % every == 0, len(errors))


def estimates(n=500):
    return np.random.default_rng(0).uniform(0.1, 4.0, n)


def test_errors_in_proportion_to_the_estimates_are_recognised():
    around = estimates()
    noise = np.random.default_rng(1).normal(size=500)
    one_size = answers_with(0.1 * noise, around).scales
    growing = answers_with(0.1 * noise * around, around).scales
    assert one_size.max() / one_size.min() < 1.5
    assert growing.max() / growing.min() > 5.0


def test_a_gross_answer_learnt_from_changes_the_scales_of_no_other():
    around, noise = estimates(), 0.1 * np.random.default_rng(1).normal(size=500)
    usual = answers_with(noise, around).scales
    # the estimate follows the answer half the way
    around[7], noise[7] = 50.0, 50.0
    gross = answers_with(noise, around).scales
    np.testing.assert_allclose(np.delete(gross, 7), np.delete(usual, 7), rtol=0.1)
    assert gross[7] <= 1.001 * gross[::5].max(), "no scale is beyond that of held-out answers"


def test_what_is_allowed_follows_the_unit_of_the_answers():
    noise = np.random.default_rng(1).normal(size=100)
    around = estimates(100)
    small, large = answers_with(noise, around), answers_with(7.0 * noise, 7.0 * around)
    assert 7.0 * small.allowed(0.05) == pytest.approx(large.allowed(0.05))


def test_a_few_gross_held_out_answers_do_not_change_what_is_allowed_by_much():
    noise = np.random.default_rng(1).normal(size=100)
    usual = answers_with(noise).allowed(0.05)
    noise[[0, 5]] = 1000.0
    assert usual <= answers_with(noise).allowed(0.05) < 2.0 * usual


def test_rounded_answers_that_are_met_exactly_are_not_without_errors():
    errors = np.zeros(50)
    errors[3] = 0.1
    # half a step, as if the next answer might as well be one step off
    assert answers_with(errors).allowed(0.05) > 10 * 0.05


def test_the_same_answer_to_everything_leaves_nothing_to_allow_for():
    assert answers_with(np.zeros(50)).allowed(0.05) == 0.0


@pytest.mark.parametrize("around", [0.0, -1.0])
def test_estimates_that_are_not_positive_give_equal_scales(around):
    noise = np.random.default_rng(1).normal(size=50)
    np.testing.assert_array_equal(answers_with(noise, np.full(50, around)).scales, 1.0)
    np.testing.assert_array_equal(answers_with(noise, every=1).scales, 1.0)
