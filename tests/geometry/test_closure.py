"""Shortest paths among pairs, compared with SciPy's on the whole graph."""

import numpy as np
import pytest
from scipy.sparse.csgraph import NegativeCycleError, bellman_ford

from commensurate.geometry import closure
from commensurate.geometry.closure import FROM_ROOT, PairDistances, Steps, shortest_paths
from commensurate.geometry.metrics import metric_named


def drawn(seed, n=12, k=10, lengths=(-0.05, 0.4)):
    rng = np.random.default_rng(seed)
    x, y = rng.random((n, 2)), rng.random((n, 3))
    distances = PairDistances(x, metric_named("euclidean", x), y, metric_named("manhattan", y))
    source, target = rng.integers(FROM_ROOT, n, size=k), rng.integers(0, n, size=k)
    kept = source != target
    length = np.where(source == FROM_ROOT, rng.uniform(0.0, 1.0, size=k), rng.uniform(*lengths, size=k))
    return distances, Steps(source[kept], target[kept], length[kept])


def matrix(distances, steps):
    """All steps, the root last; infinite where there is none."""
    n = len(distances)
    whole = np.full((n + 1, n + 1), np.inf)
    whole[:n, :n] = distances.between(np.arange(n), slice(None))
    for source, target, length in zip(steps.source, steps.target, steps.length):
        whole[source, target] = min(whole[source, target], length)
    return whole


def by_scipy(whole):
    from scipy.sparse import csr_array

    rows, columns = np.nonzero(np.isfinite(whole) & ~np.eye(len(whole), dtype=bool))
    # SciPy takes explicit zeros for steps
    graph = csr_array((whole[rows, columns], (rows, columns)), shape=whole.shape)
    return bellman_ford(graph, indices=len(whole) - 1)[:-1]


@pytest.mark.parametrize("seed", range(40))
def test_ways_are_as_long_as_those_of_scipy_and_cycles_are_found_where_it_finds_one(seed):
    distances, steps = drawn(seed)
    found, whole = shortest_paths(distances, steps), matrix(*drawn(seed))
    # from an unreachable root, nothing goes round
    if found.cycle is not None:
        with pytest.raises(NegativeCycleError):
            by_scipy(whole)
        return
    np.testing.assert_allclose(found.length, by_scipy(whole), rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_a_way_is_as_long_as_the_steps_it_is_told_to_take(seed):
    distances, steps = drawn(seed, lengths=(0.0, 0.4))
    found = shortest_paths(distances, steps)
    for pair in np.flatnonzero(np.isfinite(found.length)).tolist():
        length, at = 0.0, pair
        while at != FROM_ROOT:
            before, by = int(found.before[at]), int(found.by[at])
            length += steps.length[by] if by >= 0 else distances.between(np.array([before]), slice(at, at + 1))[0, 0]
            at = before
        assert length == pytest.approx(found.length[pair], abs=1e-12)
        assert found.way_to(pair)[0] in np.flatnonzero(steps.source == FROM_ROOT)


def test_a_negative_cycle_is_told_in_its_order():
    points = np.array([[0.0], [1.0], [1.05]])
    distances = PairDistances(points, metric_named("euclidean", points), points, metric_named("euclidean", points))
    # 1 is at least 0.5 below 0, and 0 is no higher than 2, which is near 1: going round 0 → 1 → 2 → 0 loses 0.4
    steps = Steps(np.array([FROM_ROOT, 0, 2]), np.array([0, 1, 0]), np.array([1.0, -0.5, 0.0]))
    found = shortest_paths(distances, steps)
    assert sorted(found.cycle) == [0, 1, 2]
    assert sorted(found.said_on_cycle()) == [1, 2]
    after = dict(zip(found.cycle, (*found.cycle[1:], found.cycle[0])))
    assert after[0] == 1


def test_distances_that_are_not_held_give_the_same(monkeypatch):
    distances, steps = drawn(3, n=40, k=30, lengths=(0.0, 0.1))
    held = shortest_paths(distances, steps)
    monkeypatch.setattr(closure, "_MOST_HELD", 0)
    monkeypatch.setattr(closure, "_BLOCK_DISTANCES", 7)
    again = shortest_paths(*drawn(3, n=40, k=30, lengths=(0.0, 0.1)))
    np.testing.assert_array_equal(held.length, again.length)
