import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from commensurate.errors import InvalidParameter
from commensurate.geometry import threads, weighted_nearest
from commensurate.geometry.metrics import metric_named
from commensurate.geometry.weighted_nearest import WeightedNearest, least_sums
from worlds.plain_distances import NAMES, OTHERS, cases, metric_for

CASES = cases()
EUCLIDEAN = metric_named("euclidean", np.zeros((1, 1)))
NORMS = ["euclidean", "manhattan", "chebyshev", "minkowski(3)", "hamming"]


@pytest.fixture(scope="module", params=["all distances", "tree"], autouse=True)
def both_paths(request):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(weighted_nearest, "TREE_PAYS_FROM", 0 if request.param == "tree" else np.inf)
        yield


def all_values(points, metric, weights, slope, queries):
    return weights - slope * metric.pairwise(queries, points)


def queries_around(points):
    """Exact hits, points halfway between two, and points far outside."""
    rng = np.random.default_rng(3)
    between = 0.5 * (points[rng.integers(0, len(points), 100)] + points[rng.integers(0, len(points), 100)])
    return np.concatenate([points[:60], between, points[:5] * 10.0])


def weights_of_kind(kind, n):
    rng = np.random.default_rng(5)
    if kind == "tied":
        return rng.integers(0, 3, n) / 2.0
    if kind == "partly -inf":
        return np.where(rng.random(n) < 0.7, -np.inf, rng.random(n))
    return rng.random(n)


def assert_best_of_all(points, metric, weights, slope, queries):
    expected = all_values(points, metric, weights, slope, queries)
    row, value = WeightedNearest(points, metric, weights, slope).query(queries)
    np.testing.assert_array_equal(value, weights[row] - slope * metric.paired(queries, points[row]))
    if metric.name == "angular":  # compared with another arcsine than NumPy's
        np.testing.assert_allclose(value, expected.max(axis=1), rtol=1e-14, atol=1e-14)
    else:
        np.testing.assert_array_equal(value, expected.max(axis=1))
        np.testing.assert_array_equal(row, expected.argmax(axis=1))


@pytest.mark.parametrize("slope", [0.1, 1.0, 20.0])
@pytest.mark.parametrize("kind", ["different", "tied", "partly -inf"])
@pytest.mark.parametrize("name", [*NAMES, *OTHERS])
def test_the_best_is_what_comparing_all_gives(name, kind, slope):
    for case in CASES.values():
        metric, points = metric_for(name, case[0])
        queries = points[::2] if name == "precomputed" else queries_around(points)
        assert_best_of_all(points, metric, weights_of_kind(kind, len(points)), slope, queries)


@settings(deadline=None, max_examples=100)
@given(data=st.data(), name=st.sampled_from(NORMS), slope=st.floats(1e-3, 1e3))
def test_no_bound_loses_the_winner_or_a_tie(data, name, slope):
    n_columns = data.draw(st.integers(1, 6))
    coordinate = st.one_of(st.integers(-2, 2).map(float), st.floats(-10.0, 10.0))
    weight = st.one_of(st.just(-np.inf), st.integers(-2, 2).map(float), st.floats(-10.0, 10.0))
    n_points = data.draw(st.integers(1, 40))
    points = data.draw(arrays(np.float64, (n_points, n_columns), elements=coordinate))
    queries = data.draw(arrays(np.float64, (data.draw(st.integers(1, 20)), n_columns), elements=coordinate))
    weights = data.draw(arrays(np.float64, n_points, elements=weight))
    assert_best_of_all(points, metric_named(name, points), weights, slope, queries)


@pytest.mark.parametrize("n_threads", [1, 3])
@pytest.mark.parametrize("slope", [0.2, 3.0])
def test_many_queries_get_the_same_answers_in_any_number_of_threads(monkeypatch, n_threads, slope):
    monkeypatch.setattr(threads, "thread_count", lambda: n_threads)
    rng = np.random.default_rng(0)
    points = rng.integers(0, 12, (1_500, 3)).astype(float)
    queries = rng.integers(0, 24, (3_000, 3)) / 2.0
    assert_best_of_all(points, EUCLIDEAN, rng.integers(0, 20, 1_500) / 4.0, slope, queries)


