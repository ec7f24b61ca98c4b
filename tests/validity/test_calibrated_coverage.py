"""Calibrated intervals cover as often as they say, on average over calibrations, in worlds where the truth is known."""

import numpy as np
import pytest
from sklearn.dummy import DummyRegressor

import commensurate as cm
from commensurate.experiments.synthetic.worlds import SyntheticWorld
from commensurate.learning.few_answers.answer_log import Ends
from commensurate.learning.few_answers.intervals.calibration import Calibration

FITS, CALIBRATIONS, TESTS = 20, 50, 200
N_CALIBRATION = 79


def world_of(family, seed):
    rng = np.random.default_rng(seed)
    return SyntheticWorld.draw(family, [3, 3], rare_mass=0.25, epsilon=0.02, delta=0.05, rng=rng), rng


def coverage(family, noise=0.0, learner="gp"):
    """Mean share of fresh pairs covered: over fits, and over calibrations of each."""
    covered = []
    for fit in range(FITS):
        world, rng = world_of(family, fit)

        def oracle(left, right, between, world=world, rng=rng):
            answers = world.oracle(left, right, between)
            return answers * np.exp(noise * rng.normal(size=len(answers))) if noise else answers

        est = cm.BudgetedSimilarity(
            budget=50, calibration=0.0, learner=learner, answer_error="noise" if noise else 0.0, random_state=fit
        ).fit(world.elements(300, rng), oracle)
        fresh = world.elements(CALIBRATIONS * (N_CALIBRATION + TESTS), rng)
        answers = oracle(fresh["g1"], fresh["g2"], ("g1", "g2"))
        estimates, uncertainties = est._model(("g1", "g2")).estimate_with_uncertainty(fresh["g1"], fresh["g2"])
        for part in np.array_split(np.arange(len(answers)), CALIBRATIONS):
            held_out, tests = part[:N_CALIBRATION], part[N_CALIBRATION:]
            given = Ends(answers[held_out], answers[held_out])
            calibration = Calibration(given, estimates[held_out], uncertainties[held_out])
            factor = calibration.factor(0.95, None, ("g1", "g2"))
            covered.append(np.mean(np.abs(answers[tests] - estimates[tests]) <= factor * uncertainties[tests]))
    return float(np.mean(covered))


@pytest.mark.parametrize("family", ["embedding", pytest.param("prototypes", marks=pytest.mark.soak)])
def test_exact_answers_are_covered(family):
    assert 0.94 <= coverage(family) <= 0.97


def test_a_new_answer_is_covered_where_experts_err():
    assert 0.94 <= coverage("merit", noise=0.05) <= 0.97


def test_what_an_estimator_itself_holds_out_covers_fresh_elements():
    """The split that users get: held-out questions of the plan, elements set aside, fewer rows than questions."""
    covered = []
    for seed in range(40):
        world, rng = world_of("merit", seed)
        est = cm.BudgetedSimilarity(budget=100, learner="gp", answer_error=0.0, random_state=seed)
        est.fit(world.elements(70, rng), world.oracle)
        fresh = world.elements(300, rng)
        lower, upper = est.predict_interval(fresh["g1"], fresh["g2"], interval="calibrated")
        truth = world.oracle(fresh["g1"], fresh["g2"], ("g1", "g2"))
        covered.append(np.mean((lower <= truth) & (truth <= upper)))
    assert 0.93 <= np.mean(covered) <= 0.98


def test_cross_validated_intervals_cover_more_than_they_promise():
    covered = []
    for seed in range(6):
        world, rng = world_of("embedding", seed)
        est = cm.BudgetedSimilarity(budget=60, calibration=0.0, learner="gp", answer_error=0.0, random_state=seed)
        est.fit(world.elements(300, rng), world.oracle)
        fresh = world.elements(500, rng)
        lower, upper = est.predict_interval(fresh["g1"], fresh["g2"], interval="cv+", confidence_level=0.9)
        truth = world.oracle(fresh["g1"], fresh["g2"], ("g1", "g2"))
        covered.append(np.mean((lower <= truth) & (truth <= upper)))
    assert np.mean(covered) >= 0.8


def test_small_tables_do_not_pretend_to_more_held_out_elements_than_they_have():
    """Where elements have effects of their own, two answers about one element are not two witnesses."""
    covered, confident = [], []
    for seed in range(120):
        rng = np.random.default_rng(seed)
        groups = {name: rng.normal(size=(60, 1)) for name in ("a", "b")}

        def oracle(left, right, between):
            return 10.0 + left[:, 0] + 0.3 * right[:, 0]

        est = cm.BudgetedSimilarity(budget=400, learner=DummyRegressor(), answer_error="noise", random_state=seed)
        est.fit(groups, oracle)
        x, y = rng.normal(size=(2, 500, 1))
        truth = oracle(x, y, ("a", "b"))
        lower, upper = est.predict_interval(x, y, interval="calibrated")
        covered.append(np.mean((lower <= truth) & (truth <= upper)))
        lower, upper = est.predict_interval(
            x, y, interval="calibrated", confidence_level=0.8, calibration_confidence=0.9
        )
        confident.append(np.mean((lower <= truth) & (truth <= upper)) >= 0.8)
    assert 0.935 <= np.mean(covered) <= 0.97
    # a share of 120 has a standard error of 0.027
    assert np.mean(confident) >= 0.9 - 2 * 0.027
