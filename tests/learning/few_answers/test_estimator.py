"""Learning from few answers: asking, keeping what was answered, predicting."""

import numpy as np
import pandas as pd
import pytest
import sklearn.exceptions
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.neighbors import KNeighborsRegressor

import commensurate as cm
from commensurate.errors import (
    AnswersAgain,
    InvalidAnswer,
    InvalidInput,
    InvalidParameter,
    MissingAnswers,
    NotFittedError,
    UnknownGroup,
)
from commensurate.learning.few_answers.answer_log import training_pairs
from worlds.few_answers import POINTS, A, B, answers_to, budgeted, sigma

TRUTH = sigma(A, B)


@pytest.fixture(scope="module")
def fitted():
    return budgeted().fit(POINTS, sigma)


def test_few_answers_are_enough_for_a_smooth_dissimilarity(fitted):
    assert fitted.n_questions_ == 60
    errors = np.abs(fitted.predict(A, B) - TRUTH)
    assert errors.mean() < 0.1 * TRUTH.std()


def test_estimates_lie_within_what_training_answers_certify(fitted):
    lower, upper = fitted.predict_interval(A, B, interval="certified")
    assert ((lower <= TRUTH) & (upper >= TRUTH)).all()
    training = training_pairs(fitted.plan_, fitted.logs_, ("a", "b"))
    for pair in zip(training.left, training.right, training.answers):
        assert fitted.predict(pair[0][None], pair[1][None])[0] == pytest.approx(pair[2], abs=1e-8)


def test_the_sides_may_be_named_either_way(fitted):
    np.testing.assert_array_equal(fitted.predict(B, A, between=("b", "a")), fitted.predict(A, B))
    np.testing.assert_array_equal(
        fitted.predict_matrix(B[:4], A[:7], between=("b", "a")), fitted.predict_matrix(A[:7], B[:4]).T
    )
    for one, other in zip(
        fitted.predict_interval(B, A, between=("b", "a"), interval="calibrated", confidence_level=0.8),
        fitted.predict_interval(A, B, interval="calibrated", confidence_level=0.8),
    ):
        np.testing.assert_array_equal(one, other)


def test_a_matrix_holds_the_estimates_of_all_pairs(fitted, monkeypatch):
    monkeypatch.setattr("commensurate.learning.few_answers.fitted._MATRIX_BLOCK", 10)
    matrix = fitted.predict_matrix(A[:5], B[:4])
    expected = [[fitted.predict(x[None], y[None])[0] for y in B[:4]] for x in A[:5]]
    np.testing.assert_allclose(matrix, expected, atol=1e-9)
    assert fitted.predict_matrix(A[:0], B[:4]).shape == (0, 4)


def test_within_a_group_the_metric_itself_answers(fitted):
    expected = np.sqrt(((A[:9] - A[9:18]) ** 2).sum(axis=1))
    np.testing.assert_allclose(fitted.predict(A[:9], A[9:18], between=("a", "a")), expected)
    np.testing.assert_allclose(fitted.predict_interval(A[:9], A[9:18], between=("a", "a"))[1], expected)
    assert fitted.predict_matrix(A[:3], A[:2], between=("a", "a")).shape == (3, 2)


def test_the_same_seed_gives_the_same_model(fitted):
    np.testing.assert_array_equal(budgeted().fit(POINTS, sigma).predict(A, B), fitted.predict(A, B))


def test_a_clone_is_unfitted_and_learns_the_same(fitted):
    copy = clone(fitted)
    with pytest.raises(NotFittedError, match=r"call fit\(groups, oracle\)"):
        copy.predict(A, B)
    assert copy.get_params() == fitted.get_params()


