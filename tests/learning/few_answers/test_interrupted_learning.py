"""Answers that came but were not learnt from yet: what is said rests on what was learnt, and the next try learns."""

import numpy as np
import pytest

import commensurate as cm
from commensurate.errors import InvalidInput, InvalidParameter
from commensurate.report.model.page import render_model
from worlds.few_answers import POINTS, A, B, answers_to, budgeted, sigma
from worlds.page_reader import Reader


@pytest.fixture
def interrupted(monkeypatch):
    """An estimator that learnt from 48 answers, 8 of whose 10 further ones came before learning was interrupted."""
    est = budgeted().fit(POINTS, sigma)
    more = est.extend(10).questions
    with monkeypatch.context() as patch:
        patch.setattr("commensurate.learning.few_answers.estimator.learn_pairs", _interrupt)
        with pytest.raises(KeyboardInterrupt):
            est.update(answers_to(more))
    assert est.n_questions_ == 70
    assert est.models_["a", "b"].n_answers == 48
    return est, more


def _interrupt(*_):
    raise KeyboardInterrupt


def test_counts_are_of_what_was_learnt_from(interrupted):
    est, _ = interrupted
    (pair,) = est.guarantee().pairs
    assert (pair.n_training, pair.n_held_out, pair.n_waiting) == (48, 14, 8)
    assert "learnt from the answers to 48 questions and tested on the answers to 14 others" in str(est.guarantee())
    assert "The model has not learnt from 8 further answers yet; call update([])." in str(est.guarantee())
    page = Reader(render_model(est, est.guarantee(), provenance={})).text
    assert "has not learnt from 8 further answers yet" in page


def test_estimates_and_explanations_rest_on_what_was_learnt_from(interrupted):
    est, _ = interrupted
    np.testing.assert_array_equal(est.predict(A, B), budgeted().fit(POINTS, sigma).predict(A, B))
    found = est.explain(A[0], B[0], nearest=48)
    assert len(found.nearest) == 48
    assert found.base + found.nearest["contribution"].sum() == pytest.approx(
        est.models_["a", "b"].estimate_with_uncertainty(A[:1], B[:1])[0][0]
    )
    lower, upper = est.predict_interval(A, B, interval="cv+", confidence_level=0.8)
    assert (lower <= upper).all()


@pytest.mark.parametrize("again", ["the same file", "nothing", "resume"])
def test_the_next_try_learns(interrupted, again):
    est, more = interrupted
    if again == "resume":
        est.resume(sigma)
    else:
        est.update(answers_to(more) if again == "the same file" else [], skip_known=True)
    assert est.models_["a", "b"].n_answers == 56
    assert est.guarantee().pairs[0].n_waiting == 0
    assert est.n_questions_ == 70


def test_learning_again_from_the_same_answers_changes_nothing_and_costs_no_look():
    est = budgeted(budget=200, claim="pairs of these elements").fit(POINTS, sigma)
    before, rule = est.models_["a", "b"], cm.StopRule(tolerance=0.5)
    look = rule.look(est)
    assert look.number == 1
    est.update([])
    est.resume()
    assert est.models_["a", "b"] is before
    assert rule.look(est) is look


def test_a_further_answer_to_a_held_out_question_is_not_learnt_from():
    est = budgeted(answer_error="noise").fit(POINTS, sigma)
    before = est.models_["a", "b"]
    held_out = [q for q, kept in zip(est.plan_.questions, est.plan_.by_pair["a", "b"].held_out) if kept]
    est.update({held_out[0].question_id: 0.7})
    assert est.models_["a", "b"] is before


@pytest.mark.slow
def test_another_learner_learns_from_the_same_answers():
    est = budgeted().fit(POINTS, sigma)
    before = est.models_["a", "b"]
    est.set_params(learner="auto-free").update([])
    assert est.models_["a", "b"] is not before


def test_a_plan_that_the_learner_cannot_learn_from_is_refused_before_anyone_is_asked(monkeypatch):
    monkeypatch.setattr("commensurate.learning.few_answers.limits.most_answers", lambda learner: 40)
    plan = budgeted(budget=40).plan(POINTS)
    est = budgeted(budget=40, learner="gp").fit(plan=plan, oracle=sigma)
    monkeypatch.setattr("commensurate.learning.few_answers.limits.most_answers", lambda learner: 20)
    with pytest.raises(InvalidParameter, match="learns from at most 20 answers"):
        budgeted(budget=40).fit(plan=plan, oracle=_interrupt)
    with pytest.raises(InvalidParameter, match="there would be 36"):
        est.extend(5)
    assert len(est.plan_.questions) == 40


def test_further_questions_about_no_pair_of_groups_are_more_than_can_be_learnt_from(monkeypatch):
    groups = {**POINTS, "c": POINTS["a"][:70] * 3.0}
    est = budgeted(budget=120).fit(groups, lambda left, right, between: left[:, 0] * (between == ("a", "b")))
    most = max(int((~part.held_out).sum()) for part in est.plan_.by_pair.values()) + 4
    monkeypatch.setattr("commensurate.learning.few_answers.limits.most_answers", lambda learner: most)
    with pytest.raises(InvalidParameter, match=f"at most {most} answers"):
        est.extend(30)
    assert len(est.plan_.questions) == 120


def test_a_plan_with_pairs_asked_twice_is_refused_where_answers_are_exact():
    few = {name: points[:8] for name, points in POINTS.items()}
    plan = budgeted(budget=40, answer_error="noise").plan(few)
    with pytest.raises(InvalidParameter, match="are too many: .* only 16 different pairs"):
        budgeted(budget=40).fit(plan=plan, oracle=_interrupt)


def test_two_answers_are_too_few_for_a_fold_to_be_left_out():
    est = budgeted(budget=4, calibration=0.5).fit(POINTS, sigma)
    with pytest.raises(InvalidInput, match=r"interval='cv\+' needs at least 3 answers to learn from, .* got 2"):
        est.predict_interval(A, B, interval="cv+", confidence_level=0.5)
