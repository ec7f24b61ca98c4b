"""One-to-one matching: a counterpart for every record, such that all pairs together are as similar as can be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment

from commensurate.applications.retrieval.chosen import MatchedRule
from commensurate.applications.retrieval.estimates import Estimates, TwoSides, estimates_of
from commensurate.applications.retrieval.intervals import PairIntervals, RetrievalInterval, interval_for
from commensurate.arrays import FloatArray
from commensurate.checks import checked_confidence_level
from commensurate.errors import InvalidInput
from commensurate.learning.similarity import Similarity
from commensurate.progress import progress

# every estimate is held: 200 MB for as many on both sides, and as much again for each of lower ends and the solver
MOST_A_SIDE = 5_000
BOUNDS_HOLD_IF = "if M1 and M2 hold, the metrics are right and no answer is off by more than answer_error"


@dataclass(frozen=True, slots=True, eq=False)
class Matching:
    """A one-to-one matching of least total estimate.

    Attributes
    ----------
    pairs
        left and right (row numbers of A and B, from 0), estimate, lower, upper; by row of A. Of sides of unequal size,
        all of the smaller are matched.
    total
        The sum of the estimates.
    optimum_bounds
        Between these lies the least total that any matching has under the true dissimilarity, if the intervals are
        "proxy" or "certified", M1 and M2 hold, d is right and no answer is off by more than the model's
        ``answer_error``; None without such intervals. The upper one also bounds the true total of the matching found.
    """

    pairs: pd.DataFrame
    total: float
    optimum_bounds: tuple[float, float] | None

    def __str__(self) -> str:
        said = f"{len(self.pairs):,} pairs with a total estimate of {self.total:.6g}"
        if self.optimum_bounds is None:
            return f"{said}."
        lower, upper = self.optimum_bounds
        return (
            f"{said}; the smallest total under the true dissimilarity is between {lower:.6g} and {upper:.6g}, "
            f"{BOUNDS_HOLD_IF}."
        )


def match_one_to_one(
    model: Similarity,
    A: object,
    B: object,
    *,
    between: Sequence[object] | None = None,
    interval: RetrievalInterval | None = None,
    confidence_level: float = 0.95,
) -> Matching:
    """Match the elements of A and B one to one such that the sum of the estimates is as small as possible.

    Up to 5,000 elements a side: every estimate is computed and held, and the solver may take a minute. With "proxy" and
    "certified" intervals the optimum under the true dissimilarity is bounded too, which takes the lower ends of all
    pairs: at once by the proxies, but up to a millisecond a pair for the "certified" ones of thousands of
    representatives, which is hours for the largest sides.

    Not promised: that a pair matched here is matched in the best matching under the true dissimilarity, or that its two
    elements are each other's most similar ones; only the total counts. Of several matchings with the same total one is
    returned, always the same; under NAIVE and CLUSTER elements with the same proxy can be exchanged.

    Calibrated intervals hold for matched pairs, on the conditions that `neighbors` names: they rest on the held-out
    pairs that would have been matched in the place of the pair, about one in as many as the larger side has elements.

    Parameters
    ----------
    model, A, B, between, interval, confidence_level
        As in `neighbors`.

    Examples
    --------
    >>> import commensurate as cm
    >>> est = cm.NaiveSimilarity(epsilon=0.1, delta=0.2, random_state=0)
    >>> est = est.fit({"a": [[0.0], [1.0]], "b": [[0.0], [1.0]]}, lambda left, right, between: abs(left - right)[:, 0])
    >>> found = match_one_to_one(est, [[1.0], [0.0]], [[0.25], [1.0], [1.0]])
    >>> found.pairs
       left  right  estimate  lower  upper
    0     0      1       0.0    0.0   0.00
    1     1      0       0.0    0.0   0.25
    >>> print(found)  # doctest: +NORMALIZE_WHITESPACE
    2 pairs with a total estimate of 0; the smallest total under the true dissimilarity is between 0 and 0.25, if M1 and
    M2 hold, the metrics are right and no answer is off by more than answer_error.
    """
    sides = TwoSides.of(model, A, B, between)
    _check_size(sides)
    level, chosen = checked_confidence_level(confidence_level), interval_for(sides, interval)
    estimates = estimates_of(sides)
    values = _matrix(estimates)
    left, right = linear_sum_assignment(values)
    matched = values[left, right]
    intervals = PairIntervals(sides, estimates, chosen, level, MatchedRule(sides, values))
    lower, upper = intervals.bounds(left, right, matched)
    pairs = pd.DataFrame({"left": left, "right": right, "estimate": matched, "lower": lower, "upper": upper})
    return Matching(pairs, float(matched.sum()), _optimum_bounds(intervals, values, upper))


def _optimum_bounds(intervals: PairIntervals, values: FloatArray, upper: FloatArray) -> tuple[float, float] | None:
    """Bound the least total under the true σ.

    Let L ≤ σ ≤ U for every pair, write m(S) for the sum of a function m over the pairs of a matching S, and let F be
    the matching found. Every matching has L(S) ≤ σ(S), so that min L(S) ≤ min σ(S); and min σ(S) ≤ σ(F) ≤ U(F). All
    matchings have as many pairs as the smaller side has elements, so that nothing changes for sides of unequal size.
    """
    if not intervals.certified:
        return None
    lower = intervals.lower_matrix(values)
    least = float(lower[linear_sum_assignment(lower)].sum())
    greatest = float(upper.sum())
    # where the two cross, it is by rounding
    return min(least, greatest), greatest


def _matrix(estimates: Estimates) -> FloatArray:
    """Return the estimate of every left row with every right row."""
    matrix = np.empty((len(estimates.left.of_row), len(estimates.right.of_row)))
    left, height = estimates.left, estimates.block_height
    with progress("predicting", total=len(left)) as advance:
        for start in range(0, len(left), height):
            end = min(start + height, len(left))
            rows = left.members[left.starts[start] : left.starts[end]]
            block = estimates.block(start, end)
            matrix[rows] = block[np.ix_(left.of_row[rows] - start, estimates.right.of_row)]
            advance(end - start)
    return matrix


def _check_size(sides: TwoSides) -> None:
    for name, points in (("A", sides.left), ("B", sides.right)):
        if len(points) > MOST_A_SIDE:
            raise InvalidInput(
                f"one-to-one matching works for up to {MOST_A_SIDE:,} records per side, got {len(points):,} in {name}; "
                "match a part of them, or find nearest neighbours with neighbors()"
            )
