"""What is known about the errors of answers: nothing, that they are random, or a bound that the answers must fit."""

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsRegressor

import commensurate as cm
from commensurate.errors import InconsistentAnswers, InvalidParameter, MissingAnswers, NotFittedError
from commensurate.report.model.page import render_model
from worlds.few_answers import POINTS, A, B, answers_to, budgeted, sigma
from worlds.page_reader import Reader

LOOK_EXACT = "The answers look exact"


class Erring:
    """An oracle whose answers contradict each other, and who remembers how much was asked."""

    def __init__(self):
        self.rng, self.n_asked = np.random.default_rng(0), 0

    def __call__(self, left, right, between):
        self.n_asked += len(left)
        return np.maximum(sigma(left, right) + 0.3 * self.rng.normal(size=len(left)), 0.0)


def contradicting(questions):
    """Answers of which the first, to a question that may be held out or not, is far too large."""
    values = answers_to(questions)
    return {**values, next(iter(values)): 50.0}


# --- auto ---


def test_nothing_is_said_about_the_errors_of_answers_by_default():
    assert cm.BudgetedSimilarity().answer_error == "auto"
    est = budgeted(answer_error="auto").fit(POINTS, sigma)
    assert est.answer_error_ is None
    assert est.strongest_interval_ == "calibrated"
    with pytest.raises(InvalidParameter, match="and answer_error='auto' sets none; use interval='calibrated'"):
        est.predict_interval(A, B, interval="certified")


def test_auto_estimates_as_noise_does():
    plan = budgeted().plan(POINTS)
    answers = contradicting(plan.questions)
    auto, noise = (budgeted(answer_error=name).fit(plan=plan, answers=answers) for name in ("auto", "noise"))
    np.testing.assert_array_equal(auto.predict(A, B), noise.predict(A, B))
    assert auto.noise_ == noise.noise_
    assert str(auto.check_answers()) == str(noise.check_answers())


@pytest.mark.parametrize("held_out", [True, False])
def test_the_noise_is_estimated_from_the_answers_learnt_from_alone(held_out):
    plan = budgeted(answer_error="auto").plan(POINTS)
    changed = [q for q, kept in zip(plan.questions, plan.by_pair["a", "b"].held_out) if kept == held_out]
    answers = answers_to(plan.questions)
    spoilt = {**answers, **{q.question_id: 7.0 * answers[q.question_id] for q in changed[::3]}}
    one, other = (budgeted(answer_error="auto").fit(plan=plan, answers=given) for given in (answers, spoilt))
    assert (one.noise_ == other.noise_) == held_out


def test_answers_that_look_exact_are_said_to_look_so_and_no_more():
    est = budgeted(budget=150, answer_error="auto").fit(POINTS, sigma)
    said = est.guarantee()
    assert said.pairs[0].looks_exact
    assert LOOK_EXACT in str(said)
    assert "that does not prove it" in str(said)
    assert "of a new answer" in str(said)
    assert LOOK_EXACT in Reader(render_model(est, said, provenance={})).text
    certified = est.set_params(answer_error=0).update([])
    assert certified.strongest_interval_ == "certified"
    assert not certified.guarantee().pairs[0].looks_exact
    assert LOOK_EXACT not in str(certified.guarantee())


def test_of_answers_that_are_said_to_be_noisy_nobody_says_that_they_look_exact():
    assert LOOK_EXACT not in str(budgeted(answer_error="noise").fit(POINTS, sigma).guarantee())


def test_a_contradiction_or_noise_does_not_look_exact():
    plan = budgeted(budget=150, answer_error="auto").plan(POINTS)
    held_out = plan.by_pair["a", "b"].held_out
    answers = answers_to(plan.questions)
    wrong = next(q.question_id for q, kept in zip(plan.questions, held_out) if kept)
    contradictory = budgeted(budget=150, answer_error="auto").fit(plan=plan, answers={**answers, wrong: 50.0})
    assert contradictory.noise_["a", "b"] < 0.01 * np.std(list(answers.values()))
    assert LOOK_EXACT not in str(contradictory.guarantee())
    assert LOOK_EXACT not in str(budgeted(answer_error="auto").fit(POINTS, Erring()).guarantee())


