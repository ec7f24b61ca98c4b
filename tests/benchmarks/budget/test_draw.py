"""A step gives the same figures again, and everybody keeps to the answers they are allowed."""

from dataclasses import asdict

import numpy as np
import pytest

from benchmarks.budget import draw, ours
from benchmarks.budget.catalogue import all_worlds
from benchmarks.budget.draw import run_all_questions, run_beside, run_ours
from benchmarks.budget.measures import error_figures
from benchmarks.budget.proxies import cluster_within
from benchmarks.budget.regressions import EXTRA_TREES_WITH_GAPS, random_answers, regression_names
from benchmarks.budget.worlds import draw_world

SPECS = {world.name: asdict(world) for world in all_worlds()}
pytestmark = pytest.mark.usefixtures("nearest_answer", "small_tables")


def figures(result):
    return {method: one["figures"] for method, one in result["methods"].items()}


@pytest.mark.parametrize("run", [run_ours, run_beside])
def test_a_step_gives_the_same_figures_again(run):
    spec = SPECS["merit-different-p-1-noisy"]
    one, again = (run(spec, seed=0, draw=1, answers=40, test_pairs=50, data_home=None) for _ in range(2))
    assert figures(one) == figures(again)


def test_nobody_gets_more_answers_than_allowed_and_regression_gets_all():
    for method, one in figures(run_beside(SPECS["merit-different-p-1-three-groups"], 0, 0, 50, 20, None)).items():
        assert one["questions"] <= 50
        if method not in ("NAIVE", "CLUSTER"):
            assert one["questions"] == 50


def test_gaps_between_columns_are_tried_only_where_columns_are_shared():
    for world in all_worlds()[-4:]:
        shared = draw_world(world, 0, 0, 1, None).shared
        assert shared == (world.columns == "same")
        assert (EXTRA_TREES_WITH_GAPS in regression_names(shared)) == shared


def test_cluster_comes_close_to_its_answers_where_elements_are_spread():
    world = draw_world(all_worlds()[-1], 0, 0, 1, None)
    cluster = cluster_within(world, 300, world.sigma, np.random.default_rng(0))
    assert 200 <= cluster.n_questions_ <= 300


def test_random_answers_use_every_row_before_one_comes_twice():
    world = draw_world(all_worlds()[-1], 0, 0, 1, None)
    asked = random_answers(world, 3 * 400, world.sigma, np.random.default_rng(0))
    for data in asked.values():
        assert len(np.unique(data.left[:300], axis=0)) == 300
        assert len(data.answers) == 400


def test_naive_with_all_questions_errs_less_than_with_few():
    spec = SPECS["mahalanobis-same-p-1"]
    (everything,) = figures(run_all_questions(spec, 0, 0, 200, None)).values()
    few = figures(run_beside(spec, 0, 0, 100, 200, None))["NAIVE"]
    assert everything["questions"] == 300 * 300
    assert everything["error_in_epsilon"] < few["error_in_epsilon"]


def test_under_noise_errors_are_against_sigma_and_intervals_against_a_new_answer(monkeypatch):
    class Knowing:
        n_questions_ = 0

        def fit(self, groups, oracle):
            return self

        def predict(self, A, B, between=None):
            return world.sigma(A, B, between)

        def predict_interval(self, A, B, between=None, **kind):
            exact = self.predict(A, B, between)
            return exact, exact

    monkeypatch.setattr(ours, "our_estimator", lambda *words: Knowing())
    monkeypatch.setattr(draw, "coverage_over_calibrations", lambda *words: None)
    spec = SPECS["chebyshev-same-p-1-noisy"]
    world = draw_world(next(each for each in all_worlds() if each.name == spec["name"]), 0, 0, 100, None)
    one = figures(run_ours(spec, 0, 0, 40, 100, None))["ours"]
    assert one["absolute_error"] == 0.0
    assert one["coverage"] < 0.05, "a new answer is off, whatever σ is"


def test_the_minkowski_mean_is_left_out_on_the_papers_worlds_alone():
    by_name = {world.name: ours.our_variants(world) for world in all_worlds()}
    with_three = {name for name, variants in by_name.items() if ours.WITHOUT_MINKOWSKI in variants}
    assert with_three == {"credit-card-default", "adult", "give-me-some-credit", "adult-noisy"}


def test_errors_of_pairs_of_groups_count_alike():
    world = draw_world(all_worlds()[-1], 0, 0, 4, None)
    off = [test.truth + gap for test, gap in zip(world.tests, (0.1, 0.2, 0.6))]
    assert error_figures(world.tests, off, epsilon=0.1)["error_in_epsilon"] == pytest.approx(3.0)
