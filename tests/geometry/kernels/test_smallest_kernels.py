"""The compiled search beside sorting everything."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from commensurate.applications.retrieval.estimates import Units
from commensurate.geometry.kernels.smallest_kernels import keep_smallest


@given(
    labels=st.lists(st.integers(0, 6), min_size=1, max_size=30),
    seed=st.integers(0, 2**32 - 1),
    n_values=st.integers(1, 5),
    data=st.data(),
)
def test_the_smallest_are_kept_in_the_order_of_a_stable_sort(labels, seed, n_values, data):
    units = Units.of(np.array(labels))
    estimates = np.random.default_rng(seed).integers(0, n_values, (3, len(units))).astype(float)
    k = data.draw(st.integers(1, len(labels)))
    values, rows = np.empty((3, k)), np.empty((3, k), dtype=np.int64)
    keep_smallest(estimates, units.starts, units.members, values, rows)
    every = estimates[:, units.of_row]
    expected = np.argsort(every, axis=1, kind="stable")[:, :k]
    np.testing.assert_array_equal(rows, expected)
    np.testing.assert_array_equal(values, np.take_along_axis(every, expected, axis=1))


@given(st.lists(st.integers(-3, 3), max_size=20))
def test_units_are_the_rows_with_one_label_in_order_of_appearance(labels):
    units = Units.of(np.array(labels, dtype=np.int64))
    seen = list(dict.fromkeys(labels))
    assert [labels[row] for row in units.first] == seen
    assert [seen[unit] for unit in units.of_row] == labels
    for unit, label in enumerate(seen):
        members = units.members[units.starts[unit] : units.starts[unit + 1]]
        assert members.tolist() == [row for row, other in enumerate(labels) if other == label]
