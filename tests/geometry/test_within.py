import numpy as np
import pytest

from commensurate.errors import InvalidParameter
from commensurate.geometry.metrics import FunctionMetric, metric_named
from commensurate.geometry.within import count_within
from worlds.plain_distances import NAMES, OTHERS, cases, metric_for, within

pytestmark = pytest.mark.usefixtures("both_paths")

CASES = cases()
EUCLIDEAN = metric_named("euclidean", np.zeros((1, 1)))


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", [*NAMES, *OTHERS])
def test_counts_are_what_comparing_all_gives(name, case):
    metric, points = metric_for(name, CASES[case][0])
    radius = CASES[case][1]
    for reach in (0.0, radius, 3.0 * radius):
        expected = within(metric, points, points, reach).sum(axis=1)
        np.testing.assert_array_equal(count_within(points, points, metric, reach), expected)
        np.testing.assert_array_equal(count_within(points, points[::3], metric, reach), expected[::3])
        np.testing.assert_array_equal(count_within(points, points, metric, reach, stop_at=3), np.minimum(expected, 3))


@pytest.mark.slow
def test_many_queries_in_threads_get_the_same_counts():
    points = np.random.default_rng(0).integers(0, 30, (4_000, 2)).astype(float)
    expected = within(EUCLIDEAN, points, points, 5.0).sum(axis=1)
    np.testing.assert_array_equal(count_within(points, points, EUCLIDEAN, 5.0), expected)
    np.testing.assert_array_equal(count_within(points, points.copy(), EUCLIDEAN, 5.0), expected)


def test_counting_stops_early_with_a_function_too():
    evaluated = []

    def distance(left, right):
        evaluated.append(len(left) * len(right))
        return np.abs(left[:, None, 0] - right[:, 0])

    points = np.zeros((20_000, 1))
    assert count_within(points, points[:10], FunctionMetric(distance), 1.0, stop_at=5).tolist() == [5] * 10
    assert sum(evaluated) < 10 * 20_000


def test_an_infinite_radius_holds_everything():
    points = np.random.default_rng(0).random((100, 3))
    assert set(count_within(points, points, EUCLIDEAN, np.inf)) == {100}


def test_nothing_to_count_is_fine():
    assert count_within(np.empty((0, 2)), np.ones((3, 2)), EUCLIDEAN, 1.0).tolist() == [0, 0, 0]
    assert count_within(np.ones((3, 2)), np.ones((3, 2)), EUCLIDEAN, 1.0, stop_at=0).tolist() == [0, 0, 0]


@pytest.mark.parametrize(("radius", "stop_at"), [(-1.0, None), (np.nan, None), (1.0, -1)])
def test_impossible_arguments_are_refused(radius, stop_at):
    with pytest.raises(InvalidParameter, match="from 0 upwards"):
        count_within(np.ones((2, 1)), np.ones((2, 1)), EUCLIDEAN, radius, stop_at)
