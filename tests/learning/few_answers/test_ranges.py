"""BudgetedSimilarity learns from ranges, and says of held-out ones only what they prove."""

import math

import numpy as np
import pandas as pd
import pytest

import commensurate as cm
from commensurate.asking.said import Said
from commensurate.errors import InconsistentAnswers, InvalidInput, TooFewAnswers
from worlds.few_answers import POINTS, A, B, budgeted, sigma

EDGES = np.array([0.0, 0.2, 0.35, 0.5, 0.7, np.inf])


def grades(left, right, between):
    grade = np.searchsorted(EDGES[1:-1], sigma(left, right, between))
    return np.column_stack([EDGES[grade], EDGES[grade + 1]])


def narrow(left, right, between):
    said = sigma(left, right, between)
    return np.column_stack([np.maximum(said - 0.05, 0.0), said + 0.05])


@pytest.fixture(scope="module")
def graded():
    return budgeted(budget=100, answer_error="noise").fit(POINTS, grades)


def test_what_is_learnt_from_grades_beats_the_best_guess_by_far(graded):
    truth = sigma(A, B)
    assert np.abs(graded.predict(A, B) - truth).mean() < 0.3 * np.abs(truth - np.median(truth)).mean()


def test_grades_alone_give_no_finite_calibrated_interval_and_the_reason_is_said(graded):
    with pytest.warns(TooFewAnswers, match="are ranges without an upper end, .* ask held-out questions for numbers"):
        _, upper = graded.predict_interval(A, B)
    assert np.isinf(upper).all()
    said = str(graded.guarantee())
    assert "have no upper end" in said
    assert "inf" not in said.replace("infinite", "")
    assert "none, because" in str(graded.explain(A[0], B[0]))


def test_narrow_ranges_count_as_off_by_the_most_that_they_leave_open():
    est = budgeted(budget=100, answer_error="noise").fit(POINTS, narrow)
    held_out = est.held_out_answers()
    assert held_out["answer"].isna().all()
    worst = np.maximum(
        held_out["estimate"] - held_out["answer_at_least"], held_out["answer_at_most"] - held_out["estimate"]
    )
    np.testing.assert_allclose(est.held_out_errors(), worst)
    assert (est.held_out_errors() >= 0.05 - 1e-12).all()
    lower, upper = est.predict_interval(A, B)
    assert np.isfinite(upper).all()
    assert ((lower <= sigma(A, B)) & (sigma(A, B) <= upper)).mean() >= 0.9
    assert "19 held-out answers are ranges" in str(est.guarantee())


def test_every_form_of_the_same_ranges_teaches_the_same():
    plan = budgeted(answer_error="noise").plan(POINTS)
    said = {q.question_id: Said(*grades(q.left[None], q.right[None], q.between)[0].tolist()) for q in plan.questions}
    answers = [
        cm.Answer(name, at_least=one.lower, at_most=None if math.isinf(one.upper) else one.upper)
        for name, one in said.items()
    ]
    texts = {name: str(one) for name, one in said.items()}
    table = pd.DataFrame({"question_id": list(texts), "answer": list(texts.values())})
    given = pd.DataFrame(
        [(q.left_id, q.right_id, texts[q.question_id]) for q in plan.questions],
        columns=["left_id", "right_id", "answer"],
    )
    found = [
        budgeted(answer_error="noise").fit(plan=plan, answers=form).predict(A, B) for form in (answers, texts, table)
    ]
    assert found[0].tolist() == found[1].tolist() == found[2].tolist()
    pairs = budgeted(answer_error="noise", calibration=0.0).fit(POINTS, pairs=given)
    assert np.abs(pairs.predict(A, B) - found[0]).max() < 0.2


def test_a_question_whose_range_is_narrowed_counts_once_and_as_narrow_as_it_became():
    plan = budgeted(answer_error="noise").plan(POINTS)
    answers = []
    for q in plan.questions:
        truth = float(sigma(q.left[None], q.right[None])[0])
        lower, upper = grades(q.left[None], q.right[None], q.between)[0]
        answers.append(cm.Answer(q.question_id, expert="ana", at_least=lower, at_most=upper))
        ruler = 0.9 if math.isinf(upper) else 0.5 * (lower + upper)
        ends = {"at_most": ruler} if truth <= ruler else {"at_least": ruler}
        answers.append(cm.Answer(q.question_id, expert="ana", beside_ruler=True, **ends))
    est = budgeted(answer_error="noise").fit(plan=plan, answers=answers)
    log = est.logs_["a", "b"]
    assert (len(log), log.n_answered, len(log.statements())) == (120, 60, 60)
    assert est.n_questions_ == 60
    widths = log.answered().firsts
    assert (np.isfinite(widths.upper)).sum() > np.isfinite([one.said.upper for one in list(log)[::2]]).sum()


def test_certified_intervals_of_ranges_hold_for_every_pair_and_are_no_wider_than_rounded_answers():
    est = budgeted(budget=80).fit(POINTS, grades)
    lower, upper = est.predict_interval(A, B, interval="certified")
    truth = sigma(A, B)
    assert ((lower <= truth + 1e-12) & (truth <= upper + 1e-12)).all()
    assert est.check_answers().consistent
    fine = budgeted(budget=80).fit(POINTS, narrow).predict_interval(A, B, interval="certified")
    assert (fine[1] - fine[0]).mean() < (upper - lower).mean()


def test_ranges_that_contradict_each_other_are_named():
    plan = budgeted().plan(POINTS)
    ids = [q.question_id for q in plan.questions]
    answers = {**dict.fromkeys(ids, "<=0.1"), ids[0]: ">=5"}
    with pytest.raises(InconsistentAnswers, match="contradict M1 and M2"):
        budgeted().fit(plan=plan, answers=answers)


def test_numbers_and_ranges_are_learnt_from_together():
    def mixed(left, right, between):
        said, exact = grades(left, right, between), sigma(left, right, between)
        number = np.arange(len(left)) % 2 == 0
        return np.where(number[:, None], exact[:, None], said)

    truth = sigma(A, B)
    both = budgeted(answer_error="noise").fit(POINTS, mixed)
    assert np.abs(both.predict(A, B) - truth).mean() < 0.2 * truth.std()
    assert both.check_answers().consistent
    with pytest.raises(InvalidInput, match="some answers are ranges; use interval='calibrated'"):
        both.predict_interval(A, B, interval="cv+")


@pytest.mark.parametrize("learner", ["gp", "auto"])
def test_a_model_of_ranges_is_the_same_after_loading(tmp_path, learner):
    est = budgeted(learner=learner, answer_error="noise").fit(POINTS, grades)
    est.save(tmp_path / "model.cmz")
    loaded = cm.load(tmp_path / "model.cmz")
    assert loaded.predict(A, B).tolist() == est.predict(A, B).tolist()
    assert loaded.noise_ == est.noise_
    assert [tuple(one.said) for one in loaded.logs_["a", "b"]] == [tuple(one.said) for one in est.logs_["a", "b"]]
    assert loaded.explain(A[0], B[0]).base == pytest.approx(est.explain(A[0], B[0]).base)


def test_any_regressor_learns_from_ranges():
    from sklearn.linear_model import Ridge

    est = budgeted(learner=Ridge(), answer_error="noise").fit(POINTS, grades)
    truth = sigma(A, B)
    assert np.abs(est.predict(A, B) - truth).mean() < np.abs(truth - np.median(truth)).mean()


def test_a_forecast_needs_numbers_and_says_so(graded):
    with pytest.raises(InvalidInput, match="some answers are ranges; forecast from the groups alone"):
        cm.forecast_budget(estimator=graded, budget=200)
