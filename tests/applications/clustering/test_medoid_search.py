"""FasterPAM with weights: the matrix is read as we take it to be read, and the search ends where no swap helps."""

import sys

import numpy as np
import pytest

from commensurate.applications.clustering.medoid_search import search_medoids
from commensurate.errors import MissingExtra


def cost(dissimilarity, weights, medoids):
    return float(weights @ dissimilarity[:, medoids].min(axis=1))


def some_case(seed, n=20):
    """No metric: distances in a plane within two groups, anything across; weights from 0 to 30."""
    rng = np.random.default_rng(seed)
    points = rng.random((n, 2))
    dissimilarity = np.linalg.norm(points[:, None] - points, axis=2)
    dissimilarity[:8, 8:] = rng.random((8, n - 8))
    dissimilarity[8:, :8] = dissimilarity[:8, 8:].T
    return dissimilarity, rng.integers(0, 31, n).astype(np.float64), rng


@pytest.mark.parametrize("k", [1, 2, 3, 7, 19])
def test_no_swap_lowers_the_weighted_cost(k):
    for seed in range(30):
        dissimilarity, weights, rng = some_case(seed)
        found = search_medoids(weights[:, None] * dissimilarity, k, n_init=1, max_iter=200, rng=rng)
        assert len(set(found.tolist())) == k
        assert (np.diff(found) > 0).all()
        ours = cost(dissimilarity, weights, found)
        for place in range(k):
            for candidate in range(len(weights)):
                swapped = np.concatenate([np.delete(found, place), [candidate]])
                assert cost(dissimilarity, weights, swapped) >= ours - 1e-9


def test_the_package_reports_the_weighted_cost_itself():
    import kmedoids

    for seed in range(50):
        dissimilarity, weights, _ = some_case(seed)
        found = kmedoids.fasterpam(weights[:, None] * dissimilarity, 4, random_state=seed, n_cpu=1)
        assert found.loss == pytest.approx(cost(dissimilarity, weights, found.medoids.astype(int)), abs=1e-9)


def test_many_searches_find_the_best_medoids_of_small_cases():
    from itertools import combinations

    for seed in range(10):
        dissimilarity, weights, rng = some_case(seed, n=12)
        best = min(cost(dissimilarity, weights, list(some)) for some in combinations(range(12), 3))
        found = search_medoids(weights[:, None] * dissimilarity, 3, n_init=20, max_iter=100, rng=rng)
        assert cost(dissimilarity, weights, found) == pytest.approx(best, abs=1e-9)


def test_an_element_with_a_weight_counts_as_often():
    dissimilarity, _, _ = some_case(3)
    weights = np.ones(20)
    weights[5] = 4.0
    repeated = np.concatenate([np.arange(20), [5, 5, 5]])
    one = search_medoids(weights[:, None] * dissimilarity, 3, n_init=20, max_iter=100, rng=np.random.default_rng(0))
    matrix = np.ascontiguousarray(dissimilarity[np.ix_(repeated, repeated)])
    other = search_medoids(matrix, 3, n_init=20, max_iter=100, rng=np.random.default_rng(0))
    ours, theirs = cost(dissimilarity, weights, one), cost(dissimilarity, weights, repeated[other])
    assert ours == pytest.approx(theirs, abs=1e-9)


def test_every_element_can_be_a_medoid():
    dissimilarity, weights, rng = some_case(0)
    np.testing.assert_array_equal(
        search_medoids(weights[:, None] * dissimilarity, 20, n_init=2, max_iter=10, rng=rng), np.arange(20)
    )


def test_where_all_are_equal_there_are_still_as_many_medoids():
    found = search_medoids(np.zeros((6, 6)), 3, n_init=2, max_iter=10, rng=np.random.default_rng(0))
    assert len(set(found.tolist())) == 3


def test_a_seed_gives_the_same_medoids_and_other_seeds_are_other_searches():
    dissimilarity, weights, _ = some_case(1, n=60)
    weighted = weights[:, None] * dissimilarity

    def searched(seed):
        return search_medoids(weighted, 10, n_init=1, max_iter=1, rng=np.random.default_rng(seed)).tolist()

    assert searched(4) == searched(4)
    assert len({tuple(searched(seed)) for seed in range(10)}) > 1


def test_without_the_package_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "kmedoids", None)
    with pytest.raises(MissingExtra, match=r"commensurate\[cluster\]"):
        search_medoids(np.zeros((3, 3)), 2, n_init=1, max_iter=1, rng=np.random.default_rng(0))
