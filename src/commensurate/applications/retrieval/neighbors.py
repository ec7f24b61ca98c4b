"""Retrieval: for each element of one group the members of another that are most similar to it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from commensurate.applications.retrieval.chosen import NearestRule
from commensurate.applications.retrieval.estimates import Estimates, TwoSides, estimates_of
from commensurate.applications.retrieval.intervals import PairIntervals, RetrievalInterval, interval_for
from commensurate.arrays import FloatArray, IntArray
from commensurate.checks import checked_confidence_level, checked_count
from commensurate.errors import InvalidInput, InvalidParameter
from commensurate.geometry.threads import in_threads
from commensurate.learning.similarity import Similarity
from commensurate.progress import progress

# left units times right units from which threads pay
PARALLEL_FROM = 2**17


def neighbors(
    model: Similarity,
    A: object,
    B: object,
    k: int = 10,
    *,
    between: Sequence[object] | None = None,
    interval: RetrievalInterval | None = None,
    confidence_level: float = 0.95,
    exclude_self: bool = False,
) -> pd.DataFrame:
    """Return for each element of A the k members of B with the smallest estimates; small means similar.

    The search is exact: the neighbours are those that comparing every A with every B would find, of equal estimates
    those that come first in B. Under NAIVE and CLUSTER the estimate is the answer about two proxies, so that elements
    with the same proxies tie, and a large B costs little more than its proxies. A learnt function
    (`BudgetedSimilarity`) is computed for every pair of different elements, in bounded memory, as slowly as `predict`
    would be for as many pairs.

    Parameters
    ----------
    model
        A fitted NaiveSimilarity, ClusterSimilarity or BudgetedSimilarity. One that asks on demand is asked here what
        `predict_matrix` would ask; without an oracle, missing answers raise `MissingAnswers`.
    A, B
        Elements of the two groups, as `predict` takes them.
    k
        How many neighbours, from 1 to the number of rows of B.
    between
        Names of the groups of A and B; may be left out when two groups were fitted.
        For the same group twice, d decides.
    interval
        What ``lower`` and ``upper`` are; by default the strongest that the model has, of equally strong ones the
        cheapest: "proxy" for NAIVE and CLUSTER, "certified" for BudgetedSimilarity, "calibrated" where
        ``answer_error`` is "auto" or "noise".

        * "proxy" (NAIVE and CLUSTER): the answer about the two proxies,
        give or take the distances to them. It holds for every
          pair if M1 and M2 hold, d is right and no answer is off by more than ``answer_error``, and costs nothing. It
          is not compared with the other answers.
        * "certified": the tightest interval that all answers together imply,
        under the same conditions; never wider, but it
          takes up to a millisecond a pair with thousands of representatives, and an estimate may lie outside it.
        * "calibrated" (BudgetedSimilarity): holds for a share ``confidence_level`` of the nearest pairs, on average,
          if A and B are drawn at random like the elements asked about and nothing was asked about them; where
          ``claim`` is "pairs of these elements", if A and B are among those elements. It rests on the held-out
          pairs that would have been among the k nearest themselves, about k in len(B) of them, and is infinite, with a
          warning, where these are too few.
        * "intersection": what "certified" and "calibrated" both allow, under the conditions of both.
        * "estimate": both are the estimate itself, without any guarantee.
    confidence_level
        Confidence level of calibrated intervals.
    exclude_self
        Within one group, where A and B are the same rows:
        leave out each row as its own neighbour, but not its duplicates. By default nothing is left out.

    Returns
    -------
    pandas.DataFrame
        k rows for each element of A, with the columns left (row of A, from 0), rank (from 1), right (row of B),
        estimate, lower, upper. That a neighbour is really among the k nearest is certain only where its upper end is
        below the lower ends of all but k − 1 others.

    Examples
    --------
    >>> import commensurate as cm
    >>> est = cm.NaiveSimilarity(epsilon=0.1, delta=0.2, random_state=0)
    >>> est = est.fit({"a": [[0.0], [1.0]], "b": [[0.0], [1.0]]}, lambda left, right, between: abs(left - right)[:, 0])
    >>> neighbors(est, [[0.25], [1.0]], [[1.0], [0.0], [0.0]], k=2)
       left  rank  right  estimate  lower  upper
    0     0     1      1       0.0    0.0   0.25
    1     0     2      2       0.0    0.0   0.25
    2     1     1      0       0.0    0.0   0.00
    3     1     2      1       1.0    1.0   1.00
    """
    sides = TwoSides.of(model, A, B, between)
    if exclude_self:
        _check_same_rows(sides)
    k = _checked_k(k, len(sides.right), exclude_self)
    level, chosen = checked_confidence_level(confidence_level), interval_for(sides, interval)
    estimates = estimates_of(sides)
    values, rows = _smallest(estimates, k + exclude_self)
    if exclude_self:
        values, rows = _without_self(values, rows)
    left = np.repeat(np.arange(len(values)), k)
    intervals = PairIntervals(sides, estimates, chosen, level, NearestRule(sides, k))
    lower, upper = intervals.bounds(left, rows.ravel(), values.ravel())
    rank = np.tile(np.arange(1, k + 1), len(values))
    columns = {"left": left, "rank": rank, "right": rows.ravel(), "estimate": values.ravel()}
    return pd.DataFrame({**columns, "lower": lower, "upper": upper}, copy=False)


def _smallest(estimates: Estimates, k: int) -> tuple[FloatArray, IntArray]:
    """Return the k smallest estimates for each row of the left side, and the rows of the right side they are for."""
    from commensurate.geometry.kernels.smallest_kernels import keep_smallest

    left, right = estimates.left, estimates.right
    values, rows = np.empty((len(left), k)), np.empty((len(left), k), dtype=np.int64)
    with progress("searching", total=len(left)) as advance:
        for start in range(0, len(left), estimates.block_height):
            block = estimates.block(start, min(start + estimates.block_height, len(left)))

            def search(begin: int, end: int, start: int = start, block: FloatArray = block) -> None:
                found = slice(start + begin, start + end)
                keep_smallest(block[begin:end], right.starts, right.members, values[found], rows[found])

            in_threads(search, len(block), at_least=max(2, PARALLEL_FROM // len(right)))
            advance(len(block))
    return values[left.of_row], rows[left.of_row]


def _without_self(values: FloatArray, rows: IntArray) -> tuple[FloatArray, IntArray]:
    """Return one column less: without row i in line i or, where it is not there, without the last."""
    own = rows == np.arange(len(rows))[:, None]
    own[~own.any(axis=1), -1] = True
    shape = len(rows), rows.shape[1] - 1
    return values[~own].reshape(shape), rows[~own].reshape(shape)


def _checked_k(k: int, n_right: int, exclude_self: bool) -> int:
    k, most = checked_count("k", k), n_right - exclude_self
    if not 1 <= k <= most:
        others = "other rows" if exclude_self else "rows"
        raise InvalidParameter(
            f"k must be from 1 to the {most:,} {others} of B, got {k:,}; choose a smaller k, or pass more rows"
        )
    return k


def _check_same_rows(sides: TwoSides) -> None:
    if not sides.same_group:
        raise InvalidParameter(
            f"exclude_self=True works within one group, but A is from {sides.between[0]!r} and B from "
            f"{sides.between[1]!r}; leave it out"
        )
    if not np.array_equal(sides.left, sides.right):
        raise InvalidInput(
            "exclude_self=True treats row i of A and row i of B as the same record, but the rows of A and B differ; "
            "pass the same rows, or leave it out"
        )
