"""Our estimator itself, in a world that it learns in no time."""

from dataclasses import asdict

import pytest

from benchmarks.budget.catalogue import all_worlds
from benchmarks.budget.draw import run_ours
from benchmarks.budget.ours import GP_ALONE, LEARNERS, our_estimator

SPECS = {world.name: asdict(world) for world in all_worlds()}


@pytest.fixture
def the_process_alone(monkeypatch):
    monkeypatch.setattr("benchmarks.budget.draw.our_variants", lambda spec: (GP_ALONE,))


@pytest.mark.usefixtures("the_process_alone", "small_tables")
@pytest.mark.parametrize("name", ["chebyshev-same-p-1", "merit-different-p-1-noisy"])
def test_it_asks_as_often_as_it_may_and_gives_the_same_figures_again(name):
    one, again = (run_ours(SPECS[name], 0, 0, 100, 50, None)["methods"][GP_ALONE]["figures"] for _ in range(2))
    assert one == again
    assert one["questions"] == 100
    assert one["finite_share"] == 1.0
    assert one["coverage"] > 0.5


@pytest.mark.usefixtures("the_process_alone", "small_tables")
def test_too_few_held_out_answers_make_intervals_infinite_and_are_counted():
    (one,) = run_ours(SPECS["merit-different-p-1-three-groups"], 0, 0, 60, 20, None)["methods"].values()
    assert (one["figures"]["finite_share"], one["figures"]["width"]) == (0.0, None)


@pytest.mark.parametrize("variant", LEARNERS)
def test_every_variant_is_a_learner_that_the_estimator_knows(variant):
    estimator = our_estimator(variant, answers=30, noisy=False, seed=0)
    points = {"a": [[float(k)] for k in range(40)], "b": [[float(k)] for k in range(40)]}
    assert len(estimator.plan(points).questions) == 30