def test_noise_that_a_learner_cannot_estimate_does_not_look_exact():
    est = budgeted(answer_error="auto", learner=KNeighborsRegressor(3)).fit(POINTS, sigma)
    assert np.isnan(est.noise_["a", "b"])
    assert LOOK_EXACT not in str(est.guarantee())


def test_all_pairs_of_groups_must_look_exact():
    groups = {**POINTS, "c": POINTS["a"][:70]}
    rng = np.random.default_rng(1)

    def oracle(left, right, between):
        exact = np.abs(left[:, 0] - right[:, 0]) / 2.0
        return exact + 0.2 * rng.random(len(left)) if between == ("a", "c") else exact

    said = budgeted(answer_error="auto", budget=150).fit(groups, oracle).guarantee()
    assert {pair.between: pair.looks_exact for pair in said.pairs}["a", "c"] is False
    assert LOOK_EXACT not in str(said)


def test_the_model_file_keeps_what_was_said(tmp_path):
    for said in ("auto", "noise", 0.0):
        est = budgeted(answer_error=said).fit(POINTS, sigma)
        est.save(tmp_path / "m.cmz")
        loaded = cm.load(tmp_path / "m.cmz")
        assert loaded.answer_error == said
        assert str(loaded.guarantee()) == str(est.guarantee())


# --- a bound that answers do not fit ---


@pytest.mark.parametrize("bound", [0, 0.01])
def test_contradictory_answers_are_told_by_fit_and_nobody_is_asked_again(bound):
    oracle = Erring()
    est = budgeted(budget=90, answer_error=bound)
    with pytest.raises(
        InconsistentAnswers, match=r"answer_error='noise'; if no answer is off by more than 0\.\d+, use"
    ):
        est.fit(POINTS, oracle)
    assert est.n_questions_ == oracle.n_asked == 90
    assert est.check_answers().n_contradictions > 0
    with pytest.raises(NotFittedError, match="has not learnt from them yet"):
        est.predict(A, B)
    est.set_params(answer_error="noise").update([])
    assert oracle.n_asked == 90
    assert est.predict(A, B).shape == (60,)
    est.set_params(answer_error=5.0).update([])
    lower, upper = est.predict_interval(A, B, interval="certified")
    assert (lower == 0.0).all()
    assert (upper >= sigma(A, B)).all()


def test_the_error_that_is_named_is_enough():
    plan = budgeted().plan(POINTS)
    est = budgeted()
    with pytest.raises(InconsistentAnswers) as told:
        est.fit(plan=plan, answers=contradicting(plan.questions))
    assert "set_params(answer_error='noise').update([])" in told.value.__notes__[0]
    named = float(str(told.value).split("use answer_error=")[2].split(";")[0])
    assert est.set_params(answer_error=named).update([]).check_answers().consistent


def test_the_gap_that_is_named_is_that_of_the_answers():
    plan = budgeted().plan(POINTS)
    answers = contradicting(plan.questions)
    told = []
    for bound in (0.0, 3.0):
        with pytest.raises(InconsistentAnswers) as error:
            budgeted(answer_error=bound).fit(plan=plan, answers=answers)
        told.append(str(error.value).split(" by ")[1].split(",")[0])
    assert told[0] == told[1]
    assert float(told[0]) == pytest.approx(50.0, abs=2.0)


def test_answers_given_with_the_call_are_kept_as_well_whatever_was_fitted_before():
    est, plan = budgeted().fit(POINTS, sigma), budgeted().plan(POINTS)
    answers = contradicting(plan.questions[:30])
    with pytest.raises(InconsistentAnswers):
        est.fit(plan=plan, answers=answers)
    assert est.n_questions_ == 30
    assert est.set_params(answer_error="noise").update([]).models_["a", "b"].n_answers < 30


@pytest.mark.parametrize("verb", ["update", "resume"])
def test_a_later_contradiction_is_told_at_once_and_the_answers_stay(verb):
    plan = budgeted().plan(POINTS)
    first, rest = plan.questions[:50], plan.questions[50:]
    est = budgeted().fit(plan=plan, answers=answers_to(first))
    before = est.predict(A, B)
    further = {
        "update": lambda: est.update(contradicting(rest)),
        "resume": lambda: est.resume(lambda left, right, between: 50.0 + sigma(left, right)),
    }
    with pytest.raises(InconsistentAnswers):
        further[verb]()
    np.testing.assert_array_equal(est.predict(A, B), before)
    assert est.n_questions_ == 60
    est.set_params(answer_error="noise").update([])
    assert est.guarantee().pairs[0].n_waiting == 0


