"""Answers that are far from all others count as nearer where that helps, and only there."""

from dataclasses import replace

import numpy as np
import pytest

import commensurate as cm
from commensurate.geometry.metrics import metric_named
from commensurate.groups.elements import Space
from commensurate.learning.regression.auto import learn_auto
from commensurate.learning.regression.outliers import FAR, NEAREST_FAR, far_moved_nearer, is_worth_it
from commensurate.learning.regression.regression import AnsweredPairs


def drawn(n=120, *, slips=0, noise=0.05, sigma=lambda x, y: np.abs(x[:, 0] - y[:, 0])):
    rng = np.random.default_rng(0)
    left, right = rng.random((2, n, 2))
    answers = np.maximum(0.0, sigma(left, right) + noise * rng.normal(size=n))
    answers[:slips] += 50.0
    spaces = tuple(Space(name, metric_named("euclidean", left), ("x0", "x1")) for name in "ab")
    return AnsweredPairs(spaces, left, right, answers, np.ones(n))


def test_answers_near_what_others_suggest_stay_as_they_are():
    answers = np.random.default_rng(0).normal(size=100)
    assert far_moved_nearer(answers, np.zeros((3, 100))) is None


def test_a_far_answer_is_moved_as_near_as_an_unusual_one():
    off = np.random.default_rng(0).normal(size=100)
    off[7] = 100.0
    moved = far_moved_nearer(5.0 + off, np.full((3, 100), 5.0))
    assert 5.0 < moved[7] < 5.0 + 1.5 * NEAREST_FAR
    usual = np.abs(off) < 2.0
    np.testing.assert_array_equal(moved[usual], 5.0 + off[usual])


def test_answers_of_which_most_are_predicted_exactly_are_never_moved():
    answers = np.zeros(20)
    answers[:3] = 1.0
    assert far_moved_nearer(answers, np.zeros((1, 20))) is None


def test_moving_is_worth_it_only_if_usual_answers_are_predicted_better():
    answers = np.random.default_rng(0).normal(size=100)
    answers[0] = 10.0 * FAR
    before, better = np.full((1, 100), 1.0), np.zeros((1, 100))
    assert is_worth_it(answers, before, better)
    assert not is_worth_it(answers, before, before)


def test_a_few_slips_of_the_pen_hardly_change_what_is_learnt_and_are_named():
    new = np.random.default_rng(1).random((2, 500, 2))
    truth = np.abs(new[0][:, 0] - new[1][:, 0])
    clean, slipped = (learn_auto(drawn(slips=slips), np.random.default_rng(0)) for slips in (0, 4))
    errors = [float(np.abs(one.estimate(*new) - truth).mean()) for one in (clean, slipped)]
    assert errors[1] < 2.0 * errors[0] < 0.1
    assert len(clean.far_answers) == 0
    assert set(range(4)) <= set(slipped.far_answers)


def test_exact_answers_that_surprise_are_learnt_from_as_they_are():
    def cliff(x, y):
        return 10.0 * (np.abs(x[:, 0] - y[:, 0]) > 0.6)

    assert len(learn_auto(drawn(noise=0.0, sigma=cliff), np.random.default_rng(0)).far_answers) == 0


def test_a_slip_in_a_pair_that_was_answered_twice_does_not_pass_for_noise():
    pairs = drawn(slips=1)
    twice = AnsweredPairs(
        pairs.spaces,
        np.vstack([pairs.left, pairs.left[:10]]),
        np.vstack([pairs.right, pairs.right[:10]]),
        np.concatenate([pairs.answers, pairs.answers[:10] % 50.0 + 0.03]),
        np.ones(130),
    )
    learnt = learn_auto(twice, np.random.default_rng(0))
    assert 0 in learnt.far_answers
    assert learnt.noise < 0.2


def test_where_answers_are_known_to_be_off_by_no_more_than_a_bound_none_is_a_slip():
    assert len(learn_auto(replace(drawn(slips=4), bounded=True), np.random.default_rng(0)).far_answers) == 0


@pytest.fixture(scope="module")
def slipped():
    rng = np.random.default_rng(0)
    groups = {name: rng.random((150, 2)) for name in "ab"}
    slips = iter([True] * 5)

    def expert(left, right, between):
        answers = np.abs(left[:, 0] - right[:, 0]) + 0.02 * rng.normal(size=len(left))
        return np.maximum(0.0, answers) + 50.0 * np.array([next(slips, False) for _ in answers])

    return cm.BudgetedSimilarity(budget=100, calibration=0.2, random_state=0).fit(groups, expert)


def test_the_guarantee_names_far_answers_and_they_are_kept(slipped):
    far = slipped.guarantee().pairs[0].far_answers
    assert far
    assert f"({far[0][0]}, {far[0][1]})" in str(slipped.guarantee())
    assert (slipped.logs_["a", "b"].answered().means > 40.0).sum() == 5


def test_a_stored_model_knows_which_answers_it_took_for_nearer(slipped, tmp_path):
    slipped.save(tmp_path / "model.cmz")
    loaded = cm.load(tmp_path / "model.cmz")
    assert loaded.guarantee().pairs[0].far_answers == slipped.guarantee().pairs[0].far_answers
    new = np.random.default_rng(5).random((2, 50, 2))
    np.testing.assert_array_equal(loaded.predict(*new), slipped.predict(*new))
