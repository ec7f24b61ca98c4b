"""How many samples the paper's algorithms draw, how many representatives to expect, how many questions that makes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from commensurate.errors import InvalidParameter
from commensurate.guarantees.parameters import checked_count, checked_delta, checked_mass


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


def expected_representatives(delta: float, rare_mass: float, n_samples: int | None = None) -> float:
    """Return the bound 1/δ + N·p on the expected number of CLUSTER's representatives in one group.

    Lemmas 4.5 and 4.6. ``rare_mass`` is p at the radius min(1, ρ/2)·ε, not at ε, where ρ is the dilation:
    representatives are more than ρε apart, so that balls of half that radius around the dense ones are disjoint, each
    with mass δ or more. There are never more representatives than samples, whatever this bound says.

    Parameters
    ----------
    delta
        The paper's δ.
    rare_mass
        Probability of drawing an element that is rare at radius min(1, ρ/2)·ε.
    n_samples
        Samples in the group; left out, the theorem's ``sample_size(delta)``.

    Examples
    --------
    >>> expected_representatives(0.001, rare_mass=0.0)
    1000.0
    """
    delta, rare_mass = checked_delta(delta), checked_mass("rare_mass", rare_mass)
    samples = sample_size(delta) if n_samples is None else checked_count("n_samples", n_samples)
    return 1.0 / delta + samples * rare_mass


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
        raise InvalidParameter(f"questions need at least two groups, got {len(samples)}; pass one count a group")
    if set(samples) != set(distinct):
        raise InvalidParameter(
            f"samples and distinct must name the same groups, got {sorted(samples)} and {sorted(distinct)}; "
            "pass both counts for every group"
        )
