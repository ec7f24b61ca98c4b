"""Intervals for an answer of another expert: every expert counts the same, and a further one is one of K + 1."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge

import commensurate as cm
from commensurate.guarantees.conformal import conformal_quantile, conformal_rank
from commensurate.guarantees.new_expert import hierarchical_quantile

# how far off the estimate is from an expert's answers: their own shift, and what changes from answer to answer
SHIFTS = {
    "alike": lambda rng, n: np.zeros(n),
    "normal": lambda rng, n: rng.normal(0.0, 2.0, n),
    "one in ten is far off": lambda rng, n: np.where(rng.random(n) < 0.1, 8.0, 0.0),
    "heavy tails": lambda rng, n: rng.standard_t(1.5, n),
}
LEVEL, STUDIES, TESTED = 0.9, 1_500, 100


def coverage(draw_shifts, n_experts, rng, *, pooled=False):
    """How often a further expert's answer is within the bound, over studies."""
    shares = []
    for _ in range(STUDIES):
        counts = 1 + rng.poisson(4.0, n_experts)
        expert_of = np.repeat(np.arange(n_experts), counts)
        scores = np.abs(draw_shifts(rng, n_experts)[expert_of] + rng.normal(size=len(expert_of)))
        if pooled:
            bound = conformal_quantile(scores, conformal_rank(len(scores), LEVEL))
        else:
            bound = hierarchical_quantile(scores, expert_of, LEVEL)[0]
        shares.append(np.mean(np.abs(draw_shifts(rng, TESTED) + rng.normal(size=TESTED)) <= bound))
    return float(np.mean(shares))


@pytest.mark.parametrize("shifts", SHIFTS)
@pytest.mark.parametrize("n_experts", [9, 14, 29])
def test_an_answer_of_a_further_expert_is_covered_as_often_as_the_level_says(shifts, n_experts):
    # a standard error is below 0.005; with one expert less than 9 no bound is finite
    assert coverage(SHIFTS[shifts], n_experts, np.random.default_rng(0)) >= LEVEL - 0.01


def test_pooling_all_answers_covers_too_little_and_so_would_weights_without_the_further_expert():
    rng = np.random.default_rng(1)
    assert coverage(SHIFTS["normal"], 3, rng, pooled=True) < LEVEL - 0.015
    assert np.isinf(hierarchical_quantile(np.zeros(8), np.arange(8), LEVEL)[0])


def test_every_expert_counts_the_same_however_many_answers_they_gave():
    scores = np.concatenate([np.zeros(1_000), np.ones(18)])
    expert_of = np.concatenate([np.zeros(1_000, dtype=np.int64), np.arange(1, 19)])
    assert hierarchical_quantile(scores, expert_of, 0.95)[0] == 1.0
    assert conformal_quantile(scores, conformal_rank(len(scores), 0.95)) == 0.0


# --- from answers to intervals ---


def sigma(left, right):
    return 1.0 + 0.5 * left[:, 0] + 0.3 * right[:, 0]


def studies(n_experts, n_studies, questions=200):
    """Fitted models, and answers of experts that nobody heard before: each expert has a shift of their own."""
    for seed in range(n_studies):
        rng = np.random.default_rng([seed, n_experts])
        groups = {name: rng.random((questions, 2)) for name in "ab"}
        est = cm.BudgetedSimilarity(budget=questions, learner=Ridge(), calibration=0.3, random_state=seed)
        plan = est.plan(groups)
        shifts = rng.normal(0.0, 0.1, n_experts)
        who = rng.integers(n_experts, size=len(plan.questions))
        answers = []
        for question, expert in zip(plan.questions, who.tolist()):
            value = sigma(question.left[None], question.right[None])[0] + shifts[expert] + 0.05 * rng.normal()
            answers.append(cm.Answer(question.question_id, float(value), f"expert {expert}"))
        left, right = rng.random((2, 200, 2))
        new = sigma(left, right) + rng.normal(0.0, 0.1, 200) + 0.05 * rng.normal(size=200)
        yield est.fit(plan=plan, answers=answers), left, right, new


def coverage_of(interval, n_experts, level, n_studies=40):
    held, widths = [], []
    for est, left, right, new in studies(n_experts, n_studies):
        lower, upper = est.predict_interval(left, right, interval=interval, confidence_level=level)
        held.append(np.mean((lower <= new) & (new <= upper)))
        widths.append(float(np.mean(upper - lower)))
    return float(np.mean(held)), float(np.median(widths))


def test_a_new_experts_answer_is_covered_where_that_of_the_same_experts_would_be_covered_too_little():
    # 40 studies, whose coverage varies by 0.05 or so: a standard error of 0.01
    covered, width = coverage_of("new expert", 12, 0.9)
    assert covered >= 0.9 - 0.02
    assert width < 1.2, "an interval that is never too narrow must still say something"
    assert coverage_of("calibrated", 2, 0.9)[0] < 0.9 - 0.05


def test_random_effects_cover_from_few_experts_where_shifts_are_normal():
    covered, width = coverage_of("random effects", 4, 0.9)
    assert covered >= 0.9 - 0.025
    assert width < 1.2


def test_too_few_experts_make_intervals_infinite_and_say_how_many_are_needed():
    est, left, right, _ = next(studies(5, 1))
    with pytest.warns(cm.errors.TooFewAnswers, match="at least 9 experts.* there are 5"):
        lower, upper = est.predict_interval(left, right, interval="new expert", confidence_level=0.9)
    assert (lower == 0.0).all()
    assert np.isinf(upper).all()
