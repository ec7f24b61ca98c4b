"""What is said where held-out questions have no answer: which were put, how they count, and what stands beside it."""

import warnings

import numpy as np
import pytest

import commensurate as cm
from commensurate.asking.questions import Answer
from commensurate.errors import InvalidParameter, TooFewAnswers
from worlds.few_answers import POINTS, A, B, answers_to, budgeted, sigma

BETWEEN = ("a", "b")


def declining(held_out_numbers, plan_seed=0, **options):
    """Fit by an oracle that declines the held-out questions with these places among the held-out ones."""
    est = budgeted(budget=120, calibration=0.5, random_state=plan_seed, answer_error="noise", **options)
    plan = est.plan(POINTS)
    places = np.flatnonzero(plan.by_pair[BETWEEN].held_out)[list(held_out_numbers)]
    declined = {plan.questions[int(k)].question_id for k in places}
    answers = [
        Answer(name, np.nan if name in declined else value) for name, value in answers_to(plan.questions).items()
    ]
    return est.fit(plan=plan, answers=answers)


def test_who_answers_everything_leaves_nothing_unanswered():
    counts = budgeted().fit(POINTS, sigma).held_out_counts(BETWEEN)
    assert (counts.asked, counts.answered, counts.unanswered) == (12, 12, 0)


def test_what_an_oracle_declines_has_no_answer_until_it_resumes():
    calls = []

    def once(left, right, between):
        calls.append(len(left))
        answers = sigma(left, right, between)
        return np.where(np.arange(len(answers)) % 3 == 0, np.nan, answers) if len(calls) == 1 else answers

    est = budgeted(budget=90).fit(POINTS, once)
    assert est.held_out_counts(BETWEEN).unanswered > 0
    assert est.resume().held_out_counts(BETWEEN).unanswered == 0


def test_questions_count_as_put_up_to_the_last_that_was_answered_or_listed():
    est = budgeted(budget=100, calibration=0.3)
    plan = est.plan(POINTS)
    held_out = plan.by_pair[BETWEEN].held_out
    given = answers_to(plan.questions)
    names = [question.question_id for question in plan.questions]
    first = dict(list(given.items())[:50])
    est.fit(plan=plan, answers=first)
    assert est.held_out_counts(BETWEEN).asked == est.held_out_counts(BETWEEN).answered == held_out[:50].sum()
    # one far behind: all before it were put
    est.update({names[79]: given[names[79]]})
    assert est.held_out_counts(BETWEEN).asked == held_out[:80].sum()
    # listed without an answer
    est.update({names[99]: np.nan})
    counts = est.held_out_counts(BETWEEN)
    assert (counts.asked, counts.answered) == (held_out.sum(), held_out[:50].sum() + held_out[79])
    # and the answers that come later
    est.update(given, skip_known=True)
    assert est.held_out_counts(BETWEEN).unanswered == 0


def test_each_one_without_an_answer_moves_the_tolerance_and_the_interval_outwards():
    found = [declining(range(m)).guarantee(share=0.8).pairs[0] for m in (0, 1, 2)]
    assert [pair.n_unanswered for pair in found] == [0, 1, 2]
    assert found[0].judgeable is None
    assert found[0].tolerance <= found[1].tolerance <= found[2].tolerance
    # 2 of 39: (39 + 1) · 0.95 = 38 is more than the 37 that were answered
    assert [np.isfinite(pair.calibrated_width) for pair in found] == [True, True, False]
    for pair in found[1:]:
        assert pair.judgeable.tolerance <= pair.tolerance
        assert np.isfinite(pair.judgeable.calibrated_width)


def test_an_infinite_interval_says_what_is_missing_and_how_to_leave_it_out():
    est = declining(range(2))
    with pytest.warns(TooFewAnswers, match=r"2 held-out question\(s\) without an answer.*unanswered='excluded'"):
        _, upper = est.predict_interval(A, B)
    assert np.isinf(upper).all()
    assert "39 held-out questions put to experts, 2 have no answer" in str(est.guarantee())
    assert "beside 2 without an answer" in str(est.explain(A[0], B[0]))


def test_what_is_excluded_is_named_and_a_parameter_counts_when_it_learns_next():
    est = declining(range(2)).set_params(unanswered="excluded")
    assert "judge" not in str(est.population_)
    est.update([])
    assert str(est.population_) == "pairs of new elements like these that experts can judge"
    with warnings.catch_warnings(action="error"):
        _, upper = est.predict_interval(A, B)
    assert np.isfinite(upper).all()
    said = str(est.guarantee())
    assert "all statements leave them out and cover only pairs that experts can judge" in said
    assert "of pairs of new elements like these that experts can judge are within" in said
    assert est.guarantee().pairs[0].judgeable is None
    assert "that experts can judge" in str(cm.StopRule().look(est))


def test_p_values_count_them_as_reaching_every_bound():
    all_pairs = declining(range(2))
    judgeable = declining(range(2), unanswered="excluded")
    bounds = np.full(len(A), 100.0)
    np.testing.assert_allclose(all_pairs.p_values(A, B, bounds, BETWEEN), (1 + 2) / (39 + 1))
    np.testing.assert_allclose(judgeable.p_values(A, B, bounds, BETWEEN), 1 / (37 + 1))


def test_pairs_given_with_rows_that_have_no_answer_speak_only_of_those_that_have_one():
    left, right = np.arange(60), np.arange(60)
    answers = sigma(POINTS["a"][:60], POINTS["b"][:60])
    answers[:5] = np.nan
    est = budgeted(claim="pairs of these elements").fit(
        POINTS, pairs={"left_id": left, "right_id": right, "answer": answers}
    )
    assert str(est.population_) == "pairs like those given, of these elements, that experts can judge"
    assert est.held_out_counts(BETWEEN).unanswered == 0


def test_how_they_count_must_be_one_of_two():
    with pytest.raises(InvalidParameter, match="unanswered must be one of"):
        budgeted(unanswered="ignored").fit(POINTS, sigma)


@pytest.mark.parametrize("unanswered", ["misses", "excluded"])
def test_a_model_file_keeps_how_many_were_put(tmp_path, unanswered):
    est = declining([-1, -2, -3], unanswered=unanswered)
    est.save(tmp_path / "m.cmz")
    loaded = cm.load(tmp_path / "m.cmz")
    assert loaded.held_out_counts(BETWEEN) == est.held_out_counts(BETWEEN)
    assert loaded.held_out_counts(BETWEEN).unanswered == 3
    assert str(loaded.guarantee()) == str(est.guarantee())
    assert loaded.unanswered_ == unanswered
