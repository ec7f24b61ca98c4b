"""What Theorems 2.1 and 2.4 promise: how far off an estimate can be, and with what probability that fails."""

from __future__ import annotations

import math

from commensurate.guarantees.parameters import (
    checked_count,
    checked_delta,
    checked_dilation,
    checked_epsilon,
    checked_mass,
)


def error_bound(epsilon: float, dilation: float | None = None) -> float:
    """Return how far off an estimate can be when both elements are within 3ε of a sample.

    NAIVE: 6ε (Theorem 4.2). CLUSTER: 2(3 + 2ρ)ε (Theorem 4.3, there for ρ = 8), because the representative of a sample
    is at most two hops of ρε away from it.

    Parameters
    ----------
    epsilon
        The paper's ε, a distance.
    dilation
        CLUSTER's ρ; ``None`` for NAIVE.

    Examples
    --------
    >>> error_bound(0.5), error_bound(0.5, dilation=8.0)
    (3.0, 19.0)
    """
    epsilon = checked_epsilon(epsilon)
    hops = 0.0 if dilation is None else 2.0 * checked_dilation(dilation)
    return 2.0 * (3.0 + hops) * epsilon


def coverage_failure(delta: float, n_samples: int | None = None) -> float:
    """Return a bound on the probability that some dense element of one group has no sample within 3ε.

    At most ⌊1/δ⌋ balls of mass δ or more fit next to each other, and a dense element is within 2ε of the centre of one.
    A ball gets none of n samples with probability at most (1 − δ)ⁿ. At the theorem's N the sum is at most δ (proof of
    Theorem 4.2). It holds for *all* dense elements of the group at once.

    Parameters
    ----------
    delta
        The paper's δ.
    n_samples
        Independent samples in the group; left out, the theorem's N, whose bound is δ itself.

    Examples
    --------
    >>> coverage_failure(0.001)
    0.001
    >>> round(coverage_failure(0.001, n_samples=10_000), 4)
    0.0452
    """
    delta = checked_delta(delta)
    if n_samples is None:
        return delta
    # 1/δ is a whole number for the δ that people write (0.1, 0.001), but its float may fall just below
    balls = math.floor(1.0 / delta * (1.0 + 1e-12))
    return min(1.0, balls * math.exp(checked_count("n_samples", n_samples) * math.log1p(-delta)))


def failure_probability(
    delta: float,
    rare_left: float,
    rare_right: float,
    n_left: int | None = None,
    n_right: int | None = None,
) -> float:
    """Return the probability, at most, that the estimate for a random pair is off by more than ``error_bound``.

    2δ + p + p′ (Theorems 4.2 and 4.3), over the samples *and* the pair; at most 1, and at 1 the theorem says nothing.

    Parameters
    ----------
    delta
        The paper's δ.
    rare_left, rare_right
        p and p′, the rare masses at radius ε of the two groups.
    n_left, n_right
        Numbers of samples, where they are not the theorem's N (see ``coverage_failure``).

    Examples
    --------
    >>> failure_probability(0.25, rare_left=0.125, rare_right=0.0)
    0.625
    >>> failure_probability(0.001, rare_left=1.0, rare_right=0.98)
    1.0
    """
    uncovered = coverage_failure(delta, n_left) + coverage_failure(delta, n_right)
    rare = checked_mass("rare_left", rare_left) + checked_mass("rare_right", rare_right)
    return min(1.0, uncovered + rare)
