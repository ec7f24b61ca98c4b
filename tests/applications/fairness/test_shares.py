"""The share of violations of a pair of groups: counted where all pairs were looked at, bounded where some were."""

import math
from functools import cache
from itertools import chain

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from commensurate.applications.fairness.people import people_of
from commensurate.applications.fairness.verdicts import PairRows, shares_of, wrong_shares
from commensurate.guarantees.conformal import miscoverage_bound
from worlds.few_answers import POINTS, budgeted, sigma

COLUMNS = [
    *("left_group", "right_group", "n_pairs", "n_all_pairs", "every"),
    *("violated", "satisfied", "undecided", "share_lower", "share_upper"),
]


def block(between, n, n_all):
    rows = np.zeros(n, dtype=np.int64)
    return PairRows(between, rows, rows, n_all, n == n_all)


def judged(violated, satisfied, undecided):
    return ["violated"] * violated + ["satisfied"] * satisfied + ["undecided"] * undecided


def table(*verdicts):
    return pd.DataFrame({"verdict": list(chain(*verdicts))})


def test_of_all_pairs_the_counts_are_the_bounds():
    shares = shares_of([block(("a", "b"), 10, 10)], table(judged(2, 5, 3)), 0.95, wrong={})
    assert list(shares) == COLUMNS
    row = shares.iloc[0]
    assert row[COLUMNS[2:8]].tolist() == [10, 10, True, 2, 5, 3]
    assert (row["share_lower"], row["share_upper"]) == (0.2, 0.5)


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize(("violated", "satisfied", "undecided"), [(0, 7, 3), (2, 5, 3), (10, 0, 0), (0, 0, 10)])
def test_of_a_sample_they_are_widened_by_clopper_and_pearson(violated, satisfied, undecided, level):
    counts = violated, satisfied, undecided
    row = shares_of([block(("a", "b"), 10, 1000)], table(judged(*counts)), level, wrong={}).iloc[0]
    certain, possible = (binomtest(k, 10).proportion_ci(level) for k in (violated, violated + undecided))
    assert row["share_lower"] == pytest.approx(certain.low)
    assert row["share_upper"] == pytest.approx(possible.high)


def test_each_pair_of_groups_is_counted_by_itself():
    blocks = [block(("a", "b"), 4, 4), block(("a", "a"), 0, 3), block(("b", "b"), 3, 3)]
    shares = shares_of(blocks, table(judged(1, 3, 0), judged(0, 0, 3)), 0.95, wrong={})
    assert shares["violated"].tolist() == [1, 0, 0]
    assert shares["undecided"].tolist() == [0, 0, 3]
    # nothing was looked at, nothing is known
    assert shares.iloc[1][["share_lower", "share_upper"]].tolist() == [0.0, 1.0]


def test_verdicts_that_may_be_wrong_widen_the_limits_across_groups_only():
    blocks = [block(("a", "b"), 10, 10), block(("a", "a"), 10, 10)]
    shares = shares_of(blocks, table(judged(2, 8, 0), judged(2, 8, 0)), 0.95, wrong={("a", "b"): 0.05})
    assert shares["share_lower"].tolist() == pytest.approx([0.15, 0.2])
    assert shares["share_upper"].tolist() == pytest.approx([0.25, 0.2])
    ends = shares_of(blocks[:1], table(judged(10, 0, 0)), 0.95, wrong={("a", "b"): 0.05}).iloc[0]
    assert (ends["share_lower"], ends["share_upper"]) == (0.95, 1.0)


def test_a_sample_has_a_third_of_the_risk_where_verdicts_may_be_wrong():
    row = shares_of([block(("a", "b"), 10, 1000)], table(judged(4, 6, 0)), 0.85, wrong={("a", "b"): 0.01}).iloc[0]
    sample = binomtest(4, 10).proportion_ci(0.95)
    assert row["share_lower"] == pytest.approx(sample.low - 0.01)
    assert row["share_upper"] == pytest.approx(sample.high + 0.01)


@cache
def calibrated():
    return budgeted(calibration=0.5).fit(POINTS, sigma)


def wrong_among(n, m, level):
    data = {name: POINTS[name][:size] for name, size in zip("ab", (n, m))}
    people = people_of(calibrated(), data, {name: np.zeros(len(each)) for name, each in data.items()})
    return wrong_shares(calibrated(), people, [("a", "b"), ("a", "a")], level)


@pytest.mark.parametrize(("n", "m"), [(3, 40), (40, 3), (40, 40)])
def test_what_may_be_wrong_is_what_calibration_leaves_and_what_few_people_add(n, m):
    wrong = wrong_among(n, m, 0.7)
    n_held_out = len(calibrated().held_out_errors(("a", "b")))
    assert list(wrong) == [("a", "b")]
    # 0.3 of risk in thirds
    added = math.sqrt(math.log(1.0 / 0.1) / (2.0 * min(n, m)))
    assert wrong["a", "b"] == pytest.approx(miscoverage_bound(n_held_out, 0.7, 0.9) + added)


def test_an_infinite_interval_is_never_wrong():
    assert wrong_among(3, 3, 0.999) == {("a", "b"): 0.0}
