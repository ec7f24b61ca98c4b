"""Split conformal prediction: which of n calibration scores makes an interval hold how often.

The statements are about pairs drawn like the calibration pairs. Pairs that somebody picked are not such pairs.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta

from commensurate.errors import InvalidParameter
from commensurate.guarantees.parameters import checked_confidence_level

# (n + 1) · 0.95 is a whole number for n = 19, 39, …; rounding must not make it one more
ROUNDING = 1e-9


def conformal_rank(n_scores: int, level: float) -> int | None:
    """Return which score, counted from the smallest, covers a new one with probability ``level``; None if no score does.

    The probability is over the calibration pairs *and* the new pair; it is exactly rank / (n + 1) if scores have no ties.

    Examples
    --------
    >>> conformal_rank(79, 0.95), conformal_rank(18, 0.95)
    (76, None)
    """
    level = checked_confidence_level(level)
    rank = math.ceil((n_scores + 1) * level - ROUNDING)
    return rank if rank <= n_scores else None


def confident_rank(n_scores: int, level: float, confidence: float) -> int | None:
    """Return which score covers a share ``level`` of new ones, with probability ``confidence`` over the calibration pairs.

    Stronger than `conformal_rank`: it speaks of this calibration, not of the mean over calibrations. The share covered by
    the k-th of n scores has the distribution Beta(k, n + 1 − k).

    Examples
    --------
    >>> confident_rank(59, 0.95, 0.95), confident_rank(58, 0.95, 0.95)
    (59, None)
    """
    level, confidence = checked_confidence_level(level), checked_confidence_level(confidence)
    ranks = np.arange(1, n_scores + 1)
    enough = np.flatnonzero(beta.sf(level, ranks, n_scores + 1 - ranks) >= confidence)
    return int(ranks[enough[0]]) if len(enough) else None


def miscoverage_bound(n_scores: int, level: float, confidence: float) -> float:
    """Return a share that pairs outside of intervals at ``level`` exceed only with probability 1 − ``confidence``.

    Over the calibration pairs, the share outside has the distribution Beta(n + 1 − k, k), where k is the rank of the score.

    Examples
    --------
    >>> round(miscoverage_bound(79, 0.95, 0.95), 3), miscoverage_bound(10, 0.95, 0.95)
    (0.095, 0.0)
    """
    rank, confidence = conformal_rank(n_scores, level), checked_confidence_level(confidence)
    # an infinite interval always holds
    return 0.0 if rank is None else float(beta.ppf(confidence, n_scores + 1 - rank, rank))


def scores_needed(level: float, confidence: float | None = None) -> int:
    """Return how many calibration scores a finite interval needs at least; with ``confidence``, one that `confident_rank` gives.

    >>> scores_needed(0.95), scores_needed(0.9), scores_needed(0.95, 0.95)
    (19, 9, 59)
    """
    level = checked_confidence_level(level)
    if confidence is None:
        return math.ceil(level / (1.0 - level) - ROUNDING)
    return math.ceil(math.log(1.0 - checked_confidence_level(confidence)) / math.log(level) - ROUNDING)


def conformal_quantile(scores: NDArray[np.float64], rank: int | None) -> float:
    """Return the score with this rank, infinite if there is none."""
    if rank is None:
        return math.inf
    if not 1 <= rank <= len(scores):
        raise InvalidParameter(f"rank must be from 1 to {len(scores)}, the number of scores, got {rank}")
    return float(np.partition(scores, rank - 1)[rank - 1])
