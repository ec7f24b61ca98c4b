"""Repairs through representatives: whom they stand for, what they cost, what is said and what is refused."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from commensurate.applications import audit_fairness, repair_scores
from commensurate.applications.fairness import repair_cells as module
from commensurate.applications.fairness.repair_cells import EXACT_UP_TO, farthest_first
from commensurate.errors import InvalidParameter
from commensurate.geometry.metrics import metric_named
from worlds.audit_worlds import Recorder, World, some_scores, unfitted

WORLD = World.draw(3)
PEOPLE = WORLD.people(40, 3)
SCORES = some_scores(PEOPLE, 3)


@cache
def model(name="cluster"):
    return unfitted(name).fit(WORLD.people(60, 4), Recorder(WORLD.sigma))


@cache
def repair(name="cluster", **options):
    return repair_scores(model(name), PEOPLE, scores=SCORES, **options)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 1_000), n=st.integers(1, 40), count=st.integers(1, 50))
def test_radii_are_the_largest_distances_of_members(seed, n, count):
    points = np.round(np.random.default_rng(seed).random((n, 2)), 1)
    found = farthest_first(points, metric_named("euclidean", points), count)
    distances = cdist(points, points[found.rows])
    assert len(found.rows) <= count
    np.testing.assert_allclose(distances[np.arange(n), found.of], distances.min(axis=1), atol=1e-12)
    for number, radius in enumerate(found.radii):
        assert radius == pytest.approx(distances[found.of == number, number].max(), abs=1e-12)


def test_enough_representatives_are_everybody():
    exact, all_represented = repair(use="estimate"), repair(use="estimate", representatives=100)
    assert all_represented.representatives == {"a": 40, "b": 43}
    assert all_represented.largest_radius == 0.0
    assert all_represented.total_change == pytest.approx(exact.total_change)


def test_fewer_representatives_cost_more_and_say_so():
    found = repair(lipschitz=5.0, use="estimate", representatives=20)
    assert found.representatives == {"a": 20, "b": 20}
    assert found.largest_radius > 0.0
    assert found.total_change > repair(lipschitz=5.0, use="estimate").total_change
    assert "computed on representatives (20 in a, 20 in b)" in str(found)


def test_the_change_of_every_member_counts_and_not_of_representatives_only():
    """One representative for all: everybody gets the median of all."""
    found = repair(representatives=1)
    everybody = np.concatenate(list(SCORES.values()))
    assert found.total_change == pytest.approx(np.abs(everybody - np.median(everybody)).sum())


def test_by_estimates_no_pair_is_violated_and_no_more_is_said():
    """A member's estimate may be anywhere in its interval, whatever that of its representative is."""
    found = repair(lipschitz=5.0, use="estimate", representatives=20)
    assert "No pair is violated under the intervals (L = 5, certified intervals)." in str(found)
    assert "satisfy the condition" not in str(found)
    assert "All pairs satisfy the condition under the estimates" in str(repair(lipschitz=5.0, use="estimate"))
    audit = audit_fairness(model(), PEOPLE, scores=found.scores, lipschitz=5.0, pairs="all")
    assert (audit.verdicts["verdict"] != "violated").all()


def test_by_lower_bounds_all_pairs_are_certain_to_satisfy_the_condition():
    found = repair(lipschitz=20.0, representatives=20)
    assert "All pairs are certain to satisfy the condition, under the lower bounds (L = 20, certified" in str(found)
    audit = audit_fairness(model(), PEOPLE, scores=found.scores, lipschitz=20.0, pairs="all")
    assert (audit.verdicts["verdict"] == "satisfied").all()


def test_of_too_many_people_as_many_represent_as_can_be_compared(monkeypatch):
    monkeypatch.setattr(module, "EXACT_UP_TO", 50)
    found = repair_scores(model(), PEOPLE, scores=SCORES)
    assert found.representatives == {"a": 25, "b": 25}
    monkeypatch.setattr(module, "REPRESENTATIVES_OF_A_GROUP", 10)
    assert repair_scores(model(), PEOPLE, scores=SCORES).representatives == {"a": 10, "b": 10}


@pytest.mark.parametrize("count", [0, 2_001])
def test_more_representatives_than_can_be_compared_are_refused_and_so_are_none(count):
    message = f"representatives must be from 1 to 2,000 per group, 4,000 in all, got {count:,}; None chooses"
    with pytest.raises(InvalidParameter, match=message):
        repair(representatives=count)
    with pytest.raises(InvalidParameter, match="from 1 to 4,000 per group, 4,000 in all, got 4,001"):
        repair_scores(model(), {"a": PEOPLE["a"]}, scores={"a": SCORES["a"]}, representatives=4_001)


def test_a_number_of_representatives_that_is_none_is_refused():
    with pytest.raises(InvalidParameter, match="representatives must be a whole number"):
        repair(representatives=2.5)


def test_representatives_are_refused_for_calibrated_intervals():
    with pytest.raises(
        InvalidParameter,
        match="representatives are possible only with interval='certified', got interval='calibrated'$",
    ):
        repair("budgeted", interval="calibrated", representatives=10)
    many = {"a": np.random.default_rng(0).random((EXACT_UP_TO, 2)), "b": PEOPLE["b"]}
    scores = {name: np.zeros(len(each)) for name, each in many.items()}
    with pytest.raises(
        InvalidParameter, match="4,043 people are too many without representatives; pass at most 4,000 people"
    ):
        repair_scores(model("budgeted"), many, scores=scores, interval="calibrated")
