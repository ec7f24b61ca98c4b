"""The matrix of everybody with everybody: symmetric, 0 on the diagonal, the same whatever is compared at once."""

import numpy as np
import pytest

from commensurate.applications import record_points as module
from commensurate.applications.record_points import every_pair

POINTS = {"a": np.array([[1.0], [2.0], [4.0]]), "b": np.array([[10.0], [20.0]]), "c": np.array([[7.0]])}
EVERYBODY = np.concatenate(list(POINTS.values()))[:, 0]


def differences(between, left, right):
    return np.abs(left - right[:, 0])


def test_each_entry_is_that_of_its_two_elements_in_the_order_of_the_groups():
    np.testing.assert_array_equal(every_pair(POINTS, differences), np.abs(EVERYBODY[:, None] - EVERYBODY))


@pytest.mark.parametrize("at_once", [1, 3, 4])
def test_what_is_compared_at_once_does_not_matter(at_once, monkeypatch):
    monkeypatch.setattr(module, "_AT_ONCE", at_once)
    np.testing.assert_array_equal(every_pair(POINTS, differences), np.abs(EVERYBODY[:, None] - EVERYBODY))


def test_two_groups_are_compared_once_and_named_in_their_order():
    asked = []

    def recorded(between, left, right):
        asked.append(between)
        return differences(between, left, right)

    every_pair(POINTS, recorded)
    assert asked == [("a", "a"), ("a", "b"), ("a", "c"), ("b", "b"), ("b", "c"), ("c", "c")]


def test_within_a_group_the_smaller_of_both_ways_counts_and_nobody_differs_from_himself():
    def uneven(between, left, right):
        return np.abs(left - right[:, 0]) + 0.5 + 0.25 * (left > right[:, 0])

    matrix = every_pair({"a": POINTS["a"]}, uneven)
    np.testing.assert_array_equal(matrix, [[0.0, 1.5, 3.5], [1.5, 0.0, 2.5], [3.5, 2.5, 0.0]])


def test_nobody_gives_an_empty_matrix():
    assert every_pair({"a": np.empty((0, 1))}, differences).shape == (0, 0)
