"""Shares of pairs within a tolerance, and bounds for future pairs."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from commensurate.errors import InvalidInput, InvalidParameter
from commensurate.geometry.kernels.pair_count_kernels import count_sums_within
from commensurate.guarantees.future_pairs import (
    FuturePairsBound,
    Method,
    _upper_quantile,
    bound_future_pairs,
    pairs_needed,
    tolerance_for_share,
)

# tiny beside huge, and many ties: sums that round, the case in which t − a is not what a sum is compared with
DISTANCES = st.lists(
    st.one_of(st.floats(0.0, 10.0), st.sampled_from([0.0, 0.1, 0.2, 0.3, 1e-300, 1e-17, 1.0, 1e16])),
    min_size=1,
    max_size=25,
)
SHARES = st.one_of(st.floats(1e-9, 1.0), st.sampled_from([0.25, 0.5, 0.9, 1.0]))


@given(DISTANCES, DISTANCES, st.floats(0.0, 20.0))
@settings(max_examples=200, deadline=None)
def test_the_number_of_sums_within_a_tolerance_equals_brute_force(
    left: list[float], right: list[float], t: float
) -> None:
    sums = np.add.outer(left, right)
    assert count_sums_within(np.sort(left), np.sort(right), t) == np.count_nonzero(sums <= t)
    for attained in sums.ravel()[:5]:
        assert count_sums_within(np.sort(left), np.sort(right), attained) == np.count_nonzero(sums <= attained)


@given(DISTANCES, DISTANCES, SHARES)
@settings(max_examples=200, deadline=None)
def test_the_tolerance_for_a_share_is_the_smallest_sum_that_reaches_it(
    left: list[float], right: list[float], share: float
) -> None:
    sums = np.sort(np.add.outer(left, right).ravel())
    reached = (np.arange(len(sums)) + 1) / len(sums) >= share
    assert tolerance_for_share(left, right, share) == sums[np.argmax(reached)]


def test_a_tolerance_and_its_share_belong_together_for_many_rows() -> None:
    rng = np.random.default_rng(0)
    left, right = rng.exponential(size=30_000), rng.exponential(size=20_000)
    tolerance = tolerance_for_share(left, right, 0.99)
    enough = 0.99 * len(left) * len(right)
    assert count_sums_within(np.sort(left), np.sort(right), tolerance) >= enough
    assert count_sums_within(np.sort(left), np.sort(right), math.nextafter(tolerance, 0.0)) < enough
    assert tolerance == pytest.approx(6.64, abs=0.15), "the 99 % quantile of the sum of two exponentials"


def test_minus_zero_is_zero() -> None:
    assert tolerance_for_share([-0.0], [-0.0, 1.0], 0.5) == 0.0
    assert tolerance_for_share([-0.0], [-0.0, 1.0], 1.0) == 1.0


def test_every_pair_is_within_an_infinite_tolerance() -> None:
    assert count_sums_within(np.array([1.0, 2.0]), np.array([3.0]), math.inf) == 2


def test_distances_that_are_none_are_refused() -> None:
    with pytest.raises(InvalidInput, match=r"left must be finite, non-negative distances, got -1\.0 in row 1"):
        tolerance_for_share([0.0, -1.0], [0.0], 1.0)
    with pytest.raises(InvalidInput, match="right must be finite"):
        tolerance_for_share([0.0], [math.nan], 1.0)
    with pytest.raises(InvalidInput, match="not empty"):
        tolerance_for_share([], [0.0], 0.5)
    with pytest.raises(InvalidInput, match="held_out of 'b'"):
        bound_future_pairs({"a": [1.0], "b": [math.nan]})


def test_a_row_without_an_estimate_counts_as_infinitely_far() -> None:
    some = {"a": np.zeros(1000), "b": np.where(np.arange(1000) < 30, math.inf, 0.0)}
    assert bound_future_pairs(some, share=0.9)["a", "b"].tolerance == 0.0
    assert math.isinf(bound_future_pairs(some, share=0.99)["a", "b"].tolerance)


@pytest.mark.parametrize("share", [0.0, 1.1, math.nan])
def test_a_share_of_this_table_is_above_zero_and_at_most_one(share: float) -> None:
    with pytest.raises(InvalidParameter, match="share must be above 0 and at most 1"):
        tolerance_for_share([0.0], [0.0], share)


@pytest.mark.parametrize(
    ("share", "confidence_level", "pairs"), [(0.992, 0.95, 373), (0.99, 0.95, 299), (0.5, 0.5, 1), (0.01, 0.5, 1)]
)
def test_the_pairs_needed_are_the_fewest_without_an_exceedance(
    share: float, confidence_level: float, pairs: int
) -> None:
    assert pairs_needed(share, confidence_level) == pairs


@given(st.floats(0.05, 0.9999), st.floats(0.01, 0.9999))
def test_one_pair_fewer_than_needed_certifies_nothing(share: float, confidence_level: float) -> None:
    pairs = pairs_needed(share, confidence_level)
    assert share**pairs <= 1 - confidence_level
    assert pairs == 1 or share ** (pairs - 1) > 1 - confidence_level


def test_matched_pairs_certify_from_the_number_needed_on() -> None:
    enough = {"a": np.ones(373), "b": np.ones(400)}
    short = {"a": np.ones(372), "b": np.ones(400)}
    assert bound_future_pairs(enough, share=0.992)["a", "b"].tolerance == 2.0
    assert bound_future_pairs(short, share=0.992)["a", "b"].tolerance == math.inf


@pytest.mark.parametrize("n_groups", [2, 3, 6, 20])
@pytest.mark.parametrize("n", [50, 300, 500, 800, 1200])
def test_wherever_order_statistics_certify_matched_pairs_do(n_groups: int, n: int) -> None:
    held_out = {str(group): np.ones(n) for group in range(n_groups)}
    finite = {
        method: all(math.isfinite(c.tolerance) for c in bound_future_pairs(held_out, method=method).values())
        for method in ("matched_pairs", "order_statistics")
    }
    assert finite["matched_pairs"] >= finite["order_statistics"]


@pytest.mark.parametrize(
    ("n", "share", "alpha"), [(300, 0.99, 0.05), (1000, 0.995, 0.025), (59, 0.95, 0.05), (5, 0.1, 0.2)]
)
def test_the_order_statistic_is_the_lowest_that_keeps_the_confidence(n: int, share: float, alpha: float) -> None:
    k = int(_upper_quantile(np.arange(1.0, n + 1), share, alpha))
    assert binom.cdf(k - 1, n, share) >= 1 - alpha
    assert binom.cdf(k - 2, n, share) < 1 - alpha


@pytest.mark.parametrize("method", ["matched_pairs", "order_statistics"])
def test_every_pair_of_groups_gets_one_bound_in_the_order_named(method: Method) -> None:
    rng = np.random.default_rng(0)
    held_out = {group: rng.random(2000 + 10 * i) for i, group in enumerate("cab")}
    bounds = bound_future_pairs(held_out, share=0.9, confidence_level=0.8, method=method)
    assert list(bounds) == [("c", "a"), ("c", "b"), ("a", "b")]
    assert {(c.share, c.confidence_level, c.method) for c in bounds.values()} == {(0.9, 0.8, method)}
    assert (bounds["c", "b"].n_left, bounds["c", "b"].n_right) == (2000, 2020)


def test_order_statistics_add_one_figure_of_each_group() -> None:
    rng = np.random.default_rng(0)
    held_out = {group: np.sort(rng.exponential(scale, 3000)) for group, scale in zip("abc", (1.0, 2.0, 3.0))}
    bounds = bound_future_pairs(held_out, share=0.99, method="order_statistics")
    level, per_group = 0.05 / 3, math.sqrt(0.99)
    k = next(k for k in range(1, 3001) if binom.sf(k - 1, 3000, per_group) <= level)
    for left, right in combinations("abc", 2):
        assert bounds[left, right].tolerance == held_out[left][k - 1] + held_out[right][k - 1]


def test_sorted_distances_are_matched_at_random_all_the_same() -> None:
    rng = np.random.default_rng(0)
    left, right = rng.exponential(size=5000), rng.exponential(size=1000)
    sorted_out = bound_future_pairs({"a": np.sort(left), "b": np.sort(right)})["a", "b"].tolerance
    assert sorted_out == pytest.approx(bound_future_pairs({"a": left, "b": right})["a", "b"].tolerance, rel=0.2)


def test_the_seed_decides_the_matching() -> None:
    rng = np.random.default_rng(0)
    held_out = {"a": rng.random(500), "b": rng.random(500)}
    first, same, other = (bound_future_pairs(held_out, random_state=seed)["a", "b"].tolerance for seed in (1, 1, 2))
    assert first == same != other


def test_the_text_of_a_bound_is_a_plain_sentence() -> None:
    bound = FuturePairsBound(0.992, 0.125, 0.95, "matched_pairs", 1000, 800)
    assert str(bound) == (
        "with confidence 95 %, at least 99.2 % of future pairs are off by at most 0.125 (1,000 and 800 rows set aside)"
    )
    hopeless = FuturePairsBound(0.99, math.inf, 0.95, "matched_pairs", 10, 20)
    assert str(hopeless).startswith("10 and 20 rows set aside are too few to bound")


def test_parameters_out_of_range_are_refused() -> None:
    held_out = {"a": [1.0], "b": [1.0]}
    with pytest.raises(InvalidParameter, match="share must lie strictly between 0 and 1"):
        bound_future_pairs(held_out, share=1.0)
    with pytest.raises(InvalidParameter, match="confidence_level"):
        bound_future_pairs(held_out, confidence_level=95)
    with pytest.raises(InvalidParameter, match="at least two groups"):
        bound_future_pairs({"a": [1.0]})
    with pytest.raises(InvalidParameter, match="'matched_pairs' or 'order_statistics', got 'best'"):
        bound_future_pairs(held_out, method="best")
