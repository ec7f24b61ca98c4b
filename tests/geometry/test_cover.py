from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial import cKDTree

from benchmarks.tables import drawn, tables
from commensurate.errors import InvalidParameter
from commensurate.geometry import cover
from commensurate.geometry.cover import two_hop_cover
from commensurate.geometry.metrics import FunctionMetric, metric_named
from commensurate.geometry.norms import reduced_radius
from worlds.plain_distances import NAMES, OTHERS, cases, metric_for, plain_cover, within

pytestmark = pytest.mark.usefixtures("both_paths")

CASES = cases()
EUCLIDEAN = metric_named("euclidean", np.zeros((1, 1)))
MANHATTAN = metric_named("manhattan", np.zeros((1, 1)))
INTEGER_POINTS = arrays(np.int64, st.tuples(st.integers(1, 80), st.integers(1, 3)), elements=st.integers(0, 7))


def shuffled(n, seed=0):
    return np.random.default_rng(seed).permutation(n)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", [*NAMES, *OTHERS])
def test_the_cover_is_the_plain_algorithms_point_for_point(name, case):
    metric, points = metric_for(name, CASES[case][0])
    radius = CASES[case][1]
    order = shuffled(len(points))
    for reach in (0.0, radius, 3.0 * radius):
        expected = plain_cover(within(metric, points, points, reach), order)
        np.testing.assert_array_equal(two_hop_cover(points, metric, reach, order), expected)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", NAMES)
def test_blocks_and_threads_change_nothing(name, case, monkeypatch):
    metric, points = metric_for(name, CASES[case][0])
    radius = CASES[case][1]
    order = shuffled(len(points), seed=1)
    expected = two_hop_cover(points, metric, radius, order)
    monkeypatch.setattr(cover, "SMALL_JOB", 1)
    np.testing.assert_array_equal(two_hop_cover(points, metric, radius, order), expected)


@pytest.mark.slow
def test_a_large_mixed_table_in_blocks_equals_one_block(monkeypatch):
    rng = np.random.default_rng(2)
    n = 60_000
    points = np.column_stack([rng.integers(0, 6, (n, 4)) / 5.0, rng.lognormal(0.0, 2.0, (n, 3)) / 300.0])
    order = shuffled(n)
    in_blocks = two_hop_cover(points, EUCLIDEAN, 0.002, order)
    monkeypatch.setattr(cover, "SMALL_JOB", 2 * n)
    np.testing.assert_array_equal(two_hop_cover(points, EUCLIDEAN, 0.002, order), in_blocks)


def test_two_hops_go_through_a_sample_not_merely_twice_the_radius():
    apart = np.array([[0.0], [2.0]])
    assert two_hop_cover(apart, EUCLIDEAN, 1.0, np.arange(2)).tolist() == [0, 1]
    bridged = np.array([[0.0], [2.0], [1.0]])
    assert two_hop_cover(bridged, EUCLIDEAN, 1.0, np.arange(3)).tolist() == [0, 0, 0]


def test_a_bridge_that_is_already_covered_still_bridges():
    points = np.array([[1.0], [0.0], [2.0], [3.0], [4.0]])
    order = np.array([1, 3, 0, 2, 4])
    near = within(EUCLIDEAN, points, points, 1.0)
    np.testing.assert_array_equal(two_hop_cover(points, EUCLIDEAN, 1.0, order), plain_cover(near, order))


def test_the_representative_of_equal_rows_is_the_copy_that_is_scanned_first():
    points = np.array([[1.0], [1.0], [-0.0], [0.0]])
    assert two_hop_cover(points, EUCLIDEAN, 0.1, np.array([1, 3, 0, 2])).tolist() == [1, 1, 3, 3]


def test_a_function_is_asked_about_each_sample_point_of_a_ball_only_once():
    points = np.random.default_rng(0).random((300, 2))
    expanded = []

    def distance(left, right):
        if len(right) < len(points):
            expanded.extend(map(tuple, right))
        return np.abs(left[:, None] - right).sum(axis=2)

    two_hop_cover(points, FunctionMetric(distance), 0.1, shuffled(300))
    assert len(expanded) == len(set(expanded))