def test_of_equal_points_the_one_with_the_greatest_weight_wins():
    points = np.array([[2.0], [2.0], [0.0], [2.0]])
    weights = np.array([0.0, 1.0, 0.5, 1.0])
    row, value = WeightedNearest(points, EUCLIDEAN, weights, 1.0).query(np.array([[2.0], [0.0], [-0.0], [3.0]]))
    assert row.tolist() == [1, 2, 2, 1]
    assert value.tolist() == [1.0, 0.5, 0.5, 0.0]


def test_ties_go_to_the_lowest_index_whether_near_and_light_or_far_and_heavy():
    points = np.array([[3.0], [1.0], [-2.0], [0.0]])
    row, value = WeightedNearest(points, EUCLIDEAN, np.array([3.0, 1.0, 2.0, 0.0]), 1.0).query(np.array([[0.0]]))
    assert row.tolist() == [0]
    assert value.tolist() == [0.0]


def test_equal_points_tie_where_their_weights_vanish_in_rounding():
    points = np.array([[0.0], [0.0]])
    row, _ = WeightedNearest(points, EUCLIDEAN, np.array([0.0, 1.0]), 1.0).query(np.array([[1e15], [1e17]]))
    assert row.tolist() == [1, 0]


def test_without_a_point_that_can_win_row_0_is_returned_with_minus_infinity():
    row, value = WeightedNearest(np.ones((40, 2)), EUCLIDEAN, np.full(40, -np.inf), 1.0).query(np.zeros((3, 2)))
    assert row.tolist() == [0, 0, 0]
    assert value.tolist() == [-np.inf] * 3


def test_distances_that_overflow_tie_with_points_that_never_win():
    points = np.array([[1e300], [2e300], [-1e300]])
    row, value = WeightedNearest(points, EUCLIDEAN, np.array([-np.inf, 1.0, 2.0]), 1.0).query(np.array([[0.0]]))
    assert row.tolist() == [0]
    assert value.tolist() == [-np.inf]


@pytest.mark.parametrize("slope", [5e-324, 1e-300, 1e300])
def test_extreme_slopes_leave_weights_or_distances_to_decide(slope):
    rng = np.random.default_rng(2)
    points = rng.random((200, 2))
    assert_best_of_all(points, EUCLIDEAN, rng.random(200), slope, rng.random((50, 2)))


def test_no_queries_give_no_answers():
    row, value = WeightedNearest(np.ones((3, 2)), EUCLIDEAN, np.zeros(3), 1.0).query(np.empty((0, 2)))
    assert row.shape == value.shape == (0,)


@pytest.mark.parametrize("weights", [np.zeros(2), np.zeros((3, 1))])
def test_weights_that_do_not_fit_the_points_are_refused(weights):
    with pytest.raises(InvalidParameter, match="for 3 point"):
        WeightedNearest(np.ones((3, 2)), EUCLIDEAN, weights, 1.0)


def test_no_points_are_refused():
    with pytest.raises(InvalidParameter, match="at least one point"):
        WeightedNearest(np.empty((0, 2)), EUCLIDEAN, np.empty(0), 1.0)


@pytest.mark.parametrize("slope", [0.0, -1.0, np.inf, np.nan])
def test_a_slope_that_is_not_positive_and_finite_is_refused(slope):
    with pytest.raises(InvalidParameter, match="slope must be positive and finite"):
        WeightedNearest(np.ones((3, 2)), EUCLIDEAN, np.zeros(3), slope)


@pytest.mark.parametrize("name", NORMS)
def test_the_least_sum_of_cost_and_distance_is_what_comparing_all_gives(name):
    rng = np.random.default_rng(8)
    points, costs = rng.random((300, 3)), np.where(rng.random(300) < 0.3, np.inf, rng.random(300))
    metric, queries = metric_named(name, points), queries_around(points)
    expected = (costs + metric.pairwise(queries, points)).min(axis=1)
    np.testing.assert_array_equal(least_sums(points, metric, costs, queries), expected)
