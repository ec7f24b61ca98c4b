"""Are two samples of records of the same kind? A permutation test, and which columns differ.

If the records of both samples are independent draws from one distribution, every way to deal them out to two samples
of these sizes is equally likely. So a statistic of the samples as they are ranks among those of random ways like any
other: the share of ways, the true one among them, for which it is as large or larger is a p-value, whatever the
statistic is (Phipson and Smyth, 2010, for the true one being counted).

The statistic is the largest of several, each on a common scale: the energy distance of the samples in a metric (Székely
and Rizzo, 2013), and how the values of each column differ (Cramér and von Mises; for categories, squared differences of
their shares). Every single one is compared with the largest of a random way too, so that any column is named falsely
with probability α at most, as long as the columns that do not differ have the same joint distribution in both samples
(Westfall and Young, 1993).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from commensurate.arrays import BoolArray, FloatArray, IntArray
from commensurate.checks import checked_count
from commensurate.errors import InvalidInput

N_WAYS = 1_999
# statistics that would be equal, were it not for rounding, count as equal
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class ColumnValues:
    """The values of one column in both samples, numbered from 0: in ``ordered`` ones by size, else in any order."""

    numbers: IntArray
    ordered: bool = True

    @classmethod
    def of(cls, values: FloatArray, ordered: bool = True) -> ColumnValues:
        """Number the values of a column.

        >>> ColumnValues.of(np.array([0.5, 0.1, 0.5])).numbers
        array([1, 0, 1])
        """
        return cls(np.unique(values, return_inverse=True)[1].reshape(-1), ordered)


@dataclass(frozen=True, slots=True, eq=False)
class SampleComparison:
    """The p-value of the hypothesis that two samples are of the same kind, and one for each column beside it.

    The ``column_p_values`` are corrected for there being several columns.
    """

    p_value: float
    column_p_values: tuple[float, ...]


def least_p_value(n_first: int, n_second: int, n_ways: int = N_WAYS) -> float:
    """Return the least p-value that samples of these sizes can have.

    >>> least_p_value(2, 3), least_p_value(2, 2), round(least_p_value(100, 100), 4)
    (0.1, 0.3333333333333333, 0.0005)
    """
    # samples of one size differ as much when they are exchanged
    ways = math.comb(n_first + n_second, n_first) // (2 if n_first == n_second else 1)
    # more ways than are tried need not be counted
    return 1.0 / min(ways, n_ways + 1)


def compare_samples(
    n_first: int,
    distances: FloatArray,
    columns: Sequence[ColumnValues] = (),
    *,
    n_ways: int = N_WAYS,
    seed: int = 0,
) -> SampleComparison:
    """Test whether two samples are of the same kind.

    Parameters
    ----------
    n_first
        How many records are of the first sample; those of the second come after them.
    distances
        Of every record to every record.
    columns
        What the records are in each column.
    n_ways
        How many random ways to deal the records out are tried.
    seed
        What the ways are drawn from.

    Examples
    --------
    >>> moved = np.concatenate([np.arange(30.0), np.arange(30.0) + 20.0])
    >>> compare_samples(30, np.abs(moved[:, None] - moved), [ColumnValues.of(moved)]).p_value
    0.0005
    >>> same = np.tile(np.arange(30.0), 2)
    >>> compare_samples(30, np.abs(same[:, None] - same)).p_value
    1.0
    """
    n = len(distances)
    if not 0 < n_first < n or distances.shape != (n, n):
        raise InvalidInput(
            f"two samples need at least one record each and a square matrix of distances, got {n_first} of the first "
            f"sample and distances of shape {distances.shape}"
        )
    in_first = np.zeros((n, checked_count("n_ways", n_ways) + 1), dtype=np.bool_)
    in_first[:n_first] = True
    in_first[:, 1:] = np.random.default_rng(seed).permuted(in_first[:, 1:], axis=0)
    found = [_on_common_scale(_energy(distances, in_first, n_first))]
    found += [_on_common_scale(_difference(column, in_first, n_first)) for column in columns]
    largest = np.max(found, axis=0)[1:]
    p_values = [float(1 + np.count_nonzero(largest >= each[0] - ROUNDING)) / (n_ways + 1.0) for each in found]
    return SampleComparison(min(p_values), tuple(p_values[1:]))


def _energy(distances: FloatArray, in_first: BoolArray, n_first: int) -> FloatArray:
    """Return the energy distance for each way, of which there is one per column."""
    first = in_first.astype(np.float64)
    n_second = len(first) - n_first
    of_first, total = distances.sum(axis=1) @ first, float(distances.sum())
    within = np.einsum("ij,ij->j", first, distances @ first)
    across, within_second = of_first - within, total - 2.0 * of_first + within
    energy: FloatArray = 2.0 * across / (n_first * n_second) - within / n_first**2 - within_second / n_second**2
    return energy


def _difference(column: ColumnValues, in_first: BoolArray, n_first: int) -> FloatArray:
    """Return how much the values of a column differ for each way."""
    n = len(in_first)
    order = np.argsort(column.numbers, kind="stable")
    numbers = column.numbers[order]
    last = np.flatnonzero(np.append(numbers[1:] != numbers[:-1], True))
    # so many of the first sample are up to each value, and so many of both
    up_to = in_first[order].cumsum(axis=0, dtype=np.int32)[last]
    both = last + 1
    with_value = np.diff(both, prepend=0)
    if not column.ordered:
        up_to, both = np.diff(up_to, axis=0, prepend=0), with_value
    apart = up_to / n_first - (both[:, None] - up_to) / (n - n_first)
    weights = with_value if column.ordered else 1.0 / with_value
    return np.asarray(weights @ apart**2, dtype=np.float64)


def _on_common_scale(statistics: FloatArray) -> FloatArray:
    """Return statistics of one kind so that they can be compared with those of another.

    All ways are treated alike, so that what holds of ranks still holds. Cube roots of sums of squares are nearly normal
    (Wilson and Hilferty, 1931).
    """
    roots = np.cbrt(statistics)
    spread = float(roots.std())
    if spread <= ROUNDING * float(np.abs(roots).max()):
        return np.zeros(len(roots))  # all ways give the same, and tell nothing
    return np.asarray((roots - roots.mean()) / spread, dtype=np.float64)
