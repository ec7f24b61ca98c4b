"""What one answer says about the dissimilarity of its pair, as a number with a noise of its own.

An expert perceives σ + noise and says in which range that is; a number is a range without width. Somebody who has not
heard this answer expects the dissimilarity to be m ± √v. The answer makes that m′ ± √v′. A number y with noise n would
have done the same, and stands in the answer's place: expectation propagation (Minka 2001), one answer at a time.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import log_ndtr

from commensurate.arrays import BoolArray, FloatArray

# an answer in so many is a slip: any range may be said, whatever the pair is like
SLIPS = 0.02
# how often a slip says a certain range
CHANCE = 0.2
# a message that says next to nothing: so many times the variance of what was expected
LARGEST_VARIANCE = 50.0
_LOG_ROOT_TAU = 0.5 * math.log(2.0 * math.pi)


def log_chances(
    lower: FloatArray, upper: FloatArray, expected: FloatArray, variances: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return how likely each range is, as a logarithm, and its first two derivatives by what is expected.

    ``variances`` are those of a perceived value, noise included. For a number, likely means the density.

    >>> one = np.array([1.0])
    >>> value, slope, _ = log_chances(one - 1.0, np.array([np.inf]), one - 1.0, one)
    >>> np.exp(value).round(6), slope.round(6)
    (array([0.5]), array([0.797885]))
    """
    spread = np.sqrt(variances)
    z_low, z_high = (lower - expected) / spread, (upper - expected) / spread
    # the left tail is computed without loss: where both ends are on the right, look from the other side
    turned = z_low + z_high > 0.0
    a, b = np.where(turned, -z_high, z_low), np.where(turned, -z_low, z_high)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        above = log_ndtr(b)
        inside = above + np.log1p(-np.exp(np.minimum(log_ndtr(a) - above, 0.0)))
        by_ends = [np.where(np.isfinite(z), np.exp(-0.5 * z * z - _LOG_ROOT_TAU - inside), 0.0) for z in (a, b)]
        # dlog/dm, where a and b fall as m grows
        slope = by_ends[0] - by_ends[1]
        curvature = np.where(np.isfinite(a), a, 0.0) * by_ends[0] - np.where(np.isfinite(b), b, 0.0) * by_ends[1]
    number = lower == upper
    # a range so narrow that its ends cannot be told apart is its middle
    number |= ~np.isfinite(inside) | ~np.isfinite(slope) | (b - a < 1e-6)
    middle = np.where(np.isfinite(upper), 0.5 * (lower + np.where(np.isfinite(upper), upper, 0.0)), lower)
    off = (middle - expected) / spread
    value = np.where(number, -0.5 * off * off - _LOG_ROOT_TAU - np.log(spread), inside)
    first = np.where(number, off, np.where(turned, -slope, slope)) / spread
    second = np.where(number, -1.0, curvature - slope * slope) / variances
    return value, first, second


def messages(
    lower: FloatArray, upper: FloatArray, expected: FloatArray, doubts: FloatArray, noises: FloatArray, slips: float
) -> tuple[FloatArray, FloatArray]:
    """Return the number that stands for each answer, and the variance of its noise.

    Parameters
    ----------
    expected, doubts
        Mean and variance of what was known of each pair without this answer.
    noises
        Variance with which the dissimilarity is perceived.
    slips
        The share of answers that are slips; 0 where none can be.

    >>> exactly = np.array([0.5])
    >>> value, noise = messages(exactly, exactly, np.array([0.2]), np.array([0.04]), np.array([0.01]), 0.0)
    >>> value.round(6), noise.round(6)
    (array([0.5]), array([0.01]))
    """
    value, first, second = log_chances(lower, upper, expected, doubts + noises)
    if slips:
        meant = _share_meant(value, lower == upper, doubts + noises, slips)
        second = meant * (second + first * first) - (meant * first) ** 2
        first = meant * first
    perceived = doubts + noises
    # where an answer makes more doubtful what it is about, it says nothing
    says = -second * perceived > 1.0 / LARGEST_VARIANCE
    precision = np.where(says, -second, 1.0)
    variances = np.where(says, 1.0 / precision - doubts, np.inf)
    value = np.where(says, expected + first / precision, expected)
    return value, np.clip(variances, 1e-9 * perceived, LARGEST_VARIANCE * perceived)


def log_likelihoods(
    lower: FloatArray, upper: FloatArray, expected: FloatArray, variances: FloatArray, slips: float
) -> FloatArray:
    """Return the logarithm of how likely each answer is, if a share of them are slips."""
    value = log_chances(lower, upper, expected, variances)[0]
    if not slips:
        return value
    chance = np.where(lower == upper, 0.1 / np.sqrt(variances), CHANCE)
    likelihoods: FloatArray = np.logaddexp(math.log1p(-slips) + value, math.log(slips) + np.log(chance))
    return likelihoods


def _share_meant(value: FloatArray, number: BoolArray, variances: FloatArray, slips: float) -> FloatArray:
    """Return how likely each answer is none that slipped."""
    # a number that slipped may be anything as far as ten times the usual spread
    chance = np.where(number, 0.1 / np.sqrt(variances), CHANCE)
    likely = (1.0 - slips) * np.exp(value)
    share: FloatArray = likely / (likely + slips * chance)
    return share