def test_held_out_answers_are_never_learnt_from():
    plan = budgeted().plan(POINTS)
    answers = answers_to(plan.questions)
    held_out = plan.by_pair["a", "b"].held_out
    spoilt = {name: value + 5.0 if held_out[number] else value for number, (name, value) in enumerate(answers.items())}
    honest = budgeted(answer_error="noise").fit(plan=plan, answers=answers)
    other = budgeted(answer_error="noise").fit(plan=plan, answers=spoilt)
    np.testing.assert_array_equal(honest.predict(A, B), other.predict(A, B))
    assert other.held_out_errors().min() > 4.0


def test_a_plan_is_answered_later_and_in_part():
    plan = budgeted().plan(POINTS)
    answers = answers_to(plan.questions)
    whole = budgeted().fit(POINTS, plan=plan, answers=answers)
    np.testing.assert_array_equal(whole.predict(A, B), budgeted().fit(POINTS, sigma).predict(A, B))
    part = budgeted().fit(plan=plan, answers=dict(list(answers.items())[:30]))
    assert part.n_questions_ == 30
    part.update(dict(list(answers.items())[30:]))
    assert part.n_questions_ == 60
    # learning went on from where it was, so that the two need not be the same to the bit
    np.testing.assert_allclose(part.predict(A, B), whole.predict(A, B), atol=0.05)


def test_a_file_that_is_read_again_as_a_whole_adds_what_is_new():
    est, plan = budgeted(answer_error="noise"), budgeted(answer_error="noise").plan(POINTS)
    sheet = plan.to_frame().assign(answer=np.linspace(0.0, 1.0, 60))
    est.fit(plan=plan, answers=sheet[:30]).update(sheet, skip_known=True)
    assert [len(log) for log in est.logs_.values()] == [60]
    other = sheet.assign(answer=sheet["answer"] + 0.5)
    est.update(other, skip_known=True)
    assert [len(log) for log in est.logs_.values()] == [120], "another answer to the same question is no known one"


def test_experts_who_agree_are_not_taken_for_one_that_is_read_again():
    plan = budgeted(answer_error="noise").plan(POINTS)
    ana, ben = (plan.to_frame().assign(answer=np.round(np.linspace(0.0, 1.0, 60) + shift, 1)) for shift in (0.0, 0.05))
    both = pd.concat([ana, ben])
    at_once = budgeted(answer_error="noise").fit(plan=plan, answers=both)
    grown = budgeted(answer_error="noise").fit(plan=plan, answers=ana)
    for _ in range(2):
        grown.update(both, skip_known=True)
    given = [est.logs_["a", "b"].given() for est in (grown, at_once)]
    assert given[0] == given[1]
    assert given[0].total() == 120


def test_answers_that_come_again_unchanged_are_told_and_recorded():
    est, plan = budgeted(answer_error="noise"), budgeted(answer_error="noise").plan(POINTS)
    sheet = plan.to_frame().assign(answer=np.linspace(0.0, 1.0, 60))
    est.fit(plan=plan, answers=sheet[:30])
    expected = (
        "^30 answers have the same question and value as recorded ones and were recorded again, as new answers; if you "
        r"read a whole file again, use update\(answers, skip_known=True\)$"
    )
    with pytest.warns(AnswersAgain, match=expected):
        est.update(sheet)
    assert [len(log) for log in est.logs_.values()] == [90]
    # a few that were given again as before may well be
    est.update(sheet[:20])


def test_an_update_that_cannot_be_placed_changes_nothing():
    plan = budgeted().plan(POINTS)
    answers = answers_to(plan.questions[:40])
    est = budgeted().fit(plan=plan, answers=answers)
    before = est.predict(A, B)
    with pytest.raises(
        InvalidAnswer, match="1 answer.*do not belong to any question of this plan, the first to 'nonsense'"
    ):
        est.update({plan.questions[50].question_id: 0.5, "nonsense": 1.0})
    with pytest.raises(InvalidAnswer, match="finite number, at least 0"):
        est.update({plan.questions[50].question_id: -0.5})
    assert est.n_questions_ == 40
    np.testing.assert_array_equal(est.predict(A, B), before)


