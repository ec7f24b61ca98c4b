"""Records of the same kind are called different as seldom as is said, and no column is named falsely more often;
records of another kind are recognised.
"""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

import commensurate as cm
from commensurate.groups.group import elements_of
from commensurate.learning.compared_records import SampledRecords, compared

ALPHA = 0.05
RUNS = 120
# the statement holds for any number of ways, and fewer take less time
WAYS = 199


def table(n, rng, shift=0.0):
    """People of one kind: numbers with heavy tails and with ties, and categories; ``shift`` moves the income."""
    return pd.DataFrame(
        {
            "income": rng.lognormal(shift, 1.0, n),
            "age": rng.integers(20, 30, n),
            "job": rng.choice(["a", "b", "c"], n, p=[0.6, 0.3, 0.1]),
        }
    )


def of_table(n_known, n_new, rng, shift=0.0):
    # the first row of each kind of job is not drawn, so that none is unknown later
    jobs = pd.DataFrame({"income": [1.0] * 3, "age": [25] * 3, "job": ["a", "b", "c"]})
    known = table(n_known, rng)
    encoded = elements_of({"a": pd.concat([known, jobs], ignore_index=True), "b": known})[0]
    return encoded.space, encoded.points[:n_known], encoded.space.points_of(table(n_new, rng, shift))


def of_covariance(n_known, n_new, rng):
    points = rng.standard_normal((n_known + n_new, 15))
    own = elements_of([cm.Group("a", points[:n_known], "mahalanobis"), cm.Group("b", points)])[0]
    return own.space, own.points, points[n_known:]


def of_distances(n_known, n_new, rng, shift=0.0):
    points = rng.integers(0, 6, (n_known + n_new, 2)) + 0.0
    points[n_known:, 0] += shift
    matrix = np.abs(points[:, None] - points).sum(axis=2)
    own = elements_of([cm.Group("a", matrix, "precomputed"), cm.Group("b", [[0.0]])])[0]
    return own.space, own.points[:n_known], own.points[n_known:]


def runs(of, n_known, n_new, seed, n_runs=RUNS, **options):
    for run in range(n_runs):
        space, known, new = of(n_known, n_new, np.random.default_rng([seed, run]), **options)
        yield compared(space, SampledRecords(known, "", ""), new, ALPHA, n_ways=WAYS)


def assert_at_most(count, share):
    assert binomtest(count, RUNS, share, alternative="greater").pvalue > 1e-3, f"{count} of {RUNS}"


@pytest.mark.parametrize("of", [of_table, of_covariance, of_distances])
def test_records_of_one_kind_are_called_different_as_seldom_as_is_said(of):
    # by the covariance of the known rows alone, 37 % would be called different
    assert_at_most(sum(found.differs for found in runs(of, 30, 60, 1)), ALPHA)


def test_no_column_is_named_falsely_beside_one_that_moved():
    named = [found.moved for found in runs(of_table, 40, 60, 2, shift=1.5)]
    assert sum("income" in moved for moved in named) > 0.9 * RUNS
    assert_at_most(sum(bool(set(moved) - {"income"}) for moved in named), ALPHA)


def test_rows_among_which_are_those_drawn_are_called_different_even_less_often():
    found = []
    for run in range(RUNS):
        rng = np.random.default_rng([3, run])
        space, points, _ = of_table(60, 1, rng)
        drawn = rng.choice(60, 25, replace=False)
        found.append(compared(space, SampledRecords(points[drawn], "", ""), points, ALPHA, n_ways=WAYS).differs)
    assert_at_most(sum(found), 0.01)


@pytest.mark.parametrize(("of", "shift"), [(of_table, 1.0), (of_distances, 1.5)])
def test_records_of_another_kind_are_recognised(of, shift):
    # a shift of about one standard deviation, with fewer records than a usual study asks about
    assert np.mean([found.differs for found in runs(of, 60, 60, 4, n_runs=50, shift=shift)]) > 0.9
