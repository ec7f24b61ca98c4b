"""The product with (min, +) is that of the plain definition, in whatever blocks and threads."""

import numpy as np
import pytest

from commensurate.geometry import pair_envelope
from commensurate.geometry.kernels.min_plus_kernels import ROWS, STRIP
from commensurate.geometry.pair_envelope import least_sums, rounding_of_sums


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("shape", [(1, 1, 1), (ROWS + 3, 5, STRIP + 7), (3, 40, 2)])
def test_it_is_the_least_sum_over_all_ways_through(shape, dtype, sign, monkeypatch):
    monkeypatch.setattr(pair_envelope, "_PARALLEL_FROM", 1)
    n, middle, m = shape
    rng = np.random.default_rng(0)
    before, after = rng.random((n, middle)), rng.random((middle, m)).astype(dtype)
    plain = (before[:, :, None] + sign * after[None].astype(np.float64)).min(axis=1)
    np.testing.assert_array_equal(least_sums(before, after, sign), plain)


def test_what_is_unknown_is_no_way_through():
    after = np.array([[np.nan, 1.0], [np.nan, np.nan]])
    assert least_sums(np.array([[2.0, np.inf]]), after).tolist() == [[np.inf, 3.0]]


@pytest.mark.parametrize(("n", "middle", "m"), [(0, 3, 2), (2, 0, 3), (2, 3, 0)])
def test_nothing_to_sum_is_infinite(n, middle, m):
    assert (least_sums(np.zeros((n, middle)), np.zeros((middle, m))) == np.full((n, m), np.inf)).all()


def test_sums_in_another_order_differ_by_less_than_the_rounding_told():
    a, b, c = np.random.default_rng(0).random((3, 100_000)) * np.array([[1e3], [1.0], [1e-3]])
    apart = np.abs(((a + b) + c) - (a + (b + c))).max()
    assert 0.0 < apart < rounding_of_sums(a, b, c) < 1e-11
    assert rounding_of_sums(np.array([np.inf, 1.0]), 2.0) == rounding_of_sums(3.0)
