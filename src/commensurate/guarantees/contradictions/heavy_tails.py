"""How large errors may get, judged by a few of them, if large errors are no more common than in Student's t₃.

Let the anchor be one of the larger among some errors. Tails are *no heavier* than those of t₃ if from the anchor on, an
error's quantile, as a multiple of the same quantile of |t₃|, does not grow with the level: errors are φ(T) where T has
the distribution |t₃| and φ(t)/t does not increase. Then an error beyond the anchor is E/anchor = φ(T)/φ(T′) ≤ T/T′, and
every other at most 1: so what holds for max(1, T/T′) under t₃ holds for E/anchor (van Zwet's star order; Shaked and
Shanthikumar, 2007). The normal, the Laplace and the uniform distribution are lighter, and t₃ itself is the limit.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from commensurate.arrays import FloatArray

# points of Gauss's rule: enough for four digits of a probability
_POINTS = 100
# at most a tenth of the held-out errors lies beyond the anchor, and fewer of many: far errors tell most of the tail
_BEYOND = 10
# what is left when two errors are put aside must still have an anchor
FEWEST_HELD_OUT = 3


def anchor_rank(n_held_out: int) -> int:
    """Return how many held-out errors lie beyond the anchor: so many may be gross ones without moving it.

    >>> [anchor_rank(n) for n in (3, 10, 20, 79, 400)]
    [0, 1, 2, 4, 10]
    """
    return min(n_held_out // _BEYOND, math.isqrt(n_held_out) // 2)


@lru_cache(maxsize=256)
def two_largest_errors(n_errors: int, n_held_out: int, level: float) -> float:
    """Return how many anchors the two largest of some errors together exceed with probability ``level`` only.

    Each of the two counts as one anchor at least. The anchor is the held-out error with `anchor_rank` larger ones; two
    of those held out, which may be the two themselves, are left out of it, which only lowers it; so at least 3 must be
    held out. At most that probability if tails are no heavier than those of t₃.

    Examples
    --------
    >>> round(two_largest_errors(100, 20, 0.05), 1)
    14.0
    """
    from scipy.optimize import brentq
    from scipy.special import betaincinv, stdtrit

    beyond = anchor_rank(n_held_out)
    places, weights = np.polynomial.legendre.leggauss(_POINTS)
    # dense where the anchor is small: there large multiples are likely
    left = (1.0 - places) / 2.0
    tail_shares = betaincinv(beyond + 1, n_held_out - 2 - beyond, 1.0 - left**3)
    anchors = -stdtrit(3, tail_shares / 2.0)
    chances = 1.5 * weights * left**2

    def surplus(log_factor: float) -> float:
        return float(chances @ _two_exceed(math.exp(log_factor), anchors, max(n_errors, 2))) - level

    # each of the two counts as one anchor at least
    least = math.log(2.0)
    return math.exp(float(brentq(surplus, least, 60.0))) if surplus(least) > 0.0 else 2.0


def _two_exceed(factor: float, anchors: FloatArray, n: int) -> FloatArray:
    """Return for each anchor the probability that the two largest of n sizes under t₃, each at least the anchor,
    together exceed ``factor`` of it.
    """
    places, weights = np.polynomial.legendre.leggauss(_POINTS // 2)
    sums = factor * anchors
    # the largest lies between half of the sum and all of it but one anchor, and every other below the rest
    lengths = (factor / 2.0 - 1.0) * anchors
    largest = sums[:, None] / 2.0 + lengths[:, None] * (places + 1.0) / 2.0
    within = n * _density(largest) * _below(sums[:, None] - largest) ** (n - 1)
    return 1.0 - _below(sums / 2.0) ** n - (within @ weights) * lengths / 2.0


def _below(sizes: FloatArray) -> FloatArray:
    """Return P(|T| ≤ size)."""
    scaled = sizes / math.sqrt(3.0)
    return np.asarray(2.0 / math.pi * (scaled / (1.0 + scaled**2) + np.arctan(scaled)))


def _density(sizes: FloatArray) -> FloatArray:
    return np.asarray(4.0 / (math.pi * math.sqrt(3.0)) / (1.0 + sizes**2 / 3.0) ** 2)
