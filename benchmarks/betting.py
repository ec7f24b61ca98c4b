"""Evidence that may be looked at after every single answer: a bet against a false claim.

The claim is "at least this share of pairs is within the tolerance", about one function that does not change. Whoever
bets that a miss is rarer than the claim allows multiplies their stake by q/m at every miss, and by (1 − q)/(1 − m) at
every hit, where m = 1 − share and q < m. If misses are really as frequent as m or more, that is a losing game: the
stake does not grow on average, so by Ville's inequality it ever reaches 1/α with probability at most α. Bets on many
q at once, a mixture, keep this, and need not know how good the function is (Ville 1939; Waudby-Smith and Ramdas 2024).
"""

from __future__ import annotations

import math

from scipy.special import betainc, betaln

from commensurate.checks import checked_confidence_level, checked_count, checked_share
from commensurate.errors import InvalidParameter

# how the stake is spread over q before any answer: Beta, cut off at m; much of it near no misses at all
FEW, MANY = 0.5, 8.0


def log_stake(misses: int, n: int, share: float) -> float:
    """Return the logarithm of the stake after ``n`` answers with so many misses; it was 1 before the first.

    Examples
    --------
    >>> round(math.exp(log_stake(0, 35, share=0.9)), 1), round(math.exp(log_stake(0, 0, share=0.9)), 6)
    (21.2, 1.0)
    """
    misses, n, most = checked_count("misses", misses), checked_count("n", n), 1.0 - checked_share(share)
    if misses > n:
        raise InvalidParameter(f"misses must be at most n, got {misses} of {n}; count them among the same answers")
    before = math.log(betainc(FEW, MANY, most)) + betaln(FEW, MANY)
    below = float(betainc(FEW + misses, MANY + n - misses, most))
    if below == 0.0:
        return -math.inf
    after = math.log(below) + betaln(FEW + misses, MANY + n - misses)
    return float(after - before - misses * math.log(most) - (n - misses) * math.log1p(-most))


def is_proved_at_any_time(misses: int, n: int, *, share: float, level: float) -> bool:
    """Tell whether the claim is proved at ``level``, however often and whenever one asks.

    Examples
    --------
    >>> is_proved_at_any_time(0, 35, share=0.9, level=0.05), is_proved_at_any_time(0, 34, share=0.9, level=0.05)
    (True, False)
    """
    return log_stake(misses, n, share) >= -math.log(1.0 - checked_confidence_level(1.0 - level))
