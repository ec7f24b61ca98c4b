"""Intersections of intervals, and what held-out answers outside of an envelope are taken to show."""

import numpy as np

from commensurate.guarantees.envelope import EnvelopeFit, excess, intersection


def fit_of(answers, *, answer_error=0.0, granted=0.0, share=0.9):
    answers = np.asarray(answers, dtype=float)
    envelope = np.ones(len(answers)), np.full(len(answers), 2.0)
    options = {"granted": granted, "answer_error": answer_error, "share": share, "confidence_level": 0.95}
    return EnvelopeFit.of(("a", "b"), (answers, answers), envelope, **options)


def test_an_intersection_lies_in_both_and_is_widened_by_the_error_of_an_answer():
    calibrated, certified = (np.array([1.0]), np.array([2.0])), (np.array([0.0]), np.array([1.8]))
    assert [float(end[0]) for end in intersection(calibrated, certified, 0.0)] == [1.0, 1.8]
    assert [float(end[0]) for end in intersection(calibrated, certified, 0.25)] == [0.75, 1.8]


def test_an_infinite_calibrated_interval_leaves_the_certified_one():
    lower, upper = intersection((np.array([0.0]), np.array([np.inf])), (np.array([0.5]), np.array([3.0])), 0.0)
    assert (lower[0], upper[0]) == (0.5, 3.0)


def test_the_excess_is_the_distance_from_the_envelope():
    numbers = np.array([0.0, 1.5, 2.5])
    np.testing.assert_array_equal(excess((numbers, numbers), (np.ones(3), np.full(3, 2.0))), [1.0, 0.0, 0.5])


def test_answers_inside_prove_nothing_and_the_width_is_told():
    told = str(fit_of(np.linspace(1.0, 2.0, 59)))
    assert "all 59 held-out answers lie within" in told
    assert "does not prove M1 and M2: what they allow is 1 wide on average" in told


def test_an_answer_outside_refutes_something_and_the_share_and_the_tolerance_allow_for_it():
    found = fit_of([*np.full(58, 1.5), 2.75])
    assert found.n_outside == 1
    assert found.tolerance == 0.0
    assert fit_of([*np.full(58, 1.5), 2.75], share=0.95).tolerance == 0.75
    assert "58 of 59 held-out answers" in str(found)
    assert "shows that M1 or M2 does not hold, that a metric is wrong, or that some answer is off by more" in str(found)


def test_an_answer_may_lie_outside_by_as_much_as_it_may_be_off():
    assert fit_of([*np.full(58, 1.5), 2.2], answer_error=0.25, granted=0.25).n_outside == 0


def test_where_experts_err_an_answer_outside_need_not_refute_m1_and_m2():
    told = str(fit_of([*np.full(58, 1.5), 2.2], answer_error=None, granted=0.3))
    assert "if each of these may be off by 0.3" in told
    assert "experts who err give such answers even where M1 and M2 hold" in told


def test_too_few_answers_are_told():
    assert "before 29 answers are held out" in str(fit_of(np.full(10, 1.5)))
    assert "no answer was held out" in str(fit_of([]))
