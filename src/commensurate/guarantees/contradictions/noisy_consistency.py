"""Which answers contradict each other by more than errors explain, when experts err a little every time?

If M1 and M2 hold, two answers differ by at most D = d(x_i, x_j) + d'(y_i, y_j) plus the sizes of their errors. Two
tests share the level α, and neither needs errors of one size:

- *Answer by answer.* With the errors in units of their scales s_i, |v_i − v_j| − D ≤ (E_i + E_j)·max(s_i, s_j). So no
  two answers differ by more than D + c·max(s_i, s_j), unless the two largest of all E together exceed c. How large c is
  tell the held-out answers, if tails are no heavier than those of Student's t₃ (``heavy_tails.py``). As many errors
  are counted as single answers were given: the mean of several is not farther off than the worst of them.
- *As a whole.* Held-out answers are paired by the estimates, no answer in two pairs, where f_i − f_j exceeds D. By M1
  and M2, v_i − v_j exceeds D in each pair with probability ½ at most, whatever the errors' sizes and tails, if they are
  symmetric or alike; so how often it does is at most binomial (the sign test).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from commensurate.arrays import FloatArray
from commensurate.checks import checked_count
from commensurate.errors import InvalidAnswer, InvalidInput, InvalidParameter
from commensurate.guarantees.contradictions.compared_answers import ComparedAnswers, MetricLike
from commensurate.guarantees.contradictions.estimated_answers import EstimatedAnswers
from commensurate.guarantees.contradictions.heavy_tails import FEWEST_HELD_OUT
from commensurate.wording import percent_up

# relative error of a difference between a gap and a distance
_ROUNDING = 8.0 * float(np.finfo(np.float64).eps)
# what the comparison of single answers takes of the level; the rest is for all together
_SINGLE = 0.6
# so many of the nearest answers learnt from estimate an answer, by their median, whatever a few gross ones are
_NEAREST = 7
# distances held at once
_BLOCK_DISTANCES = 2**18


@dataclass(frozen=True, slots=True)
class NoisyContradiction:
    """Two answers that differ by ``gap``, though their elements are ``distance`` apart and errors explain ``allowed``.

    ``first`` (the larger answer) and ``second`` are numbers of answers, ``labels`` is how to call the two.
    """

    first: int
    second: int
    gap: float
    distance: float
    allowed: float
    labels: tuple[str, str]

    @property
    def times_allowed(self) -> float:
        """Gap − distance as a multiple of what errors explain."""
        return (self.gap - self.distance) / self.allowed if self.allowed > 0.0 else math.inf

    def __str__(self) -> str:
        return (
            f"{self.labels[0]} exceeds {self.labels[1]} by {self.gap:.6g}, but their elements are only "
            f"{self.distance:.6g} apart and errors explain at most {self.allowed:.6g}"
        )


@dataclass(frozen=True, slots=True)
class NoisyAnswerCheck:
    """What comparing every answer with every other found.

    Attributes
    ----------
    n_answers, n_held_out
        How many answers were compared, and how many of them tell how large errors are, because no estimate knew them.
    level
        The probability of any alarm at all if M1 and M2 hold and errors are as the text says.
    flagged
        The worst pairs, as multiples of what errors explain, worst first; equally bad ones by their numbers.
    n_flagged
        How many unordered pairs of answers are flagged, listed above or not.
    n_pairs, n_confirmed
        How many separate pairs of held-out answers contradict M1 and M2 by their estimates,
        and how many of these do so by their answers too.
    p_value
        The probability of so many if M1 and M2 hold.
    """

    n_answers: int
    n_held_out: int
    level: float
    flagged: tuple[NoisyContradiction, ...]
    n_flagged: int
    n_pairs: int
    n_confirmed: int
    p_value: float

    @property
    def contradict_as_a_whole(self) -> bool:
        """Tell whether held-out answers contradict M1 and M2 too often, where the estimates say that they would."""
        return self.p_value <= (1.0 - _SINGLE) * self.level

    @property
    def consistent(self) -> bool:
        """Tell whether there is no alarm."""
        return self.n_flagged == 0 and not self.contradict_as_a_whole

    def __str__(self) -> str:
        condition = (
            f"If M1 and M2 hold, one such check raises any alarm with probability at most {percent_up(self.level)}. Errors "
            "may grow with the dissimilarity, and experts may differ, if who answers does not depend on the pair. But we "
            "assume that answers err independently, upwards "
            f"as likely as downwards, that the {self.n_held_out:,} held-out answers, which tell how large errors are, are "
            "about pairs drawn like the others and no nearer to estimates than to the truth, and that large errors are no "
            "more common than in Student's t distribution with 3 degrees of freedom."
        )
        if self.n_flagged == 0:
            found = [f"No two of {self.n_answers:,} answers contradict each other by more than errors explain."]
        else:
            found = [
                f"Of {self.n_answers:,} answers, {self.n_flagged:,} "
                f"{'pair contradicts' if self.n_flagged == 1 else 'pairs contradict'} each other by more than errors "
                "explain:",
                *(f"  {number}. {one}." for number, one in enumerate(self.flagged, start=1)),
            ]
        if self.contradict_as_a_whole:
            found.append(
                f"As a whole, answers contradict M1 or M2: estimates say that they do in {self.n_pairs:,} separate pairs of "
                f"held-out answers, and in {self.n_confirmed:,} of these they do. Errors alone would cause so many with "
                f"probability at most {percent_up(self.p_value)}."
            )
        if self.consistent:
            return " ".join([*found, condition])
        if self.n_flagged:
            condition += " Ask about the listed ones again."
        remedy = (
            "If contradictions remain, the metrics do not measure what the experts consider, or not on their scale."
        )
        return "\n".join([*found, f"{condition} {remedy}"])


def check_noisy_answers(
    left: ArrayLike,
    right: ArrayLike,
    answers: EstimatedAnswers,
    *,
    level: float = 0.05,
    metric: MetricLike | tuple[MetricLike, MetricLike] = "euclidean",
    worst: int = 10,
    labels: Sequence[str] | None = None,
) -> NoisyAnswerCheck:
    """Compare every answer with every other and report the contradictions that errors do not explain.

    Parameters
    ----------
    left, right
        The elements asked about, one row an answer; the two sides may have different columns.
    answers
        The answers, with what was estimated from those that are not held out.
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
    >>> x = np.linspace(0.0, 1.0, 40)[:, None]
    >>> said = 0.5 + 0.1 * np.sin(50.0 * np.arange(40.0))
    >>> said[3] = 50.0
    >>> answers = EstimatedAnswers(said, said, np.full(40, 0.5), np.arange(40) % 4 == 0, 40)
    >>> check = check_noisy_answers(x, x, answers, worst=1)
    >>> check.n_flagged
    39
    >>> print(check.flagged[0])
    answer 3 exceeds answer 4 by 49.5873, but their elements are only 0.0512821 apart and errors explain at most 0.43348
    """
    _check_values(answers)
    compared = ComparedAnswers.of(left, right, len(answers), metric, labels)
    level, worst = _checked_level(level), checked_count("worst", worst)
    judged = _least_misled(compared, answers)
    found, n_flagged = _flagged(compared, judged, judged.allowed(_SINGLE * level), worst)
    n_pairs, n_confirmed = _contradicting_pairs(compared, answers)
    p_value = _binomial_tail(n_confirmed, n_pairs)
    return NoisyAnswerCheck(
        len(answers), answers.n_held_out, level, tuple(found), n_flagged, n_pairs, n_confirmed, p_value
    )


def _flagged(
    compared: ComparedAnswers, answers: EstimatedAnswers, allowed_scales: float, worst: int
) -> tuple[list[NoisyContradiction], int]:
    """Return the worst contradictions, worst first, and how many there are."""
    found: list[NoisyContradiction] = []
    n_flagged = 0
    values, scales = answers.means, answers.scales

    for start, distances in compared.distance_blocks():
        rows = slice(start, start + len(distances))
        gaps = values[rows, None] - values[None, start:]
        allowed = allowed_scales * np.maximum(scales[rows, None], scales[None, start:])
        beyond = np.abs(gaps) - distances
        # however small errors are, rounding is no contradiction
        rounding = _ROUNDING * (distances + values[rows, None] + values[None, start:])
        # each unordered pair once: the later answers of a row only
        above, right = np.nonzero(np.triu((beyond > allowed) & (beyond > rounding), k=1))
        n_flagged += len(above)
        here = []
        times = beyond[above, right] / np.maximum(allowed[above, right], np.finfo(np.float64).tiny)
        # nonzero goes by rows and the sort is stable, hence ties are in the order of their numbers
        for k in np.argsort(-times, kind="stable")[:worst].tolist():
            at = int(above[k]), int(right[k])
            larger, smaller = (at[0] + start, at[1] + start) if gaps[at] > 0.0 else (at[1] + start, at[0] + start)
            here.append(
                NoisyContradiction(
                    first=larger,
                    second=smaller,
                    gap=float(abs(gaps[at])),
                    distance=float(distances[at]),
                    allowed=float(allowed[at]),
                    labels=(compared.label(larger), compared.label(smaller)),
                )
            )
        found = sorted([*found, *here], key=lambda one: (-one.times_allowed, one.first, one.second))[:worst]
    return found, n_flagged


def _least_misled(compared: ComparedAnswers, answers: EstimatedAnswers) -> EstimatedAnswers:
    """Return the answers beside other estimates, the medians of the nearest answers, where these are nearer to them.

    A few gross answers may mislead what is learnt everywhere, and then held-out answers tell that errors are large. The
    middle held-out error decides, which says little about the large ones that are the measure then.
    """
    held_out = answers.held_out
    if (~held_out).sum() <= _NEAREST:
        return answers
    medians = _nearest_medians(compared, answers)
    by_learner, by_nearest = (
        float(np.median(np.abs(answers.firsts - estimates)[held_out])) for estimates in (answers.estimates, medians)
    )
    return answers if by_learner <= by_nearest else replace(answers, estimates=medians)


def _nearest_medians(compared: ComparedAnswers, answers: EstimatedAnswers) -> FloatArray:
    """Return for each answer the median of those learnt from about the nearest pairs, its own left out."""
    rows = np.flatnonzero(~answers.held_out)
    sides = [(metric, side, side[rows]) for metric, side in zip(compared.metrics, compared.points)]
    medians = np.empty(len(answers))
    step = max(1, _BLOCK_DISTANCES // len(rows))
    for start in range(0, len(answers), step):
        here = slice(start, start + step)
        left, right = (metric.pairwise(side[here], learnt) for metric, side, learnt in sides)
        distances = left + right
        distances[np.arange(start, start + len(distances))[:, None] == rows] = np.inf
        nearest = np.argpartition(distances, _NEAREST - 1, axis=1)[:, :_NEAREST]
        medians[here] = np.median(answers.means[rows[nearest]], axis=1)
    return medians


def _contradicting_pairs(compared: ComparedAnswers, answers: EstimatedAnswers) -> tuple[int, int]:
    """Return how many separate pairs of held-out answers contradict each other by their estimates, and how many of
    these do so by their answers.

    Which pairs these are depends on estimates alone; those that contradict each other most come first.
    """
    rows = np.flatnonzero(answers.held_out)
    estimates, said = answers.estimates[rows], answers.firsts[rows]
    left, right = (metric.pairwise(side[rows], side[rows]) for metric, side in zip(compared.metrics, compared.points))
    distances = left + right
    expected = estimates[:, None] - estimates[None] - distances
    high, low = np.nonzero(expected > _ROUNDING * (distances + estimates[:, None] + estimates[None]))
    free = np.ones(len(rows), dtype=np.bool_)
    n_pairs = n_confirmed = 0
    for k in np.argsort(-expected[high, low], kind="stable").tolist():
        i, j = int(high[k]), int(low[k])
        if free[i] and free[j]:
            free[i] = free[j] = False
            n_pairs += 1
            n_confirmed += bool(said[i] - said[j] - distances[i, j] > _ROUNDING * (distances[i, j] + said[i] + said[j]))
    return n_pairs, n_confirmed


def _binomial_tail(successes: int, trials: int) -> float:
    """Return the probability of so many heads or more of a fair coin."""
    from scipy.special import bdtrc

    return 1.0 if successes == 0 else float(bdtrc(successes - 1, trials, 0.5))


def _check_values(answers: EstimatedAnswers) -> None:
    n = len(answers)
    for name in ("means", "firsts", "estimates", "held_out"):
        values = getattr(answers, name)
        if values.shape != (n,):
            raise InvalidAnswer(f"{name} must be one number an answer, for {n} answers, got shape {values.shape}")
        if not np.isfinite(values).all():
            number = int(np.flatnonzero(~np.isfinite(values))[0])
            raise InvalidAnswer(f"all of {name} must be finite, but number {number} is {values[number]}; drop it")
    if answers.n_held_out < FEWEST_HELD_OUT:
        raise InvalidInput(
            f"contradictions can be told from errors only by at least {FEWEST_HELD_OUT} held-out answers, got "
            f"{answers.n_held_out}; answer more questions, hold out a larger share, or say how far an answer may be off "
            "with answer_error=…"
        )
    if answers.n_given < n:
        raise InvalidAnswer(f"n_given counts all single answers and must be at least {n}, got {answers.n_given}")


def _checked_level(level: float) -> float:
    if not 0.0 < level < 1.0:
        raise InvalidParameter(
            f"the probability of a false alarm must lie strictly between 0 and 1, got {level!r}; 0.05 is usual"
        )
    return float(level)
