"""On clean answers alarms are as rare as they are said to be, whatever errors experts make; gross ones are found.

The catalogue: errors of one size, in proportion to σ, with the tails of Student's t₃, log-normal, rounded, and of
experts who answer higher or lower than others. In each world M1 and M2 hold, in some as tightly as possible.
"""

import numpy as np
import pytest

import commensurate as cm
from commensurate.guarantees.contradictions.estimated_answers import EstimatedAnswers
from commensurate.guarantees.contradictions.noisy_consistency import check_noisy_answers

LEVEL = 0.05


def world(kind, rng, n):
    """Elements asked about, and σ: all in one place, where nothing but errors tells answers apart; on a line, as
    steep as M1 and M2 allow; or of three kinds on either side.
    """
    if kind == "one place":
        return np.zeros((n, 1)), np.zeros((n, 1)), np.ones(n)
    if kind == "codes":
        left, right = 2.0 * rng.integers(0, 3, (2, n, 1))
        return left, right, 0.1 + 0.45 * np.abs(left - right)[:, 0]
    left, right = rng.random((2, n, 1))
    return left, right, left[:, 0] + right[:, 0]


ERRORS = {
    "one size": lambda sigma, rng: sigma + 0.1 * rng.normal(size=len(sigma)),
    "in proportion": lambda sigma, rng: sigma * (1.0 + 0.15 * rng.normal(size=len(sigma))),
    "both": lambda sigma, rng: sigma * (1.0 + 0.2 * rng.normal(size=len(sigma))) + 0.03 * rng.normal(size=len(sigma)),
    "t3": lambda sigma, rng: sigma + 0.06 * rng.standard_t(3, len(sigma)),
    "t3 in proportion": lambda sigma, rng: sigma * (1.0 + 0.1 * rng.standard_t(3, len(sigma))),
    "log-normal": lambda sigma, rng: sigma * np.exp(0.3 * rng.normal(size=len(sigma))),
    "rounded": lambda sigma, rng: np.round(10.0 * (sigma + 0.05 * rng.normal(size=len(sigma)))) / 10.0,
    "experts differ": lambda sigma, rng: (
        sigma + rng.choice([-0.15, 0.05, 0.2], len(sigma)) + 0.05 * rng.normal(size=len(sigma))
    ),
    "Cauchy": lambda sigma, rng: sigma + 0.05 * rng.standard_cauchy(len(sigma)),
}


def alarms(kind, errors, n=60, studies=600, misfit=0.0):
    """The share of studies with any alarm, where estimates are as good as σ, or off by ``misfit``."""
    rng = np.random.default_rng(0)
    found = 0
    for _ in range(studies):
        left, right, sigma = world(kind, rng, n)
        said = np.maximum(ERRORS[errors](sigma, rng), 0.0)
        estimates = np.maximum(sigma + misfit * rng.normal(size=n), 0.0)
        answers = EstimatedAnswers(said, said, estimates, np.arange(n) % 5 == 0, n)
        found += not check_noisy_answers(left, right, answers, level=LEVEL).consistent
    return found / studies


@pytest.mark.parametrize("errors", [name for name in ERRORS if name != "Cauchy"])
@pytest.mark.parametrize("kind", ["one place", "line", "codes"])
def test_clean_answers_raise_an_alarm_at_most_as_often_as_said(kind, errors):
    assert alarms(kind, errors) <= LEVEL
    assert alarms(kind, errors, misfit=0.1, studies=200) <= LEVEL + 0.02


def test_errors_with_heavier_tails_raise_too_many_alarms():
    assert alarms("one place", "Cauchy") > 2 * LEVEL


def test_the_level_is_not_wasted_where_only_errors_tell_answers_apart():
    assert alarms("one place", "t3") > LEVEL / 10


def study(errors, seed, budget=100, change=lambda said, rng: said, slope=1.0):
    """Learn from the answers of experts who err, and check them; M1 and M2 hold up to a slope of 1."""
    rng = np.random.default_rng([seed, 5])
    groups = {name: rng.random((200, 2)) for name in ("a", "b")}

    def oracle(left, right, between):
        sigma = 0.2 + slope * np.abs(left - right).mean(axis=1)
        return np.maximum(change(ERRORS[errors](sigma, rng), rng), 0.0)

    est = cm.BudgetedSimilarity(budget=budget, learner="gp", answer_error="noise", random_state=seed)
    return est.fit(groups, oracle).check_answers()


@pytest.mark.parametrize("errors", ["one size", "in proportion", "t3", "t3 in proportion", "experts differ"])
def test_clean_studies_raise_hardly_any_alarm(errors):
    assert sum(not study(errors, seed).consistent for seed in range(20)) <= 2


def typos(n, factor):
    def change(said, rng):
        said = said.copy()
        said[rng.choice(len(said), n, replace=False)] *= factor
        return said

    return change


@pytest.mark.parametrize(("n", "factor", "least"), [(1, 10.0, 5), (3, 10.0, 5), (1, 100.0, 8), (3, 100.0, 8)])
@pytest.mark.parametrize("errors", ["in proportion", "t3"])
def test_answers_that_are_many_times_too_large_are_found(errors, n, factor, least):
    found = [study(errors, seed, change=typos(n, factor)) for seed in range(10)]
    assert sum(check.n_flagged > 0 for check in found) >= least


@pytest.mark.parametrize("errors", ["one size", "in proportion", "t3"])
def test_metrics_on_another_scale_than_answers_are_found(errors):
    found = [study(errors, seed, budget=200, slope=10.0) for seed in range(10)]
    assert sum(not check.consistent for check in found) >= 9
