"""Intervals for an answer of another expert: who answered is known from answers, tables and model files."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge

import commensurate as cm
from commensurate.errors import InvalidParameter

EXPERTS = 10


def answered(named=True):
    """A model learnt from ten experts with shifts of their own."""
    rng = np.random.default_rng(0)
    groups = {name: rng.random((120, 1)) for name in "ab"}
    est = cm.BudgetedSimilarity(budget=120, learner="gp", calibration=0.3, random_state=0)
    plan, shifts = est.plan(groups), rng.normal(0.0, 0.1, EXPERTS)
    answers = [
        cm.Answer(
            question.question_id,
            float(1.0 + abs(question.left - question.right)[0] + shifts[k % EXPERTS] + 0.02 * rng.normal()),
            f"expert {k % EXPERTS}" if named else None,
        )
        for k, question in enumerate(plan.questions)
    ]
    return est, plan, answers


def test_a_loaded_model_knows_whose_answers_belong_together_and_nobodys_name(tmp_path):
    est, plan, answers = answered()
    answers = [cm.Answer(a.question_id, a.value, a.expert.replace("expert", "Zacharias")) for a in answers]
    est.fit(plan=plan, answers=answers).save(tmp_path / "model.cmz")
    assert b"Zacharias" not in (tmp_path / "model.cmz").read_bytes()
    loaded, pairs = cm.load(tmp_path / "model.cmz"), np.random.default_rng(1).random((2, 5, 1))
    for interval in ("new expert", "random effects"):
        found = [model.predict_interval(*pairs, interval=interval, confidence_level=0.8) for model in (est, loaded)]
        np.testing.assert_array_equal(found[0], found[1])
        assert np.isfinite(found[0][1]).all()


def test_a_table_of_answers_tells_who_gave_them():
    est, plan, answers = answered()
    table = pd.DataFrame({"question_id": [a.question_id for a in answers], "answer": [a.value for a in answers]})
    table["expert"] = [a.expert for a in answers]
    from_table = cm.BudgetedSimilarity(budget=120, learner="gp", calibration=0.3, random_state=0)
    pairs = np.random.default_rng(1).random((2, 5, 1))
    found = [
        model.predict_interval(*pairs, interval="new expert", confidence_level=0.8)
        for model in (est.fit(plan=plan, answers=answers), from_table.fit(plan=plan, answers=table))
    ]
    np.testing.assert_array_equal(found[0], found[1])


def test_given_pairs_tell_who_answered():
    rng = np.random.default_rng(0)
    groups = {name: rng.random((60, 1)) for name in "ab"}
    left, right = np.divmod(rng.choice(3_600, 150, replace=False), 60)
    expert = rng.integers(EXPERTS, size=150)
    values = 1.0 + abs(groups["a"][left] - groups["b"][right])[:, 0] + 0.1 * (expert % 3)
    table = pd.DataFrame({"left_id": left, "right_id": right, "answer": values, "expert": expert})
    est = cm.BudgetedSimilarity(learner=Ridge(), claim="pairs of these elements", calibration=0.3, random_state=0)
    est.fit(groups, pairs=table)
    _, upper = est.predict_interval(groups["a"][:3], groups["b"][:3], interval="new expert", confidence_level=0.8)
    assert np.isfinite(upper).all()


def test_without_names_there_are_no_intervals_for_a_new_expert():
    est, plan, answers = answered(named=False)
    est.fit(plan=plan, answers=answers)
    with pytest.raises(InvalidParameter, match="need to know which expert gave each answer"):
        est.predict_interval([[0.1]], [[0.2]], interval="new expert")
