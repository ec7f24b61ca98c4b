"""Intervals for pairs of records of another kind than those asked about: held-out answers count by their weights."""

import warnings

import numpy as np
import pandas as pd
import pytest

import commensurate as cm
from commensurate.errors import InvalidInput, InvalidParameter, TooFewAnswers, UnknownGroup
from worlds import few_answers

RNG = np.random.default_rng(2)
POINTS = {"a": RNG.standard_normal((400, 2)), "b": RNG.standard_normal((400, 3))}
SAME = {"a": RNG.standard_normal((300, 2)), "b": RNG.standard_normal((300, 3))}
MOVED = SAME["a"] + np.array([0.7, 0.0])


def sigma(left, right, between=None):
    return 0.3 * np.abs(left[:, 0] - right[:, 0]) + 0.1 * np.abs(left[:, 1])


@pytest.fixture(scope="module")
def model():
    return few_answers.budgeted(budget=200, answer_error="auto").fit(POINTS, sigma)


def ends(model, left, right, **options):
    with warnings.catch_warnings(action="ignore", category=TooFewAnswers):
        return model.predict_interval(left, right, interval="calibrated", **options)


def test_records_of_the_same_kind_keep_nearly_all_the_weight(model):
    weights = model.weights_like(SAME)
    assert weights.n == 39
    assert weights.effective > 36
    assert "count as 3" in str(weights)


def test_records_of_another_kind_leave_less_and_both_ways_of_passing_them_agree(model):
    weights = model.weights_like({"a": MOVED})
    assert weights.effective < 33
    assert weights.ratios[1] is None
    once = ends(model, MOVED, SAME["b"], like=weights)
    np.testing.assert_array_equal(once, ends(model, MOVED, SAME["b"], like={"a": MOVED}))


def test_the_sides_may_be_named_the_other_way_round(model):
    weights = model.weights_like({"a": MOVED}, ("b", "a"))
    np.testing.assert_array_equal(
        ends(model, MOVED, SAME["b"], like=weights),
        ends(model, SAME["b"], MOVED, like=weights, between=("b", "a")),
    )


def test_pairs_that_are_rare_among_those_asked_about_have_infinite_intervals(model):
    far = MOVED + np.array([1.5, 0.0])
    weights = model.weights_like({"a": far})
    with pytest.warns(TooFewAnswers, match=r"for \d+ of 300 pairs between 'a' and 'b', the held-out answers count as"):
        _, upper = model.predict_interval(far, SAME["b"], interval="calibrated", like=weights)
    assert np.isinf(upper).mean() > 0.5


def test_an_interval_of_a_pair_is_wider_the_rarer_it_was(model):
    weights = model.weights_like({"a": MOVED})
    factors = weights.factors(np.array([[-2.0, 0.0], [0.0, 0.0], [4.0, 0.0]]), np.zeros((3, 3)), 0.9)
    assert factors[0] <= factors[1] <= factors[2]


def test_held_out_questions_without_an_answer_count_by_their_weight():
    est = few_answers.budgeted(budget=200, answer_error="auto")
    plan = est.plan(POINTS)
    answers = few_answers.answers_to(plan.questions, sigma)
    held_out = np.flatnonzero(plan.by_pair["a", "b"].held_out)
    for number in held_out[:2]:
        answers[plan.questions[number].question_id] = float("nan")
    est.fit(plan=plan, answers=answers)
    weights = est.weights_like(SAME)
    assert weights.n == len(held_out)
    # two of 39 without an answer: nothing covers 95 %
    assert np.isinf(ends(est, SAME["a"], SAME["b"], like=weights)[1]).all()
    assert np.isfinite(ends(est, SAME["a"], SAME["b"], like=weights, confidence_level=0.8)[1]).mean() > 0.9


def test_categories_without_an_order_have_weights_of_their_own():
    rng = np.random.default_rng(6)
    groups = {
        "a": pd.DataFrame({"job": rng.choice(["x", "y", "z"], 300), "w": rng.random(300)}),
        "b": pd.DataFrame({"v": rng.random(300)}),
    }
    est = few_answers.budgeted(budget=200, answer_error="auto").fit(
        groups, lambda left, right, between: 0.1 * right[:, 0]
    )
    new = pd.DataFrame({"job": rng.choice(["x", "y", "z"], 300, p=[0.1, 0.8, 0.1]), "w": rng.random(300)})
    ratio = est.weights_like({"a": new}).ratios[0]
    one_each = pd.DataFrame({"job": ["x", "y", "z"], "w": [0.5] * 3})
    x, y, z = ratio.of(est.spaces_["a"].points_of(one_each))
    assert y > 2.0 > 0.7 > max(x, z)


@pytest.mark.parametrize(
    ("like", "options", "error", "message"),
    [
        ({"a": MOVED}, {"interval": "envelope"}, InvalidParameter, "like works only with interval='calibrated'"),
        ({"a": MOVED}, {"calibration_confidence": 0.9}, InvalidParameter, "like works only with"),
        ({"a": MOVED}, {"selected_by": lambda estimate: True}, InvalidParameter, "like works only with"),
        ({"c": MOVED}, {}, UnknownGroup, "like names the group 'c'"),
        ([MOVED], {}, InvalidParameter, "like must be a dict"),
        ({}, {}, InvalidParameter, "like must be a dict"),
        ({"a": MOVED[:3]}, {}, InvalidInput, "weights need at least 10 records"),
    ],
)
def test_what_cannot_be_weighted_is_refused(model, like, options, error, message):
    with pytest.raises(error, match=message):
        model.predict_interval(MOVED, SAME["b"], **{"interval": "calibrated", "like": like, **options})


@pytest.mark.parametrize("options", [{"design": "active"}, {"claim": "pairs of these elements"}])
def test_questions_that_were_not_about_random_new_elements_have_no_weights(options):
    est = few_answers.budgeted(answer_error="auto", **options).fit(few_answers.POINTS, few_answers.sigma)
    with pytest.raises(InvalidParameter, match="like= needs random questions about new elements"):
        est.weights_like({"a": few_answers.A})


def test_models_without_held_out_answers_have_no_weights():
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.2, random_state=0).fit(few_answers.POINTS, few_answers.sigma)
    with pytest.raises(InvalidParameter, match="need held-out answers"):
        est.weights_like({"a": few_answers.A})


def test_a_group_of_which_only_distances_are_known_has_no_weights():
    matrix = np.abs(RNG.random((80, 1)) - RNG.random(80)) * 0.0
    groups = [cm.Group("a", matrix, "precomputed"), cm.Group("b", RNG.random((80, 1)))]
    est = few_answers.budgeted(budget=80, answer_error="auto").fit(groups, lambda left, right, between: right[:, 0])
    with pytest.raises(InvalidParameter, match="only distances are known"):
        est.weights_like({"a": np.arange(40)})
    assert est.weights_like({"b": RNG.random((40, 1))}).ratios[0] is None