def test_a_bound_set_later_is_checked_although_nothing_is_learnt_anew():
    est = budgeted(answer_error="auto").fit(POINTS, Erring())
    with pytest.raises(InconsistentAnswers):
        est.set_params(answer_error=0).update([])
    assert est.answer_error_ is None, "what the model says rests on what it learnt with"
    assert est.predict(A, B).shape == (60,)


def test_an_active_design_goes_on_after_a_contradiction():
    oracle = Erring()
    est = budgeted(design="active")
    with pytest.raises(InconsistentAnswers):
        est.fit(POINTS, oracle)
    asked = oracle.n_asked
    assert 0 < est.n_questions_ == asked < 60
    est.set_params(answer_error="noise").resume()
    assert est.n_questions_ == oracle.n_asked == 60


# --- NaN: a question without an answer ---


def test_nan_means_unanswered_in_every_form_in_which_answers_are_given():
    plan = budgeted().plan(POINTS)
    values = answers_to(plan.questions)
    known = {name: value for k, (name, value) in enumerate(values.items()) if k % 4}
    gaps = {name: known.get(name, np.nan) for name in values}
    forms = {
        "dict": gaps,
        "dict with None": {name: known.get(name) for name in values},
        "Answers": [cm.Answer(name, value) for name, value in gaps.items()],
        "Series": pd.Series(gaps),
        "table": pd.DataFrame({"question_id": list(gaps), "answer": list(gaps.values())}),
        "nullable table": pd.DataFrame({"question_id": list(gaps), "answer": list(gaps.values())}).convert_dtypes(),
    }
    expected = budgeted().fit(plan=plan, answers=known).predict(A, B)
    for name, given in forms.items():
        est = budgeted().fit(plan=plan, answers=given)
        assert est.n_questions_ == 45, name
        np.testing.assert_array_equal(est.predict(A, B), expected, err_msg=name)
        est.update(given, skip_known=True)
        assert est.n_questions_ == 45, name


class Unsure:
    """An oracle that leaves every fourth question without an answer, and counts what it is asked."""

    n_asked = 0

    def __call__(self, left, right, between):
        numbers = np.arange(self.n_asked, self.n_asked + len(left))
        self.n_asked += len(left)
        return np.where(numbers % 4 == 0, np.nan, sigma(left, right))


def test_an_oracle_may_leave_questions_unanswered_until_it_is_asked_again():
    oracle = Unsure()
    est = budgeted().fit(POINTS, oracle)
    assert (est.n_questions_, oracle.n_asked) == (45, 60)
    assert np.isfinite(est.predict(A, B)).all()
    est.resume(sigma)
    assert est.n_questions_ == 60


def test_a_person_may_leave_questions_unanswered():
    class Person:
        n_asked = 0

        def ask(self, questions):
            (question,) = questions
            self.n_asked += 1
            value = float(sigma(question.left[None], question.right[None], question.between)[0])
            unsure = np.nan if self.n_asked % 2 else None
            return [cm.Answer(question.question_id, value if self.n_asked % 4 else unsure)]

    person = Person()
    est = budgeted().fit(POINTS, person)
    assert (est.n_questions_, person.n_asked) == (45, 60)


def test_an_oracle_may_answer_with_a_column_of_pandas_with_gaps():
    gaps = Unsure()
    est = budgeted().fit(POINTS, lambda *asked: pd.Series(gaps(*asked)).convert_dtypes())
    assert est.n_questions_ == 45


def test_an_active_design_does_not_put_a_declined_question_again():
    oracle = Unsure()
    est = budgeted(design="active").fit(POINTS, oracle)
    assert (len(est.plan_.questions), oracle.n_asked) == (60, 60)


def test_an_oracle_without_any_answer_teaches_nothing():
    with pytest.raises(MissingAnswers, match="learning needs at least 2 answers"):
        budgeted().fit(POINTS, lambda left, right, between: np.full(len(left), np.nan))
