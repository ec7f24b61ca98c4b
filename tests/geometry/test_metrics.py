import numpy as np
import pytest
from scipy.spatial.distance import cdist

from commensurate.errors import InvalidMetric, InvalidParameter
from commensurate.geometry.metrics import (
    FunctionMetric,
    PrecomputedMetric,
    mahalanobis,
    metric_named,
    minkowski,
    probe_metric,
    same_metric,
)
from commensurate.geometry.norms import EUCLIDEAN, HAMMING, MINKOWSKI, Norm, finished, reduced_radius

RNG = np.random.default_rng(0)
X, Y = RNG.random((30, 4)), RNG.random((30, 4))


@pytest.mark.parametrize(
    ("name", "peer", "options"),
    [
        ("euclidean", "euclidean", {}),
        ("manhattan", "cityblock", {}),
        ("chebyshev", "chebyshev", {}),
        ("minkowski(3)", "minkowski", {"p": 3}),
        ("minkowski(1.5)", "minkowski", {"p": 1.5}),
        ("hamming", "hamming", {}),
    ],
)
def test_a_norm_equals_scipy_to_the_last_bits(name, peer, options):
    left, right = (np.round(X, 1), np.round(Y, 1)) if name == "hamming" else (X, Y)
    metric, expected = metric_named(name, left), cdist(left, right, peer, **options)
    np.testing.assert_allclose(metric.pairwise(left, right), expected, rtol=1e-14)
    np.testing.assert_allclose(metric.paired(left, right), np.diagonal(expected), rtol=1e-14)


def test_mahalanobis_learns_its_covariance_from_the_points_and_says_so():
    metric = metric_named("mahalanobis", X)
    expected = cdist(X, Y, "mahalanobis", VI=np.linalg.inv(np.cov(X, rowvar=False)))
    np.testing.assert_allclose(metric.pairwise(X, Y), expected, rtol=1e-10)
    assert metric.learnt
    assert not mahalanobis(np.eye(4)).learnt


def test_a_singular_mahalanobis_is_a_pseudo_metric():
    metric = mahalanobis(np.diag([1.0, 0.0]))
    assert metric.paired(np.array([[0.0, 0.0]]), np.array([[3.0, 9.0]])).tolist() == [3.0]
    flat = metric_named("mahalanobis", np.array([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]]))
    assert np.isfinite(flat.pairwise(X[:, :2], Y[:, :2])).all()


def test_an_embedding_of_a_row_does_not_depend_on_its_neighbours():
    metric = metric_named("mahalanobis", X)
    np.testing.assert_array_equal(metric.embed(X)[7:8], metric.embed(X[7:8]))


def test_angular_is_the_angle_in_half_turns():
    metric = metric_named("angular", X)
    left, right = np.array([[1.0, 0.0], [1.0, 0.0], [2.0, 0.0]]), np.array([[0.0, 3.0], [-1.0, 0.0], [1.0, 0.0]])
    np.testing.assert_allclose(metric.paired(left, right), [0.5, 1.0, 0.0], atol=1e-15)
    np.testing.assert_allclose(metric.norm_radius(0.5), np.sqrt(2.0))


@pytest.mark.parametrize("radius", [0.0, 0.1, 1.0 / 3.0, 0.7, 2.0, 1e-9, 1e9])
@pytest.mark.parametrize("norm", [Norm(EUCLIDEAN), Norm(MINKOWSKI, 3.0), Norm(MINKOWSKI, 1.0)])
def test_the_reduced_radius_is_the_largest_reduced_distance_within_the_radius(norm, radius):
    reduced = reduced_radius(norm, 5, radius)
    assert finished(norm, 5, reduced) <= radius
    assert finished(norm, 5, np.nextafter(reduced, np.inf)) > radius


def test_a_radius_whose_power_overflows_reaches_everything_that_can_be_measured():
    reach = reduced_radius(Norm(MINKOWSKI, 100.0), 2, 4000.0)
    assert reach == np.finfo(np.float64).max


def test_metrics_are_the_same_only_if_they_measure_alike():
    identity, larger = mahalanobis(np.eye(2)), mahalanobis(100 * np.eye(2))
    assert same_metric(identity, mahalanobis(np.eye(2)))
    assert not same_metric(identity, larger)
    assert not same_metric(FunctionMetric(lambda a, b: cdist(a, b)), FunctionMetric(lambda a, b: cdist(a, b)))
    assert not same_metric(metric_named("euclidean", X), metric_named("manhattan", X))
    assert not same_metric(metric_named("euclidean", X), FunctionMetric(cdist))


