"""Which answers contradict each other by more than chance explains, when experts err a little every time?

If M1 and M2 hold, two answers differ by at most D = d(x_i, x_j) + d'(y_i, y_j),
plus their errors. With Gaussian errors of
standard deviation s, and answers that are means of r_i and r_j answers, the difference of the errors has the standard
deviation s·√(1/r_i + 1/r_j). A pair is flagged if |v_i − v_j| − D exceeds z times that, where z leaves α/n_pairs in
both tails together: if all is well, the probability of even one flag is at most α (Bonferroni over the pairs compared).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from commensurate.arrays import FloatArray
from commensurate.checks import as_answers, checked_count
from commensurate.errors import InvalidAnswer, InvalidParameter
from commensurate.guarantees.contradictions.compared_answers import ComparedAnswers, MetricLike
from commensurate.wording import percent_up

# relative error of a difference between a gap and a distance
_ROUNDING = 8.0 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True)
class NoisyContradiction:
    """Two answers that differ by ``gap``, though their elements are ``distance`` apart and noise explains ``allowed``.

    ``first`` (the larger answer) and ``second`` are numbers of answers, ``labels`` is how to call the two;
    ``deviations`` is gap − distance in standard deviations of the difference.
    """

    first: int
    second: int
    gap: float
    distance: float
    allowed: float
    deviations: float
    labels: tuple[str, str]

    def __str__(self) -> str:
        return (
            f"{self.labels[0]} exceeds {self.labels[1]} by {self.gap:.6g}, but their elements are only "
            f"{self.distance:.6g} apart and noise explains at most {self.allowed:.6g}"
        )


@dataclass(frozen=True, slots=True)
class NoisyAnswerCheck:
    """What comparing every answer with every other found.

    Attributes
    ----------
    n_answers
        How many answers were compared.
    noise
        The standard deviation of a single answer's error.
    level
        The probability of any flag at all if M1, M2 and the noise are as said.
    flagged
        The worst pairs, by their deviations, worst first; equally bad ones by their numbers.
    n_flagged
        How many unordered pairs of answers are flagged, listed above or not.
    """

    n_answers: int
    noise: float
    level: float
    flagged: tuple[NoisyContradiction, ...]
    n_flagged: int

    def __str__(self) -> str:
        by_chance = f"if errors have a standard deviation of {self.noise:.6g}"
        if self.n_flagged == 0:
            return (
                f"No two of {self.n_answers:,} answers contradict each other by more than chance explains {by_chance}."
            )
        lines = [
            f"Of {self.n_answers:,} answers, {self.n_flagged:,} "
            f"{'pair contradicts' if self.n_flagged == 1 else 'pairs contradict'} each other by more than chance "
            f"explains {by_chance}:",
            *(f"  {number}. {found}." for number, found in enumerate(self.flagged, start=1)),
            f"By chance alone, such a pair would appear with probability at most {percent_up(self.level)}. Ask about "
            "these again; if many remain, the noise is larger than stated, or the metrics do not measure what the "
            "experts consider.",
        ]
        return "\n".join(lines)


def check_noisy_answers(
    left: ArrayLike,
    right: ArrayLike,
    answers: ArrayLike,
    *,
    noise: float,
    repeats: ArrayLike | None = None,
    level: float = 0.05,
    metric: MetricLike | tuple[MetricLike, MetricLike] = "euclidean",
    worst: int = 10,
    labels: Sequence[str] | None = None,
) -> NoisyAnswerCheck:
    """Compare every answer with every other and report the contradictions that noise does not explain.

    Parameters
    ----------
    left, right
        The elements asked about, one row an answer; the two sides may have different columns.
    answers
        One dissimilarity an answer; the mean where a pair was answered several times.
    noise
        The standard deviation s of a single answer's error. Errors must be Gaussian, or lighter in the tails, and
        independent; s must not be estimated so small that it fits the very answers that are checked.
    repeats
        How many answers each is the mean of; 1 by default.
    level
        The probability α of any false alarm.
    metric
        The intra-group metric: a name, a `Metric`, or a function of two matrices; two of them if the sides differ.
    worst
        How many contradictions to list.
    labels
        How to call each answer; "answer 0", "answer 1", … by default.

    Examples
    --------
    >>> check = check_noisy_answers([[0.0], [0.1], [0.2]], [[0.0]] * 3, [0.5, 2.0, 0.55], noise=0.1)
    >>> check.n_flagged
    2
    >>> print(check.flagged[0])
    answer 1 exceeds answer 0 by 1.5, but their elements are only 0.1 apart and noise explains at most 0.33856
    """
    values = _checked_values(answers)
    variances = 1.0 / _checked_repeats(repeats, len(values))
    compared = ComparedAnswers.of(left, right, len(values), metric, labels)
    level, worst, noise = _checked_level(level), checked_count("worst", worst), _checked_noise(noise)
    found, n_flagged = _flagged(
        compared,
        values,
        noise * np.sqrt(variances),
        _two_sided_deviations(level, len(values) * (len(values) - 1) // 2),
        worst,
    )
    return NoisyAnswerCheck(len(values), noise, level, tuple(found), n_flagged)


def _flagged(
    compared: ComparedAnswers,
    values: FloatArray,
    noises: FloatArray,
    deviations_allowed: float,
    worst: int,
) -> tuple[list[NoisyContradiction], int]:
    """Return the worst contradictions, worst first, and how many there are."""
    found: list[NoisyContradiction] = []
    n_flagged = 0

    for start, distances in compared.distance_blocks():
        rows = slice(start, start + len(distances))
        gaps = values[rows, None] - values[None, start:]
        errors = np.hypot(noises[rows, None], noises[None, start:])
        beyond = np.abs(gaps) - distances
        deviations = beyond / errors
        # however little noise there is, rounding is no contradiction
        rounding = _ROUNDING * (distances + values[rows, None] + values[None, start:])
        # each unordered pair once: the later answers of a row only
        above, right = np.nonzero(np.triu((deviations > deviations_allowed) & (beyond > rounding), k=1))
        n_flagged += len(above)
        # nonzero goes by rows and the sort is stable, hence ties are in the order of their numbers
        for k in np.argsort(-deviations[above, right], kind="stable")[:worst].tolist():
            at = int(above[k]), int(right[k])
            larger, smaller = (at[0] + start, at[1] + start) if gaps[at] > 0.0 else (at[1] + start, at[0] + start)
            found.append(
                NoisyContradiction(
                    first=larger,
                    second=smaller,
                    gap=float(abs(gaps[at])),
                    distance=float(distances[at]),
                    allowed=float(deviations_allowed * errors[at]),
                    deviations=float(deviations[at]),
                    labels=(compared.label(larger), compared.label(smaller)),
                )
            )
        found = sorted(found, key=lambda one: (-one.deviations, one.first, one.second))[:worst]
    return found, n_flagged


def _two_sided_deviations(level: float, n_pairs: int) -> float:
    """Return z so that a standard normal exceeds it in size with probability ``level`` / ``n_pairs``."""
    from scipy.special import ndtri

    return -float(ndtri(level / (2.0 * max(n_pairs, 1))))


def _checked_values(answers: ArrayLike) -> FloatArray:
    values = as_answers(answers, "answers")
    if values.ndim != 1:
        raise InvalidAnswer(
            f"answers must be a list of numbers, got shape {values.shape}; intervals have no Gaussian noise, use check_answers"
        )
    if not np.isfinite(values).all():
        number = int(np.flatnonzero(~np.isfinite(values))[0])
        raise InvalidAnswer(f"every answer must be finite, but answer {number} is {values[number]}; correct or drop it")
    return values


def _checked_repeats(repeats: ArrayLike | None, n_answers: int) -> FloatArray:
    counts = np.ones(n_answers) if repeats is None else np.asarray(repeats, dtype=np.float64)
    if counts.shape != (n_answers,) or not (np.isfinite(counts) & (counts >= 1.0)).all():
        raise InvalidParameter(
            f"repeats must be one number per answer, at least 1, for {n_answers} answers, got shape {counts.shape} "
            f"with least {counts.min(initial=math.inf):g}; leave it out if every pair was answered once"
        )
    return counts


def _checked_level(level: float) -> float:
    if not 0.0 < level < 1.0:
        raise InvalidParameter(
            f"the probability of a false alarm must lie strictly between 0 and 1, got {level!r}; 0.05 is usual"
        )
    return float(level)


def _checked_noise(noise: float) -> float:
    if not 0.0 < noise < math.inf:
        raise InvalidParameter(
            f"noise must be a positive, finite standard deviation, got {noise!r}; for exact answers use check_answers"
        )
    return float(noise)
