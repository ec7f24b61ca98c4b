"""What the demo does in which order; what it finds is checked against the committed figures in test_documents."""

import numpy as np
import pytest

from commensurate import BudgetedSimilarity
from commensurate.experiments.admissions import AdmissionsWorld
from commensurate.experiments.demo import (
    BUDGETED,
    CLUSTER,
    CURVE_BUDGETS,
    NAIVE,
    Demo,
    DemoPoint,
    curve_estimators,
    demo_estimators,
)


@pytest.fixture(scope="module")
def prepared():
    return Demo.prepare()


@pytest.fixture(scope="module")
def cluster(prepared):
    return prepared.judge(demo_estimators()[CLUSTER])


def test_held_out_applicants_are_fresh_draws(prepared):
    drawn = AdmissionsWorld.draw()
    for name, table in prepared.pairs.items():
        assert table.equals(drawn.held_out[name])
        assert not set(table.index) & set(prepared.world.tables[name].index)


def test_no_error_exceeds_the_bound_known_without_the_truth(cluster):
    assert cluster.interval == "certified"
    assert (cluster.errors <= cluster.error_bounds + 1e-12).all()


def test_certified_intervals_all_hold(cluster):
    assert cluster.share_held == 1.0


def test_few_answers_have_calibrated_intervals_and_no_bound(prepared):
    judged = prepared.judge(BudgetedSimilarity(budget=100, learner="gp", answer_error=0.0, random_state=0))
    assert judged.interval == "calibrated"
    assert judged.error_bounds is None
    assert np.isfinite(judged.upper).all()


def test_a_point_of_the_curve_is_what_judging_finds(prepared, cluster):
    assert prepared.curve_point(demo_estimators()[CLUSTER]) == cluster.point
    assert cluster.point == DemoPoint(int(cluster.figures()["questions"]), cluster.figures()["mean error"])


def test_every_estimator_has_a_curve_that_leaves_its_judged_point_out():
    judged, others = demo_estimators(), curve_estimators()
    assert list(judged) == list(others) == [NAIVE, CLUSTER, BUDGETED]
    assert [estimator.budget for estimator in others[BUDGETED]] == list(CURVE_BUDGETS)
    for name, estimator in judged.items():
        assert all(estimator.get_params() != other.get_params() for other in others[name])