@given(INTEGER_POINTS, st.integers(0, 3), st.integers(0, 5))
def test_balls_of_representatives_are_disjoint_over_the_sample(points, radius, seed):
    points = points.astype(float)
    near = within(MANHATTAN, points, points, radius)
    representatives = np.unique(two_hop_cover(points, MANHATTAN, radius, shuffled(len(points), seed)))
    _, chosen = np.unique(points[representatives], axis=0, return_index=True)
    assert len(chosen) == len(representatives)
    assert near[representatives].sum(axis=0).max() <= 1


@given(INTEGER_POINTS, st.integers(0, 3), st.integers(0, 5))
def test_everyones_representative_shares_a_sample_with_them(points, radius, seed):
    points = points.astype(float)
    near = within(EUCLIDEAN, points, points, radius)
    representative = two_hop_cover(points, EUCLIDEAN, radius, shuffled(len(points), seed))
    assert (near & near[representative]).any(axis=1).all()
    np.testing.assert_array_equal(representative[representative], representative)


@given(INTEGER_POINTS, st.sampled_from([0, 2, 4]), st.integers(0, 5))
def test_there_are_no_more_representatives_than_greedy_sets_at_half_the_radius(points, radius, seed):
    points = points.astype(float)
    near = within(MANHATTAN, points, points, radius / 2)
    uncovered, n_sets = np.ones(len(points), dtype=bool), 0
    while uncovered.any():
        uncovered &= ~near[(near & uncovered).sum(axis=1).argmax()]
        n_sets += 1
    representatives = np.unique(two_hop_cover(points, MANHATTAN, radius, shuffled(len(points), seed)))
    assert len(representatives) <= n_sets


def test_no_points_need_no_representatives():
    assert two_hop_cover(np.empty((0, 2)), EUCLIDEAN, 1.0, np.empty(0, dtype=np.int64)).tolist() == []


@pytest.mark.parametrize("radius", [-1.0, np.nan])
def test_an_impossible_radius_is_refused(radius):
    with pytest.raises(InvalidParameter, match="radius must be a number from 0 upwards"):
        two_hop_cover(np.ones((2, 1)), EUCLIDEAN, radius, np.arange(2))


@pytest.mark.parametrize("order", [[0, 0], [0], [0, 2], [-1, 0]])
def test_an_order_that_is_no_permutation_is_refused(order):
    with pytest.raises(InvalidParameter, match="permutation of the 2 row numbers"):
        two_hop_cover(np.ones((2, 1)), EUCLIDEAN, 1.0, np.array(order))


def sparse_plain_cover(points, radius, order):
    """Run the plain algorithm on lists of neighbours;
    a slightly wider search proposes, the exact expression decides.
    """
    pairs = cKDTree(points).query_pairs(radius * 1.001, output_type="ndarray")
    total = np.zeros(len(pairs))
    for column in points.T:
        gap = column[pairs[:, 0]] - column[pairs[:, 1]]
        total += gap * gap
    pairs = pairs[total <= reduced_radius(EUCLIDEAN.norm, points.shape[1], radius)]
    ball = defaultdict(set)
    for i, j in pairs.tolist():
        ball[i].add(j)
        ball[j].add(i)
    representative = np.full(len(points), -1)
    for x in order.tolist():
        if representative[x] < 0:
            two_hops = {x, *ball[x]}.union(*(ball[z] for z in ball[x]))
            won = [y for y in two_hops if representative[y] < 0]
            representative[won] = x
    return representative


@pytest.fixture(scope="module")
def real_tables():
    return {table.name: table for table in tables()}


@pytest.mark.real_data
@pytest.mark.parametrize("name", ["adult", "credit", "give-me-some-credit"])
def test_the_cover_of_a_real_table_is_the_plain_algorithms(name, real_tables):
    table = real_tables[name]
    points, order = drawn(table, 13_816, seed=0), shuffled(13_816)
    expected = sparse_plain_cover(points, table.radius, order)
    np.testing.assert_array_equal(two_hop_cover(points, EUCLIDEAN, table.radius, order), expected)
