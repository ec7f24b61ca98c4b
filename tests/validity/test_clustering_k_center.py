"""k-center on the closure is within a factor of 2 of the best, and its certificates never claim too much."""

from itertools import combinations

import numpy as np
import pytest

from commensurate.applications import k_center_on_closure
from commensurate.applications.clustering.k_center import shortest_path_closure
from worlds.audit_worlds import World
from worlds.clustering_worlds import true_dissimilarity

ROUNDING = 1e-9


def best_radius(matrix, k):
    return min(matrix[:, list(centers)].min(axis=1).max() for centers in combinations(range(len(matrix)), k))


def matrices():
    """Dissimilarities that are no metric: true ones of a world, random ones, and ones with many zeros."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        yield true_dissimilarity(World.draw(seed).sigma, World.draw(seed).people(5, seed))
        for values in (rng.random((10, 10)), rng.random((10, 10)) * (rng.random((10, 10)) > 0.4)):
            upper = np.triu(values, 1)
            yield upper + upper.T


def symmetric(matrix):
    return np.minimum(matrix, matrix.T) * (1.0 - np.eye(len(matrix)))


@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_radius_on_the_closure_is_at_most_twice_the_best(k):
    ratios = []
    for matrix in map(symmetric, matrices()):
        found, closure = k_center_on_closure(matrix, k), shortest_path_closure(matrix)
        best = best_radius(closure, k)
        assert best - ROUNDING <= found.closure_radius <= 2.0 * best + ROUNDING
        assert found.closure_radius == closure[:, found.centers].min(axis=1).max()
        ratios.append(found.closure_radius / best if best else 1.0)
    assert max(ratios) > 1.2


@pytest.mark.parametrize("k", [1, 2, 3])
def test_no_centres_have_a_smaller_radius_than_is_certified(k):
    shares = []
    for matrix in map(symmetric, matrices()):
        found = k_center_on_closure(matrix, k)
        assert found.closure_best_radius_at_least <= best_radius(shortest_path_closure(matrix), k) + ROUNDING
        assert found.best_radius_at_least <= best_radius(matrix, k) + ROUNDING
        # half of the radius on the closure is certified always, and the closure is never longer
        assert found.closure_best_radius_at_least >= found.closure_radius / 2.0 - ROUNDING
        assert found.best_radius_at_least >= found.closure_best_radius_at_least - ROUNDING
        shares.append(found.best_radius_at_least / best_radius(matrix, k) if best_radius(matrix, k) else 1.0)
    assert max(shares) > 0.9


def test_the_closure_obeys_the_triangle_inequality_where_the_dissimilarity_does_not():
    broken = 0
    for matrix in map(symmetric, matrices()):
        closure = shortest_path_closure(matrix)
        detours = (closure[:, :, None] + closure[None, :, :]).min(axis=1)
        assert (closure <= detours + ROUNDING).all()
        assert (closure <= matrix).all()
        broken += bool((closure < matrix - ROUNDING).any())
    assert broken > 10


def test_the_closure_equals_that_of_plain_loops():
    for matrix in map(symmetric, matrices()):
        plain = matrix.copy()
        for through in range(len(plain)):
            plain = np.minimum(plain, plain[:, [through]] + plain[[through]])
        np.testing.assert_allclose(shortest_path_closure(matrix), plain, atol=1e-12)


def test_without_the_closure_no_factor_would_hold():
    # σ ≡ 0 and d ≡ 1: one centre of the other group is within 0 of everybody, and on the closure all are
    matrix = np.ones((6, 6)) - np.eye(6)
    matrix[:3, 3:] = matrix[3:, :3] = 0.0
    found = k_center_on_closure(matrix, 1)
    assert found.closure_radius == 0.0
    assert found.best_radius_at_least == 0.0
    assert found.radius == 1.0
