"""The rare mass of a table, and what an interval for the population says when it can say nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import binom

from commensurate.errors import InvalidMetric, InvalidParameter, InvalidPoints
from commensurate.geometry.metrics import metric_named
from commensurate.guarantees.rare_mass import RareMass, _smallest_count, _thresholds, rare_mass

FloatArray = NDArray[np.float64]


def city_block(left: FloatArray, right: FloatArray) -> FloatArray:
    distances: FloatArray = np.abs(left[:, None, :] - right[None, :, :]).sum(axis=2)
    return distances


def heaps(*sizes: int) -> FloatArray:
    """Return rows in heaps of the given sizes, ten apart from each other."""
    return np.repeat(10.0 * np.arange(len(sizes)), sizes)[:, None]


def test_the_table_counts_a_row_as_its_own_neighbour_and_the_estimate_does_not() -> None:
    rows = heaps(1, 1, 2, 6)
    found = rare_mass(rows, epsilon=1.0, delta=0.15, random_state=0)
    assert found.table == 0.2, "only the two single rows are fewer than 0.15 of ten"
    assert found.estimate == 0.4, "one neighbour among nine is fewer than 0.15, too"


def test_a_share_of_exactly_delta_is_not_rare_although_floats_round() -> None:
    rows = heaps(3, 27)
    assert rare_mass(rows, 1.0, 0.1, random_state=0).table == 0.0
    assert rare_mass(rows, 1.0, math.nextafter(0.1, 1.0), random_state=0).table == 0.1


def test_a_neighbour_at_exactly_epsilon_is_near() -> None:
    rows = np.array([[0.0], [1.0]])
    assert rare_mass(rows, 1.0, 0.9, random_state=0).table == 0.0
    assert rare_mass(rows, math.nextafter(1.0, 0.0), 0.9, random_state=0).table == 1.0


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=40),
    st.sampled_from([0.5, 1.0, 2.0, 3.5]),
    st.floats(0.01, 0.99),
)
@settings(max_examples=60, deadline=None)
def test_table_and_estimate_equal_brute_force(cells: list[tuple[int, int]], epsilon: float, delta: float) -> None:
    rows = np.array(cells, dtype=np.float64)
    found = rare_mass(rows, epsilon, delta, metric="manhattan", random_state=0)
    near = (city_block(rows, rows) <= epsilon).sum(axis=1)
    assert found.table == np.mean(near / len(rows) < delta)
    if len(rows) > 1:
        assert found.estimate == np.mean((near - 1) / (len(rows) - 1) < delta)


def test_a_name_a_metric_a_function_and_a_matrix_say_the_same() -> None:
    rows = np.random.default_rng(1).integers(0, 6, size=(60, 2)).astype(np.float64)
    ways = [
        rare_mass(rows, 1.0, 0.1, metric="manhattan", random_state=3),
        rare_mass(rows, 1.0, 0.1, metric=metric_named("manhattan", rows), random_state=3),
        rare_mass(rows, 1.0, 0.1, metric=city_block, random_state=3),
        rare_mass(city_block(rows, rows), 1.0, 0.1, metric="precomputed", random_state=3),
    ]
    assert 0.0 < ways[0].table < 1.0
    assert all(way == ways[0] for way in ways)


def test_the_seed_moves_only_the_interval() -> None:
    rows = np.random.default_rng(2).random((3000, 1))
    first, same, other = (rare_mass(rows, 0.05, 0.08, random_state=seed) for seed in (0, 0, 1))
    assert first == same
    assert (first.table, first.estimate) == (other.table, other.estimate)
    assert (first.lower, first.upper) != (other.lower, other.upper)


def test_a_single_row_says_nothing_about_its_population() -> None:
    found = rare_mass([[1.0, 2.0]], 0.1, 0.5, random_state=0)
    assert found.table == 0.0
    assert math.isnan(found.estimate)
    assert (found.lower, found.upper) == (0.0, 1.0)


@pytest.mark.parametrize(("n", "delta"), [(2, 0.001), (10, 0.001), (100, 0.001), (100, 1e-7)])
def test_with_few_rows_the_interval_does_not_pretend(n: int, delta: float) -> None:
    found = rare_mass(np.arange(n, dtype=np.float64)[:, None], 0.1, delta, random_state=0)
    assert found.lower == 0.0, "isolated rows may be dense in a far larger population"
    assert found.upper == 1.0


@pytest.mark.parametrize(("n", "delta"), [(50, 0.001), (500, 0.05), (10_000, 0.001), (10_000, 0.3), (7, 0.9)])
@pytest.mark.parametrize("alpha", [0.2, 0.05, 0.001])
def test_the_thresholds_are_the_closest_that_keep_the_promise(n: int, delta: float, alpha: float) -> None:
    few, many = _thresholds(n, delta, alpha)
    tail = 0.01 * alpha / 4
    assert -1 <= few < many <= n + 1
    assert few < 0 or binom.cdf(few, n, delta) <= tail
    assert binom.cdf(few + 1, n, delta) > tail
    assert binom.sf(many - 1, n, delta) <= tail
    assert binom.sf(many - 2, n, delta) > tail


@given(st.floats(1e-6, 0.999), st.integers(1, 10_000))
def test_the_smallest_count_is_the_first_that_is_not_below_delta(delta: float, n: int) -> None:
    count = _smallest_count(delta, n)
    assert count / n >= delta
    assert (count - 1) / n < delta


def test_the_text_says_what_is_rare_where() -> None:
    text = str(RareMass(0.02, 0.03, 0.0, 0.05, 0.95, 0.01, 0.001, 12_000))
    assert "2 % of the 12,000 rows are rare" in text
    assert "between 0 % and 5 % are rare, with confidence 95 %" in text


def test_points_that_are_no_finite_matrix_are_refused() -> None:
    with pytest.raises(InvalidPoints, match="matrix with one row per element"):
        rare_mass([1.0, 2.0], 0.1, 0.1)
    with pytest.raises(InvalidPoints, match="matrix with at least one row"):
        rare_mass(np.empty((0, 2)), 0.1, 0.1)
    with pytest.raises(InvalidPoints, match="in row 1"):
        rare_mass([[1.0], [math.nan]], 0.1, 0.1)
    with pytest.raises(InvalidPoints, match="square matrix"):
        rare_mass([[1.0, 2.0]], 0.1, 0.1, metric="precomputed")


def test_parameters_out_of_range_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="epsilon"):
        rare_mass([[1.0]], 0.0, 0.1)
    with pytest.raises(InvalidParameter, match="delta"):
        rare_mass([[1.0]], 0.1, 1.0)
    with pytest.raises(InvalidParameter, match=r"write 95 % as 0\.95"):
        rare_mass([[1.0]], 0.1, 0.1, confidence_level=95)
    with pytest.raises(InvalidMetric, match="unknown metric"):
        rare_mass([[1.0]], 0.1, 0.1, metric="nearness")
