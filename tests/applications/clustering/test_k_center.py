"""What k-center on the closure returns, and what it refuses."""

import numpy as np
import pytest

from commensurate.applications import full_dissimilarity, k_center_on_closure
from commensurate.applications.clustering import k_center
from commensurate.errors import InvalidInput, InvalidParameter
from worlds.audit_worlds import World, unfitted

LINE = np.abs(np.arange(6.0)[:, None] - np.arange(6.0))


def test_elements_are_with_the_nearest_centre():
    found = k_center_on_closure(LINE, 2)
    assert found.centers.tolist() == [0, 5]
    assert found.labels.tolist() == [0, 0, 0, 1, 1, 1]
    assert found.closure_radius == found.radius == 2.0


def test_witnesses_share_no_centre_nearer_than_is_certified():
    found = k_center_on_closure(LINE, 2)
    assert len(found.witnesses) == 3
    for r in (found.best_radius_at_least - 0.01,):
        shares = [(LINE[:, x] <= r) & (LINE[:, y] <= r) for x in found.witnesses for y in found.witnesses if x < y]
        assert not np.any(shares)
    assert found.best_radius_at_least == 1.0


def test_as_many_centres_as_elements_leave_no_radius():
    found = k_center_on_closure(LINE, 6)
    assert found.radius == found.best_radius_at_least == 0.0
    assert len(found.witnesses) == 0
    assert sorted(found.labels.tolist()) == list(range(6))


def test_fewer_different_elements_than_centres_leave_no_radius():
    found = k_center_on_closure(np.zeros((5, 5)), 3)
    assert found.radius == found.closure_radius == found.best_radius_at_least == 0.0


def test_a_shorter_way_through_another_element_counts():
    matrix = np.array([[0.0, 5.0, 1.0], [5.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
    found = k_center_on_closure(matrix, 1)
    assert found.closure_radius == 2.0
    assert found.radius == 5.0
    assert found.best_radius_at_least == 1.0


def test_lower_bounds_certify_for_the_true_dissimilarity():
    world = World.draw(3)
    est = unfitted("naive", 3).fit(world.people(40, 3), world.sigma)
    people = world.people(12, 4)
    lower, estimate, upper = (
        k_center_on_closure(full_dissimilarity(est, people, use=bound)[0], 2)
        for bound in ("lower", "estimate", "upper")
    )
    assert lower.best_radius_at_least > 0.0
    assert lower.best_radius_at_least <= upper.radius
    assert estimate.closure_radius <= estimate.radius


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.zeros((2, 3)), "square matrix, got shape"),
        (np.zeros((0, 0)), "square matrix"),
        (np.array([[0.0, 1.0], [2.0, 0.0]]), "same in both directions"),
        (np.ones((2, 2)), "0 on the diagonal"),
        (np.array([[0.0, np.inf], [np.inf, 0.0]]), "finite"),
        (np.array([[0.0, -1.0], [-1.0, 0.0]]), "at least 0 everywhere"),
    ],
)
def test_what_is_no_dissimilarity_is_refused(matrix, message):
    with pytest.raises(InvalidInput, match=message):
        k_center_on_closure(matrix, 1)


@pytest.mark.parametrize("k", [0, 7, 1.5])
def test_so_many_centres_are_refused(k):
    with pytest.raises(InvalidParameter, match="n_clusters must be"):
        k_center_on_closure(LINE, k)


def test_too_many_elements_are_refused(monkeypatch):
    monkeypatch.setattr(k_center, "MOST_ELEMENTS", 5)
    with pytest.raises(InvalidParameter, match="can have at most 5 records, got 6"):
        k_center_on_closure(LINE, 2)
