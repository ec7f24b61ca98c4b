"""The paper's two impossible worlds: that they are built as its proofs say."""

import json

import numpy as np
import pytest

import commensurate as cm
from commensurate.errors import InvalidParameter
from commensurate.experiments.synthetic.hard_instances import (
    DELTA,
    EPSILON,
    N_ATOMS,
    run_lower_bound,
    run_no_free_lunch,
)


def test_asking_about_all_pairs_of_atoms_leaves_no_failure_and_about_few_leaves_many():
    curve = run_lower_bound(seed=0, repeats=2)["curve"]
    questions = [point["questions"] for point in curve]
    assert questions == sorted(questions)
    assert questions[-1] == N_ATOMS**2 == pytest.approx(1 / DELTA**2)
    assert curve[-1]["failure_rate"]["mean"] == curve[-1]["floor"] == 0.0
    assert curve[0]["failure_rate"]["mean"] > 0.8


def test_the_floor_falls_in_a_straight_line_with_the_questions():
    curve = run_lower_bound(seed=0, repeats=1)["curve"]
    for point in curve:
        assert point["floor"] == pytest.approx((1 - point["questions"] * DELTA**2) * (1 - 12 * EPSILON))


def test_a_sample_of_the_crowd_holds_a_given_element_with_probability_epsilon():
    measured = run_no_free_lunch(seed=0, repeats=1)
    held = 1 - (1 - 1 / measured["n_elements"]) ** measured["n_samples"]
    assert measured["n_samples"] == cm.sample_size(DELTA)
    assert held <= EPSILON
    assert held == pytest.approx(EPSILON, rel=1e-3)


def test_every_element_of_the_crowd_is_rare_and_the_theorem_promises_nothing():
    measured = run_no_free_lunch(seed=0, repeats=1)
    crowd = np.arange(measured["n_elements"], dtype=float)[:, None]
    assert cm.rare_mass(crowd, EPSILON, DELTA, metric="hamming", random_state=0).table == measured["rare_mass"]["crowd"]
    assert measured["theorem_bound"] == 1.0


@pytest.mark.parametrize("run", [run_lower_bound, run_no_free_lunch])
def test_results_are_plain_json_and_repeatable(run):
    measured = run(seed=5, repeats=2)
    assert json.loads(json.dumps(measured, allow_nan=False)) == measured == run(seed=5, repeats=2)
    assert run(seed=6, repeats=2) != measured


@pytest.mark.parametrize("run", [run_lower_bound, run_no_free_lunch])
def test_no_repeats_are_refused(run):
    with pytest.raises(InvalidParameter, match="repeats must be at least 1, got 0"):
        run(seed=0, repeats=0)