def test_the_reduced_radius_of_hamming_counts_columns():
    assert reduced_radius(Norm(HAMMING), 10, 0.3) == 3.0
    assert reduced_radius(Norm(HAMMING), 10, 5.0) == 10.0
    assert reduced_radius(Norm(EUCLIDEAN), 10, np.inf) == np.inf


@pytest.mark.parametrize("p", [0.99, 0.0, -1.0, 101.0, np.nan])
def test_minkowski_needs_an_exponent_for_which_it_is_a_metric(p):
    with pytest.raises(InvalidParameter, match="from 1 to 100"):
        minkowski(p)


@pytest.mark.parametrize("matrix", [[[1.0, 2.0]], [[1.0, 0.5], [0.0, 1.0]], [[1.0, 0.0], [0.0, -1.0]], [[np.nan]]])
def test_mahalanobis_needs_a_symmetric_positive_semidefinite_matrix(matrix):
    with pytest.raises(InvalidMetric, match="mahalanobis needs"):
        mahalanobis(matrix)


def test_a_callable_is_checked_for_shape_and_sense():
    with pytest.raises(InvalidMetric, match=r"shape \(30, 30\).*got \(30,\)"):
        FunctionMetric(lambda a, b: np.zeros(len(a))).pairwise(X, Y)
    with pytest.raises(InvalidMetric, match="non-negative.*row 0 of the first and row 2"):
        FunctionMetric(lambda a, b: np.where(np.arange(len(b)) == 2, -1.0, 0.0) * np.ones((len(a), 1))).pairwise(X, Y)


def test_a_callable_pairs_rows_in_blocks():
    metric = FunctionMetric(lambda a, b: cdist(a, b))
    left, right = RNG.random((150, 3)), RNG.random((150, 3))
    np.testing.assert_array_equal(metric.paired(left, right), np.diagonal(cdist(left, right)))
    assert metric.paired(left[:0], right[:0]).shape == (0,)


def test_precomputed_distances_are_looked_up_by_row_number():
    matrix = cdist(X, X)
    metric = PrecomputedMetric(matrix)
    rows = np.array([[3.0], [5.0]])
    np.testing.assert_array_equal(metric.pairwise(rows, rows), matrix[np.ix_([3, 5], [3, 5])])
    np.testing.assert_array_equal(metric.paired(rows, rows[::-1]), matrix[[3, 5], [5, 3]])


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda a, b: cdist(a, b) + 1.0, "to itself, which must be 0"),
        (lambda a, b: cdist(a, b) * (1.0 + (a.sum(1)[:, None] > b.sum(1)[None])), "is not symmetric"),
        (lambda a, b: cdist(a, b) ** 2, "triangle inequality"),
    ],
)
def test_the_probe_names_the_points_that_break_an_axiom(function, message):
    with pytest.raises(InvalidMetric, match=message) as caught:
        probe_metric(FunctionMetric(function), X, "group 'a'")
    assert "group 'a'" in str(caught.value)


def test_the_probe_finds_the_three_points_of_a_broken_triangle():
    matrix = np.ones((100, 100)) - np.eye(100)
    matrix[3, 60] = matrix[60, 3] = 2.5
    with pytest.raises(InvalidMetric, match=r"d\(3, 60\) = 2.5 is more than d\(3, \d+\) \+ d\(\d+, 60\) = 1 \+ 1"):
        probe_metric(PrecomputedMetric(matrix[:64, :64]), np.arange(64.0)[:, None])


@pytest.mark.parametrize(
    "name", ["euclidean", "manhattan", "chebyshev", "minkowski(3)", "hamming", "angular", "mahalanobis"]
)
def test_the_probe_passes_what_is_a_metric(name):
    probe_metric(metric_named(name, X), X)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda a, b: cdist(a, b) + 1e-7, "to itself"),
        (lambda a, b: cdist(a, b) * (1.0 + 1e-7 * (a.sum(1)[:, None] > b.sum(1)[None])), "is not symmetric"),
        (lambda a, b: cdist(a[:, :1], b[:, :1]).astype(np.float32), "triangle inequality"),
    ],
)
def test_the_probe_says_when_rounding_may_be_the_cause(function, message):
    with pytest.raises(InvalidMetric, match=f"{message}.*rounding inside the function"):
        probe_metric(FunctionMetric(function), X)


def test_the_probe_does_not_blame_rounding_for_a_broken_axiom():
    with pytest.raises(InvalidMetric, match="need a metric$"):
        probe_metric(FunctionMetric(lambda a, b: cdist(a, b) ** 2), X)
