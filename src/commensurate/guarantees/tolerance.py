"""Does a tolerance tell good estimates from bad ones, and can any estimate meet it?

One that a single guess meets for every pair tells nothing. Where experts err, even σ itself is off from their answers:
if their errors are normal with one standard deviation s, a perfect estimate is within t of a share 2Φ(t/s) − 1 of new
answers. A tolerance that needs more than that is never proved, however many answers are given.
"""

from __future__ import annotations

import math

from scipy.stats import norm

from commensurate.checks import checked_share, checked_tolerance
from commensurate.errors import InvalidParameter
from commensurate.wording import percent, percent_down, rounded_up

# fewer answers show neither what one guess does nor how much experts err
ANSWERS_TO_JUDGE_BY = 20


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


def one_guess_meets(tolerance: float, share_within: float) -> str:
    """Say that a tolerance asks for little; ``share_within`` it, one guess is for every pair.

    >>> print(one_guess_meets(0.075, 1.0))
    a tolerance of 0.075 asks for little: one guess for every pair, the median of the answers, is within it of 100 % of
    the answers
    """
    return (
        f"a tolerance of {tolerance:g} asks for little: one guess for every pair, the median of the answers, is within it "
        f"of {percent_down(share_within)} of the answers"
    )


def remarks_on_tolerance(
    tolerance: float, share: float, *, n_answers: int, share_within: float, noise: float | None
) -> list[str]:
    """Say what is wrong with the claim that a ``share`` of pairs is within ``tolerance``, as far as answers show it.

    Parameters
    ----------
    tolerance, share
        The claim.
    n_answers
        How many answers show it.
    share_within
        The share of them that their median is within the tolerance of.
    noise
        The estimated standard deviation of an answer's error; None or NaN where nobody knows.

    Examples
    --------
    >>> for remark in remarks_on_tolerance(0.095, 0.9, n_answers=200, share_within=0.3, noise=0.208):
    ...     print(remark)
    No estimate can meet a tolerance of 0.095: if experts err as much as estimated now, even perfect estimates are
    within it of about 35 % of new answers. A tolerance of 0.343 or more can be met.
    """
    if n_answers < ANSWERS_TO_JUDGE_BY:
        return []
    remarks = []
    if share_within >= share:
        said = one_guess_meets(tolerance, share_within)
        remarks.append(f"{said[0].upper()}{said[1:]}. Within this tolerance, estimates need not tell pairs apart.")
    if noise is not None and math.isfinite(noise) and (most := reachable_share(noise, tolerance)) < share:
        remarks.append(
            f"No estimate can meet a tolerance of {tolerance:g}: if experts err as much as estimated now, even perfect "
            f"estimates are within it of about {percent(most)} of new answers. A tolerance of "
            f"{rounded_up(reachable_tolerance(noise, share))} or more can be met."
        )
    return remarks


def _checked_noise(noise: float) -> float:
    if not (math.isfinite(noise) and noise >= 0.0):
        raise InvalidParameter(f"noise must be a standard deviation, a finite number of at least 0, got {noise!r}")
    return float(noise)
