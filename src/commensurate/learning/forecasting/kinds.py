"""What kind of answer to ask for: how much numbers, grades and comparisons tell in the same minutes.

What one answer is worth is its Fisher information beside that of a number (`guarantees.comparisons.information`), on
average over dissimilarities that are normal. It is what a model learns that makes full use of each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

from commensurate.checks import checked_count, checked_positive
from commensurate.errors import InvalidParameter
from commensurate.guarantees.comparisons.information import grade_information, ruler_information

NUMBERS, GRADES, COMPARISONS = "numbers", "grades", "comparisons"
# assumptions: what an answer of each kind takes
SECONDS = {NUMBERS: 30.0, GRADES: 6.0, COMPARISONS: 10.0}
# dissimilarities to average over
_QUANTILES = (np.arange(200) + 0.5) / 200


@dataclass(frozen=True, slots=True)
class KindInTime:
    """How many answers of one kind there is time for, and how many numbers they are worth together."""

    kind: str
    seconds: float
    answers: int
    worth: float


@dataclass(frozen=True, slots=True)
class KindsInTime:
    """All kinds of answers, the one that tells the most first; ``str()`` puts them in words."""

    minutes: float
    noise: float
    kinds: tuple[KindInTime, ...]

    def __str__(self) -> str:
        lines = [
            f"In {self.minutes:g} minutes, where answers err by {self.noise:g} of how much dissimilarities differ from pair "
            "to pair:"
        ]
        lines += [
            f"  {one.answers:,} {one.kind} of {one.seconds:g} seconds tell as much as {one.worth:,.0f} numbers"
            for one in self.kinds
        ]
        return "\n".join(
            [*lines, "Each tells so much on a common scale, if experts take so long, and a model makes full use of it."]
        )


def compare_kinds(
    minutes: float, *, noise: float = 0.5, seconds: Mapping[str, float] | None = None, grades: int = 5
) -> KindsInTime:
    """Compare numbers, grades and comparisons by what they tell in the same minutes of experts' time.

    Parameters
    ----------
    minutes
        The time there is, of all experts together.
    noise
        Standard deviation of the error of a number, beside that of σ from pair to pair.
    seconds
        What an answer takes, by kind: "numbers", "grades", "comparisons" (30, 6 and 10 seconds if left out, which are
        assumptions). `Study.status` tells what your experts take.
    grades
        How many grades there are; their boundaries are such that each is used alike.

    Examples
    --------
    >>> print(compare_kinds(60, noise=0.5))
    In 60 minutes, where answers err by 0.5 of how much dissimilarities differ from pair to pair:
      600 grades of 6 seconds tell as much as 430 numbers
      120 numbers of 30 seconds tell as much as 120 numbers
      360 comparisons of 10 seconds tell as much as 115 numbers
    Each tells so much on a common scale, if experts take so long, and a model makes full use of it.
    >>> compare_kinds(60, seconds={"numbers": 4.0, "grades": 3.5, "comparisons": 2.5}).kinds[0].kind
    'numbers'
    """
    minutes, noise, grades = (
        checked_positive("minutes", minutes),
        checked_positive("noise", noise),
        checked_count("grades", grades),
    )
    if grades < 2:
        raise InvalidParameter(f"grades must be at least 2, because a single one says nothing, got {grades}")
    if unknown := [kind for kind in seconds or {} if kind not in SECONDS]:
        raise InvalidParameter(f"seconds are given by kind of answer, {', '.join(SECONDS)}; got {unknown[0]!r}")
    taken = {
        kind: checked_positive(f"seconds of {kind}", value) for kind, value in {**SECONDS, **(seconds or {})}.items()
    }
    worth = {NUMBERS: 1.0, GRADES: _worth_of_a_grade(noise, grades), COMPARISONS: float(ruler_information(0.0))}
    counts = {kind: int(60.0 * minutes / each) for kind, each in taken.items()}
    found = [KindInTime(kind, taken[kind], counts[kind], counts[kind] * worth[kind]) for kind in SECONDS]
    return KindsInTime(minutes, noise, tuple(sorted(found, key=lambda one: -one.worth)))


def _worth_of_a_grade(noise: float, grades: int) -> float:
    sigma = norm.ppf(_QUANTILES)
    # percepts spread wider than σ, by their noise
    boundaries = norm.ppf(np.arange(1, grades) / grades) * np.sqrt(1.0 + noise**2)
    return float(grade_information(sigma, boundaries, noise).mean())
