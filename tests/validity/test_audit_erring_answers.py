"""Audits by calibrated intervals where answers err: what is said of σ holds for σ;
what holds for a new answer alone says so.
"""

import warnings
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd
import pytest

import commensurate as cm
from commensurate.applications import audit_fairness, repair_scores
from commensurate.applications.fairness.audit import FairnessAudit
from commensurate.errors import TooFewAnswers

OFF_BY, DRAWS, PEOPLE, GAP = 0.2, 10, 60, 0.45


def sigma(left, right):
    return 0.4 + 0.5 * np.abs(left[:, 0] - right[:, 0])


def always_too_low(truth, rng):
    return truth - OFF_BY


def always_too_high(truth, rng):
    return truth + OFF_BY


def too_low_or_too_high(truth, rng):
    return truth + rng.choice([-OFF_BY, OFF_BY], len(truth))


@dataclass(frozen=True)
class Audited:
    """An audit where everybody in one group is better off by the same: verdicts across groups, and σ of the pairs."""

    est: cm.BudgetedSimilarity
    people: dict
    scores: dict
    audit: FairnessAudit
    across: pd.DataFrame
    truth: np.ndarray

    def wrong(self, truth):
        verdict = self.across["verdict"].to_numpy()
        return float(np.mean(((verdict == "violated") & (truth >= GAP)) | ((verdict == "satisfied") & (truth < GAP))))

    def repaired(self, n):
        people, scores = ({name: each[:n] for name, each in given.items()} for given in (self.people, self.scores))
        return repair_scores(self.est, people, scores=scores, interval="calibrated")


@cache
def audited(erring, answer_error, seed):
    rng = np.random.default_rng([seed, 3])
    est = cm.BudgetedSimilarity(budget=200, learner="gp", answer_error=answer_error, random_state=seed)
    est.fit(
        {"a": rng.random((250, 1)), "b": rng.random((250, 1))},
        lambda left, right, between: erring(sigma(left, right), rng),
    )
    people = {name: rng.random((PEOPLE, 1)) for name in "ab"}
    scores = {"a": np.zeros(PEOPLE), "b": np.full(PEOPLE, GAP)}
    options = {"scores": scores, "interval": "calibrated", "pairs": "all", "random_state": 0}
    with warnings.catch_warnings(action="ignore", category=TooFewAnswers):
        audit = audit_fairness(est, people, **options)
    across = audit.verdicts[audit.verdicts["left_group"] != audit.verdicts["right_group"]]
    truth = sigma(people["a"][across["left"]], people["b"][across["right"]])
    return Audited(est, people, scores, audit, across, truth)


@pytest.mark.parametrize("erring", [always_too_low, too_low_or_too_high])
def test_where_no_answer_is_off_by_more_than_the_stated_error_verdicts_hold_for_sigma(erring):
    found = [audited(erring, OFF_BY, seed) for seed in range(DRAWS)]
    # intervals of a new answer would be wrong for more than half of the pairs where all answers are too low
    assert np.mean([each.wrong(each.truth) for each in found]) <= 0.05
    for each in found:
        row = each.audit.shares.iloc[0]
        assert row.share_lower <= np.mean(each.truth < GAP) <= row.share_upper
        assert row.about == "σ"
        assert set(each.across["about"]) == {"σ"}
        assert not each.audit.by_new_answer
        assert "new answer" not in str(each.audit)
        assert "No answer is taken to be off by more than 0.2; the intervals are widened by that" in str(each.audit)


def test_these_verdicts_still_find_a_gap_that_no_error_of_answers_explains():
    found = audited(always_too_low, OFF_BY, 0)
    scores = found.scores | {"b": np.full(PEOPLE, 1.6)}
    far = audit_fairness(found.est, found.people, scores=scores, interval="calibrated", pairs="all", random_state=0)
    assert (far.verdicts["verdict"][far.verdicts["left_group"] != far.verdicts["right_group"]] == "violated").all()


def test_p_values_are_about_sigma_where_the_error_of_answers_is_bounded():
    small = []
    for seed in range(DRAWS):
        each = audited(always_too_low, OFF_BY, seed)
        left, right = (each.people[name][each.across[side]] for name, side in (("a", "left"), ("b", "right")))
        # every pair is at least as dissimilar as it is
        small.append(float(np.mean(each.est.p_values(left, right, each.truth, ("a", "b")) <= 0.1)))
    assert np.mean(small) <= 0.1


