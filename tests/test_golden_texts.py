"""The texts that sum up a result, word for word: one golden file each."""

from __future__ import annotations

import math

import numpy as np
import pytest

import commensurate as cm
from commensurate.guarantees.population import Population
from commensurate.guarantees.sigma_error import ErrorAgainstSigma
from commensurate.learning.few_answers.guarantee import (
    BoundedErrors,
    BudgetedGuarantee,
    BudgetedPairGuarantee,
    ConstantErrors,
)
from commensurate.learning.few_answers.look import Look, PairLook
from commensurate.learning.forecasting.forecast import BudgetForecast
from commensurate.learning.forecasting.track_record import TrackRecord
from worlds.golden import assert_golden
from worlds.small_audit import small_audit

LINE = {"a": np.arange(8.0)[:, None] / 8.0, "b": np.arange(6.0)[:, None] / 8.0}
ROWS_SET_ASIDE = {name: points + 0.01 for name, points in LINE.items()}
EMPTY = np.empty(0)


def on_the_line(left, right, between):
    return abs(left - right)[:, 0]


@pytest.mark.parametrize("kind", [cm.NaiveSimilarity, cm.ClusterSimilarity])
@pytest.mark.parametrize("held_out", [None, ROWS_SET_ASIDE], ids=["alone", "with rows set aside"])
def test_the_guarantee_of_the_papers_algorithms_reads_as_agreed(kind, held_out):
    # the rows are the samples: nothing is drawn, and the numbers are the same everywhere
    est = kind(epsilon=0.1, delta=0.2, samples="given", random_state=0).fit(LINE, on_the_line)
    assert_golden(str(est.guarantee(held_out=held_out)), f"guarantee_{kind.__name__}{'_future' if held_out else ''}")


@pytest.mark.parametrize("answer_error", [0.0, 0.05, None], ids=["exact", "bounded", "noisy"])
def test_the_guarantee_of_few_answers_reads_as_agreed(answer_error):
    noisy = answer_error is None
    enough = BudgetedPairGuarantee(
        ("city", "rural"),
        161,
        39,
        0,
        0.0123,
        0.05,
        0.08,
        None if noisy else 0.4,
        0.02 if noisy else None,
        constant=ConstantErrors(0.5, 0.21, 0.4),
    )
    few = BudgetedPairGuarantee(
        ("city", "suburb"), 20, 5, 3, 0.02, math.inf, math.inf, None if noisy else 0.5, math.nan if noisy else None
    )
    name = {0.0: "exact", 0.05: "bounded", None: "noisy"}[answer_error]
    assert_golden(str(BudgetedGuarantee((enough, few), 0.9, 0.95, answer_error)), f"guarantee_few_answers_{name}")


def test_the_guarantee_of_few_answers_that_look_exact_reads_as_agreed():
    pair = BudgetedPairGuarantee(("city", "rural"), 161, 39, 0, 1.2e-5, 5e-5, 8e-5, None, 1e-6, looks_exact=True)
    assert_golden(str(BudgetedGuarantee((pair,), 0.9, 0.95, None)), "guarantee_few_answers_that_look_exact")


@pytest.mark.parametrize("name", ["misses", "excluded"])
def test_the_guarantee_of_few_answers_where_some_have_none_reads_as_agreed(name):
    misses, judgeable = name == "misses", BoundedErrors(0.05, 0.08)
    said = BoundedErrors(math.inf, math.inf) if misses else judgeable
    pair = BudgetedPairGuarantee(
        *(("city", "rural"), 161, 75, 0, 0.0123, said.tolerance, said.calibrated_width, None, 0.02),
        n_unanswered=4,
        judgeable=judgeable if misses else None,
    )
    population = Population(judgeable=not misses)
    text = str(BudgetedGuarantee((pair,), 0.95, 0.95, None, population))
    assert_golden(text, f"guarantee_few_answers_unanswered_{name}")


def test_the_guarantee_of_few_answers_by_two_people_reads_as_agreed():
    found = ErrorAgainstSigma(("city", "rural"), 40, 39, 0.0064, 0.0016, 0.128, 0.141, 0.95, 1.0, 0.22, 0.225)
    pair = BudgetedPairGuarantee(("city", "rural"), 321, 79, 0, 0.1, 0.2, 0.4, None, 0.1, against_sigma=found)
    assert_golden(str(BudgetedGuarantee((pair,), 0.9, 0.95, None)), "guarantee_few_answers_by_two_people")


@pytest.mark.parametrize("interval", ["certified", "calibrated", "estimate"])
def test_the_summary_of_an_audit_reads_as_agreed(interval):
    assert_golden(str(small_audit(interval=interval)), f"audit_{interval}")


FORECAST = {
    "questions": 200.0, "cautious_questions": 350.0, "asked": 0, "hours": 3.3, "cost": 132.0, "target_error": None,
    "expected_error": 0.01, "band": (0.008, 0.02), "record": TrackRecord(0.8, "auto", 89, 178, 4.0, True, 5.0, 1.5), "curve_questions": EMPTY, "curve_errors": EMPTY,
    "curve_low": EMPTY, "curve_high": EMPTY, "basis": "simulated experts", "learner": "auto", "observed_questions": (25, 100),
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("budget", {}),
        ("target", {"target_error": 0.01, "questions": 80.0}),
        ("out_of_reach", {"target_error": 0.001, "questions": math.inf, "reason": "experts themselves err by more"}),
        ("from_answers", {"basis": "your answers", "asked": 120, "experts_error": 0.04, "rough": True}),
    ],
)
def test_a_forecast_reads_as_agreed(name, changes):
    assert_golden(str(BudgetForecast(**(FORECAST | changes))), f"forecast_{name}")


@pytest.mark.parametrize(
    ("name", "stop", "number", "proved"),
    [("enough", True, 2, 0.91), ("not_yet", False, 2, 0.8), ("early", False, 0, 0.0)],
)
def test_a_check_of_the_stopping_rule_reads_as_agreed(name, stop, number, proved):
    pair = PairLook(("city", "rural"), 60, 3, 0 if stop else 12, 0 if stop else 40)
    assert_golden(str(Look(stop, number, 0.01, proved, (pair,), 0.9, 0.1, 0.95)), f"stop_rule_{name}")


@pytest.mark.parametrize(("name", "judgeable_proved"), [("proved", 0.91), ("not_proved", 0.85)])
def test_a_check_where_questions_have_no_answer_reads_as_agreed(name, judgeable_proved):
    pair = PairLook(("city", "rural"), 70, 13, 12, 90, n_unanswered=10)
    look = Look(False, 2, 0.01, 0.7, (pair,), 0.9, 0.1, 0.95, judgeable_proved=judgeable_proved)
    assert_golden(str(look), f"stop_rule_judgeable_{name}")
