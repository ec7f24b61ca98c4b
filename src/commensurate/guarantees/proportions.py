"""Exact one-sided bounds on a probability from how often something happened (Clopper and Pearson, 1934)."""

from __future__ import annotations


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
