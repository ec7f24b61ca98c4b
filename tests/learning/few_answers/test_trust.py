"""Intervals, explanations and statements of a model that learnt from few answers."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.neighbors import KNeighborsRegressor

import commensurate as cm
from commensurate.asking.questions import Answer
from commensurate.errors import InconsistentAnswers, InvalidInput, InvalidParameter, TooFewAnswers
from commensurate.guarantees.conformal import confident_rank
from commensurate.learning.few_answers.answer_log import training_pairs
from worlds import stored_models
from worlds.few_answers import POINTS, A, B, answers_to, budgeted, sigma

TRUTH = sigma(A, B)


@pytest.fixture(scope="module")
def fitted():
    return budgeted(budget=200).fit(POINTS, sigma)


@pytest.fixture(scope="module")
def noisy():
    rng = np.random.default_rng(5)

    def oracle(left, right, between):
        return np.maximum(sigma(left, right, between) + 0.05 * rng.normal(size=len(left)), 0.0)

    return budgeted(budget=200, answer_error="noise").fit(POINTS, oracle)


def test_calibrated_intervals_are_the_conformal_quantile_of_scaled_errors(fitted):
    model = fitted._model(("a", "b"))
    scores = np.sort(model.calibration.scores)
    assert len(scores) == 39
    lower, upper = fitted.predict_interval(A, B, interval="calibrated")
    estimates, uncertainties = model.estimate_with_uncertainty(A, B)
    # the 38th of 39 is the one that covers 95 %
    np.testing.assert_allclose(upper, estimates + scores[37] * uncertainties)
    np.testing.assert_allclose(lower, np.maximum(estimates - scores[37] * uncertainties, 0.0))


def test_a_higher_level_is_wider_and_so_is_confidence_in_this_calibration(fitted):
    def width(**options):
        lower, upper = fitted.predict_interval(A, B, interval="calibrated", **options)
        return (upper - lower).mean()

    assert width(confidence_level=0.5) < width(confidence_level=0.8) < width(confidence_level=0.95)
    assert width(confidence_level=0.8) < width(confidence_level=0.8, calibration_confidence=0.9)


def test_too_few_held_out_answers_give_infinite_intervals_and_say_how_many_are_needed():
    est = budgeted(budget=60).fit(POINTS, sigma)
    with pytest.warns(
        TooFewAnswers,
        match="needs at least 19 held-out answers, but between 'a' and 'b' there are 12: the interval is infinite",
    ):
        lower, upper = est.predict_interval(A, B, interval="calibrated")
    assert (lower == 0.0).all()
    assert np.isinf(upper).all()
    with pytest.warns(
        TooFewAnswers, match="with confidence 0.95 in this calibration, needs at least 59 held-out answers"
    ):
        est.predict_interval(A, B, interval="calibrated", calibration_confidence=0.95)
    assert np.isfinite(est.predict_interval(A, B, interval="calibrated", confidence_level=0.8)[1]).all()


def test_cross_validated_intervals_need_no_held_out_answers():
    est = budgeted(budget=60, calibration=0.0).fit(POINTS, sigma)
    lower, upper = est.predict_interval(A, B, interval="cv+", confidence_level=0.9)
    assert np.mean((lower <= TRUTH) & (upper >= TRUTH)) >= 0.8
    assert (upper - lower).mean() < TRUTH.std()
    with pytest.warns(
        TooFewAnswers, match=r"CV\+ .* needs at least 999 answers to learn from, .* hold out a smaller share"
    ):
        lower, upper = est.predict_interval(A, B, interval="cv+", confidence_level=0.999)
    assert np.isinf(upper).all(), "60 answers cannot tell 1 in 1,000"


@pytest.mark.parametrize("kind", ["calibrated", "cv+"])
def test_a_warning_points_to_whoever_asked_for_the_interval(kind):
    est = budgeted(budget=60).fit(POINTS, sigma)
    with pytest.warns(TooFewAnswers) as told:
        est.predict_interval(A, B, interval=kind, confidence_level=0.999)
    assert [warning.filename for warning in told] == [__file__]


def test_cross_validated_intervals_need_random_pairs_of_fresh_elements(fitted):
    with pytest.raises(InvalidInput, match="some of 'a' are in several"):
        fitted.predict_interval(A, B, interval="cv+")
    active = budgeted(design="active").fit(POINTS, sigma)
    with pytest.raises(InvalidParameter, match="design='active' chose them"):
        active.predict_interval(A, B, interval="cv+")


def test_cross_validated_intervals_are_for_a_single_answer_however_often_others_were_repeated():
    rng = np.random.default_rng(7)
    plan = budgeted(calibration=0.0, answer_error="noise").plan(POINTS)
    truth = answers_to(plan.questions)
    rounds = [{name: max(0.0, value + 0.1 * rng.normal()) for name, value in truth.items()} for _ in range(8)]
    est = budgeted(calibration=0.0, answer_error="noise").fit(plan=plan, answers=rounds[0])
    for answers in rounds[1:]:
        est.update(answers)
    lower, upper = est.predict_interval(A, B, interval="cv+", confidence_level=0.9)
    fresh = np.maximum(TRUTH + 0.1 * rng.normal(size=(50, len(TRUTH))), 0.0)
    assert np.mean((lower <= fresh) & (fresh <= upper)) >= 0.75


def test_interval_kinds_do_not_mix(fitted):
    kinds = "'certified', 'calibrated', 'intersection', 'envelope', 'cv\\+', 'new expert', 'random effects', 'estimate'"
    with pytest.raises(InvalidParameter, match=f"interval must be one of {kinds}"):
        fitted.predict_interval(A, B, interval="sure")
    with pytest.raises(InvalidParameter, match="calibration_confidence works only with interval='calibrated'"):
        fitted.predict_interval(A, B, interval="certified", calibration_confidence=0.9)
    with pytest.raises(InvalidParameter, match="selected_by works only with interval='calibrated'"):
        fitted.predict_interval(A, B, interval="certified", selected_by=lambda estimate: True)


def test_with_noise_the_interval_is_for_a_new_answer(noisy):
    assert noisy.noise_["a", "b"] == pytest.approx(0.05, rel=0.5)
    lower, upper = noisy.predict_interval(A, B)
    assert (upper - lower).mean() > 2 * 1.5 * 0.05, "narrower than the noise is too narrow"
    rng = np.random.default_rng(6)
    fresh = np.maximum(TRUTH + 0.05 * rng.normal(size=(50, len(TRUTH))), 0.0)
    assert np.mean((lower <= fresh) & (fresh <= upper)) > 0.85


def test_repeated_answers_are_averaged_and_a_held_out_one_counts_once():
    plan = budgeted(answer_error="noise").plan(POINTS)
    values = answers_to(plan.questions)
    est = budgeted(answer_error="noise").fit(plan=plan, answers=values)
    est.update({name: value + 0.02 for name, value in values.items()})
    assert est.n_questions_ == 60
    training = training_pairs(est.plan_, est.logs_, ("a", "b"))
    np.testing.assert_array_equal(training.repeats, 2.0)
    np.testing.assert_allclose(training.answers, sigma(training.left, training.right) + 0.01)
    held_out = plan.by_pair["a", "b"].held_out
    np.testing.assert_allclose(
        est._model(("a", "b")).calibration.answers.lower, np.array(list(values.values()))[held_out]
    )


def test_noisy_answers_do_not_drown_in_false_alarms(noisy):
    assert noisy.check_answers().n_flagged == 0
    plan, log = noisy.plan_, noisy.logs_["a", "b"]
    given = [cm.Answer(plan.questions[number].question_id, value) for number, value in zip(log.numbers, log.ends.lower)]
    taken_as_exact = budgeted(budget=200)
    with pytest.raises(InconsistentAnswers):
        taken_as_exact.fit(plan=plan, answers=given)
    assert taken_as_exact.check_answers().n_contradictions > 0


def test_contributions_add_up_to_the_estimate(fitted):
    told = fitted.explain(A[0], B[0])
    raw = fitted.models_["a", "b"].estimate_with_uncertainty(A[:1], B[:1])[0][0]
    assert told.base + told.others + told.nearest["contribution"].sum() == pytest.approx(raw)
    assert told.estimate == pytest.approx(raw + told.brought_within)
    assert told.estimate == fitted.predict(A[:1], B[:1])[0]
    assert told.calibrated == tuple(end[0] for end in fitted.predict_interval(A[:1], B[:1], interval="calibrated"))
    assert told.certified == tuple(end[0] for end in fitted.predict_interval(A[:1], B[:1], interval="certified"))


def test_the_nearest_answers_are_the_nearest_by_both_metrics(fitted):
    told = fitted.explain(A[0], B[0], nearest=3)
    training = training_pairs(fitted.plan_, fitted.logs_, ("a", "b"))
    apart = np.linalg.norm(training.left - A[0], axis=1) + np.linalg.norm(training.right - B[0], axis=1)
    np.testing.assert_allclose(told.nearest["distance"], np.sort(apart)[:3])
    assert told.nearest["answer"].tolist() == training.answers[np.argsort(apart)[:3]].tolist()


def test_columns_that_matter_are_those_of_the_dissimilarity(fitted):
    shares = fitted.explain(A[0], B[0]).relevance
    assert sum(shares.values()) == pytest.approx(1.0)
    assert next(iter(shares)) == "a: x0"
    assert list(shares.values()) == sorted(shares.values(), reverse=True)


def test_an_explanation_is_printed_as_a_table(fitted, noisy):
    text = str(fitted.explain(A[0], B[0], nearest=2))
    assert "a × b: estimated dissimilarity" in text
    assert "the mean of all answers" in text
    assert "clipped to its bounds" not in text
    assert "for every pair if M1 and M2 hold" in text
    assert "no bound on the error of an answer is known" in str(noisy.explain(A[0], B[0]))


def test_an_explanation_of_what_cannot_be_explained_says_so(fitted):
    with pytest.raises(InvalidInput, match="one element from each of two different groups, got 2"):
        fitted.explain(A[:2], B[:2])
    forest = budgeted(learner=ExtraTreesRegressor(5, random_state=0), budget=100).fit(POINTS, sigma)
    told = forest.explain(A[0], B[0])
    assert told.nearest["contribution"].isna().all()
    assert "This learner does not show what each answer adds." in str(told)


def test_an_explanation_names_the_form_that_was_learnt_from_all_answers(stacked):
    told = stacked.explain(stored_models.A[0], stored_models.B[0])
    assert told.forms == stacked.models_["a", "b"].forms
    text = str(told)
    assert "the form learnt from all" in text
    assert f"The general form was learnt from all {told.n_training} answers together: linear embedding of rank" in text


@pytest.mark.parametrize(
    ("forms", "beside"),
    [({"random forest": 0.6, "extra trees": 0.4}, False), ({"random forest": 0.6, "metrics": 0.4}, True)],
)
def test_an_explanation_says_that_a_forest_does_not_show_what_single_answers_add(fitted, forms, beside):
    text = str(replace(fitted.explain(A[0], B[0]), forms=forms))
    assert "random forest 60 %" in text
    assert "A forest does not show what single answers add." in text
    assert ("The nearest answers add the rest." in text) == beside


def test_an_explanation_says_why_there_is_no_interval_and_what_clipping_adds():
    est = budgeted(budget=20).fit(POINTS, lambda left, right, between: 0.02 * sigma(left, right, between) ** 4)
    x, y = (np.repeat(side, 20, axis=0) for side in (np.roll(A, 1, axis=0), B))
    clipped = np.abs(est.predict(x, y) - est.models_["a", "b"].estimate(x, y)).argmax()
    told = est.explain(x[clipped], y[clipped])
    text = str(told)
    assert "calibrated: none, because 4 answers were held out, and 19 are needed for 95 %" in text
    assert told.brought_within != 0.0, "otherwise this shows nothing"
    assert "clipped to its bounds" in text
    added = told.base + told.others + told.nearest["contribution"].sum() + told.brought_within
    assert added == pytest.approx(told.estimate, abs=1e-12)


def test_the_guarantee_says_which_interval_needs_which_assumption(fitted, noisy):
    text = str(fitted.guarantee())
    assert "learnt from the answers to 161 questions and tested on the answers to 39 others" in text
    assert "They do not need M1 or M2. They say nothing about pairs that you pick" in text
    assert "Certified intervals hold for every pair, however it was chosen, if M1 and M2 hold" in text
    assert "the answers are exact" in text
    bounded = budgeted(answer_error=0.1).fit(POINTS, sigma)
    assert "no answer is off by more than 0.1" in str(bounded.guarantee())
    assert "no answer is off by more than 0.1" in str(bounded.explain(A[0], B[0]))
    stated = fitted.guarantee(share=0.8, confidence_level=0.9).pairs[0]
    assert stated.tolerance == np.sort(fitted.held_out_errors())[confident_rank(39, 0.8, 0.9) - 1]
    assert "Calibrated intervals of a new answer" in str(noisy.guarantee())
    assert "of a new answer by the same experts, for 95 %" in str(noisy.explain(A[0], B[0]))
    assert "no bound on the error of an answer is known" in str(noisy.guarantee())


def test_the_guarantee_is_infinite_where_too_few_were_held_out():
    est = budgeted(budget=60).fit(POINTS, sigma)
    stated = est.guarantee()
    assert np.isinf(stated.pairs[0].tolerance)
    assert "the error of 90 % of pairs of new elements like these: 12 instead of 29." in str(stated)
    assert "infinite: 12 answers held out instead of 19." in str(stated)
    without = budgeted(calibration=0.0).fit(POINTS, sigma).guarantee()
    assert "learnt from the answers to 60 questions and tested on the answers to 0 others." in str(without)


def test_rounding_of_answers_given_again_is_no_noise():
    plan = budgeted(budget=100, answer_error="noise", learner=KNeighborsRegressor(3)).plan(POINTS)
    given = [Answer(q.question_id, value) for q, value in zip(plan.questions, answers_to(plan.questions).values())]
    est = budgeted(budget=100, answer_error="noise", learner=KNeighborsRegressor(3)).fit(plan=plan, answers=given * 3)
    assert est.noise_["a", "b"] == 0.0
    assert est.check_answers().consistent


def test_without_enough_held_out_answers_errors_and_contradictions_cannot_be_told_apart():
    est = budgeted(answer_error="noise", calibration=0.0).fit(POINTS, sigma)
    with pytest.raises(InvalidInput, match="by at least 3 held-out answers, got 0"):
        est.check_answers()


def test_cross_validation_promises_nothing_below_one_half():
    est = budgeted().fit(POINTS, sigma)
    with pytest.raises(
        InvalidParameter, match=r"interval='cv\+' gives no guarantee below confidence_level=0.5, got 0.3"
    ):
        est.predict_interval(A, B, interval="cv+", confidence_level=0.3)
