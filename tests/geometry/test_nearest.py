import numpy as np
import pytest
from scipy.spatial.distance import cdist

from commensurate.geometry.metrics import FunctionMetric, metric_named
from commensurate.geometry.nearest import NearestIndex
from worlds.plain_distances import NAMES, OTHERS, cases, metric_for, reduced

pytestmark = pytest.mark.usefixtures("both_paths")

CASES = cases()
EUCLIDEAN = metric_named("euclidean", np.zeros((1, 1)))


def queries_around(points):
    """Exact hits, points halfway between two, and points far outside."""
    rng = np.random.default_rng(3)
    between = 0.5 * (points[rng.integers(0, len(points), 60)] + points[rng.integers(0, len(points), 60)])
    return np.concatenate([points[:60], between, points[:5] * 10.0])


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", [*NAMES, *OTHERS])
def test_the_nearest_is_what_comparing_all_gives(name, case):
    metric, points = metric_for(name, CASES[case][0])
    queries = points[::2] if name == "precomputed" else queries_around(points)
    distances = reduced(metric, queries, points)
    index, distance = NearestIndex(points, metric).query(queries)
    np.testing.assert_array_equal(index, distances.argmin(axis=1))
    np.testing.assert_array_equal(distance, metric.paired(queries, points[index]))


@pytest.mark.slow
def test_many_queries_in_threads_get_the_same_answers_as_few():
    rng = np.random.default_rng(0)
    points = rng.integers(0, 12, (3_000, 3)).astype(float)
    queries = rng.integers(0, 24, (5_000, 3)) / 2.0
    index, _ = NearestIndex(points, EUCLIDEAN).query(queries)
    np.testing.assert_array_equal(index, reduced(EUCLIDEAN, queries, points).argmin(axis=1))


def test_ties_go_to_the_lowest_index_across_duplicates():
    points = np.array([[2.0], [0.0], [2.0], [0.0]])
    index, distance = NearestIndex(points, EUCLIDEAN).query(np.array([[1.0], [2.0], [0.0], [-0.0]]))
    assert index.tolist() == [0, 0, 1, 1]
    assert distance.tolist() == [1.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize("name", ["euclidean", "minkowski(3)"])
def test_an_exact_hit_loses_to_an_earlier_row_whose_distance_underflows_to_zero(name):
    points = np.array([[1e-200], [0.0], [5.0]])
    index, distance = NearestIndex(points, metric_named(name, points)).query(np.array([[0.0], [1e-200]]))
    assert index.tolist() == [0, 0]
    assert distance.tolist() == [0.0, 0.0]


def test_distances_that_overflow_tie_at_infinity():
    points = np.array([[1e300], [2e300], [-1e300]])
    index, _ = NearestIndex(points, EUCLIDEAN).query(np.array([[0.0]]))
    assert index.tolist() == [0]


def test_no_queries_give_no_answers():
    index, distance = NearestIndex(np.ones((3, 2)), EUCLIDEAN).query(np.empty((0, 2)))
    assert index.shape == distance.shape == (0,)


@pytest.mark.parametrize("function", ["cityblock", "rounded"])
def test_pivots_change_no_answer(function):
    rng = np.random.default_rng(1)
    points = np.round(rng.random((5_000, 2)), 2)  # many ties
    queries = np.round(rng.random((300, 2)), 2)

    def distance(left, right):
        if function == "cityblock":
            return cdist(left, right, "cityblock")
        squares = (left**2).sum(axis=1)[:, None] + (right**2).sum(axis=1) - 2.0 * np.einsum("ik,jk->ij", left, right)
        return np.sqrt(np.maximum(squares, 0.0))  # loses half its digits near 0

    evaluated = []

    def counted(left, right):
        evaluated.append(len(left) * len(right))
        return distance(left, right)

    index = NearestIndex(points, FunctionMetric(counted))
    evaluated.clear()
    nearest, distances = index.query(queries)
    expected = distance(queries, points)
    np.testing.assert_array_equal(nearest, expected.argmin(axis=1))
    np.testing.assert_array_equal(distances, expected.min(axis=1))
    assert sum(evaluated) < expected.size / 4
