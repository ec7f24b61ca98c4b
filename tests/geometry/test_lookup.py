import numpy as np
import pytest

from commensurate.errors import InvalidParameter
from commensurate.geometry import lookup as module
from commensurate.geometry.lookup import lookup


@pytest.fixture
def table():
    return np.random.default_rng(0).random((7, 5))


@pytest.mark.parametrize("n_pairs", [0, 1, 1000])
@pytest.mark.parametrize("ids", [np.uint16, np.uint32, np.int64])
@pytest.mark.parametrize("values", [np.float32, np.float64])
def test_it_equals_fancy_indexing(table, values, ids, n_pairs):
    rng = np.random.default_rng(1)
    rows, columns = rng.integers(0, 7, n_pairs).astype(ids), rng.integers(0, 5, n_pairs).astype(ids)
    table = table.astype(values)
    found = lookup(table, rows, columns)
    assert found.dtype == values
    np.testing.assert_array_equal(found, table[rows, columns])


@pytest.mark.parametrize("ids", [np.uint16, np.uint32, np.int64])
def test_many_pairs_in_threads_equal_fancy_indexing(table, ids, monkeypatch):
    monkeypatch.setattr(module, "_PARALLEL_FROM", 100)
    rng = np.random.default_rng(1)
    rows, columns = rng.integers(0, 7, 5000).astype(ids), rng.integers(0, 5, 5000).astype(ids)
    np.testing.assert_array_equal(lookup(table, rows, columns), table[rows, columns])


def test_row_and_column_numbers_may_differ_in_type(table):
    rows, columns = np.array([6, 0], dtype=np.uint16), np.array([4, 1], dtype=np.int32)
    np.testing.assert_array_equal(lookup(table, rows, columns), table[rows, columns])


def test_strided_numbers_are_read_rightly(table):
    pairs = np.array([[0, 1], [6, 4], [3, 3]])
    np.testing.assert_array_equal(lookup(table, pairs[:, 0], pairs[:, 1]), table[pairs[:, 0], pairs[:, 1]])


@pytest.mark.parametrize(
    ("rows", "columns", "words"),
    [
        ([7], [0], "row numbers must be from 0 to 6 for this table, got 7"),
        ([0], [5], "column numbers must be from 0 to 4"),
        ([-1], [0], "got -1"),
        ([0, 1], [0], "equally long"),
        ([0.5], [0], "integers"),
    ],
)
def test_numbers_outside_the_table_are_refused(table, rows, columns, words):
    with pytest.raises(InvalidParameter, match=words):
        lookup(table, np.array(rows), np.array(columns))


def test_a_number_beyond_int64_is_refused(table):
    with pytest.raises(InvalidParameter, match="got 18446744073709551615"):
        lookup(table, np.array([2**64 - 1], dtype=np.uint64), np.array([0]))


@pytest.mark.parametrize("wrong", [np.zeros(4), np.zeros((2, 2), dtype=int), np.zeros((4, 4))[:, ::2]])
def test_a_table_that_is_no_contiguous_matrix_of_floats_is_refused(wrong):
    with pytest.raises(InvalidParameter, match="C-contiguous"):
        lookup(wrong, np.array([0]), np.array([0]))
