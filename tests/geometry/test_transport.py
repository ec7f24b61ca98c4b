from itertools import permutations

import numpy as np
import pytest

from commensurate.errors import InvalidPoints
from commensurate.geometry import transport
from commensurate.geometry.transport import align


def rng(seed=0):
    return np.random.default_rng(seed)


def root_mean_square(errors):
    return np.sqrt((errors**2).sum(axis=1).mean())


def test_no_other_matching_costs_less():
    source, target = rng(1).random((6, 2)), 3.0 * rng(2).random((6, 2)) + 5.0
    found = (align(source, target, rng()).displacements ** 2).sum()
    assert found == pytest.approx(min(((target[list(p)] - source) ** 2).sum() for p in permutations(range(6))))


def test_a_shifted_copy_is_brought_back_exactly_whatever_its_order():
    source, fresh = rng(1).random((300, 3)), rng(2).random((50, 3))
    shift = np.array([0.7, -4.0, 100.0])
    found = align(source, rng(3).permutation(source + shift), rng())
    np.testing.assert_allclose(found.apply(fresh), fresh + shift, rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    "true_map",
    [lambda x: x + 0.7, lambda x: 1.6 * x - 0.3, lambda x: x * [0.5, 2.0]],
    ids=["shift", "scale", "stretch"],
)
def test_fresh_samples_reveal_a_shift_and_a_change_of_scale(true_map):
    source, target, fresh = rng(1).random((1000, 2)), true_map(rng(2).random((1000, 2))), rng(3).random((500, 2))
    left_as_they_are = root_mean_square(fresh - true_map(fresh))
    assert root_mean_square(align(source, target, rng()).apply(fresh) - true_map(fresh)) < 0.25 * left_as_they_are


def test_a_rotation_of_a_round_cloud_is_not_seen():
    angle = np.pi / 2
    rotation = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    fresh = rng(3).standard_normal((200, 2))
    found = align(rng(1).standard_normal((1000, 2)), rng(2).standard_normal((1000, 2)) @ rotation, rng())
    assert root_mean_square(found.apply(fresh) - fresh) < 0.2 * root_mean_square(fresh @ rotation - fresh)


@pytest.mark.parametrize("n_columns", [1, 2, 5, 13])
@pytest.mark.parametrize("true_map", [lambda x: x + 0.7, lambda x: 1.6 * x], ids=["shift", "scale"])
def test_several_neighbours_come_no_further_from_the_truth_than_one(true_map, n_columns):
    fresh = rng(3).random((200, n_columns))
    found = align(rng(1).random((200, n_columns)), true_map(rng(2).random((200, n_columns))), rng())
    nearest = ((fresh[:, None] - found.matched) ** 2).sum(axis=2).argmin(axis=1)
    by_one = root_mean_square(fresh + found.displacements[nearest] - true_map(fresh))
    assert root_mean_square(found.apply(fresh) - true_map(fresh)) < by_one


def test_groups_of_different_sizes_are_matched_as_far_as_the_smaller_reaches():
    found = align(rng(1).random((50, 2)), rng(2).random((20, 2)), rng())
    assert found.matched.shape == found.displacements.shape == (20, 2)
    assert len(np.unique(found.matched, axis=0)) == 20


def test_no_more_points_are_matched_than_can_be_matched_in_seconds(monkeypatch):
    monkeypatch.setattr(transport, "MOST_MATCHED", 30)
    source, target = rng(1).random((50, 2)), rng(2).random((40, 2))
    found = align(source, target, rng())
    assert len(found.matched) == 30
    assert {tuple(x) for x in found.matched} <= {tuple(x) for x in source}
    reached = found.matched + found.displacements
    assert np.abs(reached[:, None] - target).sum(axis=2).min(axis=1).max() < 1e-12


def test_the_seed_decides_which_points_are_drawn():
    source, target, fresh = rng(1).random((60, 2)), rng(2).random((40, 2)), rng(3).random((10, 2))
    first, again, other = (align(source, target, rng(seed)).apply(fresh) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_many_points_are_moved_as_one_by_one(monkeypatch):
    found, fresh = align(rng(1).random((40, 2)), rng(2).random((40, 2)), rng()), rng(3).random((25, 2))
    whole = found.apply(fresh)
    monkeypatch.setattr(transport, "AT_ONCE", 10)
    np.testing.assert_array_equal(found.apply(fresh), whole)


def test_one_point_of_either_is_enough():
    found = align(np.array([[1.0, 2.0]]), np.array([[5.0, 5.0]]), rng())
    np.testing.assert_array_equal(found.apply(np.zeros((2, 2))), [[4.0, 3.0], [4.0, 3.0]])


def test_no_point_is_moved_to_no_place():
    assert align(np.zeros((3, 2)), np.ones((3, 2)), rng()).apply(np.empty((0, 2))).shape == (0, 2)


@pytest.mark.parametrize("shapes", [((0, 2), (3, 2)), ((3, 2), (0, 2)), ((3, 2), (3, 1))])
def test_clouds_that_cannot_be_aligned_are_refused(shapes):
    with pytest.raises(InvalidPoints, match="same columns"):
        align(np.zeros(shapes[0]), np.zeros(shapes[1]), rng())
