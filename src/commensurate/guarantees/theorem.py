"""What the paper promises: sample sizes, numbers of questions, and the bounds of Theorems 2.1 and 2.4."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from commensurate.checks import checked_count, checked_delta, checked_dilation, checked_epsilon, checked_mass
from commensurate.errors import InvalidParameter


def sample_size(delta: float) -> int:
    """Return how many samples NAIVE and CLUSTER draw from each group: N = ⌈(1/δ)·ln(1/δ²)⌉.

    Theorems 2.1 and 2.4. The samples are drawn independently, with replacement when they come from a table.

    Examples
    --------
    >>> sample_size(0.001)
    13816
    """
    delta = checked_delta(delta)
    return math.ceil(-2.0 * math.log(delta) / delta)


@dataclass(frozen=True, slots=True)
class QuestionCounts:
    """The three ways to count the same questions; a comparison must use one of them for both sides.

    Attributes
    ----------
    ordered_with_repeats
        The paper's γ(γ−1)N² for NAIVE: each pair both ways round, a row drawn twice counted twice.
    unordered_with_repeats
        Half of it: each pair of groups once.
    distinct
        Equal elements are one: what an expert is really asked.
    """

    ordered_with_repeats: int
    unordered_with_repeats: int
    distinct: int

    def __str__(self) -> str:
        return (
            f"{self.ordered_with_repeats:,} questions ordered, with repeats (as the paper counts NAIVE); "
            f"{self.unordered_with_repeats:,} unordered, with repeats; "
            f"{self.distinct:,} distinct (what an expert is asked)"
        )


def count_questions(samples: Mapping[str, int], distinct: Mapping[str, int], symmetric: bool = True) -> QuestionCounts:
    """Count the questions between all pairs of groups in three ways.

    Parameters
    ----------
    samples
        Per group, the samples drawn (NAIVE) or the representatives (CLUSTER), counted with repeats.
    distinct
        Per group, how many different elements are asked about.
    symmetric
        Whether σ is the same whichever side is named first; if not, each distinct pair is asked both ways.

    Examples
    --------
    >>> print(count_questions({"a": 2000, "b": 1000}, {"a": 500, "b": 400}))
    4,000,000 questions ordered, with repeats (as the paper counts NAIVE); 2,000,000 unordered, with repeats; \
200,000 distinct (what an expert is asked)
    """
    _check_groups(samples, distinct)
    drawn = [checked_count(f"samples of group {group!r}", samples[group]) for group in samples]
    different = [checked_count(f"distinct elements of group {group!r}", distinct[group]) for group in samples]
    for group, n_drawn, n_different in zip(samples, drawn, different):
        if n_different > n_drawn:
            raise InvalidParameter(
                f"group {group!r} has {n_drawn} samples, so at most that many distinct elements are expected, got "
                f"{n_different}; count samples with their repeats"
            )
    unordered = sum(left * right for left, right in combinations(drawn, 2))
    asked = sum(left * right for left, right in combinations(different, 2))
    return QuestionCounts(2 * unordered, unordered, asked if symmetric else 2 * asked)


def _check_groups(samples: Mapping[str, int], distinct: Mapping[str, int]) -> None:
    if len(samples) < 2:
        raise InvalidParameter(f"questions need at least two groups, got {len(samples)}; pass one count per group")
    if set(samples) != set(distinct):
        raise InvalidParameter(
            f"samples and distinct must name the same groups, got {sorted(samples)} and {sorted(distinct)}; "
            "pass both counts for every group"
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
