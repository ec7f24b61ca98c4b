import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from commensurate.geometry.distinct import distinct_rows

pytestmark = pytest.mark.usefixtures("both_paths")


def plain_distinct(points):
    numbers, first, inverse = {}, [], []
    for i, row in enumerate(points):
        key = tuple(float(value) + 0.0 for value in row)
        if key not in numbers:
            numbers[key] = len(numbers)
            first.append(i)
        inverse.append(numbers[key])
    return np.array(first, dtype=np.int64), np.array(inverse, dtype=np.int64)


@given(
    arrays(
        np.float64, st.tuples(st.integers(1, 60), st.integers(1, 4)), elements=st.sampled_from([0.0, -0.0, 1.0, 1e-300])
    )
)
def test_rows_are_numbered_by_first_appearance(points):
    found = distinct_rows(points)
    first, inverse = plain_distinct(points)
    np.testing.assert_array_equal(found.first, first)
    np.testing.assert_array_equal(found.inverse, inverse)


def test_many_random_rows_with_copies_are_told_apart():
    rng = np.random.default_rng(0)
    points = rng.random((5_000, 6))[rng.integers(0, 5_000, 20_000)]
    found = distinct_rows(points)
    first, inverse = plain_distinct(points)
    np.testing.assert_array_equal(found.first, first)
    np.testing.assert_array_equal(found.inverse, inverse)


def test_negative_zero_equals_zero():
    assert len(distinct_rows(np.array([[0.0, 1.0], [-0.0, 1.0]])).first) == 1


def test_neighbouring_floats_differ():
    assert len(distinct_rows(np.array([[1.0], [np.nextafter(1.0, 2.0)]])).first) == 2


def test_equal_hashes_of_different_rows_do_not_matter(monkeypatch):
    from commensurate.geometry.kernels import distinct_kernels as kernels

    # run the kernels as plain Python, with a hash that tells nothing apart
    monkeypatch.setattr(kernels, "hash_row", lambda row: np.uint64(5))
    for name in ("canonical", "same_row", "find_slot", "empty_table"):
        monkeypatch.setattr(kernels, name, getattr(kernels, name).py_func)
    points = np.random.default_rng(0).integers(0, 3, (40, 2)).astype(float)
    first, inverse = kernels.number_distinct.py_func(points.view(np.uint64), kernels.empty_table(40))
    np.testing.assert_array_equal(first, plain_distinct(points)[0])
    np.testing.assert_array_equal(inverse, plain_distinct(points)[1])


@pytest.mark.parametrize("shape", [(0, 3), (1, 1)])
def test_hardly_any_rows_are_fine(shape):
    found = distinct_rows(np.zeros(shape))
    assert found.first.tolist() == found.inverse.tolist() == list(range(shape[0]))


def test_rows_of_a_slice_are_compared_by_value():
    points = np.arange(12.0).reshape(3, 4)[:, ::2]
    assert len(distinct_rows(points).first) == 3
