"""How far off NAIVE's and CLUSTER's estimates can be, from distances to proxies alone: no question is asked.

The estimate for (x, y) is the answer about their proxies, so by M1 and M2 it is off by at most A + B, where A is the
distance of x to its proxy and B that of y. *This table*: all A and B are known, and so is the share of pairs with
A + B ≤ t; nothing is left to chance. *Future elements*: rows set aside by index, before scaling and sampling, show how
A and B are distributed, and the statement holds with a stated confidence.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from commensurate.arrays import FloatArray
from commensurate.checks import checked_confidence_level, checked_distances, checked_share
from commensurate.errors import InvalidParameter
from commensurate.wording import percent_down

Method = Literal["matched_pairs", "order_statistics"]


def tolerance_for_share(left: ArrayLike, right: ArrayLike, share: float) -> float:
    """Return the smallest tolerance that the estimates of ``share`` of all pairs are off by
    at most: one of the sums, exact.

    Parameters
    ----------
    left, right
        Distance of each row to its proxy, in the one group and in the other.
    share
        Share of all pairs, above 0, at most 1.

    Examples
    --------
    >>> tolerance_for_share([0.0, 1.0], [0.0, 3.0], share=0.75)
    3.0
    """
    from commensurate.geometry.kernels.pair_count_kernels import count_sums_within

    if not 0.0 < share <= 1.0:
        raise InvalidParameter(f"share must be above 0 and at most 1, got {share!r}; write 99 % as 0.99")
    lefts, rights = np.sort(checked_distances("left", left)), np.sort(checked_distances("right", right))
    n_pairs = len(lefts) * len(rights)
    # non-negative floats are ordered like their bit patterns, so halving those finds the exact float in 63 counts
    too_small, enough = _bits(lefts[0] + rights[0]) - 1, _bits(lefts[-1] + rights[-1])
    while enough - too_small > 1:
        middle = (too_small + enough) // 2
        if int(count_sums_within(lefts, rights, _from_bits(middle))) / n_pairs >= share:
            enough = middle
        else:
            too_small = middle
    return _from_bits(enough)


def _bits(value: float) -> int:
    return int(np.float64(value + 0.0).view(np.int64))  # −0 + 0 is 0: minus zero has the bits of the smallest integer


def _from_bits(bits: int) -> float:
    return float(np.int64(bits).view(np.float64))


@dataclass(frozen=True, slots=True)
class FuturePairsBound:
    """With confidence, at least ``share`` of the future pairs of two groups are off by at most ``tolerance``.

    Attributes
    ----------
    share
        Share of future pairs (x, y), each drawn like the rows that were set aside.
    tolerance
        How far off their estimates are at most; infinite when too few rows were set aside.
    confidence_level
        Confidence in the bounds of *all* pairs of groups at once.
    method
        ``"matched_pairs"`` or ``"order_statistics"``.
    n_left, n_right
        Rows set aside in the two groups.
    """

    share: float
    tolerance: float
    confidence_level: float
    method: Method
    n_left: int
    n_right: int

    def __str__(self) -> str:
        rows = f"{self.n_left:,} and {self.n_right:,} rows set aside"
        confidence, share = percent_down(self.confidence_level), percent_down(self.share)
        if math.isinf(self.tolerance):
            return f"{rows} are too few to bound, with confidence {confidence}, the error of {share} of future pairs"
        return f"with confidence {confidence}, at least {share} of future pairs are off by at most {self.tolerance:.4g} ({rows})"


def bound_future_pairs(
    held_out: Mapping[str, ArrayLike],
    *,
    share: float = 0.99,
    confidence_level: float = 0.95,
    method: Method = "matched_pairs",
    random_state: int | np.random.Generator = 0,
) -> Mapping[tuple[str, str], FuturePairsBound]:
    """Certify how far off estimates for future pairs are, for all pairs of groups at once.

    The rows set aside must be independent draws like the future ones, independent of what the estimator was fitted on
    (scaling, metric, samples), and from groups that are independent of each other. Fix ``share`` and ``method``
    beforehand: trying several and keeping the best one voids the confidence, and so does trying several seeds.

    Parameters
    ----------
    held_out
        Per group, the distances to their proxies of the rows set aside; infinite for a row that has no estimate.
    share
        Share of future pairs to speak about.
    confidence_level
        Confidence that all bounds returned are true.
    method
        ``"matched_pairs"`` matches rows of two groups one to one and bounds a quantile of the sums; it never needs more
        rows than the other. ``"order_statistics"`` bounds a quantile per group and adds the two, so that every group
        has one figure, whatever it is paired with.
    random_state
        Seed of the matching; the rows' order does not matter.

    Returns
    -------
    One bound for each pair of groups, in the order in which they are named.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> held_out = {"married": rng.random(1000), "single": rng.random(800)}
    >>> print(bound_future_pairs(held_out)["married", "single"])
    with confidence 95 %, at least 99 % of future pairs are off by at most 1.859 (1,000 and 800 rows set aside)
    """
    distances = {
        group: checked_distances(f"held_out of {group!r}", held_out[group], infinite=True) for group in held_out
    }
    share, confidence_level = checked_share(share), checked_confidence_level(confidence_level)
    if len(distances) < 2:
        raise InvalidParameter(
            f"a statement about future pairs needs at least two groups, got {len(distances)}; pass every group's rows"
        )
    if method == "matched_pairs":
        tolerances = _matched_tolerances(distances, share, 1.0 - confidence_level, np.random.default_rng(random_state))
    elif method == "order_statistics":
        tolerances = _ordered_tolerances(distances, share, 1.0 - confidence_level)
    else:
        raise InvalidParameter(
            f"method must be 'matched_pairs' or 'order_statistics', got {method!r}; choose one of them"
        )
    return {
        (left, right): FuturePairsBound(
            share, tolerance, confidence_level, method, len(distances[left]), len(distances[right])
        )
        for (left, right), tolerance in tolerances.items()
    }


# Why one method is chosen beforehand: each is right with probability 1 − α, but the smaller of their two tolerances
# only with 1 − 2α. The default looks at neither the distances nor the counts. It is matched pairs, because of the rows
# needed: with γ groups order statistics need share^(m/2) ≤ α/γ, that is share^m ≤ (α/γ)², which is below α divided by
# the γ(γ−1)/2 pairs, all that matched pairs need. Their tolerance is smaller too where the two largest distances rarely
# meet.


def _matched_tolerances(
    distances: Mapping[str, FloatArray], share: float, alpha: float, rng: np.random.Generator
) -> dict[tuple[str, str], float]:
    """Bound a quantile of the sums of rows matched one to one.

    Rows of a group are independent and the shuffle ignores their values, so the sums of one pair of groups are
    independent draws of A + B, and their order statistic errs with probability α / number of pairs of groups. The sums
    of two pairs of groups share rows and are not independent; adding up the probabilities needs no independence.
    """
    pairs = list(combinations(distances, 2))
    shuffled = {group: rng.permutation(values) for group, values in distances.items()}
    return {
        (left, right): _upper_quantile(_matched_sums(shuffled[left], shuffled[right]), share, alpha / len(pairs))
        for left, right in pairs
    }


def _ordered_tolerances(
    distances: Mapping[str, FloatArray], share: float, alpha: float
) -> dict[tuple[str, str], float]:
    """Bound a quantile per group, each with error probability α/γ, and add the two of a pair.

    x and y are drawn independently: if A ≤ a for a share √s of x and B ≤ b for a share √s of y, then both hold, and so
    does A + B ≤ a + b, for a share s of the pairs.
    """
    per_group = math.sqrt(share)
    while per_group * per_group < share:
        per_group = math.nextafter(per_group, 1.0)
    bounds = {group: _upper_quantile(values, per_group, alpha / len(distances)) for group, values in distances.items()}
    return {(left, right): bounds[left] + bounds[right] for left, right in combinations(distances, 2)}


def pairs_needed(share: float, confidence_level: float = 0.95) -> int:
    """Return how many matched pairs, none of them off by more, prove ``share`` of one pair of groups.

    Examples
    --------
    >>> pairs_needed(0.992)
    373
    """
    share, alpha = checked_share(share), 1.0 - checked_confidence_level(confidence_level)
    pairs = max(1, math.floor(math.log(alpha) / math.log(share)) - 1)
    while share**pairs > alpha:
        pairs += 1
    return pairs


def _matched_sums(left: FloatArray, right: FloatArray) -> FloatArray:
    n_pairs = min(len(left), len(right))
    return left[:n_pairs] + right[:n_pairs]


def _upper_quantile(draws: FloatArray, share: float, alpha: float) -> float:
    """Return an order statistic that at least ``share`` of the distribution does not exceed, but with probability α.

    It falls short only if k or more of the n draws lie below the quantile q, each with probability at most ``share``
    (ties at q only help). So k is the smallest number with P(Bin(n, share) ≥ k) ≤ α; there is none when n is small.
    """
    from scipy.stats import binom

    k = int(binom.isf(alpha, len(draws), share)) + 1
    # isf rounds: settle the last unit on the probability itself
    while k > 1 and binom.sf(k - 2, len(draws), share) <= alpha:
        k -= 1
    while binom.sf(k - 1, len(draws), share) > alpha:
        k += 1
    return float(np.partition(draws, k - 1)[k - 1]) if k <= len(draws) else math.inf
