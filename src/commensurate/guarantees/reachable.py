"""What no estimate can reach where experts err: even σ itself is off from their answers.

If the errors of answers are normal with one standard deviation, a perfect estimate is within t of a share
2Φ(t/s) − 1 of new answers. A tolerance that needs more than that is never proved, however many answers are given.
"""

from __future__ import annotations

import math

from scipy.stats import norm

from commensurate.checks import checked_share, checked_tolerance
from commensurate.errors import InvalidParameter


def reachable_share(noise: float, tolerance: float) -> float:
    """Return the share of new answers that a perfect estimate is within ``tolerance`` of.

    >>> round(reachable_share(noise=0.208, tolerance=0.095), 2)
    0.35
    """
    noise, tolerance = _checked_noise(noise), checked_tolerance(tolerance)
    return 1.0 if noise == 0.0 else 2.0 * float(norm.cdf(tolerance / noise)) - 1.0


def reachable_tolerance(noise: float, share: float) -> float:
    """Return how far off a perfect estimate is from a ``share`` of new answers.

    >>> round(reachable_tolerance(noise=0.208, share=0.9), 3)
    0.342
    """
    return _checked_noise(noise) * float(norm.ppf(0.5 + checked_share(share) / 2.0))


def _checked_noise(noise: float) -> float:
    if not (math.isfinite(noise) and noise >= 0.0):
        raise InvalidParameter(f"noise must be a standard deviation, a finite number of at least 0, got {noise!r}")
    return float(noise)
