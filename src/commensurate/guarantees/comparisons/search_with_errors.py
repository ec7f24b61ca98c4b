"""Bisection where comparisons err: what was said locates a dissimilarity, except with a stated probability.

What is perceived has normal errors, so that σ looks at most as large as a ruler of distance t with probability
Φ((t − σ)/s). Let L(u) be the probability of all that was said if σ were u. Then the mean of L over any fixed weights,
divided by L(σ), is a martingale that begins at 1, whichever ruler comes next. By Ville's inequality it ever reaches 1/α
with probability α at most. So all u with L(u) ≥ α · mean are an interval that σ leaves, at any time, only so often.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import log_ndtr, logsumexp

from commensurate.arrays import FloatArray
from commensurate.checks import checked_mass, checked_positive, checked_positive_count
from commensurate.errors import InvalidParameter
from commensurate.guarantees.comparisons.rulers import Rulers

# steps in which intervals end, in half-widths; and how far above the longest ruler they may end, in errors
_STEP, _BEYOND = 0.125, 6.0
_MOST_STEPS = 100_000


@dataclass(frozen=True, slots=True)
class Located:
    """The interval that comparisons put a dissimilarity into, and how many they were."""

    lower: float
    upper: float
    comparisons: int


def locate_with_errors(
    closer: Callable[[float], bool],
    rulers: Rulers,
    *,
    half_width: float,
    noise: float,
    failure: float,
    lower: float = 0.0,
    upper: float = math.inf,
    most: int = 10_000,
) -> Located:
    """Compare one pair with rulers, until half of its interval is at most ``half_width`` wide.

    σ lies outside of the interval with probability ``failure`` at most, whenever asking ends.

    Parameters
    ----------
    closer
        Given a ruler's distance, whether the pair looks at least as alike as the ruler.
    noise
        The standard deviation of the error of a comparison: of both dissimilarities, where both are perceived.
    lower, upper
        Where σ is known to lie.
    most
        After so many comparisons, the interval is returned however wide it is.

    Examples
    --------
    >>> rng, rulers = np.random.default_rng(0), Rulers.of(np.linspace(0.01, 1.0, 100))
    >>> closer = lambda distance: rng.normal(0.3, 0.05) <= distance
    >>> found = locate_with_errors(closer, rulers, half_width=0.05, noise=0.05, failure=0.05)
    >>> round(found.lower, 2), round(found.upper, 2), found.comparisons
    (0.26, 0.35, 26)
    """
    width = 2.0 * checked_positive("half_width", half_width)
    noise, most = checked_positive("noise", noise), checked_positive_count("most", most)
    log_failure = math.log(checked_failure(failure))
    end = min(upper, max(rulers.longest, lower) + _BEYOND * noise)
    ends = np.linspace(lower, end, 2 + min(_MOST_STEPS, math.ceil((end - lower) / (_STEP * half_width))))
    likelihood = np.zeros(len(ends))
    low, high, asked = lower, upper, 0
    while high - low > width and asked < most:
        distance = _most_telling(likelihood, ends, rulers.distances, low, high)
        if distance is None:
            break
        away = (distance - ends) / noise
        likelihood += log_ndtr(away if closer(distance) else -away)
        asked += 1
        # the likelihood is log-concave: what lies between two ends that are left out is left out, or holds the highest
        kept = np.flatnonzero(likelihood >= logsumexp(likelihood) - math.log(len(ends)) + log_failure)
        low = float(ends[max(kept[0] - 1, 0)])
        high = float(ends[kept[-1] + 1]) if kept[-1] + 1 < len(ends) else upper
    return Located(low, high, asked)


def checked_failure(failure: float) -> float:
    """Return the probability with which an interval may be wrong, strictly between 0 and 1."""
    if checked_mass("failure", failure) in (0.0, 1.0):
        raise InvalidParameter(
            f"failure must lie strictly between 0 and 1, got {failure!r}; no comparisons that err exclude every doubt"
        )
    return float(failure)


def _most_telling(
    likelihood: FloatArray, ends: FloatArray, distances: FloatArray, low: float, high: float
) -> float | None:
    """Return the ruler nearest to the middle of what is likely, None where none lies inside the interval."""
    first, last = np.searchsorted(distances, low, side="right"), np.searchsorted(distances, high, side="left")
    if first == last:
        return None
    likely = np.cumsum(np.exp(likelihood - likelihood.max()))
    middle = ends[np.searchsorted(likely, likely[-1] / 2.0)]
    inside = distances[first:last]
    after = min(int(np.searchsorted(inside, middle)), len(inside) - 1)
    nearer = after > 0 and middle - inside[after - 1] < inside[after] - middle
    return float(inside[after - 1 if nearer else after])
