"""A one-to-one matching has the least total estimate of all pairs, and says what that is worth."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

import commensurate as cm
from commensurate.applications.retrieval import matching as matching_module
from commensurate.applications.retrieval.matching import match_one_to_one
from commensurate.errors import InvalidInput, InvalidParameter, NotFittedError
from worlds.audit_worlds import World, unfitted
from worlds.few_answers import POINTS, budgeted
from worlds.few_answers import sigma as few_sigma

WORLD = World.draw(2, "abc")
FITTED = WORLD.people(40, 0)
PEOPLE = WORLD.people(12, 1)


@pytest.fixture(scope="module")
def est():
    return unfitted("cluster").fit(FITTED, WORLD.sigma)


def least_total(matrix):
    """The least total of all matchings, tried one by one."""
    matrix = matrix if matrix.shape[0] <= matrix.shape[1] else matrix.T
    rows = np.arange(len(matrix))
    return min(matrix[rows, list(columns)].sum() for columns in permutations(range(matrix.shape[1]), len(matrix)))


small_points = st.lists(st.integers(0, 4), min_size=1, max_size=5).map(lambda xs: np.array(xs, float)[:, None])


@settings(max_examples=40)
@given(
    A=small_points,
    B=small_points,
    between=st.sampled_from([("a", "b"), ("b", "a"), ("a", "a")]),
    symmetric=st.booleans(),
)
def test_no_matching_has_a_smaller_total(A, B, between, symmetric):
    groups = {"a": np.array([[0.0], [1.0], [3.0]]), "b": np.array([[0.0], [2.0], [4.0]])}
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.3, symmetric=symmetric, random_state=0)
    est.fit(groups, lambda left, right, between: np.abs(left - right)[:, 0] + (0.5 if between[0] > between[1] else 0.0))
    found = match_one_to_one(est, A, B, between=between)
    matrix = est.predict_matrix(A, B, between)
    assert found.total == pytest.approx(least_total(matrix))
    pairs = found.pairs
    assert len(pairs) == min(len(A), len(B))
    assert pairs["left"].is_unique
    assert pairs["right"].is_unique
    np.testing.assert_array_equal(pairs["estimate"], matrix[pairs["left"], pairs["right"]])


@pytest.mark.parametrize("kind", ["proxy", "certified"])
@pytest.mark.parametrize("between", [("a", "b"), ("b", "a"), ("c", "b")])
def test_the_lower_bound_is_the_least_total_of_the_lower_ends(est, between, kind):
    left, right = PEOPLE[between[0]][:5], PEOPLE[between[1]][:7]
    found = match_one_to_one(est, left, right, between=between, interval=kind)
    every = np.repeat(left, len(right), axis=0), np.tile(right, (len(left), 1))
    if kind == "certified":
        lower, _ = est.predict_interval(*every, between)
    else:
        reach = sum(est.proxy_distances(points, name) for points, name in zip(every, between))
        lower = np.maximum(est.predict(*every, between) - reach, 0.0)
    expected = least_total(lower.reshape(len(left), len(right)))
    assert found.optimum_bounds == pytest.approx((expected, found.pairs["upper"].sum()), abs=1e-12)
    assert found.optimum_bounds[1] > found.optimum_bounds[0]


@pytest.mark.parametrize(("n_left", "n_right"), [(5, 5), (3, 6), (6, 3)])
def test_a_learnt_function_is_matched_and_bounded_too(n_left, n_right):
    learnt = budgeted().fit(POINTS, few_sigma)
    left, right = POINTS["a"][:n_left], POINTS["b"][:n_right]
    found = match_one_to_one(learnt, left, right)
    assert found.total == pytest.approx(least_total(learnt.predict_matrix(left, right)))
    every = np.repeat(left, n_right, axis=0), np.tile(right, (n_left, 1))
    lower, _ = learnt.predict_interval(*every, interval="certified")
    assert found.optimum_bounds[0] == pytest.approx(least_total(lower.reshape(n_left, n_right)))
    calibrated = match_one_to_one(learnt, left, right, interval="calibrated", confidence_level=0.5)
    assert calibrated.optimum_bounds is None
    assert "under the true" not in str(calibrated)
    assert (calibrated.pairs["upper"] > calibrated.pairs["estimate"]).all()


def test_within_a_group_the_total_is_known(est):
    found = match_one_to_one(est, PEOPLE["a"][:6], PEOPLE["a"][6:], between=("a", "a"))
    assert found.optimum_bounds == (found.total, found.total)
    assert found.total == pytest.approx(least_total(cdist(PEOPLE["a"][:6], PEOPLE["a"][6:])))


def test_duplicates_are_matched_one_by_one(est):
    found = match_one_to_one(est, np.repeat(PEOPLE["a"][:1], 4, axis=0), PEOPLE["b"], between=("a", "b"))
    cheapest = np.sort(est.predict_matrix(PEOPLE["a"][:1], PEOPLE["b"], ("a", "b"))[0])[:4]
    assert found.total == pytest.approx(cheapest.sum())


def test_nobody_is_matched_with_nobody(est):
    found = match_one_to_one(est, np.empty((0, 2)), PEOPLE["b"], between=("a", "b"))
    assert (len(found.pairs), found.total, found.optimum_bounds) == (0, 0.0, (0.0, 0.0))


def test_sides_that_are_too_large_are_refused_before_anything_is_computed(est, monkeypatch):
    monkeypatch.setattr(matching_module, "estimates_of", lambda sides: pytest.fail("computed"))
    with pytest.raises(InvalidInput, match="up to 5,000 records per side, got 5,001 in B"):
        match_one_to_one(est, PEOPLE["a"], np.zeros((5_001, 3)), between=("a", "b"))


def test_what_is_no_fitted_model_is_not_matched():
    with pytest.raises(InvalidParameter, match="got dict"):
        match_one_to_one({}, PEOPLE["a"], PEOPLE["b"])
    with pytest.raises(NotFittedError, match="not fitted yet"):
        match_one_to_one(unfitted("naive"), PEOPLE["a"], PEOPLE["b"])


def test_a_matching_says_what_it_found(est):
    found = match_one_to_one(est, PEOPLE["a"], PEOPLE["b"], between=("a", "b"))
    lower, upper = found.optimum_bounds
    assert str(found) == (
        f"12 pairs with a total estimate of {found.total:.6g}; the smallest total under the true dissimilarity is between "
        f"{lower:.6g} and {upper:.6g}, if M1 and M2 hold, the metrics are right and no answer is off by more than answer_error."
    )