def test_too_few_answers_to_learn_from_are_told():
    plan = budgeted().plan(POINTS)
    est = budgeted()
    with pytest.raises(
        MissingAnswers, match="at least 2 answers between 'a' and 'b', not counting held-out ones, got 1"
    ):
        est.fit(plan=plan, answers=answers_to(plan.questions[:1]))
    # the answer is kept all the same
    assert est.n_questions_ == 1
    assert est.update(answers_to(plan.questions[1:30])).n_questions_ == 30


@pytest.mark.parametrize("error", [KeyboardInterrupt(), RuntimeError("the line went dead")])
def test_an_interrupted_fit_keeps_its_answers_and_goes_on(error, monkeypatch):
    monkeypatch.setattr("commensurate.asking.oracle.FUNCTION_BLOCK", 20)
    asked = []

    def oracle(left, right, between):
        if len(asked) == 40:
            raise error
        asked.extend(map(tuple, left))
        return sigma(left, right, between)

    est = budgeted()
    with pytest.raises(type(error)):
        est.fit(POINTS, oracle)
    assert est.n_questions_ == len(asked) == 40
    with pytest.raises(
        NotFittedError, match=r"40 question\(s\) were answered, but the model has not learnt.*resume\(oracle\)"
    ) as raised:
        est.predict(A, B)
    assert isinstance(raised.value, sklearn.exceptions.NotFittedError)
    est.resume(sigma)
    assert est.n_questions_ == 60
    np.testing.assert_array_equal(est.predict(A, B), budgeted().fit(POINTS, sigma).predict(A, B))


def test_a_refit_that_asks_nobody_keeps_what_was_known():
    est = budgeted().fit(POINTS, sigma)
    before = est.predict(A, B)

    def dead(left, right, between):
        raise RuntimeError("nobody there")

    with pytest.raises(RuntimeError):
        est.fit(POINTS, dead)
    np.testing.assert_array_equal(est.predict(A, B), before)


def test_a_refit_whose_answers_are_too_few_keeps_what_was_known():
    est = budgeted().fit(POINTS, sigma)
    before = est.predict(A, B)
    with pytest.raises(MissingAnswers):
        est.fit(plan=est.plan_, answers=answers_to(est.plan_.questions[:1]))
    np.testing.assert_array_equal(est.predict(A, B), before)


def test_people_see_whole_questions_and_tables_keep_their_columns():
    tables = {
        "a": pd.DataFrame(POINTS["a"], columns=["u", "v"]).assign(kind=["x", "y"] * 60),
        "b": pd.DataFrame(POINTS["b"], columns=["p", "q", "r"]),
    }
    seen = []

    class Person:
        def ask(self, questions):
            seen.extend(questions)
            return [abs(q.left_record["u"] - q.right_record["p"]) for q in questions]

    est = budgeted(answer_error="noise").fit(tables, Person())
    assert {q.left_id for q in seen} <= set(map(str, range(120)))
    assert seen[0].left_record["kind"] in {"x", "y"}
    row = est.predict(tables["a"][:5], tables["b"][:5])
    assert row.shape == (5,)


def test_three_groups_have_a_model_for_each_pair():
    groups = {**POINTS, "c": POINTS["a"][:70] * 0.5}

    def oracle(left, right, between):
        return np.abs(left[:, 0] - right[:, 0])

    est = budgeted(budget=150).fit(groups, oracle)
    assert set(est.n_questions_by_pair_) == {("a", "b"), ("a", "c"), ("b", "c")}
    estimates = est.predict(A[:20], 0.5 * A[20:40], between=("a", "c"))
    assert np.abs(estimates - np.abs(A[:20, 0] - 0.5 * A[20:40, 0])).mean() < 0.05
    with pytest.raises(InvalidParameter, match="between must name two of the groups"):
        est.predict(A, B)
    with pytest.raises(UnknownGroup, match="unknown group 'z'"):
        est.predict(A, B, between=("a", "z"))


