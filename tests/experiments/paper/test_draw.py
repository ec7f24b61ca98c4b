"""One draw of the paper's experiment."""

import json

import numpy as np
import pytest

import commensurate as cm
from commensurate.errors import InvalidInput, InvalidParameter
from commensurate.experiments.paper.baselines import baseline
from commensurate.experiments.paper.draw import (
    ABSOLUTE_THRESHOLDS,
    RELATIVE_THRESHOLDS,
    draw_tests,
    error_figures,
    run_draw,
)
from commensurate.experiments.paper.published import ALGORITHMS, DELTA, MEASURES, TESTS, UNSEEN_ROWS
from commensurate.experiments.paper.world import estimator, paper_world
from commensurate.experiments.seeds import generator

pytestmark = pytest.mark.slow


def draw(number: int = 0, seed: int = 0) -> dict:
    return run_draw("adult", None, seed, number, baseline_points=60, test_pairs=200)


@pytest.mark.usefixtures("small_worlds")
def test_a_draw_has_every_algorithm_in_both_tests_and_fits_into_json():
    figures = draw()
    assert json.loads(json.dumps(figures)) == figures
    for test in TESTS:
        assert tuple(figures["errors"][test]) == ALGORITHMS
        for row in figures["errors"][test].values():
            assert set(MEASURES) < set(row)
            assert row["relative_cdf"] == sorted(row["relative_cdf"])
            assert row["absolute_cdf"][0] == row["exact"]
    assert figures["questions"]["NAIVE"]["unordered_with_repeats"] == cm.sample_size(DELTA) ** 2
    assert figures["questions"]["CLUSTER"]["distinct"] < figures["questions"]["NAIVE"]["distinct"]
    assert 1 <= figures["epochs"]["made"] <= figures["epochs"]["allowed"] == 200


@pytest.mark.usefixtures("small_worlds")
def test_the_same_seed_gives_the_same_draw_and_another_another():
    assert draw() == draw()
    assert draw() != draw(number=1)
    assert draw() != draw(seed=1)


@pytest.mark.usefixtures("small_worlds")
def test_unseen_rows_were_never_sampled_and_tests_as_in_the_paper_use_all_rows():
    world = paper_world("adult", None)
    expert = world.expert(generator(0))
    samples, same = (
        {name: sample.drawn for name, sample in fitted.samples_.items()}
        for fitted in (
            estimator(algorithm, world.epsilon, DELTA, 0).fit(world.points, expert)
            for algorithm in ("NAIVE", "CLUSTER")
        )
    )
    tests = draw_tests(world, samples, 2_000, generator(1))
    for side, name in enumerate(world.groups):
        np.testing.assert_array_equal(samples[name], same[name])
        every = [tuple(row) for row in world.points[name]]
        seen = {every[row] for row in samples[name]}
        assert len(set(every)) < len(every), "equal rows are in the table"
        assert {tuple(row) for row in tests[UNSEEN_ROWS][side]} <= set(every) - seen
        share_seen = np.mean([tuple(row) in seen for row in tests["as in the paper"][side]])
        assert share_seen == pytest.approx(np.mean([row in seen for row in every]), abs=0.05)


def test_error_figures_are_those_of_the_definitions():
    figures = error_figures(np.array([1.0, 2.0, 3.0]), np.array([1.0, 1.0, 4.0]), epsilon=0.5)
    assert figures["relative_mean"] == pytest.approx((0.0 + 100.0 + 25.0) / 3)
    assert figures["relative_sd"] == pytest.approx(np.std([0.0, 100.0, 25.0]))
    assert figures["absolute_mean"] == pytest.approx((0.0 + 2.0 + 2.0) / 3)
    assert figures["exact"] == pytest.approx(1 / 3)
    assert dict(zip(RELATIVE_THRESHOLDS, figures["relative_cdf"]))[20.0] == pytest.approx(1 / 3)
    assert dict(zip(ABSOLUTE_THRESHOLDS, figures["absolute_cdf"]))[2.0] == 1.0


def test_a_relative_error_where_sigma_is_zero_is_refused():
    with pytest.raises(InvalidInput, match="σ is 0 for some test pairs"):
        error_figures(np.array([1.0]), np.array([0.0]), epsilon=0.1)


@pytest.mark.parametrize("make", [lambda: estimator("naive", 0.1, 0.1, 0), lambda: baseline("mlp", 0)])
def test_an_algorithm_that_does_not_exist_is_refused(make):
    with pytest.raises(InvalidParameter, match="must be one of"):
        make()


@pytest.mark.usefixtures("small_worlds")
@pytest.mark.parametrize("algorithm", ["NAIVE", "CLUSTER"])
def test_asking_on_demand_predicts_what_asking_everything_predicts(algorithm):
    world = paper_world("adult", None)
    expert = world.expert(generator(0))
    pairs = world.pairs(300, generator(1))
    on_demand = estimator(algorithm, 0.05, 0.05, 0)
    eager = estimator(algorithm, 0.05, 0.05, 0).set_params(ask="eager")
    np.testing.assert_array_equal(
        on_demand.fit(world.points, expert).predict(*pairs), eager.fit(world.points, expert).predict(*pairs)
    )
    assert on_demand.n_questions_ < eager.n_questions_


@pytest.mark.real_data
@pytest.mark.parametrize("name", ["credit-card-default", "adult", "give-me-some-credit"])
def test_the_real_worlds_are_two_groups_of_points_in_the_unit_cube(name):
    world = paper_world(name, None)
    assert len(world.points) == 2
    for points in world.points.values():
        assert points.min() >= 0.0
        assert points.max() <= 1.0
        assert len(points) > 10_000
