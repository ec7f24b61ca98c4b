"""Error against number of questions, Figure 1, and the readings of the paper."""

import inspect

import numpy as np
import pandas as pd
import pytest

from commensurate.datasets import load_give_me_some_credit
from commensurate.experiments.paper.curves import DELTAS, curve_sizes, run_curve
from commensurate.experiments.paper.published import PAPER, TESTS
from commensurate.experiments.paper.sigma_values import run_sigma_values, sigma_of_trials
from commensurate.experiments.paper.variants import CHOICES, run_variant, variants
from commensurate.experiments.paper.world import LOADERS, paper_world
from commensurate.experiments.seeds import generator


def test_sizes_stop_at_what_is_asked_for_and_at_what_an_algorithm_can_bear():
    assert curve_sizes("XGB", 1_000) == (100, 316, 1_000)
    assert curve_sizes("RF", 10**9)[-1] < curve_sizes("XGB", 10**9)[-1]
    assert curve_sizes("NAIVE", 1) == DELTAS


@pytest.mark.usefixtures("small_worlds")
@pytest.mark.parametrize(
    ("algorithm", "sizes"), [("NAIVE", (0.3, 0.05, 0.005)), ("CLUSTER", (0.3, 0.005)), ("XGB", (30, 300))]
)
def test_more_questions_make_smaller_errors(algorithm, sizes):
    points = run_curve("adult", None, 0, algorithm, sizes, test_pairs=300)["points"]
    questions = [point["questions"] for point in points]
    assert questions == sorted(questions)
    for test in TESTS:
        errors = [point["errors"][test]["relative_mean"] for point in points]
        assert errors[-1] < errors[0]


@pytest.mark.usefixtures("small_worlds")
def test_sigma_is_drawn_anew_in_every_trial_and_the_minimum_is_that_of_the_histogram():
    figures = run_sigma_values("adult", None, 0, trials=2_000, repeats=3)
    assert sum(figures["counts"]) == 2_000
    assert figures["edges"][0] == figures["minima"][0]
    assert len(set(figures["minima"])) == 3
    assert figures == run_sigma_values("adult", None, 0, trials=2_000, repeats=3)


@pytest.mark.usefixtures("small_worlds")
def test_sigma_of_trials_is_equation_1():
    world = paper_world("adult", None)
    values = sigma_of_trials(world, 5, generator(7))
    rng = generator(7)
    x, y = world.pairs(5, rng)
    theta, alpha, beta = rng.uniform(-0.01, 0.01, x.shape), rng.random(x.shape), rng.random(x.shape)
    for k in range(5):
        total = sum(abs(alpha[k, i] * x[k, i] - beta[k, i] * y[k, i] + theta[k, i]) ** 3 for i in range(x.shape[1]))
        assert values[k] == pytest.approx(total ** (1 / 3))


@pytest.mark.parametrize("name", PAPER)
def test_the_first_reading_is_the_default_of_the_loader(name):
    parameters = inspect.signature(LOADERS[name]).parameters
    defaults = {choice: parameters[choice].default for choice in parameters if choice != "data_home"}
    assert next(variants(name)) == defaults
    combinations = np.prod([len(values) for values in CHOICES[name].values()])
    assert len(list(variants(name))) == (20 if name == "give-me-some-credit" else combinations)


@pytest.mark.usefixtures("small_worlds")
def test_a_reading_is_told_by_its_questions_and_its_smallest_sigma_without_asking_anyone():
    figures = run_variant("adult", 0, {"label": True}, repeats=2, data_home=None)
    assert figures["variant"] == {"label": True}
    assert len(set(figures["cluster_distinct"])) == len(set(figures["least_sigma"])) == 2
    assert all(0 < questions < 13_816**2 for questions in figures["cluster_distinct"])
    assert min(figures["least_sigma"]) > 0.0


@pytest.mark.real_data
def test_without_the_income_median_and_zero_are_the_same_data_and_one_reading():
    zero, median = (load_give_me_some_credit(missing=missing).tables for missing in ("zero", "median"))
    for name, table in zero.items():
        pd.testing.assert_frame_equal(table, median[name])
