"""The start of each interval is exactly what the pairs before imply, in whatever parts pairs come."""

import numpy as np

import commensurate as cm
from commensurate.asking.located_pairs import LocatedPairs
from commensurate.geometry.metrics import metric_named


def test_each_start_is_the_certified_interval_from_all_pairs_before():
    rng = np.random.default_rng(0)
    left, right = rng.random((7, 2)), rng.random((6, 3))
    d = metric_named("euclidean", left), metric_named("manhattan", right)
    before, compared = [], 0

    def sigma(row, column):
        return 0.3 * (row.sum() + column[0])

    def locate(row, column, lower, upper):
        nonlocal compared
        if before:
            pairs = (np.array([one[side] for one in before]) for side in (0, 1))
            said = [cm.Statement.between(k, *one[2]) for k, one in enumerate(before)]
            expected = cm.check_statements(*pairs, said, metric=d).bounds([row], [column])
            np.testing.assert_allclose([lower, upper], np.ravel(expected), atol=1e-12)
            compared += 1
        else:
            assert (lower, upper) == (0.0, np.inf)
        assert lower - 1e-12 <= sigma(row, column) <= upper + 1e-12
        found = max(sigma(row, column) - 0.02, lower), min(sigma(row, column) + 0.05, upper)
        before.append((row, column, found))
        return found

    located = LocatedPairs(*d)
    every = np.array([(i, j) for i in range(7) for j in range(6)])
    rng.shuffle(every)
    # single pairs, new rows and new columns, and pairs that were there before
    for part in (every[:1], every[:5], every[10:14], every[3:30], every):
        lower, upper = located.intervals(left[part[:, 0]], right[part[:, 1]], locate)
        for (i, j), low, high in zip(part, lower, upper):
            assert low - 1e-12 <= sigma(left[i], right[j]) <= high + 1e-12
    assert compared == len(before) - 1 == 41


def test_elements_that_are_equal_are_one():
    asked = []

    def locate(row, column, lower, upper):
        asked.append((row.tolist(), column.tolist()))
        return 0.4, 0.5

    d = metric_named("euclidean", np.zeros((1, 1)))
    located = LocatedPairs(d, d)
    lower, upper = located.intervals(np.array([[0.0], [-0.0], [1.0]]), np.array([[2.0], [2.0], [2.0]]), locate)
    assert sorted(asked) == [([0.0], [2.0]), ([1.0], [2.0])]
    assert (lower.tolist(), upper.tolist()) == ([0.4] * 3, [0.5] * 3)
