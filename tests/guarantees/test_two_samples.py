"""The permutation test of two samples: what it gives, and what it does with ties and tiny samples."""

import numpy as np
import pytest

from commensurate.errors import InvalidInput
from commensurate.guarantees.two_samples import ColumnValues, compare_samples, least_p_value


def apart(values):
    return np.abs(values[:, None] - values)


def plain_p_values(n_first, distances, columns, n_ways, seed):
    """The same, way by way."""
    n = len(distances)
    labels = np.zeros((n, n_ways + 1), dtype=bool)
    labels[:n_first] = True
    labels[:, 1:] = np.random.default_rng(seed).permuted(labels[:, 1:], axis=0)
    rows = []
    for way in labels.T:
        first, second = np.flatnonzero(way), np.flatnonzero(~way)
        mean = [distances[np.ix_(a, b)].mean() for a, b in ((first, second), (first, first), (second, second))]
        found = [2 * mean[0] - mean[1] - mean[2]]
        for column in columns:
            total = 0.0
            for value in np.unique(column.numbers):
                here = column.numbers == value
                met = column.numbers <= value if column.ordered else here
                gap = met[first].mean() - met[second].mean()
                total += gap**2 * (here.sum() if column.ordered else 1 / here.sum())
            found.append(total)
        rows.append(np.cbrt(found))
    scaled = (np.array(rows) - np.mean(rows, axis=0)) / np.std(rows, axis=0)
    largest = scaled[1:].max(axis=1)
    return [(1 + np.sum(largest >= each - 1e-9)) / (n_ways + 1) for each in scaled[0]]


def test_it_gives_what_a_plain_implementation_gives():
    rng = np.random.default_rng(0)
    points = np.column_stack([rng.random(23), rng.integers(0, 3, 23), rng.integers(0, 4, 23)])
    points[9:, 0] += 0.4
    columns = [ColumnValues.of(points[:, k], ordered=k < 2) for k in range(3)]
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    found = compare_samples(9, distances, columns, n_ways=60, seed=5)
    expected = plain_p_values(9, distances, columns, 60, 5)
    assert found.p_value == min(expected)
    assert found.column_p_values == tuple(expected[1:])


def test_the_same_samples_give_the_same_answer():
    values = np.random.default_rng(1).random(40)
    assert compare_samples(20, apart(values)).p_value == compare_samples(20, apart(values)).p_value


def test_records_that_are_all_equal_do_not_differ():
    values = np.ones(12)
    found = compare_samples(5, apart(values), [ColumnValues.of(values), ColumnValues.of(values, ordered=False)])
    assert found.p_value == 1.0
    assert found.column_p_values == (1.0, 1.0)


def test_a_category_that_became_frequent_is_found_whatever_its_number():
    rng = np.random.default_rng(2)
    jobs = np.concatenate([rng.choice(5, 80), rng.choice(5, 80, p=[0.1, 0.1, 0.6, 0.1, 0.1])])
    same = np.zeros((160, 160))
    assert compare_samples(80, same, [ColumnValues.of(jobs, ordered=False)]).column_p_values[0] <= 0.001


def test_tiny_samples_cannot_have_a_small_p_value():
    values = np.array([0.0, 1.0, 2.0, 50.0, 51.0, 52.0])
    assert (least_p_value(3, 3), least_p_value(3, 4)) == (1 / 10, 1 / 35)
    assert compare_samples(3, apart(values)).p_value >= 1 / 20


def test_the_number_of_ways_of_large_samples_is_no_overflow():
    assert least_p_value(3_000, 3_000) == 1 / 2_000


@pytest.mark.parametrize("n_first", [0, 4])
def test_a_sample_without_records_is_refused(n_first):
    with pytest.raises(InvalidInput, match="at least one record each"):
        compare_samples(n_first, np.zeros((4, 4)))