def test_listed_pairs_are_violations_of_sigma_where_the_error_of_answers_is_bounded():
    wrong, higher = {OFF_BY: [], "noise": []}, 0.6
    for error, shares in wrong.items():
        for seed in range(2):
            each = audited(always_too_low, error, seed)
            scores = {"a": np.zeros(PEOPLE), "b": np.full(PEOPLE, higher)}
            options = {"interval": "calibrated", "pairs": 30, "random_state": 0}
            for table in ("worst", "treated_worst"):
                listed = getattr(audit_fairness(each.est, each.people, scores=scores, **options), table)
                assert len(listed) > 0
                truth = sigma(each.people["a"][listed["worse"]], each.people["b"][listed["better"]])
                shares.append(float(np.mean(truth >= higher)))
    assert np.mean(wrong[OFF_BY]) <= 0.05
    # of σ it would be false
    assert np.mean(wrong["noise"]) > 0.2


def test_a_repair_by_calibrated_lower_bounds_holds_for_sigma_where_the_error_of_answers_is_bounded():
    found = {error: audited(always_too_high, error, 0) for error in (OFF_BY, "noise")}
    repairs = {error: each.repaired(20) for error, each in found.items()}
    violated = {error: share_violated(found[error].people, repair.scores, 20) for error, repair in repairs.items()}
    assert violated[OFF_BY] <= 0.05
    assert not repairs[OFF_BY].by_new_answer
    # of σ it would be false
    assert violated["noise"] > 0.2
    assert repairs["noise"].by_new_answer
    assert "of a new answer and not of the dissimilarity itself" in str(repairs["noise"])


def share_violated(people, scores, n):
    gaps = np.abs(scores["a"][:, None] - scores["b"][None, :])
    left, right = np.repeat(people["a"][:n], n, axis=0), np.tile(people["b"][:n], (n, 1))
    return float(np.mean(gaps > sigma(left, right).reshape(n, n) + 1e-9))


@pytest.mark.parametrize("answer_error", ["noise", "auto"])
def test_where_nobody_knows_how_far_off_answers_are_all_that_is_said_across_groups_is_about_a_new_answer(answer_error):
    found = audited(always_too_low, answer_error, 0)
    # of σ it would be false
    assert found.wrong(found.truth) > 0.5
    assert found.wrong(found.truth - OFF_BY) <= 0.05
    assert found.audit.by_new_answer
    assert set(found.across["about"]) == {"new answer"}
    assert set(found.audit.verdicts["about"]) == {"new answer", "d"}
    assert "are violations by a new answer" in str(found.audit)
    assert "about a new answer by the same experts, not about the dissimilarity itself" in str(found.audit)


def test_symmetric_errors_make_verdicts_about_sigma_wrong_at_most_twice_as_often_as_promised():
    level, found = 0.8, []
    for seed in range(DRAWS):
        rng = np.random.default_rng([seed, 5])

        def truth_of(left):
            # a few are far more dissimilar than the others, and nothing in the column tells
            return np.where(np.floor(1e6 * left[:, 0]) % 1000 < 300, 1.5, 0.5)

        def expert(left, right, between, rng=rng):
            return truth_of(left) + rng.uniform(-0.3, 0.3, len(left))

        est = cm.BudgetedSimilarity(
            budget=300, calibration=0.6, learner="gp", answer_error="noise", random_state=seed
        ).fit({"a": rng.random((500, 1)), "b": rng.random((500, 1))}, expert)
        people = {name: rng.random((150, 1)) for name in "ab"}
        # as much as the dissimilar ones are allowed, nearly
        scores = {"a": np.zeros(150), "b": np.full(150, 1.499)}
        options = {"interval": "calibrated", "confidence_level": level, "pairs": 3_000, "worst": 0, "random_state": 0}
        verdicts = audit_fairness(est, people, scores=scores, **options).verdicts
        across = verdicts[verdicts["left_group"] != verdicts["right_group"]]
        truth = truth_of(people["a"][across["left"]])
        found.append(float(np.mean((across["verdict"] == "violated").to_numpy() & (truth >= 1.499))))
    # more often than for a new answer: that is why the words name a new answer
    assert 1.0 - level < np.mean(found) <= 2.0 * (1.0 - level) + 0.02
