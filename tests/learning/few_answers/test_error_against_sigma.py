"""Which held-out answers count as two people's, and where the error against σ is told."""

import math

import numpy as np
import pytest
from sklearn.linear_model import Ridge

import commensurate as cm
from commensurate.errors import InvalidAnswer, InvalidParameter


def fitted(experts_of, answer_error="noise"):
    """A model of 40 questions, each answered once by each of ``experts_of(k)``; answers grow by 0.01 each time."""
    rng = np.random.default_rng(0)
    groups = {name: rng.random((60, 1)) for name in "ab"}
    est = cm.BudgetedSimilarity(budget=40, learner=Ridge(), answer_error=answer_error, random_state=0)
    plan = est.plan(groups)
    answers = [
        cm.Answer(asked.question_id, float(0.5 + 0.2 * asked.left[0] + 0.01 * time), expert)
        for k, asked in enumerate(plan.questions)
        for time, expert in enumerate(experts_of(k))
    ]
    return est.fit(plan=plan, answers=answers)


def test_the_first_answer_and_the_first_by_another_person_make_a_pair():
    est = fitted(lambda k: ("ana", "ana", "ben", "cem"))
    found, (estimate, first) = est.error_against_sigma(), est.held_out_answers()[["estimate", "answer"]].to_numpy().T
    # ben's answer is the third
    assert found.mean_square == pytest.approx(np.mean((estimate - first) * (estimate - first - 0.02)))
    assert (found.n_twice, found.n_once) == (8, 0)
    assert found.against_answers == pytest.approx(math.sqrt(np.mean(est.held_out_errors() ** 2)))


def test_who_answers_twice_remembers_the_first_time_and_does_not_count_as_two():
    found = fitted(lambda k: ("ana", "ana")).error_against_sigma()
    assert (found.n_twice, found.n_once) == (0, 8)


@pytest.mark.parametrize("experts", [(None, None), ("ana", None), (None, "ana")])
def test_answers_without_a_name_count_as_two_peoples_only_if_you_say_so(experts):
    est = fitted(lambda k: experts)
    assert est.error_against_sigma().n_twice == 0
    assert est.error_against_sigma(unnamed_independent=True).n_twice == 8
    with pytest.raises(InvalidParameter, match="unnamed_independent must be True or False"):
        est.error_against_sigma(unnamed_independent="yes")


def test_pairs_that_one_person_answered_are_counted_apart():
    found = fitted(lambda k: ("ana", "ben") if k % 2 else ("ana",)).error_against_sigma(scale_end=1.0)
    assert found.n_twice + found.n_once == 8
    assert min(found.n_twice, found.n_once) > 0


def test_no_answer_may_lie_beyond_the_end_of_the_scale():
    with pytest.raises(InvalidAnswer, match="no answer may lie beyond scale_end=0.6"):
        fitted(lambda k: ("ana", "ben")).error_against_sigma(scale_end=0.6)


def test_a_guarantee_tells_the_error_against_sigma_and_what_it_assumes():
    est = fitted(lambda k: ("ana", "ben"))
    said = est.guarantee(scale_end=1.0)
    assert said.pairs[0].against_sigma == est.error_against_sigma(scale_end=1.0)
    assert "from 8 pairs answered by two people" in str(said)
    assert "what all experts get wrong alike is not seen" in str(said)


def test_a_guarantee_says_nothing_of_it_where_nobody_answered_twice():
    assert fitted(lambda k: ("ana",)).guarantee(scale_end=1.0).pairs[0].against_sigma is None


def test_where_answers_are_exact_the_error_against_them_is_all_there_is_to_tell():
    rows = np.random.default_rng(0).random((2, 60, 1))
    est = cm.BudgetedSimilarity(budget=40, learner=Ridge(), answer_error=0.0, random_state=0)
    plan = est.plan(dict(zip("ab", rows)))
    answers = [
        cm.Answer(asked.question_id, float(abs(asked.left - asked.right)[0]), expert)
        for asked in plan.questions
        for expert in ("ana", "ben")
    ]
    est.fit(plan=plan, answers=answers)
    assert est.guarantee(scale_end=1.0).pairs[0].against_sigma is None
    found = est.error_against_sigma()
    assert found.n_twice == 8
    assert found.error == pytest.approx(found.against_answers)


def test_a_model_file_keeps_who_answered(tmp_path):
    est = fitted(lambda k: ("ana", "ben"))
    est.set_params(learner="gp").update([])
    est.save(tmp_path / "m.cmz")
    assert cm.load(tmp_path / "m.cmz").error_against_sigma().n_twice == 8