def test_both_ways_are_learnt_apart_where_they_differ():
    def lopsided(left, right, between):
        return sigma(left, right, between) + (between == ("b", "a"))

    est = budgeted(budget=100, symmetric=False).fit(POINTS, lopsided)
    gap = est.predict(B, A, between=("b", "a")) - est.predict(A, B, between=("a", "b"))
    assert np.abs(gap - 1.0).mean() < 0.1


def test_a_group_may_have_nothing_but_distances():
    matrix = np.sqrt(((POINTS["a"][:, None] - POINTS["a"]) ** 2).sum(axis=2))
    groups = [cm.Group("a", matrix, metric="precomputed"), cm.Group("b", POINTS["b"])]

    def oracle(left, right, between):
        return sigma(POINTS["a"][left], right)

    est = budgeted(budget=90).fit(groups, oracle)
    rows = np.arange(60)
    truth = sigma(POINTS["a"][rows], B)
    assert np.abs(est.predict(rows, B) - truth).mean() < 0.4 * truth.std()


def test_any_scikit_learn_regressor_can_learn():
    est = budgeted(learner=ExtraTreesRegressor(20, random_state=0)).fit(POINTS, sigma)
    assert np.abs(est.predict(A, B) - TRUTH).mean() < 0.6 * TRUTH.std()
    lower, upper = est.predict_interval(A, B, interval="calibrated", confidence_level=0.8)
    assert np.mean((lower <= TRUTH) & (upper >= TRUTH)) > 0.5


def test_fit_says_what_it_needs():
    with pytest.raises(InvalidInput, match="fit needs groups, or a plan"):
        budgeted().fit()
    with pytest.raises(InvalidInput, match="fit needs an oracle to ask, or a plan with its answers"):
        budgeted().fit(POINTS)
    with pytest.raises(InvalidInput, match="answers need the plan that they belong to"):
        budgeted().fit(POINTS, answers={})
    with pytest.raises(InvalidParameter, match="the oracle must be a function"):
        budgeted().fit(POINTS, oracle=3)
    plan = budgeted().plan(POINTS)
    part = budgeted().fit(plan=plan, answers=answers_to(plan.questions[:30]))
    with pytest.raises(MissingAnswers, match="there is no oracle to ask"):
        part.resume()


def test_pairs_must_match(fitted):
    with pytest.raises(InvalidInput, match="the same number of rows, got 3 and 2"):
        fitted.predict(A[:3], B[:2])
    with pytest.raises(InvalidAnswer, match="held-out answers must be 3 finite numbers"):
        fitted.evaluate(A[:3], B[:3], [1.0, 2.0])
    assert "ε" not in str(fitted.evaluate(A, B, TRUTH))


def test_answers_too_large_to_learn_from_are_refused():
    with pytest.raises(InvalidAnswer, match=r"answers must be at most 1e\+100, got .*e\+200"):
        budgeted(answer_error="noise").fit(POINTS, lambda left, right, between: 1e200 * sigma(left, right))


@pytest.mark.parametrize("held_out", [True, False])
def test_an_answer_too_large_to_learn_from_is_not_recorded_and_blocks_nothing(held_out):
    plan = budgeted(answer_error="noise").plan(POINTS)
    answers = answers_to(plan.questions)
    est = budgeted(answer_error="noise").fit(plan=plan, answers=answers)
    (part,) = plan.by_pair.values()
    name = list(answers)[int(np.flatnonzero(part.held_out == held_out)[0])]
    with pytest.raises(InvalidAnswer, match=r"at most 1e\+100, got 1e\+200"):
        est.update({name: 1e200})
    assert [len(log) for log in est.logs_.values()] == [60]
    est.update({name: 0.5})
    assert [len(log) for log in est.logs_.values()] == [61]


def test_a_regressor_that_cannot_learn_from_so_few_answers_is_named():
    with pytest.raises(InvalidInput, match="KNeighborsRegressor cannot predict from . answers: Expected n_neighbors"):
        budgeted(budget=4, learner=KNeighborsRegressor(5)).fit(POINTS, sigma)
