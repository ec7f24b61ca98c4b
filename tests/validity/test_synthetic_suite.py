"""The theorems against worlds of known σ and known rare mass, and the floors under which no learner can get."""

from functools import cache

import pytest

from commensurate.asking.simulated.families import FAMILIES
from commensurate.experiments.synthetic.hard_instances import N_ATOMS, run_lower_bound, run_no_free_lunch
from commensurate.experiments.synthetic.suite import SuiteCell, run_cell

ALGORITHMS = ("NAIVE", "CLUSTER")
CELLS = [
    *(SuiteCell(family, 2, "same", 0.05) for family in FAMILIES),
    SuiteCell("mahalanobis", 2, "different", 0.0),
    SuiteCell("prototypes", 2, "different", 0.25),
    SuiteCell("merit", 4, "different", 0.25),
]
NAMES = [cell.name for cell in CELLS]


@cache
def measured(cell):
    return run_cell(cell, seed=0, repeats=30)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("cell", CELLS, ids=NAMES)
def test_the_failure_rate_is_at_most_two_delta_plus_the_rare_masses(cell, algorithm):
    rate = measured(cell)["algorithms"][algorithm]["failure_rate"]
    assert rate["mean"] <= cell.theorem_bound + 3 * rate["standard_error"]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("cell", CELLS, ids=NAMES)
def test_only_pairs_that_are_far_from_the_samples_fail(cell, algorithm):
    """The heart of the proof, and certain: within 3ε of samples on both sides, M1 and M2 keep the error bound."""
    figures = measured(cell)["algorithms"][algorithm]
    assert figures["covered_failure_rate"]["mean"] == 0.0
    assert figures["failure_rate"]["mean"] <= figures["uncovered_share"]["mean"]


@pytest.mark.parametrize("cell", CELLS, ids=NAMES)
def test_pairs_far_from_the_samples_are_the_rare_ones_and_hardly_any_other(cell):
    """An element of the box is practically never within 3ε of a sample; a dense one is, but for 2δ."""
    uncovered = measured(cell)["algorithms"]["NAIVE"]["uncovered_share"]
    rare = 1.0 - (1.0 - cell.rare_mass) ** 2
    slack = 4 * uncovered["standard_error"] + 1e-3
    assert rare - slack <= uncovered["mean"] <= rare + 2 * cell.delta + slack


@pytest.mark.parametrize("family", FAMILIES)
def test_failing_is_possible_where_elements_are_rare(family):
    """σ varies by more than the bounds allow, so the tests above could fail."""
    rates = {
        name: figures["failure_rate"]["mean"]
        for name, figures in run_cell(SuiteCell(family, 2, "same", 1.0), seed=0, repeats=10)["algorithms"].items()
    }
    assert rates["NAIVE"] > 0.4
    assert rates["CLUSTER"] > 0.1


def test_most_pairs_fail_where_all_are_rare_and_sigma_has_the_full_slope():
    figures = run_cell(SuiteCell("prototypes", 2, "different", 1.0), seed=0, repeats=10)["algorithms"]
    assert figures["NAIVE"]["failure_rate"]["mean"] > 0.8
    assert figures["CLUSTER"]["failure_rate"]["mean"] > 0.5


@pytest.mark.parametrize("cell", CELLS, ids=NAMES)
def test_cluster_asks_at_most_what_the_theorem_expects_of_it(cell):
    """Representatives are 1/δ + N·p in expectation at most, per group, and groups are drawn independently."""
    n_samples, n_pairs_of_groups = measured(cell)["n_samples"], cell.n_groups * (cell.n_groups - 1) / 2
    expected = n_pairs_of_groups * (1 / cell.delta + n_samples * cell.rare_mass) ** 2
    questions = measured(cell)["algorithms"]["CLUSTER"]["questions"]
    assert questions["mean"] <= expected + 3 * questions["standard_error"]
    assert questions["mean"] > 0.5 * expected, "a bound that is never near says little"


def test_with_too_few_questions_no_learner_gets_under_the_floor():
    lower_bound = run_lower_bound(seed=0, repeats=100)
    for point in lower_bound["curve"]:
        rate = point["failure_rate"]
        assert rate["mean"] >= point["floor"] - 3 * rate["standard_error"]
        assert rate["mean"] <= point["floor"] + 0.02, "a learner that knows nothing else is near the floor"


def test_cluster_asks_at_most_one_over_delta_squared_questions_and_fails_as_rarely_as_promised():
    cluster = run_lower_bound(seed=0, repeats=100)["cluster"]
    rate = cluster["failure_rate"]
    every_pair = N_ATOMS**2  # 1/δ²
    assert cluster["most_questions"] <= every_pair
    assert cluster["questions"]["mean"] > 0.9 * every_pair
    assert rate["mean"] <= cluster["theorem_bound"] + 3 * rate["standard_error"]
    assert rate["mean"] >= cluster["floor"] - 3 * rate["standard_error"]


def test_nothing_can_be_learnt_where_every_element_is_rare():
    measured = run_no_free_lunch(seed=0, repeats=40)
    for name in ALGORITHMS:
        rate = measured["failure_rate"][name]
        assert rate["mean"] >= measured["floor"] - 3 * rate["standard_error"]
