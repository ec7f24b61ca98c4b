"""Exact statements from held-out scores: split conformal ranks, p-values, bounds on a probability.

They are about pairs drawn like the calibration pairs; pairs that someone picked are not such pairs. A calibration pair
that was asked about and has no answer is ``missing``. Those are not missing at random: experts skip what is hard. In a
statement about all pairs each therefore counts as an infinite score, larger than any that could have come out (then the
rank only grows, and the statement holds whatever the answer would have been); left out, the statement covers only pairs
that get an answer, given how many did. Bounds on a probability are those of Clopper and Pearson (1934).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta

from commensurate.checks import checked_confidence_level
from commensurate.errors import InvalidParameter

# (n + 1) · 0.95 is a whole number for n = 19, 39, …; rounding must not make it one more
ROUNDING = 1e-9


def conformal_rank(n_scores: int, level: float, *, missing: int = 0) -> int | None:
    """Return which score, counted from the smallest,
    covers a new one with probability ``level``; None if no score does.

    The probability is over the calibration pairs *and* the new pair;
    it is exactly rank / (n + 1) if scores have no ties. ``missing`` further ones count as infinite.

    Examples
    --------
    >>> conformal_rank(79, 0.95), conformal_rank(18, 0.95)
    (76, None)
    >>> conformal_rank(76, 0.95, missing=3), conformal_rank(75, 0.95, missing=4)
    (76, None)
    """
    level = checked_confidence_level(level)
    rank = math.ceil((n_scores + missing + 1) * level - ROUNDING)
    return rank if rank <= n_scores else None


def confident_rank(n_scores: int, level: float, confidence: float, *, missing: int = 0) -> int | None:
    """Return which score covers a share ``level`` of new ones,
    with probability ``confidence`` over the calibration pairs.

    Stronger than `conformal_rank`: it speaks of this calibration, not of the mean over calibrations. The share covered
    by the k-th of n scores has the distribution Beta(k, n + 1 − k). ``missing`` further scores count as infinite.

    Examples
    --------
    >>> confident_rank(59, 0.95, 0.95), confident_rank(58, 0.95, 0.95)
    (59, None)
    >>> confident_rank(92, 0.95, 0.95, missing=1), confident_rank(91, 0.95, 0.95, missing=1)
    (92, None)
    """
    level, confidence = checked_confidence_level(level), checked_confidence_level(confidence)
    ranks = np.arange(1, n_scores + 1)
    enough = np.flatnonzero(beta.sf(level, ranks, n_scores + missing + 1 - ranks) >= confidence)
    return int(ranks[enough[0]]) if len(enough) else None


def miscoverage_bound(n_scores: int, level: float, confidence: float, *, missing: int = 0) -> float:
    """Return a share that pairs outside of intervals at ``level`` exceed only with probability 1 − ``confidence``.

    Over the calibration pairs, the share outside has the distribution Beta(n + 1 − k, k),
    where k is the rank of the score; ``missing`` ones, which count as infinite, are among these n.

    Examples
    --------
    >>> round(miscoverage_bound(79, 0.95, 0.95), 3), miscoverage_bound(10, 0.95, 0.95)
    (0.095, 0.0)
    """
    rank, confidence = conformal_rank(n_scores, level, missing=missing), checked_confidence_level(confidence)
    # an infinite interval always holds
    return 0.0 if rank is None else float(beta.ppf(confidence, n_scores + missing + 1 - rank, rank))


def scores_needed(level: float, confidence: float | None = None, *, missing: int = 0) -> int:
    """Return how many calibration scores a finite interval needs at least;
    with ``confidence``, one that `confident_rank` gives. ``missing`` further ones count as infinite.

    >>> scores_needed(0.95), scores_needed(0.9), scores_needed(0.95, 0.95)
    (19, 9, 59)
    >>> scores_needed(0.95, missing=1), scores_needed(0.95, 0.95, missing=1)
    (38, 92)
    """
    level = checked_confidence_level(level)
    if confidence is None:
        return math.ceil((missing + 1) * level / (1.0 - level) - ROUNDING)
    confidence = checked_confidence_level(confidence)
    if not missing:
        return math.ceil(math.log(1.0 - confidence) / math.log(level) - ROUNDING)
    # the largest of n scores covers the share with a probability that grows with n
    too_few, enough = 0, 1
    while beta.sf(level, enough, missing + 1) < confidence:
        too_few, enough = enough, 2 * enough
    while enough - too_few > 1:
        middle = (too_few + enough) // 2
        if beta.sf(level, middle, missing + 1) < confidence:
            too_few = middle
        else:
            enough = middle
    return enough


def conformal_p_values(
    scores: NDArray[np.float64], thresholds: NDArray[np.float64], *, missing: int = 0
) -> NDArray[np.float64]:
    """Return for each threshold a p-value of the hypothesis that a new score reaches it.

    It happens with probability t at most that the new score, of a random pair, reaches its threshold and the p-value is
    at most t (Jin and Candès, 2023). ``missing`` further scores count as reaching every threshold.

    Examples
    --------
    >>> conformal_p_values(np.array([0.1, 0.2, 0.3]), np.array([0.25, 0.4])).tolist()
    [0.5, 0.25]
    >>> conformal_p_values(np.array([0.1, 0.2, 0.3]), np.array([0.25, 0.4]), missing=1).tolist()
    [0.6, 0.4]
    """
    reached = len(scores) - np.searchsorted(np.sort(scores), thresholds, side="left")
    return np.asarray((1.0 + missing + reached) / (len(scores) + missing + 1.0), dtype=np.float64)


def conformal_quantile(scores: NDArray[np.float64], rank: int | None) -> float:
    """Return the score with this rank, infinite if there is none."""
    if rank is None:
        return math.inf
    if not 1 <= rank <= len(scores):
        raise InvalidParameter(f"rank must be from 1 to {len(scores)}, the number of scores, got {rank}")
    return float(np.partition(scores, rank - 1)[rank - 1])


def lower_proportion(successes: int, trials: int, alpha: float) -> float:
    """Return a bound that the probability of a success undercuts only with probability ``alpha``.

    Examples
    --------
    >>> round(lower_proportion(373, 373, alpha=0.05), 4)
    0.992
    """
    from scipy.stats import beta

    return 0.0 if successes == 0 else float(beta.ppf(alpha, successes, trials - successes + 1))


def upper_proportion(successes: int, trials: int, alpha: float) -> float:
    """Return a bound that the probability of a success exceeds only with probability ``alpha``.

    Examples
    --------
    >>> round(upper_proportion(0, 373, alpha=0.05), 4)
    0.008
    """
    from scipy.stats import beta

    return 1.0 if successes == trials else float(beta.isf(alpha, successes + 1, trials - successes))
